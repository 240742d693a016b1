"""The client's side of a runtime: a picture of a running system that keeps itself up to date, and requests.

For command line and window alike. One thread does the socket; nobody who asks for `state` ever waits.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import zmq

from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.deltas import Snapshot, apply
from studio.runtime.base.refusals import Refusals
from studio.runtime.base.typed_json import Malformed, read_object, typed
from studio.runtime.control_plane.of_runtime import ATTACH, PROTOCOL, NotAttached, ToldLine
from studio.runtime.wire import addresses

ALIVE_EVERY_NS = SECOND_NS // 2
LOOK_EVERY_MS = 20
MOST_NEWS_BYTES = 256 << 20
"""A snapshot of a large system has megabytes."""


@dataclass(frozen=True)
class _Lines:
    lines: tuple[ToldLine, ...] = ()


def _lines(message: dict[str, Any]) -> list[ToldLine]:
    return list(typed(_Lines, message).lines)


class AttachError(StudioError):
    """The runtime refused a request, or is not there."""

    kind = ""


class Attachment:
    def __init__(
        self,
        run: Path,
        name: str,
        *,
        on_change: Callable[[], None] = lambda: None,
        on_news: Callable[[dict[str, Any]], None] = lambda _: None,
    ) -> None:
        """`on_change` is called by the socket's thread; `on_news` too, with everything that was said, as it was said.

        So somebody who keeps a picture of their own needs no lock, and knows what has changed.
        """
        self.state: Snapshot = {}
        self.version = 0
        self.lines: deque[ToldLine] = deque(maxlen=10_000)
        self.ended = threading.Event()
        """The runtime has said goodbye, or its folder is gone."""
        self.said_goodbye = False
        """Which of the two; known before `ended` is set."""
        self.refusals = Refusals()
        """What the runtime has said and nobody can read."""
        self.heard_ns = monotonic_ns()
        """When it last said anything; it answers at least twice a second."""
        self._name = name
        self._run = run
        self._on_change = on_change
        self._on_news = on_news
        self._number = 0
        self._news = threading.Condition()
        self._replies: dict[int, dict[str, Any]] = {}
        self._asked: dict[int, dict[str, Any]] = {}
        """Requests that wait for their reply, to ask them once more if this client was forgotten meanwhile."""
        self._outgoing: SimpleQueue[dict[str, Any]] = SimpleQueue()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._talk, name="attach", daemon=True)
        self._thread.start()
        try:
            self._begin(self.ask("attach", name=name, timeout_s=5.0))
        except BaseException:
            self.close()
            raise

    def _begin(self, reply: dict[str, Any]) -> None:
        if reply.get("protocol") != PROTOCOL:
            raise AttachError("the runtime has another version", hint="use the studio that started it")

    def ask(self, do: str, *, timeout_s: float | None = 20.0, **fields: Any) -> dict[str, Any]:
        """Send a request and wait for its reply; `timeout_s=None`: as long as it takes."""
        with self._news:
            self._number += 1
            number = self._number
            self._asked[number] = {"id": number, "do": do, **fields}
        self._outgoing.put({"id": number, "do": do, **fields})
        with self._news:
            self._news.wait_for(lambda: number in self._replies or self.ended.is_set(), timeout_s)
            reply = self._replies.pop(number, None)
            self._asked.pop(number, None)
        if reply is None:
            raise AttachError(f"the runtime did not answer {do!r}", hint="see: studio ctl list")
        if not reply.get("ok"):
            error = AttachError(str(reply.get("error")), hint=str(reply.get("hint") or ""))
            error.kind = str(reply.get("kind") or "")
            raise error
        return reply

    def wait_for(self, condition: Callable[[], Any], timeout_s: float | None) -> bool:
        """Wait until the picture fulfils `condition`; False if it does not in time, or the runtime ends."""
        with self._news:
            self._news.wait_for(lambda: condition() or self.ended.is_set(), timeout_s)
            return bool(condition())

    def close(self) -> None:
        self._closing.set()
        self._thread.join()

    def __enter__(self) -> Attachment:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # The thread.

    def _talk(self) -> None:
        context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        socket = context.socket(zmq.DEALER)
        socket.linger = 200
        socket.connect(addresses.endpoint(self._run, ATTACH))
        next_alive = monotonic_ns() + ALIVE_EVERY_NS
        while not self._closing.is_set():
            self._send_waiting(socket)
            if monotonic_ns() >= next_alive:
                with suppress(zmq.Again):  # one that stands still for minutes has a full queue
                    socket.send(b'{"do": "alive"}', zmq.DONTWAIT)
                next_alive = monotonic_ns() + ALIVE_EVERY_NS
            if socket.poll(LOOK_EVERY_MS):
                self.heard_ns = monotonic_ns()
                self._hear(socket.recv())
            elif not self._run.exists():
                self._end()
        context.destroy(linger=200)

    def _hear(self, raw: bytes) -> None:
        try:
            self._take(read_object(raw, MOST_NEWS_BYTES))
        except (Malformed, LookupError, TypeError, ValueError, AttributeError) as malformed:
            # The runtime is of another version, or is none. Who waits for an answer hears that there is none.
            self.refusals.add("the runtime", malformed)

    def _send_waiting(self, socket: zmq.Socket[bytes]) -> None:
        try:
            while True:
                socket.send(json.dumps(self._outgoing.get_nowait()).encode())
        except Empty:
            return

    def _take(self, message: dict[str, Any]) -> None:
        with self._news:
            match message.get("news"):
                case "snapshot":
                    self.state, self.version = message["snapshot"], message["version"]
                case "delta" if message["version"] == self.version + 1:
                    apply(self.state, message)
                    self.version = message["version"]
                case "delta":  # one was lost
                    self._outgoing.put({"id": 0, "do": "snapshot"})
                case "log":
                    message["lines"] = _lines(message)
                    self.lines.extend(message["lines"])
                case "ended":
                    self.said_goodbye = True
                    self.ended.set()
                case _ if message.get("kind") == NotAttached.__name__:
                    # Forgotten, because this process or its machine stood still for seconds.
                    self._outgoing.put({"id": 0, "do": "attach", "name": self._name})
                    self._ask_again(message)
                case _:
                    self._take_reply(message)
            self._news.notify_all()
        self._on_news(message)
        self._on_change()

    def _ask_again(self, refused: dict[str, Any]) -> None:
        """Of a client that was forgotten: nothing was done about its request. Once; then it hears why."""
        asked = self._asked.pop(number, None) if isinstance(number := refused.get("id"), int) else None
        if asked is None:
            self._take_reply(refused)
        else:
            self._outgoing.put(asked)

    def _take_reply(self, reply: dict[str, Any]) -> None:
        if "snapshot" in reply:
            self.state, self.version = reply["snapshot"], reply["version"]
            known_ns = self.lines[-1]["time_ns"] if self.lines else 0
            reply["lines"] = [line for line in _lines(reply) if line["time_ns"] > known_ns]
            self.lines.extend(reply["lines"])
        if isinstance(number := reply.get("id"), int) and number:
            self._replies[number] = reply

    def _end(self) -> None:
        with self._news:
            self.ended.set()
            self._news.notify_all()
        self._on_change()
