"""The autonomy suite of the Raptor on a Pioneer 3-AT: the same files and the same wires, another assembly."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.autonomy import PROJECT, driven
from studio.model.loaded_project import open_project
from studio.runtime.host.profile import write_profile_of
from studio.runtime.plan.planning import plan_of
from studio.runtime.sim.worlds.made_worlds import block, ground
from studio.runtime.sim.worlds.world import Place, World
from studio.runtime.sim.worlds.world_writing import save_world

ASSEMBLY = """
<assembly name="OutdoorPioneer" version="1">
  <body name="Pioneer3AT" file="pioneer_3at.xml"/>
  <body name="RightLaser" file="sick_lms200.xml"/>
  <body name="LeftLaser" file="sick_lms200.xml"/>
  <body name="Gps" file="gps_antenna.xml"/>
  <body name="Imu" file="imu.xml"/>
  <constraint name="right" from="Pioneer3AT:LaserMount" to="RightLaser:BottomCenter" xyz="0 -0.09 0" rpy="0 8 0"
              angles="degrees"/>
  <constraint name="left" from="Pioneer3AT:TopFront" to="LeftLaser:BottomCenter" xyz="0.075 0.09 0" rpy="0 14 0"
              angles="degrees"/>
  <constraint name="gps" from="Pioneer3AT:TopCenter" to="Gps:BottomCenter"/>
  <constraint name="imu" from="Pioneer3AT:BaseCenter" to="Imu:BottomCenter"/>
</assembly>
"""
SIMULATOR = '''
from studio.runtime.sim.simulator import Simulator


class OutdoorPioneer(Simulator):
    """A Pioneer 3-AT with two tilted lasers, GPS and inertial unit."""

    vehicles = {"": "outdoor_pioneer"}
'''
GOAL = (9.0, 0.0)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The Raptor's system file, with nothing changed but the vehicle, the world and the goal."""
    folder = tmp_path / "outdoor"
    simulator, assemblies = folder / "components/outdoor_pioneer", folder / "models/assemblies"
    for made in (simulator, assemblies, folder / "models/worlds"):
        made.mkdir(parents=True)
    (simulator / "outdoor_pioneer.py").write_text(SIMULATOR)
    (assemblies / "outdoor_pioneer.xml").write_text(ASSEMBLY)
    write_profile_of(simulator)
    world = World("yard", [ground(), block("shed", 4.5, 0.2, (1.0, 2.0, 1.5))], places={"start": Place(0.0, 0.0)})
    save_world(world, folder / "models/worlds/yard.sdf")
    text = (PROJECT / "system.xml").read_text()
    for before, after in (
        ('<geometry assembly="raptor"/>', '<geometry assembly="outdoor_pioneer"/>'),
        ('type="raptor_simulator"', 'type="outdoor_pioneer"'),
        ('name="world" value="blocks"', 'name="world" value="yard"'),
        ('name="goal_x_m" value="-28.0"', f'name="goal_x_m" value="{GOAL[0]}"'),
        ('name="goal_y_m" value="4.0"', f'name="goal_y_m" value="{GOAL[1]}"'),
    ):
        assert text.count(before) == 1
        text = text.replace(before, after)
    (folder / "system.xml").write_text(text)
    return folder


@pytest.mark.timeout(300)  # physics on a busy machine
def test_it_drives_around_a_shed_to_its_goal(project: Path) -> None:
    opened = open_project(project)
    assert [str(problem) for problem in opened.problems if problem.severity == "error"] == []
    outcome, failures = driven(plan_of(opened.system, opened.registry, project=project), 60.0)
    assert failures == {}
    assert outcome["goal_reached"], outcome
    assert outcome["collisions"] == 0
    assert outcome["path_m"] < 2 * GOAL[0]
