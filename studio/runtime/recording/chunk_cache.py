"""The chunks used last, so that stepping to and fro reads nothing twice."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from studio.runtime.recording.checksums import Bytes
from studio.runtime.recording.chunk import Chunk, checked_content
from studio.runtime.recording.errors import LogError
from studio.runtime.recording.log_index import LogIndex
from studio.runtime.recording.log_source import LogSource
from studio.runtime.recording.mcap_records import ChunkHead

CACHE_BYTES = 16 << 20
_LEAST_CHUNKS = 2


class ChunkCache:
    def __init__(self, source: LogSource, index: LogIndex) -> None:
        self._source = source
        self._index = index
        self._loaded: OrderedDict[int, Chunk] = OrderedDict()
        self._bytes = 0

    def get(self, number: int) -> Chunk:
        chunk = self._loaded.get(number)
        if chunk is None:
            chunk = self._load(number)
            self._loaded[number] = chunk
            self._bytes += chunk.memory_bytes
            self._shrink()
        else:
            self._loaded.move_to_end(number)
        return chunk

    def _shrink(self) -> None:
        while self._bytes > CACHE_BYTES and len(self._loaded) > _LEAST_CHUNKS:
            _, oldest = self._loaded.popitem(last=False)
            self._bytes -= oldest.memory_bytes

    def _load(self, number: int) -> Chunk:
        table = self._index.chunks
        offset = int(table.offset[number])
        try:
            chunk = Chunk(self._content(number, offset, int(table.length[number])))
            self._compare(number, chunk)
        except LogError as error:
            raise self._source.damaged(f"{error.message}, in the chunk at byte {offset}") from error
        return chunk

    def _content(self, number: int, offset: int, length: int) -> Bytes:
        table = self._index.chunks
        record = self._source.read(offset, length)
        if table.is_loose[number]:
            return record
        head, content = checked_content(record, must_have_crc=self._index.is_own)
        told: tuple[Any, ...] = (int(table.size[number]), int(table.stored_size[number]), table.compression[number])
        if told != (head.size, head.stored_size, head.compression):
            raise LogError("a chunk is not what the index says")
        self._check_times(number, head)
        return content

    def _check_times(self, number: int, head: ChunkHead) -> None:
        table = self._index.chunks
        if table.is_summary and (head.start_ns, head.end_ns) != (table.start_ns[number], table.end_ns[number]):
            raise LogError("a chunk is not of the time that the index says")

    def _compare(self, number: int, chunk: Chunk) -> None:
        """Seeking relies on what the index says of times; a message outside them would never be found."""
        table = self._index.chunks
        if not len(chunk):
            return
        if chunk.times[0] < table.start_ns[number] or chunk.times[-1] > table.end_ns[number]:
            raise LogError("a chunk has messages of other times than the index says")
        if not set(chunk.channels.tolist()) <= self._index.definitions.channels.keys():
            raise LogError("a chunk has messages of a channel that is not defined")
