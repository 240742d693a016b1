"""A log as a file that grows: chunks, attachments and metadata, and at the end the summary that finds them again.

Every append is whole or undone. The file can be read up to the last append at any time, summary or not.
"""

from __future__ import annotations

import errno
import os
import struct
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from studio import __version__
from studio.runtime.recording.format.checksums import Bytes, crc32, crc32_combine, crc_of
from studio.runtime.recording.format.errors import LogError, LogFull
from studio.runtime.recording.format.mcap_records import (
    DATA_END,
    FOOTER,
    MAGIC,
    AttachmentIndex,
    Channel,
    ChunkHead,
    Footer,
    MetadataIndex,
    Op,
    Schema,
    Statistics,
    chunk_index,
    message_index,
    record,
    text,
    text_map,
)

PROFILE = "ros2"
LIBRARY = f"robot-systems-studio {__version__}"
RESERVE_BYTES = 4 << 20
_JOINED_BYTES = 64 * 1024
_PARTS_AT_ONCE = 1000
"""Linux takes 1024 parts per call."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class StoredChunk(NamedTuple):
    """A chunk as it goes to the file. `indexes`: by channel, the packed entries (log time, place) of its messages."""

    head: ChunkHead
    stored: Sequence[Bytes]
    stored_crc: int
    indexes: Mapping[int, bytes | bytearray]


class LogFile:
    """Writes the records of MCAP and keeps the books for the summary. Not for several threads, but for `sync`."""

    def __init__(self, path: Path | str, *, profile: str = PROFILE, reserve_bytes: int = RESERVE_BYTES) -> None:
        self.path = Path(path)
        self.size = 0
        self.chunk_count = 0
        self.is_full = False
        """Whether the last chunk has left no more free than the reserve and what closing the log takes."""
        self.schemas: dict[int, Schema] = {}
        self.channels: dict[int, Channel] = {}
        self._reserve = reserve_bytes
        self._crc = 0
        self._counts: Counter[int] = Counter()
        self._times_ns: tuple[int, int] | None = None
        self._chunk_indexes: list[bytes] = []
        self._attachments: list[AttachmentIndex] = []
        self._metadata: list[MetadataIndex] = []
        self._summary_bytes = 0
        self._folder_synced = False
        self._sync_lock = threading.Lock()
        self._fd = _create(self.path)
        self._append(MAGIC + record(Op.HEADER, text(profile), text(LIBRARY)))

    @property
    def is_open(self) -> bool:
        return self._fd >= 0

    def define(self, schema: Schema, channel: Channel) -> None:
        """Take a channel into the summary; its definition also has to be in a chunk, before its first message."""
        self.channels[channel.number] = channel
        self._summary_bytes += len(channel.packed())
        if schema.number and schema.number not in self.schemas:
            self.schemas[schema.number] = schema
            self._summary_bytes += len(schema.packed())

    def append_definitions(self) -> None:
        """A chunk with all that has been defined so far, for chunks that do not bring it along."""
        schemas = b"".join(schema.packed() for schema in self.schemas.values())
        content = schemas + b"".join(channel.packed() for channel in self.channels.values())
        crc = crc32(content)
        self.append_chunks([StoredChunk(ChunkHead(0, 0, len(content), crc, "", len(content)), [content], crc, {})])

    def append_chunks(self, chunks: Sequence[StoredChunk]) -> None:
        """In one write: a call per megabyte costs half of what a call per chunk does."""
        parts: list[Bytes] = []
        notes: list[tuple[StoredChunk, bytes]] = []
        at, crc = self.size, self._crc
        for chunk in chunks:
            first, start = chunk.head.packed(), at
            at += len(first) + chunk.head.stored_size
            last, offsets = _indexes(chunk.indexes, at)
            crc = crc32_combine(crc32(first, crc), chunk.stored_crc, chunk.head.stored_size)
            crc = crc32(last, crc)
            notes.append((chunk, chunk_index(chunk.head, start, at - start, offsets, len(last))))
            parts += first, *chunk.stored, last
            at += len(last)
        free = self._free_bytes() - (at - self.size)
        if free < self._closing_bytes():
            raise LogFull("the disk is full", file=self.path)
        self._write(parts, at - self.size)
        self._crc = crc
        for chunk, index in notes:
            self._note_chunk(chunk.head, index, chunk.indexes)
        self.is_full = free < self._reserve + self._closing_bytes()

    def _note_chunk(self, head: ChunkHead, index: bytes, indexes: Mapping[int, Bytes]) -> None:
        self.chunk_count += 1
        self._chunk_indexes.append(index)
        self._summary_bytes += len(index)
        for channel, entries in indexes.items():
            self._counts[channel] += len(entries) // 16
        if indexes:
            start_ns, end_ns = self._times_ns or (head.start_ns, head.end_ns)
            self._times_ns = min(start_ns, head.start_ns), max(end_ns, head.end_ns)

    def append_attachment(self, name: str, data: Bytes, media_type: str, log_time_ns: int, create_time_ns: int) -> None:
        times = struct.pack("<QQ", log_time_ns, create_time_ns)
        first = times + text(name) + text(media_type) + struct.pack("<Q", len(data))
        last = struct.pack("<I", crc_of((first, data)))
        start, length = self.size, len(first) + len(data) + len(last)
        self._append(struct.pack("<BQ", Op.ATTACHMENT, length), first, data, last)
        index = AttachmentIndex(start, 9 + length, log_time_ns, create_time_ns, len(data), name, media_type)
        self._attachments.append(index)
        self._summary_bytes += len(index.packed())

    def append_metadata(self, name: str, values: Mapping[str, str]) -> None:
        packed = record(Op.METADATA, text(name), text_map(values))
        index = MetadataIndex(self.size, len(packed), name)
        self._append(packed)
        self._metadata.append(index)
        self._summary_bytes += len(index.packed())

    def finish(self, *, sync: bool = True) -> None:
        """Write the summary and close. Without room for it the file ends where its data ends: readable by a scan."""
        if not self.is_open:
            return
        data_end = self.size
        try:
            self._append(DATA_END.pack(Op.DATA_END, 4, self._crc))
            self._write_summary()
            if sync:
                self.sync()
        except LogError:
            os.ftruncate(self._fd, data_end)
            raise
        finally:
            self.abandon()

    def abandon(self) -> None:
        """Close the file as it is."""
        with self._sync_lock:
            if self.is_open:
                os.close(self._fd)
            self._fd = -1

    def sync(self) -> None:
        """Put on the disk what has been appended. May be called from another thread; appending goes on meanwhile."""
        with self._sync_lock:
            if not self.is_open:
                return
            try:
                os.fdatasync(self._fd)
                if not self._folder_synced:
                    _sync_folder(self.path.parent)
                    self._folder_synced = True
            except OSError as error:
                raise LogError(f"cannot be written to the disk: {error.strerror}", file=self.path) from error

    def _write_summary(self) -> None:
        start = self.size
        groups = {
            Op.SCHEMA: [schema.packed() for schema in self.schemas.values()],
            Op.CHANNEL: [channel.packed() for channel in self.channels.values()],
            Op.STATISTICS: [self._statistics().packed()],
            Op.CHUNK_INDEX: self._chunk_indexes,
            Op.ATTACHMENT_INDEX: [index.packed() for index in self._attachments],
            Op.METADATA_INDEX: [index.packed() for index in self._metadata],
        }
        summary, offsets = [], []
        at = start
        for op, records in groups.items():
            if records:
                summary.append(b"".join(records))
                offsets.append(record(Op.SUMMARY_OFFSET, struct.pack("<BQQ", op, at, len(summary[-1]))))
                at += len(summary[-1])
        body = b"".join([*summary, *offsets])
        footer = Footer(start, at, 0).packed()[:-4]
        self._append(body, footer, struct.pack("<I", crc_of((body, footer))), MAGIC)

    def _statistics(self) -> Statistics:
        start_ns, end_ns = self._times_ns or (0, 0)
        numbers = len(self.schemas), len(self.channels), len(self._attachments), len(self._metadata), self.chunk_count
        return Statistics(self._counts.total(), *numbers, start_ns, end_ns, dict(self._counts))

    def _closing_bytes(self) -> int:
        return self._summary_bytes + 10 * len(self.channels) + FOOTER.size + DATA_END.size + 1024

    def _free_bytes(self) -> int:
        disk = os.fstatvfs(self._fd)
        return disk.f_bavail * disk.f_frsize

    def _append(self, *parts: Bytes) -> None:
        self._write(parts, sum(map(len, parts)))
        self._crc = crc_of(parts, self._crc)

    def _write(self, parts: Sequence[Bytes], size: int) -> None:
        """All of it, or nothing and an error."""
        if not self.is_open:
            raise LogError("the log is closed", file=self.path)
        try:
            if size <= _JOINED_BYTES:
                _write_all(self._fd, b"".join(parts))
            else:
                for first in range(0, len(parts), _PARTS_AT_ONCE):
                    _write_parts(self._fd, parts[first : first + _PARTS_AT_ONCE])
        except OSError as error:
            self._undo()
            if error.errno in _NO_ROOM:
                raise LogFull("the disk is full", file=self.path) from error
            raise LogError(f"cannot be written: {error.strerror}", file=self.path) from error
        self.size += size

    def _undo(self) -> None:
        os.ftruncate(self._fd, self.size)
        os.lseek(self._fd, self.size, os.SEEK_SET)


def _indexes(indexes: Mapping[int, bytes | bytearray], at: int) -> tuple[bytes, dict[int, int]]:
    """The message indexes of a chunk, which begin at byte `at` of the file, and where each of them lies."""
    packed, offsets = [], {}
    for channel, entries in indexes.items():
        packed.append(message_index(channel, entries))
        offsets[channel] = at
        at += len(packed[-1])
    return b"".join(packed), offsets


def _create(path: Path) -> int:
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError:
        raise LogError("exists already", file=path, hint="logs are never overwritten: choose another name") from None
    except OSError as error:
        raise LogError(f"cannot be made: {error.strerror}", file=path) from error


def _write_all(fd: int, data: Bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def _write_parts(fd: int, parts: Sequence[Any]) -> None:
    """In one call, without copying; the rare call that takes only some bytes is finished with a copy."""
    written = os.writev(fd, parts)
    if written < sum(map(len, parts)):
        _write_all(fd, memoryview(b"".join(parts))[written:])


def _sync_folder(folder: Path) -> None:
    """So that the file's name survives a power loss, too."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
