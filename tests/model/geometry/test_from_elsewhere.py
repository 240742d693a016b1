"""SDF and URDF files as others write them: what they mean is kept, or told, or refused by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from studio.errors import StudioError
from studio.model.files import FileError
from studio.model.geometry.assembly import Model
from studio.model.geometry.assembly_xml import read_assembly, write_assembly
from studio.model.geometry.body_xml import read_body, write_body
from studio.model.geometry.flat_model import content_of, model_of
from studio.model.geometry.import_model import import_model
from studio.model.geometry.import_tree import Imported
from studio.model.geometry.joints import Mimic
from studio.model.geometry.library import Library
from studio.model.geometry.rotations import from_axis_angle, from_rpy
from studio.model.geometry.rules import check_model
from studio.model.geometry.sdf import to_sdf
from studio.model.geometry.transforms import Transforms
from studio.model.geometry.urdf import to_urdf


def imported(folder: Path, text: str, name: str = "model.sdf") -> Imported:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return import_model(path)


def sdf_again(folder: Path, model: Model) -> tuple[etree._Element, Model]:
    """The exported model element, and what is read of it."""
    text = to_sdf(model).text
    found = etree.fromstring(text).find("model")
    assert found is not None
    return found, imported(folder, text, "again.sdf").model


# ---- the axes in which SDF gives an axis

WHEEL = """<sdf version="{version}"><model name="cart">
  <link name="base"/>
  <link name="wheel"><pose>0 0.2 0 -1.5 0.2 0.1</pose></link>
  <joint name="axle" type="revolute"><parent>base</parent><child>wheel</child>
    <pose>0 0 0.1 0.4 0 0</pose><axis><xyz{expressed}>0 1 0</xyz>{told}</axis></joint>
