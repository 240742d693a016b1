"""Poses: where something is in something else, as written and as a 4x4 matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.model.geometry.rotations import NO_ROTATION, GeometryError, Matrix, Rotation, angle_of


@dataclass(frozen=True)
class Pose:
    xyz: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Metres."""
    rotation: Rotation = NO_ROTATION

    def __post_init__(self) -> None:
        for value in self.xyz:
            if not math.isfinite(value):
                raise GeometryError(f"a position with the number {value}")
        self.matrix  # noqa: B018  # what is no rotation is refused here, not at the first query

    @classmethod
    def from_matrix(cls, matrix: NDArray[Any]) -> Pose:
        x, y, z = (float(value) for value in matrix[:3, 3])
        return cls((x, y, z), Rotation.from_matrix(matrix[:3, :3]))

    @cached_property
    def matrix(self) -> Matrix:
        """Takes points of the frame to where they are measured from: `outer = matrix @ inner`."""
        made = np.eye(4)
        made[:3, :3] = self.rotation.matrix
        made[:3, 3] = self.xyz
        made.flags.writeable = False
        return made


HERE = Pose()


def is_here(matrix: NDArray[Any]) -> bool:
    return bool(np.array_equal(matrix, np.eye(4)))


def inverse(matrix: NDArray[Any]) -> Matrix:
    """Of a rigid transform: exact where a general inverse would round."""
    made = np.eye(4)
    turned = matrix[:3, :3].T
    made[:3, :3] = turned
    made[:3, 3] = -turned @ matrix[:3, 3]
    return made


def distance(one: NDArray[Any], other: NDArray[Any]) -> tuple[float, float]:
    """How far two poses are apart: metres, radians."""
    gap = inverse(one) @ other
    return float(np.linalg.norm(gap[:3, 3])), angle_of(gap[:3, :3])
