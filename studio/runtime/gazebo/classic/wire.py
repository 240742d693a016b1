"""Frames on a connection: the length of the body as eight hexadecimal digits, and the body."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from studio.errors import StudioError
from studio.runtime.gazebo.classic_messages import classic_messages
from studio.runtime.gazebo.schema import SchemaError

HEADER_BYTES = 8
MOST_BYTES = 64 * 1024 * 1024
_DIGITS = re.compile(rb"[0-9a-f]{8}")


class BadFrame(StudioError):
    """The stream is not that of Gazebo classic; nothing behind it can be read."""


class FrameReader:
    """Takes bytes as they come, and gives whole bodies."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        self._bytes += data
        while len(self._bytes) >= HEADER_BYTES:
            end = HEADER_BYTES + self._length()
            if len(self._bytes) < end:
                return
            body = bytes(self._bytes[HEADER_BYTES:end])
            del self._bytes[:end]
            yield body

    def _length(self) -> int:
        digits = bytes(self._bytes[:HEADER_BYTES])
        length = int(digits, 16) if _DIGITS.fullmatch(digits) else -1
        if not 0 <= length <= MOST_BYTES:
            raise BadFrame(f"{digits!r} is not the length of a message of Gazebo classic")
        return length


def frame(body: bytes) -> bytes:
    return b"%08x" % len(body) + body


def packet(kind: str, message: Any) -> bytes:
    """A frame for the master, or the first one to a publisher."""
    schema = classic_messages()
    told = schema.new("Packet", type=kind, serialized_data=message.SerializeToString())
    told.stamp.sec = told.stamp.nsec = 0
    return frame(told.SerializeToString())


def read_packet(body: bytes) -> tuple[str, bytes]:
    """Its kind and its payload."""
    try:
        read = classic_messages().read("Packet", body)
    except SchemaError as error:
        raise BadFrame(error.message) from None
    return read.type, read.serialized_data
