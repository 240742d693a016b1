"""The replay's ends in a channel of processes: one that feeds it, one that listens to everything."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import zmq

from studio.errors import StudioError
from studio.runtime.base.clock import monotonic_ns
from studio.runtime.base.errors import ReplayError
from studio.runtime.channel.feeding import FeedThread
from studio.runtime.plan.plan import RECORDER
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import (
    ACK_TOPIC,
    AGAIN,
    ALL_TOPIC,
    END_PREFIX,
    HELLO_TOPIC,
    HOST_PREFIX,
    INPUT,
    LAST_GATED,
    READY_TOPIC,
    SHARED,
    SYNC_TOPIC,
    WORKS_AHEAD,
    Ack,
    Event,
    Header,
    Kind,
    Mark,
    Marker,
    pack,
    split,
    topic_hash,
)

FEEDER = "replay"
LOOK_EVERY_MS = 50
HELLO_EVERY_NS = 20_000_000


class LogFeed(FeedThread):
    """Feeds recorded payloads as they are: data, and commands too."""

    def _send_up_to(self, wanted: int) -> None:
        try:
            while self._sent < wanted and not self._done:
                event = next(self._events, None)
                self._done = event is None
                if event is not None:
                    self._sent += 1
                    self._out.send(_frame(event, self._epoch))
        except Exception as trouble:  # mostly the log's bytes; the system must not wait for what does not come
            told = (
                trouble
                if isinstance(trouble, StudioError)
                else ReplayError(f"the rest of the log cannot be read: {trouble!r}")
            )
            self.failure = told
            self._done = True
        if self._done:
            self._out.send(pack(END_PREFIX + self._name, Kind.MARKER, 0))


def _frame(event: Event, epoch: int) -> bytes:
    assert event.payload is not None, "what is read from a log has a payload"
    return pack(
        event.topic, event.kind, event.sequence, event.payload, stamp_ns=event.stamp_ns, sent_ns=event.stamp_ns,
        flags=event.flags | INPUT, origin=event.origin, epoch=epoch,
    )  # fmt: skip


_TO_US = HOST_PREFIX + RECORDER
Take = Callable[[str, Header, memoryview], None]


class Listener:
    """Hears the channel in its order, in the place of the recorder: the gate waits when it is too far behind.

    So nothing is dropped on its way, however slow the disk is, or this process.
    """

    def __init__(self, run: Path, index: int, take: Take) -> None:
        """`index`: of the recorder, in the plan."""
        self._run = run
        self._index = index
        self._take = take
        self._end_topic = f"/_studio/heard/{id(self)}"
        self._heard_end = threading.Event()
        self._failure: StudioError | None = None
        self._ended = threading.Event()
        self._news = threading.Condition()
        self._count = 0
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.SUB)
        self._socket.rcvhwm = 0
        self._socket.subscribe(b"/")
        self._socket.connect(addresses.out_of(run))
        self._out = self._context.socket(zmq.PUSH)
        self._out.connect(addresses.into(run))
        self._welcomed = False
        self._incarnation = 0
        self._next_hello_ns = 0
        self._thread = threading.Thread(target=self._listen, name="replay listener", daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        while not self._ended.is_set():
            if not self._welcomed and monotonic_ns() >= self._next_hello_ns:
                self._next_hello_ns = monotonic_ns() + HELLO_EVERY_NS
                self._out.send(pack(HELLO_TOPIC, Kind.HELLO, 0, RECORDER.encode()))
            if not self._socket.poll(LOOK_EVERY_MS):
                continue
            try:
                self._hear(self._socket.recv())
            except StudioError as error:
                self._failure = self._failure or error

    def _hear(self, frame: bytes) -> None:
        topic, header, payload = split(frame)
        if topic == self._end_topic:
            self._heard_end.set()
        elif topic in (_TO_US, ALL_TOPIC):
            self._answer(topic, Marker.parse(payload))
        if header.kind > Kind.REPLY or header.flags & AGAIN:
            return
        if header.flags & SHARED:
            raise ReplayError(f"{topic} came through shared memory")
        try:
            self._take(topic, header, payload)
        finally:
            if header.kind <= LAST_GATED:
                with self._news:
                    self._count += 1
                    self._news.notify_all()

    def _answer(self, topic: str, marker: Marker) -> None:
        """Whoever is welcome hears everything from here on, and tells when asked how far it is."""
        if marker.mark is not Mark.SYNC and marker.incarnation != self._incarnation:
            self._incarnation, self._welcomed = marker.incarnation, False  # another broker, which has to be greeted
        if topic != _TO_US:
            return
        if marker.mark is Mark.WELCOME and not self._welcomed:
            self._welcomed = True
            self._out.send(pack(READY_TOPIC, Kind.READY, WORKS_AHEAD, RECORDER.encode()))
        elif marker.mark is Mark.SYNC:
            ack = Ack(topic_hash(SYNC_TOPIC), marker.number)
            self._out.send(pack(ACK_TOPIC, Kind.ACK, self._index, ack.payload()))

    def await_events(self, count: int, patience_s: float = 20.0) -> None:
        """Until as many have been heard as were delivered; raises what went wrong meanwhile."""
        with self._news:
            complete = self._news.wait_for(lambda: self._count >= count, patience_s)
        complete = complete and self._heard_all(patience_s)
        if self._failure is not None:
            raise self._failure
        if not complete:
            raise ReplayError(
                f"only {self._count} of {count} events arrived", hint="did the broker die? replay it again"
            )

    def _heard_all(self, patience_s: float) -> bool:
        """Calls pass the gate uncounted: a word of one's own, behind them in the channel, tells that they are here."""
        push = self._context.socket(zmq.PUSH)
        push.connect(addresses.into(self._run))
        push.send(pack(self._end_topic, Kind.MARKER, 0))
        heard = self._heard_end.wait(patience_s)
        push.close(linger=0)
        return heard

    def close(self) -> None:
        self._ended.set()
        self._thread.join()
        self._context.destroy(linger=0)
