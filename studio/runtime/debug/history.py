"""The latest events of a system, by their headers: what led to the event that somebody looks at."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

import zmq

from studio.errors import StudioError
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import Kind, split, topic_hash

KEPT = 20_000
MOST_CAUSES = 50
_EVENTS = {Kind.DATA, Kind.TIMER, Kind.COMMAND, Kind.REQUEST}

Link = tuple[str, int, int]
"""Topic, sequence, stamp."""


class History:
    """Listens at the tap, which may lose events under load: a chain then ends early."""

    def __init__(self, run: Path) -> None:
        self._events: OrderedDict[tuple[int, int], tuple[Link, tuple[int, int]]] = OrderedDict()
        self._ended = threading.Event()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.SUB)
        self._socket.subscribe(b"")
        self._socket.connect(addresses.tap(run))
        self._thread = threading.Thread(target=self._listen, name="causes", daemon=True)
        self._thread.start()

    def chain(self, cause: tuple[int, int]) -> list[Link]:
        """What led to an event: its cause (hash of the topic, sequence), then the cause of that, and so on."""
        found: list[Link] = []
        while cause[0] and len(found) < MOST_CAUSES and (known := self._events.get(cause)) is not None:
            link, cause = known
            found.append(link)
        return found

    def _listen(self) -> None:
        while not self._ended.is_set():
            if not self._socket.poll(100):
                continue
            try:
                topic, header, _ = split(self._socket.recv())
            except StudioError:  # not a frame: no event either
                continue
            if header.kind in _EVENTS:
                link = (topic, header.sequence, header.stamp_ns)
                self._events[topic_hash(topic), header.sequence] = link, (header.cause_topic, header.cause_sequence)
                if len(self._events) > KEPT:
                    self._events.popitem(last=False)

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        self._context.destroy(linger=0)
