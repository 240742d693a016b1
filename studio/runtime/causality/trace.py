"""The handled trace as a graph that is gone through both ways.

An event is handled by components, which publish others meanwhile: that is what causes and effects are made of. A
component that works by a timer has other inputs: what it read then, and of every other topic what it was given last.

All times are of CLOCK_MONOTONIC, as hosts write them into the trace. An event counts as published when the handling
that published it ended.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter
from typing import Literal

from studio.messages import Handled, HandledTrace, decode
from studio.messages.handled_trace import Identity
from studio.runtime.recording import LogReader
from studio.runtime.replay.causes import publisher_of
from studio.runtime.wire.frames import HANDLED_TOPIC

MACHINERY = "/_studio/"
MOST_ROWS = 60_000
"""Handlings of a running system that are remembered: a minute of a busy one, some 40 MB."""
How = Literal["handled", "read", "kept"]
"""It was the reason; it was looked at; it had been given before, and nobody wrote down whether it was used."""
_start = attrgetter("start_ns")


@dataclass(frozen=True)
class Input:
    """An event that a handling could make use of."""

    event: Identity
    how: How
    stored: Handled | None = None
    """The handling in which the component got it; None where that is this one."""


class Trace:
    """Handlings, found by what they handled and published; of more than `most`, the oldest are forgotten."""

    def __init__(self, most: int | None = None) -> None:
        self._most = most
        self.rows: deque[Handled] = deque()
        self.newest: dict[str, int] = {}
        """Topic -> sequence of the event that was published last."""
        self._made: dict[Identity, Handled] = {}
        self._took: dict[Identity, list[Handled]] = {}
        self._given: dict[str, dict[str, list[Handled]]] = {}
        """Component -> topic -> its handlings of that topic, in their order."""
        self._works: dict[str, list[Handled]] = {}
        """Component -> its handlings that published something."""

    def __len__(self) -> int:
        return len(self.rows)

    # ---- filling

    def add(self, rows: Iterable[Handled]) -> None:
        for row in rows:
            self.rows.append(row)
            self._took.setdefault((row.topic, row.sequence), []).append(row)
            self._given.setdefault(row.component, {}).setdefault(row.topic, []).append(row)
            if row.published:
                self._works.setdefault(row.component, []).append(row)
            for event in row.published:
                self._publish(event, row)
        while self._most is not None and len(self.rows) > self._most:
            self._forget(self.rows.popleft())

    def _publish(self, event: Identity, row: Handled) -> None:
        if event in self._made and event in self._took:
            # A log that was rewound plays it again: what followed the first time is another story.
            self._took[event] = [each for each in self._took[event] if each.start_ns >= row.start_ns]
        self._made[event] = row
        self.newest[event[0]] = event[1]

    def _forget(self, row: Handled) -> None:
        for event in row.published:
            if self._made.get(event) is row:
                del self._made[event]
        own = (row.topic, row.sequence)
        left = [each for each in self._took.get(own, ()) if each is not row]
        if left:
            self._took[own] = left
        else:
            self._took.pop(own, None)
        given = self._given[row.component][row.topic]
        given.pop(0)
        if not given:
            del self._given[row.component][row.topic]
        if row.published:
            self._works[row.component].pop(0)

    # ---- asking

    def made(self, event: Identity) -> Handled | None:
        """The handling in which it was published."""
        return self._made.get(event)

    def took(self, event: Identity) -> list[Handled]:
        """Who handled it."""
        return self._took.get(event, [])

    def knows(self, event: Identity) -> bool:
        return event in self._made or event in self._took

    def events_of(self, topic: str, after: int = 0) -> list[Identity]:
        """Those whose publication is known, in the order of their numbers, behind one of them."""
        numbers = range(after + 1, self.newest.get(topic, 0) + 1)
        return [(topic, number) for number in numbers if (topic, number) in self._made]

    def published_ns(self, event: Identity) -> int | None:
        """When it was there; of an event whose publisher is not in the trace, when its first handling began."""
        made = self._made.get(event)
        if made is not None:
            return made.end_ns
        return min((row.start_ns for row in self.took(event)), default=None)

    def inputs(self, row: Handled) -> list[Input]:
        """What a handling could know."""
        if not row.topic.startswith(MACHINERY):
            return [Input((row.topic, row.sequence), "handled"), *self._reads(row)]
        if self.brings(row):
            return []  # a source: what its commands did to the world is another round
        found = list(self._reads(row))
        topics = {each.event[0] for each in found}
        for topic, rows in self._given.get(row.component, {}).items():
            if topic not in topics and not topic.startswith(MACHINERY):
                place = bisect_left(rows, row.start_ns, key=_start)
                if place:
                    found.append(Input((topic, rows[place - 1].sequence), "kept", rows[place - 1]))
        return found

    def brings(self, row: Handled) -> bool:
        """Whether it published on a port of a source, which has another name than the component behind it."""
        return any(publisher_of(topic) != row.component for topic, _ in row.published)

    def _reads(self, row: Handled) -> Iterator[Input]:
        own = (row.topic, row.sequence)
        for event in row.read:
            if event != own:
                stored = next((each for each in self.took(event) if each.component == row.component), None)
                yield Input(event, "read", stored)

    def uses(self, event: Identity) -> list[tuple[Input, Handled]]:
        """Of each component that was given it, the first handling that published something and could know it.

        A newer event replaces it only for who reads: a handler may have made it part of a map, as its input says kept.
        """
        found = []
        for row in self.took(event):
            if row.published:
                found.append((Input(event, "handled"), row))
                continue
            works = self._works.get(row.component, [])
            place = bisect_right(works, row.start_ns, key=_start)
            if place < len(works):
                later = works[place]
                known = [each for each in self.inputs(later) if each.event[0] == event[0]]
                if any(each.event == event and each.how == "read" for each in known):
                    found.append((Input(event, "read", row), later))
                elif any(each.how == "kept" for each in known):
                    found.append((Input(event, "kept", row), later))
        return found


def trace_of(log: LogReader, start_ns: int | None = None, end_ns: int | None = None, most: int | None = None) -> Trace:
    """The handlings that a log tells of, between two log times. Empty for a log that was recorded elsewhere."""
    trace = Trace(most)
    if HANDLED_TOPIC in log.topics:
        for batch in log.events([HANDLED_TOPIC], start_ns=start_ns, end_ns=end_ns):
            trace.add(decode(HandledTrace, batch.payload))
    return trace
