"""A room with corners and a pillar, and what a laser in it measures."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from studio.messages import Range3d

BEAMS = 181
CORNERS = [(-4.0, -3.0), (5.0, -3.0), (5.0, 1.5), (2.5, 1.5), (2.5, 3.0), (-4.0, 3.0)]
PILLAR = [(0.5, -1.8), (1.0, -1.6), (0.8, -1.1), (0.3, -1.3)]
Pose = tuple[float, float, float]


Shape = list[tuple[float, float]]
"""The corners of a closed line of walls."""


def _walls(shapes: tuple[Shape, ...]) -> NDArray[np.float64]:
    """(N, 2, 2): from, to."""
    closed = [list(zip(shape, shape[1:] + shape[:1], strict=True)) for shape in shapes]
    return np.array([wall for shape in closed for wall in shape])


def measured(
    pose: Pose, *, noise_m: float = 0.0, seed: int = 0, stamp_ns: int = 0,
    shapes: tuple[Shape, ...] = (CORNERS, PILLAR),
) -> Range3d:  # fmt: skip
    """The nearest wall in each of the directions from -90 to 90 degrees."""
    angles = pose[2] + np.linspace(-math.pi / 2, math.pi / 2, BEAMS)
    beam = np.stack([np.cos(angles), np.sin(angles)], axis=1)[:, None, :]
    start, end = _walls(shapes)[None, :, 0], _walls(shapes)[None, :, 1]
    wall, to_start = end - start, start - np.array(pose[:2])
    crossing = _cross(beam, wall)
    with np.errstate(divide="ignore", invalid="ignore"):  # a beam along a wall
        along_beam, along_wall = _cross(to_start, wall) / crossing, _cross(to_start, beam) / crossing
        meets = (along_beam > 0.0) & (along_wall >= 0.0) & (along_wall <= 1.0)
    ranges_m = np.where(meets, along_beam, np.inf).min(axis=1)
    ranges_m = ranges_m + np.random.default_rng(seed).normal(0.0, noise_m, BEAMS)
    return Range3d.from_polar(ranges_m, -math.pi / 2, math.pi / (BEAMS - 1), stamp_ns=stamp_ns, frame="laser")


def _cross(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    crossed: NDArray[np.float64] = one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]
    return crossed
