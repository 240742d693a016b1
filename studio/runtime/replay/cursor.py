"""A place in a log from which it is played on: forwards event by event, and a few events back."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from studio.runtime.clock import SECOND_NS
from studio.runtime.recording import LoggedEvent, LogReader
from studio.runtime.replay.stamp_order import WINDOW_NS, by_stamp

FAR_NS = 60 * SECOND_NS
"""Stamps of others that lie so far from the time of recording are of another clock: the recording's time has to do."""
LOOKED_AT = 64


class Next(NamedTuple):
    event: LoggedEvent
    number: int
    """How many events of the played topics lie before it in the log; -1 for what only restores the state of a place."""


class Cursor:
    """The events of some topics in the order of their stamps, equal ones as recorded: the order of lockstep, too."""

    def __init__(self, log: LogReader, topics: Iterable[str]) -> None:
        self._log = log
        self._topics = tuple(topics)
        self._waiting: deque[Next] = deque()
        self._events: Iterator[Next] = iter(())
        self.start_ns, self.end_ns = self._span()
        self.count = sum(log.topics[topic].count for topic in self._topics)
        self.seek(self.start_ns)

    def _span(self) -> tuple[int, int]:
        firsts = [event.stamp_ns for event in placed(islice(self._log.events(self._topics), LOOKED_AT))]
        lasts = [event.stamp_ns for event in placed(islice(self._log.events(self._topics, reverse=True), LOOKED_AT))]
        return min(firsts, default=0), max(lasts, default=0)

    def seek(self, time_ns: int, restore: Iterable[str] = ()) -> None:
        """Go on with the first event at or after `time_ns`, but before it, of each topic in `restore`, the last one."""
        self._waiting.clear()
        before_ns = time_ns - WINDOW_NS
        counted = self._log.count_before(before_ns, self._topics) if time_ns > self.start_ns else 0
        ordered = by_stamp(placed(self._log.events(self._topics, start_ns=before_ns if counted else None)))
        wanted = set(restore)
        latest: dict[str, LoggedEvent] = {}
        number = counted
        for event in ordered:
            if event.stamp_ns >= time_ns:
                self._waiting.append(Next(event, number))
                break
            number += 1
            latest[event.topic] = event
        self._events = (Next(event, at) for at, event in enumerate(ordered, number + 1))
        for topic in wanted - latest.keys():
            latest |= self._log.latest_before(before_ns, [topic])
        last = sorted((event for topic, event in latest.items() if topic in wanted), key=lambda event: event.stamp_ns)
        self._waiting.extendleft(Next(event, -1) for event in reversed(list(placed(last))))

    def peek(self) -> Next | None:
        """The next event, which stays the next."""
        if not self._waiting:
            following = next(self._events, None)
            if following is None:
                return None
            self._waiting.append(following)
        return self._waiting[0]

    def peek_played(self) -> Next | None:
        """The same, past what only restores."""
        found = next((following for following in self._waiting if following.number >= 0), None)
        if found is None:
            found = next(self._events, None)
            if found is not None:
                self._waiting.append(found)
        return found

    def drop(self) -> None:
        """Go past the event that was looked at."""
        self._waiting.popleft()

    def take_back(self, events: Iterable[Next]) -> None:
        """These come again, before all others."""
        self._waiting.extendleft(reversed(list(events)))


def placed(events: Iterable[LoggedEvent]) -> Iterator[LoggedEvent]:
    """With a stamp by which it can be played. Logs of others may have none, or those of a clock of its own."""
    for event in events:
        if event.flags is None and (not event.stamp_ns or abs(event.stamp_ns - event.log_time_ns) > FAR_NS):
            yield event._replace(stamp_ns=event.log_time_ns)
        else:
            yield event
