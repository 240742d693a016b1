"""Joints that mimic others turn with them in the embedded simulator, and in what it writes as MJCF."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from studio.model.geometry.assembly import Model
from studio.model.geometry.body import Frame, GivenMass
from studio.model.geometry.joints import Joint, Mimic
from studio.model.geometry.library import load_model
from studio.model.geometry.poses import Pose
from studio.runtime.sim.physics.mjcf import to_mjcf
from studio.runtime.sim.physics.mjcf_import import import_mjcf
from studio.runtime.sim.physics.physics import Physics
from studio.runtime.sim.vehicles.vehicle import vehicle_of
from studio.runtime.sim.worlds.made_worlds import ground
from studio.runtime.sim.worlds.world import Place, World


@pytest.fixture
def raptor() -> Model:
    """With a steering wheel that turns ten times as far as the left front wheel is steered, and begins askew."""
    model = load_model("raptor")
    body = model.bodies["Raptor"]
    wheel = Joint("wheel", "hinge", body.frames[0].name, mimic=Mimic("front_left_steering", -10.0, 0.3))
    frames = [*body.frames, Frame("Rim", Pose((0.1, 0.0, 0.0)), "wheel")]
    with_wheel = replace(body, joints=[*body.joints, wheel], frames=frames, masses=[*body.masses, RIM])
    return replace(model, bodies={**model.bodies, "Raptor": with_wheel})


RIM = GivenMass(0.5, Pose((0.1, 0.0, 0.0)), on="wheel")


@pytest.mark.parametrize("prefix", ["", "Second"])
def test_it_turns_with_the_other_from_where_its_offset_has_it(raptor: Model, prefix: str) -> None:
    vehicle = vehicle_of(raptor, prefix)
    physics = Physics(World("yard", [ground()]), [("raptor", vehicle)], [Place(0.0, 0.0)])
    names = vehicle.joint_names
    rim, steering = names.index(f"{prefix}Raptor.wheel"), names.index(f"{prefix}Raptor.front_left_steering")
    assert physics.joints(0)[0][rim] == pytest.approx(0.3, abs=0.02)
    for piece in vehicle.steering_joints:
        physics.drive(0, piece, 0.2)
    physics.step(400)
    at = physics.joints(0)[0]
    assert at[steering] == pytest.approx(0.2, abs=0.03)
    assert at[rim] == pytest.approx(0.3 - 10.0 * at[steering], abs=0.05)


def test_mjcf_keeps_it_there_and_back(raptor: Model, tmp_path: Path) -> None:
    path = tmp_path / "raptor.xml"
    path.write_text(to_mjcf(raptor))
    imported = import_mjcf(path)
    mimics = [each.joint.mimic for each in imported.model.constraints if each.joint is not None and each.joint.mimic]
    assert [(mimic.multiplier, mimic.offset) for mimic in mimics] == [(-10.0, 0.3)]
    moving = {each.name for each in imported.model.constraints if each.joint is not None}
    assert mimics[0].joint in moving
    assert not any("equalit" in note for note in imported.notes)


def test_equalities_that_are_no_mimic_are_told(tmp_path: Path) -> None:
    path = tmp_path / "two.xml"
    path.write_text(
        '<mujoco model="two"><worldbody><body name="a"><freejoint/><geom size="0.1"/><body name="b" pos="1 0 0">'
        '<joint name="turn"/><geom size="0.1"/></body></body></worldbody><equality><joint joint1="turn"'
        ' polycoef="0.1 0 0 0 0"/><weld body1="a" body2="b"/></equality></mujoco>'
    )
    assert "2 equalities left out" in import_mjcf(path).notes