</model></sdf>"""
IN_MODEL, IN_JOINT, IN_WHEEL = (
    np.eye(3),
    from_rpy(-1.5, 0.2, 0.1) @ from_rpy(0.4, 0, 0),
    from_rpy(-1.5, 0.2, 0.1),
)


@pytest.mark.parametrize(
    ("version", "expressed", "told", "axes"),
    [
        ("1.3", "", "", IN_MODEL),
        ("1.4", "", "", IN_MODEL),
        ("1.5", "", "", IN_JOINT),
        ("1.5", "", "<use_parent_model_frame>1</use_parent_model_frame>", IN_MODEL),
        ("1.6", "", "<use_parent_model_frame>false</use_parent_model_frame>", IN_JOINT),
        ("1.6", "", "<use_parent_model_frame>True</use_parent_model_frame>", IN_MODEL),
        ("1.7", "", "", IN_JOINT),
        ("1.7", ' expressed_in="__model__"', "", IN_MODEL),
        ("1.9", ' expressed_in="wheel"', "", IN_WHEEL),
        ("1.10", "", "<use_parent_model_frame>1</use_parent_model_frame>", IN_JOINT),
        ("1.12", ' expressed_in="base"', "", IN_MODEL),
    ],
)
def test_an_axis_is_in_the_axes_that_its_version_of_sdf_means(
    tmp_path: Path, version: str, expressed: str, told: str, axes: np.ndarray
) -> None:
    model = imported(tmp_path, WHEEL.format(version=version, expressed=expressed, told=told)).model
    transforms = Transforms(model, compiled=False)
    before = transforms.get_transformation("wheel", "base")[:3, :3]
    transforms.set_joint("axle", 0.7)
    turned = transforms.get_transformation("wheel", "base")[:3, :3] @ before.T
    x, y, z = (axes @ [0, 1, 0]).tolist()
    assert turned == pytest.approx(from_axis_angle((x, y, z), 0.7))


# ---- where a model is, and whether it moves

HOUSE = """<sdf version="1.6"><model name="house"><static>{static}</static><pose>10 5 0 0 0 1.5</pose>
  <link name="link"><pose>0 0 0.5 0 0 0</pose></link>{more}</model></sdf>"""
SHED = '<link name="shed"><pose>3 0 0 0 0 0.5</pose></link>'


@pytest.mark.parametrize("static", ["true", "1", "false"])
@pytest.mark.parametrize("more", ["", SHED])
def test_static_and_the_poses_of_model_and_links_survive(tmp_path: Path, static: str, more: str) -> None:
    model = imported(tmp_path, HOUSE.format(static=static, more=more)).model
    found, again = sdf_again(tmp_path, model)
    assert found.findtext("static") == (None if static == "false" else "true")
    assert (found.findtext("pose") or "").split() == ["10.0", "5.0", "0.0", "0.0", "0.0", "1.5"]
    poses = {link.get("name"): (link.findtext("pose") or "").split() for link in found.findall("link")}
    assert poses["link"] == ["0.0", "0.0", "0.5", "0.0", "0.0", "0.0"]
    if more:
        assert poses["shed"] == ["3.0", "0.0", "0.0", "0.0", "0.0", "0.5"]
    assert np.array_equal(again.pose.matrix, model.pose.matrix)
    assert {name: pose.matrix.tolist() for name, pose in again.placed.items()} == {
        name: pose.matrix.tolist() for name, pose in model.placed.items()
    }
    assert {body.is_static for body in again.bodies.values()} == {static != "false"}


def test_static_and_poses_survive_our_own_files(tmp_path: Path) -> None:
    found = imported(tmp_path, HOUSE.format(static="true", more=SHED))
    for name, body in found.model.bodies.items():
        text = write_body(body)
        (tmp_path / f"{name}.xml").write_bytes(text)
        assert read_body(text).is_static
        assert write_body(read_body(text), text) == text
    path = tmp_path / "house.xml"
    path.write_bytes(write_assembly(found.assembly))
    assert write_assembly(read_assembly(path.read_bytes()), path.read_bytes()) == path.read_bytes()
    loaded = Library([tmp_path]).load(path)
    assert content_of(loaded).digest == content_of(found.model).digest
    assert content_of(model_of(content_of(loaded))).digest == content_of(loaded).digest
    assert [problem.message for problem in check_model(loaded)] == []


def test_one_link_that_is_held_to_the_world_is_static_and_the_others_are_not(tmp_path: Path) -> None:
    text = """<sdf version="1.6"><model name="lamp"><link name="foot"/><link name="head"/>
      <joint name="weld" type="fixed"><parent>world</parent><child>foot</child></joint>
      <joint name="neck" type="revolute"><parent>foot</parent><child>head</child><axis><xyz>0 0 1</xyz></axis></joint>
    </model></sdf>"""
    model = imported(tmp_path, text).model
    assert {name: body.is_static for name, body in model.bodies.items()} == {"foot": True, "head": False}
    found, again = sdf_again(tmp_path, model)
    assert found.find("static") is None
    assert {name: body.is_static for name, body in again.bodies.items()} == {"foot": True, "head": False}


def test_what_urdf_cannot_say_of_a_house_is_told(tmp_path: Path) -> None:
    notes = to_urdf(imported(tmp_path, HOUSE.format(static="true", more="")).model).notes
    assert "static is left out: URDF has no such property" in notes
    assert "the pose of the model in the world is left out: URDF has none" in notes
    assert "the pose of link in the model is left out: in URDF the root is the origin" in notes


@pytest.mark.parametrize(("static", "kind"), [("true", "fixed"), ("false", "floating")])
def test_links_without_joints_hang_on_the_first_in_urdf(tmp_path: Path, static: str, kind: str) -> None:
    model = imported(tmp_path, HOUSE.format(static=static, more=SHED)).model
    made = to_urdf(model)
    robot = etree.fromstring(made.text)
    (joint,) = [each for each in robot.findall("joint") if each.get("name") == "shed_in_link"]
    assert joint.get("type") == kind
    assert joint.find("origin").get("xyz") == "3.0 0.0 -0.5"  # type: ignore[union-attr]
    assert any("URDF holds one tree" in note for note in made.notes)
    again = imported(tmp_path, made.text, "again.urdf").model
    if kind == "floating":
        assert [pose.xyz for pose in again.placed.values()] == [(0.0, 0.0, 0.0), (3.0, 0.0, -0.5)]
    else:
        assert Transforms(again, compiled=False).get_transformation("shed", "link")[0, 3] == 3.0


# ---- models in models

HAND = """<sdf version="1.4"><model name="hand"><pose>9 9 9 0 0 0</pose>
  <link name="palm"/><link name="tip"><pose>0.1 0 0 0 0 0</pose></link>
  <joint name="bend" type="revolute"><parent>palm</parent><child>tip</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""
