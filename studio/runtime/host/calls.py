"""Service calls between hosts: nested in the caller's handler, past the gate (docs/protocol.md, section 10)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from studio.errors import StudioError
from studio.messages import decode, encode
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.channel.call_frames import HAND, Reply, Request, ends_of, reply_topic, request_topic
from studio.runtime.component import ServiceError
from studio.runtime.host.component_runner import ComponentRunner
from studio.runtime.lifecycle import State
from studio.runtime.wire.frames import ERROR, Event, FrameError, Header, Kind, pack, topic_hash

if TYPE_CHECKING:
    from studio.runtime.host.executor import Executor

P = TypeVar("P", Request, Reply)


class Calls:
    """The calls that one host makes and serves. One thread handles, so at most one call chain is open at a time."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.inbox: deque[tuple[str, Header, memoryview]] = deque()
        """Requests and replies go past the mailbox; a host that waits for a reply still serves its idle components."""
        self.deferred: list[tuple[str, Header, memoryview]] = []
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

    def checkpoint(self) -> tuple[int, dict[str, int]]:
        return self._number, dict(self._sequences)

    def restore(self, saved: tuple[int, dict[str, int]]) -> None:
        self._number, self._sequences = saved[0], dict(saved[1])

    def arrived(self, topic: str, header: Header, payload: memoryview) -> None:
        """Whoever reads the socket: a request or a reply is here."""
        self.inbox.append((topic, header, payload))

    def serve_waiting(self) -> None:
        """Executor, between two letters: answer what has come in meanwhile."""
        while self.deferred:
            self._serve(*self.deferred.pop(0))
        while self.inbox:
            topic, header, payload = self.inbox.popleft()
            if header.kind == Kind.REQUEST:  # a reply here comes after its deadline: nobody waits for it
                self._serve(topic, header, payload)

    def call(self, caller: ComponentRunner, name: str, request: Any, deadline_s: float) -> Any:
        self._executor.lose_the_way()  # a reply is no event that could come again
        provider, service = caller.planned.requires[name]
        self._refuse_circle(caller.name, provider)
        self._chain.append(caller.name)
        try:
            local = self._executor.runners.get(provider)
            if local is not None:
                return self._call_here(caller, local, service, request, deadline_s)
            reply_type = type(caller.component).__services__[name].reply
            return self._call_there(caller, provider, service, request, deadline_s, reply_type)
        finally:
            self._chain.pop()

    def _refuse_circle(self, caller: str, provider: str) -> None:
        if provider in {caller, *self._chain}:
            raise ServiceError(f"service calls go in a circle: {' → '.join([*self._chain, caller, provider])}")

    def _call_here(
        self, caller: ComponentRunner, provider: ComponentRunner, service: str, request: Any, deadline_s: float
    ) -> Any:
        """Inside one host the request is not waited for; it is sent, as the reply is, for the record."""
        event = self._requested(caller, provider.name, 0, service, request, deadline_s)
        try:
            reply = answer(provider, service, request, event)
        except ServiceError as error:
            self._reply(event, Reply(0, [], str(error).encode()), ERROR)
            raise
        finally:
            self._count(provider.place, provider.served)
        self._reply(event, Reply(0, [], encode(reply)))
        return reply

    def _call_there(
        self,
        caller: ComponentRunner,
        provider: str,
        service: str,
        request: Any,
        deadline_s: float,
        reply_type: type[Any],
    ) -> Any:
        self._number += 1
        event = self._requested(caller, provider, self._number, service, request, deadline_s)
        found = self._wait(self._number, deadline_s)
        if found is None:
            text = f"{provider}.{service} did not answer within {deadline_s:g} s"
            self._withdraw(event, service, text)
            raise ServiceError(text)
        header, reply = found
        for place, published in reply.counts:
            self._count(place, published)
        if header.flags & ERROR:
            raise ServiceError(bytes(reply.body).decode(errors="replace"))
        return decode(reply_type, reply.body)

    def _requested(
        self, caller: ComponentRunner, provider: str, number: int, service: str, request: Any, deadline_s: float
    ) -> Event:
        """Send a request; the event that it is."""
        cause = caller.event
        assert cause is not None, "services can be called in handlers only"
        topic = request_topic(provider, caller.name)
        named = (cause.topic, cause.sequence)
        event = Event(topic, self._next(topic), cause.stamp_ns, request, kind=Kind.REQUEST, cause=named)
        body = Request(number, service, round(deadline_s * SECOND_NS), self._chain, encode(request)).payload()
        self._executor.sender().send_now(_packed(event, body))
        return event

    def _reply(self, request: Event, reply: Reply, flags: int = 0) -> None:
        topic = reply_topic(*ends_of(request.topic))
        named = (request.topic, request.sequence)
        event = Event(topic, self._next(topic), request.stamp_ns, kind=Kind.REPLY, cause=named, flags=flags)
        self._executor.sender().send_now(_packed(event, reply.payload()))

    def answer_hand(self, provider: ComponentRunner, number: int, body: bytes, error: str) -> None:
        """To whoever gave the command that `provider` handles: the reply, or why there is none."""
        command = provider.event
        assert command is not None, "commands are events"
        if self._executor.catching_up is not None:
            return  # whoever gave it has been answered
        topic = reply_topic(HAND, provider.name)
        named, flags = (command.topic, command.sequence), ERROR if error else 0
        event = Event(topic, self._next(topic), command.stamp_ns, kind=Kind.REPLY, cause=named, flags=flags)
        reply = Reply(number, [], error.encode() if error else body)
        self._executor.sender().send_now(_packed(event, reply.payload()))

    def _withdraw(self, request: Event, service: str, text: str) -> None:
        """For the record: a reply that comes from here on is not what the caller went on with."""
        named = (request.topic, request.sequence)
        sequence = self._next(request.topic)
        event = Event(request.topic, sequence, request.stamp_ns, kind=Kind.REQUEST, cause=named, flags=ERROR)
        self._executor.sender().send_now(_packed(event, Request(0, service, 0, self._chain, text.encode()).payload()))

    def _wait(self, number: int, deadline_s: float) -> tuple[Header, Reply] | None:
        end_ns = monotonic_ns() + int(deadline_s * SECOND_NS)
        while monotonic_ns() < end_ns:
            self._executor.receiver.read(wait=True)
            while self.inbox:
                topic, header, payload = self.inbox.popleft()
                if header.kind == Kind.REQUEST:
                    self._serve_or_defer(topic, header, payload)
                elif (reply := self._readable(Reply.parse, topic, payload)) is not None and reply.number == number:
                    return header, reply
        return None

    def _serve_or_defer(self, topic: str, header: Header, payload: memoryview) -> None:
        """While a handler of this host waits, its other components still serve; the waiting one handles one thing."""
        provider = self._executor.runners.get(ends_of(topic)[1])
        if provider is not None and provider.event is None:
            self._serve(topic, header, payload)
        else:
            self.deferred.append((topic, header, payload))

    def _serve(self, topic: str, header: Header, payload: memoryview) -> None:
        request = self._readable(Request.parse, topic, payload)
        if request is None or request.number == 0:  # for the record only
            return
        self._executor.lose_the_way()
        event = Event(topic, header.sequence, header.stamp_ns, kind=Kind.REQUEST)
        outer, self._chain = self._chain, request.chain
        outer_nested, self._nested = self._nested, {}
        flags = 0
        try:
            reply = self._answer(event, request)
        except StudioError as error:
            flags, reply = ERROR, str(error).encode()
        counts = [*self._nested.items()]
        self._chain, self._nested = outer, outer_nested
        self._reply(event, Reply(request.number, counts, reply), flags)

    def _readable(self, parse: Callable[[memoryview], P], topic: str, payload: memoryview) -> P | None:
        """A damaged frame must not end the host; whoever waits for it hears of it by the deadline."""
        try:
            return parse(payload)
        except FrameError as malformed:
            self._executor.refusals.add(topic.rpartition("/")[2], malformed)
            return None

    def _answer(self, event: Event, request: Request) -> bytes:
        runner = self._executor.runners.get(ends_of(event.topic)[1])
        if runner is None:
            raise ServiceError(f"{ends_of(event.topic)[1]} is not here")
        types = runner.service_types(request.service)
        if types is None:
            raise ServiceError(f"{runner.name} provides no service {request.service}")
        try:
            return encode(answer(runner, request.service, decode(types[0], request.body), event))
        finally:
            self._count(runner.place, runner.served)

    def _count(self, place: int, published: int) -> None:
        if published:
            self._nested[place] = self._nested.get(place, 0) + published

    def _next(self, topic: str) -> int:
        self._sequences[topic] = sequence = self._sequences.get(topic, 0) + 1
        return sequence


def answer(provider: ComponentRunner, service: str, request: Any, event: Event) -> Any:
    """The provider's reply; whatever goes wrong reaches the caller as a ServiceError."""
    provider.served = 0
    if provider.state is not State.ACTIVE:
        raise ServiceError(f"{provider.name} is {provider.state.value} and does not serve {service}")
    try:
        return provider.serve(service, request, event)
    except ServiceError:
        raise
    except Exception as failure:
        provider.fail(failure)
        raise ServiceError(f"{provider.name}.{service} failed: {failure}") from failure


def _packed(event: Event, payload: bytes) -> bytes:
    assert event.cause is not None, "calls have a cause"
    return pack(
        event.topic, event.kind, event.sequence, payload, stamp_ns=event.stamp_ns, sent_ns=event.stamp_ns,
        flags=event.flags, cause_topic=topic_hash(event.cause[0]), cause_sequence=event.cause[1],
    )  # fmt: skip
