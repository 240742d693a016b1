"""Where there is room to drive: how far a vehicle gets in each direction before it meets a point of the scan."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def free_lengths(points: Floats, directions_rad: Floats, half_width_m: float, most_m: float) -> Floats:
    """For each direction from the origin how far a strip of this half width is free of points (N, 2)."""
    along = points[:, 0] * np.cos(directions_rad)[:, None] + points[:, 1] * np.sin(directions_rad)[:, None]
    aside = points[:, 1] * np.cos(directions_rad)[:, None] - points[:, 0] * np.sin(directions_rad)[:, None]
    met = (along > 0.0) & (np.abs(aside) < half_width_m)
    lengths: Floats = np.where(met, along, most_m).min(axis=1, initial=most_m)
    return lengths


def most_open(directions_rad: Floats, free_m: Floats, preference: float) -> float:
    """The direction with most room; `preference` is the share of it that one straight behind may have less."""
    worth = free_m * (1.0 - preference * np.abs(directions_rad) / np.pi)
    return float(directions_rad[int(np.argmax(worth))])
