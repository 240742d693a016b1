"""An array of a process that stands, as it was fetched: every n-th value, and what is known of all. No Qt in here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.editor.views.shared.map_colours import SCHEMES, Scheme, argb, fixed_range, range_of, scheme_for
from studio.runtime.host.survey import unpack

Pixels = NDArray[np.uint32]


@dataclass(frozen=True)
class ArrayData:
    name: str
    shape: tuple[int, ...]
    dtype: str
    values: NDArray[Any]
    """One row or a grid; with a third axis of 3 or 4, colours."""
    steps: tuple[int, ...]
    index: tuple[int | None, ...]
    """Of an array with more axes: which grid of it this is; None for the axes that are seen."""
    planes: int
    """How many such grids there are."""
    statistics: Mapping[str, float | int | None]
    sampled: bool

    @classmethod
    def read(cls, name: str, told: Mapping[str, Any]) -> ArrayData:
        return cls(
            name,
            tuple(int(side) for side in told["shape"]),
            str(told["dtype"]),
            unpack(told),
            tuple(int(step) for step in told["steps"]),
            tuple(told["index"]),
            int(told["planes"]),
            dict(told["statistics"]),
            bool(told["sampled"]),
        )

    @property
    def is_colours(self) -> bool:
        return self.values.ndim == 3

    @property
    def grid(self) -> NDArray[Any]:
        """With two axes in any case: a row is a grid of one row."""
        return self.values if self.values.ndim > 1 else self.values[np.newaxis, :]

    @property
    def words(self) -> str:
        """`(200, 200) float32`, and what of it is shown."""
        shape = f"({', '.join(map(str, self.shape))}{',' if len(self.shape) == 1 else ''}) {self.dtype}"
        fixed = any(place is not None for place in self.index)
        where = f" · [{', '.join(':' if at is None else str(at) for at in self.index)}] of it" if fixed else ""
        thin = f" · one of {max(self.steps)} shown" if max(self.steps) > 1 else ""
        return f"{shape}{where}{thin}"

    def place(self, row: int, column: int) -> tuple[int, ...]:
        """Where a cell of what was fetched lies in the array."""
        steps = self.steps if len(self.steps) == 2 else (1, self.steps[0])
        found = iter((row * steps[0], column * steps[1]) if len(self.shape) > 1 else (column * steps[1],))
        return tuple(next(found) if place is None else place for place in self.index)

    def scheme(self, as_map: bool) -> Scheme:
        """A map by the name of the array, as the map viewer would; a picture over the range of its values."""
        low, high = range_of(self.grid.astype(np.float32)) if not self.is_colours else (0.0, 255.0)
        if not as_map:
            return SCHEMES["variance"].over(low, high)
        last = self.name.rpartition(".")[2]
        scheme = scheme_for(last)
        if scheme.name == "variance":
            scheme = SCHEMES["terrain"]
        # A scheme's own range says nothing about values that lie far outside.
        fits = fixed_range(last) and max(abs(low), abs(high)) < 4 * max(abs(scheme.low), abs(scheme.high))
        return scheme if fits else scheme.over(low, high)

    def pixels(self, as_map: bool, unknown: str) -> Pixels:
        """One for each cell; of a map the first row is at the bottom, as y points up."""
        if self.is_colours:
            return _colours(self.values)
        scheme = self.scheme(as_map)
        grid = self.grid.astype(np.float32)
        table = scheme.table()
        with np.errstate(invalid="ignore"):
            places = np.clip((grid - scheme.low) / (scheme.high - scheme.low), 0.0, 1.0) * (table.size - 1)
        known = np.isfinite(places)
        painted: Pixels = table[np.where(known, places, 0.0).astype(np.int32)]
        painted[np.isnan(grid)] = argb(unknown)
        return np.ascontiguousarray(painted[::-1] if as_map else painted)


def _colours(values: NDArray[Any]) -> Pixels:
    red, green, blue = (values[:, :, channel].astype(np.uint32) for channel in range(3))
    mixed: Pixels = (np.uint32(0xFF000000) | red << 16 | green << 8 | blue).astype(np.uint32)
    return np.ascontiguousarray(mixed)


def number_words(value: object) -> str:
    """With its sign as a real minus; as many digits as can be told apart."""
    if isinstance(value, float | np.floating):
        form = "+.0f" if 1e4 <= abs(float(value)) < 1e7 else "+.4g"
        return format(float(value), form).replace("-", "−") if np.isfinite(value) else str(float(value))
    return str(value).replace("-", "−")
