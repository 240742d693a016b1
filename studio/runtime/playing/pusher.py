"""The thread of a player that sends: on the schedule of the system's clock while the gate is open, else when asked.

The clock comes from the broker's markers, as for every host, so pausing, another rate or a jump needs no other word.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import zmq

from studio.errors import StudioError
from studio.runtime.base.clock import Clock, monotonic_ns
from studio.runtime.playing.cursor import Cursor
from studio.runtime.playing.flow import BROKER, Flow
from studio.runtime.playing.playback_block import Next, PlaybackBlock
from studio.runtime.playing.playback_sender import PlaybackSender, Sent
from studio.runtime.recording import LoggedEvent
from studio.runtime.replay.inputs import is_of_the_machinery
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import (
    ACK_TOPIC,
    ALL_TOPIC,
    COMMAND_PREFIX,
    FEED_PREFIX,
    SYNC_TOPIC,
    Ack,
    FrameError,
    Header,
    Kind,
    Mark,
    Marker,
    split,
    subscription,
    topic_hash,
)

SPIN_NS = 200_000
"""Sleep until so long before an event is due, then watch the clock: the scheduler is late by up to 100 µs."""
SLEEP_NS = 1_500_000
"""Below this the socket's poll, which counts milliseconds, is too coarse."""
LOOK_MS = 50
BLOCKED_MS = 5
BATCH, BATCH_BYTES = 256, 2 << 20
"""Events, or about so much of large ones, between two looks at the socket when many are due."""
FOREVER_NS = 1 << 62
_SYNC = topic_hash(SYNC_TOPIC)


