"""SDF and URDF of models: read back they keep every frame, and other people's libraries agree where frames are."""

from __future__ import annotations

import importlib.util
import random
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.errors import StudioError
from studio.model.files import FileError
from studio.model.geometry.assembly import Constraint, FrameName, Model
from studio.model.geometry.assembly_xml import read_assembly, write_assembly
from studio.model.geometry.body_xml import read_body, write_body
from studio.model.geometry.differences import differences
from studio.model.geometry.generated import is_untouched, marked, write_generated
from studio.model.geometry.import_model import import_model
from studio.model.geometry.library import Library, load_model
from studio.model.geometry.linkage import link
from studio.model.geometry.poses import Pose, distance
from studio.model.geometry.rotations import from_quaternion
from studio.model.geometry.sdf import to_sdf
from studio.model.geometry.transforms import Transforms
from studio.model.geometry.urdf import to_urdf
from tests.model.geometry.graphs import random_model
from tests.model.geometry.test_model_files import mutated

SHIPPED = ("raptor", "pioneer_3at", "pioneer_2dx")
EXPORTS = {"sdf": to_sdf, "urdf": to_urdf}
BRACE = Constraint("brace", FrameName("Flea", "LensCenter"), FrameName("Gps", "PhaseCenter"))


def braced() -> Model:
    """The Raptor with a brace from the camera to the antenna, where they are: a loop that closes."""
    model = load_model("raptor")
    pose = Transforms(model, compiled=False).get_transformation("Gps:PhaseCenter", "Flea:LensCenter")
    model.constraints.append(replace(BRACE, pose=Pose.from_matrix(pose)))
    return model


def exported(model: Model, kind: str, folder: Path) -> Path:
    path = folder / f"model.{kind}"
    path.write_bytes(marked(EXPORTS[kind](model).text, model.name))
    return path


def at_zero(model: Model) -> Model:
    """Files of simulators start joints at 0 and have no home."""
    for body in model.bodies.values():
        body.joints = [replace(joint, home=0.0) for joint in body.joints]
    model.constraints = [
        replace(each, joint=replace(each.joint, home=0.0)) if each.joint else each for each in model.constraints
    ]
    return model


def worst(one: Model, other: Model, joints: dict[str, float]) -> float:
    """How far any frame of the first is from the same frame of the second, both seen from the first frame."""
    transforms = [Transforms(model, compiled=False) for model in (one, other)]
    for each in transforms:
        for name, position in joints.items():
            each.set_joint(name, position)
    names = transforms[0].frame_names()
    gaps = [distance(*(each.get_transformation(name, names[0]) for each in transforms)) for name in names]
    return max(max(gap) for gap in gaps)


@pytest.mark.parametrize("kind", EXPORTS)
@pytest.mark.parametrize("name", SHIPPED)
def test_there_and_back_keeps_every_frame(tmp_path: Path, name: str, kind: str) -> None:
    model = load_model(name)
    again = import_model(exported(model, kind, tmp_path)).model
    joints = dict.fromkeys(Transforms(model).joint_names(), 0.3)
    assert set(again.bodies) == set(model.bodies)
    assert worst(model, again, joints) < 1e-9


def test_sdf_keeps_sensors_limits_and_masses_too(tmp_path: Path) -> None:
    model = load_model("raptor")
    again = import_model(exported(model, "sdf", tmp_path)).model
    found = [each for each in differences(model, again) if not each.subject.endswith("_to")]
    assert found == []
    assert again.bodies["Raptor"].drive is not None
    assert {joint.kind for joint in again.bodies["Raptor"].joints} == {"steering", "drive"}


@pytest.mark.parametrize("kind", EXPORTS)
def test_random_models_keep_every_frame(tmp_path: Path, kind: str, scaled: Callable[[int], int]) -> None:
    rng = np.random.default_rng(11)
    for seed in range(scaled(2_000)):
        model = at_zero(random_model(seed, bodies=int(rng.integers(2, 7)), frames=2))
        again = import_model(exported(model, kind, tmp_path)).model
        joints = {name: float(rng.uniform(-2, 2)) for name in Transforms(model).joint_names()}
        assert worst(model, again, joints) < 1e-9, seed


