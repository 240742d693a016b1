"""`studio sim`, and systems that run in simulation: repeatable, replayable, pausable."""

from __future__ import annotations

import json
import traceback
from pathlib import Path

import pytest
from PIL import Image

from studio.cli.run_parts.run_console import readable
from studio.errors import StudioError
from studio.model.loaded_project import open_project
from studio.paths import PACKAGE
from studio.runtime.component import Component
from studio.runtime.host.component_import import import_component
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.plan.plan import PlannedComponent
from studio.runtime.plan.planning import plan_of
from studio.runtime.recording import LogReader
from studio.runtime.recording.format.chunk import LoggedEvent
from studio.runtime.sim.worlds.world_writing import save_world
from studio.runtime.sim.worlds.worlds import load_world
from tests.cli.running import Studio
from tests.conftest import ROOT
from tests.waiting import await_true

SYSTEM = """\
<?xml version="1.0" encoding="UTF-8"?>
<system name="drive" version="1">
  <source name="raptor" mode="simulated">
    <port name="pose" direction="out" type="PoseTransform"/>
    <port name="left_laser" direction="out" type="Range3d"/>
    <port name="command" direction="in" type="Velocity"/>
    <port name="true_pose" direction="out" type="PoseTransform" truth="true"/>
    <simulated>
      <component name="simulator" type="raptor_simulator"/>
      <bind port="pose" to="simulator.pose"/>
      <bind port="left_laser" to="simulator.left_laser"/>
      <bind port="command" to="simulator.command"/>
      <bind port="true_pose" to="simulator.true_pose"/>
    </simulated>
  </source>
</system>
"""
PEEK = """\
<component type="peek" category="{category}">
  <entry python="peek:Peek"/>
  <activation modes="event"/>
  <port name="pose" direction="in" type="PoseTransform"/>
</component>
"""
CODE = """\
from studio.messages import PoseTransform
from studio.runtime.component import Component, InPort


class Peek(Component):
    category = "{category}"
    pose = InPort(PoseTransform)

    def on_pose(self, message: PoseTransform) -> None:
        pass
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "drive"
    folder.mkdir()
    (folder / "system.xml").write_text(SYSTEM)
    return folder


def events_of(path: Path) -> list[LoggedEvent]:
    """All there is in a log, with headers and bytes, in its order; but for who handled what for how long, and lines."""
    with LogReader(path) as log:
        every = [event._replace(payload=bytes(event.payload)) for event in log.events()]  # type: ignore[arg-type]
    return [event for event in every if event.topic not in ("/_studio/handled", "/_studio/log")]


@pytest.mark.must_not_flake
def test_a_simulated_run_is_the_same_every_time_and_replays(studio: Studio, project: Path, tmp_path: Path) -> None:
    logs = [tmp_path / f"{name}.mcap" for name in "ab"]
    for log in logs:
        ran = studio("run", project, "--for", 1, "--rate", 0, "--seed", 5, "--record", log, "--json")
        assert ran.status == 0, ran.err
        assert (ran.json["gate"], ran.json["seconds"]) == ("lockstep", 1.0)
        assert ran.json["topics"]["/raptor/left_laser"]["count"] == 38
    assert studio("compare", *logs, "--json").json["identical"]
    first, second = map(events_of, logs)
    assert first == second and len(first) > 500
    replayed = studio("replay", project, "--log", logs[0], "--as-recorded", "--json")
    assert replayed.status == 0, replayed.out + replayed.err


def test_a_simulation_can_be_paused_stepped_and_goes_on(studio: Studio, project: Path) -> None:
    def poses() -> int:
        return int(studio("ctl", "list", "--json").json["systems"][0]["topics"].get("/raptor/pose", {}).get("count", 0))

    assert studio("run", project, "--detach", "--json").status == 0
    try:
        assert studio("ctl", "pause").status == 0
        stands = poses()
        assert len(studio("ctl", "step", 3, "--json").json["delivered"]) == 3
        assert studio("ctl", "start").status == 0
        assert any(poses() > stands + 10 for _ in range(200))
        assert studio("ctl", "list", "--json").json["systems"][0]["gate"] == "run"
    finally:
        studio("stop")


def test_a_reset_puts_the_vehicle_back_and_everybody_forgets_the_drive(studio: Studio) -> None:
    """The judge counts its way from the start again, and the next epoch is told."""

    def driven_m() -> float:
        told = studio("ctl", "get", "judge.outcome")
        return float(json.loads(told.out)["path_m"]) if told.status == 0 else -1.0

    assert studio("run", ROOT / "projects/raptor_blocks_world", "--detach", "--rate", 4, "--json").status == 0
    try:
        await_true(lambda: driven_m() > 3.0, "it drives", 60)
        assert studio("ctl", "pause").status == 0
        told = studio("ctl", "reset", "--json").json
        assert told == {"components": ["simulator"], "epoch": 1}
        assert studio("ctl", "step", 1, "--topic", "/judge/outcome").status == 0
        assert 0.0 <= driven_m() < 0.5
        assert studio("ctl", "reset").out == "simulator: restarted, in epoch 2\n"
        assert studio("ctl", "start").status == 0
        await_true(lambda: driven_m() > 0.5, "it drives again", 60)
    finally:
        studio("stop")


def test_a_simulation_goes_back_to_where_it_was(project: Path) -> None:
    opened = open_project(project)

    def make(planned: PlannedComponent) -> Component:
        spec = opened.registry.get(planned.type)
        assert spec is not None
        return import_component(spec)()

    system = InProcess(plan_of(opened.system, opened.registry, project=project, seed=3), make)
    system.start()
    system.lockstep(until_ns=300_000_000)
    place = system.checkpoint()
    system.lockstep(until_ns=600_000_000)
    there = system.digest()
    system.restore(place)
    assert system.digest() != there
    system.lockstep(until_ns=600_000_000)
    assert system.digest() == there


def test_a_simulator_that_was_refused_its_start_begins_when_it_gets_another_one(project: Path) -> None:
    inside = '<component name="simulator" type="raptor_simulator"><parameter name="start" value="6 -2 0"/></component>'
    (project / "system.xml").write_text(SYSTEM.replace('<component name="simulator" type="raptor_simulator"/>', inside))
    opened = open_project(project)
    system = InProcess(plan_of(opened.system, opened.registry, project=project), create)
    system.start()
    simulator = system.runners["simulator"]
    assert "Raptor would be inside garage at (6, -2)" in simulator.error
    system.command("simulator", {"do": "set", "name": "start", "value": [28.0, 0.0, 3.1]})
    for verb in ("reset", "activate"):
        system.command("simulator", {"do": verb})
    system.lockstep(until_ns=300_000_000)
    assert simulator.error == "" and simulator.sequences["/raptor/left_laser"] > 5


@pytest.mark.parametrize("name", ["hills", "elsewhere/hills.sdf"])
def test_a_world_of_the_project_is_found_from_wherever_it_is_run(project: Path, name: str) -> None:
    file = project / ("models/worlds/hills.sdf" if name == "hills" else name)
    file.parent.mkdir(parents=True)
    save_world(load_world("slopes:3"), file)
    chosen = f'<component name="simulator" type="raptor_simulator"><parameter name="world" value="{name}"/></component>'
    (project / "system.xml").write_text(SYSTEM.replace('<component name="simulator" type="raptor_simulator"/>', chosen))
    opened = open_project(project)
    system = InProcess(plan_of(opened.system, opened.registry, project=project), create)
    system.start()
    assert system.runners["simulator"].error == ""


@pytest.mark.parametrize(("category", "allowed"), [("processor", False), ("judge", True)])
def test_only_a_judge_is_wired_to_ground_truth(project: Path, category: str, allowed: bool) -> None:
    peek = project / "components" / "peek"
    peek.mkdir(parents=True)
    (peek / "component.xml").write_text(PEEK.format(category=category))
    (peek / "peek.py").write_text(CODE.format(category=category))
    wired = '<component name="peek" type="peek"/><wire from="raptor.true_pose" to="peek.pose"/></system>'
    (project / "system.xml").write_text(SYSTEM.replace("</system>", wired))
    problems = [problem.message for problem in open_project(project).problems if problem.severity == "error"]
    assert (problems == []) is allowed
    assert allowed or "raptor.true_pose is ground truth, which no robot has" in problems[0]


def test_ground_truth_cannot_pass_for_something_else(project: Path) -> None:
    (project / "system.xml").write_text(SYSTEM.replace(' truth="true"', ""))
    [problem] = [problem for problem in open_project(project).problems if problem.severity == "error"]
    assert "simulator.true_pose behind raptor.true_pose, which is ground truth" in problem.message


def test_worlds_are_described_made_and_drawn(studio: Studio, tmp_path: Path) -> None:
    told = studio("sim", "info", "blocks", "--json").json
    assert told["problems"] == [] and told["solids"]["platform"] == "box" and 56 < told["shortest_m"] < 65
    made = tmp_path / "hills.sdf"
    assert studio("sim", "new-world", "slopes", made, "--seed", 3).status == 0
    assert studio("sim", "info", made).out.startswith("slopes_3: terrain hills from ")
    assert studio("sim", "new-world", "slopes", made).status == 2
    picture = tmp_path / "maze.png"
    assert studio("sim", "picture", "maze", picture, "--vehicle", "pioneer_2dx", "--above").status == 0
    with Image.open(picture) as image:
        assert image.size == (960, 600) and len(image.convert("RGB").getcolors(100_000) or []) > 10
    unknown = studio("sim", "info", "nowhere")
    assert unknown.status == 1 and "there is no world nowhere" in unknown.err


def test_of_a_world_that_is_refused_only_the_reason_is_shown() -> None:
    """In the console of a run, where a component's own failure comes with its traceback."""
    with pytest.raises(StudioError) as refused:
        load_world("blokcs")
    told = "".join(traceback.format_exception(refused.value)).replace(
        str(Path(__file__)), str(PACKAGE / "component_runner.py")
    )
    assert list(readable(told)) == ["there is no world blokcs (did you mean blocks?)"]
    own = told.replace(str(PACKAGE / "component_runner.py"), "my_robot/components/mine/mine.py")
    assert list(readable(own)) == own.rstrip().splitlines()
