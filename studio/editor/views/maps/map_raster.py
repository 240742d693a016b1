"""Cells of a map to pixels of the screen, in one pass over what is visible. No Qt in here.

Zoomed out, a pixel covers many cells and shows the one that is farthest from the middle of the scale: a lone post or
hole does not vanish, as it would by taking every n-th cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numba
import numpy as np
from numpy.typing import NDArray

from studio.editor.views.shared.map_colours import SCHEMES, Scheme, argb
from studio.messages import Map

Pixels = NDArray[np.uint32]
TILE = 1024
"""Columns whose extremes are found together."""


@dataclass(frozen=True)
class Window:
    """The part of the world that a picture shows: x to the right, y up."""

    left_m: float
    top_m: float
    metres_per_pixel: float
    width: int
    height: int

    def x_of(self, pixel: float) -> float:
        return self.left_m + pixel * self.metres_per_pixel

    def y_of(self, pixel: float) -> float:
        return self.top_m - pixel * self.metres_per_pixel

    def pixel_of(self, x_m: float, y_m: float) -> tuple[float, float]:
        return (x_m - self.left_m) / self.metres_per_pixel, (self.top_m - y_m) / self.metres_per_pixel


@dataclass(frozen=True)
class Painted:
    """The part of a window in which a map lies, as ARGB32 pixels; `left` and `top` tell where in the window."""

    pixels: Pixels
    left: int
    top: int
    clipped: tuple[bool, bool]
    """Whether values that are seen lie below and above the scale."""


def paint(
    plane: NDArray[np.float32],
    origin_m: tuple[float, float],
    resolution_m: float,
    window: Window,
    scheme: Scheme,
    *,
    unknown: str = "",
    buffer: NDArray[np.uint32] | None = None,
) -> Painted:
    """What a window shows of a plane; NaN in the colour `unknown` (transparent if empty).

    With a `buffer` of as many pixels as the window has, or more, no memory has to be found for each picture.
    """
    rows, columns = plane.shape
    across, down = _seen_cells(window, origin_m, resolution_m, rows, columns)
    height, width = len(down.first), len(across.first)
    if buffer is None or buffer.size < height * width:
        buffer = np.empty(height * width, np.uint32)
    pixels = buffer[: height * width].reshape(height, width)
    if not pixels.size:
        return Painted(pixels, 0, 0, (False, False))
    below, above = _fill(
        np.ascontiguousarray(plane), pixels, down.first, down.last, across.first, across.last, _table(scheme, unknown),
        np.float32(scheme.low), np.float32(scheme.high), np.float32(scheme.middle), across.pixel + down.pixel,
    )  # fmt: skip
    return Painted(pixels, across.pixel, down.pixel, (bool(below), bool(above)))


@dataclass(frozen=True)
class _Seen:
    """The pixels of one direction that lie on the map, from `pixel` on: they are neighbours."""

    pixel: int
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    """The cells of each."""

    @classmethod
    def of(cls, first: NDArray[np.int32], last: NDArray[np.int32]) -> _Seen:
        inside = np.flatnonzero(first >= 0)
        seen = slice(int(inside[0]), int(inside[-1]) + 1) if inside.size else slice(0, 0)
        return cls(seen.start, first[seen], last[seen])


# Maps come ten times a second and lie where they lay: only what is in them is new.
@lru_cache(maxsize=16)
def _seen_cells(
    window: Window, origin_m: tuple[float, float], resolution_m: float, rows: int, columns: int
) -> tuple[_Seen, _Seen]:
    lefts, rights = _cells(window.x_of, window.width, origin_m[0], resolution_m, columns)
    tops, bottoms = _cells(window.y_of, window.height, origin_m[1], resolution_m, rows)
    # y falls from pixel to pixel
    return _Seen.of(lefts, rights), _Seen.of(np.minimum(tops, bottoms), np.maximum(tops, bottoms))


@lru_cache(maxsize=16)
def _table(scheme: Scheme, unknown: str) -> NDArray[np.uint32]:
    return np.append(scheme.table(), np.uint32(argb(unknown) if unknown else 0))


# One plain loop for each thing that is done to a whole row: the compiler turns these into instructions for many numbers
# at once. Indices are unsigned, because negative ones would be looked for at every step. The last colour of the table
# is for the unknown.
@numba.njit(cache=True, nogil=True)
def _fill(plane, pixels, tops, bottoms, lefts, rights, table, low, high, middle, phase):  # type: ignore[no-untyped-def]
    height, width = pixels.shape
    first, last = lefts[0], rights[width - 1]
    highest, lowest = np.empty(last - first + 1, np.float32), np.empty(last - first + 1, np.float32)
    values, places = np.empty(width, np.float32), np.empty(width, np.int32)
    cells = plane.reshape(plane.size)
    is_close = True
    for x in range(width):
        is_close &= lefts[x] == rights[x]
    any_below, any_above, hatched = False, False, False
    for y in range(height):
        top, bottom = tops[y], bottoms[y]
        if y > 0 and not hatched and tops[y - 1] == top and bottoms[y - 1] == bottom:
            pixels[y, :] = pixels[y - 1, :]
            continue
        if is_close and top == bottom:
            row = plane[top]
            for x in range(width):
                values[x] = row[np.uint32(lefts[x])]
        else:
            _extremes(cells, plane.shape[1], top, bottom, first, highest, lowest)
            _farthest(highest, lowest, lefts, rights, middle, values)
        _colour(values, places, pixels[y], table, low, high)
        below, above, hatched = _beyond(values, low, high)
        any_below |= below
        any_above |= above
        if hatched:
            unknown = table[table.size - 1]
            for x in range(width):
                if abs(values[x]) == np.inf and (x + y + phase) % 8 >= 4:
                    pixels[y, x] = unknown
    return any_below, any_above


@numba.njit(cache=True, nogil=True)
def _extremes(cells, columns, top, bottom, first, highest, lowest):  # type: ignore[no-untyped-def]
    """Of each column; the highest is below the lowest where there is no number."""
    for place in range(0, highest.size, TILE):  # as many columns as stay in the fastest memory
        size = min(TILE, highest.size - place)
        begin, most, least = first + place, highest[place : place + size], lowest[place : place + size]
        most[:] = -np.inf
        least[:] = np.inf
        for r in range(top, bottom + 1, 4):  # four rows at once; at the end the last one again, which changes nothing
            a, b = r * columns + begin, min(r + 1, bottom) * columns + begin
            c, d = min(r + 2, bottom) * columns + begin, min(r + 3, bottom) * columns + begin
            _widen(cells[a : a + size], cells[b : b + size], cells[c : c + size], cells[d : d + size], most, least)


@numba.njit(cache=True, nogil=True)
def _widen(a, b, c, d, highest, lowest):  # type: ignore[no-untyped-def]
    for i in range(a.size):
        most, least = highest[i], lowest[i]
        most = a[i] if a[i] > most else most  # false for NaN
        most = b[i] if b[i] > most else most
        most = c[i] if c[i] > most else most
        most = d[i] if d[i] > most else most
        least = a[i] if a[i] < least else least
        least = b[i] if b[i] < least else least
        least = c[i] if c[i] < least else least
        least = d[i] if d[i] < least else least
        highest[i], lowest[i] = most, least


@numba.njit(cache=True, nogil=True)
def _farthest(highest, lowest, lefts, rights, middle, values):  # type: ignore[no-untyped-def]
    """Of the cells of each pixel the value that is farthest from the middle; NaN where there is no number."""
    first, nothing = lefts[0], np.float32(np.nan)
    for x in range(values.size):
        begin = np.uint32(lefts[x] - first)
        most, least = highest[begin], lowest[begin]
        for c in range(begin + 1, rights[x] - first + 1):
            high, low = highest[np.uint32(c)], lowest[np.uint32(c)]
            most = high if high > most else most
            least = low if low < least else least
        value = most if most - middle >= middle - least else least
        values[x] = value if most >= least else nothing


@numba.njit(cache=True, nogil=True)
def _colour(values, places, pixels, table, low, high):  # type: ignore[no-untyped-def]
    last, unknown = np.float32(table.size - 2), np.float32(table.size - 1)
    scale, half, zero = last / (high - low), np.float32(0.5), np.float32(0.0)
    for x in range(values.size):
        value = values[x]
        place = (value - low) * scale + half
        place = place if place > zero else zero
        place = place if place < last else last
        places[x] = np.int32(place if value == value else unknown)
    for x in range(values.size):
        pixels[x] = table[np.uint32(places[x])]


@numba.njit(cache=True, nogil=True)
def _beyond(values, low, high):  # type: ignore[no-untyped-def]
    """Whether there is a value below the scale, one above it, and an infinite one."""
    zero, one, endless = np.int32(0), np.int32(1), np.float32(np.inf)
    below = above = infinite = np.int32(0)
    for x in range(values.size):
        value = values[x]
        below |= one if value < low else zero
        above |= one if value > high else zero
        infinite |= one if abs(value) == endless else zero
    return below > 0, above > 0, infinite > 0


def _cells(
    place_of: object, pixels: int, origin_m: float, resolution_m: float, count: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """For each pixel the first and last cell it covers; -1 where it lies outside."""
    assert callable(place_of)
    edges = (place_of(np.arange(pixels + 1, dtype=np.float64)) - origin_m) / resolution_m
    centres = np.floor((edges[:-1] + edges[1:]) / 2).astype(np.int64)
    low = np.floor(np.minimum(edges[:-1], edges[1:]) + 0.5).astype(np.int64)
    high = np.floor(np.maximum(edges[:-1], edges[1:]) + 0.5).astype(np.int64) - 1
    low, high = np.minimum(low, centres), np.maximum(high, centres)
    # Up close a pixel is part of one cell: its own.
    close = np.abs(edges[1:] - edges[:-1]) <= 1.0
    low, high = np.where(close, centres, low), np.where(close, centres, high)
    outside = (high < 0) | (low >= count)
    low, high = np.clip(low, 0, count - 1), np.clip(high, 0, count - 1)
    return np.where(outside, -1, low).astype(np.int32), np.where(outside, -1, high).astype(np.int32)


def compiled_painting() -> None:
    """Has the painting compiled: the first time takes seconds, and no window may wait for it."""
    # Of a message, because its arrays are read-only, for which other code is made.
    plane = Map(plane_names=("height",), planes=np.zeros((1, 1, 1))).plane("height")
    paint(plane, (0.0, 0.0), 1.0, Window(0.0, 1.0, 1.0, 1, 1), SCHEMES["terrain"])
