"""Service calls as they stand in a log: who asked whom for what, and what came back."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from studio.errors import StudioError
from studio.messages import ServiceCall, String, decode, encode
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.base.typed_json import read_object
from studio.runtime.channel.call_frames import HAND, Reply, Request, ends_of
from studio.runtime.wire.frames import ERROR, Event, Header, Kind, topic_hash

MOST_OPEN = 4096
"""Requests whose service is remembered until their reply comes; a call without one may never end."""


def recorded_call(event: Event, service: str, deadline_s: float = 0.0) -> bytes:
    """The payload of a call that was made without sockets; an error's message is its text."""
    if event.flags & ERROR:
        return _recorded(event.topic, service, 0.0, str(event.message), b"")
    return _recorded(event.topic, service, deadline_s, "", encode(event.message))


def recorded_answer(topic: str, service: str, error: str, body: bytes) -> bytes:
    """The payload of a reply to something that was done by hand."""
    return _recorded(topic, service, 0.0, error, body)


def _recorded(topic: str, service: str, deadline_s: float, error: str, data: bytes | memoryview) -> bytes:
    caller, provider = ends_of(topic)
    return encode(
        ServiceCall(
            caller=caller,
            provider=provider,
            service=service,
            deadline_s=deadline_s,
            error=error,
            data=np.frombuffer(data, np.uint8),
        )
    )


class CallBook:
    """Turns requests and replies of the channel into what is recorded. A reply alone does not name its service."""

    def __init__(self) -> None:
        self.first_caller = ""
        """Whose handler the call recorded last was made for, directly or by those it called."""
        self._open: OrderedDict[tuple[int, int], tuple[str, str]] = OrderedDict()
        """Request -> service and first caller."""

    def recorded(self, topic: str, header: Header, payload: memoryview) -> bytes:
        failed = header.flags & ERROR
        body: bytes | memoryview
        if header.kind == Kind.REQUEST:
            request = Request.parse(payload)
            service, deadline_ns, body = request.service, request.deadline_ns, request.body
            self.first_caller = request.chain[0] if request.chain else ""
            if not failed:
                self._remember((topic_hash(topic), header.sequence), (service, self.first_caller))
        else:
            named = (header.cause_topic, header.cause_sequence)
            service, self.first_caller = self._open.pop(named, ("", ""))
            deadline_ns, body = 0, Reply.parse(payload).body
        if failed:
            return _recorded(topic, service, 0.0, bytes(body).decode(errors="replace"), b"")
        return _recorded(topic, service, deadline_ns / SECOND_NS, "", body)

    def note_command(self, topic: str, header: Header, payload: memoryview) -> None:
        """A service that is called by hand is called by a command, and its reply does not name it either."""
        try:
            command = read_object(decode(String, payload).data)
            called = command.get("service") if command.get("do") == "call" else None
        except StudioError:
            return  # whoever gets it says what is wrong with it
        if called is not None:
            self._remember((topic_hash(topic), header.sequence), (str(called), HAND))

    def _remember(self, request: tuple[int, int], told: tuple[str, str]) -> None:
        self._open[request] = told
        if len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)
