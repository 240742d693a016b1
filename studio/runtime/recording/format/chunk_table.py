"""Where the chunks of a log are and what is in them, as columns: a long log opens about as fast as a short one."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.mcap_records import INDEX_HEAD, PREFIX
from studio.runtime.recording.format.record_walk import Numbers, Records, columns

_FIRST = np.dtype([("start_ns", "<i8"), ("end_ns", "<i8"), ("offset", "<i8"), ("length", "<i8"), ("places", "<u4")])
_PLACE = np.dtype([("channel", "<u2"), ("offset", "<i8")])
_MIDDLE = np.dtype([("index_length", "<i8"), ("name_length", "<u4")])
_LAST = np.dtype([("stored_size", "<i8"), ("size", "<i8")])
_LONGEST_NAME = 8
_ENTRY_BYTES = 16
_MOST_CHANNELS = 1 << 16


class Entries(NamedTuple):
    """One row per (chunk, channel), in the order of the chunks, with how many messages they have."""

    chunk: Numbers
    channel: Numbers
    messages: Numbers


@dataclass(frozen=True)
class ChunkTable:
    """One row per chunk, in the order of the file."""

    start_ns: Numbers
    end_ns: Numbers
    offset: Numbers
    length: Numbers
    """Of the whole record."""
    size: Numbers
    """Of the content."""
    stored_size: Numbers
    compression: tuple[str, ...]
    is_loose: NDArray[np.bool_]
    """Messages that lie in the file without a chunk around them: a run of such records counts as one."""
    messages: Numbers
    """How many each has."""
    find_entries: Callable[[], Entries]
    is_summary: bool = True
    """Whether it is what the log itself says of its chunks, not what a scan has found in them."""

    def __len__(self) -> int:
        return len(self.offset)

    @cached_property
    def entries(self) -> Entries:
        """Found when first needed: opening a log needs them not."""
        return self.find_entries()

    @cached_property
    def is_disjoint(self) -> bool:
        """Whether no chunk goes back before the end of an earlier one: then their order is the order of time."""
        return bool(np.all(self.end_ns[:-1] <= self.start_ns[1:]))

    def chunks_with(self, channels: Collection[int]) -> Numbers:
        """The chunks that have messages of any of these channels, ascending."""
        chunks = self.entries.chunk[self._is_of(channels) & (self.entries.messages > 0)]
        is_first = np.ones(len(chunks), bool)
        np.not_equal(chunks[1:], chunks[:-1], out=is_first[1:])
        return chunks[is_first]

    def counts_of(self, channels: Collection[int]) -> Numbers:
        """How many messages of these channels each chunk has."""
        weights = np.where(self._is_of(channels), self.entries.messages, 0)
        return np.bincount(self.entries.chunk, weights, minlength=len(self)).astype(np.int64)

    def _is_of(self, channels: Collection[int]) -> NDArray[np.bool_]:
        wanted = np.zeros(_MOST_CHANNELS, bool)
        wanted[list(channels)] = True
        return wanted[self.entries.channel]

    def totals(self) -> dict[int, int]:
        """Messages of each channel in the whole log."""
        sums = np.bincount(self.entries.channel, self.entries.messages)
        return {channel: int(sums[channel]) for channel in sums.nonzero()[0].tolist()}


def table_of(indexes: Records, file_size: int) -> ChunkTable | None:
    """From the chunk index records of a summary; None if these do not tell how many messages each chunk has."""
    raw, at = indexes.raw, indexes.begins + PREFIX.size
    _require(indexes.ends - at >= _FIRST.itemsize + _MIDDLE.itemsize + _LAST.itemsize)
    first = _apart(columns(raw, at, _FIRST))
    middle_at = at + _FIRST.itemsize + first["places"]
    _require(middle_at + _MIDDLE.itemsize + _LAST.itemsize <= indexes.ends)
    middle = _apart(columns(raw, middle_at, _MIDDLE))
    name_at = middle_at + _MIDDLE.itemsize
    last_at = name_at + middle["name_length"]
    _require((last_at + _LAST.itemsize <= indexes.ends) & (middle["name_length"] <= _LONGEST_NAME))
    last = _apart(columns(raw, last_at, _LAST))
    offset, length, index_length = first["offset"], first["length"], middle["index_length"]
    _require((offset >= 0) & (offset <= file_size) & (length >= 0) & (length <= file_size - offset))
    _require((index_length >= 0) & (index_length <= file_size - offset - length))
    _require((first["start_ns"] >= 0) & (last["size"] >= 0) & (last["stored_size"] >= 0))
    places_at, places = at + _FIRST.itemsize, first["places"].astype(np.int64)
    per_chunk = places // _PLACE.itemsize
    inside = index_length - per_chunk * INDEX_HEAD.size
    messages = inside // _ENTRY_BYTES
    _require((per_chunk * _PLACE.itemsize == places) & (inside >= 0))
    if (messages * _ENTRY_BYTES != inside).any():
        return None  # the message indexes have fields that we do not know
    return ChunkTable(
        first["start_ns"],
        first["end_ns"],
        offset,
        length,
        last["size"],
        last["stored_size"],
        _names(raw, name_at, middle["name_length"].astype(np.int64)),
        np.zeros(len(offset), bool),
        messages,
        partial(_entries, raw, places_at, per_chunk, offset + length, index_length),
    )


def _apart(rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Each column by itself: where they lie between each other, every look at one costs several times as much."""
    return {name: np.ascontiguousarray(rows[name]) for name in rows.dtype.names or ()}


def _entries(raw: NDArray[np.uint8], at: Numbers, per_chunk: Numbers, begin: Numbers, index_length: Numbers) -> Entries:
    """A summary has no counts per chunk, but where each message index lies: so long it is, so many entries it has."""
    chunk = np.repeat(np.arange(len(at)), per_chunk)
    within = np.arange(len(chunk)) - np.repeat(np.cumsum(per_chunk) - per_chunk, per_chunk)
    places = columns(raw, at[chunk] + within * _PLACE.itemsize, _PLACE)
    channel, offset = places["channel"].astype(np.int64), places["offset"]
    if (offset[1:] <= offset[:-1]).any():
        order = np.lexsort((offset, chunk))
        chunk, channel, offset = chunk[order], channel[order], offset[order]
    end = (begin + index_length)[chunk]
    following = np.append(offset[1:], 0)
    is_last = np.append(chunk[1:] != chunk[:-1], True)[: len(chunk)]
    size = np.where(is_last, end, following) - offset - INDEX_HEAD.size
    _require((offset >= begin[chunk]) & (size >= 0) & (size % _ENTRY_BYTES == 0))
    return Entries(chunk, channel, size // _ENTRY_BYTES)


def _names(raw: NDArray[np.uint8], at: Numbers, lengths: Numbers) -> tuple[str, ...]:
    """Short texts, nearly always the same in all chunks of a log."""
    if not lengths.any():
        return ("",) * len(at)
    data = memoryview(raw)
    places = zip(at.tolist(), lengths.tolist(), strict=True)
    return tuple(bytes(data[begin : begin + length]).decode("latin-1") for begin, length in places)


def _require(condition: Any) -> None:
    if not np.all(condition):
        raise LogError("the index of its chunks is damaged")
