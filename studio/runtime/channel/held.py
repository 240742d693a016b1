"""What waits at the gate of the broker."""

from __future__ import annotations

from typing import NamedTuple


class Held(NamedTuple):
    """A frame at the gate."""

    frame: bytes
    topic: str
    sequence: int
    stamp_ns: int
    kind: int
