"""Missing events: every topic counts 1, 2, 3 ..., so what a log has not is known exactly."""

from __future__ import annotations

from typing import NamedTuple

from studio.runtime.recording.format.chunk import Chunk, Names
from studio.runtime.recording.format.chunk_table import ChunkTable
from studio.runtime.recording.format.header_batch import read_sequences


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
        self._taken: set[int] = set()
        self._ends: dict[tuple[int, int], _Ends] = {}
        self._within: list[Gap] = []

    def take(self, number: int, chunk: Chunk) -> None:
        if number in self._taken:
            return
        self._taken.add(number)
        if self._is_one_stream(number, chunk):
            return
        headers = chunk.headers(self._names)
        if headers is None:
            return
        first: dict[int, tuple[int, int]] = {}
        following: dict[int, int] = {}
        """Channel -> the sequence that is expected next."""
        for channel, sequence, time_ns in zip(chunk.channels, headers.sequence, chunk.times, strict=False):
            expected = following.get(channel)
            following[channel] = sequence + 1
            if sequence == expected:
                continue
            if expected is None:
                first[channel] = sequence, time_ns
            elif channel not in self._names.carriers:
                self._within.append(Gap(self._names.topics[channel], expected - 1, sequence, time_ns))
        for channel, (sequence, time_ns) in first.items():
            self._ends[number, channel] = _Ends(sequence, time_ns, following[channel] - 1)

    def _is_one_stream(self, number: int, chunk: Chunk) -> bool:
        """Whether there is one topic only, without a gap: then its ends are all, without a look at each event and
        without most of the headers.
        """
        count = len(chunk) - 1
        if count < 1 or chunk.channels[count] not in self._names.carriers or len(set(chunk.channels)) != 2:
            return False
        channel, sequences = chunk.channels[0], read_sequences(chunk.payload(count))
        if len(sequences) != count or chunk.channels.count(channel) != count:
            return False
        first = sequences[0]
        if sequences != tuple(range(first, first + count)) or chunk.sequences[:count] != sequences:
            return False
        self._ends[number, channel] = _Ends(first, chunk.times[0], first + count - 1)
        return True

    def gaps(self) -> list[Gap]:
        found = list(self._within)
        for channel in self._names.topics.keys() - self._names.carriers:
            topic = self._names.topics[channel]
            found += self._between(channel, topic)
        return sorted(found, key=lambda gap: (gap.log_time_ns, gap.topic))

    def _between(self, channel: int, topic: str) -> list[Gap]:
        """From chunk to chunk, as far as both are known."""
        found = []
        previous: _Ends | None = None
        for number in self._table.chunks_with([channel]).tolist():
            ends = self._ends.get((number, channel))
            if ends and previous and ends.first != previous.last + 1:
                found.append(Gap(topic, previous.last, ends.first, ends.first_ns))
            previous = ends
        return found
