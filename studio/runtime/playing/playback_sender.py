"""The end of a player that sends: frames of recorded events, and what of them may still come back from the gate."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

import zmq

from studio.runtime.base.clock import Clock
from studio.runtime.playing.playback_block import Next, PlaybackBlock
from studio.runtime.playing.sent_events import SentEvents
from studio.runtime.recording import LoggedEvent
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import (
    ALL_TOPIC,
    COMMAND_PREFIX,
    END_PREFIX,
    HEADER,
    INPUT,
    TO_ALL,
    VERSION,
    Kind,
    Mark,
    Marker,
    Origin,
    pack,
    topic_field,
)

FIRST_COMMAND = 1 << 32
"""The broker numbers its own commands from 1."""
RECENT = 512
_COMMAND, _DATA = int(Kind.COMMAND), int(Kind.DATA)
_FIRST, _TIMES, _LAST = struct.Struct("<BBBBI"), struct.Struct("<Qqq"), struct.Struct("<QQHHQ")
"""A header in three pieces: the same for a topic, different for each event, the same for all."""
_REST = _LAST.pack(0, 0, TO_ALL, 0, 0)
assert _FIRST.size + _TIMES.size + _LAST.size == HEADER.size
_Pack = Callable[..., bytes]


class Sent(NamedTuple):
    """What became of a block: how many events of it are dealt with, and of those the number and size of the sent."""

    done: int
    events: int
    size: int


class PlaybackSender:
    """Payloads go as they were recorded. Sequences count what was sent, so that nobody counts a jump as a loss."""

    def __init__(
        self,
        context: zmq.Context[zmq.Socket[bytes]],
        run: Path,
        name: str,
        topics: Mapping[str, str],
    ) -> None:
        self._name = name
        self._topics = topics
        self._kinds = {
            logged: _COMMAND if topic.startswith(COMMAND_PREFIX) else _DATA for logged, topic in topics.items()
        }
        self._fields = {logged: topic_field(topic) for logged, topic in topics.items()}
        self._heads: dict[str, tuple[bytes, _Pack]] = {}
        self._epoch = -1
        self.count_from({})
        self._history = SentEvents()
        """What may still come back from the gate."""
        self._forgotten = 0
        self._recent: dict[tuple[str, int], Next] = {}
        self._held: set[tuple[str, int]] = set()
        """What was given to the closed gate, and has not passed it as far as is known."""
        self._socket = context.socket(zmq.PUSH)
        self._socket.sndhwm = addresses.SEND_QUEUE
        self._socket.connect(addresses.into(run))
        # pyzmq's own `send` in Python only asks what kind of socket it is before it calls this one.
        self._put: Callable[[bytes, int], object] = super(zmq.Socket, self._socket).send

    def count_from(self, last: Mapping[str, int]) -> None:
        """Before anything is sent. `last`: topic of the system -> the sequence of the last event that somebody else has
        sent on it."""
        self._sequences = {
            logged: FIRST_COMMAND if kind == _COMMAND else last.get(self._topics[logged], 0)
            for logged, kind in self._kinds.items()
        }
        self._begun = dict(self._sequences)

    @property
    def counts(self) -> dict[str, int]:
        """Topic of the system -> events that were sent on it, without those that wait at the closed gate."""
        held = Counter(topic for topic, _ in tuple(self._held))
        found = {
            self._topics[logged]: sequence - self._begun[logged] - held[self._topics[logged]]
            for logged, sequence in self._sequences.items()
            if self._kinds[logged] == _DATA
        }
        return {topic: count for topic, count in found.items() if count > 0}

    @property
    def last(self) -> dict[str, int]:
        """Topic of the system -> the sequence of the last event on it."""
        return {
            self._topics[logged]: sequence
            for logged, sequence in self._sequences.items()
            if self._kinds[logged] == _DATA and sequence
        }

    # Sending. The socket is full only when the broker is away.

    def send(
        self,
        events: PlaybackBlock,
        sent_ns: int,
        epoch: int,
        offset_ns: int = 0,
        instead: Callable[[LoggedEvent], None] | None = None,
        unusual: frozenset[str] = frozenset(),
    ) -> Sent:
        """Send all, but hand events of `unusual` topics to `instead`."""
        if instead is None or unusual.isdisjoint(events.topics):
            return self._send_all(events, sent_ns, epoch, offset_ns)
        at, count, size = 0, 0, 0
        while at < events.count:
            usual = takewhile(lambda topic: topic not in unusual, events.topics[at:])
            end = at + sum(1 for _ in usual)
            if end == at:
                instead(events.at(at).event)
                at += 1
                continue
            done, sent, more = self._send_all(events.part(at, end), sent_ns, epoch, offset_ns)
            at, count, size = at + done, count + sent, size + more
            if at < end:
                break
        return Sent(at, count, size)

    def _send_all(self, events: PlaybackBlock, sent_ns: int, epoch: int, offset_ns: int) -> Sent:
        """First all frames, then one after the other into the socket: whoever is behind it wakes up once for many."""
        counted, heads = dict(self._sequences), self._heads_in(epoch)
        frames, sequences = [], []
        for topic, stamp_ns, payload in zip(events.topics, events.stamps, events.payloads, strict=True):
            counted[topic] = sequence = counted[topic] + 1
            sequences.append(sequence)
            first, head = heads[topic]
            frames.append(head(first, sequence, stamp_ns + offset_ns, sent_ns, _REST) + payload)
        send, done = self._put, 0
        try:
            for frame in frames:
                send(frame, zmq.DONTWAIT)
                done += 1
        except zmq.Again:
            del frames[done:], sequences[done:]
            events = events.part(0, done)
            counted = self._sequences | dict(zip(events.topics, sequences, strict=True))
        self._sequences = counted
        self._history.add(events, sequences)
        return Sent(done, done, sum(map(len, frames)))

    def _heads_in(self, epoch: int) -> dict[str, tuple[bytes, _Pack]]:
        """What all frames of a topic begin with in one epoch, and what puts the rest of their headers behind it."""
        if epoch != self._epoch:
            self._epoch = epoch
            for logged, field in self._fields.items():
                first = field + _FIRST.pack(VERSION, self._kinds[logged], INPUT, Origin.LOGGED, epoch)
                self._heads[logged] = first, struct.Struct(f"<{len(first)}s{_TIMES.format[1:]}{len(_REST)}s").pack
        return self._heads

    def send_sync(self, number: int, clock: Clock) -> None:
        self._send_marker(pack(ALL_TOPIC, Kind.MARKER, number, Marker(Mark.SYNC, number, False, clock).payload()))

    def send_end(self, fence: int = 0) -> None:
        """There is no more, or the answer to a fence: all that was sent is before it."""
        self._send_marker(pack(END_PREFIX + self._name, Kind.MARKER, fence))

    def _send_marker(self, frame: bytes) -> None:
        try:
            self._put(frame, zmq.DONTWAIT)
        except zmq.Again:  # it is asked for, or sent, once more
            return

    # What was sent.

    def forget(self) -> None:
        """All that was sent has been taken."""
        self._held.clear()
        self._history.drop_first(self._history.count)
        self._forgotten = 0

    def forget_but(self, count: int) -> Next | None:
        """All but the last `count` were taken; tells which was the last of those."""
        taken = self._history.count - count
        if taken <= 0:
            return None
        self._history.drop_first(taken - 1)
        last, _ = self._history.first()
        self._history.drop_first(1)
        self._held &= {(self._topics[each.event.topic], sequence) for each, sequence in self._history.last(count)}
        return last

    def forget_first(self, count: int) -> None:
        """So many were taken, since all was last forgotten."""
        self._history.drop_first(min(max(count - self._forgotten, 0), self._history.count))
        self._forgotten = max(self._forgotten, count)

    def take_back(self, count: int) -> list[Next]:
        """The last `count` events have not been sent: their sequences are free again."""
        returned = self._history.last(count)
        self._history.drop_last(len(returned))
        for following, sequence in reversed(returned):
            topic = following.event.topic
            self._sequences[topic] = sequence - 1
            self._held.discard((self._topics[topic], sequence))
            self._recent.pop((self._topics[topic], sequence), None)
        return [following for following, _ in returned]

    def hold(self) -> None:
        """The last event was given to the closed gate, where it waits."""
        for following, sequence in self._history.last(1):
            self._held.add((self._topics[following.event.topic], sequence))

    def has_passed(self, topic: str, sequence: int) -> None:
        """The closed gate has delivered an event."""
        self._held.discard((topic, sequence))

    def remember(self, newest: int | None = None) -> None:
        """Keep in mind which events the last frames are: the gate tells topic and sequence of what it delivers."""
        kept = min(RECENT, self._history.count if newest is None else newest)
        for following, sequence in self._history.last(kept):
            self._recent[self._topics[following.event.topic], sequence] = following
        while len(self._recent) > RECENT:
            del self._recent[next(iter(self._recent))]

    def event_of(self, topic: str, sequence: int) -> Next | None:
        return self._recent.pop((topic, sequence), None)
