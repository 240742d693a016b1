"""What the broker keeps for a receiver that has stopped reading."""

from __future__ import annotations

from pathlib import Path

import zmq

from studio.runtime.channel import addresses
from studio.runtime.channel.broker_sockets import BrokerSockets
from studio.runtime.channel.frames import Kind, pack, subscription

READ_BEFORE = 6000
"""Fewer than half the queue: libzmq does not tell the broker yet that they were read."""
PAYLOAD = bytes(1000)
"""So that the system's own buffer for the connection takes few."""


def test_the_whole_queue_is_kept_whatever_was_read_before(tmp_path: Path) -> None:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    sockets = BrokerSockets(context, tmp_path)
    receiver = context.socket(zmq.SUB)
    receiver.rcvhwm = 1
    receiver.rcvtimeo = 2000
    receiver.subscribe(subscription("/a"))
    receiver.connect(addresses.out_of(tmp_path))
    try:
        first = pack("/a", Kind.DATA, 0)
        sockets.forward(first)
        while not receiver.poll(50):  # until the subscription is there
            sockets.forward(first)
        for number in range(1, READ_BEFORE + 1):
            sockets.forward(pack("/a", Kind.DATA, number, PAYLOAD))
            receiver.recv()
        for number in range(addresses.RECEIVER_QUEUE):
            sockets.forward(pack("/a", Kind.DATA, number, PAYLOAD))
        kept = 0
        while receiver.poll(500):
            receiver.recv()
            kept += 1
        assert kept >= addresses.RECEIVER_QUEUE
    finally:
        receiver.close(linger=0)
        sockets.close()
        context.destroy(linger=0)
