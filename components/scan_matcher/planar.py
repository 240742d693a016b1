"""Poses in the plane: x, y in metres and yaw in radians, as three floats."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Pose(NamedTuple):
    x_m: float
    y_m: float
    yaw_rad: float

    def __matmul__(self, other: Pose) -> Pose:
        """`other`, which is given in this pose's frame, in the frame of this pose."""
        sine, cosine = math.sin(self.yaw_rad), math.cos(self.yaw_rad)
        x_m = self.x_m + cosine * other.x_m - sine * other.y_m
        y_m = self.y_m + sine * other.x_m + cosine * other.y_m
        return Pose(x_m, y_m, wrapped(self.yaw_rad + other.yaw_rad))

    def inverse(self) -> Pose:
        sine, cosine = math.sin(self.yaw_rad), math.cos(self.yaw_rad)
        return Pose(-cosine * self.x_m - sine * self.y_m, sine * self.x_m - cosine * self.y_m, -self.yaw_rad)

    def apply(self, points: Floats) -> Floats:
        """Points (N, 2) of this pose's frame. By hand: a matrix product may sum in another order elsewhere."""
        sine, cosine = math.sin(self.yaw_rad), math.cos(self.yaw_rad)
        x_m, y_m = points[:, 0], points[:, 1]
        return np.stack([cosine * x_m - sine * y_m + self.x_m, sine * x_m + cosine * y_m + self.y_m], axis=1)

    def distance_m(self, other: Pose) -> float:
        return math.hypot(other.x_m - self.x_m, other.y_m - self.y_m)

    def towards(self, other: Pose, share: float) -> Pose:
        """The pose on the way to `other`: this one at 0, the other at 1."""
        turn = wrapped(other.yaw_rad - self.yaw_rad)
        return Pose(
            self.x_m + share * (other.x_m - self.x_m),
            self.y_m + share * (other.y_m - self.y_m),
            wrapped(self.yaw_rad + share * turn),
        )


def wrapped(angle_rad: float) -> float:
    """The same direction between -pi and pi."""
    return math.remainder(angle_rad, math.tau)
