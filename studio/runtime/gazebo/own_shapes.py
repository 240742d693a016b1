"""Which points of a scan lie on the vehicle that measured it: rays of a server also hit the vehicle they start from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.model.geometry.shapes import Box, Cylinder, Shape, Sphere
from studio.runtime.sim.vehicles.vehicle import Mount, Vehicle

NEAR_M = 0.06
"""As far as noise and steps of a range shift a point, and a steered wheel its surface."""
Floats = NDArray[np.float64]


class OwnShapes:
    """Of a vehicle with all joints at 0, as one of its sensors sees them."""

    def __init__(self, vehicle: Vehicle, mount: Mount) -> None:
        sensor = vehicle.place_of(mount.piece) @ mount.pose
        seen: list[Floats] = []
        halves: list[tuple[float, float, float]] = []
        for index, piece in enumerate(vehicle.pieces):
            for placed in piece.shapes:
                half = _half_sides(placed.shape)
                if half is not None:
                    seen.append(np.linalg.inv(vehicle.place_of(index) @ placed.pose) @ sensor)
                    halves.append(half)
        self._into = np.array(seen).reshape(-1, 4, 4)
        self._half = np.array(halves).reshape(-1, 3) + NEAR_M

    def has(self, points: Floats) -> NDArray[np.bool_]:
        """Of points in the frame of the sensor, which are on the vehicle."""
        inside = np.einsum("sij,nj->sni", self._into[:, :3, :3], points) + self._into[:, None, :3, 3]
        found: NDArray[np.bool_] = (np.abs(inside) <= self._half[:, None]).all(axis=2).any(axis=0)
        return found


def _half_sides(shape: Shape) -> tuple[float, float, float] | None:
    """Of the box that just holds it. A mesh is left out: its box may hold much that is not the mesh."""
    if isinstance(shape, Box):
        x, y, z = shape.size
        return x / 2, y / 2, z / 2
    if isinstance(shape, Cylinder):
        return shape.radius, shape.radius, shape.length / 2
    return (shape.radius, shape.radius, shape.radius) if isinstance(shape, Sphere) else None
