"""Which topics have fallen silent: those that had a rhythm of their own, and have missed it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from statistics import median

from studio.runtime.base.clock import SECOND_NS

PERIODS = 3.0
"""So many of its own periods may pass without an event: a slow stream is not a silent one."""
LEAST_S = 1.0
"""As long nothing is called silent, as it is for the eyes of people."""
LEAST_SEEN, MOST_SEEN = 4, 12
"""Periods from which a rhythm is told: what came once or twice has none, and an old one does not count for ever."""
JUMP_NS = 10 * SECOND_NS
"""Farther goes no clock from one look to the next: a log was taken elsewhere."""


@dataclass
class _Heard:
    count: int
    at_ns: int
    wall_ns: int
    silent_ns: int = 0
    """Time of the system since its last event."""
    silent_wall_ns: int = 0
    periods_ns: deque[float] = field(default_factory=lambda: deque(maxlen=MOST_SEEN))

    @property
    def period_ns(self) -> float | None:
        """None while it has no rhythm: who publishes on a change is silent in between, and nothing is wrong."""
        if len(self.periods_ns) < LEAST_SEEN:
            return None
        usual = median(self.periods_ns)
        pauses = sum(period > PERIODS * usual for period in self.periods_ns)
        return usual if 8 * pauses <= len(self.periods_ns) else None


class SilentTopics:
    """Silence is counted in the time of the system: a log in slow motion is slow, and who waits at a gate is not
    silent. For the least of it the clock on the wall counts: counts come a little later than the time of a fast log."""

    def __init__(self) -> None:
        self._heard: dict[str, _Heard] = {}

    def quiet_s(self, topic: str, count: int, at_ns: int, wall_ns: int, *, goes: bool) -> int:
        """For how long a topic that has counted so far misses its events; 0 while it does not, or the system stands."""
        heard = self._heard.get(topic)
        if heard is None or count < heard.count or (count and not heard.count):  # it has only begun, or counts anew
            self._heard[topic] = _Heard(count, at_ns, wall_ns)
            return 0
        step_ns, wall_step_ns = at_ns - heard.at_ns, wall_ns - heard.wall_ns
        heard.at_ns, heard.wall_ns = at_ns, wall_ns
        if not 0 <= step_ns <= JUMP_NS:
            heard.silent_ns = heard.silent_wall_ns = 0
        elif goes:
            heard.silent_ns += step_ns
            heard.silent_wall_ns += wall_step_ns
        if count > heard.count:
            heard.periods_ns.append(heard.silent_ns / (count - heard.count))
            heard.count, heard.silent_ns, heard.silent_wall_ns = count, 0, 0
        period_ns = heard.period_ns
        if not goes or period_ns is None or heard.silent_wall_ns < LEAST_S * SECOND_NS:
            return 0
        return max(heard.silent_ns // SECOND_NS, 1) if heard.silent_ns >= PERIODS * period_ns else 0
