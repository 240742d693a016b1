"""The map: the cells in which echoes were. It grows with the area, and not with the time of the drive."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .planar import Floats

MARGIN_CELLS = 256
"""A map that has to grow takes these in addition, so that it grows seldom."""
MOST_CELLS = 1 << 28
"""16 km x 10 km at 0.8 m, 800 m x 800 m at 5 cm: beyond that, something is wrong with the poses."""


class HitGrid:
    def __init__(self, cell_m: float) -> None:
        self.cell_m = cell_m
        self._first = np.zeros(2, np.int64)
        """Column and row of the grid's first cell."""
        self._hit = np.zeros((0, 0), np.bool_)

    def add(self, points: Floats) -> None:
        """Mark the cells of points (N, 2); those too far away for any grid are left out."""
        if not len(points):
            return
        cells = self._cells_of(points)
        if not self._hold(cells.min(axis=0), cells.max(axis=0)):
            return
        columns, rows = (cells - self._first).T
        self._hit[rows, columns] = True

    def window(self, low: Floats, high: Floats) -> tuple[NDArray[np.bool_], Floats]:
        """The cells between two corners, and the place of the first one's corner. Cells outside the map are empty."""
        first, last = self._cells_of(np.stack([low, high]))
        width, height = (last - first + 1).tolist()
        window = np.zeros((height, width), np.bool_)
        from_column, from_row = np.maximum(first, self._first).tolist()
        rows, columns = self._hit.shape
        to_column, to_row = np.minimum(last + 1, self._first + np.array([columns, rows])).tolist()
        if from_column < to_column and from_row < to_row:
            x, y = self._first.tolist()
            part = self._hit[from_row - y : to_row - y, from_column - x : to_column - x]
            window[from_row - first[1] : to_row - first[1], from_column - first[0] : to_column - first[0]] = part
        return window, first * self.cell_m

    def _cells_of(self, points: Floats) -> NDArray[np.int64]:
        return np.floor(points / self.cell_m).astype(np.int64)

    def _hold(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> bool:
        """Grow until both cells are inside; False if the grid would be too large."""
        rows, columns = self._hit.shape
        end = self._first + np.array([columns, rows])
        if self._hit.size and (low >= self._first).all() and (high < end).all():
            return True
        if self._hit.size:
            low, high = np.minimum(low, self._first), np.maximum(high, end - 1)
        first = low - MARGIN_CELLS
        width, height = (high + MARGIN_CELLS + 1 - first).tolist()
        if width * height > MOST_CELLS:
            return False
        grown = np.zeros((height, width), np.bool_)
        x, y = (self._first - first).tolist() if self._hit.size else (0, 0)
        grown[y : y + rows, x : x + columns] = self._hit
        self._first, self._hit = first, grown
        return True
