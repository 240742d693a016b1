"""Requests to services, and replies to requests.

Every process of gz-transport has three ROUTER sockets: by the first its requests go out, at the second their replies
come in, at the third the requests of others. A replier connects back, so a request says where the reply is expected.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import zmq

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.base.refusals import Refusals
from studio.runtime.gazebo.gz_transport.access import Access, endpoint
from studio.runtime.gazebo.gz_transport.names import split_name
from studio.runtime.gazebo.gz_transport.packets import Offer

ONE_WAY = "msgs.Empty"
"""The end of a reply type that nobody waits for."""
QUEUE = 1000
MOST_AT_ONCE = 200
MOST_CLIENTS = 200
"""Answers go to so many addresses; one more, and the oldest is let go of, as it would be tried for ever."""
MOST_WAITING = 500
"""Answers whose way back is not open yet."""
RETRY_NS = SECOND_NS // 100


@dataclass(frozen=True)
class Reply:
    is_good: bool
    payload: bytes


Serve = Callable[[bytes], Reply]


@dataclass
class Request:
    name: str
    type_name: str
    reply_type: str
    payload: bytes
    until_ns: int
    done: Callable[[Reply | str], None]
    """Gets the reply, or why there is none."""
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    sent_to: Offer | None = None


@dataclass
class _Answer:
    """A reply whose way back is not open yet."""

    frames: list[bytes]
    until_ns: int


class Services:
    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], address: str, node: str, access: Access, refusals: Refusals
    ) -> None:
        self._node = node
        self._refusals = refusals
        self._requester = _router(context)
        self._replies = _router(context)
        self._replier = _router(context)
        self._reply_id, self.socket_id = str(uuid.uuid4()), str(uuid.uuid4())
        access.show(self._requester)
        access.show(self._replier)
        access.ask(self._replies)
        self._replies.routing_id = self._reply_id.encode()
        self._replier.routing_id = self.socket_id.encode()
        self.address, self._reply_address = _bound(self._replier, address), _bound(self._replies, address)
        self._served: dict[str, Serve] = {}
        self._open: dict[str, Request] = {}
        self._asked: set[str] = set()
        self._answered: dict[str, None] = {}
        """Where answers went, the oldest first."""
        self._answers: list[_Answer] = []

    # ---- the side that asks

    def ask(self, request: Request) -> None:
        self._open[request.id] = request

    def is_wanted(self, name: str) -> bool:
        return any(request.name == name for request in self._open.values())

    def send_to(self, offers: list[Offer], now_ns: int) -> None:
        """Everything that waits, to a replier of its types; what waits too long ends."""
        for request in list(self._open.values()):
            if now_ns > request.until_ns:
                self._end(request, _why_late(request, offers))
            elif request.sent_to is None:
                self._send(request, next((each for each in offers if _fits(each, request)), None))

    def lose(self, offer: Offer) -> None:
        """The replier has gone: what it was asked will not be answered."""
        waiting = (each.sent_to for each in self._open.values())
        is_used = any(each is not None and each != offer and each.address == offer.address for each in waiting)
        if offer.address in self._asked and not is_used:
            self._asked.discard(offer.address)
            self._requester.disconnect(offer.address)  # or it would be tried for ever
        for request in list(self._open.values()):
            if request.sent_to == offer:
                self._end(request, f"the process that provides {_plain(request.name)} has ended")

    @property
    def is_waiting(self) -> bool:
        """Whether something has to be tried again soon."""
        return bool(self._answers) or any(request.sent_to is None for request in self._open.values())

    def _send(self, request: Request, offer: Offer | None) -> None:
        if offer is None:
            return
        try:
            if offer.address not in self._asked:
                self._requester.connect(offer.address)
                self._asked.add(offer.address)
            self._requester.send_multipart(self._request_frames(request, offer), zmq.DONTWAIT)
        except zmq.Again:
            return
        except zmq.ZMQError as error:
            if error.errno == zmq.EHOSTUNREACH:
                return  # The handshake is not over.
            self._end(request, f"{offer.address} cannot be reached: {error}")
            return
        request.sent_to = offer
        if request.reply_type.endswith(ONE_WAY):
            self._end(request, Reply(True, b""))

    def _request_frames(self, request: Request, offer: Offer) -> list[bytes]:
        texts = [offer.socket_id, request.name, self._reply_address, self._reply_id, self._node, request.id]
        types = [request.type_name, request.reply_type]
        return [*(each.encode() for each in texts), request.payload, *(each.encode() for each in types)]

    def _end(self, request: Request, reply: Reply | str) -> None:
        self._open.pop(request.id, None)
        request.done(reply)

    # ---- the side that answers

    def serve(self, name: str, serve: Serve) -> None:
        self._served[name] = serve

    def unserve(self, name: str) -> None:
        self._served.pop(name, None)

    # ---- both

    def sockets(self) -> Iterator[tuple[zmq.Socket[bytes], Callable[[int], None]]]:
        yield self._replies, self._take_replies
        yield self._replier, self._take_requests

    def retry(self, now_ns: int) -> None:
        waiting, self._answers = self._answers, []
        for answer in waiting:
            self._answer(answer, now_ns)

    def close(self) -> None:
        for request in list(self._open.values()):
            self._end(request, "the connection was closed")
        for socket in (self._requester, self._replies, self._replier):
            socket.close(linger=0)

    def _take_replies(self, now_ns: int) -> None:
        for frames in _frames_of(self._replies):
            if len(frames) < 6:
                self._refusals.add("a service", f"a reply of {len(frames)} frames is not one of gz-transport")
                continue
            request = self._open.get(frames[3].decode(errors="replace"))
            if request is not None:
                self._end(request, Reply(frames[5] == b"1", frames[4]))

    def _take_requests(self, now_ns: int) -> None:
        for frames in _frames_of(self._replier):
            try:
                name, address, reply_id, node, request_id = (frame.decode() for frame in frames[1:6])
                payload, _, reply_type = frames[6], frames[7], frames[8].decode()
            except (ValueError, IndexError):
                self._refusals.add("a client", f"a request of {len(frames)} frames is not one of gz-transport")
                continue
            serve = self._served.get(name)
            reply = serve(payload) if serve is not None else Reply(False, b"")
            if not reply_type.endswith(ONE_WAY):
                texts = [reply_id, name, node, request_id]
                sent = [*(each.encode() for each in texts), reply.payload, b"1" if reply.is_good else b"0"]
                self._reply(address, sent, now_ns)

    def _reply(self, address: str, frames: list[bytes], now_ns: int) -> None:
        if address not in self._answered:
            try:
                self._replier.connect(address)
            except zmq.ZMQError as error:
                self._refusals.add("a client", f"{address} is not an address: {error}")
                return
            self._answered[address] = None
            if len(self._answered) > MOST_CLIENTS:
                oldest = next(iter(self._answered))
                del self._answered[oldest]
                self._replier.disconnect(oldest)
        self._answer(_Answer(frames, now_ns + 5 * SECOND_NS), now_ns)

    def _answer(self, answer: _Answer, now_ns: int) -> None:
        try:
            self._replier.send_multipart(answer.frames, zmq.DONTWAIT)
        except zmq.ZMQError as error:
            if error.errno not in (zmq.EHOSTUNREACH, zmq.EAGAIN):
                raise
            if now_ns < answer.until_ns and len(self._answers) < MOST_WAITING:
                self._answers.append(answer)


def _router(context: zmq.Context[zmq.Socket[bytes]]) -> zmq.Socket[bytes]:
    socket = context.socket(zmq.ROUTER)
    socket.router_mandatory = True
    socket.sndhwm = socket.rcvhwm = QUEUE
    return socket


def _bound(socket: zmq.Socket[bytes], address: str) -> str:
    socket.bind(f"tcp://{address}:*")
    return endpoint(socket)


def _frames_of(socket: zmq.Socket[bytes]) -> Iterator[list[bytes]]:
    for _ in range(MOST_AT_ONCE):
        try:
            yield socket.recv_multipart(zmq.DONTWAIT)
        except zmq.Again:
            return


def _fits(offer: Offer, request: Request) -> bool:
    types = offer.type_name, offer.reply_type
    return offer.name == request.name and types == (request.type_name, request.reply_type)


def _why_late(request: Request, offers: list[Offer]) -> str:
    if request.sent_to is not None:
        return f"{_plain(request.name)} did not answer in time"
    named = [offer for offer in offers if offer.name == request.name]
    if named and not any(_fits(offer, request) for offer in named):
        found = named[0]
        return (
            f"{_plain(request.name)} takes {found.type_name} and answers {found.reply_type}, "
            f"not {request.type_name} and {request.reply_type}"
        )
    return (
        f"no process provides the service {_plain(request.name)}"
        if not named
        else f"{_plain(request.name)} cannot be reached"
    )


def _plain(name: str) -> str:
    split = split_name(name)
    return split[1] if split else name