class Pusher:
    """Owned by a LogPlayer, which changes it under `lock`. `topics`: topic of the log -> topic of the system."""

    def __init__(
        self,
        run: Path,
        name: str,
        cursor: Cursor,
        topics: Mapping[str, str],
        flow: Flow,
    ) -> None:
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
        self.behind_ns = 0
        """How much later than scheduled the last event was sent."""
        self.recalled = 0
        """How often the closed gate has given back what it had."""
        self.connected = threading.Event()
        self._cursor = cursor
        self._topics = topics
        self._flow = flow
        self._commands = frozenset(logged for logged, topic in topics.items() if topic.startswith(COMMAND_PREFIX))
        self._unusual = self._commands
        """Topics of which no event is simply sent."""
        self._fed = 0
        """How many inputs were sent to the closed gate, because it asked for them."""
        self._incarnation = 0
        self._closed = threading.Event()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._sender = PlaybackSender(self._context, run, name, topics)
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
            try:
                self._take(*split(self._heard.recv()))
            except FrameError:  # not of the broker, and not of a host that can be read: the others say so
                continue

    def _take(self, topic: str, header: Header, payload: memoryview) -> None:
        self.connected.set()
        if header.kind == Kind.ACK:
            ack = Ack.parse(payload)
            if ack.topic == _SYNC:
                self._flow.answered(ack.sequence, header.sequence)
        elif header.kind == Kind.MARKER:
            marker = Marker.parse(payload)
            with self.lock:
                if marker.mark is not Mark.SYNC or topic != ALL_TOPIC:  # that one is of a player, maybe this one
                    self._meet(marker.incarnation)
                self._obey(marker) if topic == ALL_TOPIC else self._answer(marker)

    def _meet(self, incarnation: int) -> None:
        if incarnation != self._incarnation:
            self._incarnation, before = incarnation, self._incarnation
            if before:
                self._fed = 0  # the new one has asked for nothing yet
                self.on_new_broker()

    def _obey(self, marker: Marker) -> None:
        if marker.mark is Mark.SYNC:
            if not self.gated:
                self._flow.answered(marker.number, BROKER)
                self._sender.forget_first(self._flow.passed)
            return
        if marker.mark in (Mark.STATE, Mark.PAUSE):
            if marker.gated != self.gated:
                self._flow.reset()
                self.stopped = self._untold = None
                if marker.gated:
                    self._sender.remember()  # what was sent meanwhile may be waiting at the gate
                else:
                    self._sender.forget()
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
            if not self._push(PlaybackBlock.of([following]), now_ns).done:
                return BLOCKED_MS * 1_000_000
            self._cursor.drop()
            if following.number >= 0 and self._is_watched(following.event):
                self._stop("condition")
            if self.stopped or not self._flow.is_open:
                break
        return 0

    def _push_block(self, now_ns: int) -> int:
        """A batch that is all due."""
        events_left, bytes_left = BATCH, BATCH_BYTES
        while events_left > 0 and bytes_left > 0:
            events = self._cursor.take(events_left, self.limit_ns)
            if not events.count:
                self._stop("end")
                return LOOK_MS * 1_000_000
            sent = self._push(events, now_ns)
            if sent.done < events.count:
                self._cursor.take_back(events.part(sent.done, events.count).each())
                return BLOCKED_MS * 1_000_000
            events_left -= sent.done
            bytes_left -= sent.size
        return 0

    def _push(self, events: PlaybackBlock, now_ns: int) -> Sent:
        """Send events past the open gate; those that are not done when the broker is back."""
        sent = self._sender.send(events, now_ns, self.epoch, self.offset_ns, self._act_upon, self._unusual)
        if sent.done:
            self._has_passed(events.numbers[sent.done - 1], events.places[sent.done - 1])
        if sent.events and self._flow.note(sent.size, sent.events):
            self._send_sync(self._flow.mark())
        return sent

    def _act_upon(self, event: LoggedEvent) -> None:
        """Of the unusual: what was commanded goes to the broker, which acts upon it; what is passed over, nowhere."""
        if not self._is_passed_over(event):
            self.on_command(self._topics[event.topic].removeprefix(COMMAND_PREFIX), bytes(event.payload))

    def _is_watched(self, event: LoggedEvent) -> bool:
        return self.watch is not None and event.topic not in self.disabled and self.watch(event)

    def _is_passed_over(self, event: LoggedEvent) -> bool:
        return event.topic in self.disabled or (event.topic in self._commands and is_of_the_machinery(event))

    def _send_sync(self, number: int) -> None:
        assert self.clock is not None
        self._sender.send_sync(number, self.clock)

    def _has_passed(self, number: int, place_ns: int) -> None:
        if number >= 0:
            self.position_ns, self.done = place_ns, number + 1

    def _stop(self, why: str) -> None:
        """Send no more; it is told when everybody has handled what was sent, so that nothing is left at the gate."""
        self.stopped = self._untold = why
        if not self.gated:
            self._send_sync(self._flow.mark())

    # While the gate is closed.

    def _answer(self, marker: Marker) -> None:
        """What the gate says to its feeder."""
        if marker.mark is Mark.SYNC:
            self._sender.send_end(marker.number)
        elif marker.mark is Mark.PAUSE:
            self.take_back(marker.number)
            self.recalled += 1
        elif marker.epoch >= self.epoch and not self.silent:
            self._give(marker.number, marker.about)

    def _give(self, wanted: int, had: int) -> None:
        """The gate may have `wanted` in all, since it was closed or time jumped, and has delivered all it `had`.

        It may ask again while inputs are on their way: those it may still give back.
        """
        has_all = had >= self._fed
        last = self._sender.forget_but(0 if has_all else self._fed - had)
        if last is not None:
            self._has_passed(last.number, last.place_ns)
        given = self._fed
        while self._fed < wanted:
            following = self._cursor.peek()
            if following is None or (following.place_ns > self.limit_ns and following.number >= 0):
                # The end is told when it is reached, and not when the last event is sent: the player wants to know.
                self.drained = self.drained or (has_all and self._fed == given)
                if self.drained:
                    self._sender.send_end()
                return
            if not self._is_passed_over(following.event):
                sent_ns = following.event.stamp_ns + self.offset_ns
                if not self._sender.send(PlaybackBlock.of([following]), sent_ns, self.epoch, self.offset_ns).done:
                    return
                self._sender.remember(1)
                self._sender.hold()
                self._fed += 1
            self._cursor.drop()

    # For the player.

    def begin_after(self, place: tuple[int, int] | None, last: Mapping[str, int]) -> None:
        """Before anything is sent: `place` in the log, if not its start, and topic of the system -> the sequence of the
        last event that somebody else has sent on it."""
        with self.lock:
            self._sender.count_from(last)
            if place is not None:
                self._cursor.seek_place(*place)
                self.position_ns, self.done = place

    def pass_over(self, disabled: frozenset[str]) -> None:
        """Topics of the log that are not played from now on, and all others are."""
        with self.lock:
            self.disabled = disabled
            self._unusual = disabled | self._commands

    @property
    def counts(self) -> dict[str, int]:
        """Topic of the system -> events that were sent on it."""
        return self._sender.counts

    @property
    def restored(self) -> int:
        """How many events come next that only restore what was last there."""
        return self._cursor.restored

    @property
    def last(self) -> dict[str, int]:
        """Topic of the system -> the sequence of the last event on it."""
        return self._sender.last

    def take_back(self, count: int) -> None:
        """The last `count` events were thrown away by the gate: they have not been sent."""
        with self.lock:
            returned = self._sender.take_back(count)
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
            self._sender.forget()
            self.drained = False
            self._cursor.seek(time_ns, restore)
            self.epoch = epoch
            self.stopped = self._untold = None
            self.position_ns = time_ns
            following = self._cursor.peek_played()
            self.done = following.number if following is not None else self._cursor.count

    def go_on_at(self, now_ns: int, epoch: int, thrown: int, restamp: bool) -> None:
        """Go on from the same place of the log, in a new epoch that begins at `now_ns`."""
        with self.lock:
            self.offset_ns = now_ns - self.position_ns if restamp else 0
            self.take_back(thrown)
            self._sender.forget()
            self.epoch = epoch

    def has_passed(self, delivered: Iterable[tuple[str, int]]) -> None:
        """The closed gate was asked for events, by whomever, and these have come."""
        with self.lock:
            for topic, sequence in delivered:
                self._sender.has_passed(topic, sequence)

    def delivered(self, topic: str, sequence: int) -> Next | None:
        """The gate has delivered an event; the one of the log that it is, if it is one."""
        with self.lock:
            following = self._sender.event_of(topic, sequence)
            if following is not None:
                self._has_passed(following.number, following.place_ns)
            return following
