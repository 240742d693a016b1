"""Service calls on the wire: their topics and payloads (docs/protocol.md, section 10)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from studio.runtime.plan.plan import Plan
from studio.runtime.wire.frames import REPLY_PREFIX, REQUEST_PREFIX, FrameError, pack_counts, parse_counts

_REQUEST = struct.Struct("<IHHqII")
_REPLY = struct.Struct("<IHH")


HAND = "_hand"
"""In the place of a caller: a person. No component can have this name."""


def request_topic(provider: str, caller: str) -> str:
    return f"{REQUEST_PREFIX}{provider}/{caller}"


def reply_topic(caller: str, provider: str) -> str:
    return f"{REPLY_PREFIX}{caller}/{provider}"


def ends_of(topic: str) -> tuple[str, str]:
    """Caller and provider of a topic of calls."""
    first, _, second = topic.removeprefix(REQUEST_PREFIX).removeprefix(REPLY_PREFIX).partition("/")
    return (second, first) if topic.startswith(REQUEST_PREFIX) else (first, second)


def call_topics(plan: Plan) -> Iterator[str]:
    """The topics of all calls that the components of a plan can make."""
    for caller in plan.components:
        for provider in dict.fromkeys(provider for provider, _ in caller.requires.values()):
            yield request_topic(provider, caller.name)
            yield reply_topic(caller.name, provider)


def hand_topics(plan: Plan) -> Iterator[str]:
    """The topics of replies to what is done by hand; the requests are commands."""
    return (reply_topic(HAND, component.name) for component in plan.components)


class Request(NamedTuple):
    number: int
    """Chosen by the caller's host; 0 is not to be served."""
    service: str
    deadline_ns: int
    """How long the caller waits."""
    chain: list[str]
    """The components that wait, the caller last."""
    body: memoryview | bytes
    """CDR; in a request that is withdrawn, a text."""

    def payload(self) -> bytes:
        service, chain = self.service.encode(), " ".join(self.chain).encode()
        head = _REQUEST.pack(self.number, len(service), 0, self.deadline_ns, len(chain), 0)
        return b"".join((head, service, chain, self.body))

    @classmethod
    def parse(cls, payload: memoryview) -> Request:
        try:
            number, service_length, _, deadline_ns, chain_length, _ = _REQUEST.unpack_from(payload)
            start = _REQUEST.size
            service = bytes(payload[start : start + service_length]).decode()
            start += service_length
            chain = bytes(payload[start : start + chain_length]).decode()
        except (struct.error, UnicodeDecodeError) as error:
            raise FrameError(f"damaged service request: {error}") from None
        return cls(number, service, deadline_ns, chain.split(), payload[start + chain_length :])


class Reply(NamedTuple):
    number: int
    counts: list[tuple[int, int]]
    """Place -> events that were published while serving."""
    body: memoryview | bytes
    """CDR; with flag ERROR a text."""

    def payload(self) -> bytes:
        return b"".join((_REPLY.pack(self.number, len(self.counts), 0), pack_counts(self.counts), self.body))

    @classmethod
    def parse(cls, payload: memoryview) -> Reply:
        try:
            number, count, _ = _REPLY.unpack_from(payload)
            counts = parse_counts(payload[_REPLY.size :], count)
        except struct.error as error:
            raise FrameError(f"damaged service reply: {error}") from None
        return cls(number, counts, payload[_REPLY.size + 8 * count :])
