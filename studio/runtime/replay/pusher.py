"""The thread of a player that sends: on the schedule of the system's clock while the gate is open, else when asked.

The clock comes from the broker's markers, as for every host, so pausing, another rate or a jump needs no other word.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path

import zmq

from studio.errors import StudioError
from studio.runtime.channel import addresses
from studio.runtime.channel.frames import (
    ACK_TOPIC,
    ALL_TOPIC,
    COMMAND_PREFIX,
    END_PREFIX,
    FEED_PREFIX,
    HEADER,
    INPUT,
    SYNC_TOPIC,
    TO_ALL,
    VERSION,
    Ack,
    Kind,
    Mark,
    Marker,
    Origin,
    pack,
    split,
    subscription,
    topic_field,
    topic_hash,
)
from studio.runtime.clock import Clock, monotonic_ns
from studio.runtime.recording import LoggedEvent
from studio.runtime.replay.cursor import Cursor, Next
from studio.runtime.replay.flow import BROKER, Flow
from studio.runtime.replay.played import is_first_activation

SPIN_NS = 200_000
"""Sleep until so long before an event is due, then watch the clock: the scheduler is late by up to 100 µs."""
SLEEP_NS = 1_500_000
"""Below this the socket's poll, which counts milliseconds, is too coarse."""
LOOK_MS = 50
BLOCKED_MS = 5
BATCH = 64
"""Events between two looks at the socket when many are due."""
ASKED_AT_ONCE = 64
FIRST_COMMAND = 1 << 32
"""The broker numbers its own commands from 1."""
RECENT = 512
FOREVER_NS = 1 << 62
_SYNC = topic_hash(SYNC_TOPIC)
_PACK, _DATA, _LOGGED = HEADER.pack, int(Kind.DATA), int(Origin.LOGGED)


