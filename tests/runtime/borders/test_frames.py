"""Frames on the channel: whatever a component sends, broker, runtime, recorder and the other hosts go on."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable

import pytest

from studio.messages import encode
from studio.messages.plain import String
from studio.runtime.base.clock import FARTHEST_NS, Clock, ClockKind
from studio.runtime.channel.slots import EVENT, slot_field
from studio.runtime.wire.frames import (
    ALL_TOPIC,
    BEAT_TOPIC,
    COMMAND_PREFIX,
    HOST_PREFIX,
    INPUT,
    LOG_TOPIC,
    SHARED,
    SWEEP_TOPIC,
    Kind,
    Mark,
    Marker,
    pack,
)  # fmt: skip
from tests.runtime.borders.attack import Pusher, mutated_frames, nested, text_frame, valid_frames
from tests.runtime.borders.conftest import Victim
from tests.waiting import await_true

NAN = float("nan")
BEAT = {"host": "signal", "pid": 1, "components": {}, "topics": {}}
COMMAND = COMMAND_PREFIX + "signal"


def beat(**fields: object) -> bytes:
    return text_frame(BEAT_TOPIC, Kind.BEAT, json.dumps({**BEAT, **fields}))


def command(content: object) -> bytes:
    return text_frame(COMMAND, Kind.COMMAND, json.dumps(content), 1, INPUT)


LONG_HANDLE = EVENT.pack(1, 2**64 - 1) + slot_field("signal.0~1~1", 1)
LONG_PAYLOAD = pack("/signal/value", Kind.DATA, 1, LONG_HANDLE, flags=SHARED)
"""Twice as much as that is no number that a report may tell."""
ATTACKS = {
    "log without a level": text_frame(LOG_TOPIC, Kind.LOG, "{}"),
    "log that is a list": text_frame(LOG_TOPIC, Kind.LOG, "[]"),
    "log with a number for its text": text_frame(LOG_TOPIC, Kind.LOG, '{"component": 1, "level": [], "text": {}}'),
    "log of great depth": text_frame(LOG_TOPIC, Kind.LOG, nested().decode()),
    "report without a host": text_frame(BEAT_TOPIC, Kind.BEAT, "{}"),
    "report with a list for its host": beat(host=[]),
    "report with no components": text_frame(BEAT_TOPIC, Kind.BEAT, '{"host": "signal"}'),
    "report with components of nothing": beat(components={"signal": None}),
    "report with texts for counts": beat(components={"signal": {"state": "active", "handled": "x", "published": []}}),
    "report with a short table of latencies": beat(topics={"/signal/value": {"count": 1, "latency": [1]}}),
    "report with endless counts": text_frame(
        BEAT_TOPIC, Kind.BEAT, '{"host": "signal", "components": {"signal": {"handled": 1e999}}}'
    ),
    "command that is a list": command([]),
    "command of great depth": text_frame(COMMAND, Kind.COMMAND, nested().decode(), 1, INPUT),
    "command with a text for its period": command({"do": "mode", "activation": "periodic", "period_s": "x"}),
    "command with no period": command({"do": "mode", "activation": "periodic", "period_s": NAN}),
    "message by hand with a number that is none": command({"do": "deliver", "id": None, "port": "raw", "message": 1}),
    "call by hand with a high number": command({"do": "call", "id": 2**32, "service": "get_value", "request": {}}),
    "message by hand of no origin": command({"do": "deliver", "id": 1, "origin": [], "port": "raw", "message": 1}),
    "marker with a rate that is not a number": pack(
        ALL_TOPIC, Kind.MARKER, 1, Marker(Mark.ALIVE, 1, False, Clock(ClockKind.WALL, 0, 0, NAN)).payload()
    ),
    "data of another kind": pack("/signal/value", Kind.COMMAND, 1, b"\0\1\0\0\3\0\0\0{}\0"),
    "data where a command is expected": pack(COMMAND, Kind.DATA, 1, b""),
    "data sent at the end of time": pack("/signal/value", Kind.DATA, 1, b"", stamp_ns=2**63 - 1, sent_ns=2**63 - 1),
    "input at the end of time": pack("/signal/value", Kind.DATA, 1, b"", stamp_ns=2**63 - 1, flags=INPUT),
    "events ahead that are none": pack(HOST_PREFIX + "signal", Kind.AHEAD, 1, b"\4\0\0\0abcd"),
    "events ahead that end early": pack(HOST_PREFIX + "signal", Kind.AHEAD, 1, b"\xff"),
    "payload longer than any memory": LONG_PAYLOAD,
    "payload longer than any memory, again": LONG_PAYLOAD,
    "data with the highest number": pack("/signal/value", Kind.DATA, 2**64 - 1, b""),
    "data with a low number": pack("/signal/value", Kind.DATA, 1, b""),
    "data with the highest number, again": pack("/signal/value", Kind.DATA, 2**64 - 1, b""),
    "sweep of a producer that is no text": pack(SWEEP_TOPIC, Kind.SWEEP, 1, b"\xff\xfe"),
}


@pytest.mark.parametrize("mode", ["run", "pause"])
def test_one_malformed_frame_ends_nobody(victim: Victim, mode: str) -> None:
    victim.project.ask("gate", mode=mode)
    pusher = Pusher(victim.folder)
    for name, frame in ATTACKS.items():
        pusher.send(frame)
        if mode == "pause":
            victim.project.ask("step", count=2)
        victim.still_hears(name)
    pusher.close()
    victim.project.ask("gate", mode="run")
    victim.stands()


@pytest.mark.parametrize("mode", ["run", "pause"])
def test_mutated_frames_end_nobody(victim: Victim, mode: str, scaled: Callable[[int], int]) -> None:
    valid = valid_frames("signal", "signal", "/signal/value")
    pusher = Pusher(victim.folder)
    for batch in range(5):
        victim.project.ask("gate", mode=mode)
        for parts in mutated_frames(valid, batch, scaled(100_000)):
            pusher.send(*parts)
        victim.still_hears(f"batch {batch}", pusher)
        victim.project.ask("gate", mode="run")
        victim.stands()
    pusher.close()


def test_a_command_with_the_time_of_another_century_stops_no_timer(victim: Victim) -> None:
    """It waited at the closed gate, and the next tick of its component was due at the time that it claimed."""
    victim.project.ask("gate", mode="pause")
    pusher = Pusher(victim.folder)
    content = encode(String('{"do": "mode", "activation": "periodic"}'))
    pusher.send(pack(COMMAND, Kind.COMMAND, 1, content, stamp_ns=FARTHEST_NS, flags=INPUT))
    victim.still_hears("the command", pusher)
    pusher.close()
    victim.project.ask("gate", mode="run")
    victim.stands()


@pytest.mark.parametrize("name", ["broker", "recorder"])
def test_control_a_process_that_was_replaced_is_found(victim: Victim, name: str) -> None:
    """It must go red: where an attack ends one of them, its supervisor starts another, and all looks well."""
    pid = victim.pids[name]
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    await_true(lambda: victim.project.state["processes"][name]["pid"] not in (pid, None), f"a new {name}")
    with pytest.raises(AssertionError):
        victim.stands()
    victim.pids = victim.find_pids()
    victim.stands()
