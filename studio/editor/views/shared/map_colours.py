"""Which colour a number of a map gets: schemes, ranges and legends. No Qt in here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

STEPS = 256
Stops = tuple[tuple[float, str], ...]
"""Values and their colours, rising; between them the colours are mixed."""
UNKNOWN = {"dark": "#2A2E34", "light": "#D4D9DF"}
"""By theme: cells that nobody has seen."""


@dataclass(frozen=True)
class Scheme:
    """Colours over a range of values, in the unit of the plane."""

    name: str
    title: str
    stops: Stops
    unit: str = ""
    grade: float | None = None
    """The value that means nothing special, which the legend marks."""
    grade_word: str = ""
    """What that value is called there."""
    safe: str = ""
    """The scheme that says the same to everybody's eyes; empty: this one does."""
    dark: tuple[str, ...] = ()
    """The colours of the stops on a dark ground, where these would be lost in it; empty: they are not."""

    @property
    def low(self) -> float:
        return self.stops[0][0]

    @property
    def high(self) -> float:
        return self.stops[-1][0]

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2 if self.grade is None else self.grade

    def seen_in(self, theme: str) -> Scheme:
        """As a theme of this name needs it."""
        if theme != "dark" or not self.dark:
            return self
        return replace(self, stops=tuple((at, colour) for (at, _), colour in zip(self.stops, self.dark, strict=True)))

    def over(self, low: float, high: float) -> Scheme:
        """The same colours over another range; what is the grade stays the grade if it lies within."""
        if not (math.isfinite(low) and math.isfinite(high)) or high <= low:
            return self
        grade = self.grade if self.grade is not None and low < self.grade < high else None
        fixed = [] if grade is None else [grade]
        moved = np.interp([at for at, _ in self.stops], [self.low, *fixed, self.high], [low, *fixed, high]).tolist()
        stops = tuple((at, colour) for at, (_, colour) in zip(moved, self.stops, strict=True))
        return replace(self, stops=stops, grade=grade)

    def table(self) -> NDArray[np.uint32]:
        """The colours of `STEPS` equal parts of the range, as Qt's ARGB32."""
        at = np.linspace(self.low, self.high, STEPS)
        places = [stop for stop, _ in self.stops]
        channels = np.array([_channels(colour) for _, colour in self.stops], dtype=np.float64)
        red, green, blue = (np.rint(np.interp(at, places, channels[:, i])).astype(np.uint32) for i in range(3))
        mixed: NDArray[np.uint32] = (np.uint32(0xFF000000) | red << 16 | green << 8 | blue).astype(np.uint32)
        return mixed


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def argb(colour: str) -> int:
    return 0xFF000000 | int(colour[1:], 16)


def _even(colours: Sequence[str], low: float, high: float) -> Stops:
    return tuple((low + i * (high - low) / (len(colours) - 1), colour) for i, colour in enumerate(colours))


_HEIGHTS_M = (-1.2, -0.5, -0.2, 0.0, 0.2, 0.5, 1.2)
_TERRAIN = ("#96181E", "#D63C30", "#E28A48", "#56A054", "#38A0A0", "#3A80D6", "#223A9C")
_SAFE = ("#7F3B08", "#CC7722", "#F4C98C", "#EEEEEA", "#B0D0E6", "#548CC4", "#143C7A")
_CIVIDIS = ("#00224E", "#1F3A6E", "#434E6C", "#61646F", "#7D7C78", "#9C9573", "#BFB066", "#FDE737")
_GREYS = ("#F7F7F4", "#14171A")
_GREYS_DARK = ("#4A515B", "#7FB2E5")
"""On a dark ground black walls would be lost in what is unknown, and white ones in the path of the vehicle."""
_DIFFERENCE = ("#78328C", "#B078C4", "#F7F7F4", "#F0AA50", "#B05C00")
_DIFFERENCE_DARK = ("#78328C", "#B078C4", "#565D67", "#F0AA50", "#B05C00")

SCHEMES: Mapping[str, Scheme] = {
    scheme.name: scheme
    for scheme in (
        Scheme(
            "terrain",
            "Terrain, red–green–blue",
            tuple(zip(_HEIGHTS_M, _TERRAIN, strict=True)),
            "m",
            0.0,
            "grade",
            "terrain_safe",
        ),
        Scheme(
            "terrain_safe", "Terrain, colour-blind safe", tuple(zip(_HEIGHTS_M, _SAFE, strict=True)), "m", 0.0, "grade"
        ),
        Scheme("traversability", "Traversability", _even(_CIVIDIS, 0.0, 1.0)),
        Scheme("occupancy", "Occupancy", _even(_GREYS, 0.0, 1.0), dark=_GREYS_DARK),
        Scheme("variance", "Any numbers", _even(_CIVIDIS, 0.0, 1.0)),
        Scheme("difference", "Difference", _even(_DIFFERENCE, -0.5, 0.5), "", 0.0, dark=_DIFFERENCE_DARK),
    )
}
"""By name; "variance" serves every plane that has no scheme of its own, over the range of its values."""

_BY_PLANE = (
    (("height", "mean", "elevation", "terrain"), "terrain"),
    (("travers", "cost", "slope", "step", "rough"), "traversability"),
    (("occup", "probab"), "occupancy"),
)


@dataclass
class ColourPreferences:
    """Of who looks at all maps of this program."""

    need_safe: bool = False
    """Only colours that everybody can tell apart."""


COLOUR_PREFERENCES = ColourPreferences()


def scheme_for(plane: str) -> Scheme:
    """What suits a plane by its name, and who looks at it."""
    lower = plane.lower()
    fitting = next((name for words, name in _BY_PLANE if any(word in lower for word in words)), "variance")
    scheme = SCHEMES[fitting]
    return SCHEMES[scheme.safe] if COLOUR_PREFERENCES.need_safe and scheme.safe else scheme


def fixed_range(plane: str) -> bool:
    """Whether the scheme's own range means something for the plane; otherwise its values give the range."""
    return scheme_for(plane).name != "variance" and not any(
        w in plane.lower() for w in ("slope", "step", "rough", "cost")
    )


def range_of(values: NDArray[np.float32]) -> tuple[float, float]:
    """From the lowest to the highest finite value; (0, 1) where there is none, a little room where all are equal."""
    if not values.size:
        return 0.0, 1.0
    low, high = float(np.fmin.reduce(values, axis=None)), float(np.fmax.reduce(values, axis=None))
    if not (math.isfinite(low) and math.isfinite(high)):  # seldom, and a copy of the map takes its time
        finite = values[np.isfinite(values)]
        if not finite.size:
            return 0.0, 1.0
        low, high = float(finite.min()), float(finite.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round numbers within a range, some `about` of them."""
    if not high > low:
        return [low]
    rough = (high - low) / max(about, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1.0, 2.0, 2.5, 5.0, 10.0) if power * factor >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]
