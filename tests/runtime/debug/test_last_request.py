"""Stepping, pausing, running and continuing in quick succession: what was asked for last is what the system does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from studio.runtime.control_plane import of_runtime as asked
from studio.runtime.control_plane.event_breakpoints import Hit
from studio.runtime.debug.proxy import DebugSession
from studio.runtime.server.attach_server import About, AttachServer
from studio.runtime.server.gate_requests import GateRequests
from studio.runtime.server.steering import Steering
from tests.runtime.debug.world import CODE, TICK, World
from tests.waiting import await_true

pytestmark = pytest.mark.must_not_flake


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


def gate_of(world: World) -> GateRequests:
    gate = GateRequests(world.session, world.turns)
    gate.freeze = world.freeze
    gate.let_code_go = lambda: world.debugger.go_on(stays=True)
    return gate


def beside(job: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=job, daemon=True)
    thread.start()
    return thread


def done(*threads: threading.Thread) -> None:
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()


@pytest.mark.parametrize("last", ["run", "pause"])
def test_the_thread_that_comes_first_does_not_overtake(world: World, last: str) -> None:
    gate = gate_of(world)
    first = asked.Step() if last == "run" else asked.SetGate(mode="run")
    job, later = gate.job(first), gate.job(asked.SetGate(mode=last))
    overtaking = beside(later)
    overtaking.join(0.3)
    done(beside(job), overtaking)
    assert world.session.mode == last
    if last == "run":
        world.goes_on()


def test_pause_of_a_player_does_not_overtake_play(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[str] = []
    player: Any = SimpleNamespace(play=lambda: called.append("play"), pause=lambda: called.append("pause"))
    monkeypatch.setattr("studio.runtime.server.player_requests.player_state", lambda _: {})
    steering = Steering(world.session, {}, player=lambda: player)
    play, pause = (steering.job(action) for action in (asked.Play(), asked.Pause()))
    overtaking = beside(pause)
    overtaking.join(0.3)
    done(beside(play), overtaking)
    assert called == ["play", "pause"]


def test_a_step_that_follows_a_continue_is_not_run_over(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is let go opens the gate, by another thread, which may be late."""
    gate, opening, open_now = gate_of(world), threading.Event(), threading.Event()
    run = world.session.run

    def late(rate: float = 1.0) -> None:
        opening.set()
        assert open_now.wait(30)
        run(rate)

    client = world.client()
    client.wait("stopped")
    world.stands()
    client.set_breakpoints(CODE, [])
    monkeypatch.setattr(world.session, "run", late)
    client.resume()
    assert opening.wait(30)
    stepping = beside(gate.job(asked.Step()))
    stepping.join(0.3)
    open_now.set()
    done(stepping)
    world.freeze.close()
    world.freeze._thread.join(30)
    assert world.session.mode == "pause" and world.session.status()["mode"] == "pause"
    client.close()


def test_a_system_that_is_to_run_while_code_stands_runs_when_it_goes_on(world: World) -> None:
    gate, client = gate_of(world), world.client()
    client.wait("stopped")
    world.stands()
    gate.job(asked.SetGate(mode="pause"))()
    gate.job(asked.SetGate(mode="run"))()  # of somebody who did not see yet that it stands
    assert world.session.mode == "pause", "code stands, and the others wait for it"
    client.set_breakpoints(CODE, [])
    client.resume()
    world.goes_on()
    client.close()


def test_a_stop_before_the_gate_is_known_to_be_open_freezes_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.session.pause()
    client = world.client()
    run = world.session.control.run

    def answered_late(rate: float = 1.0) -> tuple[int, int]:
        answer = run(rate)
        await_true(lambda: world.freeze.holds_code, "a stop in the first event")
        return answer

    monkeypatch.setattr(world.session.control, "run", answered_late)
    world.session.run()
    world.stands()
    client.set_breakpoints(CODE, [])
    client.resume()
    monkeypatch.undo()
    world.goes_on()
    client.close()


def test_the_next_event_does_not_stop_where_the_way_into_a_handler_has_stopped(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.pause_before(TICK)
    world.requests.job(asked.IntoHandler())()
    await_true(lambda: world.freeze.holds_code, "the first line of the handler")
    next_one, cleared, early = world.turns.take(), threading.Event(), list[bool]()
    set_ours = DebugSession.set_ours

    def watched(session: DebugSession, places: list[tuple[str, int]]) -> None:
        waiting = beside(next_one.wait)
        waiting.join(0.3)
        early.append(not waiting.is_alive())
        set_ours(session, places)
        cleared.set()

    monkeypatch.setattr(DebugSession, "set_ours", watched)
    world.requests.job(asked.Continue())()
    assert cleared.wait(30) and not any(early)
    next_one.end()
    world.session.run()
    world.goes_on()


def test_a_host_that_is_debugged_again_at_once_stops(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one who lets go of it says goodbye to its debugger, which may be late."""
    session = world.debugger.attach("adder")
    line = session.line
    assert line is not None
    leaving, leave_now = threading.Event(), threading.Event()
    let_go_for_good = line.let_go_for_good

    def late() -> None:
        leaving.set()
        assert leave_now.wait(30)
        let_go_for_good()

    monkeypatch.setattr(line, "let_go_for_good", late)
    off = world.requests.job(asked.Debug(component="adder", on=False))
    on = world.requests.job(asked.Debug(component="adder"))
    letting_go = beside(off)
    assert leaving.wait(30)
    coming = beside(on)
    coming.join(0.5)
    leave_now.set()
    done(letting_go, coming)
    monkeypatch.undo()
    client = world.client()
    client.wait("stopped")
    world.stands()
    client.close()
    world.goes_on()


def test_an_event_breakpoint_is_shown_when_the_system_stands(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise somebody could continue before it stands, and it would come to stand after that."""
    steering = Steering(world.session, {})
    runtime = AttachServer(world.session, About("p", "/p", "real", 1), steering)
    shown: list[object] = []
    pause = world.session.pause

    def watched() -> None:
        shown.append(runtime.freeze.frozen)
        pause()

    monkeypatch.setattr(world.session, "pause", watched)
    try:
        runtime._stop_at(Hit("1", "before /a", "/a", 7, ran=True))
        assert shown == [None]
        assert runtime.freeze.frozen is not None and world.session.mode == "pause"
        run = steering.job(asked.SetGate(mode="run"))
        run()
        assert runtime.freeze.frozen is None and world.session.mode == "run"
    finally:
        runtime.close()
