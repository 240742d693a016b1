"""The broker's side of feeders: asks them for inputs, and has them go back (docs/protocol.md, sections 11 and 12)."""

from __future__ import annotations

from typing import Protocol

from studio.runtime.base.clock import monotonic_ns
from studio.runtime.broker.agenda import Agenda, Feeder, NotKnownYet
from studio.runtime.broker.held import Held
from studio.runtime.broker.jobs import Jobs
from studio.runtime.wire.frames import FEED_PREFIX, Mark

FEED_BATCH = 64
FENCE_WITHIN_NS = 2_000_000_000
"""A feeder that is to leave, and does not answer within this time, has died."""


class Line(Protocol):
    """The forwarding thread, as far as it is needed here."""

    ended: bool
    jobs: Jobs

    def absorb(self) -> None: ...
    def mark_on(self, topic: str, mark: Mark, number: int, about: int = 0) -> None: ...


class Feeders:
    """Processes that obey flow control, by name, with the topics of their inputs."""

    def __init__(self, line: Line, agenda: Agenda[Held]) -> None:
        self._line = line
        self._agenda = agenda
        self._fed: dict[str, Feeder[Held]] = {}
        self._topics: dict[str, frozenset[str]] = {}
        self._rewinds = 0
        self._rewound: dict[str, int] = {}
        """Feeder -> the last time that it went back, by number."""

    def of(self, topic: str) -> Feeder[Held] | None:
        return next((feeder for name, feeder in self._fed.items() if topic in self._topics[name]), None)

    def add(self, name: str, topics: frozenset[str], rewindable: bool = False) -> None:
        feeder: Feeder[Held] = Feeder(name, lambda: self._refill(name))
        if rewindable:
            feeder.rewind = lambda position: self._rewind(name, position)
        self._topics[name] = topics
        self._fed[name] = feeder
        self._agenda.add_feeder(feeder)

    def remove(self, name: str) -> None:
        """It sends no more; what it gave and nobody has taken is gone."""
        feeder = self._fed.get(name)
        if feeder is not None:
            if feeder.rewind is not None:
                self._rewind(name, feeder.position, FENCE_WITHIN_NS)  # what is still on its way comes before the answer
            del self._fed[name]
            feeder.ended = True
            del self._topics[name]
            self._agenda.feeders.remove(feeder)

    def hear_end(self, name: str, fence: int) -> None:
        """It has no more to give, or, with the number of a fence, it has sent all that comes before that."""
        feeder = self._fed.get(name)
        if feeder is not None and fence:
            feeder.fence = fence
        elif feeder is not None:
            feeder.ended = True

    def hear_rewound(self, name: str, number: int) -> None:
        self._rewound[name] = number

    def ask_ahead(self, feeder: Feeder[Held]) -> None:
        """Have it send what comes next, without waiting for that: for who looks while an event is being handled."""
        if feeder.rewind is None or feeder.waiting or feeder.ended:
            return
        if feeder.received >= feeder.taken:
            feeder.taken += FEED_BATCH
        self._line.mark_on(FEED_PREFIX + feeder.name, Mark.STATE, feeder.taken)

    def have_waiting(self, feeder: Feeder[Held], count: int) -> None:
        """Have so many inputs waiting, for somebody who wants to see what comes; one that can go back does not mind."""
        if feeder.rewind is None:
            return
        if len(feeder.waiting) < count and feeder.received >= feeder.taken:
            feeder.taken += FEED_BATCH
        end_ns = monotonic_ns() + FENCE_WITHIN_NS
        while feeder.received < feeder.taken and not feeder.ended and not self._line.ended and monotonic_ns() < end_ns:
            self._line.mark_on(FEED_PREFIX + feeder.name, Mark.STATE, feeder.taken)
            self._line.absorb()

    def _refill(self, name: str) -> tuple[Held, ...] | None:
        """Ask for more and wait for it. The number asked for counts from the start, so asking twice does no harm.

        What was asked for and has not come yet may be on its way, and is not asked for on top.
        """
        feeder = self._fed[name]
        if feeder.answered >= feeder.taken:
            feeder.taken += FEED_BATCH
        while not feeder.waiting and not feeder.ended and not self._line.ended:
            if self._line.jobs.interrupted:
                raise NotKnownYet(f"{name} has not sent its next input yet")
            self._line.mark_on(FEED_PREFIX + name, Mark.STATE, feeder.taken, feeder.answered)
            self._line.absorb()
        return () if feeder.waiting else None

    def _rewind(self, name: str, position: int, within_ns: int | None = None) -> None:
        """Have a feeder go back, and wait until it has: what arrives before its answer is of the time before."""
        self._rewinds += 1
        end_ns = None if within_ns is None else monotonic_ns() + within_ns
        while self._rewound.get(name) != self._rewinds and not self._line.ended:
            if end_ns is not None and monotonic_ns() > end_ns:
                return
            self._line.mark_on(FEED_PREFIX + name, Mark.RESTORE, self._rewinds, position)
            self._line.absorb()
