"""Worlds in SDF, kept as they are written: every file that ships, and what Studio does not know."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.errors import StudioError
from studio.model.changes import ModelError
from studio.model.geometry.obstacles import (
    WallSize,
    copied,
    new_obstacle,
    new_place,
    new_wall,
    wall_size,
    with_wall_size,
)
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Rotation
from studio.model.geometry.shapes import Box, Cylinder
from studio.model.geometry.workspace import Workspace
from studio.model.geometry.world import PLACES, WorldModel, carrier_pose
from studio.model.geometry.world_edits import AddToWorld, ChangeInWorld, DescribeWorld, RemoveFromWorld
from studio.model.geometry.world_xml import read_world, write_world
from studio.model.text_changes import text_changes
from studio.paths import model_roots
from studio.runtime.sim.worlds.world_sdf import parse_world

WORLDS = sorted((model_roots()[0] / "worlds").glob("*.sdf"))
ODD = b"""<?xml version='1.0'?>
<!-- from elsewhere -->
<sdf version='1.9'><world name="odd">
\t<plugin name="physics" filename="gz-sim-physics-system"/>
\t<light type="directional" name="sun"><pose>0 0 10 0 0 0</pose></light>
\t<frame name='base'><pose degrees="true">1 2 0 0 0 90</pose></frame>
\t<model name='shelf'>   <!-- two links -->
\t\t<pose relative_to="base">1 0 0  0 0 0</pose>
\t\t<link name="frame"><inertial><mass>3</mass></inertial>
\t\t\t<collision name="a"><geometry><box><size>1.0 0.50 2e0</size></box></geometry>
\t\t\t\t<surface><friction><ode><mu>0.7</mu><mu2>0.3</mu2><fdir1>1 0 0</fdir1></ode></friction></surface></collision>
\t\t\t<visual name="a_seen"><geometry><box><size>1 .5 2</size></box></geometry>
\t\t\t\t<material><script><name>Wood</name></script><diffuse>0.1 0.2 0.3</diffuse></material></visual>
\t\t\t<visual name="sign"><pose>0 0 1.2 0 0 0</pose><geometry><polyline/></geometry></visual>
\t\t</link>
\t\t<link name="door"><pose rotation_format="quat_xyzw">0 1 0 0 0 0 1</pose>
\t\t\t<collision name="leaf"><geometry>
\t\t\t\t<cylinder><length>1</length><radius>.1</radius></cylinder></geometry></collision></link>
\t\t<joint name="hinge" type="revolute"><parent>frame</parent><child>door</child></joint>
\t</model>
\t<include><uri>model://chair</uri><pose>3 0 0 0 0 0</pose><static>true</static></include>
\t<model name="thing"><static> 1 </static><pose/><link name="l"><collision name="c"><geometry>
\t\t<plane><normal>0 0 1</normal><size>5 5</size></plane></geometry></collision></link></model>
</world></sdf>
"""


@pytest.fixture
def yard(tmp_path: Path) -> Workspace:
    path = tmp_path / "odd.sdf"
    path.write_bytes(ODD)
    return Workspace.load(path)


def changed(workspace: Workspace) -> list[str]:
    found = text_changes(workspace.saved_text(), workspace.text())
    return [line.text.strip() for line in found.lines if line.kind == "added"]


def model(workspace: Workspace, name: str) -> WorldModel:
    part = workspace.world().parts()[name]
    assert isinstance(part, WorldModel)
    return part


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_every_world_that_ships_is_written_as_it_was_read(path: Path) -> None:
    data = path.read_bytes()
    assert write_world(read_world(data, path), data) == data
    assert Workspace.load(path).text() == data


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.stem)
def test_the_editor_has_everything_where_the_simulator_has_it(path: Path) -> None:
    simulated, shown = parse_world(path.read_bytes(), path), Workspace.load(path).assembled.model
    for solid in (*simulated.solids, *simulated.terrains):
        (shape,) = (each for each in shown.bodies[solid.name].shapes if each.is_collision)
        assert np.allclose(shown.placed[solid.name].matrix @ shape.pose.matrix, solid.pose, atol=1e-12)
    for name, place in simulated.places.items():
        pose = shown.bodies[PLACES].frame(name).pose.matrix
        assert np.allclose(pose[:2, 3], (place.x_m, place.y_m))


def test_what_studio_does_not_know_survives_byte_for_byte(yard: Workspace) -> None:
    assert yard.text() == ODD
    shelf = model(yard, "shelf")
    assert [each.shape.use for each in shelf.shapes] == ["both", "visual", "collision"]
    assert isinstance(shelf.shapes[0].shape, Box) and isinstance(shelf.shapes[2].shape, Cylinder)
    at = yard.assembled.model.placed["shelf"].matrix
    assert np.allclose(at[:3, 3], (1, 3, 0)) and np.allclose(at[:3, 0], (0, 1, 0))  # its pose counts from a frame
    yard.do(ChangeInWorld("shelf", replace(shelf, pose=Pose((2.0, 0.0, 0.0)))))
    assert changed(yard) == ['<pose relative_to="base">2 0 0 0 0 0</pose>']
    yard.undo()
    assert yard.text() == ODD


def test_a_size_changes_collision_and_visual_and_keeps_the_words_that_are_right(yard: Workspace) -> None:
    shelf = model(yard, "shelf")
    box = shelf.shapes[0]
    assert isinstance(box.shape, Box)
    higher = replace(box, shape=replace(box.shape, size=(1.0, 0.5, 3.0)))
    yard.do(ChangeInWorld("shelf", shelf.with_shape(0, higher)))
    assert [line.count("<size>1.0 0.50 3</size>") + line.count("<size>1 .5 3</size>") for line in changed(yard)] == [
        1,
        1,
    ]


def test_friction_and_colour_touch_nothing_else(yard: Workspace) -> None:
    shelf = model(yard, "shelf")
    yard.do(ChangeInWorld("shelf", shelf.with_shape(0, replace(shelf.shapes[0], friction=0.2))))
    (line,) = changed(yard)
    assert "<mu>0.2</mu><mu2>0.3</mu2><fdir1>1 0 0</fdir1>" in line  # the file has them apart
    yard.undo()
    red = replace(shelf.shapes[0], shape=replace(shelf.shapes[0].shape, colour="1 0 0 1"))
    yard.do(ChangeInWorld("shelf", shelf.with_shape(0, red)))
    (line,) = changed(yard)
    assert "<script><name>Wood</name></script><diffuse>1 0 0</diffuse>" in line
    door = replace(model(yard, "shelf").shapes[2], friction=0.5)
    yard.do(ChangeInWorld("shelf", model(yard, "shelf").with_shape(2, door)))
    assert b"<ode>" in yard.text() and read_world(yard.text()).models[0].shapes[2].friction == 0.5


def test_degrees_and_quaternions_are_written_as_they_were(yard: Workspace) -> None:
    base = yard.world().parts()["base"]
    turned = Pose((1.0, 2.0, 0.0), Rotation("rpy", (0.0, 0.0, 45.0), "degrees"))
    yard.do(ChangeInWorld("base", replace(base, pose=turned)))
    assert changed(yard) == ["<frame name='base'><pose degrees=\"true\">1 2 0 0 0 45</pose></frame>"]
    shelf = model(yard, "shelf")
    door = replace(shelf.links[1], pose=turned)
    yard.do(ChangeInWorld("shelf", replace(shelf, links=(shelf.links[0], door))))
    assert b'<pose rotation_format="quat_xyzw">1 2 0 0 0 0.38268' in yard.text()


def test_what_a_pose_counts_from_can_be_renamed_and_not_removed(yard: Workspace) -> None:
    with pytest.raises(ModelError, match="shelf is relative to base"):
        yard.do(RemoveFromWorld("base"))
    yard.do(ChangeInWorld("base", replace(yard.world().parts()["base"], name="corner")))
    assert np.allclose(carrier_pose(yard.world(), "shelf")[:2, 3], (1, 2))


@pytest.mark.parametrize("name", ["", "world", "__own", "a::b", "shelf", " "])
def test_names_that_sdf_does_not_allow_are_refused(yard: Workspace, name: str) -> None:
    before = yard.text()
    with pytest.raises(ModelError):
        yard.do(ChangeInWorld("thing", replace(model(yard, "thing"), name=name)))
    assert yard.text() == before


def test_an_obstacle_stands_on_the_ground_and_the_simulator_has_it(tmp_path: Path) -> None:
    workspace = Workspace.load(WORLDS[0])
    for kind, height in (("box", 0.5), ("cylinder", 0.5), ("sphere", 0.5)):
        made = new_obstacle(workspace.world(), kind, (2.0, -3.0))
        workspace.do(AddToWorld(made))
        solid = next(s for s in parse_world(workspace.text(), WORLDS[0]).solids if s.name == kind)
        assert solid.kind == kind and tuple(solid.pose[:3, 3]) == (2.0, -3.0, height)
    copy = copied(workspace.world(), model(workspace, "box"), (1.0, 0.0, 0.0))
    assert copy.name == "box2" and copy.pose.xyz == (3.0, -3.0, 0.5)


def test_a_wall_has_a_side_for_each_line_and_closed_corners() -> None:
    workspace = Workspace.load(WORLDS[0])
    square = [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0), (0.0, 0.0)]
    wall = new_wall(workspace.world(), square, 1.2, 0.2)
    assert wall_size(wall) == WallSize(1.2, 0.2) and len(wall.shapes) == 4
    assert [each.shape.size[0] for each in wall.shapes if isinstance(each.shape, Box)] == [4.2, 3.2, 4.2, 3.2]
    higher = with_wall_size(wall, WallSize(2.0, 0.4))
    assert wall_size(higher) == WallSize(2.0, 0.4)
    assert [each.shape.size[0] for each in higher.shapes if isinstance(each.shape, Box)] == [4.4, 3.4, 4.4, 3.4]
    workspace.do(AddToWorld(higher))
    name = higher.name
    solids = {s.name: s for s in parse_world(workspace.text(), WORLDS[0]).solids}
    assert np.allclose(solids[f"{name}/side_2"].pose[:3, 3], (4.0, 1.5, 1.0))
    with pytest.raises(ModelError, match="two corners"):
        new_wall(workspace.world(), [(1.0, 1.0), (1.0, 1.0)], 1.0, 0.1)


def test_a_place_named_after_a_vehicle_shows_it() -> None:
    workspace = Workspace.load(WORLDS[0])
    workspace.do(AddToWorld(new_place(workspace.world(), "start_raptor", (5.0, 1.0))))
    workspace.do(AddToWorld(new_place(workspace.world(), "start_raptor", (9.0, 1.0))))
    starts = ("start_raptor", "start_raptor2", "start", "start_nobody")
    assert [workspace.vehicles.vehicle_at(each) for each in starts] == ["raptor", "raptor", None, None]
    shown = workspace.assembled.model
    assert len(shown.bodies["start_raptor2"].shapes) > 10 and shown.placed["start_raptor2"].xyz == (9.0, 1.0, 0.0)


def test_gravity_and_name(yard: Workspace) -> None:
    yard.do(DescribeWorld("moon", (0.0, 0.0, -1.62)))
    assert changed(yard)[0].endswith('<world name="moon">') and "<gravity>0 0 -1.62</gravity>" in changed(yard)[1]
    yard.undo()
    assert yard.text() == ODD


@pytest.mark.parametrize(
    "was, becomes, line, message",
    [
        (b"<sdf version='1.9'>", b"<robot>", 3, "not <robot>"),
        (b"1.0 0.50 2e0", b"1.0 0.50", 10, "takes 3 numbers"),
        (b"1.0 0.50 2e0", b"1.0 0 2", 10, "above 0"),
        (b'relative_to="base"', b'relative_to="nowhere"', None, "nowhere, which does not exist"),
        (b"<uri>model://chair</uri>", b"", 21, "needs <uri>"),
        (b'name="thing"', b'name="shelf"', 22, "a second model"),
        (b"<radius>.1</radius>", b"", 18, "needs <radius>"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    yard: Workspace, was: bytes, becomes: bytes, line: int | None, message: str
) -> None:
    text = ODD.replace(was, becomes)
    if was.startswith(b"<sdf"):
        text = text.replace(b"</sdf>", b"</robot>")
    problems = yard.write_text(text)
    if not problems:
        assert yard.trouble is not None and message in yard.trouble.message
        return
    assert message in problems[0].message and problems[0].line == line


def test_saving_a_copy_takes_images_along(tmp_path: Path) -> None:
    slopes = next(path for path in WORLDS if path.stem == "slopes")
    workspace = Workspace.load(slopes)
    workspace.save_as(tmp_path / "worlds" / "mine.sdf")
    again = tmp_path / "worlds" / "mine.sdf"
    assert again.read_bytes() == slopes.read_bytes()
    assert len(parse_world(again.read_bytes(), again).terrains) == 1


def test_a_model_alone_is_no_world(tmp_path: Path) -> None:
    path = tmp_path / "chair.sdf"
    path.write_text('<sdf version="1.7"><model name="chair"/></sdf>')
    with pytest.raises(StudioError, match="no <world>"):
        Workspace.load(path)


CHAIR = """<sdf version="1.7"><model name="chair"><pose>0 0 0.1 0 0 0</pose>
  <link name="seat"><pose>0 0 0.4 0 0 0</pose>
    <visual name="seat"><geometry><box><size>0.4 0.4 0.05</size></box></geometry></visual></link>
  <link name="back"><pose>0.2 0 0.7 0 0 0</pose>
    <collision name="back"><geometry><box><size>0.05 0.4 0.6</size></box></geometry></collision></link>
  <joint name="glue" type="fixed"><parent>seat</parent><child>back</child></joint>
