"""What the planner remembers of the ground: every cell that a map has ever shown, however far the map has moved on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.messages import Map

Cell = tuple[int, int]
"""Row and column."""
BORDER_CELLS = 40
"""Free space around all that is known, so that a way around the outermost obstacle can be found."""
MOST_CELLS = 1 << 24
"""4096 x 4096: a kilometre square at 25 cm."""


class WorldGrid:
    """`traversability[row, column]`, NaN where nothing is known. Rows go along y; grows where it is needed."""

    def __init__(self, resolution_m: float) -> None:
        self.resolution_m = resolution_m
        self._first = np.zeros(2, np.int64)
        """Column and row of the grid's first cell, counted from the origin of the frame."""
        self.traversability = np.full((0, 0), np.nan, np.float32)

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.traversability.shape
        return rows, columns

    def take(self, chart: Map) -> bool:
        """Lay a map over what is known; its unknown cells change nothing. False if that would become too large."""
        low = np.rint(chart.origin_m / self.resolution_m).astype(np.int64)
        plane = chart.plane("traversability")
        if not plane.size:
            return True
        if not self._hold(low, low + np.array([chart.columns, chart.rows]) - 1):
            return False
        column, row = (low - self._first).tolist()
        part = self.traversability[row : row + chart.rows, column : column + chart.columns]
        np.copyto(part, plane, where=~np.isnan(plane))
        return True

    def include(self, x_m: float, y_m: float) -> bool:
        """Make sure that a place is inside, with a border around it."""
        cell = np.floor(np.array([x_m, y_m]) / self.resolution_m).astype(np.int64)
        return self._hold(cell, cell)

    def cell_of(self, x_m: float, y_m: float) -> Cell:
        """Of a place that is inside."""
        column, row = (np.floor(np.array([x_m, y_m]) / self.resolution_m).astype(np.int64) - self._first).tolist()
        return row, column

    def position_of(self, cells: NDArray[np.int64]) -> NDArray[np.float64]:
        """x, y in metres of the centres of cells (N, 2), given as row and column."""
        middles = (cells[:, ::-1] + self._first).astype(np.float64) + 0.5
        return middles * self.resolution_m

    @property
    def origin_m(self) -> NDArray[np.float64]:
        """x, y of the outer corner of the first cell."""
        return self._first.astype(np.float64) * self.resolution_m

    def _hold(self, low: NDArray[np.int64], high: NDArray[np.int64]) -> bool:
        rows, columns = self.shape
        end = self._first + np.array([columns, rows])
        inside = (low - BORDER_CELLS >= self._first).all() and (high + BORDER_CELLS < end).all()
        if self.traversability.size and inside:
            return True
        first, last = low - 2 * BORDER_CELLS, high + 2 * BORDER_CELLS
        if self.traversability.size:
            first, last = np.minimum(first, self._first), np.maximum(last, end - 1)
        width, height = (last - first + 1).tolist()
        if width * height > MOST_CELLS:
            return False
        grown = np.full((height, width), np.nan, np.float32)
        if self.traversability.size:
            x, y = (self._first - first).tolist()
            grown[y : y + rows, x : x + columns] = self.traversability
        self._first, self.traversability = first, grown
        return True
