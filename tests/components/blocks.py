"""Blocks on a slope, looked at by a laser: scans by geometry alone, so that maps can be compared with the truth."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.messages import Map, PoseTransform, Range3d

Floats = NDArray[np.float64]
Box = tuple[float, float, float, float, float, float]
"""From x, y, z to x, y, z."""
BORDER_M = 1e-6
"""A face on the border of two cells belongs to both."""


@dataclass(frozen=True)
class Blocks:
    boxes: tuple[Box, ...] = ()
    slope: tuple[float, float] = (0.0, 0.0)
    """How much the ground rises per metre along x and y."""

    def ground(self, x_m: Floats, y_m: Floats) -> Floats:
        height: Floats = self.slope[0] * np.asarray(x_m) + self.slope[1] * np.asarray(y_m)
        return height

    def heights(self, chart: Map, blur_m: float = BORDER_M) -> tuple[Floats, Floats]:
        """The lowest and the highest true height of each cell of a map: the same, in its middle, except at the faces of
        blocks. There any height between the two is on the face, also for points that noise has moved by `blur_m`."""
        x = chart.origin_m[0] + np.arange(chart.columns) * chart.resolution_m
        y = chart.origin_m[1] + np.arange(chart.rows) * chart.resolution_m
        left, front = np.meshgrid(x, y)
        right, back = left + chart.resolution_m, front + chart.resolution_m
        low = self.ground((left + right) / 2, (front + back) / 2)
        high = low.copy()
        for x0, y0, z0, x1, y1, z1 in self.boxes:
            touched = (right > x0 - blur_m) & (left < x1 + blur_m) & (back > y0 - blur_m) & (front < y1 + blur_m)
            touched &= z0 <= high
            inside = (left >= x0 + blur_m) & (right <= x1 - blur_m) & (front >= y0 + blur_m) & (back <= y1 - blur_m)
            high[touched] = np.maximum(high[touched], z1)
            low[inside & touched] = np.maximum(low[inside & touched], z1)
        return low, high

    def scan(
        self,
        sensor: Floats,
        *,
        beams: int = 361,
        max_range_m: float = 15.0,
        noise_m: float = 0.0,
        random: np.random.Generator | None = None,
        stamp_ns: int = 0,
        frame: str = "laser",
    ) -> Range3d:
        """What a laser at the pose `sensor` (4x4) measures, over 180 degrees; beams without an echo are rows of NaN."""
        angles = np.linspace(-math.pi / 2, math.pi / 2, beams)
        local = np.stack([np.cos(angles), np.sin(angles), np.zeros(beams)], axis=1)
        ranges_m = self._ranges(sensor[:3, 3], local @ sensor[:3, :3].T)
        if random is not None:
            ranges_m = ranges_m + random.normal(0.0, noise_m, beams)
        return Range3d.from_polar(
            ranges_m, -math.pi / 2, math.pi / (beams - 1),
            maximum_m=max_range_m, keep_missing=True, stamp_ns=stamp_ns, frame=frame,
        )  # fmt: skip

    def _ranges(self, start: Floats, beam: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            fall = self.slope[0] * beam[:, 0] + self.slope[1] * beam[:, 1] - beam[:, 2]
            nearest = (start[2] - self.ground(start[0], start[1])) / fall
            nearest = np.where(nearest > 0.0, nearest, np.inf)
            for box in self.boxes:
                low, high = (np.array(box[:3]) - start) / beam, (np.array(box[3:]) - start) / beam
                enters, leaves = np.minimum(low, high).max(axis=1), np.maximum(low, high).min(axis=1)
                nearest = np.where((enters > 0.0) & (enters <= leaves) & (enters < nearest), enters, nearest)
        return nearest


def errors_m(
    chart: Map, world: Blocks, blur_m: float = BORDER_M, *, x_m: tuple[float, float] = (-np.inf, np.inf)
) -> Floats:
    """How far each cell that was seen is from the truth; `x_m` bounds what is looked at."""
    low, high = world.heights(chart, blur_m)
    centre_m = chart.origin_m[0] + (np.arange(chart.columns) + 0.5) * chart.resolution_m
    asked = (centre_m > x_m[0]) & (centre_m < x_m[1])
    height = chart.plane("height").astype(np.float64)
    seen = np.isfinite(height) & asked
    off: Floats = np.maximum(np.maximum(low - height, height - high), 0.0)[seen]
    return off


def rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values**2)))


def tilted(x_m: float, y_m: float, z_m: float, pitch_deg: float, yaw_deg: float = 0.0, roll_deg: float = 0.0) -> Floats:
    angles = (math.radians(angle) for angle in (roll_deg, pitch_deg, yaw_deg))
    return PoseTransform.from_xyz_rpy(x_m, y_m, z_m, *angles).matrix
