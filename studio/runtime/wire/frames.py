"""Frames: one event on the wire (docs/protocol.md, sections 2 to 5)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache, partial
from typing import Any, NamedTuple

from studio.errors import StudioError
from studio.runtime.base.clock import FARTHEST_NS, Clock, ClockKind

VERSION = 1
HEADER = struct.Struct("<BBBBIQqqQQHHQ")
HEADER_BYTES = HEADER.size
TO_ALL = 0xFFFF

INPUT = 1
SHARED = 2
AGAIN = 4
ERROR = 8


class Kind(IntEnum):
    DATA = 0
    TIMER = 1
    COMMAND = 2
    REQUEST = 3
    REPLY = 4
    ACK = 5
    MARKER = 6
    HELLO = 7
    READY = 8
    BEAT = 9
    TRACE = 10
    LOG = 11
    SWEEP = 12
    AHEAD = 13
    """Events for one host, to be handled before they go out for the others."""


LAST_GATED = Kind.COMMAND
"""DATA, TIMER and COMMAND wait at the gate; every later kind passes at once."""


class Origin(IntEnum):
    """Where data comes from, the most trusted first; an event has the least trusted origin upstream."""

    REAL = 0
    SIMULATED = 1
    LOGGED = 2


ALL_TOPIC = "/_studio/all"
ACK_TOPIC = "/_studio/ack"
HELLO_TOPIC = "/_studio/hello"
READY_TOPIC = "/_studio/ready"
BEAT_TOPIC = "/_studio/beat"
HANDLED_TOPIC = "/_studio/handled"
LOG_TOPIC = "/_studio/log"
SWEEP_TOPIC = "/_studio/sweep"
SYNC_TOPIC = "/_studio/sync"
WAKE_TOPIC = "/_studio/wake"
TIMER_PREFIX = "/_studio/timer/"
COMMAND_PREFIX = "/_studio/command/"
REQUEST_PREFIX = "/_studio/request/"
REPLY_PREFIX = "/_studio/reply/"
HOST_PREFIX = "/_studio/host/"
FEED_PREFIX = "/_studio/feed/"
END_PREFIX = "/_studio/end/"
REWOUND_PREFIX = "/_studio/rewound/"

KEEPS_CHECKPOINTS = 1
WORKS_AHEAD = 2
"""Sequence of a READY, as bits: the host obeys CHECKPOINT, RESTORE, FORGET and DIGEST; it takes events by AHEAD, and
does not acknowledge where it need not."""


FASTEST = 1e9
"""No clock goes faster than so many seconds in one."""


class FrameError(StudioError):
    """Bytes that are not a frame of this protocol."""


class Header(NamedTuple):
    """The fixed part of a frame, in wire order. A named tuple, because struct fills it fastest."""

    version: int
    kind: int
    flags: int
    origin: int
    epoch: int
    sequence: int
    stamp_ns: int
    sent_ns: int
    cause_topic: int
    cause_sequence: int
    target: int
    reserved: int
    quiet: int
    """Hosts that need not acknowledge it, as bits by their index."""


@lru_cache(maxsize=65536)
def topic_hash(topic: str) -> int:
    """FNV-1a 64: names the cause in a fixed-size header, without a table that logs would have to carry."""
    value = 0xCBF29CE484222325
    for byte in topic.encode():
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return value


@lru_cache(maxsize=65536)
def topic_field(topic: str) -> bytes:
    """The topic as a frame begins with it: zero-terminated and padded to a multiple of eight."""
    raw = topic.encode()
    return raw + bytes(8 - len(raw) % 8)


def subscription(topic: str) -> bytes:
    """What a SUB socket subscribes to for exactly this topic."""
    return topic.encode() + b"\0"


def pack(
    topic: str,
    kind: int,
    sequence: int,
    payload: bytes | bytearray | memoryview = b"",
    *,
    stamp_ns: int = 0,
    sent_ns: int = 0,
    flags: int = 0,
    origin: int = 0,
    epoch: int = 0,
    cause_topic: int = 0,
    cause_sequence: int = 0,
    target: int = TO_ALL,
) -> bytes:
    header = HEADER.pack(
        VERSION, kind, flags, origin, epoch, sequence, stamp_ns, sent_ns, cause_topic, cause_sequence, target, 0, 0
    )
    return b"".join((topic_field(topic), header, payload))


def split(frame: bytes) -> tuple[str, Header, memoryview]:
    """Topic, header and payload of a frame."""
    end = frame.find(b"\0")
    start = (end & ~7) + 8
    if end < 0 or len(frame) < start + HEADER_BYTES:
        raise FrameError(f"a frame of {len(frame)} bytes is too short for topic and header")
    header = Header._make(HEADER.unpack_from(frame, start))
    if header.version != VERSION:
        raise FrameError(f"protocol version {header.version} is not {VERSION}", hint="run all parts with one version")
    try:
        topic = frame[:end].decode()
    except UnicodeDecodeError:
        raise FrameError("the topic is not UTF-8") from None
    return topic, header, memoryview(frame)[start + HEADER_BYTES :]


def retarget(frame: bytes, target: int, again: bool) -> bytes:
    """The same event, addressed to the one component at place `target`."""
    start = (frame.find(b"\0") & ~7) + 8
    changed = bytearray(frame)
    struct.pack_into("<H", changed, start + 48, target)
    if again:
        changed[start + 2] |= AGAIN
    return bytes(changed)


_ACK = struct.Struct("<QQHH")
_COUNT = struct.Struct("<HHI")
_ACK_OF_ONE = struct.Struct("<QQHHHHI")


class Ack(NamedTuple):
    """A host has finished with an event; `published` tells how many events each component (by place) made of it."""

    topic: int
    sequence: int
    target: int = TO_ALL
    published: Sequence[tuple[int, int]] = ()
    text: str = ""
    """The answer to a marker that asks for one, behind the counts."""
    refused: bool = False
    """On the wire this is flag ERROR of the frame; the text tells why."""

    def payload(self) -> bytes:
        topic, sequence, target, published, text, _ = self
        if text:
            return _ACK.pack(topic, sequence, target, len(published)) + pack_counts(published) + text.encode()
        if len(published) == 1:  # nearly always, and in lockstep an acknowledgement is sent for every event
            place, count = published[0]
            return _ACK_OF_ONE.pack(topic, sequence, target, 1, place, 0, count)
        return _ACK.pack(topic, sequence, target, len(published)) + pack_counts(published)

    @classmethod
    def parse(cls, payload: memoryview) -> Ack:
        try:
            if len(payload) == _ACK_OF_ONE.size:
                topic, sequence, target, components, place, _, count = _ACK_OF_ONE.unpack(payload)
                if components == 1:
                    return cls(topic, sequence, target, ((place, count),))
            topic, sequence, target, count = _ACK.unpack_from(payload)
            counts = parse_counts(payload[_ACK.size :], count)
            text = str(payload[_ACK.size + count * _COUNT.size :], "utf-8", "replace")
            return cls(topic, sequence, target, counts, text)
        except struct.error as error:
            raise FrameError(f"damaged acknowledgement: {error}") from None


def pack_counts(published: Sequence[tuple[int, int]]) -> bytes:
    return b"".join(_COUNT.pack(place, 0, count) for place, count in published)


def parse_counts(payload: memoryview, count: int) -> list[tuple[int, int]]:
    parts = (_COUNT.unpack_from(payload, index * _COUNT.size) for index in range(count))
    return [(place, number) for place, _, number in parts]


class Mark(IntEnum):
    WELCOME = 0
    STATE = 1
    PAUSE = 2
    ALIVE = 3
    STOP = 4
    SYNC = 5
    """Says nothing about mode or clock: whoever sends it wants to hear when everything before it is handled."""
    CHECKPOINT = 6
    """Remember everything, under the marker's number."""
    RESTORE = 7
    """Be where the checkpoint `about` was; to a feeder: go on with input number `about`."""
    FORGET = 8
    DIGEST = 9
    """Tell digests of states and outputs."""
    REPLAN = 10
    """The plan of the run has changed: read it again, and say so when your new subscriptions stand."""
    CATCH_UP = 11
    """Handle, for `about` milliseconds, what the process before you has handled, and say how far you are."""
    EXCHANGE = 12
    """Take the code that is on the disk now, at your last checkpoint before it could make a difference."""


