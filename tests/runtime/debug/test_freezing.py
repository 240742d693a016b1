"""Freezing switched while somebody stands, what a freeze leaves in a recording, and errors that freeze."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.runtime.control_plane import of_runtime as asked
from studio.runtime.debug.debugger import Debugger
from studio.runtime.recording.reading.log_reader import LogReader
from tests.runtime.debug.plain_client import PlainClient
from tests.runtime.debug.world import CODE, LINES, SINKS, TICK, World, line_in
from tests.runtime.systems import Part
from tests.waiting import await_true

RAISES = line_in("Fragile", "raise ZeroDivisionError")


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


def count(world: World, topic: str) -> int:
    return sum(event.topic == topic for event in world.watcher.now())


def test_freezing_switched_off_while_one_stands_lets_the_others_go_on_and_on_holds_them(world: World) -> None:
    client = world.client(host="sink", line=SINKS)
    client.wait("stopped")
    world.stands()

    assert world.requests.job(asked.Freezing(on=False))() == {"freezing": False}
    await_true(lambda: world.session.mode == "run", "the gate to open")
    before = count(world, "/adder/out")
    await_true(lambda: count(world, "/adder/out") > before + 5, "the others to go on")
    assert world.freeze.frozen is None and world.freeze.holds_code
    assert world.debugger.facts()["hosts"]["sink"]["stopped"]["line"] == SINKS, "it stands as before"

    assert world.requests.job(asked.Freezing(on=True))() == {"freezing": True}
    assert world.stands()["host"] == "sink"
    now_ns = lambda: world.session.status()["now_ns"]  # noqa: E731
    await_true(lambda: now_ns() == now_ns(), "the clock to stand again, too")
    at_ns = now_ns()
    time.sleep(0.3)
    assert now_ns() == at_ns
    client.set_breakpoints(CODE, [])
    client.resume()
    world.goes_on()
    client.close()


def test_a_pause_by_hand_is_not_ended_by_switching_freezing_off(world: World) -> None:
    client = world.client(host="sink", line=SINKS)
    client.wait("stopped")
    world.stands()
    world.freeze.stay()  # as a pause by hand does
    world.requests.job(asked.Freezing(on=False))()
    world.requests.job(asked.Freezing(on=True))()
    assert world.stands()["host"] == "sink"
    world.stays_paused(client)


def test_into_a_handler_returns_at_its_first_line_also_without_freezing(world: World) -> None:
    world.requests.job(asked.Freezing(on=False))()
    world.pause_before(TICK)
    told = world.requests.job(asked.IntoHandler())()
    ((_, sequence),), (stop, *_) = told["delivered"], told["stops"]
    assert LINES[stop["line"] - 2].strip().startswith(("def on_raw", "def on_timer")) and sequence > 0
    await_true(lambda: world.freeze.holds_code, "the stop")
    assert world.freeze.frozen is None
    world.requests.job(asked.Continue())()
    await_true(lambda: not world.freeze.holds_code, "the end of the event")
    world.requests.job(asked.Freezing(on=True))()
    world.session.run()
    world.goes_on()


def test_into_a_handler_that_begins_with_a_loop_stops_once(world: World) -> None:
    """The first statement of the adder is executed once more than it has copies to make."""
    world.pause_before("/ticker/out")
    told = world.requests.job(asked.IntoHandler())()
    (stop,) = told["stops"]
    assert LINES[stop["line"] - 1].strip().startswith("for ")
    await_true(lambda: world.freeze.holds_code, "the stop")
    assert world.requests.job(asked.Continue())() == {"continued": ["adder"]}
    await_true(lambda: not world.session.status()["waiting"], "the end of the event")
    world.session.run()
    world.goes_on()


def test_a_client_that_leaves_does_not_let_go_who_was_stepped_into(world: World) -> None:
    world.pause_before("/adder/out")
    client = PlainClient(world.debugger.attach("sink").address)
    client.attach()
    world.requests.job(asked.IntoHandler())()
    await_true(lambda: world.freeze.holds_code, "the stop")
    client.close()
    debugged = world.debugger.session_of("sink")
    assert debugged is not None
    await_true(lambda: debugged.clients == 0, "the client to be gone")
    debugged.catch_up()
    assert debugged.stop is not None and world.session.status()["waiting"] == ["sink"]
    assert world.requests.job(asked.Continue())() == {"continued": ["sink"]}
    await_true(lambda: not world.session.status()["waiting"], "the end of the event")
    world.session.run()
    world.goes_on()


def test_the_only_trace_of_a_stop_in_a_recording_is_its_bookmark(tmp_path: Path) -> None:
    log = tmp_path / "stopped.mcap"
    world = World(log=log)
    try:
        client = world.client()
        client.wait("stopped")
        frozen = world.stands()
        began_ns, at_ns = time.monotonic_ns(), int(world.session.status()["now_ns"])
        time.sleep(1.0)
        stood_ns = time.monotonic_ns() - began_ns
        client.set_breakpoints(CODE, [])
        client.resume()
        world.goes_on()
        now_ns, passed_ns = int(world.session.status()["now_ns"]), time.monotonic_ns() - began_ns
        client.close()
        assert now_ns - at_ns <= passed_ns - stood_ns, "what the clock shows has passed outside of the stop"
    finally:
        world.close()
    with LogReader(log) as reader:
        ((marked_ns, bookmark),) = reader.bookmarks()
        place = f"parts.py:{frozen['line']}, /ticker/out {frozen['sequence']}"
        assert bookmark.text == f"breakpoint in adder at {place}"
        assert bookmark.stamp_ns == at_ns
        assert [gap for gap in reader.check() if not gap.topic.startswith("/_studio/")] == []
        events = list(reader.events(["/ticker/out", "/adder/out", "/sink/out"]))
        (held,) = (each for each in events if each.topic == "/adder/out" and each.sequence == frozen["sequence"])
        assert held.sent_ns is not None and held.sent_ns - at_ns <= passed_ns - stood_ns, "its clock stood, too"
        times = [each.log_time_ns for each in events]
        assert times == sorted(times) and min(times) < marked_ns < max(times)
        sent = {each.topic: 0 for each in events}
        for each in events:
            assert each.sent_ns is not None and each.sent_ns >= sent[each.topic]
            sent[each.topic] = each.sent_ns


def test_an_error_in_a_handler_freezes_the_system_and_continue_leads_to_the_state_error() -> None:
    clients: list[PlainClient] = []

    def debug_from_the_start(debugger: Debugger) -> None:
        """It fails at its third event, before anybody could attach to what runs."""
        client = PlainClient(debugger.start_under("fragile", wait=False).address)
        client.attach(exceptions=["userUnhandled"])  # what the window begins with
        clients.append(client)

    world = World(before_launch=debug_from_the_start, fragile=Part("Fragile", {"raw": "adder.out"}))
    (client,) = clients
    try:
        stop = client.wait("stopped")
        frozen = world.stands()
        assert stop["reason"] == "exception"
        assert (frozen["why"], frozen["component"], frozen["line"]) == ("exception", "fragile", RAISES)
        assert frozen["topic"] == "/adder/out" and frozen["text"]
        about = client.ask("exceptionInfo", threadId=stop["threadId"])
        assert "ZeroDivisionError" in about["exceptionId"] and about["description"] == "the third one is too much"
        (frame,) = client.ask("stackTrace", threadId=stop["threadId"])["stackFrames"]
        assert frame["name"].startswith("on_raw") and frame["line"] == RAISES, "nothing of the machinery below it"
        assert world.session.observer.component("fragile").get("state") != "error", "nobody has caught it yet"
        client.resume()
        world.goes_on()
        await_true(lambda: world.session.observer.component("fragile").get("state") == "error", "the error")
        assert "stopped" not in [each["event"] for each in client.events], "once, where it was raised"
    finally:
        client.close()
        world.close()


def test_one_that_is_started_anew_stops_where_it_begins_and_is_let_go_by_request(world: World) -> None:
    begins = line_in("Memory", "self.grid = np.zeros")
    client = world.client(host="sink", line=begins)
    going = threading.Thread(target=lambda: world.session.restart_host("sink"), daemon=True)
    going.start()
    client.wait("stopped", 30)  # and at once, as a key that is pressed when the window shows it:
    client.set_breakpoints(CODE, [])
    assert world.requests.job(asked.Continue())() == {"continued": ["sink"]}
    going.join(30)
    assert not going.is_alive()
    client.close()
    world.goes_on()
