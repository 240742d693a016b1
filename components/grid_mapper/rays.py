"""Which cells a beam crosses. Places are in float64: single precision puts echoes near a border into the wrong cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Cells = NDArray[np.int64]
"""(N, 2): column and row."""


def cells_of(places: Floats, cell_m: float) -> Cells:
    return np.floor(places / cell_m).astype(np.int64)


def crossed(start: Floats, ends: Floats) -> Cells:
    """Cells on the way from `start` (2,) to `ends` (N, 2), in units of cells; the cells of the ends are not among them.

    One cell per step along the longer side of each beam, as in a line on a screen: no gaps, and all beams at once.
    """
    end_cells = np.floor(ends)
    steps = np.abs(end_cells - np.floor(start)).max(axis=1).astype(np.int64)
    beam = np.repeat(np.arange(len(ends)), steps)
    # 0, 1, ... up to the beam's own number of steps, for one beam after the other.
    step = np.arange(len(beam)) - np.repeat(np.cumsum(steps) - steps, steps)
    share = step / steps[beam]
    cells = np.floor(start + share[:, None] * (ends - start)[beam])
    on_the_way = (cells != end_cells[beam]).any(axis=1)
    kept: Cells = cells[on_the_way].astype(np.int64)
    return kept