ARM = """<sdf version="1.6"><model name="arm"><link name="base"/>
  <include><uri>{uri}</uri><name>left</name><pose>0 1 0 0 0 1.5707963267948966</pose></include>
  <joint name="wrist" type="fixed"><parent>base</parent><child>left::palm</child></joint>
</model></sdf>"""


@pytest.mark.parametrize("uri", ["model://hand", "../hand", "model://hand/model.sdf"])
def test_an_included_model_is_read_with_its_own_version(tmp_path: Path, uri: str) -> None:
    (tmp_path / "hand").mkdir()
    (tmp_path / "hand" / "model.sdf").write_text(HAND)
    found = imported(tmp_path, ARM.format(uri=uri), "arm/model.sdf")
    assert list(found.model.bodies) == ["base", "left_palm", "left_tip"]
    transforms = Transforms(found.model, compiled=False)
    assert transforms.get_transformation("left_tip", "base")[:3, 3] == pytest.approx([0, 1.1, 0])
    transforms.set_joint("left_bend", 0.3)
    assert transforms.get_transformation("left_tip", "left_palm")[:3, :3] == pytest.approx(from_rpy(0, 0.3, 0))
    assert "the link left::palm is called left_palm here" in found.notes


def test_a_model_inside_a_model_is_read(tmp_path: Path) -> None:
    text = """<sdf version="1.9"><model name="arm"><link name="base"><pose>0 0 1 0 0 0</pose></link>
      <model name="hand" placement_frame="grip"><pose relative_to="base">1 0 0 0 0 0</pose>
        <link name="palm"/><frame name="grip" attached_to="palm"><pose>0 0 0.25 0 0 0</pose></frame></model>
      <joint name="wrist" type="fixed"><parent>base</parent><child>hand</child></joint>
    </model></sdf>"""
    model = imported(tmp_path, text).model
    assert Transforms(model, compiled=False).get_transformation("hand_palm", "base")[:3, 3] == pytest.approx(
        [1, 0, -0.25]
    )


def test_an_included_model_that_is_not_here_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(StudioError, match="it includes model://hand, which is not here") as caught:
        imported(tmp_path, ARM.format(uri="model://hand"))
    assert caught.value.line == 2


def test_a_model_that_includes_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hand").mkdir()
    (tmp_path / "hand" / "model.sdf").write_text(ARM.format(uri="model://arm"))
    with pytest.raises(StudioError, match="includes itself"):
        imported(tmp_path, ARM.format(uri="model://hand"), "arm/model.sdf")


def test_a_merged_include_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "hand").mkdir()
    (tmp_path / "hand" / "model.sdf").write_text(HAND)
    with pytest.raises(StudioError, match="it merges model://hand into itself"):
        imported(tmp_path, ARM.format(uri="model://hand").replace("<include>", '<include merge="true">'))


def test_a_world_says_which_models_it_does_without(tmp_path: Path) -> None:
    text = """<sdf version="1.6"><world name="yard"><include><uri>model://sun</uri></include>{0}
      <include><uri>model://hand</uri><pose>0 0 2 0 0 0</pose></include></world></sdf>"""
    with pytest.raises(StudioError, match="only includes models that are not here: model://sun, model://hand"):
        imported(tmp_path, text.format(""), "worlds/yard.world")
    (tmp_path / "hand").mkdir()
    (tmp_path / "hand" / "model.sdf").write_text(HAND)
    found = imported(tmp_path, text.format('<model name="box"><link name="link"/></model>'), "worlds/yard.world")
    assert "<include> of model://sun is left out: it is not here" in found.notes
    assert list(found.model.bodies) == ["box_link", "hand_palm", "hand_tip"]
    assert {name: pose.xyz for name, pose in found.model.placed.items()} == {
        "box_link": (0.0, 0.0, 0.0), "hand_palm": (0.0, 0.0, 2.0),
    }  # fmt: skip


