"""Messages of the Debug Adapter Protocol on a stream: a header with `Content-Length`, an empty line, JSON."""

from __future__ import annotations

import json
from typing import Any, BinaryIO

from studio.errors import StudioError
from studio.runtime.base.typed_json import Malformed, read_json

Message = dict[str, Any]
MOST_BYTES = 256 * 1024 * 1024
"""A message that claims to be longer is none."""
MOST_HEADER_BYTES = 4096


class DapError(StudioError):
    """What was read is not the Debug Adapter Protocol."""


def read_message(stream: BinaryIO) -> Message | None:
    """The next message; None at the end of the stream, also where it ends within a message."""
    length = _read_header(stream)
    if length is None:
        return None
    body = stream.read(length)
    if len(body) < length:
        return None
    try:
        message = read_json(body, MOST_BYTES)
    except Malformed as malformed:
        raise DapError(f"a debug message: {malformed}") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise DapError("a debug message has no type", hint="request, response or event")
    return message


def _read_header(stream: BinaryIO) -> int | None:
    """The length of the message that follows."""
    length: int | None = None
    while True:
        line = stream.readline(MOST_HEADER_BYTES)
        if not line.endswith(b"\n"):
            if len(line) < MOST_HEADER_BYTES:
                return None
            raise DapError("the header of a debug message does not end")
        if not line.strip():
            break
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value) if value.strip().isdigit() else -1
    if length is None or not 0 <= length <= MOST_BYTES:
        raise DapError("a debug message has no length", hint="Content-Length: <bytes> comes first")
    return length


def write_message(stream: BinaryIO, message: Message) -> None:
    """Write it and flush. One thread at a time."""
    body = json.dumps(message).encode()
    stream.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    stream.flush()
