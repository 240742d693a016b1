"""The records of MCAP (https://mcap.dev/spec) as bytes and back. Knows nothing of messages or of files.

Whatever is parsed here is checked against the bytes at hand first: only LogError leaves. Bytes after the last field of
a record are passed over: later versions of the format add fields there. (In our own logs they are damage.)
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from studio.runtime.recording.format.errors import LogError

MAGIC = b"\x89MCAP0\r\n"


class Op(IntEnum):
    HEADER = 1
    FOOTER = 2
    SCHEMA = 3
    CHANNEL = 4
    MESSAGE = 5
    CHUNK = 6
    MESSAGE_INDEX = 7
    CHUNK_INDEX = 8
    ATTACHMENT = 9
    ATTACHMENT_INDEX = 10
    STATISTICS = 11
    METADATA = 12
    METADATA_INDEX = 13
    SUMMARY_OFFSET = 14
    DATA_END = 15


PREFIX = struct.Struct("<BQ")
"""Operation and length of what follows: the beginning of every record."""
MESSAGE = struct.Struct("<BQHIQQ")
"""A message record up to its data, prefix included: channel, sequence, log time, publish time."""
MESSAGE_FIELDS_BYTES = MESSAGE.size - PREFIX.size
INDEX_ENTRY = struct.Struct("<QQ")
"""Log time and place in the chunk of one message."""
INDEX_HEAD = struct.Struct("<BQHI")
CHUNK_HEAD = struct.Struct("<QQQI")
_UNCOMPRESSED = struct.Struct("<QQQIIQ")
"""A chunk up to its content when the name of its compression is empty."""
_NAME_AT, _NO_NAME = CHUNK_HEAD.size, bytes(4)
FOOTER = struct.Struct("<BQQQI")
DATA_END = struct.Struct("<BQI")

_STATISTICS = struct.Struct("<QHIIIIQQ")
_U16, _U32, _U64 = struct.Struct("<H"), struct.Struct("<I"), struct.Struct("<Q")


def record(op: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return PREFIX.pack(op, len(body)) + body


def text(value: str) -> bytes:
    raw = value.encode()
    return _U32.pack(len(raw)) + raw


def text_map(values: Mapping[str, str]) -> bytes:
    body = b"".join(text(key) + text(value) for key, value in values.items())
    return _U32.pack(len(body)) + body


class Fields:
    """Takes the fields of a record one after the other, never past its end."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._at = 0

    def take(self, length: int) -> memoryview:
        end = self._at + length
        if end > len(self._data):
            raise LogError(f"a record of {len(self._data)} bytes has a field that ends at byte {end}")
        part = self._data[self._at : end]
        self._at = end
        return part

    def u16(self) -> int:
        return int(_U16.unpack(self.take(2))[0])

    def u32(self) -> int:
        return int(_U32.unpack(self.take(4))[0])

    def u64(self) -> int:
        return int(_U64.unpack(self.take(8))[0])

    def text(self) -> str:
        try:
            return str(self.take(self.u32()), "utf-8")
        except UnicodeDecodeError as error:
            raise LogError(f"a text in a record is not UTF-8: {error}") from None

    def text_map(self) -> dict[str, str]:
        entries = Fields(self.take(self.u32()))
        values = {}
        while entries.left:
            key = entries.text()
            values[key] = entries.text()
        return values

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    @property
    def at(self) -> int:
        return self._at


class Schema(NamedTuple):
    """The description of a message type, e.g. of encoding `ros2msg`; number 0 stands for none."""

    number: int
    name: str
    encoding: str
    data: bytes

    def packed(self) -> bytes:
        names = text(self.name) + text(self.encoding)
        return record(Op.SCHEMA, _U16.pack(self.number), names, _U32.pack(len(self.data)), self.data)

    @classmethod
    def parse(cls, data: memoryview) -> Schema:
        fields = Fields(data)
        return cls(fields.u16(), fields.text(), fields.text(), bytes(fields.take(fields.u32())))


NO_SCHEMA = Schema(0, "", "", b"")


class Channel(NamedTuple):
    """A topic of one writer: all its messages have one schema and one encoding."""

    number: int
    schema_number: int
    topic: str
    encoding: str
    metadata: Mapping[str, str]

    def packed(self) -> bytes:
        numbers = struct.pack("<HH", self.number, self.schema_number)
        return record(Op.CHANNEL, numbers, text(self.topic), text(self.encoding), text_map(self.metadata))

    @classmethod
    def parse(cls, data: memoryview) -> Channel:
        fields = Fields(data)
        return cls(fields.u16(), fields.u16(), fields.text(), fields.text(), fields.text_map())


