"""A running system under the debugger: real processes, real debugpy, and a client that knows nothing of Studio."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from studio.errors import StudioError
from studio.runtime.base.clock import ClockKind
from studio.runtime.control_plane import of_runtime as asked
from studio.runtime.debug.debugger import Debugger
from studio.runtime.debug.freeze import Freeze
from studio.runtime.debug.vscode import launch_configuration
from studio.runtime.processes.events import ProcessHung
from studio.runtime.server.gate_requests import GateRequests
from studio.runtime.session.session import Session
from tests.runtime.debug.plain_client import PlainClient
from tests.runtime.debug.world import ADDS, CODE, LINES, PERIOD_NS, SINKS, TICK, World, line_in
from tests.runtime.systems import Part, ProcessRun, Seen, plan
from tests.waiting import await_true


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = World()
    yield made
    made.close()


def gaps(seen: list[Seen], topic: str) -> list[int]:
    numbers = [event.sequence for event in seen if event.topic == topic]
    return [after for before, after in pairwise(numbers) if after != before + 1]


def test_a_breakpoint_freezes_the_system_and_continue_leaves_no_trace(world: World) -> None:
    client = world.client()
    stop = client.wait("stopped")
    frozen = world.stands()
    assert (frozen["why"], frozen["component"], frozen["line"]) == ("breakpoint", "adder", ADDS)
    time.sleep(0.3)  # what was on its way when the gate closed arrives
    before, began_ns, at_ns = world.count(), time.monotonic_ns(), world.session.status()["now_ns"]
    happened = len(world.session.happenings)
    time.sleep(2.0)  # longer than silence makes a host look hung
    stood_ns = time.monotonic_ns() - began_ns
    assert world.count() == before
    assert world.session.status()["now_ns"] == at_ns
    # Only of the stop: debugpy was imported before it, and a busy machine makes a host silent for that long.
    assert not [each for each in [*world.session.happenings][happened:] if isinstance(each, ProcessHung)]
    event = client.ask("studioEvent")
    assert (event["component"], event["topic"], event["handler"]) == ("adder", "/ticker/out", "on_raw")
    assert event["sequence"] == frozen["sequence"]
    assert event["cause"][0][:2] == ["/_studio/timer/ticker", event["sequence"]]
    assert event["published"] == []
    assert list(event["message"]) == ["data"]
    frames = client.ask("stackTrace", threadId=stop["threadId"])["stackFrames"]
    assert frames[0]["name"] == "on_raw"  # and nothing of the machinery below it
    assert len(frames) == 1
    client.set_breakpoints(CODE, [])
    client.resume()
    world.goes_on()
    now_ns, passed_ns = world.session.status()["now_ns"], time.monotonic_ns() - began_ns
    assert now_ns - at_ns <= passed_ns - stood_ns, "what the clock shows has passed outside of the stop"
    client.close()
    seen = world.watcher.now()
    for topic in ("/ticker/out", "/adder/out", "/sink/out"):
        assert gaps(seen, topic) == []
    ticks = [event.stamp_ns for event in seen if event.topic == "/_studio/timer/ticker"]
    apart = [later - sooner for sooner, later in pairwise(ticks)]
    assert all(each % PERIOD_NS == 0 for each in apart), "on time, in the system's time"
    assert max(apart) < stood_ns, "a busy machine leaves out a tick, but the stop takes none"
    assert world.session.restarts == {}


def test_several_clients_share_a_session_and_a_late_one_is_told_where_it_stands(world: World) -> None:
    first = world.client(condition="message.data < 0")  # never
    second = PlainClient(world.debugger.attach("adder").address)
    told = second.attach({CODE: [{"line": ADDS}]})
    assert told[0]["verified"]
    assert second.wait("stopped")["hitBreakpointIds"]  # both of the line: the debugger knows only one there
    late = PlainClient(world.debugger.attach("adder").address)
    late.attach()
    assert late.wait("stopped")["threadId"] == first.wait("stopped")["threadId"]
    assert late.ask("studioEvent")["component"] == "adder"
    for client in (first, second, late):
        assert client.numbers == sorted(set(client.numbers)), "every client has numbers of its own"
    second.ask("disconnect")  # its breakpoint goes with it, the others stay where they are
    second.close()
    assert world.freeze.frozen is not None
    late.resume()
    first.wait("continued")
    world.goes_on()
    first.close()
    late.close()


def test_an_adapter_on_standard_input_and_output_is_a_client_like_any_other(world: World) -> None:
    adapter = launch_configuration("adder", str(world.debugger.attach("adder").adapter))
    command = [adapter["debugAdapterPython"], adapter["debugAdapterPath"]]  # as VS Code starts it
    ours, theirs = socket.socketpair()
    with subprocess.Popen(command, stdin=theirs, stdout=theirs) as process:
        theirs.close()
        client = PlainClient(ours)
        client.attach({CODE: [{"line": ADDS}]})
        client.wait("stopped")
        assert world.stands()["line"] == ADDS
        client.close()  # as when VS Code is closed
        assert process.wait(20) == 0
    world.goes_on()


def test_stepping_stays_frozen_until_the_handler_is_left(world: World) -> None:
    client = world.client()
    thread = client.wait("stopped")["threadId"]
    world.stands()
    client.set_breakpoints(CODE, [])
    before = world.count()
    client.ask("stepIn", threadId=thread)
    assert client.wait("stopped")["reason"] == "step"
    world.stands()
    assert world.count() - before <= 1
    client.ask("stepOut", threadId=thread)
    client.close()
    world.goes_on()


def test_a_client_that_dies_at_a_breakpoint_leaves_a_system_that_goes_on(world: World) -> None:
    client = world.client()
    client.wait("stopped")
    world.stands()
    client.close()
    world.goes_on()


def test_a_client_that_comes_when_another_has_just_left_keeps_what_stops_for_it(world: World) -> None:
    """What lets go for those who have left is still under way then."""
    for _ in range(3):
        first = world.client()
        first.wait("stopped")
        world.stands()
        first.close()
        second = world.client()
        second.wait("stopped")
        second.ask("studioEvent")  # answered in order: behind all that has happened meanwhile
        world.stands()
        assert "stopped" not in [each["event"] for each in second.events], "once"
        second.close()
        world.goes_on()


def test_a_lost_debugger_leaves_a_system_that_goes_on_and_can_be_debugged_again(world: World) -> None:
    client = world.client()
    client.wait("stopped")
    world.stands()
    line = world.debugger.attach("adder").line
    assert line is not None
    line.close()
    world.goes_on()
    world.debugger.detach("adder")
    client.close()
    again = world.client()
    again.wait("stopped")
    again.close()
    world.goes_on()


def test_a_component_killed_at_its_breakpoint_comes_back_and_stops_there_again(world: World) -> None:
    client = world.client()
    client.wait("stopped")
    world.stands()
    before = world.session.supervisor.restarts("adder")
    os.kill(world.session.hosts["adder"].pid, signal.SIGKILL)
    await_true(lambda: world.session.supervisor.restarts("adder") > before, "its restart", 20)
    client.wait("continued")
    client.wait("stopped", 30)
    world.stands()
    client.close()
    world.goes_on()


def test_without_freezing_the_others_go_on(world: World) -> None:
    world.freeze.set_freezing(False)
    try:
        client = world.client(host="sink", line=SINKS)
        client.wait("stopped")
        before = sum(event.topic == "/adder/out" for event in world.watcher.now())
        await_true(lambda: sum(event.topic == "/adder/out" for event in world.watcher.now()) > before + 5, "others")
        assert world.freeze.frozen is None
        client.close()
        world.goes_on()
    finally:
        world.freeze.set_freezing(True)
    world.debugger.detach("sink")


def test_continue_by_request_lets_everybody_go_and_may_leave_the_gate_closed(world: World) -> None:
    client = world.client()
    client.wait("stopped")
    world.stands()
    client.set_breakpoints(CODE, [])
    assert world.requests.job(asked.Continue(gate="pause"))() == {"continued": ["adder"]}
    await_true(lambda: world.freeze.frozen is None, "the thaw")
    assert world.session.mode == "pause"
    client.close()
    world.pause_before(TICK)
    going = _beside(world.requests.job(asked.IntoHandler()))  # returns when the event is done, so after the continue
    frozen = world.stands()
    assert (frozen["why"], frozen["host"]) == ("breakpoint", frozen["component"])
    assert LINES[frozen["line"] - 2].strip().startswith(("def on_raw", "def on_timer"))
    world.requests.job(asked.Continue())()
    going.join(20)
    assert not going.is_alive()
    world.session.run()
    world.goes_on()


def test_a_pause_by_hand_while_one_stands_outlasts_the_stop(world: World) -> None:
    client = world.client()
    client.wait("stopped")
    world.stands()
    gate = GateRequests(world.session, world.turns)
    gate.freeze = world.freeze
    assert gate.job(asked.SetGate(mode="pause"))()["gate"] == "pause"
    world.stays_paused(client)


def test_a_refused_reload_leaves_code_at_the_line_where_it_is_stopped(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    client = world.client()
    client.wait("stopped")
    line = world.stands()["line"]
    (tmp_path / "parts.py").write_text("value = (\n")
    known = world.session.plan.by_name
    gate = GateRequests(world.session, world.turns)
    gate.freeze = world.freeze
    with monkeypatch.context() as edited:
        edited.setitem(known, "adder", replace(known["adder"], folder=str(tmp_path)))
        with pytest.raises(StudioError, match=r"'\(' was never closed.*nothing was restarted"):
            gate.job(asked.Again(component="adder"))()
    assert world.freeze.frozen is not None and world.freeze.frozen["line"] == line
    assert world.debugger.facts()["hosts"]["adder"]["stopped"]["line"] == line
    client.set_breakpoints(CODE, [])
    client.resume()
    world.goes_on()
    client.close()


def test_muted_breakpoints_stop_nobody(world: World) -> None:
    client = world.client()
    client.wait("stopped")
    world.stands()
    with world.freeze.muted():
        await_true(lambda: world.freeze.frozen is None, "the thaw")
        world.session.run()
        before = world.totals()
        await_true(lambda: world.totals() > before + 3, "events in spite of a breakpoint")
        world.session.pause()
    world.session.run()
    client.wait("stopped")
    client.close()
    world.goes_on()


def test_a_stopped_program_in_another_language_freezes_too(world: World) -> None:
    """The kernel tells, whatever debugger it is; here a signal."""
    world.debugger.watch_native("sink")
    pid = world.session.hosts["sink"].pid
    os.kill(pid, signal.SIGSTOP)
    assert world.stands()["host"] == "sink"
    os.kill(pid, signal.SIGCONT)
    world.goes_on()
    world.debugger.detach("sink")


@pytest.mark.soak
def test_gdb_freezes_the_system_and_detaching_lets_it_go_on(world: World) -> None:
    if not shutil.which("gdb"):
        pytest.skip("gdb is not installed")
    world.debugger.watch_native("sink")
    words = ["gdb", "--batch", "-p", str(world.session.hosts["sink"].pid), "-ex", "shell sleep 1", "-ex", "detach"]
    gdb = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert world.stands()["host"] == "sink"
    gdb.wait(60)
    world.goes_on()
    world.debugger.detach("sink")


def test_lockstep_is_the_same_with_and_without_a_stop() -> None:
    def parts() -> dict[str, Part]:
        return {
            "ticker": Part("Ticker", period_s=0.05),
            "dice": Part("Dice", {"raw": "ticker.out"}),
            "sink": Part("Sink", {"raw": "dice.out"}),
        }

    until_ns = 1_000_000_000
    undisturbed = ProcessRun(plan(1, **parts()))
    with undisturbed:
        undisturbed.start()
        undisturbed.lockstep(until_ns)
        wanted = undisturbed.channel()
    run = ProcessRun(plan(1, **parts()))
    with run:
        freeze = Freeze(run)
        debugger = Debugger(run, freeze)
        run.start()
        run.lockstep(until_ns // 2)
        client = PlainClient(debugger.attach("dice").address)
        client.attach({CODE: [{"line": line_in("Dice", "self.out.publish")}]})
        going = _beside(lambda: run.lockstep(until_ns))
        client.wait("stopped")
        await_true(lambda: freeze.frozen is not None, "the freeze")
        happened = len(run.happenings)
        time.sleep(2.0)
        assert not [each for each in [*run.happenings][happened:] if isinstance(each, ProcessHung)]
        client.set_breakpoints(CODE, [])
        client.resume()
        going.join(20)
        assert not going.is_alive()
        assert run.channel() == wanted
        assert run.restarts == {}
        client.close()
        debugger.close()


def _beside(job: Any) -> threading.Thread:
    thread = threading.Thread(target=job, daemon=True)
    thread.start()
    return thread


def test_a_host_started_under_the_debugger_stops_where_its_components_are_made() -> None:
    session = Session(plan(ticker=Part("Ticker", period_s=0.05)), clock=ClockKind.SIMULATION, start_ns=0)
    debugger = Debugger(session, Freeze(session))
    address = debugger.start_under("ticker", wait=True).address
    launching = _beside(session.launch)
    client = PlainClient(address)
    client.attach({CODE: [{"line": line_in("Ticker", "category =")}]})
    client.wait("stopped")
    assert launching.is_alive()
    client.resume()
    launching.join(30)
    assert not launching.is_alive()
    session.start("run")
    client.set_breakpoints(CODE, [{"line": line_in("Ticker", "self.out.publish")}])
    client.wait("stopped")
    session.close()  # also while somebody stands, a system can be stopped in good order
    assert session.hosts["ticker"].returncode == 0
    debugger.close()
    client.close()
