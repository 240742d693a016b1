"""A joint that mimics another: where it is, in every question that can be asked, and how files and edits keep it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.errors import Problem, StudioError
from studio.model.changes import ModelError
from studio.model.geometry.assembly import Model
from studio.model.geometry.assembly_xml import read_assembly, write_assembly
from studio.model.geometry.body import Body
from studio.model.geometry.body_xml import read_body, write_body
from studio.model.geometry.differences import differences
from studio.model.geometry.editable_assembly import EditableAssembly
from studio.model.geometry.editable_body import EditableBody
from studio.model.geometry.flat_model import content_of, model_of
from studio.model.geometry.joints import Mimic
from studio.model.geometry.library import Library
from studio.model.geometry.rules import check_model
from studio.model.geometry.transforms import Transforms

GRIPPER = b"""<?xml version="1.0" encoding="UTF-8"?>
<body name="Gripper" version="1">
  <frame name="Palm"/>
  <!-- the fingers close against each other -->
  <joint name="left" kind="slider" at="Palm" axis="0 1 0" lower="0" upper="0.05"/>
  <joint name="right" kind="slider" at="Palm" axis="0 1 0" mimic="left" multiplier="-1" offset="-0.01"/>
  <joint name="gear" kind="hinge" at="Palm" mimic="right" multiplier="20" offset="90" angles="degrees"/>
  <frame name="LeftTip" on="left"/>
  <frame name="RightTip" on="right"/>
  <frame name="GearMark" xyz="1 0 0" on="gear"/>
</body>
"""
ARM = b"""<?xml version="1.0" encoding="UTF-8"?>
<assembly name="arm" version="1">
  <body name="A" file="gripper.xml"/>
  <body name="B" file="gripper.xml"/>
  <constraint name="elbow" from="A:Palm" to="B:Palm">
    <joint kind="hinge" mimic="A.left" multiplier="10"/>
  </constraint>
</assembly>
"""
SECOND_NS = 1_000_000_000


@pytest.fixture
def gripper() -> Body:
    return read_body(GRIPPER)


def y_of(transforms: Transforms, frame: str, stamp_ns: int = -1) -> float:
    at = {} if stamp_ns < 0 else {"stamp_ns": stamp_ns}
    return float(transforms.get_transformation(frame, "Gripper", **at)[1, 3])


@pytest.mark.parametrize("compiled", [False, True])
def test_it_goes_with_the_other_at_home_now_and_at_a_stamp(compiled: bool, gripper: Body) -> None:
    transforms = Transforms(Model.of_body(gripper), compiled=compiled)
    assert y_of(transforms, "Gripper:RightTip") == pytest.approx(-0.01)
    assert y_of(transforms, "Gripper:GearMark") == pytest.approx(np.sin(np.pi / 2 - 0.2))
    transforms.set_joint("Gripper.left", 0.03)
    assert y_of(transforms, "Gripper:RightTip") == pytest.approx(-0.04)
    assert y_of(transforms, "Gripper:GearMark") == pytest.approx(np.sin(np.pi / 2 - 0.8))
    for second, position in enumerate((0.0, 0.04)):
        transforms.set_joint("Gripper.left", position, stamp_ns=second * SECOND_NS)
    assert y_of(transforms, "Gripper:RightTip", SECOND_NS // 2) == pytest.approx(-0.03)
    assert y_of(transforms, "Gripper:RightTip") == pytest.approx(-0.05)


def test_a_position_of_its_own_counts_more(gripper: Body) -> None:
    transforms = Transforms(Model.of_body(gripper), compiled=False)
    transforms.set_joint("Gripper.right", -0.02)
    transforms.set_joint("Gripper.left", 0.03)
    assert y_of(transforms, "Gripper:RightTip") == pytest.approx(-0.02)
    assert y_of(transforms, "Gripper:GearMark") == pytest.approx(np.sin(np.pi / 2 - 0.4)), "it follows what was told"
    poses = transforms.linkage.with_followers({"Gripper.left": 0.03, "Gripper.right": -0.02})
    assert poses["Gripper.right"] == -0.02 and poses["Gripper.gear"] == pytest.approx(np.pi / 2 - 0.4)


def test_the_file_is_written_as_it_was(gripper: Body) -> None:
    assert write_body(gripper, GRIPPER) == GRIPPER
    gear = gripper.joints[2]
    assert gear.mimic == Mimic("right", 20.0, np.pi / 2)
    gripper.joints[2] = replace(gear, mimic=Mimic("left", 20.0, 0.0))
    written = write_body(gripper, GRIPPER)
    assert b'mimic="left" multiplier="20" offset="0" angles' in written and b"close against each other" in written
    assert read_body(written).joints[2].mimic == Mimic("left", 20.0, 0.0)


@pytest.mark.parametrize(
    ("attributes", "words"),
    [
        ('mimic="elbow"', "the joint Gripper.right mimics Gripper.elbow, and no joint of that name moves"),
        ('mimic="right"', "mimics Gripper.right, which follows it in turn"),
        ('mimic="gear"', "which follows it in turn"),
        ('mimic="left" home="0.1"', "its home follows from that one's"),
        ('multiplier="2"', "does not say which joint it mimics"),
        ('mimic="left" multiplier="x"', "multiplier"),
    ],
)
def test_what_cannot_be_is_refused_in_words(attributes: str, words: str) -> None:
    text = GRIPPER.replace(b'mimic="left" multiplier="-1" offset="-0.01"', attributes.encode())
    try:
        problems = check_model(Model.of_body(read_body(text, "gripper.xml")), is_assembly=False)
    except StudioError as error:
        problems = Problem.all_from(error)
    assert any(words in problem.message for problem in problems), problems
    assert all(problem.file == "gripper.xml" and problem.line in (6, 7) for problem in problems)


def test_a_fixed_joint_mimics_nothing() -> None:
    with pytest.raises(StudioError, match="cannot mimic another"):
        read_body(GRIPPER.replace(b'name="right" kind="slider"', b'name="right" kind="fixed"'))


def test_between_bodies_prefixes_and_the_flat_model_keep_it(tmp_path: Path) -> None:
    (tmp_path / "gripper.xml").write_bytes(GRIPPER)
    (tmp_path / "arm.xml").write_bytes(ARM)
    outer = b"""<?xml version="1.0" encoding="UTF-8"?>
