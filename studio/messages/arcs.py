"""Arcs that a vehicle could drive: what the votes of behaviours are about.

An arc starts at the vehicle's origin along x and has one curvature (1/radius, left positive) all the way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

ARCS = 25
"""How many candidates behaviours look at when nothing else is said."""
STRAIGHT_PER_M = 1e-9
"""An arc less curved than this is a straight line: its radius would be lost in rounding."""


def candidate_arcs(limit_per_m: float, count: int = ARCS) -> Floats:
    """Curvatures from the sharpest right to the sharpest left, evenly; the middle one is straight ahead."""
    side = np.linspace(0.0, abs(limit_per_m), max(1, count // 2) + 1)
    return np.concatenate([-side[:0:-1], side])


def arc_poses(curvature_per_m: ArrayLike, distance_m: ArrayLike) -> Floats:
    """x, y and yaw after each distance along each arc: (arcs, distances, 3). Distances below 0 go backwards."""
    curvature = np.asarray(curvature_per_m, np.float64)[:, None]
    distance = np.asarray(distance_m, np.float64)[None, :]
    turn = curvature * distance
    bent = np.where(np.abs(curvature) < STRAIGHT_PER_M, 1.0, curvature)
    straight = np.abs(curvature) < STRAIGHT_PER_M
    x = np.where(straight, distance, np.sin(turn) / bent)
    y = np.where(straight, 0.0, (1.0 - np.cos(turn)) / bent)
    return np.stack([x, y, turn], axis=-1)


def stopping_speed(distance_m: ArrayLike, deceleration_m_s2: float, reaction_s: float) -> Floats:
    """The highest speed from which a vehicle stands after `distance_m`, if it brakes after `reaction_s`."""
    free = np.maximum(np.asarray(distance_m, np.float64), 0.0)
    before_m_s = deceleration_m_s2 * reaction_s
    speed: Floats = np.sqrt(before_m_s * before_m_s + 2.0 * deceleration_m_s2 * free) - before_m_s
    return speed
