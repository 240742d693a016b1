"""Missing events: every topic counts 1, 2, 3 ..., so what a log has not is known exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from studio.runtime.recording.chunk import Chunk, Names
from studio.runtime.recording.chunk_table import ChunkTable


class Gap(NamedTuple):
    """Events missing in a topic: those after sequence `after` and before sequence `before`.

    `before` not above `after` means that the topic began to count anew: its component was restarted.
    """

    topic: str
    after: int
    before: int
    log_time_ns: int
    """Of the event with sequence `before`, the first one that is there again."""

    @property
    def lost(self) -> int:
        return max(0, self.before - self.after - 1)


class _Ends(NamedTuple):
    first: int
    first_ns: int
    last: int


class SequenceCheck:
    """Looks at each chunk once, in any order. Only logs with headers are checked: others number as they please."""

    def __init__(self, table: ChunkTable, names: Names) -> None:
        self._table = table
        self._names = names
        self._ends: dict[tuple[int, int], _Ends] = {}
        self._taken: set[int] = set()
        self._within: dict[int, list[Gap]] = {}

    def take(self, number: int, chunk: Chunk) -> None:
        if number in self._taken:
            return
        self._taken.add(number)
        headers = chunk.headers(self._names)
        if headers is None:
            return
        events = np.flatnonzero(~self._names.carriers[chunk.channels])
        if not len(events):
            return
        order = events[np.argsort(chunk.channels[events], kind="stable")]
        channels, sequences, times = (
            chunk.channels[order],
            headers["sequence"][order].view(np.int64),
            chunk.times[order],
        )
        is_same = channels[1:] == channels[:-1]
        for row in np.flatnonzero(is_same & (np.diff(sequences) != 1)).tolist():
            gap = Gap(
                self._names.topics[int(channels[row])],
                int(sequences[row]),
                int(sequences[row + 1]),
                int(times[row + 1]),
            )
            self._within.setdefault(number, []).append(gap)
        edges = np.flatnonzero(~is_same)
        for first, last in zip([0, *(edges + 1).tolist()], [*edges.tolist(), len(order) - 1], strict=True):
            ends = _Ends(int(sequences[first]), int(times[first]), int(sequences[last]))
            self._ends[number, int(channels[first])] = ends

    def gaps(self) -> list[Gap]:
        found = [gap for gaps in self._within.values() for gap in gaps]
        for channel, topic in self._names.topics.items():
            found += self._between(channel, topic)
        return sorted(found, key=lambda gap: gap.log_time_ns)

    def _between(self, channel: int, topic: str) -> list[Gap]:
        """From chunk to chunk, as far as both are known."""
        found = []
        previous: _Ends | None = None
        table = self._table
        for number in table.entry_chunk[(table.entry_channel == channel) & (table.entry_count > 0)].tolist():
            ends = self._ends.get((number, channel))
            if ends and previous and ends.first != previous.last + 1:
                found.append(Gap(topic, previous.last, ends.first, ends.first_ns))
            previous = ends
        return found
