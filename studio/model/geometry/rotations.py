"""Rotations as people write them: roll-pitch-yaw, quaternion, axis and angle, or nine numbers; and as 3x3 matrices.

Roll, pitch and yaw turn about the fixed axes x, y, z in this order (REP-103, URDF and SDF alike):
`R = Rz(yaw) Ry(pitch) Rx(roll)`. Quaternions are `x y z w`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from studio.errors import StudioError

Matrix = NDArray[np.float64]
Form = Literal["rpy", "quaternion", "axis_angle", "matrix"]
Angles = Literal["degrees", "radians"]

FORMS: dict[Form, int] = {"rpy": 3, "quaternion": 4, "axis_angle": 4, "matrix": 9}
"""How many numbers each takes."""
ORTHOGONAL_WITHIN = 1e-6
"""Six written digits are enough for a rotation; what is further off is a mistake, not rounding."""
UNIT_WITHIN = 1e-3


class GeometryError(StudioError):
    """Geometry that cannot be: a rotation that is none, a frame that does not exist, a stamp outside the buffer."""


@dataclass(frozen=True)
class Rotation:
    """A rotation as it was written, so that saving writes it so again."""

    form: Form
    values: tuple[float, ...]
    angles: Angles | None = None
    """The unit of the angles in it; None for a quaternion or a matrix, which have none."""

    @classmethod
    def from_matrix(cls, matrix: NDArray[Any]) -> Rotation:
        """In roll, pitch, yaw and radians."""
        return cls("rpy", rpy_of(matrix), "radians")

    @property
    def matrix(self) -> Matrix:
        """3x3 and orthogonal to the last digit; GeometryError if what was written is no rotation."""
        if len(self.values) != FORMS[self.form]:
            raise GeometryError(f"{self.form} takes {FORMS[self.form]} numbers, not {len(self.values)}")
        if not all(map(math.isfinite, self.values)):
            raise GeometryError(f"a rotation with the number {next(v for v in self.values if not math.isfinite(v))}")
        scale = math.pi / 180.0 if self.angles == "degrees" else 1.0
        if self.form == "rpy":
            return from_rpy(*(value * scale for value in self.values))
        if self.form == "quaternion":
            return _from_written_quaternion(self.values)
        if self.form == "axis_angle":
            return _from_written_axis(self.values[:3], self.values[3] * scale)
        return nearest_rotation(np.array(self.values).reshape(3, 3))


NO_ROTATION = Rotation("rpy", (0.0, 0.0, 0.0), "radians")


def from_rpy(roll: float, pitch: float, yaw: float) -> Matrix:
    cr, sr, cp, sp, cy, sy = *_turn(roll), *_turn(pitch), *_turn(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def _turn(angle: float) -> tuple[float, float]:
    return math.cos(angle), math.sin(angle)


def rpy_of(matrix: NDArray[Any]) -> tuple[float, float, float]:
    """Roll is taken after yaw has been turned back: so the three give `matrix` again even with the nose straight up,
    where taking each by itself loses half of the digits."""
    r = np.asarray(matrix, dtype=np.float64)
    yaw = math.atan2(r[1, 0], r[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-r[2, 0], c * r[0, 0] + s * r[1, 0])
    roll = math.atan2(s * r[0, 2] - c * r[1, 2], c * r[1, 1] - s * r[0, 1])
    return roll, pitch, yaw


def from_quaternion(x: float, y: float, z: float, w: float) -> Matrix:
    length = math.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x / length, y / length, z / length, w / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_of(matrix: NDArray[Any]) -> tuple[float, float, float, float]:
    """x, y, z, w with w not negative. Starts from the largest of the four, which no cancellation spoils."""
    r = np.asarray(matrix, dtype=np.float64)
    trace = r[0, 0] + r[1, 1] + r[2, 2]
    fourfold = np.array([r[0, 0] * 2 - trace, r[1, 1] * 2 - trace, r[2, 2] * 2 - trace, trace]) + 1.0
    largest = int(np.argmax(fourfold))
    q = np.empty(4)
    if largest == 3:
        q[:] = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], fourfold[3]
    else:
        i, j, k = largest, (largest + 1) % 3, (largest + 2) % 3
        q[i], q[j], q[k], q[3] = fourfold[i], r[j, i] + r[i, j], r[k, i] + r[i, k], r[k, j] - r[j, k]
    q /= np.linalg.norm(q)
    x, y, z, w = (q if q[3] >= 0 else -q).tolist()
    return x, y, z, w


def from_axis_angle(axis: Sequence[float], angle: float) -> Matrix:
    """`axis` has to be of unit length."""
    x, y, z = axis
    c, s = _turn(angle)
    t = 1.0 - c
    return np.array(
        [
            [t * x * x + c, t * x * y - s * z, t * x * z + s * y],
            [t * x * y + s * z, t * y * y + c, t * y * z - s * x],
            [t * x * z - s * y, t * y * z + s * x, t * z * z + c],
        ]
    )


def angle_of(matrix: NDArray[Any]) -> float:
    """By how much it turns, 0 to pi; exact for small angles, where the arc cosine of the trace is not."""
    x, y, z, w = quaternion_of(matrix)
    return 2.0 * math.atan2(math.sqrt(x * x + y * y + z * z), w)


def unit_axis(axis: Sequence[float]) -> tuple[float, float, float]:
    length = math.sqrt(sum(value * value for value in axis))
    if not math.isfinite(length) or length < 1e-9:
        raise GeometryError("an axis without a direction", hint="e.g. 0 0 1")
    x, y, z = (value / length for value in axis)
    return x, y, z


def nearest_rotation(matrix: Matrix) -> Matrix:
    """The rotation that was meant by nine rounded numbers."""
    off = float(np.abs(matrix.T @ matrix - np.eye(3)).max())
    if not off <= ORTHOGONAL_WITHIN:
        hint = f"rows and columns must have length 1 and right angles; off by {off:.2g}, at most 1e-6 is rounding"
        raise GeometryError("the matrix is not a rotation: it is not orthogonal", hint=hint)
    if np.linalg.det(matrix) < 0:
        raise GeometryError("the matrix is not a rotation: it mirrors", hint="the determinant is -1; change one axis")
    u, _, vt = np.linalg.svd(matrix)
    return np.asarray(u @ vt, dtype=np.float64)


def _from_written_quaternion(values: Sequence[float]) -> Matrix:
    length = math.sqrt(sum(value * value for value in values))
    if not abs(length - 1.0) <= UNIT_WITHIN:
        hint = "it is x y z w with length 1, e.g. 0 0 0.7071068 0.7071068"
        raise GeometryError(f"the quaternion has length {length:.6g}", hint=hint)
    x, y, z, w = values
    return from_quaternion(x, y, z, w)


def _from_written_axis(axis: Sequence[float], angle: float) -> Matrix:
    return from_axis_angle(unit_axis(axis), angle)
