"""The receiving side of a host: one SUB socket, read by whichever thread is free to.

While the handlers keep up, the executor reads for itself: no thread switch lies between an event and its handler (it
cost 40 % of a lockstep cycle), and where every event is wanted it goes past the mailbox. When a handler runs long, the
I/O thread takes over the reading, so that arrivals are counted, old ones dropped where only the newest are wanted, and
the memory budget holds.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import zmq

from studio.runtime.channel.mailbox import Letter, Mailbox, Route
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import subscription

BATCH = 256
MOST = 10_000
WAIT_MS = 50

Opened = tuple[bytes, Route, Sequence[int]]
"""A frame, its route, and for which of the route's receivers it was dropped."""


class Receiver:
    def __init__(
        self, context: zmq.Context[zmq.Socket[bytes]], run: Path, mailbox: Mailbox, direct: Callable[[bytes], None]
    ) -> None:
        self.mailbox = mailbox
        self.routes: dict[bytes, Route] = {}
        self.overflow = False
        """Events were thrown away, because more than the budget was waiting."""
        self.greedy = True
        """Whether to read on while there is more, to drop what is no longer wanted. Finding out that there is no more
        costs time, so this is for hosts that want only the newest events of a topic, and not for lockstep."""
        self._direct = direct
        self._run = run
        self._lock = threading.Lock()
        self._socket = context.socket(zmq.SUB)
        self._socket.rcvhwm = 0
        self._socket.rcvtimeo = WAIT_MS
        self._socket.linger = 0
        self._socket.reconnect_ivl = addresses.RECONNECT_MS

    def connect(self, topics: Iterable[str], last: str) -> None:
        """Subscribe to `topics`, and to `last` after all others: what arrives on it proves that all of them stand."""
        # Connect first: subscriptions made before are sent in alphabetical order.
        self._socket.connect(addresses.out_of(self._run))
        for topic in (*topics, last):
            self._socket.subscribe(subscription(topic))

    @contextmanager
    def resubscribing(self) -> Iterator[zmq.Socket[bytes]]:
        """Executor: the time to change routes and subscriptions; nobody looks for a route meanwhile."""
        with self._lock:
            yield self._socket

    def next(self) -> Opened | None:
        """Executor: what to handle next, waiting a moment for it."""
        letters = self.mailbox.letters
        if not letters:
            if self.greedy:
                self.read(wait=True)
            else:
                with self._lock:
                    if not letters:  # the I/O thread may have filled the mailbox meanwhile
                        return self._receive()
            if not letters:
                return None
        letter = letters.popleft()
        return (*letter, self.mailbox.open(letter))

    def _receive(self) -> Opened | None:
        try:
            frame = self._socket.recv()
        except zmq.Again:
            return None
        route = self.routes.get(frame[: frame.find(b"\0")])
        if route is None:
            self._direct(frame)
            return None
        return frame, route, ()

    def read(self, *, wait: bool) -> None:
        """Executor: move what has arrived into the mailbox; with `wait`, until something has, for a moment at most."""
        with self._lock:
            self._read(0 if wait else zmq.DONTWAIT, BATCH if self.greedy else 1)

    def take_over(self) -> None:
        """I/O thread, while a handler runs long: take in all that has arrived, so that it is counted."""
        if self._lock.acquire(blocking=False):
            try:
                self._read(zmq.DONTWAIT, MOST)
            finally:
                self._lock.release()

    def _read(self, flags: int, most: int) -> None:
        routes, receive, batch = self.routes, self._socket.recv, deque[Letter]()
        try:
            for _ in range(most):
                frame = receive(flags)
                flags = zmq.DONTWAIT
                route = routes.get(frame[: frame.find(b"\0")])
                if route is None:
                    self._direct(frame)
                else:
                    batch.append((frame, route))
        except zmq.Again:
            pass
        if self.mailbox.over_budget:
            # Throw events away rather than grow: their sequence numbers tell how many, the receivers go to error.
            self.overflow = True
            batch = deque(letter for letter in batch if not letter[1].gated)
        if batch:
            self.mailbox.put(batch)

    def close(self) -> None:
        self._socket.close()
