"""What waits at the gate of the broker."""

from __future__ import annotations

from typing import NamedTuple

from studio.runtime.channel.slots import Handle, PayloadError
from studio.runtime.wire.frames import HEADER_BYTES, SHARED, topic_field


class Held(NamedTuple):
    """A frame at the gate."""

    frame: bytes
    topic: str
    sequence: int
    stamp_ns: int
    kind: int

    @property
    def shared_bytes(self) -> int:
        """Of its payload, if that is in shared memory. 0 for a damaged handle: whoever is to open it says so."""
        at = len(topic_field(self.topic))
        if not self.frame[at + 2] & SHARED:
            return 0
        try:
            return Handle.parse(memoryview(self.frame)[at + HEADER_BYTES :]).length
        except PayloadError:
            return 0
