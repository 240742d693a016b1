"""The headers of a chunk's events: from the wire's bytes to one message of columns, and back."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.runtime.channel.frames import HEADER

HEADERS_TOPIC = "/_studio/headers"

WIRE = np.dtype(
    [
        ("version", "u1"),
        ("kind", "u1"),
        ("flags", "u1"),
        ("origin", "u1"),
        ("epoch", "<u4"),
        ("sequence", "<u8"),
        ("stamp_ns", "<i8"),
        ("sent_ns", "<i8"),
        ("cause_topic", "<u8"),
        ("cause_sequence", "<u8"),
        ("target", "<u2"),
        ("reserved", "<u2"),
        ("reserved2", "<u8"),
    ]
)
"""A header of the wire as numpy sees it."""
assert WIRE.itemsize == HEADER.size

_WORDS = ("sequence", "sent_ns", "cause_topic", "cause_sequence")
_BYTES = ("kind", "flags", "origin")


def pack_headers(topics: Sequence[int], headers: Sequence[bytes | memoryview]) -> bytes:
    """The CDR of an EventHeaders message: the bytes that `encode` makes, in a quarter of the time.

    All columns of a batch have one length, so what stands between them is known beforehand.
    """
    rows: NDArray[Any] = np.frombuffer(b"".join(headers), WIRE)
    count = len(rows)
    before_words, before_bytes = struct.pack("<II", count, 0), struct.pack("<I", count)
    fill = bytes(-count % 4)
    parts = [b"\0\1\0\0", before_words, np.array(topics, np.uint64).tobytes()]
    for name in _WORDS:
        parts += before_words, rows[name].tobytes()
    parts += before_bytes, rows["epoch"].tobytes()
    for name in _BYTES:
        parts += before_bytes, rows[name].tobytes(), fill
    return b"".join(parts[:-1])
