"""Mounting, detaching, mirroring and repeating bodies: where things are afterwards, and which files change."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.model.changes import ModelError
from studio.model.geometry.arrange import (
    ALTERNATIVES,
    Arrangement,
    circular_array,
    detach,
    duplicate,
    linear_array,
    mirror,
    mirror_planes,
    mount,
    mount_new,
)
from studio.model.geometry.assembly import Assembly, FrameName, Model
from studio.model.geometry.assembly_edits import SwapEnds
from studio.model.geometry.editable import AssemblyDocument, BodyDocument
from studio.model.geometry.edits import MoveConstraint
from studio.model.geometry.joints import Joint
from studio.model.geometry.library import Library
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Rotation
from studio.model.geometry.rules import check_file
from studio.model.geometry.transforms import Transforms
from studio.model.geometry.turned_joints import swapped


class Vehicle:
    """The Raptor in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "assemblies/raptor.xml"
        self.document = AssemblyDocument.load(self.path)

    @property
    def model(self) -> Model:
        return Library([self.folder]).load(self.path)

    @property
    def assembly(self) -> Assembly:
        return self.document.model.assembly()

    def do(self, arrangement: Arrangement) -> None:
        for each in arrangement.edits:
            if each.file is None:
                self.document.do(each.edit)
            else:
                body = BodyDocument.load(each.file)
                body.do(each.edit)
                body.save()
        self.document.save()
        assert not check_file(self.path, Library([self.folder]))[1]

    def where(self, frame: str, reference: str = "Raptor") -> list[float]:
        matrix = Transforms(self.model, compiled=False).get_transformation(frame, reference)
        return [round(float(value), 6) + 0.0 for value in matrix[:3, 3]]


@pytest.fixture
def vehicle(tmp_path: Path, checkout: Path) -> Vehicle:
    for kind in ("bodies", "assemblies"):
        shutil.copytree(checkout / "models" / kind, tmp_path / kind)
    return Vehicle(tmp_path)


def with_hokuyo(vehicle: Vehicle, y: float = 0.3) -> None:
    pose = Pose((0.0, y, 0.035), Rotation("rpy", (0.0, 15.0, 30.0), "degrees"))
    frame = FrameName("Raptor", "TopFrontRail")
    vehicle.document.do(mount_new(vehicle.assembly, "Hokuyo", "hokuyo_urg.xml", "BottomCenter", frame, pose))
    vehicle.document.save()


def test_a_body_is_mounted_and_moves_to_another_frame_with_its_constraint(vehicle: Vehicle) -> None:
    with_hokuyo(vehicle)
    before = vehicle.path.read_bytes()
    end = FrameName("Flea", "BottomCenter")
    vehicle.do(mount(vehicle.model, vehicle.assembly, end, FrameName("Raptor", "FrontBumperCenter"), Pose((0.1, 0, 0))))
    assert vehicle.where("Flea:BottomCenter") == [2.55, 0.0, 0.55]
    after = vehicle.path.read_bytes()
    assert after.count(b"<constraint") == before.count(b"<constraint") and b"camera_mount" in after
    assert after.count(b"<!--") == before.count(b"<!--")


def test_a_second_body_on_a_frame_gets_a_frame_in_the_same_place(vehicle: Vehicle) -> None:
    with_hokuyo(vehicle)
    before = vehicle.path.read_bytes(), (vehicle.folder / "bodies/raptor.xml").read_bytes()
    foot, rail = FrameName("Hokuyo", "BottomCenter"), FrameName("Raptor", "TopCenterRail")
    vehicle.do(mount(vehicle.model, vehicle.assembly, foot, rail))
    assert vehicle.where("Hokuyo:BottomCenter") == vehicle.where("Raptor:TopCenterRail")
    assert vehicle.path.read_bytes().count(b"TopCenterRail2") == 1 and vehicle.path.read_bytes() != before[0]
    added = (vehicle.folder / "bodies/raptor.xml").read_bytes()
    assert added.count(b"\n") == before[1].count(b"\n") + 1
    vehicle.do(mount(vehicle.model, vehicle.assembly, foot, FrameName("Raptor", "TopFrontRail")))
    assert vehicle.where("Hokuyo:BottomCenter") == vehicle.where("Raptor:TopFrontRail")


def test_the_alternatives_of_a_mount_are_six_different_rotations() -> None:
    assert len({str(np.round(each.pose.rotation.matrix, 6).tolist()) for each in ALTERNATIVES}) == 6


def test_a_detached_body_stays_where_it_was(vehicle: Vehicle) -> None:
    place = vehicle.where("Gps:BottomCenter")
    vehicle.document.do(detach(vehicle.model, vehicle.assembly, "Gps"))
    vehicle.document.save()
    assert vehicle.model.placed["Gps"].xyz == tuple(place)
    with pytest.raises(ModelError, match="Raptor is not mounted"):
        detach(vehicle.model, vehicle.assembly, "Raptor")


def test_a_mirrored_body_is_on_the_other_side_and_gets_a_frame_of_its_own(vehicle: Vehicle) -> None:
    with_hokuyo(vehicle)
    vehicle.do(mirror(vehicle.model, vehicle.assembly, "Hokuyo", "HokuyoRight"))
    x, y, z = vehicle.where("Hokuyo:BottomCenter")
    assert vehicle.where("HokuyoRight:BottomCenter") == [x, -y, z]
    constraint = vehicle.assembly.constraints[-1]
    assert str(constraint.start) == "Raptor:TopFrontRail2" and constraint.pose.rotation.values == (0.0, 15.0, -30.0)


