"""Sources of different kinds side by side: each is switched by itself, in a system of real processes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from studio.model.sources import SOURCE_MODES, SourceMode
from studio.runtime.host.profile import write_profile_of
from studio.runtime.session.switching import GateKind
from tests.running_project import RunningProject, running
from tests.runtime.replay.played import write_rig
from tests.runtime.test_switching_table import MOVER
from tests.waiting import await_true

SOURCE = """<source name="{name}" mode="simulated">
    <port name="level" direction="out" type="Float64"/>
    <real><component name="{name}_device" type="signal_source"/><bind port="level" to="{name}_device.value"/></real>
    <simulated><component name="{name}_model" type="signal_source"/>
      <bind port="level" to="{name}_model.value"/></simulated>
    <logged log="rig.mcap"><bind port="level" topic="{topic}"/></logged>
  </source>
  <component name="{name}_filter" type="low_pass"/>
  <wire from="{name}.level" to="{name}_filter.raw"/>"""
SYSTEM = f"""<system name="mixed" version="1">
  {SOURCE.format(name="wave", topic="/rig/a")}
  {SOURCE.format(name="tide", topic="/rig/b")}
  <component name="mover" type="mover"/>
  <wire from="wave.level" to="mover.raw"/>
</system>"""
NAMES = ("wave", "tide")
LOG_EVENTS = 12_000
"""Two minutes. It plays from its start whenever a source becomes logged."""

Modes = tuple[SourceMode, SourceMode]
Step = tuple[Modes, int, SourceMode]
"""Which of the two is switched from here, and to what."""
START: Modes = ("simulated", "simulated")


def after(step: Step) -> Modes:
    (wave, tide), which, mode = step
    return (mode, tide) if which == 0 else (wave, mode)


def steps_from(modes: Modes) -> Iterator[Step]:
    for which, before in enumerate(modes):
        yield from ((modes, which, mode) for mode in SOURCE_MODES if mode != before)


def walk(goal: Callable[[Step], object]) -> list[Step]:
    """From the start, until every value of `goal` was met: the nearest that is new comes next."""
    seen: set[object] = set()
    made: list[Step] = []
    modes = START
    while (way := _way_to_new(modes, lambda step: goal(step) not in seen)) is not None:
        made += way
        seen.update(map(goal, way))
        modes = after(way[-1])
    return made


def _way_to_new(start: Modes, is_new: Callable[[Step], bool]) -> list[Step] | None:
    ways: deque[list[Step]] = deque([step] for step in steps_from(start))
    seen = {start}
    while ways:
        way = ways.popleft()
        if is_new(way[-1]):
            return way
        if (modes := after(way[-1])) not in seen:
            seen.add(modes)
            ways += [[*way, step] for step in steps_from(modes)]
    return None


def test_the_walks_meet_what_they_are_made_for() -> None:
    assert {after(step) for step in walk(after)} == {(one, other) for one in SOURCE_MODES for other in SOURCE_MODES}
    every = walk(lambda step: step)
    assert len(set(every)) == 36
    assert all(after(one) == other[0] for one, other in pairwise(every))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("p") / "mixed"
    own = folder / "components/mover"
    own.mkdir(parents=True)
    (own / "mover.py").write_text(MOVER)
    (folder / "system.xml").write_text(SYSTEM)
    write_profile_of(own)
    write_rig(folder / "rig.mcap", LOG_EVENTS)
    return folder


def go(system: RunningProject, step: Step, asked: GateKind, *, runs: bool) -> None:
    _, which, mode = step
    system.ask("switch", sources=[NAMES[which]], mode=mode)
    assert tuple(system.state["sources"][name] for name in NAMES) == after(step)
    system.holds(asked, runs=runs)
    assert system.state["components"]["mover"]["parameters"]["armed"] is False, "disarmed by every switch"
    if runs:
        for name in NAMES:
            before = handled(system, name)
            await_true(lambda n=name, b=before: handled(system, n) > b + 5, f"{name} to flow; {system.brief()}")


def handled(system: RunningProject, name: str) -> int:
    return int(system.state["components"][f"{name}_filter"]["handled"])


@pytest.mark.timeout(180)
def test_every_mix_is_reached(project: Path) -> None:
    with running(project, "--gate", "auto") as system:
        for step in walk(after):
            go(system, step, "lockstep", runs=True)


@pytest.mark.soak
@pytest.mark.parametrize("runs", [True, False], ids=["running", "paused"])
@pytest.mark.parametrize("asked", ["lockstep", "free"])
def test_every_switch_between_mixes(project: Path, asked: GateKind, runs: bool) -> None:
    with running(project, "--gate", "auto") as system:
        system.ask("gate", kind=asked, mode="run" if runs else "pause")
        for step in walk(lambda step: step):
            go(system, step, asked, runs=runs)
