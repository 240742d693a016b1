"""Events per second from counts that are looked at now and then."""

from __future__ import annotations

from dataclasses import dataclass

from studio.runtime.base.clock import SECOND_NS

LEAST_S = 1.0
"""A rate is measured over at least this, so that it does not flicker, and as long nothing is called silent."""
PERIODS = 3.0
"""So many of its own periods may pass without an event: a slow stream is not a silent one."""


@dataclass
class _Counted:
    since_ns: int
    since_count: int
    """Where the measuring began: at an event, or a slow stream would get a rate that depends on who looks when."""
    last_ns: int
    last_count: int
    """When the count was last found to be another one."""
    rate_hz: float = 0.0


class Rates:
    def __init__(self) -> None:
        self._counted: dict[str, _Counted] = {}

    def rate_hz(self, subject: str, count: int, at_ns: int) -> float:
        """Of a subject that has counted so far by now; 0 as soon as it is silent."""
        known = self._counted.get(subject)
        if known is None:
            known = self._counted[subject] = _Counted(at_ns, count, at_ns, count)
        if count < known.last_count or (count and not known.last_count):  # it counts anew, or has only begun
            known.since_ns, known.since_count, known.last_ns, known.last_count = at_ns, count, at_ns, count
        elif count > known.last_count:
            known.last_ns, known.last_count = at_ns, count
            passed_s = (at_ns - known.since_ns) / SECOND_NS
            if passed_s >= LEAST_S:
                known.rate_hz = (count - known.since_count) / passed_s
                known.since_ns, known.since_count = at_ns, count
        elif known.rate_hz and (at_ns - known.last_ns) / SECOND_NS >= max(LEAST_S, PERIODS / known.rate_hz):
            known.rate_hz = 0.0
            known.since_ns, known.since_count = known.last_ns, known.last_count
        return round(known.rate_hz, 1 if known.rate_hz >= 1 else 3)
