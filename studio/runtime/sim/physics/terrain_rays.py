"""Rays against a height map. MuJoCo looks at every cell for every ray; this walks along the cells that the ray passes,
which is thirty times as fast (`studio bench sim`)."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from studio.runtime.sim.worlds.world import Terrain

Floats = NDArray[np.float64]


class TerrainRays:
    def __init__(self, terrain: Terrain) -> None:
        rows, columns = terrain.heights_m.shape
        self._heights = np.ascontiguousarray(terrain.heights_m, dtype=np.float64)
        self._cell = np.array([terrain.size_m[0] / (columns - 1), terrain.size_m[1] / (rows - 1)])
        self._corner = terrain.pose[:3, 3] - np.array([terrain.size_m[0] / 2, terrain.size_m[1] / 2, 0.0])
        self.shorten(np.zeros(3), np.empty((0, 3)), np.empty(0), 0.0)  # compiles now, and not with the first scan

    def shorten(self, start: Floats, vectors: Floats, ranges: Floats, most_m: float) -> None:
        """Put the way to the terrain into `ranges` where it is shorter than what is there; -1 there is none."""
        _shorten(start - self._corner, vectors, self._heights, self._cell, ranges, most_m)


@numba.njit(cache=True)
def _shorten(start: Any, vectors: Any, heights: Any, cell: Any, ranges: Any, most_m: float) -> None:
    for number in range(len(vectors)):
        found = _meet(start, vectors[number], heights, cell, most_m)
        if found >= 0.0 and (ranges[number] < 0.0 or found < ranges[number]):
            ranges[number] = found


@numba.njit(cache=True)
def _meet(start: Any, vector: Any, heights: Any, cell: Any, most_m: float) -> float:
    """Cell by cell, in the order in which the ray passes them; each is two triangles."""
    rows, columns = heights.shape
    x, y = start[0] / cell[0], start[1] / cell[1]
    dx, dy = vector[0] / cell[0], vector[1] / cell[1]
    at = 0.0
    # To the edge of the grid, if it starts outside.
    for position, slope, last in ((x, dx, columns - 1), (y, dy, rows - 1)):
        if position < 0.0:
            if slope <= 0.0:
                return -1.0
            at = max(at, -position / slope)
        elif position > last:
            if slope >= 0.0:
                return -1.0
            at = max(at, (last - position) / slope)
    j = min(max(math.floor(x + dx * at), 0), columns - 2)
    i = min(max(math.floor(y + dy * at), 0), rows - 2)
    step_j, step_i = (1 if dx > 0 else -1), (1 if dy > 0 else -1)
    while at <= most_m:
        next_x = math.inf if dx == 0.0 else ((j + 1 if dx > 0 else j) - x) / dx
        next_y = math.inf if dy == 0.0 else ((i + 1 if dy > 0 else i) - y) / dy
        until = min(next_x, next_y, most_m)
        a, b, c, d = heights[i, j], heights[i, j + 1], heights[i + 1, j], heights[i + 1, j + 1]
        lowest = min(start[2] + vector[2] * at, start[2] + vector[2] * until)
        if lowest <= max(a, b, c, d):
            found = _in_cell(x - j, y - i, start[2], dx, dy, vector[2], a, b, c, d, at, until)
            if found >= 0.0:
                return found
        if until >= most_m:
            return -1.0
        if next_x < next_y:
            j += step_j
        else:
            i += step_i
        if not (0 <= j < columns - 1 and 0 <= i < rows - 1):
            return -1.0
        at = until
    return -1.0


@numba.njit(cache=True)
def _in_cell(
    u: float, v: float, z: float, du: float, dv: float, dz: float,
    a: float, b: float, c: float, d: float, at: float, until: float,
) -> float:  # fmt: skip
    """Two planes, split as the physics splits them: over (a, b, d) where u >= v, over (a, c, d) elsewhere; -1 if the
    ray passes above both."""
    best = -1.0
    for upper in range(2):
        if upper == 0:
            base, along_u, along_v = a, b - a, d - b
        else:
            base, along_u, along_v = a, d - c, c - a
        closing = along_u * du + along_v * dv - dz
        if closing == 0.0:
            continue
        found = (z - base - along_u * u - along_v * v) / closing
        if found < at - 1e-9 or found > until + 1e-9:
            continue
        side = u - v + (du - dv) * found
        if (upper == 0) == (side >= 0.0) and (best < 0.0 or found < best):
            best = found
    return best
