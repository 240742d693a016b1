"""A chunk in memory: checked once, then its messages are rows, and events are made of the rows that are wanted."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, partial
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.messages import EventHeaders, MessageError, decode
from studio.runtime.recording.checksums import Bytes, crc32
from studio.runtime.recording.compression import LARGEST_CHUNK_BYTES, decompress
from studio.runtime.recording.errors import LogError
from studio.runtime.recording.header_batch import Columns, unpack_headers
from studio.runtime.recording.mcap_records import MESSAGE, MESSAGE_FIELDS_BYTES, PREFIX, ChunkHead, Op
from studio.runtime.recording.record_walk import Numbers, Records, columns, walk

_ROW = np.dtype([("channel", "<u2"), ("sequence", "<u4"), ("log_time_ns", "<i8"), ("stamp_ns", "<i8")])
assert _ROW.itemsize == MESSAGE_FIELDS_BYTES
HEADER_FIELDS = ("sent_ns", "cause_topic", "cause_sequence", "kind", "flags", "origin", "epoch")


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
    kind: int | None = None
    flags: int | None = None
    origin: int | None = None
    epoch: int | None = None


_new_event: Any = partial(tuple.__new__, LoggedEvent)
"""From a tuple of all fields, without a call of Python code."""


class Names(NamedTuple):
    """What a log's channel numbers stand for."""

    topics: dict[int, str]
    hashes: dict[int, int]
    carriers: NDArray[np.bool_]
    """By channel number: whether it carries headers of events instead of events."""


def checked_content(record: bytes, *, must_have_crc: bool) -> tuple[ChunkHead, Bytes]:
    """The content of a whole chunk record, if it is what its checksum says."""
    view = memoryview(record)
    if len(view) < PREFIX.size or len(view) > LARGEST_CHUNK_BYTES:
        raise LogError(f"there is no chunk of {len(view)} bytes")
    op, length = PREFIX.unpack_from(view)
    if op != Op.CHUNK or length != len(view) - PREFIX.size:
        raise LogError("there is no chunk where the index says")
    head, at = ChunkHead.parse(view[PREFIX.size :])
    stored = view[PREFIX.size + at :]
    if len(stored) != head.stored_size:
        raise LogError("a chunk and its content differ in length")
    content = decompress(head.compression, stored, head.size)
    if (head.crc or must_have_crc) and crc32(content) != head.crc:
        raise LogError("the checksum of a chunk is not that of its content")
    return head, content


