"""Neighbouring events of a log as columns: whoever only passes events on needs no object for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple, overload

from studio.runtime.recording.format.chunk import Chunk, LoggedEvent, Names, Rows

FIRST_BLOCK, LARGEST_BLOCK, BLOCK_BYTES = 8, 512, 2 << 20
"""Events that are gathered into one: few at first, when maybe one is wanted, and few of large ones."""


class Payloads(Sequence[memoryview]):
    """Payloads that lie in one place: a view is made of one that is asked for, and of none that is only passed on."""

    __slots__ = ("begins", "data", "ends")

    def __init__(self, data: memoryview, begins: Sequence[int], ends: Sequence[int]) -> None:
        self.data, self.begins, self.ends = data, begins, ends

    def __len__(self) -> int:
        return len(self.begins)

    @overload
    def __getitem__(self, at: int) -> memoryview: ...
    @overload
    def __getitem__(self, at: slice) -> Payloads: ...
    def __getitem__(self, at: int | slice) -> memoryview | Payloads:
        if isinstance(at, slice):
            return Payloads(self.data, self.begins[at], self.ends[at])
        return self.data[self.begins[at] : self.ends[at]]

    def __iter__(self) -> Iterator[memoryview]:
        data = self.data
        return (data[begin:end] for begin, end in zip(self.begins, self.ends, strict=True))


def bytes_of(payloads: Sequence[memoryview]) -> int:
    """In all of them."""
    if isinstance(payloads, Payloads):
        return sum(payloads.ends) - sum(payloads.begins)
    return sum(map(len, payloads))


class EventBlock(NamedTuple):
    """The columns have one element per event; `event` makes all of one."""

    topics: Sequence[str]
    stamps: Sequence[int]
    times: Sequence[int]
    payloads: Sequence[memoryview]
    has_headers: Callable[[], bool]
    event: Callable[[int], LoggedEvent]


def block_of_rows(chunk: Chunk, rows: Rows, names: Names) -> EventBlock:
    """Rows of a chunk, forwards."""
    data, topics = chunk.data, names.topics
    whole = (chunk.channels, chunk.stamps, chunk.times, chunk.begins, chunk.ends)
    columns: Iterable[Sequence[int]]
    if isinstance(rows, range):
        columns = (column[rows.start : rows.stop] for column in whole)
    else:
        columns = ([column[row] for row in rows] for column in whole)
    channels, stamps, times, begins, ends = columns
    return EventBlock(
        [topics[channel] for channel in channels],
        stamps,
        times,
        Payloads(data, begins, ends),
        lambda: chunk.headers(names) is not None,
        lambda at: chunk.events(rows[at : at + 1], names)[0],
    )


def block_of_events(events: Sequence[LoggedEvent]) -> EventBlock:
    """Events that are there already, all with headers or all without."""
    return EventBlock(
        [event.topic for event in events],
        [event.stamp_ns for event in events],
        [event.log_time_ns for event in events],
        [event.payload for event in events],
        lambda: bool(events) and events[0].flags is not None,
        events.__getitem__,
    )


def blocks_of_events(events: Iterable[LoggedEvent]) -> Iterator[EventBlock]:
    """Events that come one by one, in the same order."""
    block: list[LoggedEvent] = []
    most, size = FIRST_BLOCK, 0
    for event in events:
        block.append(event)
        size += len(event.payload)
        if len(block) >= most or size >= BLOCK_BYTES:
            yield from _alike(block)
            block, size, most = [], 0, min(2 * most, LARGEST_BLOCK)
    yield from _alike(block)


def _alike(events: Iterable[LoggedEvent]) -> Iterator[EventBlock]:
    """Of several files that were put together one may have headers and the other none."""
    for _, alike in groupby(events, lambda event: event.flags is None):
        yield block_of_events(list(alike))
