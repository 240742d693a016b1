"""A viewer of the channel: hangs on the lossy tap, holds up nobody, and copies what travels through shared memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import zmq

from studio.errors import StudioError
from studio.runtime.channel import addresses
from studio.runtime.channel.frames import AGAIN, SHARED, Kind, split, subscription
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
            event = _read(frame, shared)
            if event is not None:
                yield event

    def close(self) -> None:
        self._context.destroy(linger=0)


def _read(frame: bytes, shared: Path | None) -> tuple[str, bytes | memoryview] | None:
    try:
        topic, header, payload = split(frame)
        if header.kind != Kind.DATA or header.flags & AGAIN:
            return None
        if header.flags & SHARED:
            copied = copy_shared(shared, payload) if shared is not None else None
            return None if copied is None else (topic, copied)
    except StudioError:
        return None
    return topic, payload
