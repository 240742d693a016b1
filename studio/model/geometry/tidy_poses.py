"""Poses that a program has computed, written as the person wrote them before: same form, same unit, round numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.model.geometry.poses import HERE, Pose, inverse
from studio.model.geometry.rotations import NO_ROTATION, Angles, Matrix, Rotation, angle_of, quaternion_of, rpy_of

DIGITS_M = 9
DIGITS_DEG = 8
DIGITS_RAD = 10
SAME = 5e-11
"""Metres or radians that no file means: rounding of a computation."""


def pose_like(old: Pose, matrix: NDArray[Any]) -> Pose:
    """`matrix`, with the numbers of `old` where they are still right, in its form of rotation and unit."""
    xyz = tuple(_kept(before, float(now), DIGITS_M) for before, now in zip(old.xyz, matrix[:3, 3], strict=True))
    return Pose((xyz[0], xyz[1], xyz[2]), rotation_like(old.rotation, matrix[:3, :3]))


def tidy(matrix: NDArray[Any]) -> Pose:
    """With roll, pitch and yaw in degrees: what people read."""
    return pose_like(HERE, matrix)


def rotation_like(old: Rotation, turned: NDArray[Any]) -> Rotation:
    if angle_of(old.matrix.T @ turned) < SAME:
        return old
    angles: Angles | None = old.angles if old.form in ("rpy", "axis_angle") and old != NO_ROTATION else "degrees"
    digits = DIGITS_DEG if angles == "degrees" else DIGITS_RAD
    scale = 180.0 / np.pi if angles == "degrees" else 1.0
    if old.form == "quaternion":
        return Rotation("quaternion", tuple(_round(value, 12) for value in quaternion_of(turned)))
    if old.form == "matrix":
        return Rotation("matrix", tuple(_round(float(value), 12) for value in turned.reshape(-1)))
    if old.form == "axis_angle":
        axis, angle = _axis_angle(turned)
        return Rotation("axis_angle", (*(_round(value, 12) for value in axis), _round(angle * scale, digits)), angles)
    return Rotation("rpy", tuple(_round(value * scale, digits) for value in rpy_of(turned)), angles)


def inverse_like(pose: Pose) -> Pose:
    return pose_like(pose, inverse(pose.matrix))


def mirrored(matrix: Matrix, axis: int = 1, at_m: float = 0.0) -> Matrix:
    """As in a mirror across `axis` (1: left and right) at `at_m` of it. A body has no mirror image, so its own left and
    right are exchanged: what is the same on both of its sides looks right, in a mirror at the front too."""
    across, own_sides = np.eye(4), np.diag([1.0, -1.0, 1.0, 1.0])
    across[axis, axis], across[axis, 3] = -1.0, 2.0 * at_m
    return np.asarray(across @ matrix @ own_sides, dtype=np.float64)


def _kept(before: float, now: float, digits: int) -> float:
    return before if abs(before - now) < SAME else _round(now, digits)


def _round(value: float, digits: int) -> float:
    return round(value, digits) + 0.0


def _axis_angle(turned: NDArray[Any]) -> tuple[tuple[float, float, float], float]:
    x, y, z, _ = quaternion_of(turned)
    length = float(np.linalg.norm((x, y, z)))
    return ((x / length, y / length, z / length) if length else (0.0, 0.0, 1.0)), angle_of(turned)