def test_an_imported_model_is_written_and_read_again(tmp_path: Path) -> None:
    imported = import_model(exported(load_model("pioneer_2dx"), "sdf", tmp_path))
    (tmp_path / "bodies").mkdir()
    (tmp_path / "assemblies").mkdir()
    for name, body in imported.model.bodies.items():
        text = write_body(body)
        (tmp_path / "bodies" / f"{name}.xml").write_bytes(text)
        assert write_body(read_body(text), text) == text
    text = write_assembly(imported.assembly)
    path = tmp_path / "assemblies" / "again.xml"
    path.write_bytes(text)
    assert write_assembly(read_assembly(text), text) == text
    again = Library([tmp_path]).load(path)
    assert differences(imported.model, again) == []


def test_what_a_format_cannot_hold_is_listed() -> None:
    model = load_model("raptor")
    assert any("laser RightLaser.scan is left out" in note for note in to_urdf(model).notes)
    model.constraints.append(BRACE)
    for export in EXPORTS.values():
        assert any("brace closes a loop" in note for note in export(model).notes)
    home = at_zero(random_model(1))
    home.constraints[0] = replace(home.constraints[0], joint=None)
    assert any("gets 1 g" in note for note in to_sdf(home).notes)


def test_a_loop_survives_sdf(tmp_path: Path) -> None:
    model = braced()
    again = import_model(exported(model, "sdf", tmp_path)).model
    (loop,) = link(again).loops
    assert loop.edge.name == "brace" and loop.closes(1e-9, 1e-7)
    assert worst(model, again, {}) < 1e-9


def test_what_hangs_in_the_air_is_not_exported() -> None:
    model = load_model("raptor")
    model.constraints = [each for each in model.constraints if each.name != "gps_mount"]
    with pytest.raises(StudioError, match="Gps is not connected with Raptor"):
        to_sdf(model)


# ---- other people's libraries


@pytest.mark.parametrize("name", SHIPPED)
def test_yourdfpy_loads_the_urdf_and_agrees(tmp_path: Path, name: str) -> None:
    import yourdfpy  # here, as it takes seconds

    model = load_model(name)
    robot = yourdfpy.URDF.load(str(exported(model, "urdf", tmp_path)), load_meshes=False)
    assert robot.validate()
    transforms = Transforms(model, compiled=False)
    root = transforms.get_body_list()[0]
    for frame in transforms.frame_names():
        assert np.abs(robot.get_transform(frame, root) - transforms.get_transformation(frame, root)).max() < 1e-9


@pytest.mark.parametrize("name", SHIPPED)
def test_mujoco_loads_the_urdf_and_agrees_with_joints_moved(name: str) -> None:
    import mujoco

    model = load_model(name)
    spec = mujoco.MjSpec.from_string(to_urdf(model).text)
    spec.compiler.fusestatic = False  # or frames would be merged into their bodies
    compiled = spec.compile()
    data = mujoco.MjData(compiled)
    transforms = Transforms(model, compiled=False)
    for joint in transforms.joint_names():
        transforms.set_joint(joint, 0.25)
        number = mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_JOINT, f"{joint}_joint")
        data.qpos[compiled.jnt_qposadr[number]] = 0.25
    mujoco.mj_kinematics(compiled, data)
    root = transforms.get_body_list()[0]
    for frame in transforms.frame_names():
        body = mujoco.mj_name2id(compiled, mujoco.mjtObj.mjOBJ_BODY, frame)
        ours = transforms.get_transformation(frame, root)
        assert np.abs(data.xpos[body] - ours[:3, 3]).max() < 1e-9
        assert np.abs(data.xmat[body].reshape(3, 3) - ours[:3, :3]).max() < 1e-9


