"""A chunk in memory: checked once, then its messages are rows, and events are made of the rows that are wanted.

Plain tuples and `struct`, no numpy: a chunk holds 50 ms, a few dozen messages, and for so few the fixed costs of array
operations are several times those of the loop. At a thousand messages per chunk both take about the same.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Collection, Sequence
from functools import cached_property, lru_cache, partial
from itertools import repeat
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from studio.runtime.recording.format.checksums import Bytes, crc32
from studio.runtime.recording.format.compression import LARGEST_CHUNK_BYTES, decompress
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.header_batch import Headers, read_headers
from studio.runtime.recording.format.mcap_records import (
    INDEX_ENTRY,
    MESSAGE,
    MESSAGE_FIELDS_BYTES,
    PREFIX,
    ChunkHead,
    Op,
)

_SIGNED = struct.Struct("<BQHIqq")
"""As MESSAGE; a stamp may be negative, and a log time that is so was never written."""
assert _SIGNED.size == MESSAGE.size
_MESSAGE = int(Op.MESSAGE)
_TIME = 2
_WORTH_IT = 8
"""Trying whether messages have one length costs as much as reading so many of them."""
_LOW = 0xFFFFFFFF
_NO_COLUMNS: tuple[Column, ...] = ((),) * 6

Column = tuple[int, ...]
Rows = range | list[int]
"""Which rows are meant; a range where they stand side by side."""


class LoggedEvent(NamedTuple):
    """An event as it was recorded. The fields after the payload are None in logs that do not have them."""

    topic: str
    sequence: int
    stamp_ns: int
    log_time_ns: int
    payload: memoryview
    """Into the chunk, which stays in memory as long as the view does."""
    sent_ns: int | None = None
    cause_topic: int | None = None
    """`topic_hash` of the cause's topic; 0 for none."""
    cause_sequence: int | None = None
    epoch: int | None = None
    kind: int | None = None
    flags: int | None = None
    origin: int | None = None


_new_event: Any = partial(tuple.__new__, LoggedEvent)
"""From a tuple of all fields, without a call of Python code."""
_NO_HEADERS = [repeat(None)] * (len(LoggedEvent._fields) - 5)


class Names(NamedTuple):
    """What a log's channel numbers stand for."""

    topics: dict[int, str]
    hashes: dict[int, int]
    carriers: frozenset[int]
    """The channels that carry headers of events instead of events."""


def checked_content(record: bytes, *, must_have_crc: bool, is_own: bool) -> tuple[ChunkHead, Bytes, memoryview]:
    """The head of a whole chunk record, its content if that is what its checksum says, and the content as stored."""
    view = memoryview(record)
    if len(view) < PREFIX.size or len(view) > LARGEST_CHUNK_BYTES:
        raise LogError(f"there is no chunk of {len(view)} bytes")
    op, length = PREFIX.unpack_from(view)
    if op != Op.CHUNK or length != len(view) - PREFIX.size:
        raise LogError("there is no chunk where the index says")
    head, at = ChunkHead.parse(view[PREFIX.size :])
    stored = view[PREFIX.size + at :]
    if len(stored) < head.stored_size or (is_own and len(stored) > head.stored_size):
        raise LogError("a chunk and its content differ in length")
    stored = stored[: head.stored_size]
    content = decompress(head.compression, stored, head.size)
    if (head.crc or must_have_crc) and crc32(content) != head.crc:
        raise LogError("the checksum of a chunk is not that of its content")
    return head, content, stored