_MARKER = struct.Struct("<IIIIqqdIIQ")
_MARKER_AT_LEAST = 48


@dataclass(frozen=True)
class Marker:
    """What holds for a host from this point of the stream on."""

    mark: Mark
    number: int
    gated: bool
    clock: Clock
    epoch: int = 0
    incarnation: int = 0
    about: int = 0
    """A checkpoint, or a position; on the wire only where it is not 0."""

    def payload(self) -> bytes:
        clock = self.clock
        time = (clock.kind, clock.base_ns, clock.at_ns, clock.rate)
        packed = _MARKER.pack(self.mark, self.number, self.gated, *time, self.epoch, self.incarnation, self.about)
        return packed if self.about else packed[:_MARKER_AT_LEAST]

    @classmethod
    def parse(cls, payload: memoryview) -> Marker:
        try:
            whole = payload if len(payload) >= _MARKER.size else bytes(payload) + bytes(_MARKER.size - _MARKER_AT_LEAST)
            mark, number, gated, kind, base, at, rate, epoch, incarnation, about = _MARKER.unpack_from(whole)
            if not (-FARTHEST_NS <= base <= FARTHEST_NS and 0.0 <= rate <= FASTEST):  # nor is it so for NaN
                raise ValueError(f"a clock at {base} ns with rate {rate}")
            clock = Clock(ClockKind(kind), base, at, rate)
            return cls(Mark(mark), number, bool(gated), clock, epoch, incarnation, about)
        except (struct.error, ValueError) as error:
            raise FrameError(f"damaged marker: {error}") from None


class Event(NamedTuple):
    """One event as components and gates see it. A tuple, because nothing else is made as fast."""

    topic: str
    sequence: int
    stamp_ns: int
    message: Any = None
    payload: bytes | memoryview | None = None
    kind: int = 0
    cause: tuple[str, int] | None = None
    sent_ns: int = 0
    flags: int = 0
    origin: int = 0
    epoch: int = 0

    def __repr__(self) -> str:
        return f"<{Kind(self.kind).name} {self.topic}#{self.sequence} @{self.stamp_ns}>"


make_event = partial(tuple.__new__, Event)
"""`make_event((topic, sequence, ...))` with all fields: twice as fast as `Event(...)`, for the paths of every event."""
