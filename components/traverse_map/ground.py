"""How steep, stepped and rough the ground is around each cell. Plain loops over numbers, which numba compiles."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Plane = NDArray[np.float32]
FEWEST_CELLS = 5
"""A plane through fewer known cells is anybody's guess."""


# One function without helpers: numba's cache on disk does not notice that a function which another one calls changed.
def measure(height: Any, variance: Any, spread: Any, cell_m: float, reach: int, jump_m: float, rise: float) -> Any:
    """Slope (rise over run), step (m) and roughness (m) of each cell: (3, rows, columns), NaN where it is not known.

    A plane is laid through the known cells that are at most `reach` cells away. Those that are higher or lower than
    `jump_m` plus `rise` per metre of distance are on another level; they tell of a step and nothing of the slope.
    The step is how far a cell stands above the lowest one around it, seen from the plane: the higher side has the step,
    whichever way it is driven over. The roughness is how far the cells lie off the plane. What the uncertainty of the
    heights explains of both is taken off.
    """
    rows, columns = height.shape
    found = np.full((3, rows, columns), np.nan, np.float32)
    same_level = np.empty((2 * reach + 1, 2 * reach + 1))
    for i in range(2 * reach + 1):
        for j in range(2 * reach + 1):
            same_level[i, j] = jump_m + rise * cell_m * np.sqrt((i - reach) ** 2 + (j - reach) ** 2)
    for row in range(rows):
        for column in range(columns):
            here = np.float64(height[row, column])
            if here != here:
                continue
            top, bottom = max(0, row - reach), min(rows, row + reach + 1)
            left, right = max(0, column - reach), min(columns, column + reach + 1)
            n = 0
            sx = sy = sz = sxx = sxy = syy = sxz = syz = szz = noise = 0.0
            for i in range(top, bottom):
                for j in range(left, right):
                    z = np.float64(height[i, j]) - here
                    if not abs(z) <= same_level[i - row + reach, j - column + reach]:
                        continue
                    x, y = (j - column) * cell_m, (i - row) * cell_m
                    n += 1
                    sx += x
                    sy += y
                    sz += z
                    sxx += x * x
                    sxy += x * y
                    syy += y * y
                    sxz += x * z
                    syz += y * z
                    szz += z * z
                    noise += np.float64(variance[i, j])
            # The plane z = a x + b y + c with the least squares, about the middle of the cells.
            xx, xy, yy = sxx - sx * sx / n, sxy - sx * sy / n, syy - sy * sy / n
            xz, yz, zz = sxz - sx * sz / n, syz - sy * sz / n, szz - sz * sz / n
            determinant = xx * yy - xy * xy
            a = b = 0.0
            # Cells in one row have no slope across it.
            flat = n >= FEWEST_CELLS and determinant > 0.05 * (xx + yy) * (xx + yy) / 4.0
            if flat:
                a, b = (xz * yy - yz * xy) / determinant, (yz * xx - xz * xy) / determinant
                left_over = max(0.0, zz - a * xz - b * yz) / n - noise / n
                found[0, row, column] = np.sqrt(a * a + b * b)
                found[2, row, column] = np.sqrt(max(0.0, left_over))
            # Two levels in one cell are two spreads apart.
            step = 2.0 * np.float64(spread[row, column])
            own = np.float64(variance[row, column])
            for i in range(top, bottom):
                for j in range(left, right):
                    below = -(np.float64(height[i, j]) - here - a * (j - column) * cell_m - b * (i - row) * cell_m)
                    if below > step:
                        step = max(step, below - 2.0 * np.sqrt(own + np.float64(variance[i, j])))
            if flat or step > 0.0:
                found[1, row, column] = step
    return found


@cache
def compiled_measure() -> Callable[..., Plane]:
    """`measure` as machine code, kept on disk. The very first time takes a second or two: ask in on_initialize."""
    import numba
    from numba import types

    plane, found = types.Array(types.float32, 2, "C", readonly=True), types.Array(types.float32, 3, "C")
    number = types.float64
    signature = found(plane, plane, plane, number, types.int64, number, number)
    made: Callable[..., Plane] = numba.njit(signature, cache=True, error_model="numpy")(measure)
    return made


def traversability(measured: Plane, most_slope: float, most_step_m: float, most_roughness_m: float) -> Plane:
    """1 on level ground, 0 where one of the three is too much, NaN where it is not known. The worst of them counts."""
    limits = np.array([most_slope, most_step_m, most_roughness_m], np.float32)[:, None, None]
    left: Plane = np.clip(1.0 - measured / limits, 0.0, 1.0)
    slope, step, roughness = left
    # A step that is too high is enough to know; that there is none tells nothing of the slope.
    known = ~np.isnan(slope) | (step == 0.0)
    worst: Plane = np.where(known, np.fmin(np.fmin(slope, step), roughness), np.nan).astype(np.float32)
    return worst
