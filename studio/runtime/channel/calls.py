"""Service calls between hosts: nested in the caller's handler, past the gate (docs/protocol.md, section 10)."""

from __future__ import annotations

import struct
from collections import deque
from typing import TYPE_CHECKING, Any

from studio.errors import StudioError
from studio.messages import decode, encode
from studio.runtime.cell import Cell
from studio.runtime.channel.frames import (
    ERROR,
    REPLY_PREFIX,
    REQUEST_PREFIX,
    Event,
    FrameError,
    Header,
    Kind,
    pack,
    pack_counts,
    parse_counts,
    topic_hash,
)
from studio.runtime.clock import SECOND_NS, monotonic_ns
from studio.runtime.component import ServiceError
from studio.runtime.lifecycle import State

if TYPE_CHECKING:
    from studio.runtime.executor import Executor

_REQUEST = struct.Struct("<IHHI")
_REPLY = struct.Struct("<IHH")


class Calls:
    """The calls that one host makes and serves. One thread handles, so at most one call chain is open at a time."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._inbox: deque[tuple[str, Header, memoryview]] = deque()
        """Requests and replies go past the mailbox; a host that waits for a reply still serves its idle components."""
        self._deferred: list[tuple[str, Header, memoryview]] = []
        self._number = 0
        self._sequences: dict[str, int] = {}
        self._chain: list[str] = []
        self._nested: dict[int, int] = {}
        """Place -> events published by providers while they served the handler that runs now."""

    def begin(self) -> None:
        """An event is about to be handled."""
        self._nested.clear()

    def counts(self, published: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """What an acknowledgement reports: the handlers' own publications and those of the providers they called."""
        return [*published, *self._nested.items()] if self._nested else published

    def arrived(self, topic: str, header: Header, payload: memoryview) -> None:
        """Whoever reads the socket: a request or a reply is here."""
        self._inbox.append((topic, header, payload))

    def serve_waiting(self) -> None:
        """Executor, between two letters: answer what has come in meanwhile."""
        while self._deferred:
            self._serve(*self._deferred.pop(0))
        while self._inbox:
            topic, header, payload = self._inbox.popleft()
            if header.kind == Kind.REQUEST:  # a reply here comes after its deadline: nobody waits for it
                self._serve(topic, header, payload)

    def call(self, caller: Cell, name: str, request: Any, deadline_s: float) -> Any:
        provider, service = caller.planned.requires[name]
        self._refuse_circle(caller.name, provider)
        self._chain.append(caller.name)
        try:
            local = self._executor.cells.get(provider)
            if local is not None:
                return self._call_here(caller, local, service, request)
            reply_type = type(caller.component).__services__[name].reply
            return self._call_there(caller, provider, service, request, deadline_s, reply_type)
        finally:
            self._chain.pop()

    def _refuse_circle(self, caller: str, provider: str) -> None:
        if provider in {caller, *self._chain}:
            raise ServiceError(f"service calls go in a circle: {' → '.join([*self._chain, caller, provider])}")

    def _call_here(self, caller: Cell, provider: Cell, service: str, request: Any) -> Any:
        topic = REQUEST_PREFIX + provider.name
        event = self._nested_event(caller, topic, request)
        payload = self._request_payload(0, service, encode(request))
        self._executor.sender().send_now(self._pack(event, topic, Kind.REQUEST, payload))
        reply = answer(provider, service, request, event)
        self._count(provider.place, provider.served)
        back = self._pack(event, REPLY_PREFIX + self._executor.host, Kind.REPLY, _REPLY.pack(0, 0, 0) + encode(reply))
        self._executor.sender().send_now(back)
        return reply

    def _call_there(
        self, caller: Cell, provider: str, service: str, request: Any, deadline_s: float, reply_type: type[Any]
    ) -> Any:
        self._number += 1
        topic = REQUEST_PREFIX + provider
        event = self._nested_event(caller, topic, request)
        payload = self._request_payload(self._number, service, encode(request))
        self._executor.sender().send_now(self._pack(event, topic, Kind.REQUEST, payload))
        header, reply = self._wait(self._number, f"{provider}.{service}", deadline_s)
        _, count, _ = _REPLY.unpack_from(reply)
        for place, published in parse_counts(reply[_REPLY.size :], count):
            self._count(place, published)
        body = reply[_REPLY.size + 8 * count :]
        if header.flags & ERROR:
            raise ServiceError(bytes(body).decode(errors="replace"))
        return decode(reply_type, body)

    def _wait(self, number: int, what: str, deadline_s: float) -> tuple[Header, memoryview]:
        end_ns = monotonic_ns() + int(deadline_s * SECOND_NS)
        while monotonic_ns() < end_ns:
            self._executor.receiver.read(wait=True)
            while self._inbox:
                topic, header, payload = self._inbox.popleft()
                if header.kind == Kind.REQUEST:
                    self._serve_or_defer(topic, header, payload)
                elif len(payload) >= _REPLY.size and _REPLY.unpack_from(payload)[0] == number:
                    return header, payload
        raise ServiceError(f"{what} has not answered within {deadline_s:g} s")

    def _serve_or_defer(self, topic: str, header: Header, payload: memoryview) -> None:
        """While a handler of this host waits, its other components still serve; the waiting one handles one thing."""
        provider = self._executor.cells.get(topic.removeprefix(REQUEST_PREFIX))
        if provider is not None and provider.event is None:
            self._serve(topic, header, payload)
        else:
            self._deferred.append((topic, header, payload))

    def _serve(self, topic: str, header: Header, payload: memoryview) -> None:
        provider = topic.removeprefix(REQUEST_PREFIX)
        number, host, service, chain, body = parse_request(payload)
        if number == 0:  # a call inside one host, sent for the record only
            return
        outer, self._chain = self._chain, chain
        outer_nested, self._nested = self._nested, {}
        flags = 0
        try:
            reply = self._answer(provider, service, body, header)
        except StudioError as error:
            flags, reply = ERROR, str(error).encode()
        counts = [*self._nested.items()]
        self._chain, self._nested = outer, outer_nested
        text = _REPLY.pack(number, len(counts), 0) + pack_counts(counts) + reply
        topic = REPLY_PREFIX + host
        frame = pack(
            topic, Kind.REPLY, self._next(topic), text, stamp_ns=header.stamp_ns, sent_ns=header.stamp_ns, flags=flags,
            cause_topic=topic_hash(REQUEST_PREFIX + provider), cause_sequence=header.sequence,
        )  # fmt: skip
        self._executor.sender().send_now(frame)

    def _answer(self, provider: str, service: str, body: memoryview, header: Header) -> bytes:
        cell = self._executor.cells[provider]
        declared = type(cell.component).__services__.get(service)
        if declared is None or declared.role != "provided":
            raise ServiceError(f"{provider} provides no service {service}")
        event = Event(REQUEST_PREFIX + provider, header.sequence, header.stamp_ns, kind=Kind.REQUEST)
        reply = answer(cell, service, decode(declared.request, body), event)
        self._count(cell.place, cell.served)
        return encode(reply)

    def _count(self, place: int, published: int) -> None:
        if published:
            self._nested[place] = self._nested.get(place, 0) + published

    def _nested_event(self, caller: Cell, topic: str, request: Any) -> Event:
        cause = caller.event
        assert cause is not None, "calls are made in handlers only"
        return Event(
            topic, self._next(topic), cause.stamp_ns, request, kind=Kind.REQUEST, cause=(cause.topic, cause.sequence)
        )

    def _pack(self, event: Event, topic: str, kind: Kind, payload: bytes) -> bytes:
        sequence = event.sequence if kind is Kind.REQUEST else self._next(topic)
        cause = event.cause if kind is Kind.REQUEST else (event.topic, event.sequence)
        assert cause is not None
        return pack(
            topic, kind, sequence, payload, stamp_ns=event.stamp_ns, sent_ns=event.stamp_ns,
            cause_topic=topic_hash(str(cause[0])), cause_sequence=cause[1],
        )  # fmt: skip

    def _request_payload(self, number: int, service: str, body: bytes) -> bytes:
        host, name, chain = self._executor.host.encode(), service.encode(), " ".join(self._chain).encode()
        return b"".join((_REQUEST.pack(number, len(host), len(name), len(chain)), host, name, chain, body))

    def _next(self, topic: str) -> int:
        self._sequences[topic] = sequence = self._sequences.get(topic, 0) + 1
        return sequence


def answer(provider: Cell, service: str, request: Any, event: Event) -> Any:
    """The provider's reply; whatever goes wrong reaches the caller as a ServiceError."""
    if provider.state is not State.ACTIVE:
        raise ServiceError(f"{provider.name} is {provider.state.value} and does not serve {service}")
    try:
        return provider.serve(service, request, event)
    except ServiceError:
        raise
    except Exception as failure:
        provider.fail(failure)
        raise ServiceError(f"{provider.name}.{service} failed: {failure}") from failure


def parse_request(payload: memoryview) -> tuple[int, str, str, list[str], memoryview]:
    """Call number, caller's host, service, waiting components and the CDR request."""
    try:
        number, *lengths = _REQUEST.unpack_from(payload)
        texts = []
        rest = payload[_REQUEST.size :]
        for length in lengths:
            texts.append(bytes(rest[:length]).decode())
            rest = rest[length:]
    except (struct.error, UnicodeDecodeError) as error:
        raise FrameError(f"damaged service request: {error}") from None
    host, service, chain = texts
    return number, host, service, chain.split(), rest
