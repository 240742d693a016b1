"""Edits of bodies and assemblies: each is saved where it belongs, undone byte for byte, or refused with a reason."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from studio.model.changes import ModelError
from studio.model.geometry.assembly import Constraint, FrameName, Member
from studio.model.geometry.body import Frame
from studio.model.geometry.editable import AssemblyDocument, BodyDocument
from studio.model.geometry.edits import (
    AddBody,
    AddFrame,
    Bind,
    FollowFrame,
    MoveConstraint,
    MoveFrame,
    RemoveBody,
    RemoveFrame,
    RenameBody,
    RenameFrame,
    SetDrive,
    SetSensor,
    Unbind,
)
from studio.model.geometry.library import Library
from studio.model.geometry.part_edits import SetShape
from studio.model.geometry.poses import Pose
from studio.model.geometry.shapes import Box
from studio.model.geometry.transforms import Transforms

HERE = Pose((0.1, 0.2, 0.3))
BUMPER = 7
"""The place of this shape in the Raptor."""
BRACE = Constraint("brace", FrameName("Flea", "LensCenter"), FrameName("Gps", "PhaseCenter"), HERE)


@pytest.fixture
def models(tmp_path: Path, checkout: Path) -> Path:
    for kind in ("bodies", "assemblies"):
        shutil.copytree(checkout / "models" / kind, tmp_path / kind)
    return tmp_path


def raptor(models: Path) -> BodyDocument:
    return BodyDocument.load(models / "bodies/raptor.xml")


def assembled(models: Path) -> AssemblyDocument:
    return AssemblyDocument.load(models / "assemblies/raptor.xml")


def body_edits(document: BodyDocument) -> dict[str, Any]:
    bumper, drive = document.model.sensors["front_touch"], document.model.drive
    assert drive is not None
    return {
        "Add frame Hook": AddFrame(Frame("Hook", HERE)),
        "Add frame Valve": AddFrame(Frame("Valve", HERE, "rear_left_wheel"), 2),
        "Move frame Cabin": MoveFrame("Cabin", HERE),
        "Rename frame FrontBumperCenter to Nose": RenameFrame("FrontBumperCenter", "Nose"),
        "Rename frame RearLeftHub to Hub": RenameFrame("RearLeftHub", "Hub"),
        "Remove frame Cabin": RemoveFrame("Cabin"),
        "Change bumper front_touch": SetSensor(replace(bumper, frame="RearBumperCenter")),
        "Change the drive": SetDrive(replace(drive, speed_max_m_s=4.0)),
        "Remove the drive": SetDrive(None),
    }


ASSEMBLY_EDITS: dict[str, Any] = {
    "Add Spare": AddBody(Member("Spare", "flea.xml")),
    "Add Hook": AddBody(
        Member("Hook", "imu.xml"), Constraint("hook", FrameName("Raptor", "TopFrontRail"), FrameName("Hook", "Sensing"))
    ),
    "Remove Flea": RemoveBody("Flea"),
    "Rename Flea to Camera": RenameBody("Flea", "Camera"),
    "Rename frame TopCenterRail of Raptor to Rail": FollowFrame("Raptor", "TopCenterRail", "Rail"),
    "Bind Gps:PhaseCenter to Flea:LensCenter": Bind(BRACE),
    "Move camera_mount": MoveConstraint("camera_mount", HERE),
    "Remove gps_mount": Unbind("gps_mount"),
}


def try_out(document: Any, label: str, edit: Any) -> None:
    (path,) = document.texts()
    written = path.read_bytes()
    assert document.texts()[path] == written
    assert edit.label == label and document.do(edit)
    changed = document.texts()[path]
    assert changed != written and changed.count(b"<!--") == written.count(b"<!--"), "comments stay"
    document.save()
    assert type(document).load(path).texts()[path] == changed
    assert document.undo() and document.texts()[path] == written
    assert document.redo() and document.texts()[path] == changed


def test_edits_of_a_body_are_saved_and_undone(models: Path) -> None:
    for label, edit in body_edits(raptor(models)).items():
        document = raptor(models)
        try_out(document, label, edit)
        document.undo()
        document.save()


def test_edits_of_an_assembly_are_saved_and_undone(models: Path) -> None:
    for label, edit in ASSEMBLY_EDITS.items():
        document = assembled(models)
        try_out(document, label, edit)
        document.undo()
        document.save()


def test_a_frame_that_is_dragged_moves_in_one_step_and_everybody_sees_where_it_went(models: Path) -> None:
    document = raptor(models)
    for x in range(1, 6):
        document.do(MoveFrame("TopCenterRail", Pose((1.10 + x / 10, 0.0, 1.95))))
    assert document.history.labels == ["Move frame TopCenterRail"]
    document.save()
    library = Library([models])
    moved = Transforms(library.load(models / "assemblies/raptor.xml"), compiled=False)
    assert moved.get_transformation("Flea:BottomCenter", "Raptor")[0, 3] == pytest.approx(1.60)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (AddFrame(Frame("Cabin")), "there is already a frame Cabin"),
        (AddFrame(Frame("two words")), "cannot be a name of a frame"),
        (AddFrame(Frame("Valve", on="spare_wheel")), "there is no joint spare_wheel"),
        (MoveFrame("Cabn", HERE), "Raptor has no frame Cabn"),
        (RenameFrame("Cabin", "TopRearRail"), "there is already a frame TopRearRail"),
        (RemoveFrame("FrontBumperCenter"), "is needed by the bumper front_touch"),
        (SetShape(BUMPER, Box(size=(0.1, 1.0, 0.1))), "bumper is needed by the bumper front_touch"),
        (RemoveFrame("FrontLeftKingpin"), "is needed by the joint front_left_steering"),
    ],
)
def test_what_would_break_a_body_is_refused(models: Path, edit: Any, words: str) -> None:
    document = raptor(models)
    before = document.texts()
    with pytest.raises(ModelError, match=words):
        document.do(edit)
    assert document.texts() == before and not document.history.labels


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (AddBody(Member("Flea", "flea.xml")), "there is already a body Flea"),
        (RenameBody("Flee", "Camera"), "has no body Flee"),
        (Bind(replace(BRACE, end=FrameName("Nobody", "x"))), "has no body Nobody"),
        (Bind(replace(BRACE, end=FrameName("Flea", "ImagePlane"))), "both ends of brace are at Flea"),
        (Bind(replace(BRACE, start=FrameName("Raptor", "TopCenterRail"))), "is bound by camera_mount"),
        (AddBody(Member("X", "imu.xml"), replace(BRACE, end=FrameName("Y", "z"))), "has no body Y"),
    ],
)
def test_what_would_break_an_assembly_is_refused(models: Path, edit: Any, words: str) -> None:
    document = assembled(models)
    before = document.texts()
    with pytest.raises(ModelError, match=words):
        document.do(edit)
    assert document.texts() == before and not document.history.labels
