"""Lines of CARMEN logs as plain records.

Every message line ends with `ipc_timestamp hostname logger_timestamp`. Angles are in radians, left is positive.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from studio.runtime.recording.importers.carmen_angles import Angles, new_angles, old_angles, positive_param
from studio.runtime.recording.importers.carmen_ranges import DEFAULT_MAXIMUM_M

PARAM = b"PARAM"
ODOM = b"ODOM"
TRUE_POSE = b"TRUEPOS"
OLD_LASERS = (b"FLASER", b"RLASER")
ROBOT_LASERS = (b"ROBOTLASER1", b"ROBOTLASER2")
RAW_LASERS = (b"RAWLASER1", b"RAWLASER2", b"RAWLASER3", b"RAWLASER4")
LASERS = (*OLD_LASERS, *ROBOT_LASERS, *RAW_LASERS)
MESSAGES = frozenset((ODOM, TRUE_POSE, *LASERS))

MOST_BEAMS = 100_000

_STAMP_WORDS = 3
_POSE_WORDS = 6
_ROBOT_LASER_END = 5
"""Velocities, safety distances and turn axis stand between poses and stamps of ROBOTLASER."""


class Pose(NamedTuple):
    x_m: float
    y_m: float
    yaw_rad: float


class Odom(NamedTuple):
    pose: Pose
    speed_m_s: float
    yaw_rate_rad_s: float


class TruePose(NamedTuple):
    true: Pose
    odom: Pose


@dataclass(frozen=True)
class Scan:
    """Beam i looks `angles.start_rad + i * angles.step_rad` to the left of the laser's axis. RAWLASER lines know no
    poses."""

    ranges_m: list[float]
    angles: Angles
    maximum_m: float
    laser: Pose | None = None
    robot: Pose | None = None
    speed_m_s: float = 0.0
    yaw_rate_rad_s: float = 0.0


class LineError(ValueError):
    """The line is not what its first word says."""


def parse_stamps(words: list[bytes]) -> tuple[float, float]:
    """The stamps of the sender and of the logger in seconds, whatever they are."""
    return _float(words[-3]), _float(words[-1])


def parse_odom(words: list[bytes]) -> Odom:
    _need(words, 1 + 6 + _STAMP_WORDS)
    values = _finite(words[1:7])
    return Odom(Pose(*values[:3]), values[3], values[4])


def parse_true_pose(words: list[bytes]) -> TruePose:
    _need(words, 1 + _POSE_WORDS + _STAMP_WORDS)
    values = _finite(words[1:7])
    return TruePose(Pose(*values[:3]), Pose(*values[3:]))


def parse_scan(words: list[bytes], params: Mapping[str, str]) -> Scan:
    if words[0] in OLD_LASERS:
        return _old_scan(words, params)
    return _new_scan(words, with_poses=words[0] in ROBOT_LASERS)


def check_scan(words: list[bytes]) -> tuple[int, int]:
    """How many readings a laser line has, and where its poses would be, once it is known to have all its words."""
    if words[0] in OLD_LASERS:
        count = _count(words, 1)
        at, end = 2 + count, _POSE_WORDS
    else:
        count = _count(words, 8)
        at = 9 + count
        at += 1 + _count(words, at)
        end = _POSE_WORDS + _ROBOT_LASER_END if words[0] in ROBOT_LASERS else 0
    _need(words, at + end + _STAMP_WORDS)
    return count, at


def readings_of(words: list[bytes]) -> tuple[list[bytes], float]:
    """The words of the readings of a whole laser line, and the maximum that it tells; 0 if it tells none."""
    count, _ = check_scan(words)
    if words[0] in OLD_LASERS:
        return words[2 : 2 + count], 0.0
    (maximum_m,) = _finite(words[5:6])
    return words[9 : 9 + count], maximum_m


def _old_scan(words: list[bytes], params: Mapping[str, str]) -> Scan:
    count, _ = check_scan(words)
    poses = _finite(words[2 + count : 2 + count + _POSE_WORDS])
    angles = old_angles(count, params, _side(words[0]))
    maximum_m, _ = told_maximum(params, words[0])
    ranges_m = list(map(_float, words[2 : 2 + count]))
    return Scan(ranges_m, angles, maximum_m, Pose(*poses[:3]), Pose(*poses[3:]))


def told_maximum(params: Mapping[str, str], word: bytes) -> tuple[float, str]:
    """Of FLASER and RLASER, and where it is from."""
    name = f"robot_{_side(word)}_laser_max"
    maximum_m = positive_param(params, name)
    return (maximum_m, f"PARAM {name}") if maximum_m is not None else (DEFAULT_MAXIMUM_M, "no PARAM gives it")


def _side(word: bytes) -> str:
    return "front" if word == b"FLASER" else "rear"


def _new_scan(words: list[bytes], *, with_poses: bool) -> Scan:
    """`type start fov resolution maximum accuracy remission_mode n r1..rn m e1..em [poses and more] stamps`"""
    count, at = check_scan(words)
    start, width, step, maximum_m = _finite(words[2:6])
    angles = new_angles(count, start, width, step)
    ranges_m = list(map(_float, words[9 : 9 + count]))
    if not with_poses:
        return Scan(ranges_m, angles, maximum_m)
    values = _finite(words[at : at + _POSE_WORDS + 2])
    return Scan(ranges_m, angles, maximum_m, Pose(*values[:3]), Pose(*values[3:6]), values[6], values[7])


def poses_of_laser(words: list[bytes]) -> tuple[list[bytes], list[bytes]]:
    """The words of laser and robot pose of a whole FLASER or ROBOTLASER line."""
    _, at = check_scan(words)
    return words[at : at + 3], words[at + 3 : at + 6]


def parse_param(words: list[bytes]) -> tuple[str, str]:
    """Name and value. Stamps end the line as in messages, but some logs leave out the first of the three words."""
    if len(words) < 3:
        raise LineError("a PARAM needs a name and a value")
    end = len(words)
    if _is_number(words[-1]) and end >= 5:
        end -= 3 if end >= 6 and _is_number(words[-3]) else 2
    return words[1].decode("utf-8", "replace"), b" ".join(words[2:end]).decode("utf-8", "replace")


def _need(words: list[bytes], count: int) -> None:
    if len(words) != count:
        raise LineError(f"{_text(words[0])} needs {count} words here, not {len(words)}")


def _count(words: list[bytes], at: int) -> int:
    try:
        count = int(words[at])
    except IndexError:
        raise LineError("ends early") from None
    except ValueError:
        raise LineError(f"{_text(words[at])!r} is not a number of readings") from None
    if not 0 <= count <= MOST_BEAMS:
        raise LineError(f"{count} is not a number of readings")
    return count


def _finite(words: list[bytes]) -> list[float]:
    values = list(map(_float, words))
    for word, value in zip(words, values, strict=True):
        if not math.isfinite(value):
            raise LineError(f"{_text(word)!r} is not a finite number")
    return values


def _float(word: bytes) -> float:
    try:
        return float(word)
    except ValueError:
        raise LineError(f"{_text(word)!r} is not a number") from None


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _text(word: bytes) -> str:
    """For messages: not more than a person wants to read."""
    return word[:40].decode("utf-8", "replace")
