"""A first pass over a CARMEN log: its parameters, which stamps and readings mean something, and whether its poses were
corrected.

All of this has to be known before the first message is written.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from studio.runtime.recording.importers.carmen_clock import Clock, ClockChoice, Stamps, choose_clock
from studio.runtime.recording.importers.carmen_lines import (
    LASERS,
    MESSAGES,
    ODOM,
    OLD_LASERS,
    PARAM,
    ROBOT_LASERS,
    LineError,
    parse_param,
    parse_stamps,
    poses_of_laser,
    readings_of,
    told_maximum,
)
from studio.runtime.recording.importers.carmen_ranges import EchoLimit, Readings

_ENOUGH_ECHOES = 0.9
_ENOUGH_SCANS = 3
_FEW_SCANS = 0.1
"""A pose with a damaged digit does not make a corrected log."""
_SAME_MOUNT = 0.02
"""Metres and radians: poses are rounded in the lines."""
MOST_PARAMS = 10_000


@dataclass
class Survey:
    """`echoes`: programs that correct logs write, after each scan, an ODOM line with the scan's pose and no stamp of
    its own, only whatever was in memory. Such lines belong to the scan."""

    params: dict[str, str] = field(default_factory=dict)
    clock: ClockChoice = field(default_factory=ClockChoice)
    echoes: bool = False
    corrected: bool = False
    limits: dict[bytes, EchoLimit] = field(default_factory=dict)
    """By the first word of the scan's line."""


class Surveyor:
    """Looks at every line once; `result` tells what was found."""

    def __init__(self) -> None:
        self._params: dict[str, str] = {}
        self._lines = 0
        self._stamps: dict[Clock, Stamps] = {"sender": Stamps(), "logger": Stamps()}
        self._readings: dict[bytes, Readings] = {}
        self._moved = 0
        self._echoed = 0
        self._scan: list[bytes] | None = None
        """The pose of the scan in the line before."""
        self._scan_moved = False
        self._last_pose: list[bytes] = []
        """Of the last scan or odometry: a robot that stands repeats its pose, which is no echo."""
        self._mounts: dict[bytes, tuple[float, float, float]] = {}
        self._scans = 0
        self._displaced = 0

    def look(self, lines: Iterable[tuple[int, bytes]]) -> Survey:
        for _, line in lines:
            words = line.split()
            try:
                if words and words[0] == PARAM:
                    self._take_param(words)
                elif words and words[0] in MESSAGES and len(words) > 9:
                    self._take_message(words)
            except LineError:
                continue  # told in the second pass, with its number
        return self._result()

    def _take_param(self, words: list[bytes]) -> None:
        name, value = parse_param(words)
        if name in self._params or len(self._params) < MOST_PARAMS:
            self._params[name] = value

    def _take_message(self, words: list[bytes]) -> None:
        pose_before = self._last_pose
        if words[0] == ODOM:
            self._last_pose = words[1:4]
            if self._scan == self._last_pose:
                self._echoed += self._scan_moved
                self._scan = None
                return
        stamps = parse_stamps(words)
        self._lines += 1
        for clock, stamp in zip(self._stamps.values(), stamps, strict=True):
            clock.add(stamp)
        self._scan = None
        if words[0] in LASERS:
            self._take_readings(words)
        if words[0] in OLD_LASERS or words[0] in ROBOT_LASERS:
            self._take_poses(words, pose_before)

    def _take_readings(self, words: list[bytes]) -> None:
        ranges, told_m = readings_of(words)
        try:
            self._readings.setdefault(words[0], Readings()).add(ranges, told_m)
        except ValueError:
            raise LineError("a reading is not a number") from None

    def _take_poses(self, words: list[bytes], pose_before: list[bytes]) -> None:
        laser, robot = poses_of_laser(words)
        self._scan = self._last_pose = laser
        self._scan_moved = laser != pose_before
        self._moved += self._scan_moved
        mount = _mount(laser, robot)
        self._scans += 1
        first = self._mounts.setdefault(words[0], mount)
        if any(abs(now - then) > _SAME_MOUNT for now, then in zip(mount, first, strict=True)):
            self._displaced += 1

    def _result(self) -> Survey:
        echoes = self._moved >= _ENOUGH_SCANS and self._echoed >= _ENOUGH_ECHOES * self._moved
        return Survey(
            self._params,
            choose_clock(self._stamps, self._lines),
            echoes,
            echoes or self._displaced > _FEW_SCANS * self._scans,
            {word: self._limit(word, found) for word, found in self._readings.items()},
        )

    def _limit(self, word: bytes, found: Readings) -> EchoLimit:
        told_m, told_by = told_maximum(self._params, word) if word in OLD_LASERS else (found.told_m, "in its lines")
        return found.limit(word.decode(), told_m, told_by)


def _mount(laser: list[bytes], robot: list[bytes]) -> tuple[float, float, float]:
    """Where the laser sits on the robot according to one line. On a log as recorded this never changes."""
    try:
        values = [float(word) for word in (*laser, *robot)]
    except ValueError:
        raise LineError("a pose is not a number") from None
    x, y, turn = (values[index] - values[index + 3] for index in range(3))
    yaw_rad = values[5]
    if not all(map(math.isfinite, (x, y, turn, yaw_rad))):
        raise LineError("a pose is not a number")
    cos, sin = math.cos(yaw_rad), math.sin(yaw_rad)
    # A rear laser looks backwards: the difference is compared as a sine, which does not mind a whole turn.
    return cos * x + sin * y, cos * y - sin * x, math.sin(turn)
