"""Subscribers in processes of their own: `python -m bench.play_parts.subscribers KIND ADDRESS COUNT`.

Says `ready` when it listens, then one line with what it saw: for each event its number and the time of its arrival.
"""

from __future__ import annotations

import json
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import zmq

NUMBER = struct.Struct("<q")
"""Every payload of the workload begins with its number."""
SILENCE_MS = 5000
Seen = list[tuple[int, int]]


def listen_zmq(address: str, count: int) -> Seen:
    """The channel, as a host receives it."""
    from studio.runtime.wire.frames import HEADER_BYTES

    seen: Seen = []
    with _on_the_channel(address) as socket, suppress(zmq.Again):
        while len(seen) < count:
            frame = socket.recv()
            if frame.startswith(b"/bench/"):
                arrived_ns = time.monotonic_ns()
                at = (frame.find(b"\0") & ~7) + 8 + HEADER_BYTES
                seen.append((NUMBER.unpack_from(frame, at + 4)[0], arrived_ns))
    return seen


def count_zmq(address: str, count: int) -> Seen:
    """The same without a look at the events: how many there were, and when the last one came."""
    left, last_ns = count, 0
    with _on_the_channel(address) as socket, suppress(zmq.Again):
        while left:
            left -= socket.recv().startswith(b"/bench/")
        last_ns = time.monotonic_ns()
    return [(count - left, last_ns)]


def _on_the_channel(address: str) -> zmq.Socket[bytes]:
    """The first frames are the broker's signs of life: who hears them hears everything. Gives up in silence."""
    from studio.runtime.wire.frames import ALL_TOPIC, subscription

    socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.SUB)
    socket.rcvhwm = 0
    socket.rcvtimeo = SILENCE_MS
    socket.connect(address)
    socket.subscribe(b"/bench/")
    socket.subscribe(subscription(ALL_TOPIC))
    socket.recv()
    say_ready()
    return socket


def listen_lcm(address: str, count: int) -> Seen:
    import lcm

    channel = lcm.LCM(address)
    seen: Seen = []

    def take(_: str, data: bytes) -> None:
        seen.append((NUMBER.unpack_from(data, 4)[0], time.monotonic_ns()))

    channel.subscribe("/bench/.*", take).set_queue_capacity(0)
    say_ready()
    while len(seen) < count and channel.handle_timeout(SILENCE_MS):
        pass
    return seen


def pull_all(address: str, count: int) -> Seen:
    """The other end of a bare send loop: counts, and tells when the last one was there."""
    socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.PULL)
    socket.rcvhwm = 0
    socket.bind(address)
    say_ready()
    for _ in range(count):
        socket.recv()
    return [(count, time.monotonic_ns())]


def pass_on(addresses: str, _: int) -> Seen:
    """What lies between the two hops of a bare loop: from the first address to the second, until it is ended."""
    first, second = addresses.split()
    incoming: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.PULL)
    incoming.rcvhwm = 0  # as the broker's
    incoming.bind(first)
    outgoing: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.PUSH)
    outgoing.connect(second)
    say_ready()
    zmq.proxy(incoming, outgoing)
    return []


def say_ready() -> None:
    print("ready", flush=True)


LISTENERS: dict[str, Callable[[str, int], Seen]] = {
    "zmq": listen_zmq, "count": count_zmq, "lcm": listen_lcm, "pull": pull_all, "proxy": pass_on,
}  # fmt: skip


def main(words: list[str]) -> Any:
    kind, address, count = words
    print(json.dumps(LISTENERS[kind](address, int(count))))


if __name__ == "__main__":
    main(sys.argv[1:])