class ChunkHead(NamedTuple):
    """What a chunk record says before its content. `crc` is of the uncompressed content; 0 means not computed."""

    start_ns: int
    end_ns: int
    size: int
    crc: int
    compression: str
    stored_size: int

    def packed(self) -> bytes:
        """With the prefix of the record: the stored content comes right behind."""
        fields = CHUNK_HEAD.pack(self.start_ns, self.end_ns, self.size, self.crc)
        body = fields + text(self.compression) + _U64.pack(self.stored_size)
        return PREFIX.pack(Op.CHUNK, len(body) + self.stored_size) + body

    @classmethod
    def parse(cls, data: memoryview) -> tuple[ChunkHead, int]:
        """The head, and how many bytes of the record it takes."""
        if len(data) >= _UNCOMPRESSED.size and data[_NAME_AT : _NAME_AT + 4] == _NO_NAME:
            start_ns, end_ns, size, crc, _, stored_size = _UNCOMPRESSED.unpack_from(data)
            return cls(start_ns, end_ns, size, crc, "", stored_size), _UNCOMPRESSED.size
        fields = Fields(data)
        start_ns, end_ns, size, crc = CHUNK_HEAD.unpack(fields.take(CHUNK_HEAD.size))
        return cls(start_ns, end_ns, size, crc, fields.text(), fields.u64()), fields.at


def message_index(channel: int, entries: bytes | bytearray) -> bytes:
    return INDEX_HEAD.pack(Op.MESSAGE_INDEX, 6 + len(entries), channel, len(entries)) + entries


def chunk_index(head: ChunkHead, start: int, length: int, offsets: Mapping[int, int], index_length: int) -> bytes:
    """`offsets` are those of the chunk's message indexes in the file, by channel."""
    places = b"".join(struct.pack("<HQ", channel, offset) for channel, offset in offsets.items())
    first = struct.pack("<QQQQI", head.start_ns, head.end_ns, start, length, len(places))
    last = struct.pack("<QQ", head.stored_size, head.size)
    return record(Op.CHUNK_INDEX, first, places, _U64.pack(index_length), text(head.compression), last)


class Statistics(NamedTuple):
    messages: int
    schemas: int
    channels: int
    attachments: int
    metadata: int
    chunks: int
    start_ns: int
    end_ns: int
    counts: Mapping[int, int]
    """Messages of each channel."""

    def packed(self) -> bytes:
        numbers = _STATISTICS.pack(*self[:8])
        counts = b"".join(struct.pack("<HQ", channel, count) for channel, count in self.counts.items())
        return record(Op.STATISTICS, numbers, _U32.pack(len(counts)), counts)

    @classmethod
    def parse(cls, data: memoryview) -> Statistics:
        fields = Fields(data)
        messages, schemas, channels, attachments, metadata, chunks, start_ns, end_ns = _STATISTICS.unpack(
            fields.take(_STATISTICS.size)
        )
        entries = Fields(fields.take(fields.u32()))
        counts = {}
        while entries.left:
            channel = entries.u16()
            counts[channel] = entries.u64()
        return cls(messages, schemas, channels, attachments, metadata, chunks, start_ns, end_ns, counts)


class AttachmentIndex(NamedTuple):
    offset: int
    length: int
    log_time_ns: int
    create_time_ns: int
    size: int
    name: str
    media_type: str

    def packed(self) -> bytes:
        return record(Op.ATTACHMENT_INDEX, struct.pack("<QQQQQ", *self[:5]), text(self.name), text(self.media_type))

    @classmethod
    def parse(cls, data: memoryview) -> AttachmentIndex:
        fields = Fields(data)
        offset, length, log_time_ns, create_time_ns, size = struct.unpack("<QQQQQ", fields.take(40))
        return cls(offset, length, log_time_ns, create_time_ns, size, fields.text(), fields.text())


class MetadataIndex(NamedTuple):
    offset: int
    length: int
    name: str

    def packed(self) -> bytes:
        return record(Op.METADATA_INDEX, struct.pack("<QQ", self.offset, self.length), text(self.name))

    @classmethod
    def parse(cls, data: memoryview) -> MetadataIndex:
        fields = Fields(data)
        return cls(fields.u64(), fields.u64(), fields.text())


class Footer(NamedTuple):
    summary_start: int
    summary_offset_start: int
    summary_crc: int

    def packed(self) -> bytes:
        return FOOTER.pack(Op.FOOTER, 20, *self)
