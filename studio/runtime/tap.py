"""A viewer of the channel: hangs on the lossy tap, holds up nobody, and copies what travels through shared memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import zmq

from studio.errors import StudioError
from studio.runtime.channel import addresses
from studio.runtime.channel.frames import AGAIN, SHARED, Header, Kind, split, subscription
from studio.runtime.channel.payloads import copy_shared

MOST_AT_ONCE = 200


class Tap:
    def __init__(self, run: Path, topics: Iterable[str]) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.SUB)
        self._socket.rcvhwm = addresses.TAP_QUEUE
        for topic in topics:
            self._socket.subscribe(subscription(topic))
        self._socket.connect(addresses.tap(run))

    def subscribe(self, topic: str) -> None:
        self._socket.subscribe(subscription(topic))

    def unsubscribe(self, topic: str) -> None:
        self._socket.unsubscribe(subscription(topic))

    def receive(self, patience_s: float, shared: Path | None) -> Iterator[tuple[str, bytes | memoryview]]:
        """Topic and payload of what has come, waiting a moment for it."""
        if not self._socket.poll(int(patience_s * 1000)):
            return
        for _ in range(MOST_AT_ONCE):
            try:
                frame = self._socket.recv(zmq.DONTWAIT)
            except zmq.Again:
                return
            event = read(frame, shared)
            if event is not None:
                yield event[0], event[2]

    def frames(self, patience_s: float, most: int) -> list[bytes]:
        """What has come, unread, for those who want only the newest of a topic; `read` makes events of frames."""
        found: list[bytes] = []
        if self._socket.poll(int(patience_s * 1000)):
            try:
                while len(found) < most:
                    found.append(self._socket.recv(zmq.DONTWAIT))
            except zmq.Again:
                pass
        return found

    def close(self) -> None:
        self._context.destroy(linger=0)


def read(frame: bytes, shared: Path | None) -> tuple[str, Header, bytes | memoryview] | None:
    """Topic, header and payload of an event; None for what is none, or is gone from shared memory already."""
    try:
        topic, header, payload = split(frame)
        if header.kind != Kind.DATA or header.flags & AGAIN:
            return None
        if header.flags & SHARED:
            copied = copy_shared(shared, payload) if shared is not None else None
            return None if copied is None else (topic, header, copied)
    except StudioError:
        return None
    return topic, header, payload
