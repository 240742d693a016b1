"""Messages in a few words, for cards and panels. By their fields alone: nothing of numpy is loaded for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any

FEW = 4
"""Elements of an array that are written out; of a longer one, its shape is told."""
MOST_PARTS = 8
"""Of an object of JSON or Protobuf that is one value among others."""
MOST_LINES = 100
_ASIDE = ("stamp_ns", "frame", "frame_id", "child_frame")


def value_lines(message: Any) -> list[str]:
    """`name value`, one line for each field; what says when and where comes last."""
    found = list(islice(_named(message), MOST_LINES))
    if len(found) == 1:
        return [value_words(found[0][1])]
    first = [f"{name} {value_words(value)}" for name, value in found if name not in _ASIDE]
    last = [f"{name} {value_words(value)}" for name, value in found if name in _ASIDE and value]
    return first + last


def value_words(value: Any) -> str:
    if is_dataclass(value) and not isinstance(value, type):
        return ", ".join(f"{name} {value_words(part)}" for name, part in _named(value) if name not in _ASIDE)
    if hasattr(value, "shape") and hasattr(value, "tolist"):
        if value.shape == (4, 4) and value[3].tolist() == [0, 0, 0, 1]:  # a pose: where it is says more than its size
            return f"at {value_words(value[:3, 3].tolist())}"
        if value.size > FEW:
            return f"{' × '.join(map(str, value.shape))} {value.dtype}"
        return value_words(value.tolist())
    if isinstance(value, dict):
        parts = [(name, part) for name, part in value.items() if name not in _ASIDE]
        shown = ", ".join(f"{name} {value_words(part)}" for name, part in parts[:MOST_PARTS])
        return f"{shown}, … {len(parts)} in all" if len(parts) > MOST_PARTS else shown
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}".replace("-", "−")
    if isinstance(value, list | tuple):
        shown = ", ".join(value_words(each) for each in value[:FEW])
        return f"({shown}{f', … {len(value)} in all' if len(value) > FEW else ''})"
    return str(value).replace("-", "−") if isinstance(value, int) else str(value)


def first_number(message: Any) -> float | None:
    """What a small curve can be drawn of: the message's first plain number."""
    for name, value in _named(message):
        if name in _ASIDE or isinstance(value, bool):
            continue
        if isinstance(value, int | float):
            return float(value)
        if is_dataclass(value) and (inner := first_number(value)) is not None:
            return inner
    return None


def _named(message: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(message, dict):
        yield from message.items()
        return
    for field in fields(message) if is_dataclass(message) else ():
        yield field.name, getattr(message, field.name)
