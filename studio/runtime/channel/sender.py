"""Sending: one PUSH socket and one pool of shared memory per publishing thread: order and ownership are plain."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import zmq

from studio.messages.pieces import Pieces
from studio.runtime.channel.budget import host_budget_bytes
from studio.runtime.channel.inline_room import InlineRoom
from studio.runtime.channel.payloads import SHARED_FROM_BYTES, Pool
from studio.runtime.channel.pool_prefetch import PoolPrefetch
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import (
    HEADER,
    SHARED,
    SWEEP_TOPIC,
    TO_ALL,
    VERSION,
    Event,
    Kind,
    pack,
    topic_field,
    topic_hash,
)

INLINE_SHARE = 4
"""One part in so many of a receiver's budget may be on its way inline, from one sender, where shared memory is full."""


class Sender:
    """Never blocks: what the socket cannot take is dropped and counted, its sequence number is used up."""

    def __init__(self, context: zmq.Context[zmq.Socket[bytes]], run: Path, shared: Path | None, producer: str) -> None:
        self.dropped = 0
        self._producer = producer
        self._shared = shared
        self._pool: Pool | None = None
        self._room: InlineRoom | None = None
        self._socket = context.socket(zmq.PUSH)
        self._socket.sndhwm = addresses.SEND_QUEUE
        self._socket.linger = 500
        self._socket.reconnect_ivl = addresses.RECONNECT_MS
        self._socket.connect(addresses.into(run))
        # pyzmq's own `send` in Python only asks what kind of socket it is before it calls this one.
        self._put: Callable[[bytes, int], object] = super(zmq.Socket, self._socket).send
        self._held: list[bytes] | None = None
        self._gathered: list[bytes] | None = None

    def gather(self) -> None:
        """Keep everything, whatever releases it, until `send_gathered`."""
        self._gathered = []

    def send_gathered(self) -> None:
        """As the parts of one message."""
        gathered, self._gathered = self._gathered, None
        if gathered:
            self._send_parts(gathered)

    def hold(self) -> None:
        """Keep what is sent from here on until `release`."""
        self._held = []

    def release(self, last: bytes) -> None:
        """Send what was held and `last` as the parts of one message: the broker wakes once and has all of it."""
        held, self._held = self._held, None
        if not held:
            self.send(last)
            return
        held.append(last)
        if self._gathered is not None:
            self._gathered += held
        else:
            self._send_parts(held)

    def _send_parts(self, parts: list[bytes]) -> None:
        try:
            self._socket.send_multipart(parts, zmq.DONTWAIT)
        except zmq.Again:
            self.dropped += len(parts)

    def send(self, frame: bytes) -> bool:
        if self._held is not None:
            self._held.append(frame)
            return True
        if self._gathered is not None:
            self._gathered.append(frame)
            return True
        return self.send_now(frame)

    def send_now(self, frame: bytes) -> bool:
        try:
            self._put(frame, zmq.DONTWAIT)
        except zmq.Again:
            self.dropped += 1
            return False
        return True

    def control(self, topic: str, kind: Kind, payload: bytes = b"", sequence: int = 0) -> bool:
        return self.send(pack(topic, kind, sequence, payload))

    def event(
        self,
        event: Event,
        payload: bytes | memoryview | Pieces,
        receivers: Sequence[int],
        epoch: int,
        sent_ns: int,
        gated: bool,
    ) -> bool:
        """Send `event` with its encoded payload; a large one goes through shared memory if there is room.

        A gate waits for its receivers, so while it is closed (`gated`) nothing is withheld from any of them.
        """
        flags, reserved, room, length = event.flags, None, None, len(payload)
        if length >= SHARED_FROM_BYTES and self._shared is not None:
            pool = self._pool or self._open_pool(self._shared)
            if (ticket := pool.sweep_due()) is not None:
                self._sweep(ticket)
            reserved = pool.reserve(length, receivers, for_all=gated)
            room = self._room if reserved is None and not gated else None
            if pool.short_of is not None:
                self._prefetch.ask()
        if reserved is not None:
            sent: bytes | memoryview = reserved[1]
            flags |= SHARED
        elif room is not None and not room.admits(length):
            self.dropped += 1
            return False
        else:
            sent = payload.joined() if isinstance(payload, Pieces) else payload
        cause = event.cause
        header = HEADER.pack(
            VERSION,
            event.kind,
            flags,
            event.origin,
            epoch,
            event.sequence,
            event.stamp_ns,
            sent_ns,
            topic_hash(cause[0]) if cause else 0,
            cause[1] if cause else 0,
            TO_ALL,
            0,
            0,
        )
        frame = b"".join((topic_field(event.topic), header, sent))
        if reserved is not None:
            reserved[0].fill(payload)
        is_sent = self.send(frame)
        if room is not None:
            room.sent(receivers)
        return is_sent

    def _open_pool(self, shared: Path) -> Pool:
        self._pool = Pool(shared, self._producer)
        self._prefetch = PoolPrefetch(self._pool)
        self._room = InlineRoom(self._pool, host_budget_bytes() // INLINE_SHARE, self._sweep)
        return self._pool

    def _sweep(self, ticket: int) -> None:
        self.send(pack(SWEEP_TOPIC, Kind.SWEEP, ticket, self._producer.encode()))

    def close(self) -> None:
        self._socket.close()
        if self._pool is not None:
            self._prefetch.close()
            self._pool.close()
