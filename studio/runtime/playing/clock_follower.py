"""The clock of a system into which a log is played flat out: it follows the player, whose speed nobody knows before."""

from __future__ import annotations

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.wire.frames import FASTEST

FOLLOW_EVERY_S = 0.1
SLOWEST = 0.01
"""A clock that follows never stands: then it would be a paused one."""


class ClockFollower:
    """Tells at which rate the clock has to go on, so that it will be where the player is when it is next looked at."""

    def __init__(self) -> None:
        self._before: tuple[int, int] | None = None
        """A moment, and system time at the place where the player was then."""

    def begin(self) -> None:
        self._before = None

    def rate(self, moment_ns: int, at_ns: int, clock_ns: int) -> float | None:
        """The player is at `at_ns`, the clock at `clock_ns`; None while it is too early to tell."""
        if self._before is None or moment_ns <= self._before[0] or at_ns < self._before[1]:
            self._before = moment_ns, at_ns
            return None
        passed_ns = moment_ns - self._before[0]
        if passed_ns < FOLLOW_EVERY_S * SECOND_NS / 2:
            return None
        expected_ns = 2 * at_ns - self._before[1]
        self._before = moment_ns, at_ns
        return min(FASTEST, max(SLOWEST, (expected_ns - max(at_ns, clock_ns)) / passed_ns))
