"""Events of a log as they are played, one after the other: columns, and an event of its own where one is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from studio.runtime.recording import LoggedEvent
from studio.runtime.recording.event_block import EventBlock, block_of_events


class Next(NamedTuple):
    event: LoggedEvent
    number: int
    """How many events of the played topics lie before it in the log; -1 for what only restores the state of a place."""
    place_ns: int
    """When it is played: its stamp, or that of an earlier event of its topic if stamps go backwards."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Flat out a player has a few microseconds for each event, so nothing is made of one that is only sent."""

    topics: Sequence[str]
    stamps: Sequence[int]
    payloads: Sequence[memoryview]
    blocks: Sequence[EventBlock]
    rows: Sequence[int]
    """Where the whole event is found."""
    numbers: Sequence[int]
    places: Sequence[int]

    @classmethod
    def of(cls, events: Sequence[Next]) -> Stretch:
        block = block_of_events([following.event for following in events])
        return cls(
            block.topics,
            block.stamps,
            block.payloads,
            [block] * len(events),
            range(len(events)),
            [following.number for following in events],
            [following.place_ns for following in events],
        )

    @property
    def count(self) -> int:
        return len(self.topics)

    def part(self, first: int, last: int) -> Stretch:
        return Stretch(
            self.topics[first:last],
            self.stamps[first:last],
            self.payloads[first:last],
            self.blocks[first:last],
            self.rows[first:last],
            self.numbers[first:last],
            self.places[first:last],
        )

    def at(self, index: int) -> Next:
        event = self.blocks[index].event(self.rows[index])
        if event.stamp_ns != self.stamps[index]:
            event = event._replace(stamp_ns=self.stamps[index])
        return Next(event, self.numbers[index], self.places[index])

    def each(self) -> Iterator[Next]:
        return map(self.at, range(self.count))


NOTHING = Stretch.of([])