def test_a_mirrored_body_takes_the_free_frame_of_the_other_side(vehicle: Vehicle) -> None:
    vehicle.document.do(SwapEnds("right_laser_mount"))
    vehicle.document.save()
    model, assembly = vehicle.model, vehicle.assembly
    alone = [each for each in assembly.constraints if each.name != "left_laser_mount"]
    made = mirror(replace(model, constraints=alone), assembly, "RightLaser")
    (edit,) = made.edits
    assert edit.file is None, "LeftLaserMount is there and free"
    assert made.label == "Mirror RightLaser to LeftLaser"


def test_nothing_is_mirrored_onto_itself(vehicle: Vehicle) -> None:
    with pytest.raises(ModelError, match="in the same place"):
        mirror(vehicle.model, vehicle.assembly, "Gps")


def test_what_is_on_the_middle_plane_is_mirrored_from_front_to_rear(vehicle: Vehicle) -> None:
    with_hokuyo(vehicle, y=0.0)
    vehicle.document.do(MoveConstraint("hokuyo_mount", Pose(rotation=Rotation("rpy", (0.0, 15.0, 0.0), "degrees"))))
    vehicle.document.save()
    plane = mirror_planes(vehicle.model, "Hokuyo")[0]
    assert plane.axis == 0 and [each.axis for each in mirror_planes(vehicle.model, "LeftLaser")] == [1, 0, 2]
    vehicle.do(mirror(vehicle.model, vehicle.assembly, "Hokuyo", plane=plane))
    x, y, z = vehicle.where("Hokuyo:BottomCenter")
    assert vehicle.where("Hokuyo_mirrored:BottomCenter") == [round(2 * plane.at_m - x, 6), y, z]
    turned = [
        Transforms(vehicle.model, compiled=False).get_transformation(name, "Raptor")[:3, 0].round(6).tolist()
        for name in ("Hokuyo:BottomCenter", "Hokuyo_mirrored:BottomCenter")
    ]
    ahead, down = turned[0][0], turned[0][2]
    assert down < 0 and turned[1] == [-ahead, 0.0, down], "it looks to the rear, and as far down"
    frame = vehicle.assembly.constraints[-1].start.frame
    assert frame == "TopRearRail2", "the other side of TopFrontRail, but that name is taken"


def test_arrays_of_a_sensor(vehicle: Vehicle) -> None:
    with_hokuyo(vehicle)
    x, y, z = vehicle.where("Hokuyo:BottomCenter")
    vehicle.do(linear_array(vehicle.model, vehicle.assembly, "Hokuyo", 3, (-0.2, 0.0, 0.0)))
    assert vehicle.where("Hokuyo3:BottomCenter") == [round(x - 0.4, 6), y, z]
    vehicle.do(circular_array(vehicle.model, vehicle.assembly, "Flea", 4, centre_m=(1.0, 0.0, 0.0)))
    x, y, z = vehicle.where("Flea:BottomCenter")
    assert vehicle.where("Flea3:BottomCenter") == [round(2.0 - x, 6), 0.0, z]
    vehicle.do(duplicate(vehicle.model, vehicle.assembly, "Gps", (0.1, 0.0, 0.0)))
    assert vehicle.where("Gps2:BottomCenter", "Gps:BottomCenter") == [0.1, 0.0, 0.0]
    with pytest.raises(ModelError, match="is not a count"):
        linear_array(vehicle.model, vehicle.assembly, "Flea", 1, (1.0, 0.0, 0.0))


def test_swapped_ends_swapped_back_are_the_same_bytes_with_many_decimals(vehicle: Vehicle) -> None:
    many = Pose((0.1234567890123, -1 / 3, 2 / 7), Rotation("rpy", (0.1, 1 / 3, -2.000000000001), "radians"))
    vehicle.document.do(MoveConstraint("camera_mount", many))
    vehicle.document.save()
    before = vehicle.path.read_bytes()
    vehicle.document.do(SwapEnds("camera_mount"))
    vehicle.document.save()
    vehicle.document.do(SwapEnds("camera_mount"))
    vehicle.document.save()
    assert vehicle.path.read_bytes() == before


def test_a_constraint_written_from_the_other_end_moves_nothing(vehicle: Vehicle) -> None:
    place = vehicle.where("Flea:ImagePlane")
    vehicle.document.do(SwapEnds("camera_mount"))
    vehicle.document.save()
    assert vehicle.where("Flea:ImagePlane") == place
    joint = Joint("pan", "hinge", axis=(0.0, 0.6, 0.8), lower=-1.0, upper=1.0, angles="radians")
    pose = Pose(rotation=Rotation("rpy", (10, 20, 30), "degrees"))
    turned = replace(vehicle.assembly.constraints[0], joint=joint, pose=pose)
    model = vehicle.model
    poses = []
    for constraint in (turned, swapped(turned)):
        model.constraints[0] = constraint
        transforms = Transforms(model, compiled=False)
        transforms.set_joint(constraint.name, 0.4)
        poses.append(transforms.get_transformation("RightLaser:BottomCenter", "Raptor"))
    assert np.allclose(poses[0], poses[1], atol=1e-9)
