"""What a player in lockstep gives to the gate: the events of a log from a time on, without those passed over."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from studio.runtime.playing.cursor import Cursor
from studio.runtime.playing.played import Played
from studio.runtime.recording import LoggedEvent
from studio.runtime.replay.inputs import is_of_the_machinery
from studio.runtime.wire.frames import COMMAND_PREFIX, INPUT, Event, Kind, Origin

MARK_EVERY = 2048
"""Events between two places that are found at once."""


class _Mark(NamedTuple):
    """Where the events from a position on are found."""

    position: int
    place_ns: int
    number: int
    counts: Mapping[str, int]


class GivenEvents:
    """Can be gone through from any position. Nothing of the log that lies before is read, but for what restores it.

    Sequences are those of the log, until something of a topic was left out: then they are counted from the last one
    that was given, or everybody who receives it would count a loss.
    """

    def __init__(
        self,
        played: Played,
        logged: Sequence[str],
        topics: Collection[str],
        place: tuple[int, int],
        *,
        restore: Collection[str] = (),
        last: Mapping[str, int],
    ) -> None:
        """`logged`: topics of the log, whose events are numbered; `topics`: those of the system that are played.
        `place`: the time of the log to begin at, and how many events are over there at least. `restore`: topics of the
        log whose last event before that comes first. `last`: topic -> its last sequence that was given before these."""
        self._played = played
        self._logged = logged
        self._topics = frozenset(topics)
        self._place = place
        self._restore = restore
        self._last = last
        self._goes_on: dict[str, bool] = {}
        """Topic -> whether what comes first is the next after its last; otherwise something was left out."""
        self._numbers = array("q")
        """Of each that was given: how many events of the log lie before it; of what only restores, one less than that
        of the next."""
        self._sequences = array("Q")
        self._positions = {topic: array("Q") for topic in sorted(topics)}
        """Topic -> which of those that were given are of it."""
        self._marks: list[_Mark] = []
        cursor = self._opened()
        following = cursor.peek_played()
        self._first = following.number if following is not None else cursor.count
        self.restored = 0
        """How many come only to restore what was last there."""
        while (before := cursor.peek()) is not None and before.number < 0:
            self.restored += played.topics[before.event.topic] in self._topics
            cursor.drop()

    # What was given.

    def number_after(self, given: int) -> int:
        """How many events of the log lie before the next, when so many were given."""
        return self._numbers[given - 1] + 1 if 0 < given <= len(self._numbers) else self._first

    def counts(self, given: int) -> Counter[str]:
        """How many of each topic are among the first that were given."""
        return Counter({topic: bisect_left(positions, given) for topic, positions in self._positions.items()})

    def last_of(self, given: int) -> dict[str, int]:
        """Topic -> the sequence of the last event of it, when so many were given."""
        found = dict(self._last)
        for topic, positions in self._positions.items():
            if count := bisect_left(positions, given):
                found[topic] = self._sequences[positions[count - 1]]
        return found

    # Giving.

    def __iter__(self) -> Iterator[Event]:
        return self.starting_at(0)

    def starting_at(self, position: int) -> Iterator[Event]:
        """From number `position` on, counted from 0."""
        place = bisect_right(self._marks, position, key=lambda mark: mark.position) - 1
        given, counts = 0, dict[str, int]()
        cursor = self._opened() if place < 0 else Cursor(self._played.log, self._logged)
        if place >= 0:
            mark = self._marks[place]
            cursor.seek_place(mark.place_ns, mark.number)
            given, counts = mark.position, dict(mark.counts)
        while (following := cursor.peek()) is not None:
            if given and given % MARK_EVERY == 0 and given == len(self._numbers) and following.number >= 0:
                self._marks.append(_Mark(given, following.place_ns, following.number, dict(counts)))
            cursor.drop()
            logged, topic = following.event, self._played.topics[following.event.topic]
            if is_of_the_machinery(logged):
                continue
            counts[topic] = count = counts.get(topic, 0) + 1
            if topic not in self._topics:
                continue
            sequence = self._sequence(logged, topic, count)
            if given == len(self._numbers):
                self._sequences.append(sequence)
                self._positions[topic].append(given)
                self._numbers.append(following.number if following.number >= 0 else self._first - 1)
            if given >= position:
                yield _event(logged, topic, sequence)
            given += 1

    def _opened(self) -> Cursor:
        time_ns, over = self._place
        cursor = Cursor(self._played.log, self._logged)
        if self._restore:
            cursor.seek(time_ns, self._restore)
        else:
            cursor.seek_place(time_ns, over)
        return cursor

    def _sequence(self, logged: LoggedEvent, topic: str, count: int) -> int:
        sequence = count if logged.flags is None else logged.sequence  # others number as they please
        if topic not in self._last:
            return sequence
        if topic not in self._goes_on:
            self._goes_on[topic] = sequence == self._last[topic] + 1
        # Counted, not moved: in a log of a producer that was restarted they begin again at 1.
        return sequence if self._goes_on[topic] else self._last[topic] + count


def _event(logged: LoggedEvent, topic: str, sequence: int) -> Event:
    kind = Kind.COMMAND if topic.startswith(COMMAND_PREFIX) else Kind.DATA
    stamp_ns = logged.stamp_ns
    return Event(topic, sequence, stamp_ns, None, logged.payload, kind, None, stamp_ns, INPUT, Origin.LOGGED)
