"""A feeder over sockets: gives the gate the inputs it asks for, and no more (docs/protocol.md, section 11)."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

import zmq

from studio.errors import StudioError
from studio.messages import encode
from studio.runtime.channel.rewinding import opened_at
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import (
    END_PREFIX,
    FEED_PREFIX,
    INPUT,
    REWOUND_PREFIX,
    Event,
    FrameError,
    Kind,
    Mark,
    Marker,
    pack,
    split,
    subscription,
)


class FeedThread:
    """Sends `events` one by one, as far as the gate has asked for them; then says that it has no more."""

    failure: StudioError | None = None
    """Why it ended before its time: what is read from a log may be damaged."""

    def __init__(self, run: Path, name: str, events: Iterable[Event]) -> None:
        self._name = name
        self._source = events
        self._events = iter(events)
        self._rewound = 0
        self._epoch = 0
        """Of what is sent: what the gate asks for in an epoch is of that one."""
        self._sent = 0
        self._done = False
        self._closed = threading.Event()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._asked = self._context.socket(zmq.SUB)
        self._asked.subscribe(subscription(FEED_PREFIX + name))
        self._asked.connect(addresses.out_of(run))
        self._out = self._context.socket(zmq.PUSH)
        self._out.connect(addresses.into(run))
        self._thread = threading.Thread(target=self._feed, name=f"feed {name}", daemon=True)
        self._thread.start()

    def _feed(self) -> None:
        while not self._closed.is_set():
            if not self._asked.poll(50):
                continue
            try:
                marker = Marker.parse(split(self._asked.recv())[2])
            except FrameError:  # not of the gate, which asks again
                continue
            self._epoch = marker.epoch
            if marker.mark is Mark.RESTORE:
                self._go_back(marker.number, marker.about)
            else:
                self._send_up_to(marker.number)

    def _go_back(self, number: int, position: int) -> None:
        """The question may be repeated; what is sent after the first answer is of the new position."""
        if number != self._rewound:
            self._rewound = number
            self._events = opened_at(self._source, position)
            self._sent, self._done = position, False
        self._out.send(pack(REWOUND_PREFIX + self._name, Kind.MARKER, number))

    def _send_up_to(self, wanted: int) -> None:
        while self._sent < wanted and not self._done:
            event = next(self._events, None)
            if event is None:
                self._done = True
            else:
                self._sent += 1
                self._out.send(_frame(event, max(self._epoch, event.epoch)))
        if self._done:
            self._out.send(pack(END_PREFIX + self._name, Kind.MARKER, 0))

    def close(self) -> None:
        self._closed.set()
        self._thread.join()
        self._context.destroy(linger=200)


def _frame(event: Event, epoch: int) -> bytes:
    payload = event.payload if event.payload is not None else encode(event.message)
    return pack(
        event.topic, Kind.DATA, event.sequence, payload, stamp_ns=event.stamp_ns, sent_ns=event.stamp_ns,
        flags=event.flags | INPUT, origin=event.origin, epoch=epoch,
    )  # fmt: skip
