"""Frames by docs/protocol.md, not by the runtime, and a broker of a few lines that says what a test wants."""

from __future__ import annotations

import json
import struct
import time
from pathlib import Path
from typing import NamedTuple

import zmq

HEADER = struct.Struct("<BBBBIQqqQQHHQ")
DATA, COMMAND, REQUEST, REPLY, ACK, MARKER, HELLO, READY, BEAT, LOG = 0, 2, 3, 4, 5, 6, 7, 8, 9, 11
WELCOME, STATE, PAUSE, ALIVE, STOP = range(5)
RUN, GATED = 0, 1
TO_ALL = 0xFFFF
RAW, SMOOTH = "/signal/value", "/filter/smooth"


class Frame(NamedTuple):
    topic: str
    kind: int
    flags: int
    origin: int
    epoch: int
    sequence: int
    stamp_ns: int
    sent_ns: int
    cause: tuple[int, int]
    target: int
    payload: bytes


def fnv(topic: str) -> int:
    value = 0xCBF29CE484222325
    for byte in topic.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def read(frame: bytes) -> Frame:
    end = frame.index(0)
    start = end // 8 * 8 + 8
    version, kind, flags, origin, epoch, sequence, stamp, sent, cause, number, target, *rest = HEADER.unpack_from(
        frame, start
    )
    assert (version, frame[end:start], rest) == (1, bytes(start - end), [0, 0])
    payload = frame[start + HEADER.size :]
    topic = frame[:end].decode()
    return Frame(topic, kind, flags, origin, epoch, sequence, stamp, sent, (cause, number), target, payload)


def frame(topic: str, kind: int, sequence: int, payload: bytes, stamp_ns: int = 0, target: int = TO_ALL) -> bytes:
    padded = topic.encode() + bytes(8 - len(topic) % 8)
    return padded + HEADER.pack(1, kind, 0, 0, 0, sequence, stamp_ns, stamp_ns, 0, 0, target, 0, 0) + payload


def float64(value: float) -> bytes:
    return struct.pack("<Id", 0x100, value)


def value_of(payload: bytes) -> float:
    return float(struct.unpack("<Id", payload)[1])


def text(content: str) -> bytes:
    raw = content.encode() + b"\0"
    return struct.pack("<II", 0x100, len(raw)) + raw


class Channel:
    def __init__(self, run: Path, incarnation: int = 1) -> None:
        self.incarnation = incarnation
        self.epoch = 3
        self.sequences: dict[str, int] = {}
        self._context = zmq.Context()
        self.pull, self.pub = self._context.socket(zmq.PULL), self._context.socket(zmq.PUB)
        self.pub.sndhwm = 0
        self.pull.bind(f"ipc://{run}/in")
        self.pub.bind(f"ipc://{run}/out")
        self.pull.rcvtimeo = 5000

    def parts(self) -> list[Frame]:
        """The next message that is no heartbeat."""
        while True:
            parts = [read(part) for part in self.pull.recv_multipart()]
            if parts[0].kind != BEAT:
                return parts

    def expect(self, kind: int) -> Frame:
        """The next frame of this kind, skipping others."""
        end = time.monotonic() + 5.0
        while time.monotonic() < end:
            parts = [read(part) for part in self.pull.recv_multipart()]
            if parts[0].kind == kind:
                return parts[0]
        raise AssertionError(f"nothing of kind {kind}")

    def mark(
        self, what: int, *, mode: int = GATED, number: int = 0, host: str = "", base: int = 0, rate: float = 0.0
    ) -> None:
        clock = (2, base, time.monotonic_ns(), rate)
        payload = struct.pack("<IIIIqqdII", what, number, mode, *clock, self.epoch, self.incarnation)
        self.pub.send(frame("/_studio/host/" + host if host else "/_studio/all", MARKER, number, payload))

    def send(self, topic: str, payload: bytes, *, kind: int = DATA, stamp_ns: int = 0, target: int = TO_ALL) -> int:
        self.sequences[topic] = sequence = self.sequences.get(topic, 0) + 1
        self.pub.send(frame(topic, kind, sequence, payload, stamp_ns, target))
        return sequence

    def command(self, json_text: str) -> None:
        """Deliver a command and see it acknowledged, whatever it says."""
        sequence = self.send("/_studio/command/filter", text(json_text), kind=COMMAND)
        acked(self.expect(ACK), "/_studio/command/filter", sequence)

    def by_hand(self, **command: object) -> Frame:
        """Give a command by hand in mode gated; its reply, after which it must be acknowledged."""
        topic = "/_studio/command/filter"
        sequence = self.send(topic, text(json.dumps(command)), kind=COMMAND)
        reply: Frame | None = None
        published = 0
        while (parts := self.parts())[-1].kind != ACK:
            published += sum(part.kind == DATA for part in parts)
            reply = next((part for part in parts if part.kind == REPLY), reply)
        acked(parts[-1], topic, sequence, published=published + len(parts) - 1)
        assert reply is not None and (reply.topic, reply.cause) == (
            "/_studio/reply/_hand/filter",
            (fnv(topic), sequence),
        )
        return reply

    def filtered(self, value: float, stamp_ns: int = 0) -> float | None:
        """Deliver a value in mode gated; what came out of it."""
        sequence = self.send(RAW, float64(value), stamp_ns=stamp_ns)
        *effects, ack = self.parts()
        acked(ack, RAW, sequence, published=len(effects))
        return value_of(effects[0].payload) if effects else None

    def join(self) -> None:
        """Welcome every greeting, as a broker does: the first ones may come before the subscriptions."""
        while (said := self.parts()[0]).kind == HELLO:
            assert said == Frame("/_studio/hello", HELLO, 0, 0, 0, 0, 0, 0, (0, 0), TO_ALL, b"host")
            self.mark(WELCOME, host="host")
        assert said == Frame("/_studio/ready", READY, 0, 0, 0, 0, 0, 0, (0, 0), TO_ALL, b"host")

    def close(self) -> None:
        self._context.destroy(linger=0)


def acked(ack: Frame, topic: str, sequence: int, *, published: int = 0, target: int = TO_ALL) -> None:
    assert (ack.topic, ack.kind, ack.sequence) == ("/_studio/ack", ACK, 5)  # 5: the host's index
    hashed, number, aimed, n = struct.unpack_from("<QQHH", ack.payload)
    counts = [struct.unpack_from("<HHI", ack.payload, 20 + 8 * i) for i in range(n)]
    assert (hashed, number, aimed, len(ack.payload)) == (fnv(topic), sequence, target, 20 + 8 * n)
    assert [count for count in counts if count[2]] == ([(7, 0, published)] if published else [])
