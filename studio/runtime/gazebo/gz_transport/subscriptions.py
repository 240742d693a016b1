"""The receiving side of topics: one SUB socket for each process that publishes.

One socket for all would be less, but a disconnect between the frames of a message aborts the process in libzmq, and a
dead address would be retried for ever. A socket of its own is closed with the process that it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import zmq

from studio.errors import StudioError
from studio.runtime.base.refusals import Refusals
from studio.runtime.gazebo.gz_transport.access import Access
from studio.runtime.gazebo.gz_transport.names import split_name
from studio.runtime.gazebo.gz_transport.packets import Offer

QUEUE = 1000
MOST_AT_ONCE = 200


@dataclass(frozen=True)
class Sample:
    """One message of a topic."""

    topic: str
    """Without its partition."""
    payload: bytes
    type_name: str


Receive = Callable[[Sample], None]


class Subscriptions:
    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], access: Access, refusals: Refusals) -> None:
        self._context = context
        self._access = access
        self._refusals = refusals
        self._wanted: dict[str, list[Receive]] = {}
        """By full name."""
        self._offers: dict[str, set[Offer]] = {}
        """What is received, by the address that it comes from."""
        self._sockets: dict[str, zmq.Socket[bytes]] = {}

    def names(self) -> list[str]:
        return list(self._wanted)

    def is_wanted(self, name: str) -> bool:
        return name in self._wanted

    def add(self, name: str, receive: Receive) -> None:
        self._wanted.setdefault(name, []).append(receive)

    def remove(self, name: str, receive: Receive) -> list[Offer]:
        """The publishers that are no longer listened to."""
        receivers = self._wanted.get(name, [])
        if receive in receivers:
            receivers.remove(receive)
        if receivers or name not in self._wanted:
            return []
        del self._wanted[name]
        gone = [offer for offers in self._offers.values() for offer in offers if offer.name == name]
        for offer in gone:
            self.disconnect(offer)
        return gone

    def connect(self, offer: Offer) -> bool:
        """Whether this publisher is new here."""
        offers = self._offers.setdefault(offer.address, set())
        if offer in offers:
            return False
        socket = self._sockets.get(offer.address)
        if socket is None:
            socket = self._opened(offer.address)
            if socket is None:
                del self._offers[offer.address]
                return False
            self._sockets[offer.address] = socket
        socket.subscribe(offer.name.encode())
        offers.add(offer)
        return True

    def disconnect(self, offer: Offer) -> None:
        offers = self._offers.get(offer.address, set())
        if offer not in offers:
            return
        offers.discard(offer)
        if not any(other.name == offer.name for other in offers):
            self._sockets[offer.address].unsubscribe(offer.name.encode())
        if not offers:
            del self._offers[offer.address]
            self._sockets.pop(offer.address).close(linger=0)

    def sockets(self) -> Iterator[zmq.Socket[bytes]]:
        yield from self._sockets.values()

    def receive(self, socket: zmq.Socket[bytes]) -> None:
        for _ in range(MOST_AT_ONCE):
            if socket.closed:
                return
            try:
                frames = socket.recv_multipart(zmq.DONTWAIT)
            except zmq.Again:
                return
            self._take(frames)

    def close(self) -> None:
        for socket in self._sockets.values():
            socket.close(linger=0)
        self._sockets.clear()
        self._offers.clear()

    def _opened(self, address: str) -> zmq.Socket[bytes] | None:
        socket = self._context.socket(zmq.SUB)
        socket.rcvhwm = QUEUE
        self._access.show(socket)
        try:
            socket.connect(address)
        except zmq.ZMQError as error:
            socket.close(linger=0)
            self._refusals.add(f"publisher at {address}", f"{address} is not an address: {error}")
            return None
        return socket

    def _take(self, frames: list[bytes]) -> None:
        """Topic, address of the publisher, payload, type; more frames if statistics of topics are on."""
        try:
            name, type_name = frames[0].decode(), frames[3].decode()
        except (IndexError, UnicodeDecodeError):
            self._refusals.add("a publisher", f"a message of {len(frames)} frames is not one of gz-transport")
            return
        split = split_name(name)
        if split is None:
            return
        for receive in list(self._wanted.get(name, ())):  # a subscription also matches longer names: /scan/points
            try:
                receive(Sample(split[1], frames[2], type_name))
            except StudioError as bad:  # not a message of the type that it claims
                self._refusals.add(f"publisher of {split[1]}", bad)