def test_models_of_one_name_in_a_world_are_numbered_where_sdf_allows_it(tmp_path: Path) -> None:
    box = '<model name="box"><pose>{0} 0 0 0 0 0</pose><link name="link"/></model>'
    text = '<sdf version="{0}"><world name="yard">' + box.format(1) + box.format(2) + "</world></sdf>"
    found = imported(tmp_path, text.format("1.6"))
    assert {name: pose.xyz[0] for name, pose in found.model.placed.items()} == {"box_link": 1.0, "box_2_link": 2.0}
    assert "a second model box is called box_2 here" in found.notes
    with pytest.raises(StudioError, match="a second model box"):
        imported(tmp_path, text.format("1.8"))


# ---- names

SAME_NAME = """<sdf version="{0}"><model name="m"><link name="base"/><link name="wheel"><pose>1 0 0 0 0 0</pose></link>
  <joint name="wheel" type="revolute"><parent>base</parent><child>wheel</child><axis><xyz>0 1 0</xyz></axis></joint>
</model></sdf>"""


def test_a_joint_may_have_the_name_of_its_link_where_sdf_allows_it(tmp_path: Path) -> None:
    model = imported(tmp_path, SAME_NAME.format("1.6")).model
    assert [each.name for each in model.constraints] == ["wheel"]
    assert Transforms(model, compiled=False).get_transformation("wheel", "base")[0, 3] == 1.0
    made = to_sdf(model)
    assert "the joint wheel is called wheel_joint there: SDF needs its name for something else" in made.notes
    again = imported(tmp_path, made.text, "again.sdf").model
    assert Transforms(again, compiled=False).get_transformation("wheel", "base")[0, 3] == 1.0
    with pytest.raises(StudioError, match="a second joint wheel") as caught:
        imported(tmp_path, SAME_NAME.format("1.7"))
    assert "one name space" in caught.value.hint


@pytest.mark.parametrize("version", ["1.4", "1.9"])
@pytest.mark.parametrize("kind", ["link", "joint"])
def test_a_second_link_or_joint_of_one_name_is_refused(tmp_path: Path, kind: str, version: str) -> None:
    ends = "<parent>a</parent><child>b</child>"
    twice = f'<{kind} name="x" type="fixed">{ends if kind == "joint" else ""}</{kind}>' * 2
    text = f'<sdf version="{version}"><model name="m"><link name="a"/><link name="b"/>{twice}</model></sdf>'
    with pytest.raises(FileError, match=f"a second {kind} x"):
        imported(tmp_path, text)


def test_a_link_called_world_gets_another_name_in_sdf(tmp_path: Path) -> None:
    text = """<robot name="r"><link name="world"/><link name="base"/>
      <joint name="weld" type="fixed"><parent link="world"/><child link="base"/></joint></robot>"""
    made = to_sdf(imported(tmp_path, text, "r.urdf").model)
    assert "the link world is called world_link there: SDF needs its name for something else" in made.notes
    again = imported(tmp_path, made.text).model
    assert list(again.bodies) == ["world_link", "base"]


UNSORTED = """<robot name="jackal">
  <link name="wheel"/><link name="chassis"/><link name="base_link"/>
  <joint name="wheel" type="continuous"><parent link="chassis"/><child link="wheel"/><origin xyz="0 0.3 0"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="base_to_chassis" type="fixed"><parent link="base_link"/><child link="chassis"/>
    <origin xyz="0 0 0.2" rpy="0 0 1"/></joint></robot>"""


def links_and_joints(text: str) -> tuple[str, dict[str, tuple[str, str]]]:
    """The root of a URDF text, and its joints without those of frames."""
    robot = etree.fromstring(text)
    joints = {
        joint.get("name", ""): (joint.find("parent").get("link", ""), joint.find("child").get("link", ""))  # type: ignore[union-attr]
        for joint in robot.findall("joint")
    }
    children = {child for _, child in joints.values()}
    (root,) = [name for link in robot.findall("link") if (name := link.get("name", "")) not in children]
    return root, {name: ends for name, ends in joints.items() if ":" not in ends[1]}


