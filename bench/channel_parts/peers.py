"""The peers as processes: `python -m bench.channel_parts.peers ROLE NAME ADDRESS ...`.

A source or sink reads one order per line from its standard input: {"count", "pace_us", "size", "read"}. Sinks do no
more than receive bytes; what they report is what bench.channel_parts.components.Sink reports.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import zmq

from bench.channel_parts.raw import sent_of, stamped
from bench.channel_parts.reports import Reporter
from studio.runtime.base.process import die_with_parent
from studio.runtime.wire.frames import Kind, pack, subscription

BARE_TOPIC = "/bare/out"
PREFIX = pack(BARE_TOPIC, Kind.DATA, 1)
Send = Callable[[Any], object]
Receive = Callable[[], Any]


def orders() -> Iterator[dict[str, Any]]:
    for line in sys.stdin:
        yield json.loads(line)


def source(send: Send, prefix: bytes = b"") -> None:
    for order in orders():
        if not order["pace_us"]:
            _send_burst(send, order["count"], prefix + stamped(order["size"], time.monotonic_ns()))
        elif order["read"]:
            _send_buffer(send, order)
        else:
            _send_paced(send, order, prefix)


def _send_burst(send: Send, count: int, data: bytes) -> None:
    for _ in range(count):
        send(data)


def _send_paced(send: Send, order: dict[str, Any], prefix: bytes) -> None:
    for _ in range(order["count"]):
        time.sleep(order["pace_us"] / 1e6)
        send(prefix + stamped(order["size"], time.monotonic_ns()))


def _send_buffer(send: Send, order: dict[str, Any]) -> None:
    words = np.ones(order["size"] // 8, np.int64)
    view = memoryview(words).cast("B")
    for _ in range(order["count"]):
        time.sleep(order["pace_us"] / 1e6)
        words[0] = time.monotonic_ns()
        send(view)


def sink(receive: Receive, reporter: Reporter, prefix: bytes = b"") -> None:
    for order in orders():
        if order["pace_us"]:
            reporter.tell([_age(receive(), order["read"], len(prefix)) for _ in range(order["count"])])
        else:
            for _ in range(order["count"]):
                data = receive()
            reporter.tell(time.monotonic_ns() - sent_of(data, len(prefix)))


def _age(data: Any, read: bool, start: int = 0) -> int:
    if read:
        np.frombuffer(data, np.uint64, len(data) // 8).sum()
    return time.monotonic_ns() - sent_of(data, start)


def zmq_socket(kind: str) -> zmq.Socket[bytes]:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
    socket = context.socket(getattr(zmq, kind))
    socket.hwm = 0
    if kind == "SUB":
        socket.subscribe(b"")
    return socket


def zmq_source(reporter: Reporter, kind: str, address: str, how: str) -> None:
    socket = zmq_socket(kind)
    _attach(socket, address, how)
    reporter.tell("ready")
    if how == "bind-nocopy":
        source(lambda data: socket.send(data, copy=False))
    else:
        source(socket.send)


def zmq_sink(reporter: Reporter, kind: str, address: str, how: str) -> None:
    socket = zmq_socket(kind)
    _attach(socket, address, how)
    reporter.tell("ready")
    if how == "connect-nocopy":
        sink(lambda: socket.recv(copy=False).buffer, reporter)
    else:
        sink(socket.recv, reporter)


def _attach(socket: zmq.Socket[bytes], address: str, how: str) -> None:
    if how.startswith("bind"):
        socket.bind(address)
    else:
        socket.connect(address)


def broker_source(reporter: Reporter, address: str) -> None:
    """Speaks our protocol with a socket and nothing else, as a program in C would."""
    socket = zmq_socket("PUSH")
    socket.connect(address)
    reporter.tell("ready")
    source(socket.send, PREFIX)


def broker_sink(reporter: Reporter, address: str) -> None:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
    socket = context.socket(zmq.SUB)
    socket.rcvhwm = 0
    socket.subscribe(subscription(BARE_TOPIC))
    socket.connect(address)
    reporter.tell("ready")
    sink(socket.recv, reporter, PREFIX)


def proxy(reporter: Reporter, front: str, front_address: str, back: str, back_address: str) -> None:
    frontend, backend = zmq_socket(front), zmq_socket(back)
    frontend.bind(front_address)
    backend.bind(back_address)
    reporter.tell("ready")
    zmq.proxy(frontend, backend)


def reply(reporter: Reporter, address: str) -> None:
    socket = zmq_socket("REP")
    socket.bind(address)
    reporter.tell("ready")
    while True:
        socket.send(socket.recv())


def iceoryx_source(reporter: Reporter, name: str, size: str) -> None:
    from bench.channel_parts import iceoryx

    send = iceoryx.sender(name, int(size))
    reporter.tell("ready")
    source(send)


def iceoryx_sink(reporter: Reporter, name: str, size: str) -> None:
    from bench.channel_parts import iceoryx

    receive = iceoryx.receiver(name, int(size))
    reporter.tell("ready")
    sink(receive, reporter)


ROLES: dict[str, Callable[..., None]] = {
    "zmq-source": zmq_source,
    "zmq-sink": zmq_sink,
    "broker-source": broker_source,
    "broker-sink": broker_sink,
    "proxy": proxy,
    "reply": reply,
    "iceoryx-source": iceoryx_source,
    "iceoryx-sink": iceoryx_sink,
}

if __name__ == "__main__":
    die_with_parent()
    role, name, *arguments = sys.argv[1:]
    ROLES[role](Reporter(name), *arguments)
