"""What the emulated scanners see: the walls of a rectangular room."""

from __future__ import annotations

import math

AHEAD_M, BEHIND_M, SIDE_M = 5.0, 3.0, 2.0
"""From the scanner to the walls in front, behind, and on both sides."""


def range_m(angle_rad: float) -> float:
    """To the wall in a direction; 0 is ahead, positive to the left."""
    along, across = math.cos(angle_rad), abs(math.sin(angle_rad))
    distances = [SIDE_M / across] if across > 1e-9 else []
    if abs(along) > 1e-9:
        distances.append((AHEAD_M if along > 0 else BEHIND_M) / abs(along))
    return min(distances)
