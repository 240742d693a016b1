"""The table of docs/design/switching.md: as plain values, and walked by a model beside a system of real processes."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import NamedTuple, cast

import pytest

from studio.model.sources import SOURCE_MODES, SourceMode
from studio.runtime.base.clock import SECOND_NS, ClockKind
from studio.runtime.host.profile import write_profile_of
from studio.runtime.session.switching import GateKind, Target, begins_at_ns, runs_on, target_of
from tests.conftest import ROOT
from tests.running_project import RunningProject, running
from tests.runtime.replay.played import write_rig
from tests.waiting import await_true

GATES: tuple[GateKind, ...] = ("lockstep", "free")


# As plain values.


def test_the_page_and_the_function_say_the_same() -> None:
    page = (ROOT / "docs/design/switching.md").read_text()
    rows = re.findall(r"^\| ([a-z, ]+) \| (lockstep|free) \| (lockstep|free) \| (wall|log|simulation) \|", page, re.M)
    assert len(rows) >= 10
    for sources, asked, gate, clock in rows:
        modes = [] if sources == "none" else cast(list[SourceMode], sources.split(", "))
        assert target_of(modes, cast(GateKind, asked)) == Target(cast(GateKind, gate), ClockKind[clock.upper()]), (
            sources
        )


def test_a_new_epoch_begins_where_its_clock_does() -> None:
    times = {"now_ns": 57 * SECOND_NS, "world_ns": 10**18, "log_ns": 3 * SECOND_NS}
    simulated, logged, real = (target_of([mode], "lockstep") for mode in ("simulated", "logged", "real"))
    for before in ClockKind:
        assert begins_at_ns(real, before, **times) == 10**18
        assert begins_at_ns(logged, before, **times) == 3 * SECOND_NS
    assert begins_at_ns(simulated, ClockKind.LOG, **times) == begins_at_ns(simulated, ClockKind.WALL, **times) == 0
    assert begins_at_ns(simulated, ClockKind.SIMULATION, **times) == 57 * SECOND_NS, "no other clock: time goes on"


@pytest.mark.parametrize(
    ("ran", "came_to_end", "switched", "runs"),
    [(True, False, True, True), (True, False, False, True), (False, True, True, True), (False, True, False, False),
     (False, False, True, False)],
)  # fmt: skip
def test_a_gate_stays_as_it_was_and_the_end_of_a_log_is_no_pause(
    ran: bool, came_to_end: bool, switched: bool, runs: bool
) -> None:
    assert runs_on(ran=ran, came_to_end=came_to_end, switched=switched) is runs


# The model.


class Model(NamedTuple):
    """All that the rules need. `stands`: why nothing flows, if nothing does."""

    mode: SourceMode = "simulated"
    asked: GateKind = "lockstep"
    stands: str = ""
    """"", "paused" by somebody, or at the "end" of the log."""

    def can(self) -> Iterator[str]:
        yield from SOURCE_MODES
        yield "run" if self.stands else "pause"
        if self.mode != "real":
            yield "free" if self.asked == "lockstep" else "lockstep"
        if self.mode == "logged" and not self.stands:
            yield "end"

    def after(self, request: str) -> Model:
        if request in SOURCE_MODES:
            leaves = self.stands == "end" and request != self.mode
            return self._replace(mode=cast(SourceMode, request), stands="" if leaves else self.stands)
        if request in GATES:
            return self._replace(asked=cast(GateKind, request))
        return self._replace(stands={"run": "", "pause": "paused", "end": "end"}[request])


Step = tuple[Model, str]


def every_step() -> set[Step]:
    found: set[Step] = set()
    waiting = deque([Model()])
    while waiting:
        model = waiting.popleft()
        for request in model.can():
            if (model, request) not in found:
                found.add((model, request))
                waiting.append(model.after(request))
    return found


def walk(goals: Collection[object], key: Callable[[Step], Collection[object]]) -> Iterator[Step]:
    """A walk from the start that meets all goals; `key`: those that a step meets."""
    left, model = set(goals), Model()
    while left:
        for step in _way_to(model, lambda step: not left.isdisjoint(key(step))):
            left.difference_update(key(step))
            yield step
            model = step[0].after(step[1])


def _way_to(start: Model, wanted: Callable[[Step], bool]) -> list[Step]:
    ways: deque[tuple[Model, list[Step]]] = deque([(start, [])])
    seen = {start}
    while ways:
        model, way = ways.popleft()
        for request in model.can():
            step = (model, request)
            if wanted(step):
                return [*way, step]
            if (after := model.after(request)) not in seen:
                seen.add(after)
                ways.append((after, [*way, step]))
    raise AssertionError("the model has states that cannot be reached")


def pairs(step: Step) -> set[object]:
    """Of a switch to another source: from where to where, with each gate, and from each stand."""
    model, request = step
    if request not in SOURCE_MODES or request == model.mode:
        return set()
    return {(model.mode, request, model.asked), (model.mode, request, model.stands)}


SYSTEM = """<system name="there" version="1">
  <source name="wave" mode="simulated">
    <port name="level" direction="out" type="Float64"/>
    <real><component name="device" type="signal_source"/><bind port="level" to="device.value"/></real>
    <simulated><component name="model" type="signal_source"/><bind port="level" to="model.value"/></simulated>
    <logged log="rig.mcap"><bind port="level" topic="/rig/a"/></logged>
  </source>
  <component name="filter" type="low_pass"/>
  <component name="mover" type="mover"/>
  <wire from="wave.level" to="filter.raw"/>
  <wire from="wave.level" to="mover.raw"/>
