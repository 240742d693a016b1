"""The chunks used last, so that stepping to and fro reads nothing twice."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import NamedTuple

from studio.runtime.recording.format.checksums import Bytes
from studio.runtime.recording.format.chunk import Chunk, checked_content
from studio.runtime.recording.format.errors import LogError, UnknownCompression
from studio.runtime.recording.format.log_source import LogSource
from studio.runtime.recording.reading.log_index import LogIndex

CACHE_BYTES = 16 << 20
_LEAST_CHUNKS = 2


class _Row(NamedTuple):
    """What the index says of one chunk."""

    start_ns: int
    end_ns: int
    offset: int
    length: int
    size: int
    stored_size: int
    messages: int
    compression: str
    is_loose: bool


class ChunkCache:
    def __init__(self, source: LogSource, index: LogIndex) -> None:
        self._source = source
        self._index = index
        self._loaded: OrderedDict[int, Chunk] = OrderedDict()
        self._bytes = 0

    def get(self, number: int, *, keep: bool = True) -> Chunk:
        """A chunk. Whoever reads on and on keeps none, and leaves those of others in place."""
        chunk = self._loaded.get(number)
        if chunk is not None:
            self._loaded.move_to_end(number)
            return chunk
        chunk = self._load(self._rows[number])
        if keep:
            self._loaded[number] = chunk
            self._bytes += chunk.memory_bytes
            self._shrink()
        return chunk

    def _shrink(self) -> None:
        while self._bytes > CACHE_BYTES and len(self._loaded) > _LEAST_CHUNKS:
            _, oldest = self._loaded.popitem(last=False)
            self._bytes -= oldest.memory_bytes

    def _load(self, row: _Row) -> Chunk:
        try:
            chunk = Chunk(self._content(row))
            self._compare(row, chunk)
        except UnknownCompression as error:
            raise UnknownCompression(error.name, file=self._source.path) from error
        except LogError as error:
            raise self._source.damaged(f"{error.message}, in the chunk at byte {row.offset}") from error
        return chunk

    def _content(self, row: _Row) -> Bytes:
        record = self._source.read(row.offset, row.length)
        if row.is_loose:
            return record
        is_own = self._index.is_own
        head, content, _ = checked_content(record, must_have_crc=is_own, is_own=is_own)
        if (head.size, head.stored_size, head.compression) != (row.size, row.stored_size, row.compression):
            raise LogError("a chunk does not match the index")
        if self._index.chunks.is_summary and (head.start_ns, head.end_ns) != (row.start_ns, row.end_ns):
            raise LogError("a chunk is not of the time that the index says")
        return content

    def _compare(self, row: _Row, chunk: Chunk) -> None:
        """Seeking relies on what the index says of times; a message outside them would never be found."""
        if len(chunk) and (chunk.times[0] < row.start_ns or chunk.times[-1] > row.end_ns):
            raise LogError("a chunk has messages of other times than the index says")
        if len(chunk) != row.messages:
            raise LogError("a chunk has not as many messages as the index says")
        if not self._index.definitions.channels.keys() >= set(chunk.channels):
            raise LogError("a chunk has messages of a channel that is not defined")

    @cached_property
    def _rows(self) -> list[_Row]:
        table = self._index.chunks
        sizes = (table.offset, table.length, table.size, table.stored_size, table.messages)
        columns = [column.tolist() for column in (table.start_ns, table.end_ns, *sizes)]
        return list(map(_Row._make, zip(*columns, table.compression, table.is_loose.tolist(), strict=True)))
