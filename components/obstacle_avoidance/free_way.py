"""How far a vehicle can follow an arc before it touches what it cannot drive over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.messages import Map, arc_poses

Floats = NDArray[np.float64]
BLOCKED, UNKNOWN = 1, 2


@dataclass(frozen=True)
class Room:
    """The rectangle that a vehicle takes, as distances from its origin."""

    front_m: float
    rear_m: float
    left_m: float
    right_m: float

    def wider(self, margin_m: float) -> Room:
        return Room(
            self.front_m + margin_m, self.rear_m + margin_m, self.left_m + margin_m, self.right_m + margin_m
        )  # fmt: skip

    def holds(self, places: Floats) -> NDArray[np.bool_]:
        x, y = places[..., 0], places[..., 1]
        return (x <= self.front_m) & (x >= -self.rear_m) & (y <= self.left_m) & (y >= -self.right_m)

    def filled(self, spacing_m: float) -> Floats:
        """Places all over it, borders included, so close that nothing of `spacing_m` slips through: (N, 2)."""
        along = _evenly(-self.rear_m, self.front_m, spacing_m)
        across = _evenly(-self.right_m, self.left_m, spacing_m)
        return np.stack(np.meshgrid(along, across), axis=-1).reshape(-1, 2)


class Sweep:
    """All places that a vehicle passes over on each of some arcs, in its own frame. Made once, used for every map."""

    def __init__(self, arcs_per_m: Floats, room: Room, margin_m: float, reach_m: float, spacing_m: float) -> None:
        self.distances_m = _evenly(0.0, reach_m, 2.0 * spacing_m)[1:]
        poses = arc_poses(arcs_per_m, self.distances_m)
        inside = room.wider(margin_m).filled(spacing_m)
        cos, sin = np.cos(poses[..., 2])[..., None], np.sin(poses[..., 2])[..., None]
        x = poses[..., 0, None] + cos * inside[:, 0] - sin * inside[:, 1]
        y = poses[..., 1, None] + sin * inside[:, 0] + cos * inside[:, 1]
        places = np.stack([x, y], axis=-1)
        # Where the vehicle stands now there is nothing, whatever the map says: it stands there.
        self._counts = ~room.holds(places)
        self._places = places
        self._straight = places.reshape(-1, 2)

    def found(self, chart: Map, blocked_below: float, x_m: float, y_m: float, yaw_rad: float) -> NDArray[np.int8]:
        """For each arc and distance: BLOCKED or UNKNOWN if the vehicle meets such a cell there, else 0."""
        cells = _classes(chart.plane("traversability"), blocked_below)
        cos, sin = np.cos(yaw_rad), np.sin(yaw_rad)
        scale = 1.0 / chart.resolution_m
        x = self._straight[:, 0] * (cos * scale) - self._straight[:, 1] * (sin * scale)
        y = self._straight[:, 0] * (sin * scale) + self._straight[:, 1] * (cos * scale)
        column = np.floor(x + (x_m - float(chart.origin_m[0])) * scale).astype(np.int32)
        row = np.floor(y + (y_m - float(chart.origin_m[1])) * scale).astype(np.int32)
        # Around the cells lies a frame of unknown ones: what is outside the map comes to stand there.
        column = np.clip(column, -1, chart.columns) + 1
        row = np.clip(row, -1, chart.rows) + 1
        met = cells[row, column].reshape(self._counts.shape) * self._counts
        classes: NDArray[np.int8] = np.where(
            (met == BLOCKED).any(axis=-1), BLOCKED, np.where((met == UNKNOWN).any(axis=-1), UNKNOWN, 0)
        ).astype(np.int8)
        return classes

    def free_m(self, found: NDArray[np.int8]) -> Floats:
        """How far each arc is free of blocked cells."""
        return self._before(found == BLOCKED)

    def known_m(self, found: NDArray[np.int8]) -> Floats:
        """How far each arc is known to be free."""
        return self._before(found != 0)

    def _before(self, met: NDArray[np.bool_]) -> Floats:
        first = np.where(met.any(axis=1), met.argmax(axis=1), len(self.distances_m))
        reached: Floats = np.concatenate([[0.0], self.distances_m])[first]
        return reached


def _classes(traversability: NDArray[np.float32], blocked_below: float) -> NDArray[np.int8]:
    framed = np.full((traversability.shape[0] + 2, traversability.shape[1] + 2), UNKNOWN, np.int8)
    inner = framed[1:-1, 1:-1]
    with np.errstate(invalid="ignore"):
        inner[traversability >= blocked_below] = 0
        inner[traversability < blocked_below] = BLOCKED
    return framed


def _evenly(start_m: float, end_m: float, at_most_m: float) -> Floats:
    return np.linspace(start_m, end_m, max(1, int(np.ceil((end_m - start_m) / at_most_m - 1e-9))) + 1)