</system>"""
MOVER = '''from studio.messages import Float64
from studio.runtime.actuator import Actuator
from studio.runtime.component import InPort


class Mover(Actuator):
    """Something real that moves nothing."""

    raw = InPort(Float64, keep="latest")

    def on_raw(self, message: Float64) -> None:
        pass

    def halt(self) -> None:
        pass
'''


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("p") / "there"
    own = folder / "components/mover"
    own.mkdir(parents=True)
    (own / "mover.py").write_text(MOVER)
    (folder / "system.xml").write_text(SYSTEM)
    write_profile_of(own)
    write_rig(folder / "rig.mcap", 3000)
    return folder


def go(system: RunningProject, model: Model, request: str) -> None:
    """One step, and what must hold after it."""
    if model.mode == "real" and not model.stands and request in SOURCE_MODES:
        system.ask("set", component="mover", name="armed", value=True)
    if request in SOURCE_MODES:
        system.ask("switch", mode=request)
    elif request in GATES:
        system.ask("gate", kind=request)
    elif request == "end":
        system.ask("player", action="seek", time_ns=system.state["player"]["end_ns"] - SECOND_NS // 10)
        system.ends()
    else:
        system.ask("gate", mode=request)
    after = model.after(request)
    assert set(system.state["sources"].values()) == {after.mode}
    if request in SOURCE_MODES and request != model.mode:
        assert system.state["components"]["mover"]["parameters"]["armed"] is False, "disarmed by every switch"
    system.holds(after.asked, runs=not after.stands)
    assert system.state["components"]["filter"]["drops"] == 0


@pytest.mark.timeout(180)
def test_a_pairwise_walk_through_the_table(project: Path) -> None:
    goals = set().union(*(pairs(step) for step in every_step()))
    with running(project, "--gate", "auto") as system:
        for model, request in walk(goals, pairs):
            go(system, model, request)


def test_the_condition_of_a_log_goes_with_it(project: Path) -> None:
    """It never holds in the log, and would stop the simulation."""
    with running(project, "--gate", "auto") as system:
        system.ask("switch", mode="logged")
        system.ask("player", action="stop_when", condition="/rig/a/data < -0.5")
        system.ask("switch", mode="simulated")
        before = system.handled()
        await_true(lambda: system.handled() > before + 400, f"a whole wave to come; {system.brief()}")


@pytest.mark.soak
def test_every_step_of_the_table(project: Path) -> None:
    with running(project, "--gate", "auto") as system:
        for model, request in walk(every_step(), lambda step: {step}):
            go(system, model, request)
