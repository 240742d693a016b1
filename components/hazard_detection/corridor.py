"""How far a vehicle can drive along an arc until it touches something; exact for a rectangle that turns with it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
STRAIGHT_PER_M = 1e-6
"""Arcs less curved than this leave a straight line by less than a tenth of a millimetre in ten metres."""


@dataclass(frozen=True)
class Rectangle:
    """Around the vehicle's origin, in metres."""

    front_m: float
    rear_m: float
    left_m: float
    right_m: float

    def grown(self, margin_m: float) -> Rectangle:
        return Rectangle(
            self.front_m + margin_m, self.rear_m + margin_m, self.left_m + margin_m, self.right_m + margin_m
        )

    def holds(self, places: Floats) -> NDArray[np.bool_]:
        x, y = places[:, 0], places[:, 1]
        inside: NDArray[np.bool_] = (
            (x >= -self.rear_m) & (x <= self.front_m) & (y >= -self.right_m) & (y <= self.left_m)
        )
        return inside


def free_way(places: Floats, curvatures_per_m: Floats, outline: Rectangle, margin_m: float) -> Floats:
    """For each arc how far the vehicle gets until one of `places` (N, 2) is nearer to it than the margin; infinite if
    none ever is. Of what is within the margin already only that counts which it would touch: it may drive away. What
    is inside the vehicle is the vehicle, and what is behind it is not met within half a circle."""
    room = outline.grown(margin_m)
    places = places[places[:, 0] >= -room.rear_m]
    within = room.holds(places)
    ways = _touched(places[~within], curvatures_per_m, room)
    close = places[within & ~outline.holds(places)]
    return np.minimum(ways, np.maximum(0.0, _touched(close, curvatures_per_m, outline) - margin_m))


def _touched(places: Floats, curvatures_per_m: Floats, box: Rectangle) -> Floats:
    """For each arc the distance until the rectangle touches the first of `places`, all of them outside of it."""
    ways = np.full(len(curvatures_per_m), np.inf)
    if not len(places):
        return ways
    x, y = places[:, 0], places[:, 1]
    for number, curvature in enumerate(curvatures_per_m.tolist()):
        if abs(curvature) < STRAIGHT_PER_M:
            met = (x > box.front_m) & (y >= -box.right_m) & (y <= box.left_m)
            ways[number] = np.min(x - box.front_m, where=met, initial=np.inf)
        elif curvature > 0.0:
            ways[number] = _turning_left(x, y, 1.0 / curvature, box)
        else:  # the same in the mirror
            mirrored = Rectangle(box.front_m, box.rear_m, box.right_m, box.left_m)
            ways[number] = _turning_left(x, -y, -1.0 / curvature, mirrored)
    return ways


def _turning_left(x: Floats, y: Floats, radius_m: float, box: Rectangle) -> float:
    """Seen from the vehicle, every place turns about the centre of the turn, (0, radius), against the way it drives.

    `angle` is where a place is on its circle, 0 beside the vehicle's origin. It comes in through the front, or through
    the side that is inside the turn, or at the outer side behind the origin, where the tail swings out.
    """
    distance = np.hypot(x, radius_m - y)
    # The ring that the rectangle sweeps; most places are beside it.
    inner = max(radius_m - box.left_m, 0.0)
    outer = math.hypot(max(box.front_m, box.rear_m), radius_m + box.right_m)
    swept = (distance >= inner) & (distance <= outer)
    if not swept.any():
        return math.inf
    x, y, distance = x[swept], y[swept], distance[swept]
    angle = np.arctan2(x, radius_m - y)
    nearest = np.full(len(x), np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):  # what does not reach an edge has no angle there: NaN
        front_y = radius_m - np.sqrt(distance**2 - box.front_m**2)
        at_front = np.arcsin(box.front_m / distance)
        entries = [np.where((front_y >= -box.right_m) & (front_y <= box.left_m), at_front, np.nan)]
        for edge_m, sign in ((radius_m - box.left_m, 1.0), (radius_m + box.right_m, -1.0)):
            reached = sign * np.arccos(edge_m / distance)
            edge_x = distance * np.sin(reached)
            entries.append(np.where((edge_x >= -box.rear_m) & (edge_x <= box.front_m), reached, np.nan))
        for entry in entries:
            nearest = np.fmin(nearest, np.mod(angle - entry, 2.0 * np.pi))
    return float(nearest.min()) * radius_m
