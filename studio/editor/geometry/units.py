"""Lengths and angles as the user wants to see them. Models and files stay in metres and radians, or as written."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Protocol

LENGTHS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254}
ANGLES = {"deg": math.pi / 180.0, "°": math.pi / 180.0, "rad": 1.0}
_TYPED = re.compile(r"\s*([-+0-9.eE,*/() ]*?)\s*(m|cm|mm|in|deg|°|rad)?\s*\Z")


class Store(Protocol):
    def text(self, name: str) -> str: ...
    def set_text(self, name: str, value: str) -> None: ...


@dataclass(frozen=True)
class Units:
    length: str = "m"
    angle: str = "deg"
    decimals: int = 4

    def scale(self, kind: str) -> float:
        """What one of the shown units is in metres or radians; 1 for what is neither."""
        return {"length": LENGTHS[self.length], "angle": ANGLES[self.angle]}.get(kind, 1.0)

    def name(self, kind: str) -> str:
        return {"length": self.length, "angle": "°" if self.angle == "deg" else "rad"}.get(kind, "")

    def shown(self, value: float, kind: str) -> str:
        """Without needless zeros; small numbers are not rounded away."""
        text = f"{value / self.scale(kind) + 0.0:.{self.decimals}f}".rstrip("0").rstrip(".")
        return "0" if text in ("-0", "") else text

    def read(self, text: str, kind: str) -> float | None:
        """In metres or radians. A unit and simple arithmetic may be typed: `12 mm`, `1/3`, `2*0.35`; None if not."""
        found = _TYPED.match(text.replace(",", "."))
        if found is None or not found[1].strip():
            return None
        value = _worth(found[1])
        unit = found[2]
        if value is None or (unit in LENGTHS and kind != "length") or (unit in ANGLES and kind != "angle"):
            return None
        factor = LENGTHS.get(unit) or ANGLES.get(unit) if unit else self.scale(kind)
        return value * (factor or 1.0)


def load_units(store: Store) -> Units:
    length, angle, decimals = (store.text(f"geometry/{name}") for name in ("length", "angle", "decimals"))
    return Units(
        length if length in LENGTHS else "m",
        angle if angle in ("deg", "rad") else "deg",
        int(decimals) if decimals.isdigit() and 0 <= int(decimals) <= 9 else 4,
    )


def save_units(store: Store, units: Units) -> None:
    for name in ("length", "angle", "decimals"):
        store.set_text(f"geometry/{name}", str(getattr(units, name)))


# ---- arithmetic: plus, minus, times, by, brackets


def _worth(text: str) -> float | None:
    words = re.findall(r"\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|[-+*/()]", text)
    if "".join(words) != text.replace(" ", ""):
        return None
    try:
        value, rest = _sum(words)
    except (IndexError, ValueError, ZeroDivisionError, RecursionError):
        return None
    return value if not rest and math.isfinite(value) else None


def _sum(words: list[str]) -> tuple[float, list[str]]:
    value, words = _product(words)
    while words and words[0] in "+-":
        sign = 1.0 if words[0] == "+" else -1.0
        other, words = _product(words[1:])
        value += sign * other
    return value, words


def _product(words: list[str]) -> tuple[float, list[str]]:
    value, words = _factor(words)
    while words and words[0] in "*/":
        is_times = words[0] == "*"
        other, words = _factor(words[1:])
        value = value * other if is_times else value / other
    return value, words


def _factor(words: list[str]) -> tuple[float, list[str]]:
    if words[0] in "+-":
        value, rest = _factor(words[1:])
        return (value if words[0] == "+" else -value), rest
    if words[0] == "(":
        value, rest = _sum(words[1:])
        if rest[0] != ")":
            raise ValueError("a bracket is open")
        return value, rest[1:]
    return float(words[0]), words[1:]
