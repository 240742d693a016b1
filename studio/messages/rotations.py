"""Rotations as 3x3 matrices, xyzw quaternions and roll, pitch, yaw (about fixed x, y, z: first roll, last yaw)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def matrix_from_rpy(roll_rad: float, pitch_rad: float, yaw_rad: float) -> Floats:
    sr, cr = math.sin(roll_rad), math.cos(roll_rad)
    sp, cp = math.sin(pitch_rad), math.cos(pitch_rad)
    sy, cy = math.sin(yaw_rad), math.cos(yaw_rad)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def rpy_from_matrix(matrix: ArrayLike) -> tuple[float, float, float]:
    """Roll, pitch, yaw in radians. Looking straight up or down only yaw minus roll is known; roll is then zero."""
    m = np.asarray(matrix, dtype=np.float64).tolist()
    flat = math.hypot(m[0][0], m[1][0])
    pitch_rad = math.atan2(-m[2][0], flat)
    if flat < 1e-9:
        return 0.0, pitch_rad, math.atan2(-m[0][1], m[1][1])
    return math.atan2(m[2][1], m[2][2]), pitch_rad, math.atan2(m[1][0], m[0][0])


def matrix_from_quaternion(xyzw: ArrayLike) -> Floats:
    """Normalises first; the zero quaternion, which ROS drivers send for "unknown", is no rotation."""
    x, y, z, w = np.asarray(xyzw, dtype=np.float64).tolist()
    squared = x * x + y * y + z * z + w * w
    if squared == 0.0:
        return np.eye(3)
    s = 2.0 / squared
    return np.array(
        [
            [1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
            [s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)],
            [s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)],
        ]
    )


def quaternion_from_matrix(matrix: ArrayLike) -> Floats:
    """The xyzw quaternion with w >= 0, taken from the largest component so that nothing cancels."""
    m = np.asarray(matrix, dtype=np.float64).tolist()
    squares = [
        1.0 + m[0][0] - m[1][1] - m[2][2],
        1.0 - m[0][0] + m[1][1] - m[2][2],
        1.0 - m[0][0] - m[1][1] + m[2][2],
        1.0 + m[0][0] + m[1][1] + m[2][2],
    ]
    xy, xz, yz = m[1][0] + m[0][1], m[2][0] + m[0][2], m[2][1] + m[1][2]
    wx, wy, wz = m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]
    rows = [
        [squares[0], xy, xz, wx],
        [xy, squares[1], yz, wy],
        [xz, yz, squares[2], wz],
        [wx, wy, wz, squares[3]],
    ]
    best = np.array(rows[max(range(4), key=squares.__getitem__)])
    best /= np.linalg.norm(best)
    return -best if best[3] < 0 else best


def quaternion_from_rpy(roll_rad: float, pitch_rad: float, yaw_rad: float) -> Floats:
    return quaternion_from_matrix(matrix_from_rpy(roll_rad, pitch_rad, yaw_rad))


def rpy_from_quaternion(xyzw: ArrayLike) -> tuple[float, float, float]:
    return rpy_from_matrix(matrix_from_quaternion(xyzw))
