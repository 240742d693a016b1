"""Neighbouring events of a log as columns: whoever only passes events on needs no object for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from studio.runtime.recording.chunk import Chunk, LoggedEvent, Names, Rows


class EventBlock(NamedTuple):
    """The columns have one element per event; `event` makes all of one."""

    topics: Sequence[str]
    stamps: Sequence[int]
    times: Sequence[int]
    payloads: Sequence[memoryview]
    has_headers: bool
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
        [data[begin:end] for begin, end in zip(begins, ends, strict=True)],
        chunk.headers(names) is not None,
        lambda at: chunk.events(rows[at : at + 1], names)[0],
    )


def block_of_events(events: Sequence[LoggedEvent]) -> EventBlock:
    """Events that are there already, all with headers or all without."""
    return EventBlock(
        [event.topic for event in events],
        [event.stamp_ns for event in events],
        [event.log_time_ns for event in events],
        [event.payload for event in events],
        bool(events) and events[0].flags is not None,
        events.__getitem__,
    )
