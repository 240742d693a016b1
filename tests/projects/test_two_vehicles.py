"""Two Pioneers in one maze, each with a behaviour and a judge of its own: the whole system, in process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from studio.model.loaded_project import open_project
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.host.host import create
from studio.runtime.host.in_process import InProcess
from studio.runtime.host.profile import write_profile_of
from studio.runtime.plan.planning import plan_of
from studio.runtime.wire.frames import Event

SECONDS = 6
NAMES = ("left", "right")
SIMULATOR = '''
from studio.runtime.sim.simulator import Simulator


class TwoPioneers(Simulator):
    """Two of a kind."""

    vehicles = {"left": "pioneer_2dx", "right": "pioneer_2dx"}
'''
ASSEMBLY = """
<assembly name="TwoPioneers" version="1">
  <include prefix="left_" file="pioneer_2dx.xml"/>
  <include prefix="right_" file="pioneer_2dx.xml"/>
</assembly>
"""
PORTS = """
    <port name="{name}_laser" direction="out" type="Range3d"/>
    <port name="{name}_twist" direction="in" type="Twist"/>
    <port name="{name}_true_pose" direction="out" type="PoseTransform" truth="true"/>
    <port name="{name}_collision" direction="out" type="String" truth="true"/>"""
BINDS = "".join(
    f'<bind port="{name}_{port}" to="simulator.{name}_{port}"/>'
    for name in NAMES
    for port in ("laser", "twist", "true_pose", "collision")
)
BEHAVIOUR = """
  <component name="{name}_avoid" type="laser_obstacle_avoid">
    <parameter name="vehicle" value="{name}_Pioneer2DX"/>
  </component>
  <component name="{name}_judge" type="driving_judge"> <parameter name="has_goal" value="false"/> </component>
  <wire from="robots.{name}_laser" to="{name}_avoid.scan"/>
  <wire from="{name}_avoid.motion" to="robots.{name}_twist"/>
  <wire from="robots.{name}_true_pose" to="{name}_judge.true_pose"/>
  <wire from="robots.{name}_collision" to="{name}_judge.collision"/>"""
SYSTEM = f"""
<system name="two" version="1">
  <geometry assembly="two_pioneers"/>
  <source name="robots" mode="simulated">{"".join(PORTS.format(name=name) for name in NAMES)}
    <simulated>
      <component name="simulator" type="two_pioneers">
        <parameter name="world" value="maze"/>
        <parameter name="start" value="-6 -6 0  6 6 3.14"/>
      </component>
      {BINDS}
    </simulated>
  </source>{"".join(BEHAVIOUR.format(name=name) for name in NAMES)}
</system>
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "two"
    simulator, assemblies = folder / "components/two_pioneers", folder / "models/assemblies"
    simulator.mkdir(parents=True)
    assemblies.mkdir(parents=True)
    (simulator / "two_pioneers.py").write_text(SIMULATOR)
    (assemblies / "two_pioneers.xml").write_text(ASSEMBLY)
    (folder / "system.xml").write_text(SYSTEM)
    write_profile_of(simulator)
    return folder


def test_each_drives_by_its_own_laser_and_neither_collides(project: Path) -> None:
    opened = open_project(project)
    assert [str(problem) for problem in opened.problems] == []
    outcomes: dict[str, Any] = {}

    def hear(event: Event) -> None:
        if event.topic.endswith("_judge/outcome"):
            outcomes[event.topic.removesuffix("_judge/outcome")] = json.loads(event.message.data)

    system = InProcess(plan_of(opened.system, opened.registry, project=project), create, tap=hear)
    system.start()
    system.lockstep(until_ns=SECONDS * SECOND_NS)
    system.stop()
    assert {name: runner.error for name, runner in system.runners.items() if runner.error} == {}
    assert [outcomes[f"/{name}"]["collisions"] for name in NAMES] == [0, 0]
    assert all(outcomes[f"/{name}"]["path_m"] > 0.15 * SECONDS for name in NAMES)
