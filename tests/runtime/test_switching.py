"""Switching sources at random moments under load: consumers go on, and nothing of an old epoch reaches them."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from studio.messages import Float64, MessageTypes, encode
from studio.runtime.base.clock import SECOND_NS, ClockKind
from studio.runtime.plan.plan import Plan
from studio.runtime.playing.logged_sources import LoggedSources, WantedLog
from studio.runtime.playing.played import Played
from studio.runtime.recording import LogReader, LogWriter
from studio.runtime.session.switching import GateKind, Target
from studio.runtime.wire.frames import Origin
from tests.runtime.systems import Part, ProcessRun, plan
from tests.waiting import await_true

LOGGED = "logged"
LOG_FROM_NS = 1_000 * SECOND_NS


def provided_by(name: str, origin: Origin) -> Plan:
    """A source /wave/out with the provider `name`, a processor, and one who checks."""
    made = plan(
        **{name: Part("Flood", {}, {"rate_hz": 1000.0}, outlets=("out",))},
        adder=Part("Adder", {"raw": "wave.out"}, outlets=("out",)),
        guard=Part("EpochGuard", {"raw": "wave.out adder.out"}, outlets=()),
    )
    first, *others = made.components
    providers = [] if name == LOGGED else [replace(first, outlets={"out": "/wave/out"})]
    return replace(made, components=tuple(replace(each, origin=int(origin)) for each in (*providers, *others)))


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_log(tmp_path_factory.mktemp("log") / "wave.mcap")


def write_log(path: Path) -> Path:
    """Ten minutes of it."""
    content = encode(Float64(1.0))
    with LogWriter(path) as writer:
        channel = writer.add_topic("/wave/out", Float64)
        for number in range(1, 120_001):
            at_ns = LOG_FROM_NS + number * 5_000_000
            writer.write(channel, content, log_time_ns=at_ns, sequence=number, stamp_ns=at_ns, flags=1)
    return path


def wanted(log: Path | None, clock: ClockKind, gate: GateKind = "free") -> WantedLog:
    played = Played(LogReader(log), {"/wave/out": "/wave/out"}) if log else None
    return WantedLog(played, Target(gate, clock), MessageTypes.builtin())


@pytest.fixture
def system() -> Iterator[tuple[ProcessRun, LoggedSources]]:
    run = ProcessRun(provided_by("device", Origin.REAL), clock=ClockKind.WALL)
    with LoggedSources(run) as logs:
        run.start("run")
        yield run, logs
    run.close()


def flows(run: ProcessRun) -> None:
    def handled() -> int:
        return int(run.observer.component("guard").get("handled", 0))

    before = handled()
    await_true(lambda: handled() > before + 10, f"events flow; {run.status()}", 30)


def check_unharmed(run: ProcessRun, pids: dict[str, int]) -> None:
    guard = run.component("guard")
    assert guard["state"] == "active", guard["error"]
    assert run.component("adder")["state"] == "active"
    assert {name: run.hosts[name].pid for name in pids} == pids
    assert run.exits == {} and run.restarts == {}


def test_switches_at_random_moments(
    system: tuple[ProcessRun, LoggedSources], log: Path, scaled: Callable[[int], int]
) -> None:
    """With a log that is put in and taken out, by its own clock and, beside something real, by that of the world."""
    run, logs = system
    ways = [
        (provided_by("device", Origin.REAL), None, ClockKind.WALL),
        (provided_by("model", Origin.SIMULATED), None, ClockKind.WALL),
        (provided_by(LOGGED, Origin.LOGGED), log, ClockKind.LOG),
        (provided_by(LOGGED, Origin.LOGGED), log, ClockKind.WALL),
    ]
    choose = random.Random(3)
    pids = {name: run.hosts[name].pid for name in ("adder", "guard")}
    now = 0
    for number in range(1, max(12, scaled(200)) + 1):
        time.sleep(choose.uniform(0.0, 0.2))
        now = choose.choice([way for way in range(len(ways)) if way != now])
        made, file, clock = ways[now]
        assert logs.switch(made, wanted(file, clock)) == number
        flows(run)
    check_unharmed(run, pids)


def test_a_log_brings_its_clock_and_one_beside_something_real_does_not(
    system: tuple[ProcessRun, LoggedSources], log: Path
) -> None:
    run, logs = system
    flows(run)
    began_ns = run.status()["now_ns"]
    logged = provided_by(LOGGED, Origin.LOGGED)
    logs.switch(logged, wanted(log, ClockKind.LOG))
    flows(run)
    by_the_log = run.channel_now()[-1].stamp_ns
    assert LOG_FROM_NS <= by_the_log < LOG_FROM_NS + 600 * SECOND_NS
    player = logs.player
    logs.switch(logged, wanted(log, ClockKind.WALL))
    assert logs.player is player, "the same log goes on"
    flows(run)
    assert run.channel_now()[-1].stamp_ns > began_ns
    place_ns = player.state().time_ns if player else 0
    assert by_the_log < place_ns < LOG_FROM_NS + 600 * SECOND_NS
    run.pause()
    logs.switch(logged, wanted(log, ClockKind.LOG))
    assert run.status()["mode"] == "pause", "what was paused stays paused"
    assert run.step(1, topic="/wave/out")[-1][0] == "/wave/out"
    assert run.component("guard")["state"] == "active"


def test_a_broker_that_dies_while_a_switched_system_is_paused_costs_nobody_its_activation(
    system: tuple[ProcessRun, LoggedSources], log: Path
) -> None:
    """The activation of the new provider waits at the closed gate, and would be forgotten with it."""
    run, logs = system
    flows(run)
    run.pause()
    logs.switch(provided_by("model", Origin.SIMULATED), wanted(None, ClockKind.WALL))
    os.kill(run.broker.pid, signal.SIGKILL)
    await_true(lambda: run.broker_restarts == 1, "another broker")
    run.run()
    flows(run)
    assert run.component("model")["state"] == "active"
    assert not run.told


def test_a_broker_that_dies_in_the_middle_of_a_change_leaves_nothing_paused(
    system: tuple[ProcessRun, LoggedSources], log: Path, scaled: Callable[[int], int]
) -> None:
    run, logs = system
    choose = random.Random(5)
    pids = {name: run.hosts[name].pid for name in ("adder", "guard")}
    ways = [
        (provided_by("model", Origin.SIMULATED), None, ClockKind.WALL),
        (provided_by(LOGGED, Origin.LOGGED), log, ClockKind.LOG),
        (provided_by("device", Origin.REAL), None, ClockKind.WALL),
    ]
    for number in range(max(3, scaled(100))):
        flows(run)
        made, file, clock = ways[number % len(ways)]
        killer = threading.Timer(choose.uniform(0.0, 0.1), lambda: os.kill(run.broker.pid, signal.SIGKILL))
        killer.start()
        logs.switch(made, wanted(file, clock))
        killer.join()
        await_true(lambda before=number: run.broker_restarts > before, "another broker")
        flows(run)
        assert run.status()["mode"] == "run"
    check_unharmed(run, pids)