@pytest.mark.soak
def test_libsdformat_loads_the_sdf_and_agrees(tmp_path: Path) -> None:
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "sdformat12"], capture_output=True, text=True, check=False
    )
    if flags.returncode != 0 or shutil.which("g++") is None:
        pytest.skip("needs g++ and Debian's libsdformat-dev")
    reader = tmp_path / "sdf_reader"
    source = Path(__file__).with_name("sdf_reader.cpp")
    subprocess.run(["g++", "-std=c++17", "-o", reader, source, *flags.stdout.split()], check=True)
    shipped = [braced(), *(load_model(name) for name in SHIPPED)]
    for model in shipped + [at_zero(random_model(seed)) for seed in range(20)]:
        path = exported(model, "sdf", tmp_path)
        read = subprocess.run([reader, path], capture_output=True, text=True, check=False)
        assert (read.returncode, read.stderr) == (0, "")
        transforms = Transforms(model, compiled=False)
        root = transforms.get_body_list()[0]
        poses = {name: [float(value) for value in rest] for name, *rest in map(str.split, read.stdout.splitlines())}
        for frame in transforms.frame_names():
            ours, theirs = transforms.get_transformation(frame, root), poses[frame]
            assert np.abs(ours[:3, 3] - theirs[:3]).max() < 1e-9
            assert np.abs(ours[:3, :3] - from_quaternion(*theirs[3:])).max() < 1e-9


# ---- hand edits


def test_generated_files_are_marked_and_hand_edits_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.sdf"
    write_generated(path, marked("<sdf/>\n", "raptor"))
    assert is_untouched(path.read_bytes())
    write_generated(path, marked("<sdf version='1'/>\n", "raptor"))
    path.write_bytes(path.read_bytes().replace(b"version='1'", b"version='2'"))
    with pytest.raises(FileError, match="edited by hand"):
        write_generated(path, marked("<sdf/>\n", "raptor"))
    assert b"version='2'" in path.read_bytes()
    write_generated(path, marked("<sdf/>\n", "raptor"), overwrite=True)
    path.write_text("<sdf/>")
    with pytest.raises(FileError, match="was not made by Studio"):
        write_generated(path, marked("<sdf/>\n", "raptor"))


# ---- files from elsewhere

FOREIGN_SDF = """<sdf version="1.9"><model name="m">
  <link name="base"><pose>1 0 0 0 0 0</pose></link>
  <link name="arm"><pose relative_to="hand" degrees="true">0 0 1 0 0 90</pose>
    <sensor name="s" type="gpu_lidar"><update_rate>5</update_rate><lidar><scan><horizontal><samples>3</samples>
      <min_angle>-1</min_angle><max_angle>1</max_angle></horizontal></scan><range><min>0.1</min><max>inf</max></range>
    </lidar></sensor></link>
  <frame name="hand" attached_to="base"><pose>0 1 0 0 0 0</pose></frame>
  <joint name="j" type="revolute"><parent>base</parent><child>arm</child>
    <axis><xyz expressed_in="base">1 0 0</xyz><limit><lower>-inf</lower><upper>1.5</upper></limit></axis></joint>
  <joint name="k" type="ball"><parent>base</parent><child>far</child></joint>
  <link name="far"/>
</model></sdf>"""


