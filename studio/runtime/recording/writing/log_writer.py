"""Writes events into a log: standard MCAP that others can read, safe against kills and full disks.

    with LogWriter("drive.mcap") as log:
        scans = log.add_topic("/laser/scan", Range3d)
        log.write(scans, encode(scan), log_time_ns=now, sequence=1, stamp_ns=scan.stamp_ns)
        log.tick(now)                      # every few ms: what is older than 50 ms goes to the file

What `flush` has written survives the death of the process. Power loss is another matter: some thread has to call
`sync` every half second; it takes as long as the disk takes, while writing goes on.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from studio.messages import EventHeaders, Message, MessageTypes
from studio.runtime.base.log_compression import Compression
from studio.runtime.recording.format.checksums import Bytes, crc_of
from studio.runtime.recording.format.compression import compress, name_in_file
from studio.runtime.recording.format.errors import LogError, LogFull
from studio.runtime.recording.format.header_batch import HEADERS_TOPIC, pack_headers
from studio.runtime.recording.format.mcap_records import (
    INDEX_ENTRY,
    MESSAGE,
    MESSAGE_FIELDS_BYTES,
    NO_SCHEMA,
    Channel,
    ChunkHead,
    Op,
    Schema,
)
from studio.runtime.recording.format.metadata import STOPPED, sealed
from studio.runtime.recording.writing.log_file import PROFILE, RESERVE_BYTES, LogFile, StoredChunk
from studio.runtime.wire.frames import HEADER, TO_ALL, VERSION, topic_hash

CHUNK_BYTES = 256 * 1024
"""Small enough to seek fast. A payload of this size gets a chunk of its own: who wants other topics never reads it."""
CHUNK_NS = 50_000_000
_FEW_PARTS = 16
_WRITE_BYTES = 1 << 20

_identity_at = struct.Struct("<I4xQ").unpack_from
_IDENTITY_AT = 8
"""Where sequence and stamp stand in a header of the wire. MCAP takes half of the one, and the other unsigned."""
_pack_entry, _pack_message = INDEX_ENTRY.pack, MESSAGE.pack
_MESSAGE, _MESSAGE_BYTES = int(Op.MESSAGE), MESSAGE.size
_U32 = (1 << 32) - 1


class LogWriter:
    """One log. A chunk is closed when it has `chunk_bytes`, and goes to the file by `tick` when it is `chunk_ns` old.

    With `headers`, each chunk ends with a message on `/_studio/headers` that holds what MCAP has no place for: the
    headers of that chunk's events, so that damage takes an event and its header together or leaves both.
    """

    def __init__(
        self,
        path: Path | str,
        *,
        compression: Compression = "none",
        types: MessageTypes | None = None,
        headers: bool = True,
        chunk_bytes: int = CHUNK_BYTES,
        chunk_ns: int = CHUNK_NS,
        reserve_bytes: int = RESERVE_BYTES,
        profile: str = PROFILE,
    ) -> None:
        self._compression = name_in_file(compression)
        self._types = types or MessageTypes.builtin()
        self._chunk_bytes = chunk_bytes
        self._chunk_ns = chunk_ns
        self._file = LogFile(path, profile=profile, reserve_bytes=reserve_bytes)
        self._definitions: dict[int, bytes] = {}
        self._appearances: dict[int, int] = {}
        self._topics: dict[str, int] = {}
        self._hashes: dict[int, int] = {}
        self._last_ns = 0
        self._empty_at_ns: int | None = None
        self._was_full = False
        self.event_count = 0
        """Events in the file."""
        self._closed: list[StoredChunk] = []
        self._closed_events = self._closed_bytes = 0
        self._size = 0
        self._begin_chunk()
        self._headers_channel = self.add_topic(HEADERS_TOPIC, EventHeaders) if headers else 0
        self._batch_count = 0

    @property
    def path(self) -> Path:
        return self._file.path

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return self._file.size

    @property
    def chunk_count(self) -> int:
        """Chunks in the file; when it has grown, the writer no longer refers to any payload handed in before."""
        return self._file.chunk_count

    @property
    def pending_events(self) -> int:
        """Events that are not in the file yet: what a kill would cost now."""
        return len(self._channels) + self._closed_events

    # Topics

    def add_topic(self, topic: str, kind: type[Message]) -> int:
        """The number to write events of this topic with. Topics may be added at any time, and again."""
        text = self._types.schema_text(kind).encode()
        return self.add_channel(topic, Schema(1, kind.SCHEMA_NAME, "ros2msg", text))

    def add_channel(
        self, topic: str, schema: Schema, encoding: str = "cdr", metadata: Mapping[str, str] | None = None
    ) -> int:
        """As `add_topic`, for any type: the schema's number is chosen here."""
        number = self._topics.get(topic, len(self._topics) + 1)
        schema = self._numbered(schema)
        channel = Channel(number, schema.number, topic, encoding, dict(metadata or {}))
        if self._file.channels.get(number, channel) != channel:
            raise LogError(f"topic {topic} is in this log with another type or encoding", file=self.path)
        if number > 0xFFFF:
            raise LogError("a log has at most 65535 topics", file=self.path)
        self._topics[topic] = number
        self._file.define(schema, channel)
        self._definitions[number] = (schema.packed() if schema.number else b"") + channel.packed()
        self._hashes[number] = topic_hash(topic)
        return number

    def _numbered(self, schema: Schema) -> Schema:
        if not schema.name and not schema.data:
            return NO_SCHEMA
        known = self._file.schemas
        number = next((number for number, other in known.items() if other[1:] == schema[1:]), len(known) + 1)
        return schema._replace(number=number)

    # Events

    def write(
        self,
        channel: int,
        payload: Bytes,
        *,
        log_time_ns: int,
        sequence: int,
        stamp_ns: int,
        sent_ns: int = 0,
        cause_topic: int = 0,
        cause_sequence: int = 0,
        kind: int = 0,
        flags: int = 0,
        origin: int = 0,
        epoch: int = 0,
    ) -> None:
        """One event, its header given field by field."""
        header = HEADER.pack(
            VERSION, kind, flags, origin, epoch, sequence, stamp_ns, sent_ns, cause_topic, cause_sequence, TO_ALL, 0, 0
        )
        self.write_frame(channel, header, payload, log_time_ns)

    def write_frame(self, channel: int, header: bytes | memoryview, payload: Bytes, log_time_ns: int) -> None:
        """One event, its header as it came over the wire.

        The payload is not copied unless it can be changed: a read-only view has to stay as it is until `chunk_count`
        has grown. Log times that go backwards are lifted to the latest so far: order is the order of writing.
        """
        if log_time_ns < self._last_ns:
            log_time_ns = self._last_ns
        self._last_ns = log_time_ns
        if type(payload) is not bytes:
            payload = _lasting(payload)
        length = len(payload)
        if length >= self._chunk_bytes:
            self._make_way()
        index = self._indexes.get(channel)
        if index is None:
            index = self._begin_channel(channel)
        sequence, stamp_ns = _identity_at(header, _IDENTITY_AT)
        size = self._size
        index += _pack_entry(log_time_ns, size)
        fields = _pack_message(_MESSAGE, MESSAGE_FIELDS_BYTES + length, channel, sequence, log_time_ns, stamp_ns)
        self._parts += fields, payload
        self._channels.append(channel)
        self._headers.append(header)
        self._size = size + _MESSAGE_BYTES + length
        if self._size >= self._chunk_bytes:
            self._close_chunk()

    def tick(self, now_ns: int) -> None:
        """Flush when the oldest event is 50 ms old. Any clock that goes forward will do, but always the same one."""
        if self._empty_at_ns is None or not (self._channels or self._closed):
            self._empty_at_ns = now_ns
        elif now_ns - self._empty_at_ns >= self._chunk_ns:
            self.flush()
            self._empty_at_ns = now_ns

    def flush(self) -> None:
        """Everything written so far goes to the file. Raises LogFull, and closes the log, when the disk is full."""
        self._close_chunk()
        self._write_closed()

    def _close_chunk(self) -> None:
        """Chunks are made small for seeking; they wait until there is a megabyte of them, or `flush` comes."""
        if not self._channels:
            return
        count, start_ns = len(self._channels), self._start_ns()
        if self._headers_channel:
            self._append_headers()
        chunk = self._stored_chunk(start_ns)
        self._closed.append(chunk)
        self._closed_events += count
        self._closed_bytes += chunk.head.stored_size
        self._begin_chunk()
        if self._closed_bytes >= _WRITE_BYTES:
            self._write_closed()

    def _make_way(self) -> None:
        """For a payload that gets a chunk of its own; if there is no room for those before, it is lost with them."""
        try:
            self._close_chunk()
        except LogFull as full:
            full.lost_events += 1
            raise

    def _write_closed(self) -> None:
        if not self._closed:
            return
        closed, count = self._closed, self._closed_events
        self._closed, self._closed_events, self._closed_bytes = [], 0, 0
        try:
            self._file.append_chunks(closed)
        except LogFull:
            raise self._stopped_full(count) from None
        self.event_count += count
        if self._file.is_full:
            raise self._stopped_full(0)

    def sync(self) -> None:
        """Bring what has been flushed to the disk itself.

        It waits for the disk, so call it from a thread of its own, every half second; writing is not held up:
        `while not stop.wait(0.5): log.sync()`. After `close` it does nothing.
        """
        self._file.sync()

    # What is not an event

    def add_attachment(
        self,
        name: str,
        data: Bytes,
        media_type: str = "application/octet-stream",
        *,
        log_time_ns: int = 0,
        create_time_ns: int = 0,
    ) -> None:
        """A file kept inside the log, written at once."""
        self._file.append_attachment(name, data, media_type, log_time_ns, create_time_ns)

    def add_metadata(self, name: str, values: Mapping[str, str]) -> None:
        """Named texts, written at once, with a checksum among them: MCAP has none for them."""
        self._file.append_metadata(name, sealed(name, values))

    def close(self, *, sync: bool = True) -> None:
        """Flush, write the summary, sync, close. A second call does nothing."""
        if not self._file.is_open:
            return
        try:
            self.flush()
        finally:
            self._file.finish(sync=sync)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Chunks

    def _begin_chunk(self) -> None:
        self._parts: list[Bytes] = []
        self._size = 0
        self._indexes: dict[int, bytearray] = {}
        self._channels: list[int] = []
        self._headers: list[bytes | memoryview] = []

    def _begin_channel(self, channel: int) -> bytearray:
        """Definitions stand in the 1st, 2nd, 4th, 8th ... chunk with events of the topic.

        A damaged chunk then never takes the only definition with it that later chunks need.
        """
        if not self._file.is_open:
            raise self._stopped_full(1) if self._was_full else LogError("the log is closed", file=self.path)
        definition = self._definitions.get(channel)
        if definition is None:
            raise LogError(f"there is no topic number {channel}", file=self.path, hint="add_topic gives the number")
        appearance = self._appearances.get(channel, 0) + 1
        self._appearances[channel] = appearance
        if appearance & (appearance - 1) == 0:
            self._parts.append(definition)
            self._size += len(definition)
        index = self._indexes[channel] = bytearray()
        return index

    def _append_headers(self) -> None:
        self._batch_count += 1
        hashes = self._hashes
        batch = pack_headers([hashes[channel] for channel in self._channels], self._headers)
        index = self._begin_channel(self._headers_channel)
        index += INDEX_ENTRY.pack(self._last_ns, self._size)
        fields = (self._headers_channel, self._batch_count & _U32, self._last_ns, self._last_ns)
        self._parts += MESSAGE.pack(Op.MESSAGE, MESSAGE_FIELDS_BYTES + len(batch), *fields), batch
        self._size += MESSAGE.size + len(batch)

    def _start_ns(self) -> int:
        return min(int(INDEX_ENTRY.unpack_from(index)[0]) for index in self._indexes.values())

    def _stored_chunk(self, start_ns: int) -> StoredChunk:
        parts = self._parts
        if self._compression or len(parts) > _FEW_PARTS:
            # Many small parts are copied sooner than handed on one by one; a large one is not worth copying.
            parts = [b"".join(parts)]
        crc = stored_crc = crc_of(parts)
        size = stored_size = self._size
        if self._compression:
            parts = [compress(self._compression, b"".join(parts))]
            stored_crc, stored_size = crc_of(parts), len(parts[0])
        head = ChunkHead(start_ns, self._last_ns, size, crc, self._compression, stored_size)
        return StoredChunk(head, parts, stored_crc, self._indexes)

    def _stopped_full(self, lost_events: int) -> LogFull:
        """The error for a full disk, after the log has been closed."""
        self._was_full = True
        # Without room even for a summary the file ends with its last chunk, and reading it takes a scan.
        with suppress(LogError):
            self.add_metadata(STOPPED, {"reason": "the disk was full"})
        with suppress(LogFull):
            self._file.finish()
        text = "the disk is full; the log was closed and can be read"
        return LogFull(text, file=self.path, hint="make room and start a new log", lost_events=lost_events)


def _lasting(payload: Bytes) -> Bytes:
    """Something that keeps its content until the chunk is written: a copy of what can be changed."""
    view = memoryview(payload)
    if view.readonly and view.format == "B" and view.contiguous:
        return view
    return bytes(view)
