"""How likely an echo is at a place: 1 on a hit cell of the map, less with the distance from it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .planar import Floats

REACH = 3.0
"""In standard deviations; beyond it the field is 0."""


class LikelihoodField:
    """exp(-d²/2s²) of the distance d to the nearest hit cell, on a grid, read between the cells by interpolation."""

    def __init__(self, hit: NDArray[np.bool_], corner_m: Floats, cell_m: float, deviation_m: float) -> None:
        self.corner_m = corner_m
        self.cell_m = cell_m
        self.values = _smeared(hit.astype(np.float32), deviation_m / cell_m)

    def at(self, points: Floats) -> tuple[Floats, Floats, Floats]:
        """Values at points (N, 2), and their slopes along x and y per metre. Outside, the edge goes on."""
        rows, columns = self.values.shape
        place = (points - self.corner_m) / self.cell_m - 0.5  # values stand at the cells' centres
        cell = np.clip(np.floor(place), 0, (columns - 2, rows - 2)).astype(np.intp)
        right, up = np.clip(place - cell, 0.0, 1.0).T
        column, row = cell.T
        here, beside = self.values[row, column], self.values[row, column + 1]
        above, across = self.values[row + 1, column], self.values[row + 1, column + 1]
        lower, upper = here + right * (beside - here), above + right * (across - above)
        slope_x = ((beside - here) * (1.0 - up) + (across - above) * up) / self.cell_m
        slope_y = (upper - lower) / self.cell_m
        return lower + up * (upper - lower), slope_x, slope_y


def halved(hit: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """A grid of cells twice as wide, hit where one of the four was."""
    rows, columns = hit.shape
    even = np.zeros((rows + rows % 2, columns + columns % 2), np.bool_)
    even[:rows, :columns] = hit
    return even[::2, ::2] | even[1::2, ::2] | even[::2, 1::2] | even[1::2, 1::2]


def _smeared(values: NDArray[np.float32], deviation_cells: float) -> NDArray[np.float32]:
    """The largest of all Gaussians around hits. It factors: first along the columns, then along the rows."""
    reach = max(1, int(np.ceil(REACH * deviation_cells)))
    weights = np.exp(-0.5 * (np.arange(reach + 1) / deviation_cells) ** 2).astype(np.float32)
    for _ in range(2):
        values = _smeared_along_rows(values, weights).T
    return np.ascontiguousarray(values)


def _smeared_along_rows(values: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    smeared = values.copy()
    for shift, weight in enumerate(weights[1:].tolist(), start=1):
        faded = values * np.float32(weight)
        np.maximum(smeared[shift:], faded[:-shift], out=smeared[shift:])
        np.maximum(smeared[:-shift], faded[shift:], out=smeared[:-shift])
    return smeared