def test_root_and_joints_of_a_urdf_stay_as_they_were(tmp_path: Path) -> None:
    model = imported(tmp_path, UNSORTED, "jackal.urdf").model
    made = to_urdf(model).text
    assert links_and_joints(made) == links_and_joints(UNSORTED)
    one, other = (Transforms(each, compiled=False) for each in (model, imported(tmp_path, made, "again.urdf").model))
    for each in (one, other):
        each.set_joint("wheel", 0.4)
    for link in ("wheel", "chassis"):
        ours = one.get_transformation(link, "base_link")
        assert np.abs(ours - other.get_transformation(link, "base_link")).max() < 1e-12


def test_joints_keep_their_names_in_sdf_unless_a_link_has_it(tmp_path: Path) -> None:
    made = to_sdf(imported(tmp_path, UNSORTED, "jackal.urdf").model)
    names = [joint.get("name") for joint in etree.fromstring(made.text).iter("joint")]
    assert names == ["base_to_chassis", "wheel_joint"]


def test_names_that_have_to_change_are_listed(tmp_path: Path) -> None:
    text = """<robot name="2 arms"><link name="left/base"/><link name="left base"/>
      <joint name="left.joint" type="fixed"><parent link="left/base"/><child link="left base"/></joint></robot>"""
    notes = imported(tmp_path, text, "arms.urdf").notes
    assert notes == [
        "the link left/base is called left_base here",
        "the link left base is called left_base_ here",
        "the joint left.joint is called left_joint here",
        "the model 2 arms is called _2_arms here",
    ]


def test_the_origin_of_a_link_that_urdf_moves_is_told(tmp_path: Path) -> None:
    notes = to_urdf(imported(tmp_path, WHEEL.format(version="1.4", expressed="", told="")).model).notes
    assert "the origin of the link wheel is moved to its joint, where URDF has it" in notes


@pytest.mark.parametrize(
    "head",
    [
        '<?xml version="0.0" ?>\n',
        '<!-- made by hand -->\n<?xml version="1.0"?>\n',
        '\n<?xml version="1.0" encoding="utf-8"?>',
    ],
)
def test_an_xml_declaration_that_simulators_do_not_mind_is_no_reason_to_refuse(tmp_path: Path, head: str) -> None:
    path = tmp_path / "box.urdf"
    path.write_text(f'{head}<robot name="box">\n<link name="base"/>\n<joint name="a" type="odd"/>\n</robot>')
    with pytest.raises(FileError) as refused:
        import_model(path)
    assert refused.value.line == path.read_text().splitlines().index('<joint name="a" type="odd"/>') + 1
    path.write_text(f'{head}<robot name="box"><link name="base"/></robot>')
    assert list(import_model(path).bodies) == ["base"]


def test_an_encoding_that_is_not_utf_8_is_refused_wherever_it_is_declared(tmp_path: Path) -> None:
    path = tmp_path / "box.urdf"
    path.write_text('\n<?xml version="1.0" encoding="latin-1"?><robot name="box"><link name="base"/></robot>')
    with pytest.raises(FileError, match="not well-formed"):
        import_model(path)


# ---- what stands in other axes, and what is lost


def test_shapes_and_sensors_may_be_placed_in_frames_of_the_model(tmp_path: Path) -> None:
    text = """<sdf version="1.9"><model name="m">
      <frame name="far"><pose>0 0 3 0 0 0</pose></frame>
      <link name="a"><pose>1 0 0 0 0 1.5707963267948966</pose>
        <visual name="v"><pose relative_to="far">0 1 0 0 0 0</pose><geometry><sphere><radius>0.1</radius></sphere>
          </geometry></visual>
        <sensor name="imu" type="imu"><pose relative_to="__model__">0 0 1 0 0 0</pose></sensor>
        <collision name="c"><pose relative_to="a">0 0 5 0 0 0</pose><geometry><sphere><radius>0.1</radius></sphere>
          </geometry></collision></link></model></sdf>"""
    body = imported(tmp_path, text).model.bodies["a"]
    assert [shape.pose.matrix[:3, 3].tolist() for shape in body.shapes] == [
        pytest.approx([1, 1, 3]), pytest.approx([0, 0, 5]),
    ]  # fmt: skip
    assert body.shapes[0].pose.matrix[:3, :3] == pytest.approx(from_rpy(0, 0, -np.pi / 2))
    (frame,) = [each for each in body.frames if each.name == body.sensors[0].frame]
    assert frame.pose.matrix[:3, 3] == pytest.approx([0, 1, 1])


