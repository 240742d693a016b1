"""Source switching as a state machine: whatever comes after whatever, the model and the running system agree."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from studio.runtime.base.clock import ClockKind
from studio.runtime.plan.plan import Plan
from studio.runtime.playing.logged_sources import LoggedSources
from studio.runtime.wire.frames import Origin
from tests.runtime.systems import Part, ProcessRun, plan
from tests.runtime.test_switching import LOGGED, wanted, write_log
from tests.waiting import await_true

WAYS = {
    "real": ("device", Origin.REAL, False, ClockKind.WALL),
    "simulated": ("model", Origin.SIMULATED, False, ClockKind.WALL),
    "logged": (LOGGED, Origin.LOGGED, True, ClockKind.LOG),
    "logged beside the world": (LOGGED, Origin.LOGGED, True, ClockKind.WALL),
}


def provided_by(name: str, origin: Origin) -> Plan:
    """A source /wave/out with the provider `name`, a processor, one who checks epochs, and an actuator."""
    made = plan(
        **{name: Part("Flood", {}, {"rate_hz": 200.0}, outlets=("out",))},
        adder=Part("Adder", {"raw": "wave.out"}, outlets=("out",)),
        guard=Part("EpochGuard", {"raw": "wave.out adder.out"}, outlets=()),
        mover=Part("Mover", {"raw": "adder.out"}, outlets=("out",), delivery="latest"),
    )
    first, *others = made.components
    providers = [] if name == LOGGED else [replace(first, outlets={"out": "/wave/out"})]
    return replace(made, components=tuple(replace(each, origin=int(origin)) for each in (*providers, *others)))


class Switching(RuleBasedStateMachine):
    """The model is four values: where data comes from, whether the gate is open, whether it is armed, the epoch."""

    log: Path

    def __init__(self) -> None:
        super().__init__()
        self.way, self.running, self.armed, self.epoch, self.brokers = "real", True, False, 0, 0
        self.run = ProcessRun(provided_by("device", Origin.REAL), clock=ClockKind.WALL)
        self.logs = LoggedSources(self.run)
        self.run.start("run")
        self.pids = {name: self.run.hosts[name].pid for name in ("guard", "mover")}

    @property
    def clock(self) -> ClockKind:
        return WAYS[self.way][3]

    @rule(way=st.sampled_from(list(WAYS)))
    def switch(self, way: str) -> None:
        name, origin, has_log, clock = WAYS[way]
        made = provided_by(name, origin)
        assert self.logs.switch(made, wanted(self.log if has_log else None, clock)) == self.epoch + 1
        self.way, self.epoch, self.armed = way, self.epoch + 1, False

    @precondition(lambda self: self.running)
    @rule()
    def pause(self) -> None:
        self.run.pause()
        self.running = False

    @precondition(lambda self: not self.running)
    @rule()
    def go_on(self) -> None:
        self.run.run()
        self.running = True

    @precondition(lambda self: self.running)
    @rule(armed=st.booleans())
    def arm(self, armed: bool) -> None:
        self.run.command("mover", {"do": "set", "name": "armed", "value": armed})
        self.armed = armed and self.clock is ClockKind.WALL

    @rule()
    def kill_the_broker(self) -> None:
        os.kill(self.run.broker.pid, signal.SIGKILL)
        self.brokers += 1
        await_true(lambda: self.run.broker_restarts == self.brokers, "another broker")

    @precondition(lambda self: self.running)
    @rule()
    def restart_a_processor(self) -> None:
        self.run.restart_host("adder")

    @invariant()
    def the_system_is_as_the_model_says(self) -> None:
        reports = self.reports()
        assert reports["guard"]["state"] == "active", reports["guard"]["error"]
        assert reports["adder"]["state"] == reports["mover"]["state"] == "active"
        assert {name: self.run.hosts[name].pid for name in self.pids} == self.pids, "consumers keep running"
        assert self.run.status()["mode"] == ("run" if self.running else "pause")
        assert self.run.epoch == self.epoch
        if self.running:
            await_true(lambda: self.handled("guard") > reports["guard"]["handled"] + 10, "events to flow")
            await_true(lambda: self.said("mover")["parameters"]["armed"] is self.armed, "it to be armed, or not")
        self.it_moves_just_when_it_may()

    def it_moves_just_when_it_may(self) -> None:
        if self.running and self.armed and self.way == "real":
            before = self.moves()
            await_true(lambda: self.moves() > before + 3, "it to be moved")
        else:
            assert self.run.watcher is not None
            self.run.watcher.await_fence()
            before = self.moves()
            time.sleep(0.1)
            assert self.moves() == before, "it was moved"

    def reports(self) -> dict[str, dict[str, Any]]:
        asked_ns = time.monotonic_ns()
        assert self.run.observer.await_reports(self.run.hosts, asked_ns, 30), "reports"
        return {name: self.said(name) for name in ("guard", "adder", "mover")}

    def said(self, component: str) -> dict[str, Any]:
        return self.run.observer.component(component)

    def handled(self, component: str) -> int:
        return int(self.said(component).get("handled", 0))

    def moves(self) -> int:
        return sum(seen.topic == "/mover/out" for seen in self.run.channel_now())

    def teardown(self) -> None:
        self.logs.__exit__()
        self.run.close()


def test_sources_are_switched_in_whatever_order(scaled: Callable[[int], int]) -> None:
    soak = scaled(100) == 100
    with tempfile.TemporaryDirectory() as folder:
        Switching.log = write_log(Path(folder) / "wave.mcap")
        run_state_machine_as_test(
            Switching,
            settings=settings(
                max_examples=20 if soak else 1,
                stateful_step_count=50 if soak else 12,
                derandomize=not soak,
                deadline=None,
                database=None,
                phases=(Phase.generate,),  # every step is one of real processes: made smaller by hand, if need be
                suppress_health_check=list(HealthCheck),
            ),
        )
