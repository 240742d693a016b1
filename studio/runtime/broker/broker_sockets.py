"""The broker's sockets: everything comes in at one and goes out at one, in C or frame by frame.

Receivers and viewers connect to two endpoints of the same PUB socket. They differ in how much is kept for them: libzmq
takes the high-water mark of a connection from the moment its endpoint was bound. A second socket for viewers would be a
second pass over every frame.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import zmq

from studio.runtime.wire import addresses
from studio.runtime.wire.frames import WAKE_TOPIC, Kind, pack

INTO = "inproc://in"
OUT_OF = "inproc://out"
_STEER = "inproc://steer"
WAIT_MS = 100


class BrokerLine(Protocol):
    """All that the forwarding thread needs of the world: sockets, or a simulation of what is behind them."""

    def proxy(self) -> None: ...
    def forward(self, frame: bytes) -> None: ...
    def receive(self) -> list[bytes]: ...
    def await_frame(self, most_ms: int) -> bool: ...
    def wake(self) -> None: ...
    def forget_wakes(self) -> None: ...
    def close(self) -> None: ...


class BrokerSockets:
    """Owned by the forwarding thread, but for `wake`, which the control thread calls."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], run: Path) -> None:
        self._pull = context.socket(zmq.PULL)
        self._pull.rcvhwm = 0
        self._pull.rcvtimeo = WAIT_MS
        self._pull.bind(addresses.into(run))
        self._pull.bind(INTO)
        self._pub = context.socket(zmq.PUB)
        self._pub.sndhwm = addresses.TAP_QUEUE
        self._pub.bind(addresses.tap(run))
        # A pipe of libzmq hears only every half high-water mark what was read of it: half of it is all that is sure.
        self._pub.sndhwm = 2 * addresses.RECEIVER_QUEUE
        self._pub.bind(addresses.out_of(run))
        self._pub.bind(OUT_OF)
        self._steer = context.socket(zmq.PAIR)
        self._steer.bind(_STEER)
        self._steering = context.socket(zmq.PAIR)
        self._steering.connect(_STEER)
        self._nudge = context.socket(zmq.PUSH)
        self._nudge.connect(INTO)
        self._all = (self._pull, self._pub, self._steer, self._steering, self._nudge)
        for socket in self._all:
            socket.linger = 200

    def proxy(self) -> None:
        """Forward in C until somebody calls `wake`."""
        zmq.proxy_steerable(self._pull, self._pub, None, self._steer)

    def forward(self, frame: bytes) -> None:
        self._pub.send(frame)

    def receive(self) -> list[bytes]:
        """The frames of the next message, waiting a moment for one; none if none came."""
        try:
            return self._pull.recv_multipart()
        except zmq.Again:
            return []

    def await_frame(self, most_ms: int) -> bool:
        """Whether there is one, waiting so long for it."""
        return bool(self._pull.poll(most_ms))

    def wake(self) -> None:
        """Control thread: a word to the proxy, and a frame to the gate, which waits on its input only."""
        _empty(self._steering)  # the proxy answers each word, and would wait for ever when 2000 answers lie unread
        self._steering.send(b"TERMINATE")
        self._nudge.send(pack(WAKE_TOPIC, Kind.MARKER, 0))

    def forget_wakes(self) -> None:
        """Words for the proxy that came while it was not running."""
        _empty(self._steer)

    def close(self) -> None:
        for socket in self._all:
            socket.close()


def _empty(socket: zmq.Socket[bytes]) -> None:
    try:
        while True:
            socket.recv(zmq.DONTWAIT)
    except zmq.Again:
        return