<assembly name="two" version="1">
  <include prefix="Near" file="arm.xml"/>
  <include prefix="Far" file="arm.xml"/>
</assembly>
"""
    (tmp_path / "two.xml").write_bytes(outer)
    model = Library([tmp_path]).load(tmp_path / "two.xml")
    for each in (model, model_of(content_of(model))):
        transforms = Transforms(each, compiled=False)
        transforms.set_joint("FarA.left", 0.05)
        turned = transforms.get_transformation("FarB", "FarA")
        assert turned[1, 0] == pytest.approx(np.sin(0.5))
        assert transforms.get_transformation("NearB", "NearA")[1, 0] == 0.0
    assert not list(differences(model, model_of(content_of(model))))
    changed = model_of(content_of(model))
    joint = changed.constraints[0].joint
    assert joint is not None
    others = [replace(changed.constraints[0], joint=replace(joint, mimic=None)), *changed.constraints[1:]]
    (found,) = differences(model, replace(changed, constraints=others))
    assert "mimics NearA.left in the first and moves by itself in the second" in found.message


def test_renaming_and_removing_the_other_is_followed_and_undone(gripper: Body) -> None:
    body = EditableBody(gripper)
    with pytest.raises(ModelError, match="there is no joint elbow"):
        body.set_joint("right", replace(gripper.joints[1], mimic=Mimic("elbow")))
    with pytest.raises(ModelError, match="follows it in turn"):
        body.set_joint("right", replace(gripper.joints[1], mimic=Mimic("gear")))
    body = EditableBody(gripper)
    body.set_joint("right", replace(gripper.joints[1], name="thumb"))
    assert body.joints["gear"].mimic == Mimic("thumb", 20.0, np.pi / 2)
    body.remove_joint("thumb", with_parts=True)
    assert body.joints["gear"].mimic is None


def test_names_in_an_assembly_are_followed() -> None:
    def mimic(assembly: EditableAssembly, name: str = "elbow") -> str | None:
        joint = assembly.constraints[name].joint
        assert joint is not None
        return joint.mimic.joint if joint.mimic is not None else None

    assembly = EditableAssembly(read_assembly(ARM))
    assembly.rename_body("A", "Arm")
    assert mimic(assembly) == "Arm.left"
    shoulder = replace(assembly.constraints["elbow"], name="shoulder")
    joint = shoulder.joint
    assert joint is not None
    second = replace(joint, mimic=Mimic("elbow"))
    text = write_assembly(assembly.assembly(), ARM)
    assert b'mimic="Arm.left"' in text
    more = read_assembly(text)
    more.constraints.append(
        replace(shoulder, start=more.constraints[0].start._replace(frame="X"),
                end=more.constraints[0].end._replace(frame="Y"), joint=second, origin=None)
    )  # fmt: skip
    again = EditableAssembly(more)
    again.set_constraint("elbow", replace(again.constraints["elbow"], name="knee"))
    assert mimic(again, "shoulder") == "knee"
    again.unbind("knee")
    assert mimic(again, "shoulder") is None
