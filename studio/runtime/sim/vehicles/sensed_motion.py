"""What inertial units make of how a vehicle stands: its attitude with noise, in their axes, as matrix and quaternion.

A hundred times a second each: a dozen calls of numpy for nine numbers would take as long as the physics. Plain loops
over numbers, which numba compiles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


# One function without helpers: numba's cache on disk does not notice that a function which another one calls changed.
def sensed(turn: Any, centre: Any, mounted: Any, noise: Any, spread: Any, pose: Any, quaternion: Any) -> None:
    """Fill `pose` (4 by 4) and `quaternion` (x y z w) of a sensor: `mounted` on what stands at `centre` with the axes
    `turn`. `noise` times `spread` shifts it (first three) and turns it (roll, pitch and yaw about the outer axes)."""
    cr, sr = math.cos(noise[3] * spread[3]), math.sin(noise[3] * spread[3])
    cp, sp = math.cos(noise[4] * spread[4]), math.sin(noise[4] * spread[4])
    cy, sy = math.cos(noise[5] * spread[5]), math.sin(noise[5] * spread[5])
    tilt = (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
    for row in range(3):
        a, b, c = 0.0, 0.0, 0.0
        for i in range(3):
            a += tilt[row][i] * turn[i, 0]
            b += tilt[row][i] * turn[i, 1]
            c += tilt[row][i] * turn[i, 2]
        for column in range(3):
            pose[row, column] = a * mounted[0, column] + b * mounted[1, column] + c * mounted[2, column]
        pose[row, 3] = centre[row] + noise[row] * spread[row]
        pose[3, row] = 0.0
    pose[3, 3] = 1.0
    # Shepperd's way: of the four numbers the largest by a root, the others by division.
    trace = pose[0, 0] + pose[1, 1] + pose[2, 2]
    first, largest = 3, trace
    for axis in range(3):
        if pose[axis, axis] > largest:
            first, largest = axis, pose[axis, axis]
    if first == 3:
        root = math.sqrt(1.0 + trace)
        quaternion[3] = root / 2.0
        quaternion[0] = (pose[2, 1] - pose[1, 2]) / (2.0 * root)
        quaternion[1] = (pose[0, 2] - pose[2, 0]) / (2.0 * root)
        quaternion[2] = (pose[1, 0] - pose[0, 1]) / (2.0 * root)
    else:
        i, j, k = first, (first + 1) % 3, (first + 2) % 3
        root = math.sqrt(1.0 + pose[i, i] - pose[j, j] - pose[k, k])
        quaternion[i] = root / 2.0
        quaternion[j] = (pose[j, i] + pose[i, j]) / (2.0 * root)
        quaternion[k] = (pose[k, i] + pose[i, k]) / (2.0 * root)
        quaternion[3] = (pose[k, j] - pose[j, k]) / (2.0 * root)


@cache
def compiled_sensed() -> Callable[..., None]:
    """Machine code, made once and kept on disk."""
    import numba

    table, numbers = "float64[:,::1]", "float64[::1]"
    signature = f"void({table}, {numbers}, {table}, {numbers}, {numbers}, {table}, {numbers})"
    made: Callable[..., None] = numba.njit(signature, cache=True, error_model="numpy")(sensed)
    return made
