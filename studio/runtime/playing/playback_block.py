"""Events of a log as they are played, one after the other: columns, and an event of its own where one is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from studio.runtime.recording import LoggedEvent


class Next(NamedTuple):
    event: LoggedEvent
    number: int
    """How many events of the played topics lie before it in the log; -1 for what only restores the state of a place."""
    place_ns: int
    """When it is played: its stamp, or that of an earlier event of its topic if stamps go backwards."""


@dataclass(frozen=True, slots=True)
class PlaybackBlock:
    """Flat out a player has a few microseconds for each event, so nothing is made of one that is only sent."""

    topics: Sequence[str]
    stamps: Sequence[int]
    payloads: Sequence[memoryview]
    numbers: Sequence[int]
    places: Sequence[int]
    event: Callable[[int], LoggedEvent]
    """All of one event, as it was recorded."""
    before: int = 0
    """Of this part, how many events the whole has before it: those count for `event`."""

    @classmethod
    def of(cls, events: Sequence[Next]) -> PlaybackBlock:
        whole = [following.event for following in events]
        return cls(
            [event.topic for event in whole],
            [event.stamp_ns for event in whole],
            [event.payload for event in whole],
            [following.number for following in events],
            [following.place_ns for following in events],
            whole.__getitem__,
        )

    @property
    def count(self) -> int:
        return len(self.topics)

    def part(self, first: int, last: int) -> PlaybackBlock:
        if first == 0 and last == self.count:
            return self
        return PlaybackBlock(
            self.topics[first:last],
            self.stamps[first:last],
            self.payloads[first:last],
            self.numbers[first:last],
            self.places[first:last],
            self.event,
            self.before + first,
        )

    def at(self, index: int) -> Next:
        event = self.event(self.before + index)
        if event.stamp_ns != self.stamps[index]:
            event = event._replace(stamp_ns=self.stamps[index])
        return Next(event, self.numbers[index], self.places[index])

    def each(self) -> Iterator[Next]:
        return map(self.at, range(self.count))


NOTHING = PlaybackBlock.of([])
