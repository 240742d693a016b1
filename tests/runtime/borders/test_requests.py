"""Requests of clients: whatever they ask for, broker and runtime go on and answer the next one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from tests.runtime.borders.attack import Asker, nested, strange_requests
from tests.runtime.borders.conftest import Victim

CONTROL_VERBS = [
    "status", "step", "advance", "lockstep", "go", "place", "upcoming", "coming", "command",
    "feed", "unfeed", "forget", "restore", "digest", "gone", "back", "held", "released", "begins", "recall",
    "drain", "stops", "unknown",
]  # fmt: skip
CLIENT_VERBS = [
    "attach", "alive", "snapshot", "output", "geometry", "set", "command", "mode", "restart", "call", "ask",
    "send", "bookmark", "player", "system", "switch", "step", "back", "go_to", "held", "digest", "debug",
    "freezing", "continue", "record", "event_breakpoints", "unknown",
]  # fmt: skip
NAMES = [
    "mode", "rate", "count", "topic", "until_ns", "most", "component", "command", "name", "topics", "host",
    "now_ns", "lag", "for_ns", "checkpoint", "list", "value", "text", "time_ns", "action", "to", "message",
    "deadline_s", "service", "port", "activation", "period_s", "sources", "on", "file", "position", "force",
    "gate", "kind", "request",
]  # fmt: skip
BAD = {
    "no object": b"[]",
    "nothing": b"",
    "no text": b"\xff\xfe",
    "great depth": nested(),
    "great depth in a field": b'{"id": 1, "do": "step", "count": ' + nested() + b"}",
    "endless count": b'{"id": 1, "do": "step", "count": Infinity}',
    "huge count": b'{"id": 1, "do": "step", "count": 1e400}',
    "list for a verb": b'{"id": 1, "do": []}',
    "deep number": b'{"id": ' + nested(500) + b', "do": "status"}',
}


@pytest.fixture
def control(victim: Victim) -> Iterator[Asker]:
    asker = Asker(victim.folder, "control")
    yield asker
    asker.close()


@pytest.fixture
def steady(victim: Victim) -> Iterator[Asker]:
    """One who asks for nothing strange."""
    asker = Asker(victim.folder, "control")
    yield asker
    asker.close()


@pytest.fixture
def client(victim: Victim) -> Iterator[Asker]:
    asker = Asker(victim.folder, "attach")
    assert asker.ask(do="attach", name="attacker")["ok"]
    yield asker
    asker.close()


def test_a_malformed_request_to_the_broker_is_refused(victim: Victim, control: Asker) -> None:
    for name, raw in BAD.items():
        control.send(raw)
        assert control.ask(do="status")["ok"], name
    victim.stands()


def test_a_malformed_request_to_the_runtime_is_refused(victim: Victim, client: Asker) -> None:
    for name, raw in BAD.items():
        client.send(raw)
        assert client.ask(do="snapshot")["ok"], name
    victim.stands()
    assert victim.malformed("client attacker") >= len(BAD) - 4, "those that are no JSON, too deep, or have no verb"


def test_a_clock_has_a_rate_that_is_a_number(victim: Victim, control: Asker) -> None:
    for rate in ("NaN", "Infinity", "-Infinity", "-1", "1e308", '"x"', "[]"):
        for request in ('{"id": 1, "do": "clock", "rate": %s}', '{"id": 1, "do": "run", "rate": %s}'):
            control.send((request % rate).encode())
        told = control.ask(do="status")
        assert told["ok"] and 0 < told["now_ns"] < 2**62, rate
    assert control.passed and not any(reply["ok"] for reply in control.passed)
    victim.stands()


@pytest.mark.parametrize("field", ["now_ns", "rate"])
def test_a_clock_does_not_leave_the_range_of_time(victim: Victim, control: Asker, field: str) -> None:
    control.send(json.dumps({"id": 1, "do": "clock", "rate": 1.0, field: 2**62 + 10**18}).encode())
    assert control.ask(do="status")["now_ns"] < 2**62
    victim.stands()


def test_long_requests_of_others_do_not_hold_up_a_pause(victim: Victim, control: Asker) -> None:
    for number in range(10):
        control.send(json.dumps({"id": number, "do": "step", "count": 2**40}).encode())
    assert control.ask(do="pause")["ok"]
    victim.project.ask("gate", mode="run", rate=1.0)
    victim.stands()


@pytest.mark.parametrize("goes", [{"do": "lockstep"}, {"do": "lockstep", "lag": 10}, {"do": "go", "rate": 1.0},
                                  {"do": "step", "count": 3}, {"do": "upcoming"}])  # fmt: skip
def test_a_feeder_that_gives_nothing_does_not_hold_up_a_pause(
    victim: Victim, control: Asker, goes: dict[str, object]
) -> None:
    """It has died, or was never there: the gate waits for its next input until somebody wants something else."""
    assert control.ask(do="pause")["ok"]
    assert control.ask(do="feed", name="silent", topics=["/nowhere"])["ok"]
    control.send(json.dumps({"id": 1, **goes}).encode())
    assert control.ask(do="pause")["ok"]
    assert control.ask(do="unfeed", name="silent")["ok"]
    victim.project.ask("gate", mode="run", rate=1.0)
    victim.stands()


def test_a_flood_of_requests_is_told_to_wait(victim: Victim, client: Asker) -> None:
    asked = {"do": "ask", "component": "signal", "port": "value", "deadline_s": 1}
    for number in range(500):
        client.send(json.dumps({"id": number, **asked}).encode())
    assert victim.project.state, "somebody else is answered meanwhile"
    refused = client.next_refusal()
    assert refused["kind"] == "TooManyRequests" and "64 requests are waiting for an answer already" in refused["error"]
    victim.stands()


def test_strange_requests_to_the_broker_end_nobody(
    victim: Victim, control: Asker, steady: Asker, scaled: Callable[[int], int]
) -> None:
    """Another one is answered meanwhile: whoever has asked so much has 64 requests under way, and may be refused."""
    for batch in range(5):
        for raw in strange_requests(CONTROL_VERBS, NAMES, batch, scaled(2_000)):
            control.send(raw)
        assert steady.ask(do="status")["ok"]
        control.ask(do="status", timeout_s=60)  # refused or not: all that was sent before it has been read
        assert steady.ask(do="pause")["ok"]
        victim.project.ask("gate", mode="run", rate=1.0)
        victim.stands()


def test_strange_requests_to_the_runtime_end_nobody(
    victim: Victim, client: Asker, scaled: Callable[[int], int]
) -> None:
    """Another one is answered meanwhile."""
    for batch in range(5):
        for raw in strange_requests(CLIENT_VERBS, NAMES, batch, scaled(2_000)):
            client.send(raw)
        assert victim.project.ask("snapshot")["ok"]
        client.await_turn()
        victim.project.ask("gate", mode="run", rate=1.0)
        victim.stands()
