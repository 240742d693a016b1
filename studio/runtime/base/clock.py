"""Time. The only module that reads the operating system's clocks; everybody else asks a Clock.

System time is a straight line over CLOCK_MONOTONIC (which is one for all processes of a machine), so a host can
evaluate it without asking anyone: `base + (monotonic - at) * rate`. Rate 0 is a clock that stands.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from enum import IntEnum

SECOND_NS = 1_000_000_000
FARTHEST_NS = 2**62
"""No time lies further from 1970, on either side: a period or a way on top of it would not fit into 64 bits. A clock
that goes very fast comes there, and stays."""


class ClockKind(IntEnum):
    WALL = 0
    LOG = 1
    SIMULATION = 2


monotonic_ns = time.monotonic_ns
"""Machine time, for durations and deadlines of the machinery itself; never for data. The function itself, and not one
that calls it: it is asked several times for every event."""


def wall_ns() -> int:
    """Nanoseconds since 1970: where a wall clock starts."""
    return time.time_ns()


@dataclass(frozen=True)
class Clock:
    """System time as a line; changing it gives a new Clock that goes on from the same moment."""

    kind: ClockKind
    base_ns: int
    at_ns: int
    rate: float = 1.0

    @classmethod
    def wall(cls) -> Clock:
        return cls(ClockKind.WALL, wall_ns(), monotonic_ns())

    @classmethod
    def starting_at(cls, kind: ClockKind, start_ns: int, rate: float = 1.0) -> Clock:
        return cls(kind, start_ns, monotonic_ns(), rate)

    def now_ns(self) -> int:
        if self.rate == 1.0:
            return self.base_ns + monotonic_ns() - self.at_ns
        return self.at_moment(monotonic_ns())

    def at_moment(self, moment_ns: int) -> int:
        """System time at a moment of CLOCK_MONOTONIC."""
        if self.rate == 1.0:
            return self.base_ns + moment_ns - self.at_ns
        return min(FARTHEST_NS, self.base_ns + int((moment_ns - self.at_ns) * self.rate))

    def moment_of(self, system_ns: int) -> int | None:
        """The moment of CLOCK_MONOTONIC at which system time will be `system_ns`; None while the clock stands."""
        if self.rate == 0.0:
            return None
        return self.at_ns + int((system_ns - self.base_ns) / self.rate)

    @property
    def stands(self) -> bool:
        return self.rate == 0.0

    def with_rate(self, rate: float) -> Clock:
        moment = monotonic_ns()
        return replace(self, base_ns=self.at_moment(moment), at_ns=moment, rate=rate)

    def stopped_at(self, system_ns: int) -> Clock:
        """A standing clock that shows `system_ns`: how a gate steps through virtual time."""
        return replace(self, base_ns=system_ns, at_ns=monotonic_ns(), rate=0.0)
