"""The walls in a scan: the direction of the line on which each echo lies with its neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .planar import Floats

NEIGHBOURS = (1, 2, 4, 8, 16, 32)
"""How many echoes farther on, to each side: a dense scan needs far ones, or noise would turn its lines."""
REACH_M, REACH_PER_M = 0.15, 0.05
"""How far away a neighbour may be: farther for a far echo, whose neighbours are farther apart."""
ROUND, STRAIGHT = 0.85, 0.98
"""From straight on (1: all on one line, 0: spread in all directions) echoes are a wall; up to round they are none."""
NEXT, NEXT_REACH = 2, 3.0
"""The very next ones may be this many times as far away: a beam that grazes a wall meets it at long intervals."""
FEWEST = 2
"""Neighbours that make a line."""


@dataclass(frozen=True)
class Scan:
    points: Floats
    """(N, 2), in the frame of the laser."""
    normals: Floats
    """(N, 2), of length 1: across the wall."""
    along: Floats
    """(N,): how much an echo counts along its line. 0 on a straight wall, 1 for a lone echo."""
    size_m: float
    """How far away echoes are: a turn by one radian moves them by that."""


def scan_of(points: Floats) -> Scan:
    """The echoes in the order of their directions, with their lines."""
    points = points[np.argsort(np.arctan2(points[:, 1], points[:, 0]), kind="stable")]
    far_m = np.hypot(points[:, 0], points[:, 1])
    near_m = REACH_M + REACH_PER_M * far_m
    sums = np.zeros((6, len(points)))
    for shift in (each for each in NEIGHBOURS if each < len(points)):
        x, y = (points[shift:] - points[:-shift]).T
        for one, sign in ((slice(None, -shift), 1.0), (slice(shift, None), -1.0)):
            is_near = np.hypot(x, y) <= (NEXT_REACH if shift <= NEXT else 1.0) * near_m[one]
            sums[:, one] += is_near * np.stack([np.ones_like(x), sign * x, sign * y, x * x, x * y, y * y])
    count, x, y, xx, xy, yy = sums
    all_of_them = count + 1.0  # the echo itself is one more, at 0
    xx, xy, yy = xx - x * x / all_of_them, xy - x * y / all_of_them, yy - y * y / all_of_them
    direction = 0.5 * np.arctan2(2.0 * xy, xx - yy)
    straight = np.hypot(xx - yy, 2.0 * xy) / np.maximum(xx + yy, 1e-12)
    along = np.where(count < FEWEST, 1.0, np.clip((STRAIGHT - straight) / (STRAIGHT - ROUND), 0.0, 1.0))
    normals = np.stack([-np.sin(direction), np.cos(direction)], axis=1)
    return Scan(points, normals, along, float(np.sqrt((far_m * far_m).mean())))
