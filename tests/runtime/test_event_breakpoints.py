"""Event breakpoints: what each waits for, and where the system really stands when one has stopped it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from studio.errors import StudioError
from studio.messages import Float64, PoseTransform
from studio.runtime.control_plane.event_breakpoints import BreakpointError, EventBreakpoints, Hit, parse, parse_all
from studio.runtime.server.event_breaks import EventBreaks
from tests.runtime.systems import Part, ProcessRun, plan
from tests.waiting import await_true

TOPICS, COMPONENTS = ["/a/out", "/b/out"], ["a", "b"]


def points(*contents: dict[str, Any]) -> EventBreakpoints:
    numbered = [{"id": str(number), **content} for number, content in enumerate(contents, 1)]
    return EventBreakpoints(parse_all(numbered, TOPICS, COMPONENTS))


def passes(breakpoints: EventBreakpoints, *values: float, when: Any = "before") -> list[int]:
    """The events of /a/out, from the first one, at which it stops."""
    found = (
        breakpoints.event(when, "/a/out", number, number * 10, partial(Float64, value))
        for number, value in enumerate(values, 1)
    )
    return [hit.sequence for hit in found if hit is not None]


def test_it_stops_at_the_events_that_it_is_about() -> None:
    assert passes(points({"topic": "/a/out"}), 1, 2) == [1, 2]
    assert passes(points({"topic": "/b/out"}), 1, 2) == []
    assert passes(points({"topic": "/a/out", "when": "after"}), 1, 2) == []
    assert passes(points({"topic": "/a/out", "when": "after"}), 1, 2, when="after") == [1, 2]
    assert passes(points({"topic": "/a/out", "enabled": False}), 1, 2) == []
    assert passes(points({"topic": "/a/out", "condition": "data > 1.5"}), 1, 2, 3) == [2, 3]
    assert passes(points({"topic": "/a/out", "condition": "/a/out/data == 3"}), 1, 2, 3) == [3]
    assert passes(points({"topic": "/a/out", "condition": "data > 1", "count": 2}), 2, 1, 3, 4, 5) == [3, 5]


def test_one_that_stays_in_the_list_keeps_its_count() -> None:
    breakpoints = points({"topic": "/a/out", "count": 2}, {"topic": "/b/out"})
    assert passes(breakpoints, 1) == []
    breakpoints.replace(breakpoints.points[:1])
    assert passes(breakpoints, 1) == [1] and breakpoints.hits == {"1": 1}


def test_a_field_that_is_not_there_is_told_and_stops_nothing() -> None:
    breakpoints = points({"topic": "/a/out", "condition": "speed > 1"})
    assert passes(breakpoints, 1) == []
    assert "speed" in breakpoints.plain()[0]["trouble"]


def test_states_and_errors_of_components() -> None:
    breakpoints = points({"on": "state", "component": "a", "condition": "inactive"}, {"on": "error"})
    told = [("a", "active", 0), ("b", "active", 3), ("a", "error", 1), ("b", "active", 3), ("a", "inactive", 1)]
    hits = [(hit.id, hit.component) for each in told if (hit := breakpoints.report(*each)) is not None]
    assert hits == [("2", "a"), ("1", "a")]


def test_a_latency_above_the_limit() -> None:
    breakpoints = points({"on": "latency", "topic": "/a/out", "component": "b", "limit_ms": 5})
    assert breakpoints.handled("b", "/a/out", 1, 4.9) is None
    assert breakpoints.handled("a", "/a/out", 2, 9.0) is None
    hit = breakpoints.handled("b", "/a/out", 3, 9.0)
    assert hit is not None and "9.0 ms" in hit.text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"topic": "/a/oud"}, "no topic"),
        ({}, "needs a topic"),
        ({"on": "wish"}, "on must be one of event, state, error, latency, not 'wish'"),
        ({"topic": "/a/out", "when": "during"}, "when must be one of before, after"),
        ({"topic": "/a/out", "count": 0.5}, "count"),
        ({"topic": "/a/out", "count": "many"}, "count must be a whole number, not a text"),
        ({"topic": "/a/out", "condition": "data is 3"}, "not a valid condition"),
        ({"on": "state", "component": "c"}, "no component"),
        ({"on": "latency", "topic": "/a/out"}, "limit"),
        ({"topic": "/a/out", "colour": "red"}, "no colour"),
        ([], "object"),
    ],
)
def test_what_cannot_be_is_refused_with_words(content: Any, words: str) -> None:
    with pytest.raises(BreakpointError if words != "not a valid condition" else Exception, match=words):
        parse({"id": "1", **content} if isinstance(content, dict) else content, TOPICS, COMPONENTS)


@pytest.mark.parametrize(
    ("condition", "words"),
    [("foo > 3", "no field foo"), ("position.q > 3", "no field q"), ("frame > 3", "str cannot be compared")],
)
def test_a_condition_that_no_message_of_its_topic_can_meet_is_refused_at_once(condition: str, words: str) -> None:
    content = {"id": "1", "topic": "/a/out", "condition": condition}
    with pytest.raises(StudioError, match=words):
        parse(content, TOPICS, COMPONENTS, lambda topic: PoseTransform())
    assert parse(content, TOPICS, COMPONENTS, lambda topic: None).condition == condition, "of a type nobody knows"
    fine = {**content, "condition": "position.x > 3"}
    assert parse(fine, TOPICS, COMPONENTS, lambda topic: PoseTransform()).condition == "position.x > 3"


# In a system of processes.


class Stopped:
    """Collects the hits and has the system stand, as a freeze does."""

    def __init__(self, run: ProcessRun) -> None:
        self.hits: list[Hit] = []
        self.there = threading.Event()
        self.run = run
        self.breaks = EventBreaks(run, self.stop)

    def stop(self, hit: Hit) -> None:
        self.run.pause()
        self.hits.append(hit)
        self.there.set()

    def wait(self) -> Hit:
        assert self.there.wait(20), "nothing has stopped it"
        self.there.clear()
        return self.hits[-1]


@pytest.fixture
def system() -> Iterator[ProcessRun]:
    parts = plan(
        ticker=Part("Ticker", period_s=0.01, host="one"), adder=Part("Adder", {"raw": "ticker.out"}, host="one")
    )
    run = ProcessRun(replace(parts, types={"/ticker/out": "Float64", "/adder/out": "Float64"}), record=False)
    run.start()
    yield run
    run.close()


def test_in_lockstep_it_stands_exactly_before_or_after_the_event(system: ProcessRun) -> None:
    stopped = Stopped(system)
    try:
        stopped.breaks.set([{"id": "1", "topic": "/ticker/out", "condition": "data >= 3", "count": 2}])
        system.lockstep(until_ns=10**9)
        hit = stopped.wait()
        assert (hit.topic, hit.when) == ("/ticker/out", "before")
        assert system.step() == [("/ticker/out", hit.sequence)], "it is the next one to be delivered"
        system.lockstep(until_ns=10**9)
        again = stopped.wait()
        assert again.sequence == hit.sequence + 2, "the one that it stands at is not counted twice"
        assert stopped.breaks.plain()[0]["hits"] == 2
        stopped.breaks.set([{"id": "1", "topic": "/adder/out", "when": "after"}])
        system.lockstep(until_ns=10**9)
        after = stopped.wait()
        assert system.step()[0] != ("/adder/out", after.sequence), "it has been delivered"
        stopped.breaks.set([])
        assert system.lockstep(until_ns=10**9) > 0 and not stopped.there.is_set()
    finally:
        stopped.breaks.close()


def test_in_free_run_it_stops_as_soon_as_the_event_is_seen(system: ProcessRun) -> None:
    stopped = Stopped(system)
    try:
        stopped.breaks.set([{"id": "1", "topic": "/adder/out", "condition": "data > 4"}])
        system.run()
        hit = stopped.wait()
        assert (hit.topic, hit.when) == ("/adder/out", "seen") and system.mode == "pause"
        assert system.control.status()["mode"] == "pause"
        stopped.breaks.set([{"id": "2", "on": "latency", "topic": "/ticker/out", "limit_ms": 0.000001}])
        system.run()
        late = stopped.wait()
        assert (late.id, late.component) == ("2", "adder")
        await_true(lambda: system.observer.component("adder").get("state") == "active", "the adder to have told")
        stopped.breaks.set([{"id": "3", "on": "state", "component": "adder", "condition": "inactive"}])
        system.run()
        system.command("adder", {"do": "deactivate"})
        assert stopped.wait().text == "adder is inactive"
    finally:
        stopped.breaks.close()
