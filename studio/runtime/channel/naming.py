"""Who has sent a frame, as far as the frame tells: for those who have to say that it is malformed."""

from __future__ import annotations

from studio.runtime.base.refusals import UNKNOWN
from studio.runtime.plan.plan import Plan
from studio.runtime.wire.frames import (
    ACK_TOPIC,
    HEADER,
    REPLY_PREFIX,
    REQUEST_PREFIX,
)


def sender_of(frame: bytes, plan: Plan) -> str:
    """The name of a component or host of the plan; empty where nobody can tell."""
    topic, start = _topic(frame)
    if topic in plan.producers:
        return plan.producers[topic].name
    if topic == ACK_TOPIC:
        return _acknowledging(frame, start, plan)
    if topic.startswith((REQUEST_PREFIX, REPLY_PREFIX)):  # .../<receiver>/<sender>
        return _known(topic.rpartition("/")[2], plan)
    return UNKNOWN


def _topic(frame: bytes) -> tuple[str, int]:
    """The topic, and where the header begins."""
    end = frame.find(b"\0")
    return frame[: max(end, 0)].decode(errors="replace"), (end & ~7) + 8


def _acknowledging(frame: bytes, start: int, plan: Plan) -> str:
    if len(frame) < start + HEADER.size:
        return UNKNOWN
    index = HEADER.unpack_from(frame, start)[5]
    return next((host for host, number in plan.hosts.items() if number == index), UNKNOWN)


def _known(name: str, plan: Plan) -> str:
    return name if name in plan.by_name or name in plan.hosts else UNKNOWN
