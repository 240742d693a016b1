"""What the broker keeps for a receiver, and for a viewer, that has stopped reading."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq

from studio.runtime.broker.broker_sockets import BrokerSockets
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import Kind, pack, subscription

READ_BEFORE = 6000
"""Fewer than half the queue: libzmq does not tell the broker yet that they were read."""
PAYLOAD = bytes(1000)
"""So that the system's own buffer for the connection takes few."""
BUFFERED = 1000
"""More than that buffer takes of them."""


class Broker:
    """The broker's sockets, and those who listen."""

    def __init__(self, run: Path) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._sockets = BrokerSockets(self._context, run)
        self._listeners: list[zmq.Socket[bytes]] = []

    def listener(self, address: str) -> zmq.Socket[bytes]:
        """Subscribed, and it has read all that was sent until then."""
        socket = self._context.socket(zmq.SUB)
        self._listeners.append(socket)
        socket.rcvhwm = 1
        socket.rcvtimeo = 2000
        socket.subscribe(subscription("/a"))
        socket.connect(address)
        self.send(0)
        while not socket.poll(50):
            self.send(0)
        kept(socket, 50)
        return socket

    def send(self, number: int) -> None:
        self._sockets.forward(pack("/a", Kind.DATA, number, PAYLOAD))

    def close(self) -> None:
        for socket in self._listeners:
            socket.close(linger=0)
        self._sockets.close()
        self._context.destroy(linger=0)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    broker = Broker(tmp_path)
    yield broker
    broker.close()


def kept(socket: zmq.Socket[bytes], patience_ms: int = 500) -> int:
    count = 0
    while socket.poll(patience_ms):
        socket.recv()
        count += 1
    return count


def test_the_whole_queue_is_kept_whatever_was_read_before(broker: Broker, tmp_path: Path) -> None:
    receiver = broker.listener(addresses.out_of(tmp_path))
    for number in range(1, READ_BEFORE + 1):
        broker.send(number)
        receiver.recv()
    for number in range(addresses.RECEIVER_QUEUE):
        broker.send(number)
    assert kept(receiver) >= addresses.RECEIVER_QUEUE


def test_little_is_kept_for_a_viewer_and_everything_for_a_receiver_beside_it(broker: Broker, tmp_path: Path) -> None:
    viewer = broker.listener(addresses.tap(tmp_path))
    receiver = broker.listener(addresses.out_of(tmp_path))
    kept(viewer, 50)
    for number in range(addresses.RECEIVER_QUEUE):
        broker.send(number)
    assert addresses.TAP_QUEUE // 2 <= kept(viewer) <= addresses.TAP_QUEUE + BUFFERED
    assert kept(receiver) == addresses.RECEIVER_QUEUE
