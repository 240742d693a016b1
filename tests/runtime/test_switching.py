"""Switching sources at random moments under load: consumers go on, and nothing of an old epoch reaches them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import replace

from studio.runtime.channel.frames import Origin
from studio.runtime.clock import ClockKind
from studio.runtime.plan import Plan
from tests.runtime.systems import Part, ProcessRun, await_true, plan


def provided_by(name: str, origin: Origin) -> Plan:
    """A source /wave/out with the provider `name`, a processor, and one who checks."""
    made = plan(
        **{name: Part("Flood", {}, {"rate_hz": 1000.0}, outlets=("out",))},
        adder=Part("Adder", {"raw": "wave.out"}, outlets=("out",)),
        guard=Part("EpochGuard", {"raw": "wave.out adder.out"}, outlets=()),
    )
    first, *others = made.components
    first = replace(first, outlets={"out": "/wave/out"})
    return replace(made, components=tuple(replace(each, origin=int(origin)) for each in (first, *others)))


def test_switches_at_random_moments(scaled: Callable[[int], int]) -> None:
    plans = [provided_by("device", Origin.REAL), provided_by("model", Origin.SIMULATED)]
    choose = random.Random(3)
    run = ProcessRun(plans[0], clock=ClockKind.WALL, record=False)
    try:
        run.start("run")
        pids = {name: run.hosts[name].pid for name in ("adder", "guard")}
        for number in range(1, scaled(400) + 1):
            time.sleep(choose.uniform(0.0, 0.2))
            assert run.switch(plans[number % 2]) == number
            handled = run.component("guard")["handled"]
            await_true(lambda before=handled: run.component("guard")["handled"] > before + 10, "events flow")
        guard = run.component("guard")
        assert guard["state"] == "active", guard["error"]
        assert run.component("adder")["state"] == "active"
        assert {name: run.hosts[name].pid for name in ("adder", "guard")} == pids
        assert run.exits == {} and run.restarts == {}
    finally:
        run.close()
