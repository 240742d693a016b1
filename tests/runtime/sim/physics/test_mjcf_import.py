"""MJCF as MuJoCo reads it, as bodies and constraints: everything where MuJoCo has it."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

from studio.errors import StudioError
from studio.model.geometry.shapes import Box, Cylinder, Mesh
from studio.model.geometry.transforms import Transforms
from studio.runtime.sim.physics.mjcf_import import import_mjcf, is_mjcf

CRANE = """<mujoco model="crane">
  <compiler angle="degree"/>
  <asset><mesh name="hook" file="hook.obj" scale="2 2 2"/></asset>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <body name="base" pos="1 0 0.5" euler="0 0 30">
      <geom name="plinth" type="box" size="0.2 0.3 0.5" rgba="1 0 0 1"/>
      <body name="boom" pos="0 0 0.6" euler="10 20 0">
        <joint name="slew" axis="0 0 1" pos="0.1 0 0" range="-90 90"/>
        <joint name="luff" axis="0 1 0"/>
        <geom name="tube" type="capsule" size="0.05 0.5" pos="0.5 0 0" euler="0 90 0"/>
        <site name="Tip" pos="1 0 0"/>
        <body name="load" pos="1 0 -0.4">
          <joint name="rope" type="slide" axis="0 0 -1" range="0 0.5"/>
          <geom name="hook" type="mesh" mesh="hook" contype="0" conaffinity="0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="slew"/></actuator>
</mujoco>
"""
HOOK = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.fixture
def crane(tmp_path: Path) -> Path:
    (tmp_path / "hook.obj").write_text(HOOK)
    path = tmp_path / "crane.xml"
    path.write_text(CRANE)
    return path


def test_every_body_is_where_mujoco_has_it_whatever_the_joints_do(crane: Path) -> None:
    imported = import_mjcf(crane)
    model = mujoco.MjModel.from_xml_path(str(crane))
    data = mujoco.MjData(model)
    transforms = Transforms(imported.model)
    joints = {each.joint.name: each.joint for each in imported.model.constraints if each.joint is not None}
    assert {name: joint.kind for name, joint in joints.items()} == {"slew": "hinge", "luff": "hinge", "rope": "slider"}
    assert joints["slew"].upper == pytest.approx(np.pi / 2) and joints["luff"].upper is None
    for position in (0.0, 0.3):
        data.qpos[:] = position
        mujoco.mj_kinematics(model, data)
        for joint in joints:
            transforms.set_joint(joint, position)
        base, load = (model.body(name).id for name in ("base", "load"))
        theirs = np.linalg.inv(placed(data, base)) @ placed(data, load)
        assert np.allclose(transforms.get_transformation("load", "base"), theirs, atol=1e-9)


def placed(data: mujoco.MjData, body: int) -> np.ndarray:
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = data.xmat[body].reshape(3, 3), data.xpos[body]
    return made


def test_shapes_sites_and_masses_come_along_and_what_is_lost_is_told(crane: Path) -> None:
    imported = import_mjcf(crane)
    bodies = imported.model.bodies
    (plinth,), (tube,), (hook,) = bodies["base"].shapes, bodies["boom"].shapes, bodies["load"].shapes
    assert isinstance(plinth, Box) and plinth.size == (0.4, 0.6, 1.0) and plinth.colour == "1 0 0 1"
    assert isinstance(tube, Cylinder) and (tube.radius, tube.length) == (0.05, 1.0)
    assert isinstance(hook, Mesh) and hook.scale == (2.0, 2.0, 2.0) and hook.use == "visual"
    assert Path(hook.file).is_file() and np.allclose(hook.pose.matrix, np.eye(4), atol=1e-6)
    assert "Tip" in [frame.name for frame in bodies["boom"].frames] and bodies["base"].is_static
    notes = " ".join(imported.notes)
    assert "capsules become cylinders" in notes and "1 actuators" in notes and "1 shape of the world" in notes


def test_what_mujoco_refuses_is_refused_in_its_words(tmp_path: Path) -> None:
    path = tmp_path / "broken.xml"
    path.write_text('<mujoco><worldbody><body name="a"><joint type="warp"/></body></worldbody></mujoco>')
    assert is_mjcf(path.read_bytes())
    with pytest.raises(StudioError, match="MuJoCo cannot read it"):
        import_mjcf(path)