def test_poses_of_sdf_are_resolved_through_frames(tmp_path: Path) -> None:
    path = tmp_path / "m.sdf"
    path.write_text(FOREIGN_SDF)
    imported = import_model(path)
    transforms = Transforms(imported.model, compiled=False)
    assert transforms.get_transformation("arm", "base")[:3, 3] == pytest.approx([0, 1, 1])
    assert transforms.get_transformation("base:hand", "base")[:3, 3] == pytest.approx([0, 1, 0])
    transforms.set_joint("j", 0.5)
    turned = transforms.get_transformation("arm", "base")[:3, :3] @ [0, 0, 1]
    assert turned == pytest.approx([0, -np.sin(0.5), np.cos(0.5)])
    laser = imported.model.bodies["arm"].sensors[0].values()
    assert (laser["rate_hz"], laser["range_max_m"]) == (5, 1e9)
    assert any("k is ball" in note for note in imported.notes)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.urdf", "<robot name='r'/>", "there is no <link>"),
        (
            "a.urdf",
            "<robot><link name='a'/><joint name='j' type='fixed'><parent link='a'/></joint></robot>",
            "no <child>",
        ),
        ("a.urdf", "<robot><link/></robot>", "needs an attribute name"),
        ("a.urdf", "<robot><link name='a'/><link name='a'/></robot>", "a second link a"),
        ("a.sdf", "<sdf/>", "there is no <model>"),
        ("a.sdf", "<sdf><model><link name='a'><pose>1 2</pose></link></model></sdf>", "needs 6 numbers"),
        ("a.sdf", "<sdf><model><link name='a'><pose relative_to='a'/></link></model></sdf>", "refers to itself"),
        ("a.sdf", "<other/>", "the root element is <other>"),
    ],
)
def test_faults_of_foreign_files_name_file_and_line(tmp_path: Path, name: str, text: str, words: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(StudioError, match=words) as caught:
        Transforms(import_model(path).model)
    assert caught.value.file == str(path)


def test_mutated_foreign_files_raise_only_our_error(tmp_path: Path, scaled: Callable[[int], int]) -> None:
    rng = random.Random(5)
    texts = [export(load_model(name)).text.encode() for name in SHIPPED[:2] for export in EXPORTS.values()]
    texts.append(FOREIGN_SDF.encode())
    refused = 0
    for _ in range(scaled(10_000)):
        path = tmp_path / "mutant.sdf"
        path.write_bytes(mutated(rng, rng.choice(texts)))
        try:
            Transforms(import_model(path).model)
        except StudioError:
            refused += 1
    assert refused > 0


def test_a_joint_of_a_urdf_mimics_another_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "hand.urdf"
    joint = (
        '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><axis xyz="0 0 1"/>'
        '<limit lower="0" upper="2" effort="1" velocity="1"/>{3}</joint>'
    )
    joints = joint.format("a", "palm", "first", "") + joint.format(
        "b", "first", "tip", '<mimic joint="a" multiplier="1.1" offset="0.7"/>'
    )
    path.write_text(f'<robot name="hand"><link name="palm"/><link name="first"/><link name="tip"/>{joints}</robot>')
    imported = import_model(path)
    assert not imported.notes
    path.write_text(to_urdf(imported.model).text)
    for model in (imported.model, import_model(path).model):
        transforms = Transforms(model, compiled=False)
        assert transforms.get_transformation("tip", "palm")[1, 0] == pytest.approx(np.sin(0.7))
        transforms.set_joint("a", 0.2)
        assert transforms.get_transformation("tip", "palm")[1, 0] == pytest.approx(np.sin(0.2 + 0.22 + 0.7))
    assert "the joint b becomes independent: SDF 1.7 has no mimic of a" in to_sdf(imported.model).notes


def test_a_joint_that_mimics_one_that_is_not_there_moves_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "hand.urdf"
    path.write_text(
        '<robot name="hand"><link name="palm"/><link name="tip"/><joint name="b" type="continuous">'
        '<parent link="palm"/><child link="tip"/><axis xyz="0 0 1"/><mimic joint="a" offset="0.5"/></joint></robot>'
    )
    imported = import_model(path)
    assert imported.notes == ["the joint b moves by itself: it cannot mimic a here"]
    got = Transforms(imported.model, compiled=False).get_transformation("tip", "palm")
    assert got[1, 0] == pytest.approx(np.sin(0.5))


def test_a_joint_to_a_world_that_nobody_declared_makes_its_link_static(tmp_path: Path) -> None:
    path = tmp_path / "base.urdf"
    path.write_text(
        '<robot name="r"><link name="base"/><joint name="weld" type="fixed"><parent link="world"/>'
        '<child link="base"/></joint></robot>'
    )
    imported = import_model(path)
    assert list(imported.model.bodies) == ["base"]
    assert imported.notes == ["the joint weld holds base to the world: here base is static"]
    assert imported.model.bodies["base"].is_static


def test_xacro_is_expanded_where_xacrodoc_is_installed(tmp_path: Path) -> None:
    path = tmp_path / "mast.xacro"
    path.write_text(
        '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="h" value="0.5"/>'
        '<link name="base"/><link name="top"/><joint name="up" type="fixed"><parent link="base"/><child link="top"/>'
        '<origin xyz="0 0 ${h * 2}"/></joint></robot>'
    )
    if importlib.util.find_spec("xacrodoc") is None:
        with pytest.raises(FileError, match="xacro files need xacrodoc") as caught:
            import_model(path)
        assert "pip install xacrodoc" in caught.value.hint
    else:
        transforms = Transforms(import_model(path).model, compiled=False)
        assert transforms.get_transformation("top", "base")[2, 3] == pytest.approx(1.0)
