"""Pure pursuit: the arc that leads from here to a place on the way ahead."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def place_ahead(way: Floats, x_m: float, y_m: float, ahead_m: float) -> tuple[Floats, float]:
    """The place on the way (N, 2) that lies `ahead_m` behind the one nearest to here, and how far the end still is."""
    steps = np.hypot(*np.diff(way, axis=0).T) if len(way) > 1 else np.zeros(0)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    here = _nearest(way, along, np.array([x_m, y_m]))
    wanted = min(here + ahead_m, float(along[-1]))
    place = np.array([np.interp(wanted, along, way[:, 0]), np.interp(wanted, along, way[:, 1])])
    return place, float(along[-1]) - here


def curvature_to(place: Floats, x_m: float, y_m: float, yaw_rad: float) -> float:
    """Of the arc that starts here along the heading and goes through the place; behind us: as sharp as it gets."""
    dx, dy = float(place[0]) - x_m, float(place[1]) - y_m
    ahead = np.cos(yaw_rad) * dx + np.sin(yaw_rad) * dy
    aside = -np.sin(yaw_rad) * dx + np.cos(yaw_rad) * dy
    if ahead <= 0.0:
        return float(np.copysign(np.inf, aside))
    return float(2.0 * aside / max(dx * dx + dy * dy, 1e-6))


def _nearest(way: Floats, along: Floats, here: Floats) -> float:
    """How far along the way the place nearest to here is."""
    if len(way) < 2:
        return 0.0
    start, step = way[:-1], np.diff(way, axis=0)
    square = np.maximum((step * step).sum(axis=1), 1e-12)
    share = np.clip(((here - start) * step).sum(axis=1) / square, 0.0, 1.0)
    off = np.hypot(*(start + share[:, None] * step - here).T)
    best = int(np.argmin(off))
    return float(along[best] + share[best] * (along[best + 1] - along[best]))
