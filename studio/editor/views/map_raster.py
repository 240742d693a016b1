"""Cells of a map to pixels of the screen, in one pass over what is visible. No Qt in here.

Zoomed out, a pixel covers many cells and shows the one that is farthest from the middle of the scale: a lone post or
hole does not vanish, as it would by taking every n-th cell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from studio.editor.views.map_colours import Scheme, argb

Pixels = NDArray[np.uint32]


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


def paint(
    plane: NDArray[np.float32],
    origin_m: tuple[float, float],
    resolution_m: float,
    window: Window,
    scheme: Scheme,
    *,
    unknown: str = "",
    pixels: Pixels | None = None,
) -> Pixels:
    """ARGB32 pixels of the window; outside the map transparent, NaN in the colour `unknown` (transparent if empty)."""
    if pixels is None or pixels.shape != (window.height, window.width):
        pixels = np.empty((window.height, window.width), np.uint32)
    rows, columns = plane.shape
    lefts, rights = _cells(window.x_of, window.width, origin_m[0], resolution_m, columns)
    tops, bottoms = _cells(window.y_of, window.height, origin_m[1], resolution_m, rows)
    # y falls from pixel to pixel, so first and last change places
    _fill(
        plane, pixels, np.minimum(tops, bottoms), np.maximum(tops, bottoms), lefts, rights,
        scheme.table(), np.float32(scheme.low), np.float32(scheme.high), np.float32(scheme.middle),
        np.uint32(argb(unknown) if unknown else 0),
        np.uint32(argb(scheme.stops[-1][1])), np.uint32(argb(scheme.stops[0][1])),
    )  # fmt: skip
    return pixels


@numba.njit(cache=True, nogil=True)
def _fill(plane, pixels, tops, bottoms, lefts, rights, table, low, high, middle, unknown, above, below):  # type: ignore[no-untyped-def]
    height, width = pixels.shape
    first, last = -1, -2  # the columns of the map that are in the picture
    for x in range(width):
        if lefts[x] >= 0:
            if first < 0:
                first = lefts[x]
            last = rights[x]
    count = last - first + 1
    highest, lowest = np.empty(count, np.float32), np.empty(count, np.float32)
    half, last_place = np.float32(0.5), np.float32(table.size - 1)
    scale = np.float32((table.size - 1) / (high - low))
    hatched = False
    for y in range(height):
        top, bottom = tops[y], bottoms[y]
        if top < 0 or first < 0:
            pixels[y, :] = 0
            continue
        if y > 0 and not hatched and tops[y - 1] == top and bottoms[y - 1] == bottom:
            pixels[y, :] = pixels[y - 1, :]
            continue
        _extremes(plane[top : bottom + 1, first : last + 1], highest, lowest)
        hatched = False
        for x in range(width):
            if lefts[x] < 0:
                pixels[y, x] = 0
                continue
            most, least = highest[lefts[x] - first], lowest[lefts[x] - first]
            for c in range(lefts[x] - first + 1, rights[x] - first + 1):
                most, least = max(most, highest[c]), min(least, lowest[c])
            value = most if most - middle >= middle - least else least
            place = (value - low) * scale
            if place >= 0 and place <= last_place:
                pixels[y, x] = table[int(place + half)]
            elif most < least:
                pixels[y, x] = unknown
            elif abs(value) == np.inf:
                hatched = True
                pixels[y, x] = (above if value > 0 else below) if (x + y) % 8 < 4 else unknown
            else:
                pixels[y, x] = above if value >= high else below


@numba.njit(cache=True, nogil=True)
def _extremes(block, highest, lowest):  # type: ignore[no-untyped-def]
    """Of each column; the highest is below the lowest where there is no number. Comparisons are false for NaN."""
    highest[:] = -np.inf
    lowest[:] = np.inf
    for r in range(block.shape[0]):
        row = block[r]
        for c in range(row.size):
            value = row[c]
            highest[c] = value if value > highest[c] else highest[c]
            lowest[c] = value if value < lowest[c] else lowest[c]


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
