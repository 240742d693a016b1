"""A homogeneous transform between two named frames, with the uncertainty of its attitude."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from studio.messages.errors import MessageError
from studio.messages.fields import Array, array
from studio.messages.message import Message, message
from studio.messages.rotations import (
    matrix_from_quaternion,
    matrix_from_rpy,
    quaternion_from_matrix,
    rpy_from_matrix,
)

Floats = NDArray[np.float64]


@message
class PoseTransform(Message):
    """Takes points of `child_frame` to `frame`: `in_frame = matrix @ in_child`.

    `attitude_covariance` (rad2) belongs to a small rotation about the axes of `frame`. Transforms multiply:
    `map_from_base @ base_from_laser` is the laser in the map, covariance included.
    """

    TYPE: ClassVar[str] = "PoseTransform"
    SCHEMA_NAME: ClassVar[str] = "studio_msgs/msg/PoseTransform"
    WIRE: ClassVar[dict[str, str]] = {"child_frame": "child_frame_id"}

    stamp_ns: int = 0
    frame: str = ""
    child_frame: str = ""
    matrix: Array[np.float64] = array(np.float64, 4, 4, default=np.eye(4))
    attitude_covariance: Array[np.float64] = array(np.float64, 3, 3)

    @classmethod
    def from_xyz_rpy(
        cls,
        x_m: float = 0.0,
        y_m: float = 0.0,
        z_m: float = 0.0,
        roll_rad: float = 0.0,
        pitch_rad: float = 0.0,
        yaw_rad: float = 0.0,
        *,
        stamp_ns: int = 0,
        frame: str = "",
        child_frame: str = "",
        attitude_covariance: ArrayLike | None = None,
    ) -> Self:
        """Roll, pitch and yaw turn about the fixed x, y and z axes of `frame`, in this order."""
        matrix = _homogeneous(matrix_from_rpy(roll_rad, pitch_rad, yaw_rad), (x_m, y_m, z_m))
        return cls._built(matrix, stamp_ns, frame, child_frame, attitude_covariance)

    @classmethod
    def from_quaternion(
        cls,
        position: ArrayLike,
        orientation: ArrayLike,
        *,
        stamp_ns: int = 0,
        frame: str = "",
        child_frame: str = "",
        attitude_covariance: ArrayLike | None = None,
    ) -> Self:
        """From a position in metres and an xyzw quaternion."""
        matrix = _homogeneous(matrix_from_quaternion(orientation), position)
        return cls._built(matrix, stamp_ns, frame, child_frame, attitude_covariance)

    @classmethod
    def _built(
        cls, matrix: Floats, stamp_ns: int, frame: str, child_frame: str, attitude_covariance: ArrayLike | None
    ) -> Self:
        covariance = np.zeros((3, 3)) if attitude_covariance is None else attitude_covariance
        return cls(
            stamp_ns=stamp_ns, frame=frame, child_frame=child_frame, matrix=matrix, attitude_covariance=covariance
        )

    def to_xyz_rpy(self) -> tuple[float, float, float, float, float, float]:
        """x, y, z in metres and roll, pitch, yaw in radians."""
        x_m, y_m, z_m = self.position.tolist()
        return (x_m, y_m, z_m, *rpy_from_matrix(self.rotation))

    @property
    def position(self) -> Floats:
        return self.matrix[:3, 3]

    @property
    def rotation(self) -> Floats:
        return self.matrix[:3, :3]

    @property
    def orientation(self) -> Floats:
        """The attitude as xyzw quaternion."""
        return quaternion_from_matrix(self.rotation)

    @property
    def yaw_rad(self) -> float:
        return rpy_from_matrix(self.rotation)[2]

    def inverse(self) -> Self:
        """The transform the other way, from `frame` to `child_frame`."""
        back = self.rotation.T
        return type(self)(
            stamp_ns=self.stamp_ns,
            frame=self.child_frame,
            child_frame=self.frame,
            matrix=_homogeneous(back, -back @ self.position),
            attitude_covariance=back @ self.attitude_covariance @ back.T,
        )

    def __matmul__(self, other: PoseTransform) -> Self:
        if self.child_frame and other.frame and self.child_frame != other.frame:
            raise MessageError(
                f"cannot chain a transform from {self.child_frame!r} with one to {other.frame!r}",
                hint="the child frame of the left one has to be the frame of the right one; perhaps use inverse()",
            )
        turn = self.rotation
        return type(self)(
            stamp_ns=max(self.stamp_ns, other.stamp_ns),
            frame=self.frame,
            child_frame=other.child_frame,
            matrix=self.matrix @ other.matrix,
            attitude_covariance=self.attitude_covariance + turn @ other.attitude_covariance @ turn.T,
        )

    def apply(self, points: ArrayLike) -> Floats:
        """Points of `child_frame`, (3,) or (N, 3) in metres, as seen in `frame`."""
        taken = np.asarray(points, dtype=np.float64)
        if taken.ndim not in (1, 2) or taken.shape[-1] != 3:
            raise MessageError(f"needs points of shape (3,) or (N, 3), got {taken.shape}")
        moved: Floats = taken @ self.rotation.T + self.position
        return moved


def _homogeneous(rotation: Floats, position: ArrayLike) -> Floats:
    matrix = np.eye(4)
    matrix[:3, :3] = rotation
    matrix[:3, 3] = position
    return matrix
