"""Reads a log from its first byte to its last, for want of a summary, and makes the index that the summary would be.

A log that simply ends (its recorder was killed, or is still writing) is read up to there. Anything else that is not as
it should be is an error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from studio.runtime.recording.format.checksums import Bytes, crc32
from studio.runtime.recording.format.chunk import Chunk, checked_content
from studio.runtime.recording.format.chunk_table import ChunkTable, Entries
from studio.runtime.recording.format.compression import LARGEST_CHUNK_BYTES
from studio.runtime.recording.format.errors import LogError, UnknownCompression
from studio.runtime.recording.format.log_source import LogSource
from studio.runtime.recording.format.mcap_records import (
    DATA_END,
    INDEX_HEAD,
    PREFIX,
    AttachmentIndex,
    Fields,
    MetadataIndex,
    Op,
)
from studio.runtime.recording.format.record_walk import walk
from studio.runtime.recording.reading.log_extras import parse_metadata
from studio.runtime.recording.reading.log_index import OWN_LIBRARY, Definitions, LogIndex, read_footer, read_header

Progress = Callable[[int, int], object]
"""Called with the bytes done and the bytes in all."""

WINDOW_BYTES = 1 << 20
LOOSE = (Op.SCHEMA, Op.CHANNEL, Op.MESSAGE)
_BEFORE_ATTACHED_DATA = 64 * 1024


class Unfinished(Exception):
    """The file ends within a record."""


@dataclass
class ChunkRows:
    """A ChunkTable in the making."""

    rows: list[tuple[int, int, int, int, int, int]] = field(default_factory=list)
    compression: list[str] = field(default_factory=list)
    loose: list[bool] = field(default_factory=list)
    entries: list[tuple[int, int, int]] = field(default_factory=list)

    def add(
        self, chunk: Chunk, offset: int, length: int, size: int, stored: int, compression: str, loose: bool
    ) -> None:
        number = len(self.rows)
        times = (chunk.times[0], chunk.times[-1]) if len(chunk) else (0, 0)
        self.rows.append((*times, offset, length, size, stored))
        self.compression.append(compression)
        self.loose.append(loose)
        self.entries += [(number, channel, count) for channel, count in Counter(chunk.channels).items()]

    def table(self) -> ChunkTable:
        entries = Entries(*np.array(self.entries, np.int64).reshape(-1, 3).T)
        start_ns, end_ns, offset, length, size, stored = np.array(self.rows, np.int64).reshape(-1, 6).T
        messages = np.bincount(entries.chunk, entries.messages, minlength=len(offset)).astype(np.int64)
        names, loose = tuple(self.compression), np.array(self.loose, bool)
        return ChunkTable(
            start_ns, end_ns, offset, length, size, stored, names, loose, messages, lambda: entries, is_summary=False
        )


def scan(source: LogSource, progress: Progress | None = None) -> LogIndex:
    """The index of all that is whole."""
    return _Scan(source, progress or (lambda done, total: None)).run()


class _Scan:
    def __init__(self, source: LogSource, progress: Progress) -> None:
        self._source = source
        self._progress = progress
        self._profile, self._library, self._at = read_header(source)
        self._is_own = self._library.startswith(OWN_LIBRARY)
        self._crc = crc32(source.read(0, self._at))
        self._rows = ChunkRows()
        self._definitions = Definitions()
        self._attachments: list[AttachmentIndex] = []
        self._metadata: list[MetadataIndex] = []
        self._ended = False

    def run(self) -> LogIndex:
        problem = ""
        try:
            while not self._ended:
                self._progress(self._at, self._source.size)
                self._take_window()
            if read_footer(self._source) is None:
                problem = "its summary is cut off or damaged"
        except Unfinished:
            left = self._source.size - self._at
            problem = "was not finished: it ends without a summary"
            problem += f", its last {left} bytes are not a whole record" if left else ""
        except UnknownCompression as error:
            raise UnknownCompression(error.name, file=self._source.path) from error
        except LogError as error:
            raise self._source.damaged(f"{error.message}, at byte {self._at}") from error
        self._progress(self._source.size, self._source.size)
        table = self._rows.table()
        return LogIndex(
            self._profile,
            self._library,
            self._definitions,
            table,
            table.totals(),
            self._attachments,
            self._metadata,
            is_finished=not problem,
            problems=[problem] if problem else [],
        )

    def _take_window(self) -> None:
        """The next records as far as they lie in a window, or the next one if it is larger."""
        window = self._source.read(self._at, min(WINDOW_BYTES, self._source.size - self._at))
        records = walk(window, to_the_end=False)
        if not len(records.begins):
            self._take_large(window)
            return
        ops, begins, ends = records.ops.tolist(), records.begins.tolist(), records.ends.tolist()
        row, base = 0, self._at
        while row < len(ops) and not self._ended:
            first = row
            while row < len(ops) and ops[row] in LOOSE:
                row += 1
            if row == first:
                row += 1
            data = window[begins[first] : ends[row - 1]]
            self._at = base + begins[first]
            self._take(ops[first], data)
            self._at += len(data)

    def _take_large(self, window: bytes) -> None:
        if len(window) < PREFIX.size:
            raise Unfinished
        op, length = PREFIX.unpack_from(window)
        if self._at + PREFIX.size + length > self._source.size:
            raise Unfinished
        if op == Op.ATTACHMENT:
            self._skip_attachment(PREFIX.size + length)
            return
        if length > LARGEST_CHUNK_BYTES:
            raise LogError(f"a record claims {length} bytes")
        data = self._source.read(self._at, PREFIX.size + length)
        self._take(op, data)
        self._at += len(data)

    def _take(self, op: int, data: bytes) -> None:
        body = memoryview(data)[PREFIX.size :]
        if op in LOOSE:
            if self._is_own:
                raise LogError("there are messages outside of chunks")
            self._add_chunk(data, len(data), len(data), "", loose=True)
        elif op == Op.CHUNK:
            head, content, _ = checked_content(data, must_have_crc=self._is_own, is_own=self._is_own)
            self._add_chunk(content, len(data), head.stored_size, head.compression, loose=False)
        elif op == Op.ATTACHMENT:
            self._attachments.append(attachment_index(self._at, data, is_own=self._is_own))
        elif op == Op.METADATA:
            name, _ = parse_metadata(body, is_own=self._is_own)
            self._metadata.append(MetadataIndex(self._at, len(data), name))
        elif op == Op.DATA_END:
            self._check_end(data)
        else:
            check_shape(op, body, self._is_own)
        self._crc = crc32(data, self._crc)

    def _add_chunk(self, content: Bytes, length: int, stored_size: int, compression: str, *, loose: bool) -> None:
        chunk = Chunk(content)
        self._definitions.learn(*chunk.definitions)
        unknown = set(chunk.channels) - self._definitions.channels.keys()
        if unknown:
            raise LogError(f"there are messages of channel {min(unknown)}, which is not defined")
        self._rows.add(chunk, self._at, length, len(content), stored_size, compression, loose)

    def _check_end(self, data: bytes) -> None:
        crc = end_crc(data, self._is_own)
        if crc and crc != self._crc:
            raise LogError("the checksum of the whole log is wrong")
        self._ended = True

    def _skip_attachment(self, length: int) -> None:
        head = self._source.read(self._at, min(length, _BEFORE_ATTACHED_DATA))
        self._attachments.append(attachment_index(self._at, head, length, is_own=self._is_own))
        for done in range(0, length, WINDOW_BYTES):
            part = self._source.read(self._at + done, min(WINDOW_BYTES, length - done))
            self._crc = crc32(part, self._crc)
        self._at += length


def end_crc(data: bytes, is_own: bool) -> int:
    """The checksum over all data, from the record that ends it; 0 for none."""
    if len(data) < DATA_END.size or (is_own and len(data) > DATA_END.size):
        raise LogError("its end is damaged")
    _, _, crc = DATA_END.unpack_from(data)
    return int(crc)


def attachment_index(offset: int, data: bytes, length: int = 0, *, is_own: bool) -> AttachmentIndex:
    """What the index says of an attachment that begins with `data`."""
    length = length or len(data)
    fields = Fields(memoryview(data)[PREFIX.size :])
    log_time_ns, create_time_ns, name, media_type = fields.u64(), fields.u64(), fields.text(), fields.text()
    size = fields.u64()
    end = PREFIX.size + fields.at + size + 4
    if end > length or (is_own and end < length):
        raise LogError(f"attachment {name!r} and its content differ in length")
    return AttachmentIndex(offset, length, log_time_ns, create_time_ns, size, name, media_type)


def check_shape(op: int, body: memoryview, is_own: bool) -> None:
    """Records that a scan has no use for; a chunk whose operation is damaged must not pass for one of them."""
    if op == Op.MESSAGE_INDEX:
        fields = Fields(body)
        fields.take(INDEX_HEAD.size - PREFIX.size - 4)
        size = fields.u32()
        if size > fields.left or (is_own and size < fields.left):
            raise LogError("a message index and its entries differ in length")
    elif op == 0 or op <= max(Op) or is_own:
        raise LogError(f"there is a record of kind {op}, which has no place here")
