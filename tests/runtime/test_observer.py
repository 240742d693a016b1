"""What the runtime hears of its processes, however much is said."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import zmq

from studio.messages import encode
from studio.messages.plain import String
from studio.runtime.base.clock import Clock, ClockKind
from studio.runtime.processes.observer import Observer
from studio.runtime.processes.supervision import BROKER
from studio.runtime.wire import addresses
from studio.runtime.wire.frames import ALL_TOPIC, BEAT_TOPIC, LOG_TOPIC, Kind, Mark, Marker, pack
from tests.waiting import await_true

FLOOD = 20_000


def said(topic: str, kind: int, **fields: object) -> bytes:
    return pack(topic, kind, 0, encode(String(json.dumps(fields))))


MARKER = pack(ALL_TOPIC, Kind.MARKER, 1, Marker(Mark.ALIVE, 1, False, Clock(ClockKind.WALL, 0, 0, 1.0)).payload())
BEAT = said(BEAT_TOPIC, Kind.BEAT, host="filter", components={})
LINE = said(LOG_TOPIC, Kind.LOG, component="signal", level="info", text="x" * 300)


@pytest.fixture
def tap(tmp_path: Path) -> Iterator[zmq.Socket[bytes]]:
    """The broker's."""
    with zmq.Context() as context, context.socket(zmq.PUB) as tap:
        tap.sndhwm, tap.linger = addresses.TAP_QUEUE, 0
        tap.bind(addresses.tap(tmp_path))
        yield tap


def test_a_flood_of_log_lines_drowns_neither_the_broker_nor_the_hosts(tap: zmq.Socket[bytes], tmp_path: Path) -> None:
    """Who is not heard for 1.5 s is taken for hung, and a broker for 5 s is replaced."""
    observer = Observer(tmp_path)
    is_behind, goes_on, heard = threading.Event(), threading.Event(), list[object]()
    observer.listeners.append(lambda line: (heard.append(line), is_behind.set(), goes_on.wait(30)))

    def begun() -> bool:
        tap.send(LINE)
        return is_behind.is_set()

    await_true(begun, "the first line to be heard")
    for _ in range(FLOOD):
        tap.send(LINE)
    tap.send(BEAT)
    tap.send(MARKER)
    goes_on.set()
    await_true(lambda: {BROKER, "filter"} <= observer.heard_ns.keys(), "all of them to be heard")
    observer.close()
    assert len(heard) < FLOOD, "some lines were dropped, or nothing was tested"