def test_a_laser_that_looks_more_to_one_side_is_turned(tmp_path: Path) -> None:
    text = """<sdf version="1.6"><model name="m"><link name="a"><sensor name="laser" type="ray"><ray><scan>
      <horizontal><samples>91</samples><min_angle>-0.5</min_angle><max_angle>1.5</max_angle></horizontal>
      <vertical><samples>16</samples></vertical></scan></ray></sensor></link></model></sdf>"""
    found = imported(tmp_path, text)
    body = found.model.bodies["a"]
    assert body.sensors[0].fov_deg == pytest.approx(np.degrees(2.0))  # type: ignore[attr-defined]
    (frame,) = [each for each in body.frames if each.name == body.sensors[0].frame]
    assert frame.pose.matrix[:3, :3] == pytest.approx(from_rpy(0, 0, 0.5))
    assert "the laser laser has 16 layers, and only the level one is imported" in found.notes


def test_what_links_joints_and_worlds_of_an_sdf_lose_is_told(tmp_path: Path) -> None:
    text = """<sdf version="1.6"><world name="yard"><gravity>0 0 0</gravity><light name="sun"/>
      <state world_name="yard"><model name="m"><pose>5 0 0 0 0 0</pose></model></state>
      <model name="m"><link name="a"><gravity>1</gravity><kinematic>0</kinematic><light name="lamp"/></link>
        <link name="b"><gravity>false</gravity><pose frame="a">0 0 1 0 0 0</pose></link>
        <joint name="j" type="revolute"><parent>a</parent><child>b</child><sensor name="f" type="force_torque"/>
          <axis><xyz>0 0 1</xyz><dynamics><damping>0.5</damping></dynamics></axis></joint></model></world>
      <world name="other"/><model name="beside"><link name="c"/></model></sdf>"""
    found = imported(tmp_path, text)
    assert found.notes == [
        "the world other is left out: only the first world of a file is read",
        "the model beside is left out: only the first world of a file is read",
        "the <state> of the world is left out: models keep their poses without it",
        "of the world, <gravity>, <light> is left out",
        "<light> of links is left out",
        "<gravity> false of the link b is left out",
        "the attribute frame of <pose> is ignored, as simulators do",
        "<dynamics> of joints (damping, friction, springs) is left out",
        "<sensor> of joints is left out",
    ]


def test_a_joint_of_an_sdf_mimics_another_from_its_reference_on(tmp_path: Path) -> None:
    mimic = '<mimic joint="{}"><multiplier>2</multiplier><offset>0.1</offset><reference>0.3</reference></mimic>'
    text = WHEEL.format(version="1.11", expressed="", told=mimic.format("knee"))
    link = '<link name="shin"/><joint name="knee" type="revolute"><parent>base</parent><child>shin</child>'
    knee = f"{link}<axis><xyz>0 0 1</xyz></axis></joint></model>"
    read = imported(tmp_path, text.replace("</model>", knee))
    (joint,) = [each.joint for each in read.model.constraints if each.name == "axle"]
    assert joint is not None and joint.mimic == Mimic("knee", 2.0, 0.1 - 2.0 * 0.3)
    alone = imported(tmp_path, WHEEL.format(version="1.11", expressed="", told=mimic.format("other")))
    assert "the joint axle moves by itself: it cannot mimic other here" in alone.notes