class Chunk:
    """The messages of one chunk in the order of their log times; equal times stay in the order of the file."""

    def __init__(self, content: Bytes, *, may_be_cut: bool = False) -> None:
        self._records = walk(content, to_the_end=not may_be_cut)
        self.data = memoryview(content).toreadonly()
        messages = self._records.of(Op.MESSAGE)
        if np.any(messages.ends - messages.begins < MESSAGE.size):
            raise LogError("a message is shorter than its own fields")
        rows = columns(messages.raw, messages.begins + PREFIX.size, _ROW)
        begins, ends = messages.begins + MESSAGE.size, messages.ends
        times = rows["log_time_ns"]
        if len(times) and int(times.min()) < 0:
            raise LogError("a log time is beyond the year 2262")
        if np.any(times[1:] < times[:-1]):
            order = np.argsort(times, kind="stable")
            rows, begins, ends = rows[order], begins[order], ends[order]
        self._rows, self._begins, self._ends = rows, begins, ends
        self.times: Numbers = np.ascontiguousarray(rows["log_time_ns"])
        self.channels: Numbers = rows["channel"].astype(np.int64)

    def __len__(self) -> int:
        return len(self.times)

    @property
    def definitions(self) -> Iterable[Records]:
        """The schemas and the channels that are defined here."""
        return self._records.of(Op.SCHEMA), self._records.of(Op.CHANNEL)

    def picked(self, wanted: NDArray[np.bool_], start_ns: int | None, end_ns: int | None) -> Numbers:
        """The rows of these channels (a mask by number) from `start_ns` on and before `end_ns`."""
        first = 0 if start_ns is None else int(np.searchsorted(self.times, start_ns))
        last = len(self) if end_ns is None else int(np.searchsorted(self.times, end_ns))
        return first + np.flatnonzero(wanted[self.channels[first:last]])

    def payload(self, row: int) -> memoryview:
        return self.data[int(self._begins[row]) : int(self._ends[row])]

    def record(self, row: int) -> memoryview:
        """The whole message record, as it can be put into another chunk."""
        return self.data[int(self._begins[row]) - MESSAGE.size : int(self._ends[row])]

    def index_entries(self) -> dict[int, bytes]:
        """The entries of its message indexes: log times and places, by channel."""
        places = np.stack([self.times, self._begins - MESSAGE.size], axis=1).astype("<u8")
        return {int(number): places[self.channels == number].tobytes() for number in np.unique(self.channels)}

    def events(self, rows: Numbers, names: Names) -> list[LoggedEvent]:
        picked = self._rows[rows]
        begins, ends = self._begins[rows].tolist(), self._ends[rows].tolist()
        data, topics = self.data, names.topics
        headers = self.headers(names)
        return list(
            map(
                _new_event,
                zip(
                    [topics[channel] for channel in self.channels[rows].tolist()],
                    (headers["sequence"][rows] if headers else picked["sequence"]).tolist(),
                    picked["stamp_ns"].tolist(),
                    picked["log_time_ns"].tolist(),
                    [data[begin:end] for begin, end in zip(begins, ends, strict=True)],
                    *(headers[name][rows].tolist() if headers else repeat(None) for name in HEADER_FIELDS),
                    strict=False,
                ),
            )
        )

    def headers(self, names: Names) -> Columns | None:
        """Columns with an element for each row that is an event; None if these headers are not here."""
        if "_headers" not in self.__dict__:
            self._headers = self._read_headers(names)
        return self._headers

    def _read_headers(self, names: Names) -> Columns | None:
        carriers = np.flatnonzero(names.carriers[self.channels]).tolist()
        if not carriers:
            return None
        if carriers == [len(self) - 1]:
            found = unpack_headers(self.payload(carriers[0])) or _columns([self._batch(carriers[0])])
            events: Any = slice(len(self) - 1)
        else:  # not the way we write: another program has put chunks together
            events = np.setdiff1d(np.arange(len(self)), carriers)
            found = _spread(_columns([self._batch(row) for row in carriers]), events, len(self))
        return found if self._are_mine(found, events, names) else None

    def _are_mine(self, found: Columns, events: Any, names: Names) -> bool:
        channels = self.channels[events]
        if len(found["topic"][events]) != len(channels):
            return False
        hashes = np.array([names.hashes[channel] for channel in channels.tolist()], np.uint64)
        low = found["sequence"][events] & np.uint64(0xFFFFFFFF)
        is_numbered_so = np.array_equal(low, self._rows["sequence"][events])
        return is_numbered_so and np.array_equal(found["topic"][events], hashes)

    def _batch(self, row: int) -> EventHeaders:
        try:
            return decode(EventHeaders, self.payload(row))
        except MessageError as error:
            raise LogError(f"the headers of a chunk cannot be read: {error.message}") from error

    @cached_property
    def memory_bytes(self) -> int:
        return len(self.data) + 100 * len(self)


def _columns(batches: list[EventHeaders]) -> Columns:
    names = ("topic", "sequence", *HEADER_FIELDS)
    return {name: np.concatenate([getattr(batch, name) for batch in batches]) for name in names}


def _spread(found: Columns, events: Numbers, count: int) -> Columns:
    """With an element for every row, or nothing if there are not as many headers as events."""
    spread = {}
    for name, column in found.items():
        spread[name] = np.zeros(count if len(column) == len(events) else 0, column.dtype)
        if len(spread[name]):
            spread[name][events] = column
    return spread
