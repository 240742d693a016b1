"""Ranges as points in the sensor's frame."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from studio.messages.errors import MessageError
from studio.messages.fields import Array, array
from studio.messages.message import Message, message
from studio.messages.pose_transform import PoseTransform


@message
class Range3d(Message):
    """N points: columns x, y, z in metres in `frame`, and the measured range in metres.

    `is_dense` is False when some rows are not finite (beams without an echo that were kept).
    """

    TYPE: ClassVar[str] = "Range3d"
    SCHEMA_NAME: ClassVar[str] = "sensor_msgs/msg/PointCloud2"

    stamp_ns: int = 0
    frame: str = ""
    points: Array[np.float32] = array(np.float32, -1, 4)
    is_dense: bool = True

    @classmethod
    def from_polar(
        cls,
        ranges_m: ArrayLike,
        start_rad: float,
        step_rad: float,
        *,
        elevation_rad: float = 0.0,
        minimum_m: float = 0.0,
        maximum_m: float = np.inf,
        keep_missing: bool = False,
        stamp_ns: int = 0,
        frame: str = "",
    ) -> Self:
        """A planar scan: beam i looks `start_rad + i * step_rad` to the left of x, `elevation_rad` above the xy plane.

        Beams without an echo (not finite, or outside minimum to maximum) are left out, or become rows of NaN when
        `keep_missing` is set, so that row i stays beam i.
        """
        measured = np.asarray(ranges_m, dtype=np.float64)
        if measured.ndim != 1:
            raise MessageError(f"needs one row of ranges, got shape {measured.shape}")
        angles = start_rad + step_rad * np.arange(len(measured), dtype=np.float64)
        valid = np.isfinite(measured) & (measured >= minimum_m) & (measured <= maximum_m)
        if keep_missing:
            measured = np.where(valid, measured, np.nan)
        else:
            measured, angles = measured[valid], angles[valid]
        points = _polar_points(measured, angles, elevation_rad)
        return cls(stamp_ns=stamp_ns, frame=frame, points=points, is_dense=not keep_missing or bool(valid.all()))

    @classmethod
    def from_xyz(cls, xyz: ArrayLike, *, stamp_ns: int = 0, frame: str = "") -> Self:
        """Points (N, 3) in metres; the range is their distance from the origin of the sensor."""
        taken = np.asarray(xyz, dtype=np.float64).reshape(-1, 3)
        points = np.column_stack([taken, np.linalg.norm(taken, axis=1)]).astype(np.float32)
        return cls(stamp_ns=stamp_ns, frame=frame, points=points, is_dense=bool(np.isfinite(points).all()))

    def __len__(self) -> int:
        return len(self.points)

    @property
    def xyz(self) -> NDArray[np.float32]:
        return self.points[:, :3]

    @property
    def ranges_m(self) -> NDArray[np.float32]:
        return self.points[:, 3]

    def transformed(self, pose: PoseTransform) -> Self:
        """The same points in `pose.frame`; ranges stay as they were measured."""
        if self.frame and pose.child_frame and self.frame != pose.child_frame:
            raise MessageError(f"the points are in {self.frame!r}, the transform is from {pose.child_frame!r}")
        points = self.points.copy()
        points[:, :3] = pose.apply(self.xyz)
        return type(self)(stamp_ns=self.stamp_ns, frame=pose.frame, points=points, is_dense=self.is_dense)


def _polar_points(
    ranges_m: NDArray[np.float64], angles_rad: NDArray[np.float64], elevation_rad: float
) -> NDArray[np.float32]:
    points = np.empty((len(ranges_m), 4), np.float32)
    flat = ranges_m * np.cos(elevation_rad)
    points[:, 0] = flat * np.cos(angles_rad)
    points[:, 1] = flat * np.sin(angles_rad)
    points[:, 2] = ranges_m * np.sin(elevation_rad)
    points[:, 3] = ranges_m
    return points