</model></sdf>"""


def test_an_include_looks_as_its_file_has_it(yard: Workspace) -> None:
    def heights() -> list[float]:
        chair = yard.assembled.model.bodies["chair"]
        return sorted(round(each.pose.matrix[2, 3], 6) for each in chair.shapes)

    (include,) = yard.world().includes
    assert yard.included.model_of(include, yard.world().file) is None and heights() == []
    folder = yard.main.parent / "chair"
    folder.mkdir()
    (folder / "model.sdf").write_text(CHAIR)
    before = yard.text()
    yard.do(ChangeInWorld("chair", replace(include, pose=Pose((2.0, 0.0, 0.0)))))
    assert heights() == [0.4, 0.7], "in the place of the model's own pose"
    assert yard.assembled.model.placed["chair"].xyz == (2.0, 0.0, 0.0)
    yard.undo()
    assert yard.text() == before
    yard.do(ChangeInWorld("chair", replace(include, pose=Pose())))
    assert heights() == [0.5, 0.8], "without a pose of its own it stands where the model says"
    (folder / "model.sdf").write_text("<sdf><model>")
    os.utime(folder / "model.sdf", (1, 1))
    yard.undo()
    assert heights() == [] and isinstance(yard.included.model_of(include, yard.world().file), StudioError)


COUNTED = b"""<?xml version="1.0"?>
<sdf version="1.9"><world name="w"><model name="gate" placement_frame="foot">
<pose>10 0 0 0 0 0</pose><static>true</static>
<frame name="foot"><pose>0 0 1 0 0 0</pose></frame>
<link name="post"><pose relative_to="foot">0 1 0 0 0 1.5707963267948966</pose>
<collision name="a"><pose relative_to="tip">0 0 0.5 0 0 0</pose><geometry><box><size>1 1 1</size></box></geometry></collision>
<visual name="a_seen"><pose>0 0 0.5 0 0 0</pose><geometry><box><size>1 1 1</size></box></geometry></visual></link>
<frame name="tip" attached_to="post"><pose>1 0 0 0 0 0</pose></frame>
<link name="arm"><pose relative_to="hinge">0 0 0 0 0 0</pose>
<collision name="b"><pose relative_to="inner::hook">0 0 0 0 0 0</pose><geometry><sphere><radius>1</radius></sphere></geometry></collision>
</link>
<joint name="hinge" type="fixed"><pose relative_to="post">0 0 2 0 0 0</pose><parent>post</parent><child>arm</child></joint>
<model name="inner"><pose relative_to="tip">0 0 3 0 0 0</pose><link name="hook"><pose>0 2 0 0 0 0</pose>
<visual name="eye"><geometry><sphere><radius>1</radius></sphere></geometry></visual></link></model>
</model></world></sdf>
"""  # noqa: E501


def test_poses_in_a_model_count_from_what_they_name(tmp_path: Path) -> None:
    path = tmp_path / "counted.sdf"
    path.write_bytes(COUNTED)
    workspace = Workspace.load(path)
    shown = workspace.assembled.model
    body = shown.bodies["gate"]
    at = {shape.name: (shown.placed["gate"].matrix @ shape.pose.matrix)[:3, 3].tolist() for shape in body.shapes}
    assert at["a"] == pytest.approx([10.0, 2.0, 0.5]), "the post is 1 m left of the foot, its tip 1 m further"
    assert at["a_seen"] == pytest.approx([10.0, 1.0, 0.5]), "this one counts from its link, and is another place"
    assert at["b"] == pytest.approx([8.0, 2.0, 3.0])
    assert at["inner::eye"] == pytest.approx([8.0, 2.0, 3.0]), "models in a model are drawn"
    gate = model(workspace, "gate")
    moved = gate.with_shape(0, replace(gate.shapes[0], shape=replace(gate.shapes[0].shape, pose=Pose((0.0, 0.0, 2.0)))))
    workspace.do(ChangeInWorld("gate", moved))
    assert workspace.text() == COUNTED.replace(b'"tip">0 0 0.5 0 0 0<', b'"tip">0 0 2 0 0 0<')
    workspace.undo()
    assert workspace.text() == COUNTED


@pytest.mark.parametrize(
    ("wrong", "said"),
    [(b'relative_to="nowhere"', "which does not exist"), (b'relative_to="arm"', "is relative to itself")],
)
def test_what_a_pose_counts_from_has_to_be_there(tmp_path: Path, wrong: bytes, said: str) -> None:
    with pytest.raises(StudioError, match=said) as caught:
        read_world(COUNTED.replace(b'relative_to="hinge"', wrong), tmp_path / "w.sdf")
    assert caught.value.line
