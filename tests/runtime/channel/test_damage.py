"""Frames that are not what they should be: said and counted, and the gate goes on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest
import zmq

from studio.runtime.wire import addresses
from studio.runtime.wire.frames import (
    ACK_TOPIC,
    COMMAND_PREFIX,
    END_PREFIX,
    HELLO_TOPIC,
    INPUT,
    READY_TOPIC,
    Ack,
    FrameError,
    Kind,
    Marker,
    pack,
    split,
)
from tests.runtime.systems import Part, ProcessRun, plan
from tests.waiting import await_true


@pytest.fixture
def run() -> Iterator[ProcessRun]:
    system = plan(
        ticker=Part("Ticker", period_s=0.1),
        adder=Part("Adder", {"raw": "ticker.out"}),
        sum=Part("MapSum", {"map": "x.y"}),
    )
    run = ProcessRun(system)
    run.start()
    yield run
    run.close()


def throw(run: ProcessRun, *frames: bytes) -> None:
    socket = zmq.Context.instance().socket(zmq.PUSH)
    socket.connect(addresses.into(run.folders.run))
    for frame in frames:
        socket.send(frame)
    socket.close(linger=1000)


def test_data_that_cannot_be_decoded_is_acknowledged_and_logged(run: ProcessRun) -> None:
    throw(
        run,
        pack("/ticker/out", Kind.DATA, 1, b"\0\1\0\0non", flags=INPUT),
        pack("/x/y", Kind.DATA, 1, b"", flags=INPUT),
    )
    await_true(lambda: run.control.status()["held"] == 2, "the frames at the gate")
    assert run.step(2) == [("/ticker/out", 1), ("/x/y", 1)]
    await_true(lambda: len(run.observer.log) >= 2, "the complaints")
    assert {line["component"] for line in run.observer.log} == {"adder", "sum"}
    assert "cannot read /ticker/out#1" in "".join(line["text"] for line in run.observer.log)
    assert run.step(3)[-1] == ("/adder/out", 1), "everybody is still there"


def test_damaged_words_to_the_broker_harm_nobody(run: ProcessRun) -> None:
    throw(
        run,
        b"",
        b"no frame at all",
        pack(ACK_TOPIC, Kind.ACK, 0, b"short"),
        pack(ACK_TOPIC, Kind.ACK, 99, Ack(1, 2).payload()),
        pack(END_PREFIX + "nobody", Kind.MARKER, 0),
        pack(HELLO_TOPIC, Kind.HELLO, 0, b"\xff\xfe"),
        pack(READY_TOPIC, Kind.READY, 0, b"stranger"),
        pack(COMMAND_PREFIX + "ticker", Kind.COMMAND, 1, b"\0\1\0\0\5\0\0\0abcd\0", flags=INPUT),
    )
    await_true(lambda: run.control.status()["held"] == 1, "the command at the gate")
    assert run.step() == [("/_studio/command/ticker", 1)]
    assert run.step(3)[-1] == ("/adder/out", 1)
    status = run.control.status()
    assert status["damaged"] >= 3 and "stranger" not in status["ready"]
    assert run.broker_restarts == 0 and not run.exits


def test_random_bytes_raise_one_error_type(scaled: Callable[[int], int]) -> None:
    choose = random.Random(3)
    whole = pack("/laser/ranges", Kind.DATA, 7, b"payload", stamp_ns=5)
    for _ in range(scaled(1_000_000)):
        damaged = bytearray(whole[: choose.randrange(len(whole) + 1)])
        for _ in range(choose.randrange(4)):
            if damaged:
                damaged[choose.randrange(len(damaged))] = choose.randrange(256)
        try:
            _, _, payload = split(bytes(damaged))
            Ack.parse(payload)
            Marker.parse(payload)
        except FrameError:
            continue
