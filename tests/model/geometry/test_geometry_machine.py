"""Random edits of the real Raptor: every saved text can be read and says what the model says, undoing all gives the
bytes of the file, and so does an edit followed by its opposite, made by hand."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from studio.model.changes import ModelError
from studio.model.document import Document
from studio.model.geometry.assembly import Constraint, FrameName, Member
from studio.model.geometry.assembly_edits import RootAt, SetBody, SetConstraint, SetTolerance, SwapEnds
from studio.model.geometry.assembly_xml import read_assembly
from studio.model.geometry.body import Body, Frame, GivenMass
from studio.model.geometry.body_xml import read_body
from studio.model.geometry.editable import AssemblyDocument, BodyDocument
from studio.model.geometry.edits import (
    AddBody,
    AddFrame,
    Bind,
    MoveConstraint,
    MoveFrame,
    RemoveBody,
    RemoveFrame,
    RenameBody,
    RenameFrame,
    SetDrive,
    Unbind,
)
from studio.model.geometry.part_edits import (
    AddJoint,
    AddSensor,
    AddShape,
    DescribeBody,
    RemoveJoint,
    RemoveMass,
    RemoveSensor,
    RemoveShape,
    SetJoint,
    SetMass,
    SetShape,
)
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Rotation, from_rpy
from studio.model.geometry.sensors import Laser
from studio.model.geometry.shapes import Box, Sphere
from studio.model.geometry.tidy_poses import pose_like
from studio.model.geometry.workspace import Workspace

PICK = st.integers(0, 1000)
NAMES = st.sampled_from(["One", "Two", "Cabin", "rear_left_wheel", "Gps"])
NUMBERS = st.integers(-2000, 2000).map(lambda value: value / 1000)
TURNS = NUMBERS.filter(bool)
"""No turn at all is not written, and so has no unit when it is read again."""
POSES = st.builds(
    lambda x, y, yaw: Pose((x, y, 0.5), Rotation("rpy", (0.0, 0.0, yaw * 10), "degrees")), NUMBERS, NUMBERS, TURNS
)
MODELS = Path(__file__).parents[3] / "models"


def one_of(values: Any, pick: int) -> Any:
    found = list(values)
    return found[pick % len(found)] if found else None


class FileMachine(RuleBasedStateMachine):
    """One file in which everything is tried; what the model refuses must leave it as it was."""

    source = ""
    load: Callable[[Path], Document[Any]]

    def __init__(self) -> None:
        super().__init__()
        self.home = tempfile.TemporaryDirectory()
        path = Path(self.home.name) / Path(self.source).name
        path.write_bytes((MODELS / self.source).read_bytes())
        self.document = type(self).load(path)
        self.before = self.text()

    def text(self) -> bytes:
        (text,) = self.document.texts().values()
        return text

    @property
    def model(self) -> Any:
        return self.document.model

    def do(self, edit: Any) -> bool:
        before = self.text()
        try:
            return bool(self.document.do(edit))
        except ModelError:
            assert self.text() == before
            return False

    def there_and_back(self, edit: Any, opposite: Callable[[], Any]) -> None:
        before = self.text()
        if self.do(edit):
            self.document.do(opposite())
            assert self.text() == before, edit

    @rule()
    def undo(self) -> None:
        self.document.undo()

    @rule()
    def redo(self) -> None:
        self.document.redo()

    def teardown(self) -> None:
        while self.document.undo():
            pass
        assert self.text() == self.before
        self.home.cleanup()


class BodyMachine(FileMachine):
    source = "bodies/raptor.xml"
    load = BodyDocument.load

    @rule(name=NAMES, pose=POSES)
    def a_frame_comes_and_goes(self, name: str, pose: Pose) -> None:
        self.there_and_back(AddFrame(Frame(name, pose)), lambda: RemoveFrame(name))

    @rule(name=NAMES, pose=POSES, pick=PICK)
    def add_frame(self, name: str, pose: Pose, pick: int) -> None:
        self.do(AddFrame(Frame(name, pose), pick % 5))

    @rule(pick=PICK, pose=POSES)
    def move_frame(self, pick: int, pose: Pose) -> None:
        frame = one_of(self.model.frames, pick)
        if frame is not None:
            self.there_and_back(MoveFrame(frame.name, pose), lambda: MoveFrame(frame.name, frame.pose))
            self.do(MoveFrame(frame.name, pose))

    @rule(pick=PICK, name=NAMES)
    def rename_frame(self, pick: int, name: str) -> None:
        frame = one_of(self.model.frames, pick)
        if frame is not None:
            self.there_and_back(RenameFrame(frame.name, name), lambda: RenameFrame(name, frame.name))
            self.do(RenameFrame(frame.name, name))

    @rule(pick=PICK)
    def remove_frame(self, pick: int) -> None:
        frame = one_of(self.model.frames, pick)
        if frame is not None:
            index = self.model.frames.index(frame.name)
            self.there_and_back(RemoveFrame(frame.name), lambda: AddFrame(frame, index))
            self.do(RemoveFrame(frame.name))

    @rule(pick=PICK, pose=POSES)
    def add_and_remove_shapes(self, pick: int, pose: Pose) -> None:
        index = pick % (len(self.model.shapes) + 1)
        box = Box("extra", pose, size=(0.1, 0.2, 0.3), density_kg_m3=500.0)
        self.there_and_back(AddShape(box, index), lambda: RemoveShape(index))
        self.do(AddShape(Sphere(pose=pose, radius=0.2), index))
        shape = self.model.shapes[index]
        self.there_and_back(RemoveShape(index), lambda: AddShape(shape, index))

    @rule(pick=PICK, pose=POSES)
    def change_shape(self, pick: int, pose: Pose) -> None:
        if self.model.shapes:
            index = pick % len(self.model.shapes)
            shape = self.model.shapes[index]
            other = replace(shape, pose=pose, colour="1 0 0 1", use="visual", name="")
            self.there_and_back(SetShape(index, other), lambda: SetShape(index, shape))
            self.do(SetShape(index, replace(other, name=shape.name)))

    @rule(pick=PICK, name=NAMES)
    def change_joint(self, pick: int, name: str) -> None:
        joint = one_of(self.model.joints, pick)
        if joint is not None:
            other = replace(joint, name=name, effort=12.5, home=0.1, angles="degrees")
            self.there_and_back(SetJoint(joint.name, other), lambda: SetJoint(name, joint))
            self.do(SetJoint(joint.name, other))

    @rule(pick=PICK)
    def joints_come_and_go(self, pick: int) -> None:
        joint, frame = one_of(self.model.joints, pick), one_of(self.model.frames, pick)
        if joint is not None:
            self.do(RemoveJoint(joint.name, with_parts=pick % 2 == 0))
        if joint is not None and frame is not None:
            self.do(AddJoint(replace(joint, name="extra", at=frame.name, origin=None)))

    @rule(pick=PICK, kg=st.floats(0.1, 100))
    def change_mass(self, pick: int, kg: float) -> None:
        mass = one_of(self.model.masses, pick)
        if mass is not None:
            self.there_and_back(SetMass(replace(mass, mass_kg=kg)), lambda: SetMass(mass))
            self.do(RemoveMass(mass.on) if pick % 3 == 0 else SetMass(GivenMass(kg, on=mass.on)))

    @rule(pick=PICK, name=NAMES)
    def sensors_come_and_go(self, pick: int, name: str) -> None:
        frame = one_of(self.model.frames, pick)
        if frame is not None:
            laser = Laser(name, frame.name, fov_deg=190.0, beams=5)
            self.there_and_back(AddSensor(laser), lambda: RemoveSensor(name))
            self.do(AddSensor(laser, Frame("Beam")))

    @rule(speed=st.floats(0.1, 9))
    def change_drive(self, speed: float) -> None:
        drive = self.model.drive
        other = None if drive is None else replace(drive, speed_max_m_s=speed)
        self.there_and_back(SetDrive(other), lambda: SetDrive(drive))
        self.do(SetDrive(other))

    @rule(doc=st.sampled_from(["", "A vehicle.", "a < b & c"]))
    def describe(self, doc: str) -> None:
        self.do(DescribeBody(self.model.name, doc))

    @invariant()
    def the_text_says_what_the_model_says(self) -> None:
        read, model = read_body(self.text()), self.model.body()
        assert without_origins(read) == without_origins(model)


def without_origins(body: Body) -> Any:
    """Parts as they are, angles as far as files carry them."""
    joints = [
        (joint.name, joint.kind, joint.at, joint.axis, pytest.approx(joint.home, abs=1e-12)) for joint in body.joints
    ]
    bare = [
        sorted((repr(replace(part, origin=None)) for part in parts), key=str)
        for parts in (body.frames, body.masses, body.sensors)
    ]
    shapes = [replace(shape, origin=None) for shape in body.shapes]
    return body.name, body.doc, bare, shapes, sorted(joints, key=str), body.drive and replace(body.drive, origin=None)


class AssemblyMachine(FileMachine):
    source = "assemblies/raptor.xml"
    load = AssemblyDocument.load

    @rule(name=NAMES)
    def a_body_comes_and_goes(self, name: str) -> None:
        self.there_and_back(AddBody(Member(name, "imu.xml")), lambda: RemoveBody(name))

    @rule(name=NAMES, pose=POSES)
    def add_body(self, name: str, pose: Pose) -> None:
        mount = Constraint(f"{name}_mount", FrameName("Raptor", "TopFrontRail"), FrameName(name, "BottomCenter"), pose)
        self.do(AddBody(Member(name, "imu.xml"), mount))

    @rule(pick=PICK, name=NAMES)
    def rename_body(self, pick: int, name: str) -> None:
        member = one_of(self.model.members, pick)
        if member is not None:
            self.there_and_back(RenameBody(member.name, name), lambda: RenameBody(name, member.name))
            self.do(RenameBody(member.name, name))

    @rule(pick=PICK)
    def remove_body(self, pick: int) -> None:
        member = one_of(self.model.members, pick)
        if member is not None:
            self.do(RemoveBody(member.name))

    @rule(pick=PICK, pose=POSES)
    def move_body(self, pick: int, pose: Pose) -> None:
        member = one_of(self.model.members, pick)
        if member is not None:
            placed = replace(member, pose=pose, file="gps_antenna.xml")
            self.there_and_back(SetBody(member.name, placed), lambda: SetBody(member.name, member))
            self.do(SetBody(member.name, replace(member, pose=pose)))

    @rule(pick=PICK)
    def root(self, pick: int) -> None:
        member, first = one_of(self.model.members, pick), one_of(self.model.members, 0)
        if member is not None and first.pose is None and member.pose is None:
            self.do(RootAt(member.name))

    @rule(pick=PICK, pose=POSES, x=NUMBERS, pitch=NUMBERS)
    def move_constraint(self, pick: int, pose: Pose, x: float, pitch: float) -> None:
        constraint = one_of(self.model.constraints, pick)
        if constraint is not None:
            name = constraint.name
            self.there_and_back(MoveConstraint(name, pose), lambda: MoveConstraint(name, constraint.pose))
            matrix = constraint.pose.matrix.copy()
            matrix[:3, :3], matrix[0, 3] = from_rpy(0.0, pitch / 2, 0.0), x
            dragged = pose_like(constraint.pose, matrix)
            back = pose_like(dragged, constraint.pose.matrix)
            self.there_and_back(MoveConstraint(name, dragged), lambda: MoveConstraint(name, back))
            self.do(MoveConstraint(name, dragged))

    @rule(pick=PICK)
    def swap_ends(self, pick: int) -> None:
        constraint = one_of(self.model.constraints, pick)
        if constraint is not None:
            self.there_and_back(SwapEnds(constraint.name), lambda: SwapEnds(constraint.name))
            self.do(SwapEnds(constraint.name))

    @rule(pick=PICK, name=NAMES)
    def change_constraint(self, pick: int, name: str) -> None:
        constraint = one_of(self.model.constraints, pick)
        if constraint is not None:
            other = replace(constraint, name=name, end=FrameName("Flea", "Spare"))
            self.there_and_back(SetConstraint(constraint.name, other), lambda: SetConstraint(name, constraint))
            self.do(SetConstraint(constraint.name, other))

    @rule(pick=PICK)
    def unbind(self, pick: int) -> None:
        constraint = one_of(self.model.constraints, pick)
        if constraint is not None:
            index = self.model.constraints.index(constraint.name)
            self.there_and_back(Unbind(constraint.name), lambda: Bind(constraint, index))
            self.do(Unbind(constraint.name))

    @rule(tolerance=st.sampled_from([0.001, 0.01]))
    def tolerate(self, tolerance: float) -> None:
        self.do(SetTolerance(tolerance, 0.1))

    @invariant()
    def the_text_says_what_the_model_says(self) -> None:
        read, model = read_assembly(self.text()), self.model.assembly()
        assert [[replace(part, origin=None) for part in parts] for parts in (read.members, read.constraints)] == [
            [replace(part, origin=None) for part in parts] for parts in (model.members, model.constraints)
        ]


@pytest.mark.parametrize("path", sorted(MODELS.glob("*/*.xml")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_shipped_model_opens_and_is_saved_as_it_is(path: Path) -> None:
    workspace = Workspace.load(path, [MODELS])
    assert not workspace.modified_files()
    assert all(text == file.read_bytes() for file, text in workspace.texts().items())


QUICK = settings(max_examples=8, stateful_step_count=12, deadline=None)
LONG = settings(max_examples=400, stateful_step_count=40, deadline=None)


@pytest.mark.parametrize("machine", [BodyMachine, AssemblyMachine])
def test_random_edits_lose_nothing(machine: type[FileMachine]) -> None:
    run_state_machine_as_test(machine, settings=QUICK)


@pytest.mark.soak
@pytest.mark.parametrize("machine", [BodyMachine, AssemblyMachine])
def test_many_random_edits_lose_nothing(machine: type[FileMachine]) -> None:
    run_state_machine_as_test(machine, settings=LONG)