class Chunk:
    """The messages of one chunk in the order of their log times; equal times stay in the order of the file.

    `channels`, `times`, `sequences` (the low 32 bits), `stamps`, `begins` and `ends` have one element per message.
    """

    def __init__(self, content: Bytes, *, may_be_cut: bool = False) -> None:
        self.data = memoryview(content).toreadonly()
        columns, self._others = _columns(content, may_be_cut)
        times = columns[_TIME]
        ordered = sorted(times)
        if times != tuple(ordered):
            rows = sorted(zip(*columns, strict=True), key=itemgetter(_TIME))
            columns = list(zip(*rows, strict=True))
        if ordered and ordered[0] < 0:
            raise LogError("a log time is beyond the year 2262")
        self.channels, self.sequences, self.times, self.stamps, self.begins, self.ends = columns
        self._headers: Headers | Literal[False] | None = False

    def __len__(self) -> int:
        return len(self.times)

    @property
    def definitions(self) -> tuple[list[memoryview], list[memoryview]]:
        """The schemas and the channels that are defined here."""
        schemas = [self.data[begin:end] for op, begin, end in self._others if op == Op.SCHEMA]
        return schemas, [self.data[begin:end] for op, begin, end in self._others if op == Op.CHANNEL]

    def picked(self, wanted: Collection[int], start_ns: int | None = None, end_ns: int | None = None) -> Rows:
        """The rows of these channels from `start_ns` on and before `end_ns`."""
        first = 0 if start_ns is None else bisect_left(self.times, start_ns)
        last = len(self) if end_ns is None else bisect_left(self.times, end_ns)
        rows = [row for row, channel in enumerate(self.channels[first:last], first) if channel in wanted]
        if rows and rows[-1] - rows[0] == len(rows) - 1:
            return range(rows[0], rows[-1] + 1)
        return rows

    def payload(self, row: int) -> memoryview:
        return self.data[self.begins[row] : self.ends[row]]

    def record(self, row: int) -> memoryview:
        """The whole message record, as it can be put into another chunk."""
        return self.data[self.begins[row] - MESSAGE.size : self.ends[row]]

    def index_entries(self) -> dict[int, bytearray]:
        """The entries of its message indexes: log times and places, by channel."""
        found: dict[int, bytearray] = {}
        for channel, time_ns, begin in zip(self.channels, self.times, self.begins, strict=True):
            found.setdefault(channel, bytearray()).extend(INDEX_ENTRY.pack(time_ns, begin - MESSAGE.size))
        return found

    def events(self, rows: Rows, names: Names) -> list[LoggedEvent]:
        data, topics, headers = self.data, names.topics, self.headers(names)
        sequences, after = (headers[1], headers[2:]) if headers else (self.sequences, ())
        columns = _taken((self.channels, self.begins, self.ends, sequences, self.stamps, self.times, *after), rows)
        channels, begins, ends, sequences, stamps, times, *after_payload = columns
        fields = zip(
            [topics[channel] for channel in channels],
            sequences,
            stamps,
            times,
            [data[begin:end] for begin, end in zip(begins, ends, strict=True)],
            *(after_payload or _NO_HEADERS),
            strict=False,
        )
        events = list(map(_new_event, fields))
        if isinstance(rows, range) and rows.step < 0:
            events.reverse()
        return events

    def headers(self, names: Names) -> Headers | None:
        """Columns with an element for each row that is an event; None if these headers are not here."""
        if self._headers is False:
            self._headers = self._read_headers(names)
        return self._headers

    def _read_headers(self, names: Names) -> Headers | None:
        carriers = [row for row, channel in enumerate(self.channels) if channel in names.carriers]
        if not carriers:
            return None
        batches = [read_headers(self.payload(row)) for row in carriers]
        if carriers == [len(self) - 1]:
            channels, sequences, found = self.channels[:-1], self.sequences[:-1], batches[0]
        else:  # not the way we write: another program has put chunks together
            events = [row for row, channel in enumerate(self.channels) if channel not in names.carriers]
            channels, sequences = (tuple(column[row] for row in events) for column in (self.channels, self.sequences))
            found = Headers(
                *(tuple(value for part in column for value in part) for column in zip(*batches, strict=True))
            )
        hashes = names.hashes
        if tuple([hashes[channel] for channel in channels]) != found.topic:
            return None
        if found.sequence != sequences and tuple([sequence & _LOW for sequence in found.sequence]) != sequences:
            return None
        return found if len(channels) == len(self) - 1 else _spread(found, events, len(self))

    @cached_property
    def memory_bytes(self) -> int:
        return len(self.data) + 500 * len(self)


