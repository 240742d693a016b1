"""The handled trace of a running system, as it passes the tap: hosts send it in batches, twenty times a second."""

from __future__ import annotations

from studio.editor.live.batch import Event
from studio.errors import StudioError
from studio.messages import HandledTrace, decode
from studio.runtime.wire.frames import HANDLED_TOPIC, split, subscription

_START = subscription(HANDLED_TOPIC)


def is_trace(frame: bytes) -> bool:
    return frame.startswith(_START)


def trace_event(frame: bytes) -> Event | None:
    """None for what is damaged."""
    try:
        topic, header, payload = split(frame)
        return Event(topic, header.sequence, header.stamp_ns, decode(HandledTrace, payload))
    except StudioError:
        return None
