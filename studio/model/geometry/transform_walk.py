"""The walk through the tree of moving groups that answers a query; plain loops over numbers, which numba compiles.

What is rigidly connected forms one group, so that only moving joints are steps. All that a query needs lies in two
arrays, one of integers and one of floats: every array that is handed to compiled code costs time by itself.

`ints`: 0 frames, 1 groups, 2 joints, 3 room for stamps per joint, then the group of each frame (from HEADER on), four
numbers per group (parent or -1, depth, joint, kind: +-1 turns, +-2 slides, minus: backwards), the count of stamps per
joint, and the stamps of each joint, ascending.
`floats`: 12 numbers per frame (rotation by rows, then position, in its group), 15 per group (the same of the joint's
place in the parent, then the axis), the home of each joint, and a position for each stamp.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.model.geometry.rotations import Matrix, from_axis_angle

HEADER = 4
LATEST = -(2**63)
"""Instead of a stamp: every joint where it was last."""
FINE = 1.0
NO_WAY = 0.0
"""In the corner of the result, which else holds 1; -(joint + 1) if that joint has nothing at the stamp."""
Ints = NDArray[np.int64]
Walk = Callable[[Ints, Matrix, int, int, int], Matrix]


def walk(ints: Any, floats: Any, foi: int, frame_of_reference: int, stamp_ns: int) -> Any:  # noqa: C901  # numba
    """The pose of the frame `foi` in `frame_of_reference`, both by number."""
    frames, groups, joints, room = ints[0], ints[1], ints[2], ints[3]
    group_at = HEADER + frames
    count_at = group_at + 4 * groups
    stamp_at = count_at + joints
    pose_at = 12 * frames
    home_at = pose_at + 15 * groups
    position_at = home_at + joints
    both = np.empty((2, 12))
    here = np.empty(2, np.int64)
    for side in range(2):
        frame = foi if side == 0 else frame_of_reference
        here[side] = ints[HEADER + frame]
        for i in range(12):
            both[side, i] = floats[12 * frame + i]
    result = np.zeros((4, 4))
    while here[0] != here[1]:
        # The deeper one climbs; at equal depth either may, since both have to.
        side = 0 if ints[group_at + 4 * here[0] + 1] >= ints[group_at + 4 * here[1] + 1] else 1
        record = group_at + 4 * here[side]
        if ints[record] < 0:
            return result
        joint = ints[record + 2]
        kind = ints[record + 3]
        count = ints[count_at + joint]
        first = stamp_at + joint * room
        value_at = position_at + joint * room
        if stamp_ns == LATEST:
            position = floats[value_at + count - 1] if count > 0 else floats[home_at + joint]
        elif count == 0 or stamp_ns < ints[first] or stamp_ns > ints[first + count - 1]:
            result[3, 3] = -(joint + 1.0)
            return result
        else:
            low, high = 0, count - 1
            while low < high:
                middle = (low + high) // 2
                if ints[first + middle] < stamp_ns:
                    low = middle + 1
                else:
                    high = middle
            position = floats[value_at + low]
            if ints[first + low] != stamp_ns:
                before = ints[first + low - 1]
                share = (stamp_ns - before) / (ints[first + low] - before)
                earlier = floats[value_at + low - 1]
                position = earlier + (position - earlier) * share
        if kind < 0:
            position = -position
        at = pose_at + 15 * here[side]
        ax, ay, az = floats[at + 12], floats[at + 13], floats[at + 14]
        t = both[side]
        if kind == 1 or kind == -1:
            c, s = math.cos(position), math.sin(position)
            k = 1.0 - c
            j00, j01, j02 = k * ax * ax + c, k * ax * ay - s * az, k * ax * az + s * ay
            j10, j11, j12 = k * ax * ay + s * az, k * ay * ay + c, k * ay * az - s * ax
            j20, j21, j22 = k * ax * az - s * ay, k * ay * az + s * ax, k * az * az + c
            for column in range(4):
                i = column if column < 3 else 9
                step = 3 if column < 3 else 1
                x, y, z = t[i], t[i + step], t[i + 2 * step]
                t[i] = j00 * x + j01 * y + j02 * z
                t[i + step] = j10 * x + j11 * y + j12 * z
                t[i + 2 * step] = j20 * x + j21 * y + j22 * z
        else:
            t[9] += ax * position
            t[10] += ay * position
            t[11] += az * position
        for column in range(4):
            i = column if column < 3 else 9
            step = 3 if column < 3 else 1
            x, y, z = t[i], t[i + step], t[i + 2 * step]
            t[i] = floats[at] * x + floats[at + 1] * y + floats[at + 2] * z
            t[i + step] = floats[at + 3] * x + floats[at + 4] * y + floats[at + 5] * z
            t[i + 2 * step] = floats[at + 6] * x + floats[at + 7] * y + floats[at + 8] * z
        t[9] += floats[at + 9]
        t[10] += floats[at + 10]
        t[11] += floats[at + 11]
        here[side] = ints[record]
    a, b = both[1], both[0]
    for row in range(3):
        for column in range(3):
            result[row, column] = a[row] * b[column] + a[3 + row] * b[3 + column] + a[6 + row] * b[6 + column]
        result[row, 3] = a[row] * (b[9] - a[9]) + a[3 + row] * (b[10] - a[10]) + a[6 + row] * (b[11] - a[11])
    result[3, 3] = FINE
    return result


def walk_plain(ints: Ints, floats: Matrix, foi: int, frame_of_reference: int, stamp_ns: int) -> Matrix:
    """As `walk`, with numpy instead of a compiler: the same to the last digits, some twenty times slower."""
    frames, groups = int(ints[0]), int(ints[1])
    records = ints[HEADER + frames : HEADER + frames + 4 * groups].reshape(groups, 4)
    places = floats[12 * frames : 12 * frames + 15 * groups].reshape(groups, 15)
    poses = [_matrix(floats[12 * frame : 12 * frame + 12]) for frame in (foi, frame_of_reference)]
    here = [int(ints[HEADER + frame]) for frame in (foi, frame_of_reference)]
    failed = np.zeros((4, 4))
    while here[0] != here[1]:
        side = 0 if records[here[0], 1] >= records[here[1], 1] else 1
        parent, _, joint, kind = records[here[side]].tolist()
        if parent < 0:
            return failed
        position = _position(ints, floats, joint, stamp_ns)
        if position is None:
            failed[3, 3] = -(joint + 1.0)
            return failed
        place = places[here[side]]
        moved = np.eye(4)
        signed = position if kind > 0 else -position
        if abs(kind) == 1:
            moved[:3, :3] = from_axis_angle(place[12:].tolist(), signed)
        else:
            moved[:3, 3] = place[12:] * signed
        poses[side] = _matrix(place[:12]) @ moved @ poses[side]
        here[side] = parent
    turned = poses[1][:3, :3].T
    result = np.eye(4)
    result[:3, :3] = turned @ poses[0][:3, :3]
    result[:3, 3] = turned @ (poses[0][:3, 3] - poses[1][:3, 3])
    return result


def _position(ints: Ints, floats: Matrix, joint: int, stamp_ns: int) -> float | None:
    frames, groups, joints, room = ints[:HEADER].tolist()
    count_at = HEADER + frames + 4 * groups
    count = int(ints[count_at + joint])
    first = count_at + joints + joint * room
    home_at = 12 * frames + 15 * groups
    value_at = home_at + joints + joint * room
    if stamp_ns == LATEST:
        return float(floats[value_at + count - 1] if count else floats[home_at + joint])
    stamps = ints[first : first + count]
    if count == 0 or stamp_ns < stamps[0] or stamp_ns > stamps[-1]:
        return None
    place = int(np.searchsorted(stamps, stamp_ns))
    later = float(floats[value_at + place])
    if stamps[place] == stamp_ns:
        return later
    earlier, before = float(floats[value_at + place - 1]), int(stamps[place - 1])
    return earlier + (later - earlier) * ((stamp_ns - before) / (int(stamps[place]) - before))


def _matrix(numbers: Matrix) -> Matrix:
    made = np.eye(4)
    made[:3, :3] = numbers[:9].reshape(3, 3)
    made[:3, 3] = numbers[9:12]
    return made


@cache
def compiled_walk() -> Walk | None:
    """`walk` as machine code, made once and kept on disk; None where numba is missing. Importing numba takes half a
    second, so nothing asks for this before the first query of a long-running process."""
    try:
        import numba
    except ImportError:
        return None
    made: Walk = numba.njit("float64[:,::1](int64[::1], float64[::1], int64, int64, int64)", cache=True)(walk)
    return made
