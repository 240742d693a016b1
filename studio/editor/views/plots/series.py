"""Numbers over time that keep growing, and as much of them as a screen can show. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

MOST = 2_000_000
"""Points that are kept; when they are more, the older half goes."""
Floats = NDArray[np.float64]
Number = TypeVar("Number", bound=np.generic)
NO_EVENT = -1
"""The number of a point that came without one."""


class Series:
    """Pairs of time and value in the order they came. Time that jumps back begins anew: another run, a rewound log."""

    def __init__(self) -> None:
        self._times = np.empty(1024)
        self._values = np.empty(1024)
        self._numbers = np.empty(1024, np.int64)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def times(self) -> Floats:
        return self._times[: self._size]

    @property
    def values(self) -> Floats:
        return self._values[: self._size]

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Which event of its topic each point is."""
        return self._numbers[: self._size]

    def add(self, times: list[float], values: list[float], numbers: list[int] | None = None) -> None:
        """What came together; a log may have been rewound in its midst."""
        backwards = np.flatnonzero(np.diff(times) < 0.0) + 1
        begin = 0
        for end in (*backwards.tolist(), len(times)):
            self._add(times[begin:end], values[begin:end], None if numbers is None else numbers[begin:end])
            begin = end

    def _add(self, times: list[float], values: list[float], numbers: list[int] | None) -> None:
        if not times:
            return
        if self._size and times[0] < self._times[self._size - 1]:
            self._size = int(np.searchsorted(self.times, times[0]))
        if self._size + len(times) > MOST:
            keep = MOST // 2
            for each in (self._times, self._values, self._numbers):
                each[:keep] = each[self._size - keep : self._size]
            self._size = keep
        if self._size + len(times) > len(self._times):
            room = max(2 * len(self._times), self._size + len(times))
            self._times, self._values = (_grown(each, room) for each in (self._times, self._values))
            self._numbers = _grown(self._numbers, room)
        end = self._size + len(times)
        self._times[self._size : end] = times
        self._values[self._size : end] = values
        self._numbers[self._size : end] = NO_EVENT if numbers is None else numbers
        self._size = end

    def clear(self) -> None:
        self._size = 0

    def within(self, first: float, last: float) -> slice:
        begin = int(np.searchsorted(self.times, first, side="left"))
        return slice(begin, int(np.searchsorted(self.times, last, side="right")))

    def between(self, first: float, last: float) -> slice:
        """The points within, and one more at each side, so that lines reach the edge."""
        part = self.within(first, last)
        return slice(max(part.start - 1, 0), min(part.stop + 1, len(self)))

    def nearest(self, time: float, value: float, reach_s: float, reach: float) -> tuple[int, float] | None:
        """The point that is nearest, and how far it is in reaches; None if all are farther than one."""
        begin, end = np.searchsorted(self.times, (time - reach_s, time + reach_s))
        if begin == end or not (reach_s > 0 and reach > 0):
            return None
        across, up = (self.times[begin:end] - time) / reach_s, (self.values[begin:end] - value) / reach
        far = np.hypot(across, up)
        far[~np.isfinite(far)] = np.inf
        place = int(far.argmin())
        return (int(begin) + place, float(far[place])) if far[place] <= 1.0 else None

    def drawn(self, first: float, last: float, pixels: int) -> tuple[Floats, Floats]:
        """What a line over so many pixels looks like: of each column the ends, the least and the most."""
        part = self.between(first, last)
        times, values = self.times[part], self.values[part]
        if len(times) <= 4 * pixels or not last > first:
            return times, values
        drawn: tuple[Floats, Floats] = _envelope(times, values, first, last, max(pixels, 1))
        return drawn


@dataclass(frozen=True)
class Statistics:
    count: int
    least: float
    most: float
    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Floats) -> Statistics:
        finite = values[np.isfinite(values)]
        if not finite.size:
            return cls(0, *(float("nan"),) * 4)
        with np.errstate(over="ignore"):  # the deviation of huge numbers is infinite
            mean, deviation = float(finite.mean()), float(finite.std())
        return cls(finite.size, float(finite.min()), float(finite.max()), mean, deviation)


def _grown(old: NDArray[Number], room: int) -> NDArray[Number]:
    new = np.empty(room, old.dtype)
    new[: len(old)] = old
    return new


@numba.njit(cache=True, nogil=True)
def _envelope(times, values, first, last, pixels):  # type: ignore[no-untyped-def]
    """Up to four points a column, in the order of time; a column whose values are all NaN gives one NaN, a gap."""
    out_times = np.empty(4 * pixels + 8)
    out_values = np.empty(4 * pixels + 8)
    count, i, scale = 0, 0, pixels / (last - first)
    while i < times.size:
        column = int((times[i] - first) * scale)
        begin = i
        least, most = -1, -1
        while i < times.size and int((times[i] - first) * scale) == column:
            value = values[i]
            if value == value:
                if least < 0 or value < values[least]:
                    least = i
                if most < 0 or value > values[most]:
                    most = i
            i += 1
        if least < 0:
            least = most = begin
        low, high = min(least, most), max(least, most)
        previous = -1
        for at in (begin, low, high, i - 1):
            if at != previous and count < out_times.size:
                out_times[count] = times[at]
                out_values[count] = values[at]
                count += 1
                previous = at
    return out_times[:count], out_values[:count]


def compiled_thinning() -> None:
    """Has it compiled: the first time takes seconds, and no window may wait for it."""
    series = Series()
    series.add([i / 10 for i in range(100)], [0.0] * 100)
    series.drawn(0.0, 10.0, 1)