def _columns(data: Bytes, may_be_cut: bool) -> tuple[Sequence[Column], list[tuple[int, int, int]]]:
    """Of all messages channel, sequence, log time, stamp, begin and end; of other records operation, begin and end."""
    equal, at = _equal_columns(data)
    rows: list[Column] = []
    others: list[tuple[int, int, int]] = []
    end = len(data)
    message_at, last = _SIGNED.unpack_from, end - MESSAGE.size
    while at <= last:
        op, length, channel, sequence, time_ns, stamp_ns = message_at(data, at)
        begin, at = at, at + 9 + length
        if op == _MESSAGE:
            if length < MESSAGE_FIELDS_BYTES:
                raise LogError("a message is shorter than its own fields")
            rows.append((channel, sequence, time_ns, stamp_ns, begin + 31, at))
        else:
            others.append((op, begin + 9, at))
    while at <= end - PREFIX.size:
        op, length = PREFIX.unpack_from(data, at)
        if op == Op.MESSAGE and not may_be_cut:
            raise LogError("a message is shorter than its own fields")
        begin, at = at, at + 9 + length
        others.append((op, begin + 9, at))
    if at != end:
        if not may_be_cut:
            raise LogError(f"records do not fill their {end} bytes: the last would end at {at}")
        rows, others = [row for row in rows if row[-1] <= end], [other for other in others if other[-1] <= end]
    if not rows:
        return equal, others
    return [first + rest for first, rest in zip(equal, zip(*rows, strict=True), strict=True)], others


def _equal_columns(data: Bytes) -> tuple[Sequence[Column], int]:
    """The messages at the start that have one length, and where they end.

    One large stream may be nearly all of a log: then this is most of it, without a loop.
    """
    if len(data) < MESSAGE.size:
        return _NO_COLUMNS, 0
    length = int(PREFIX.unpack_from(data)[1])
    size = PREFIX.size + length
    count = len(data) // size
    if count < _WORTH_IT or length < MESSAGE_FIELDS_BYTES:
        return _NO_COLUMNS, 0
    at = 1
    while at < count:  # a few of them tell whether it is worth while
        if PREFIX.unpack_from(data, at * size) != (_MESSAGE, length):
            return _NO_COLUMNS, 0
        at *= 2
    view = memoryview(data)[: count * size]
    ops, lengths, channels, sequences, times, stamps = zip(*_of_length(length).iter_unpack(view), strict=True)
    if ops != (_MESSAGE,) * count or lengths != (length,) * count:
        kinds = zip(ops, lengths, strict=True)
        count = next(at for at, kind in enumerate(kinds) if kind != (_MESSAGE, length))
        channels, sequences, times, stamps = (column[:count] for column in (channels, sequences, times, stamps))
    begins = tuple(range(MESSAGE.size, count * size + MESSAGE.size, size))
    ends = tuple(range(size, (count + 1) * size, size))
    return (channels, sequences, times, stamps, begins, ends), count * size


@lru_cache(maxsize=256)
def _of_length(length: int) -> struct.Struct:
    """As _SIGNED, with the payload passed over."""
    return struct.Struct(f"<BQHIqq{length - MESSAGE_FIELDS_BYTES}x")


def _taken(columns: tuple[Column, ...], rows: Rows) -> list[Column]:
    """The elements of these rows; those of a range that goes backward come forward."""
    if not isinstance(rows, range):
        return [tuple([column[row] for row in rows]) for column in columns]
    # A slice costs next to nothing, and most of all events are read in one piece.
    place = slice(min(rows[0], rows[-1]), max(rows[0], rows[-1]) + 1) if rows else slice(0)
    return [column[place] for column in columns]


def _spread(found: Headers, events: list[int], count: int) -> Headers:
    """With an element for every row."""
    columns = []
    for column in found:
        spread = [0] * count
        for row, value in zip(events, column, strict=True):
            spread[row] = value
        columns.append(tuple(spread))
    return Headers(*columns)
