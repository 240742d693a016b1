"""The hot loop of the map: points of one scan into cells. Plain loops over numbers, which numba compiles.

What is known of a cell are five numbers: how many points, the weight of their mean height, this mean, the sum of their
squared distances from it, and how large that sum would be by noise alone. All of it is in float64: single precision
puts points near a border into the wrong cell.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Fuse = Callable[..., int]

COUNT, WEIGHT, MEAN, SCATTER, NOISE = range(5)
"""The numbers of a cell."""
NUMBERS = 5


# One function without helpers: numba's cache on disk does not notice that a function which another one calls changed.
def fuse(
    cells: Any, first_column: int, first_row: int, cell_m: float, points: Any, place: Any, vehicle: Any, noise: Any
) -> int:
    """Takes `points` into `cells` and returns how many of them are in the map now.

    Points that follow each other into the same cell come in as one: their own errors average out, that of the pose,
    which they share, does not.

    cells: (rows, columns, 5); its first cell is number `first_column`, `first_row` of the frame.
    points: (N, 4), x, y, z and range in the frame of the sensor; what is not finite is left out.
    place: (3, 4), from the frame of the sensor to that of the map.
    vehicle: x, y, z of the vehicle, then its upward axis, then how far above it points are still taken.
    noise: variances of a range (m2), of a beam's direction (rad2) and of a height as such (m2); xx, xy and yy of the
        attitude's covariance (rad2); the most weight that a cell can have; above 0 if all points weigh the same.
    """
    rows, columns = cells.shape[0], cells.shape[1]
    taken = 0
    run, run_row, run_column = 0, -1, -1
    heights = squares = own = shared = 0.0
    for n in range(points.shape[0] + 1):
        row = column = -1.0
        height = steep = range_m = ahead = left = 0.0
        if n < points.shape[0]:
            x, y, z, range_m = points[n, 0], points[n, 1], points[n, 2], points[n, 3]
            # Where the beam points, and where it ends.
            east = place[0, 0] * x + place[0, 1] * y + place[0, 2] * z
            north = place[1, 0] * x + place[1, 1] * y + place[1, 2] * z
            up = place[2, 0] * x + place[2, 1] * y + place[2, 2] * z
            height = up + place[2, 3]
            column = np.floor((east + place[0, 3]) / cell_m) - first_column
            row = np.floor((north + place[1, 3]) / cell_m) - first_row
            # A comparison with NaN is false, so "not inside" also finds those.
            if not (
                column >= 0 and column < columns and row >= 0 and row < rows and range_m > 0.0 and range_m < np.inf
            ):
                continue
            ahead = east + place[0, 3] - vehicle[0]
            left = north + place[1, 3] - vehicle[1]
            above = height - vehicle[2]
            if not ahead * vehicle[3] + left * vehicle[4] + above * vehicle[5] <= vehicle[6]:
                continue
            steep = up / range_m
        if run > 0 and (row != run_row or column != run_column):
            cell = cells[run_row, run_column]
            mean_height = heights / run
            weight = float(run) if noise[7] > 0.0 else 1.0 / (own / (run * run) + shared / run)
            total = cell[1] + weight
            off = mean_height - cell[2]
            mean = cell[2] + off * (weight / total)
            count = cell[0] + run
            scatter = cell[3] + max(0.0, squares - run * mean_height * mean_height) + run * off * (mean_height - mean)
            expected = cell[4] + own + shared
            if total > noise[6]:  # older points fade, so that the map can change
                keep = noise[6] / total
                total, count, scatter, expected = noise[6], count * keep, scatter * keep, expected * keep
            cell[0], cell[1], cell[2], cell[3], cell[4] = count, total, mean, scatter, expected
            taken += run
            run = 0
            heights = squares = own = shared = 0.0
        if n < points.shape[0]:
            run, run_row, run_column = run + 1, int(row), int(column)
            heights += height
            squares += height * height
            own += noise[0] * steep * steep + noise[1] * range_m * range_m * (1.0 - steep * steep)
            tilt = noise[3] * left * left - 2.0 * noise[4] * left * ahead + noise[5] * ahead * ahead
            shared += noise[2] + max(0.0, tilt)  # what is no covariance could be negative
    return taken


@cache
def compiled_fuse() -> Fuse:
    """`fuse` as machine code, kept on disk. The very first time takes a second or two: ask in on_initialize."""
    import numba
    from numba import types

    floats = types.float64
    matrix, row = types.Array(floats, 2, "C", readonly=True), types.Array(floats, 1, "C", readonly=True)
    cells = types.Array(floats, 3, "C")
    signature = types.int64(cells, types.int64, types.int64, floats, matrix, matrix, row, row)
    made: Fuse = numba.njit(signature, cache=True, error_model="numpy")(fuse)
    return made
