"""Reads logs: ours, and MCAP files of others.

    with LogReader("drive.mcap") as log:
        for event in log.events(topics=["/laser/scan"], start_ns=log.start_ns + 10**9):
            scan = decode(Range3d, event.payload)

Every chunk is checked by its CRC before anything of it is handed out. Sequences are checked as chunks are read: what is
missing is found in `gaps`; after `check`, which reads everything, these are all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush, heapreplace
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from studio.messages import Bookmark
from studio.runtime.recording.format.bookmarks import BOOKMARK_TOPIC, read_bookmarks
from studio.runtime.recording.format.chunk import Chunk, LoggedEvent
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.event_block import EventBlock, block_of_rows, blocks_of_events
from studio.runtime.recording.format.log_source import LogSource
from studio.runtime.recording.format.mcap_records import AttachmentIndex, Schema
from studio.runtime.recording.format.record_walk import Numbers
from studio.runtime.recording.reading.chunk_cache import ChunkCache
from studio.runtime.recording.reading.gaps import Gap, SequenceCheck
from studio.runtime.recording.reading.log_extras import read_attachment, read_metadata
from studio.runtime.recording.reading.log_index import LogIndex, names_of, read_summary
from studio.runtime.recording.reading.log_scan import Progress, scan

_FIRST_BLOCK, _LATER_BLOCKS = 8, 512
_MOST_CHOICES = 64


@dataclass(frozen=True)
class Topic:
    """A topic of a log. `schema.data` is the text of the type, whether Studio knows it or not."""

    name: str
    schema: Schema
    encoding: str
    count: int
    channels: tuple[int, ...]
    """Several, if several writers had the topic."""

    @property
    def schema_text(self) -> str:
        return self.schema.data.decode("utf-8", "replace")


@dataclass(frozen=True)
class TopicStatistics:
    count: int
    first_ns: int | None
    last_ns: int | None
    """Log times; None for a topic without events."""


class LogReader:
    """One log, opened by its summary; a log without one is scanned once, with `progress(bytes done, bytes in all)`."""

    def __init__(self, path: Path | str, *, progress: Progress | None = None) -> None:
        self._source = LogSource(path)
        try:
            self._index = _index_of(self._source, progress)
            self._names = names_of(self._index.definitions)
            self._chunks = self._index.chunks
            self._cache = ChunkCache(self._source, self._index)
            self._choices: dict[tuple[str, ...] | None, tuple[frozenset[int], Numbers]] = {}
            self._sequences = SequenceCheck(self._chunks, self._names)
        except LogError:
            self._source.close()
            raise

    # What the log is

    @property
    def path(self) -> Path:
        return self._source.path

    @property
    def size(self) -> int:
        return self._source.size

    @property
    def profile(self) -> str:
        return self._index.profile

    @property
    def library(self) -> str:
        return self._index.library

    @property
    def is_own(self) -> bool:
        """Whether Studio wrote it."""
        return self._index.is_own

    @property
    def is_finished(self) -> bool:
        """Whether the recorder closed it."""
        return self._index.is_finished

    @property
    def problems(self) -> list[str]:
        """What is wrong with the log, although it can be read."""
        return list(self._index.problems)

    @cached_property
    def topics(self) -> dict[str, Topic]:
        """All topics, by name, in the order in which they were added; the headers of events are not one."""
        counts = self._index.counts
        found: dict[str, Topic] = {}
        for number, channel in self._index.definitions.channels.items():
            if number in self._names.carriers:
                continue
            name = self._names.topics[number]
            known = found.get(name)
            others, count = (known.channels, known.count) if known else ((), 0)
            schema = self._index.definitions.schema_of(channel)
            found[name] = Topic(name, schema, channel.encoding, count + counts.get(number, 0), (*others, number))
        return found

    @property
    def event_count(self) -> int:
        return sum(topic.count for topic in self.topics.values())

    @cached_property
    def start_ns(self) -> int:
        """Log time of the first event; 0 in an empty log."""
        filled = self._chunks.start_ns[self._chunks.messages > 0]
        return int(filled.min()) if len(filled) else 0

    @cached_property
    def end_ns(self) -> int:
        filled = self._chunks.end_ns[self._chunks.messages > 0]
        return int(filled.max()) if len(filled) else 0

    def statistics(self, topic: str) -> TopicStatistics:
        """Reads the first and the last chunk with events of the topic."""
        first = next(self.events([topic]), None)
        last = next(self.events([topic], reverse=True), None)
        return TopicStatistics(
            self.topics[topic].count, first.log_time_ns if first else None, last.log_time_ns if last else None
        )

    # Events

    def events(
        self,
        topics: Iterable[str] | None = None,
        *,
        start_ns: int | None = None,
        end_ns: int | None = None,
        reverse: bool = False,
    ) -> Iterator[LoggedEvent]:
        """Events with `start_ns` <= log time < `end_ns`, in that order; reverse is exactly the reverse of it."""
        wanted, numbers = self._choice(topics)
        numbers = self._between(numbers, start_ns, end_ns)
        if reverse:
            numbers = numbers[::-1]
        if self._chunks.is_disjoint:
            return chain.from_iterable(self._blocks(numbers.tolist(), wanted, start_ns, end_ns, reverse))
        return self._merged(numbers, wanted, start_ns, end_ns, reverse)

    def blocks(self, topics: Iterable[str] | None = None, *, start_ns: int | None = None) -> Iterator[EventBlock]:
        """The same events as columns, for whoever takes many at once; as a chunk has them, so a block may be empty."""
        if not self._chunks.is_disjoint:
            events = self.events(topics, start_ns=start_ns)
            yield from blocks_of_events(events)
            return
        wanted, numbers = self._choice(topics)
        keep = True
        for number in self._between(numbers, start_ns, None).tolist():
            chunk = self._chunk(number, keep=keep)
            keep = False
            yield block_of_rows(chunk, chunk.picked(wanted, start_ns), self._names)

    def first_from(self, time_ns: int, topics: Iterable[str] | None = None) -> LoggedEvent | None:
        """The first event at or after a time."""
        return next(self.events(topics, start_ns=time_ns), None)

    def latest_before(self, time_ns: int, topics: Iterable[str] | None = None) -> dict[str, LoggedEvent]:
        """Of each topic its last event before a time: what a system that starts there would have seen."""
        found = {}
        for topic in self.topics if topics is None else topics:
            event = next(self.events([topic], end_ns=time_ns, reverse=True), None)
            if event is not None:
                found[topic] = event
        return found

    def count_before(self, time_ns: int, topics: Iterable[str] | None = None) -> int:
        """How many events have an earlier log time: by the index, of the chunks around that time by looking."""
        wanted, numbers = self._choice(topics)
        starts, ends = self._chunks.start_ns[numbers], self._chunks.end_ns[numbers]
        whole = int(self._chunks.counts_of(wanted)[numbers[ends < time_ns]].sum())
        parts = numbers[(starts < time_ns) & (ends >= time_ns)].tolist()
        return whole + sum(len(self._chunk(number).picked(wanted, end_ns=time_ns)) for number in parts)

    def density(self, topic: str, edges_ns: Numbers) -> NDArray[np.float64]:
        """About how many events of a topic lie between these times: by the index, without looking into chunks."""
        wanted, numbers = self._choice([topic])
        counts = self._chunks.counts_of(wanted)[numbers]
        starts, ends = self._chunks.start_ns[numbers], self._chunks.end_ns[numbers]
        lengths = np.maximum(ends - starts, 1)
        shares = np.clip((edges_ns[:, None] - starts[None, :]) / lengths[None, :], 0.0, 1.0)
        before: NDArray[np.float64] = shares @ counts.astype(np.float64)
        return np.diff(before)

    def nth(self, topic: str, number: int) -> LoggedEvent:
        """Event `number` of a topic, counted from 0; -1 is the last."""
        count = self._topic(topic).count
        place = number + count if number < 0 else number
        if not 0 <= place < count:
            raise LogError(f"{topic} has {count} events, there is no number {number}", file=self.path)
        event = self._nth(topic, place)
        if event is None:
            raise self._source.damaged(f"it has fewer events of {topic} as it says")
        return event

    def _nth(self, topic: str, place: int) -> LoggedEvent | None:
        if not self._chunks.is_disjoint:
            return next(islice(self.events([topic]), place, None), None)
        wanted, _ = self._choice([topic])
        upto = np.cumsum(self._chunks.counts_of(wanted))
        number = int(np.searchsorted(upto, place, "right"))
        if number == len(upto):
            return None
        chunk = self._chunk(number)
        before = int(upto[number - 1]) if number else 0
        return next(iter(chunk.events(chunk.picked(wanted)[place - before :][:1], self._names)), None)

    def _blocks(
        self, numbers: list[int], wanted: frozenset[int], start_ns: int | None, end_ns: int | None, reverse: bool
    ) -> Iterator[list[LoggedEvent]]:
        """In blocks, the first of them small: whoever wants one event does not pay for hundreds."""
        block = _FIRST_BLOCK
        for number in numbers:
            chunk = self._chunk(number, keep=block == _FIRST_BLOCK)
            rows = chunk.picked(wanted, start_ns, end_ns)
            if reverse:
                rows = rows[::-1]
            at = 0
            while at < len(rows):
                yield chunk.events(rows[at : at + block], self._names)
                at, block = at + block, _LATER_BLOCKS

    def _merged(
        self, numbers: Numbers, wanted: frozenset[int], start_ns: int | None, end_ns: int | None, reverse: bool
    ) -> Iterator[LoggedEvent]:
        """Chunks that overlap in time, as others may write them: as many are open as overlap."""
        sign = -1 if reverse else 1
        edges = self._chunks.end_ns if reverse else self._chunks.start_ns
        numbers = numbers[np.lexsort((sign * numbers, sign * edges[numbers]))]
        heap: list[tuple[int, int, int, LoggedEvent, Iterator[LoggedEvent]]] = []
        for number in numbers.tolist():
            yield from _drained(heap, sign, sign * int(edges[number]))
            stream = chain.from_iterable(self._blocks([number], wanted, start_ns, end_ns, reverse))
            first = next(stream, None)
            if first is not None:
                heappush(heap, (sign * first.log_time_ns, sign * number, 0, first, stream))
        yield from _drained(heap, sign, None)

    def _between(self, numbers: Numbers, start_ns: int | None, end_ns: int | None) -> Numbers:
        if self._chunks.is_disjoint:
            first = 0 if start_ns is None else int(self._chunks.end_ns[numbers].searchsorted(start_ns))
            last = len(numbers) if end_ns is None else int(self._chunks.start_ns[numbers].searchsorted(end_ns))
            return numbers[first:last]
        if start_ns is not None:
            numbers = numbers[self._chunks.end_ns[numbers] >= start_ns]
        if end_ns is not None:
            numbers = numbers[self._chunks.start_ns[numbers] < end_ns]
        return numbers

    def _chunk(self, number: int, *, keep: bool = True) -> Chunk:
        chunk = self._cache.get(number, keep=keep)
        self._sequences.take(number, chunk)
        return chunk

    def _topic(self, name: str) -> Topic:
        try:
            return self.topics[name]
        except KeyError:
            names = ", ".join(self.topics) or "none"
            raise LogError(f"has no topic {name}", file=self.path, hint=f"its topics are {names}") from None

    def _choice(self, topics: Iterable[str] | None) -> tuple[frozenset[int], Numbers]:
        """The numbers of the wanted channels, and the chunks that have any of them."""
        key = None if topics is None else tuple(topics)
        known = self._choices.get(key)
        if known is None:
            if len(self._choices) >= _MOST_CHOICES:
                self._choices.clear()
            chosen = self.topics.values() if key is None else map(self._topic, key)
            wanted = frozenset(channel for topic in chosen for channel in topic.channels)
            known = self._choices[key] = wanted, self._chunks.chunks_with(wanted)
        return known

    def bookmarks(self) -> list[tuple[int, Bookmark]]:
        """Log time and content, in the order of the log."""
        return list(read_bookmarks(self.events([BOOKMARK_TOPIC]))) if BOOKMARK_TOPIC in self.topics else []

    # Checks

    @property
    def gaps(self) -> list[Gap]:
        """Missing sequence numbers found so far, in the order of the log."""
        return self._sequences.gaps()

    def check(self, progress: Progress | None = None) -> list[Gap]:
        """Read every chunk, so that every checksum has been checked, and tell all gaps."""
        for number in range(len(self._chunks)):
            self._chunk(number, keep=False)
            if progress:
                progress(number + 1, len(self._chunks))
        return self.gaps

    # What is not an event

    @property
    def attachments(self) -> list[AttachmentIndex]:
        return list(self._index.attachments)

    def attachment(self, name: str) -> bytes:
        """The content of the last attachment of this name."""
        for index in reversed(self._index.attachments):
            if index.name == name:
                return self.attached(index)
        names = ", ".join(index.name for index in self._index.attachments) or "none"
        raise LogError(f"has no attachment {name!r}", file=self.path, hint=f"it has {names}")

    def attached(self, index: AttachmentIndex) -> bytes:
        """The content of one of several of a name."""
        return read_attachment(self._source, index, is_own=self.is_own)

    def metadata(self) -> list[tuple[str, dict[str, str]]]:
        """Names and values, in the order of the log; one name may come several times."""
        is_own = self._index.is_own
        return [(index.name, read_metadata(self._source, index, is_own=is_own)) for index in self._index.metadata]

    def close(self) -> None:
        """Payloads handed out stay good."""
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _index_of(source: LogSource, progress: Progress | None) -> LogIndex:
    try:
        index = read_summary(source)
    except LogError as error:
        found = scan(source, progress)
        found.problems.append(f"its summary cannot be used: {error.message}")
        return found
    return index or scan(source, progress)


def _drained(heap: list[Any], sign: int, bound: int | None) -> Iterator[LoggedEvent]:
    """The events before `bound`, the earliest first; `heap` holds streams by their next event."""
    while heap and (bound is None or heap[0][0] < bound):
        _, number, index, event, stream = heap[0]
        yield event
        following = next(stream, None)
        if following is None:
            heappop(heap)
        else:
            heapreplace(heap, (sign * following.log_time_ns, number, index + 1, following, stream))
