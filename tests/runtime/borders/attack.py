"""What an attacker, or a program with a mistake, sends: frames and requests that are not quite right."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import zmq

from studio.messages import encode
from studio.messages.plain import Float64, String
from studio.runtime.channel.call_frames import Reply, Request
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import (
    ACK_TOPIC,
    BEAT_TOPIC,
    COMMAND_PREFIX,
    END_PREFIX,
    HANDLED_TOPIC,
    HELLO_TOPIC,
    HOST_PREFIX,
    INPUT,
    LOG_TOPIC,
    READY_TOPIC,
    REPLY_PREFIX,
    REQUEST_PREFIX,
    REWOUND_PREFIX,
    SHARED,
    SWEEP_TOPIC,
    TIMER_PREFIX,
    Ack,
    Kind,
    pack,
)

DEEP = 100_000
STRANGE: tuple[Any, ...] = (
    None, True, -1, 0, 2**31, 2**63, 2**64, -(2**70), 10**300, 0.5, float("nan"), float("inf"), -float("inf"), 1e308,
    "", "x", "\0", "\ud800", "ü" * 500, [], {}, [[]], {"": None}, [1, "2"], {"do": "pause"},
)  # fmt: skip
"""Values where something else is expected."""


def nested(depth: int = DEEP) -> bytes:
    return b"[" * depth + b"]" * depth


def text_frame(topic: str, kind: int, text: str, sequence: int = 0, flags: int = 0) -> bytes:
    return pack(topic, kind, sequence, encode(String(text)), flags=flags)


def valid_frames(component: str, host: str, topic: str) -> list[bytes]:
    """One of each kind that a host sends; all of them are what the protocol asks for."""
    beat = {
        "host": host, "pid": 1, "topics": {topic: {"count": 3, "lost": 0}},
        "components": {component: {"state": "active", "handled": 3, "errors": 0, "published": {topic: 3}}},
    }  # fmt: skip
    number = Float64(1.0)
    return [
        pack(topic, Kind.DATA, 7, encode(number), stamp_ns=1_000, sent_ns=1_000),
        pack(topic, Kind.DATA, 8, encode(number), stamp_ns=1_000, sent_ns=1_000, flags=INPUT),
        pack(topic, Kind.DATA, 9, b"\1" * 40, flags=SHARED),
        pack(TIMER_PREFIX + component, Kind.TIMER, 5, stamp_ns=1_000, sent_ns=1_000),
        text_frame(COMMAND_PREFIX + component, Kind.COMMAND, '{"do": "trigger"}', 3, INPUT),
        pack(f"{REQUEST_PREFIX}{component}/x", Kind.REQUEST, 1, Request(1, "get_value", 1, ["x"], b"").payload()),
        pack(f"{REPLY_PREFIX}_hand/{component}", Kind.REPLY, 1, Reply(1, [(0, 1)], b"").payload()),
        pack(ACK_TOPIC, Kind.ACK, 0, Ack(1, 2, published=((0, 1), (1, 2)), text="said").payload()),
        pack(HELLO_TOPIC, Kind.HELLO, 0, host.encode()),
        pack(READY_TOPIC, Kind.READY, 3, host.encode()),
        text_frame(BEAT_TOPIC, Kind.BEAT, json.dumps(beat)),
        pack(HANDLED_TOPIC, Kind.TRACE, 0, b"\0\1\0\0" + bytes(64)),
        text_frame(LOG_TOPIC, Kind.LOG, json.dumps({"component": component, "level": "info", "text": "hello"})),
        pack("/_studio/bookmark", Kind.LOG, 0, b"\0\1\0\0" + bytes(32)),
        pack(SWEEP_TOPIC, Kind.SWEEP, 4, host.encode()),
        pack(END_PREFIX + "nobody", Kind.MARKER, 1),
        pack(REWOUND_PREFIX + "nobody", Kind.MARKER, 1),
        pack(f"{HOST_PREFIX}{host}", Kind.AHEAD, 1, b"\4\0\0\0abcd"),
    ]


def mutated_frames(valid: list[bytes], seed: int, count: int) -> Iterator[list[bytes]]:
    """Messages of one or more parts: bytes changed, cut off, put together from two; JSON with strange values."""
    choose = random.Random(seed)
    for _ in range(count):
        parts = [_mutated(choose, valid) for _ in range(choose.choice((1, 1, 1, 1, 2, 3)))]
        yield parts


def _mutated(choose: random.Random, valid: list[bytes]) -> bytes:
    frame = bytearray(choose.choice(valid))
    match choose.randrange(7):
        case 0:
            return bytes(frame[: choose.randrange(len(frame) + 1)])
        case 1:
            return bytes(frame) + choose.randbytes(choose.randrange(1, 100))
        case 2:
            other = choose.choice(valid)
            return bytes(frame[: choose.randrange(len(frame))]) + other[choose.randrange(len(other)) :]
        case 3:
            at = choose.randrange(len(frame))
            frame[at : at + 8] = choose.choice((b"\xff" * 8, bytes(8), b"\xff" * 7 + b"\x7f", bytes(7) + b"\x80"))
        case 4:
            return strange_text(choose)
        case _:
            for _ in range(choose.randrange(1, 6)):
                frame[choose.randrange(len(frame))] = choose.randrange(256)
    return bytes(frame)


def strange_text(choose: random.Random) -> bytes:
    """A report, a log line or a command whose JSON is not what it should be."""
    topic, kind = choose.choice(
        ((LOG_TOPIC, Kind.LOG), (BEAT_TOPIC, Kind.BEAT), (COMMAND_PREFIX + "signal", Kind.COMMAND))
    )
    names = {
        Kind.LOG: ("component", "level", "text"),
        Kind.BEAT: ("host", "pid", "components", "topics", "busy_s", "recording"),
        Kind.COMMAND: ("do", "activation", "period_s", "name", "value", "id", "port", "message", "service"),
    }[kind]
    content: Any = {name: choose.choice(STRANGE) for name in choose.sample(names, choose.randrange(len(names) + 1))}
    if kind == Kind.BEAT and choose.random() < 0.7:
        inner = {name: choose.choice(STRANGE) for name in ("state", "handled", "errors", "published", "parameters")}
        seen = {name: choose.choice(STRANGE) for name in ("count", "lost", "last", "bytes", "dropped", "latency")}
        host = choose.choice(("signal", "filter", "sinks"))
        content = {"host": host, "pid": 1, "components": {host: inner}, "topics": {"/signal/value": seen}}
    if kind == Kind.COMMAND and choose.random() < 0.5:
        content["do"] = choose.choice(("mode", "set", "call", "deliver", "publish", "origin", "geometry"))
        if choose.random() < 0.5:
            known = {"name": "amplitude", "port": "value", "service": "get_value", "activation": "periodic", "id": 7}
            content |= dict(choose.sample(sorted(known.items()), choose.randrange(1, 5)))
    text = choose.choice((json.dumps(content), "{", "", "null", "[]", "{}", '{"level": 1e999}'))
    if choose.random() < 0.05:
        text = nested(choose.choice((200, 5_000, DEEP))).decode()
    return text_frame(topic, kind, text.encode("utf-8", "surrogatepass").decode("utf-8", "replace"), 0, INPUT)


def strange_requests(verbs: list[str], names: list[str], seed: int, count: int) -> Iterator[bytes]:
    """Requests with known verbs and fields, and values that nobody expects."""
    choose = random.Random(seed)
    for number in range(count):
        request = {name: choose.choice(STRANGE) for name in choose.sample(names, choose.randrange(5))}
        if choose.random() < 0.9:
            request["do"] = choose.choice(verbs)
        request["id"] = number
        raw = json.dumps(request).encode()
        match choose.randrange(20):
            case 0:
                raw = nested(choose.choice((500, 2_000, DEEP)))
            case 1:
                raw = (
                    b'{"do": "%s", "rate": ' % choose.choice(verbs).encode()
                    + nested(choose.choice((100, 50_000)))
                    + b"}"
                )
            case 2:
                raw = raw[: choose.randrange(len(raw))]
            case 3:
                raw = choose.randbytes(choose.randrange(50))
            case 4:
                raw = json.dumps([request]).encode()
        yield raw


class Pusher:
    """Sends to the broker what a host would send."""

    def __init__(self, run: Path) -> None:
        self._socket = zmq.Context.instance().socket(zmq.PUSH)
        self._socket.connect(addresses.into(run))

    def send(self, *parts: bytes) -> None:
        self._socket.send_multipart(parts)

    def close(self) -> None:
        self._socket.close(linger=2000)


class Asker:
    """Sends requests to a socket of a run, and takes the replies that come."""

    def __init__(self, run: Path, name: str, identity: bytes = b"") -> None:
        self._socket = zmq.Context.instance().socket(zmq.DEALER)
        if identity:
            self._socket.identity = identity
        self._socket.connect(addresses.endpoint(run, name))
        self.passed: list[dict[str, Any]] = []
        """What was answered while another answer was waited for."""

    def send(self, *parts: bytes) -> None:
        self._socket.send_multipart(parts)

    def ask(self, timeout_s: float = 20.0, **request: Any) -> dict[str, Any]:
        """A good request, and its answer; what was answered before is passed over."""
        self.send(json.dumps({"id": "asked", **request}).encode())
        while self._socket.poll(int(timeout_s * 1000)):
            told: dict[str, Any] = json.loads(self._socket.recv_multipart()[-1])
            if told.get("id") == "asked":
                return told
            self.passed.append(told)
        raise AssertionError(f"no answer to {request} within {timeout_s:g} s")

    def await_turn(self) -> None:
        """Until all that was sent before has been read. Answers for a client that is slow to read are thrown away."""
        for _ in range(10):
            with suppress(AssertionError):
                self.ask(do="alive", timeout_s=6)
                return
        raise AssertionError("what was sent before is not read")

    def next_refusal(self, timeout_s: float = 20.0) -> dict[str, Any]:
        while self._socket.poll(int(timeout_s * 1000)):
            told: dict[str, Any] = json.loads(self._socket.recv_multipart()[-1])
            if told.get("ok") is False:
                return told
        raise AssertionError(f"nothing was refused within {timeout_s:g} s")

    def close(self) -> None:
        self._socket.close(linger=0)
