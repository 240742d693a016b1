"""The control socket's client: what launcher, command line and window say to a running system."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import zmq

from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.typed_json import Malformed, read_object
from studio.runtime.broker.gate import CannotGoBack, Delivered
from studio.runtime.wire import addresses

LOOK_EVERY_MS = 100
AT_THE_END_S = 2.0
MOST_REPLY_BYTES = 256 << 20
"""A piece of lockstep tells of hundreds of thousands of events."""


class ControlError(StudioError):
    """The broker refused a request or did not answer."""


class Control:
    """One connection to a broker; used by one thread at a time. Requests are answered in any order."""

    def __init__(self, run: Path, incarnation: Callable[[], int] = lambda: 0) -> None:
        """`incarnation` tells how often the broker was started: a reply of one that died will never come. Below 0 the
        run is being stopped: the broker may end before it answers, and nobody is waited for without end."""
        self._incarnation = incarnation
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context.instance()
        self._run = run
        self._number = 0
        self.on_hit: Callable[[dict[str, Any]], None] = lambda _: None
        """Told of an event breakpoint that ended what was asked for."""
        self._lock = threading.Lock()
        self._connected_to = incarnation()
        self._socket = self._connect()

    def _connect(self) -> zmq.Socket[bytes]:
        socket = self._context.socket(zmq.DEALER)
        socket.linger = 200
        socket.reconnect_ivl = addresses.RECONNECT_MS
        socket.connect(addresses.control(self._run))
        return socket

    def ask(self, do: str, *, timeout_s: float | None = 10.0, **fields: Any) -> dict[str, Any]:
        """Send a request and wait for its reply; `timeout_s=None`: as long as it takes (a debugger may hold it)."""
        with self._lock:
            if self._socket.closed:
                raise ControlError(f"the broker is not running, so {do} was not possible")
            self._number += 1
            number = self._number
            # Looked at before it is sent: if the broker dies right afterwards, the answer will never come.
            incarnation = self._incarnation()
            if incarnation < 0 and timeout_s is None:
                timeout_s = AT_THE_END_S
            if incarnation != self._connected_to:
                self._reconnect(incarnation)
            self._socket.send(json.dumps({"id": number, "do": do, **fields}).encode())
            reply = self._await(number, do, timeout_s, incarnation)
        if "hit" in reply:
            self.on_hit(reply["hit"])
        return reply

    def _reconnect(self, incarnation: int) -> None:
        """A connection that has not noticed yet that its broker is dead would still take a request along."""
        self._socket.close()
        self._socket = self._connect()
        self._connected_to = incarnation

    def _await(self, number: int, do: str, timeout_s: float | None, incarnation: int) -> dict[str, Any]:
        end_ns = None if timeout_s is None else monotonic_ns() + int(timeout_s * SECOND_NS)
        while True:
            left_ms = LOOK_EVERY_MS if end_ns is None else min(LOOK_EVERY_MS, (end_ns - monotonic_ns()) // 1_000_000)
            if not self._socket.poll(max(0, left_ms)):
                if self._incarnation() != incarnation:
                    raise ControlError(f"the broker died before it answered {do!r}", hint="ask again")
                if end_ns is not None and monotonic_ns() >= end_ns:
                    raise ControlError(f"the broker did not answer {do!r} within {timeout_s:g} s")
                continue
            try:
                reply = read_object(self._socket.recv(), MOST_REPLY_BYTES)
            except Malformed as malformed:
                raise ControlError(f"the broker's answer to {do!r} cannot be read: {malformed}") from None
            if reply.get("id") not in (number, None):
                continue  # the late answer to a request that timed out
            if not reply.get("ok"):
                raise ControlError(str(reply.get("error")))
            return reply

    def close(self) -> None:
        with self._lock:
            self._socket.close()

    # The requests by name.

    def status(self, timeout_s: float = 10.0) -> dict[str, Any]:
        return self.ask("status", timeout_s=timeout_s)

    def start(self, mode: str = "pause") -> None:
        self.ask("start", mode=mode, timeout_s=None)

    def pause(self) -> None:
        """Returns when the system is paused: every host has handled what was delivered to it."""
        self.ask("pause", timeout_s=None)

    def run(self, rate: float = 1.0) -> tuple[int, int]:
        """Open the gate; returns system time and CLOCK_MONOTONIC of one moment, from which the clock goes on."""
        reply = self.ask("run", rate=rate, timeout_s=None)
        return int(reply["base_ns"]), int(reply["at_ns"])

    def step(self, count: int = 1, topic: str | None = None) -> list[tuple[str, int]]:
        """Deliver exactly `count` events (of `topic`); returns, once they are done, what was delivered."""
        delivered = self.ask("step", count=count, topic=topic, timeout_s=None)["delivered"]
        return [(name, sequence) for name, sequence in delivered]

    def lockstep(self, until_ns: int | None = None, count: int | None = None, rate: float = 0.0, lag: int = 0) -> int:
        reply = self.ask("lockstep", until_ns=until_ns, count=count, rate=rate, lag=lag, timeout_s=None)
        return int(reply["delivered"])

    def advance(
        self, count: int = 1, topic: str | None = None, until_ns: int | None = None, most: int | None = None
    ) -> list[Delivered]:
        """As step; `until_ns` and `most`, how many in all, may end it before; tells what was published."""
        reply = self.ask("advance", count=count, topic=topic, until_ns=until_ns, most=most, timeout_s=None)
        return [
            Delivered(name, sequence, stamp_ns, tuple((made, number) for made, number in published))
            for name, sequence, stamp_ns, published in reply["delivered"]
        ]

    def checkpoint(self) -> tuple[int, int]:
        """Everybody remembers everything; returns the number to restore it by, and about how many bytes it takes."""
        reply = self._ask_checkpoint("checkpoint")
        return int(reply["checkpoint"]), int(reply["bytes"])

    def restore(self, number: int) -> None:
        """Be where the system was at that checkpoint; raises CannotGoBack if the way from there to here is lost."""
        self._ask_checkpoint("restore", checkpoint=number)

    def forget(self, number: int) -> None:
        """Give back the memory of a checkpoint."""
        self._ask_checkpoint("forget", checkpoint=number)

    def catch_up(self, host: str, for_ms: int) -> dict[str, Any]:
        """Have a new process of a host handle, for a while, what the one before it has handled; 0 ms: give it up."""
        return self._ask_checkpoint("catch_up", host=host, for_ms=for_ms)

    def exchange(self, host: str) -> None:
        """Have a host take the code that is on the disk now; raises CannotGoBack where that needs a new process."""
        self._ask_checkpoint("exchange", host=host)

    def digest(self) -> dict[str, Any]:
        """Digests of each component's state and outputs, and of what is to come."""
        digest: dict[str, Any] = self._ask_checkpoint("digest")["digest"]
        return digest

    def _ask_checkpoint(self, do: str, **fields: Any) -> dict[str, Any]:
        reply = self.ask(do, timeout_s=None, **fields)
        if "refused" in reply:
            raise CannotGoBack(reply["refused"], hint=reply["hint"])
        return reply

    def command(self, component: str, command: Mapping[str, Any]) -> None:
        self.ask("command", component=component, command=dict(command))
