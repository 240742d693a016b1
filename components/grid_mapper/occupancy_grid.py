"""An occupancy grid of log-odds that grows where it is looked at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .rays import Cells, Floats, cells_of, crossed

MARGIN_CELLS = 128
"""What a grid that has to grow takes in addition, so that it grows seldom."""
MOST_CELLS = 1 << 26
"""256 MiB: 400 m x 400 m at 5 cm."""


class OccupancyGrid:
    """`log_odds[row, column]` is NaN where nothing is known; rows go along y, columns along x."""

    def __init__(self, cell_m: float) -> None:
        self.cell_m = cell_m
        self.first: Cells = np.zeros(2, np.int64)
        """Column and row of the grid's first cell, counted from the origin of the frame."""
        self.log_odds = np.zeros((0, 0), np.float32)

    def add_scan(
        self, origin: Floats, ends: Floats, echoed: NDArray[np.bool_], *, hit: float, miss: float, limit: float
    ) -> bool:
        """Beams from `origin` (2,) to `ends` (N, 2): free on the way, and occupied at the end where there was an echo.

        A cell changes once per scan, however many beams touch it, and an echo outweighs all beams that pass: or the
        thousand beams that graze a wall would wipe it out. False if the grid would become too large.
        """
        start, last = cells_of(origin[None, :], self.cell_m)[0], cells_of(ends, self.cell_m)
        corners = np.vstack([start[None, :], last])
        if not self._hold(corners.min(axis=0), corners.max(axis=0)):
            return False
        passed = crossed(origin / self.cell_m, ends / self.cell_m)
        struck = last[echoed]
        before = self._known(struck)
        self._put(passed, self._known(passed) + np.float32(miss), limit)
        self._put(struck, before + np.float32(hit), limit)
        return True

    def known_area(self) -> tuple[NDArray[np.float32], Floats]:
        """The log-odds of the smallest part that holds all that is known, and the place of its corner."""
        known = ~np.isnan(self.log_odds)
        rows, columns = np.flatnonzero(known.any(axis=1)), np.flatnonzero(known.any(axis=0))
        if not len(rows):
            return np.zeros((0, 0), np.float32), np.zeros(2)
        part = self.log_odds[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        return part, (self.first + np.array([columns[0], rows[0]])) * self.cell_m

    def _known(self, cells: Cells) -> NDArray[np.float32]:
        column, row = (cells - self.first).T
        values: NDArray[np.float32] = np.nan_to_num(self.log_odds[row, column])
        return values

    def _put(self, cells: Cells, values: NDArray[np.float32], limit: float) -> None:
        # A cell that comes twice gets the same value twice: values were read before any was written.
        column, row = (cells - self.first).T
        self.log_odds[row, column] = np.clip(values, -limit, limit)

    def _hold(self, low: Cells, high: Cells) -> bool:
        rows, columns = self.log_odds.shape
        end = self.first + np.array([columns, rows])
        if self.log_odds.size and (low >= self.first).all() and (high < end).all():
            return True
        if self.log_odds.size:
            low, high = np.minimum(low, self.first), np.maximum(high, end - 1)
        first = low - MARGIN_CELLS
        width, height = (high + MARGIN_CELLS + 1 - first).tolist()
        if width * height > MOST_CELLS:
            return False
        grown = np.full((height, width), np.nan, np.float32)
        x, y = (self.first - first).tolist() if self.log_odds.size else (0, 0)
        grown[y : y + rows, x : x + columns] = self.log_odds
        self.first, self.log_odds = first, grown
        return True
