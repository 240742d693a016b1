"""A viewer of the channel: hangs on the lossy tap, holds up nobody, and copies what travels through shared memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import zmq

from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.channel.payloads import copy_shared
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import AGAIN, SHARED, FrameError, Header, Kind, pack, split, subscription

MOST_AT_ONCE = 200
CAUGHT_UP_WITHIN_NS = 5 * SECOND_NS


class Tap:
    def __init__(self, run: Path, topics: Iterable[str]) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.SUB)
        self._socket.rcvhwm = addresses.TAP_QUEUE
        for topic in topics:
            self._socket.subscribe(subscription(topic))
        self._socket.connect(addresses.tap(run))
        self._run = run
        self._word = f"/_studio/heard/{id(self)}"
        self._words: zmq.Socket[bytes] | None = None
        self._said = 0

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

    def catch_up(self) -> list[bytes]:
        """All that has been published up to now: a word of one's own, behind it in the channel, tells that it is here.

        The first time it also tells that the subscriptions stand, so that nothing after it is missed.
        """
        if self._words is None:
            self.subscribe(self._word)
            self._words = self._context.socket(zmq.PUSH)
            self._words.connect(addresses.into(self._run))
        self._said += 1
        found: list[bytes] = []
        end_ns = monotonic_ns() + CAUGHT_UP_WITHIN_NS
        while monotonic_ns() < end_ns:
            self._words.send(pack(self._word, Kind.MARKER, self._said))  # again: it may not be subscribed to yet
            for frame in self.frames(0.02, MOST_AT_ONCE):
                try:
                    topic, header, _ = split(frame)
                except FrameError:  # whoever reads it says so
                    continue
                if topic != self._word:
                    found.append(frame)
                elif header.sequence == self._said:
                    return found
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