def test_what_links_and_joints_of_a_urdf_lose_is_told(tmp_path: Path) -> None:
    text = """<robot name="r"><link name="a"><contact/></link><link name="b"/>
      <joint name="j" type="continuous"><parent link="a"/><child link="b"/><dynamics damping="1"/></joint></robot>"""
    assert imported(tmp_path, text, "r.urdf").notes == [
        "<contact> of links is left out", "<dynamics> of joints is left out",
    ]  # fmt: skip


def test_xacro_by_the_name_of_urdf_is_refused(tmp_path: Path) -> None:
    """Its macros would be passed over, and with them parts of the robot."""
    text = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="base"/>
      <xacro:wheel name="left"/></robot>"""
    with pytest.raises(FileError, match="it is a xacro file: <xacro:wheel>") as caught:
        imported(tmp_path, text, "r.urdf")
    assert caught.value.line == 2
    plain = text.replace('<xacro:wheel name="left"/>', "")
    assert list(imported(tmp_path, plain, "r.urdf").model.bodies) == ["base"], "what xacro makes keeps the name space"


def test_a_prefix_that_nobody_declared_is_no_reason_to_refuse(tmp_path: Path) -> None:
    """Drake and others read it; lines stay as they are."""
    text = """<!-- <robot drake:x="1"> -->
    <robot name="r"><link name="a"/><drake:proximity drake:kind="soft"/>
      <joint name="j" type="odd"/></robot>"""
    with pytest.raises(FileError, match="no <parent>") as refused:
        imported(tmp_path, text, "r.urdf")
    assert refused.value.line == 3
    text = text.replace('<joint name="j" type="odd"/>', "")
    assert imported(tmp_path, text, "r.urdf").notes == ["<{urn:undeclared:drake}proximity> is left out"]
    with pytest.raises(FileError, match="it is a xacro file"):
        imported(tmp_path, text.replace("drake:", "xacro:"), "r.urdf")


def test_an_origin_in_urdf_may_have_a_quaternion(tmp_path: Path) -> None:
    text = """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/>
      <child link="b"/><origin xyz="1 0 0" quat_xyzw="0 0 1 1"/></joint></robot>"""
    transforms = Transforms(imported(tmp_path, text, "r.urdf").model, compiled=False)
    assert transforms.get_transformation("b", "a")[:3, :3] == pytest.approx(from_rpy(0, 0, np.pi / 2))


LINK = '<sdf version="1.9"><model name="m"><link name="a">{0}</link>{1}</model></sdf>'
OLD = '<origin pose="1 2 3 0 0 0"/>'
TO_ITSELF = '<joint name="j" type="fixed"><parent>a</parent><child>a</child></joint>'
URDF = (
    '<robot name="r"><link name="a"><visual><origin xyz="{0} 0 0"/><geometry><sphere radius="1"/></geometry></visual>'
)
URDF_TO_ITSELF = '<joint name="j" type="fixed"><parent link="a"/><child link="a"/></joint>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (LINK.format(OLD, ""), "<origin> belongs to SDF 1.2 and older"),
        (LINK.format('<pose rotation_format="odd">0 0 0 0 0 0</pose>', ""), "the rotation_format odd is not known"),
        ('<sdf version="1.7"><model name="m"/></sdf>', "there is no <link> in it"),
        (LINK.format("", TO_ITSELF), "the joint j holds the link a to itself"),
        (URDF.format("0") + f"</link>{URDF_TO_ITSELF}</robot>", "the joint j holds the link a to itself"),
        (URDF.format("1e12") + "</link></robot>", "<origin> is farther away than 1e\\+09 m"),
        (URDF.format("1_0") + "</link></robot>", "must hold numbers only"),
    ],
)
def test_what_cannot_be_read_truly_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(FileError, match=words):
        imported(tmp_path, text, "a.xml")


def test_limits_of_a_urdf_may_be_infinite(tmp_path: Path) -> None:
    text = """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/>
      <child link="b"/><limit lower="-inf" upper="1" effort="inf" velocity="2"/></joint></robot>"""
    (constraint,) = imported(tmp_path, text, "r.urdf").model.constraints
    joint = constraint.joint
    assert joint is not None
    assert (joint.lower, joint.upper, joint.effort, joint.speed) == (None, 1.0, None, 2.0)
