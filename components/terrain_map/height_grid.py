"""A grid of heights around a vehicle: a window that moves with it by whole cells, so that no height is resampled."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .fusion import COUNT, MEAN, NOISE, NUMBERS, SCATTER, WEIGHT, Floats, compiled_fuse

LAG_SHARE = 0.1
"""The window moves when the vehicle is this share of its side away from the middle: seldom, and then in one go."""


@dataclass(frozen=True)
class Noise:
    """Standard deviations that decide how much a point counts."""

    range_m: float = 0.0
    beam_rad: float = 0.0
    """Of a beam's direction: its width, or the play of the mount."""
    height_m: float = 0.01
    """Of every height, however it is seen: unevenness within a cell and the height of the pose. Never 0."""
    certainty_m: float = 0.001
    """No cell becomes more certain than this, so that the map can change."""
    plain_mean: bool = False
    """All points weigh the same."""

    def numbers(self, attitude: Floats) -> Floats:
        """As `fuse` takes them; `attitude` is the covariance of a small rotation about the axes of the map's frame."""
        (xx, xy, _), (_, yy, _), _ = attitude.tolist()
        variances = (self.range_m**2, self.beam_rad**2, self.height_m**2)
        most = math.inf if self.plain_mean else 1.0 / self.certainty_m**2
        return np.array((*variances, xx, xy, yy, most, float(self.plain_mean)))


class HeightGrid:
    def __init__(self, side_cells: int, cell_m: float, *, plain_mean: bool = False) -> None:
        self.cell_m = cell_m
        self.plain_mean = plain_mean
        self.cells: Floats = np.zeros((side_cells, side_cells, NUMBERS))
        self.first: tuple[int, int] | None = None
        """Column and row of the window's first cell, counted from the origin of the frame; None: nowhere yet."""

    def follow(self, x_m: float, y_m: float) -> None:
        """Keep a place near the middle of the window. What leaves the window is forgotten."""
        side = len(self.cells)
        wanted = (math.floor(x_m / self.cell_m) - side // 2, math.floor(y_m / self.cell_m) - side // 2)
        if self.first is None:
            self.first = wanted
        right, up = wanted[0] - self.first[0], wanted[1] - self.first[1]
        if max(abs(right), abs(up)) <= LAG_SHARE * side:
            return
        moved = np.zeros_like(self.cells)
        if abs(right) < side and abs(up) < side:
            kept = self.cells[max(up, 0) : side + min(up, 0), max(right, 0) : side + min(right, 0)]
            moved[max(-up, 0) : side + min(-up, 0), max(-right, 0) : side + min(-right, 0)] = kept
        self.cells, self.first = moved, wanted

    def add(
        self, points: Floats, sensor: Floats, vehicle: Floats, attitude: Floats, noise: Noise, ceiling_m: float
    ) -> int:
        """Take in the points (N, 4) of a scan. `sensor` and `vehicle` are 4x4 transforms to the frame of the map.

        What is more than `ceiling_m` above the vehicle, along its own upward axis, is left out: it can pass below.
        """
        if self.first is None:
            self.follow(float(vehicle[0, 3]), float(vehicle[1, 3]))
        assert self.first is not None
        body = np.empty(7)
        body[:3], body[3:6], body[6] = vehicle[:3, 3], vehicle[:3, 2], ceiling_m
        return compiled_fuse()(self.cells, *self.first, self.cell_m, points, sensor[:3], body, noise.numbers(attitude))

    @property
    def corner_m(self) -> Floats:
        return np.array(self.first or (0, 0), np.float64) * self.cell_m

    def planes(self) -> NDArray[np.float32]:
        """Height (m), its variance (m2) and spread (m), NaN where nothing was seen.

        The spread is the standard deviation of what lies in the cell as far as noise does not explain it: a wall has
        much of it, level ground none, be the sensor good or bad.
        """
        count, weight, mean, scatter, expected = (
            self.cells[..., number] for number in (COUNT, WEIGHT, MEAN, SCATTER, NOISE)
        )
        seen = count > 0.0
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.plain_mean:
                spread_m2 = scatter / count
                variance = spread_m2 / count
            else:
                spread_m2 = np.maximum(scatter - expected, 0.0) / count
                variance = 1.0 / weight
            planes = np.stack([mean, variance, np.sqrt(spread_m2)])
        planes[:, ~seen] = np.nan
        return planes.astype(np.float32)