class Pusher:
    """Owned by a LogPlayer, which changes it under `lock`. `topics`: topic of the log -> topic of the system."""

    def __init__(self, run: Path, name: str, cursor: Cursor, topics: Mapping[str, str], flow: Flow) -> None:
        self.lock = threading.RLock()
        self.gated = True
        self.epoch = 0
        self.clock: Clock | None = None
        self.silent = True
        """Neither pushes nor answers the gate's questions: while the place in the log is being changed."""
        self.stopped: str | None = None
        """Why it stopped by itself."""
        self._untold: str | None = None
        self.flat_out = False
        self.limit_ns = FOREVER_NS
        self.offset_ns = 0
        """What is added to stamps, where the clock is not that of the log."""
        self.disabled: frozenset[str] = frozenset()
        """Topics of the log that are passed over."""
        self.watch: Callable[[LoggedEvent], bool] | None = None
        self.on_stop: Callable[[str], None] = lambda _: None
        self.on_command: Callable[[str, bytes], None] = lambda *_: None
        self.on_new_broker: Callable[[], None] = lambda: None
        self.failure: StudioError | None = None
        self.drained = False
        """The gate has taken all there is, up to the limit."""
        self.position_ns = cursor.start_ns
        self.done = 0
        """How many events of the log lie before the next one."""
        self.sent = 0
        """Events that were sent, in all."""
        self.behind_ns = 0
        """How much later than scheduled the last event was sent."""
        self.connected = threading.Event()
        self._name = name
        self._cursor = cursor
        self._topics = topics
        self._flow = flow
        self._fields = {logged: topic_field(topic) for logged, topic in topics.items()}
        self._is_command = {logged: topic.startswith(COMMAND_PREFIX) for logged, topic in topics.items()}
        self._commands = frozenset(logged for logged, command in self._is_command.items() if command)
        self._unusual = self._commands
        """Topics of which not every event is simply sent."""
        self._sequences = {logged: FIRST_COMMAND if command else 0 for logged, command in self._is_command.items()}
        self._history: deque[tuple[Next, int]] = deque()
        """What was sent, with its sequence, and may still come back from the gate."""
        self._trimmed = 0
        self._recent: dict[tuple[str, int], Next] = {}
        self._fed = 0
        self._incarnation = 0
        self._closed = threading.Event()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._out = self._context.socket(zmq.PUSH)
        self._out.sndhwm = addresses.SEND_QUEUE
        self._out.connect(addresses.into(run))
        self._heard = self._context.socket(zmq.SUB)
        self._heard.rcvhwm = 0
        self._heard.connect(addresses.out_of(run))
        for topic in (FEED_PREFIX + name, ACK_TOPIC, ALL_TOPIC):
            self._heard.subscribe(subscription(topic))
        self._thread = threading.Thread(target=self._main, name=f"player {name}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        self._thread.join()
        self._context.destroy(linger=200)

    # The thread.

    def _main(self) -> None:
        while not self._closed.is_set():
            try:
                self._go_on()
            except StudioError as damaged:  # the log's bytes, or a condition that does not fit
                self.failure = damaged
                self._stop("failure")

    def _go_on(self) -> None:
        if self._untold:
            self._await_handled()
            self._tell_stop()
        elif not self._may_push():
            self._hear(LOOK_MS)
        elif not self._flow.is_open:
            self._await_handled()
        else:
            with self.lock:
                wait_ns = self._push_due() if self._may_push() else 0
            self._wait(wait_ns)

    def _await_handled(self) -> None:
        self._hear(BLOCKED_MS)
        again = self._flow.ask_again()
        if again is not None:
            self._send_sync(again)

    def _tell_stop(self) -> None:
        why = self._untold
        if why and self._flow.is_idle:
            self._untold = None
            self.on_stop(why)

    def _may_push(self) -> bool:
        return not (self.gated or self.silent or self.stopped or self.clock is None)

    def _wait(self, wait_ns: int) -> None:
        if 0 < wait_ns < SLEEP_NS:
            time.sleep(wait_ns / 1e9)
        else:
            self._hear(min(LOOK_MS, wait_ns // 1_000_000))

    def _hear(self, wait_ms: int) -> None:
        """Take in what the broker and the hosts say, waiting a moment for the first of it."""
        while self._heard.poll(wait_ms):
            wait_ms = 0
            topic, header, payload = split(self._heard.recv())
            self.connected.set()
            if header.kind == Kind.ACK:
                ack = Ack.parse(payload)
                if ack.topic == _SYNC:
                    self._flow.answered(ack.sequence, header.sequence)
            elif header.kind == Kind.MARKER:
                marker = Marker.parse(payload)
                with self.lock:
                    self._obey(marker) if topic == ALL_TOPIC else self._answer(marker)

    def _obey(self, marker: Marker) -> None:
        if marker.mark is Mark.SYNC:
            if not self.gated:
                self._flow.answered(marker.number, BROKER)
                self._forget_passed()
            return
        if marker.incarnation != self._incarnation:
            self._incarnation, before = marker.incarnation, self._incarnation
            if before:
                self.on_new_broker()
        if marker.mark in (Mark.STATE, Mark.PAUSE):
            if marker.gated != self.gated:
                self._flow.reset()
                self._trimmed = 0
                self.stopped = self._untold = None
                if marker.gated:
                    self._remember_all()
                else:
                    self._history.clear()
            self.gated, self.clock, self.epoch = marker.gated, marker.clock, marker.epoch

    # While the gate is open.

    def _push_due(self) -> int:
        """Send what is due, a batch at most; returns how many ns there are until the next has to be seen to."""
        clock = self.clock
        assert clock is not None
        if self.flat_out and self.watch is None:
            return self._push_block(clock.now_ns())
        now_ns = clock.now_ns()
        for _ in range(BATCH):
            following = self._cursor.peek()
            if following is None or (following.place_ns > self.limit_ns and following.number >= 0):
                self._stop("end")
                return LOOK_MS * 1_000_000
            if not self.flat_out and following.number >= 0:
                due_ns = clock.moment_of(following.place_ns + self.offset_ns)
                if due_ns is None:
                    return LOOK_MS * 1_000_000
                left_ns = due_ns - monotonic_ns()
                if left_ns > SPIN_NS:
                    return left_ns - SPIN_NS
                while (moment_ns := monotonic_ns()) < due_ns:
                    pass
                self.behind_ns = moment_ns - due_ns
                now_ns = clock.at_moment(moment_ns)
            if not self._push(following, now_ns):
                return BLOCKED_MS * 1_000_000
            if self.stopped or not self._flow.is_open:
                break
        return 0

    def _push_block(self, now_ns: int) -> int:
        """What `_push` does, for a batch that is all due: flat out, the calls cost as much as the socket."""
        block = self._cursor.take(BATCH, self.limit_ns)
        if not block:
            self._stop("end")
            return LOOK_MS * 1_000_000
        send, sequences, fields, remember = self._out.send, self._sequences, self._fields, self._history.append
        epoch, offset_ns, join, size, count = self.epoch, self.offset_ns, b"".join, 0, 0
        for at, following in enumerate(block):
            event = following.event
            topic = event.topic
            if topic in self._unusual and not self._is_plain(event):
                continue
            sequence = sequences[topic] + 1
            header = _PACK(VERSION, _DATA, INPUT, _LOGGED, epoch, sequence, event.stamp_ns + offset_ns, now_ns, 0, 0,
                           TO_ALL, 0, 0)  # fmt: skip
            try:
                send(join((fields[topic], header, event.payload)), zmq.DONTWAIT)
            except zmq.Again:
                self._cursor.take_back(block[at:])
                block = block[:at]
                break
            sequences[topic] = sequence
            remember((following, sequence))
            count += 1
            size += len(event.payload)
        self.sent += count
        if block:
            self._has_passed(block[-1])
        if self._flow.note(size, count):
            self._send_sync(self._flow.mark())
        return 0 if block else BLOCKED_MS * 1_000_000

    def _push(self, following: Next, now_ns: int) -> bool:
        """Send one event past the open gate; False if the socket is full, because the broker is away."""
        event = following.event
        is_sent = event.topic not in self._unusual or self._is_plain(event)
        if is_sent and not self._send(following, now_ns):
            return False
        self._cursor.drop()
        if following.number >= 0:
            self.position_ns, self.done = following.place_ns, following.number + 1
        if is_sent and self._flow.note(len(event.payload)):
            self._send_sync(self._flow.mark())
        if self.watch is not None and is_sent and following.number >= 0 and self.watch(event):
            self._stop("condition")
        return True

    def _is_plain(self, event: LoggedEvent) -> bool:
        """What was commanded goes to the broker, which acts upon it; what is passed over goes nowhere."""
        if self._is_passed_over(event):
            return False
        if self._is_command[event.topic]:
            self.on_command(self._topics[event.topic].removeprefix(COMMAND_PREFIX), bytes(event.payload))
            return False
        return True

    def _is_passed_over(self, event: LoggedEvent) -> bool:
        return event.topic in self.disabled or (self._is_command[event.topic] and is_first_activation(event))

    def _send(self, following: Next, sent_ns: int) -> bool:
        event = following.event
        topic = event.topic
        sequence = self._sequences[topic] + 1
        kind = Kind.COMMAND if self._is_command[topic] else Kind.DATA
        header = _PACK(
            VERSION, kind, INPUT, Origin.LOGGED, self.epoch, sequence, event.stamp_ns + self.offset_ns, sent_ns,
            0, 0, TO_ALL, 0, 0,
        )  # fmt: skip
        try:
            self._out.send(b"".join((self._fields[topic], header, event.payload)), zmq.DONTWAIT)
        except zmq.Again:
            return False
        self._sequences[topic] = sequence
        self._history.append((following, sequence))
        self.sent += 1
        return True

    def _send_sync(self, number: int) -> None:
        assert self.clock is not None
        marker = Marker(Mark.SYNC, number, False, self.clock)
        try:
            self._out.send(pack(ALL_TOPIC, Kind.MARKER, number, marker.payload()), zmq.DONTWAIT)
        except zmq.Again:  # the broker is away; the next one will do
            return

    def _has_passed(self, following: Next) -> None:
        if following.number >= 0:
            self.position_ns, self.done = following.place_ns, following.number + 1

    def _forget_passed(self) -> None:
        for _ in range(min(self._flow.passed - self._trimmed, len(self._history))):
            self._history.popleft()
        self._trimmed = max(self._trimmed, self._flow.passed)

    def _stop(self, why: str) -> None:
        """Send no more; it is told when everybody has handled what was sent, so that nothing is left at the gate."""
        self.stopped = self._untold = why
        if not self.gated:
            self._send_sync(self._flow.mark())

    # While the gate is closed.

    def _answer(self, marker: Marker) -> None:
        """What the gate says to its feeder."""
        if marker.mark is Mark.SYNC:
            self._send_end()  # a fence: all that was sent is before it
        elif marker.mark is Mark.PAUSE:
            self.take_back(marker.number)
        elif marker.epoch >= self.epoch and not self.silent:
            self._give(marker.number)

    def _give(self, wanted: int) -> None:
        """The gate may have `wanted` in all, since it was closed or time jumped; it asks when it has none left."""
        if wanted - self._fed >= ASKED_AT_ONCE and self._history:
            self._has_passed(self._history[-1][0])
            self._history.clear()
        given = self._fed
        while self._fed < wanted:
            following = self._cursor.peek()
            if following is None or (following.place_ns > self.limit_ns and following.number >= 0):
                # The end is told when it is reached, and not when the last event is sent: the player wants to know.
                self.drained = self._fed == given
                if self.drained:
                    self._send_end()
                return
            if not self._is_passed_over(following.event):
                if not self._send(following, following.event.stamp_ns + self.offset_ns):
                    return
                self._remember(*self._history[-1])
                self._fed += 1
            self._cursor.drop()

    def _remember_all(self) -> None:
        """What was sent when the gate was closed may be waiting at it."""
        for following, sequence in self._history:
            self._remember(following, sequence)

    def _remember(self, following: Next, sequence: int) -> None:
        self._recent[self._topics[following.event.topic], sequence] = following
        if len(self._recent) > RECENT:
            del self._recent[next(iter(self._recent))]

    def _send_end(self) -> None:
        try:
            self._out.send(pack(END_PREFIX + self._name, Kind.MARKER, 0), zmq.DONTWAIT)
        except zmq.Again:  # no broker: it will ask again
            return

    # For the player.

    def pass_over(self, disabled: frozenset[str]) -> None:
        """Topics of the log that are not played from now on, and all others are."""
        with self.lock:
            self.disabled = disabled
            self._unusual = disabled | self._commands

    @property
    def counts(self) -> dict[str, int]:
        """Topic of the system -> events that were sent on it."""
        found = {self._topics[logged]: count for logged, count in self._sequences.items()}
        return {topic: count for topic, count in found.items() if 0 < count < FIRST_COMMAND}

    def take_back(self, count: int) -> None:
        """The last `count` events were thrown away by the gate: they have not been sent."""
        with self.lock:
            returned: deque[Next] = deque()
            for _ in range(min(count, len(self._history))):
                following, _ = self._history.pop()
                topic = following.event.topic
                self._sequences[topic] -= 1
                self.sent -= 1
                returned.appendleft(following)
            self._cursor.take_back(returned)
            self.drained = self.drained and not returned
            first = next((following for following in returned if following.number >= 0), None)
            if first is not None:
                self.done = min(self.done, first.number)
                self.position_ns = min(self.position_ns, first.place_ns)
            self._fed = 0

    def go_to(self, time_ns: int, epoch: int, thrown: int, restore: tuple[str, ...]) -> None:
        """Go on from another place of the log, in a new epoch; `thrown` events were sent and never taken."""
        with self.lock:
            self.take_back(thrown)
            self._history.clear()
            self._recent.clear()
            self.drained = False
            self._cursor.seek(time_ns, restore)
            self.epoch = epoch
            self.stopped = self._untold = None
            self.position_ns = time_ns
            following = self._cursor.peek_played()
            self.done = following.number if following is not None else self._cursor.count

    def delivered(self, topic: str, sequence: int) -> Next | None:
        """The gate has delivered an event; the one of the log that it is, if it is one."""
        with self.lock:
            following = self._recent.pop((topic, sequence), None)
            if following is not None:
                self._has_passed(following)
            return following
