"""Where the robot should be by now: by the odometry, or, where that is of no use, by continuing the last motion."""

from __future__ import annotations

import math
from dataclasses import dataclass

from .planar import Pose

LEARNING = 0.2
"""The weight of the newest error in the mean."""
BEFORE_JUDGING = 5
MUCH_BETTER = 0.5
"""To continue the last motion must be twice as good as the odometry before it takes its place."""
RAD_AS_M = 1.0
"""How much a wrong direction weighs: what is a metre away is a metre off."""


@dataclass
class Errors:
    """How wrong one kind of guess was lately."""

    along_m: float = 0.0
    turn_rad: float = 0.0

    def learn(self, guess: Pose, found: Pose) -> None:
        off = guess.inverse() @ found
        self.along_m += LEARNING * (math.hypot(off.x_m, off.y_m) - self.along_m)
        self.turn_rad += LEARNING * (abs(off.yaw_rad) - self.turn_rad)

    @property
    def all_m(self) -> float:
        return self.along_m + RAD_AS_M * self.turn_rad


class MotionGuess:
    """Both guesses are made for every scan and judged by the match; the better one is used."""

    def __init__(self) -> None:
        self._odom: Pose | None = None
        """At the last scan; None before the first one."""
        self._pose = Pose(0.0, 0.0, 0.0)
        self._step = Pose(0.0, 0.0, 0.0)
        """From the scan before the last one to the last one."""
        self._by_odom, self._by_step, self._by_standing = Errors(), Errors(), Errors()
        self._judged = 0
        self._odometry_moves = False
        """Whether it ever did. Logs without odometry tell one pose all the time, which says nothing."""

    @property
    def is_judged(self) -> bool:
        return self._judged >= BEFORE_JUDGING

    @property
    def uses_odometry(self) -> bool:
        if not self._odometry_moves:
            return False
        if not self.is_judged:
            return True
        return self._by_step.all_m > MUCH_BETTER * self._by_odom.all_m

    @property
    def errors(self) -> Errors:
        """Of the guess that is used."""
        return self._by_odom if self.uses_odometry else self._by_step

    @property
    def wrong_share(self) -> float:
        """How wrong the guess is, as a share of the way from scan to scan."""
        way_m = self._by_standing.along_m
        return self.errors.along_m / way_m if way_m else 0.0

    def guess(self, odom: Pose) -> Pose:
        self._odometry_moves = self._odometry_moves or (self._odom is not None and odom != self._odom)
        return self._from_odom(odom) if self._odom is None or self.uses_odometry else self._pose @ self._step

    def learn(self, odom: Pose, found: Pose, *, matched: bool) -> None:
        """`matched`: whether `found` is more than the guess itself, which would prove itself right."""
        if self._odom is not None and matched:
            self._by_odom.learn(self._from_odom(odom), found)
            self._by_step.learn(self._pose @ self._step, found)
            self._by_standing.learn(self._pose, found)
            self._judged += 1
        if self._odom is not None:
            self._step = self._pose.inverse() @ found
        self._odom, self._pose = odom, found

    def _from_odom(self, odom: Pose) -> Pose:
        return odom if self._odom is None else self._pose @ (self._odom.inverse() @ odom)
