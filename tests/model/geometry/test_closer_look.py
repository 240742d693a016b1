"""Overlapping shapes, sensors that see their own vehicle, and frames that nothing uses."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from studio.model.geometry.assembly import Constraint, FrameName, Model
from studio.model.geometry.body import Body, Frame
from studio.model.geometry.closer_look import look_closer, unused_frames
from studio.model.geometry.joints import Joint
from studio.model.geometry.library import load_model
from studio.model.geometry.linkage import Part, link
from studio.model.geometry.overlaps import Solid, overlaps, reach_into_each_other
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Rotation
from studio.model.geometry.sensors import Camera, Laser, Sensor, Ultrasonic
from studio.model.geometry.shapes import Box, Cylinder, Shape, Sphere


def solid(shape: Shape, x: float, y: float = 0.0, z: float = 0.0, roll: float = 0.0) -> Solid:
    pose = Pose((x, y, z), Rotation("rpy", (roll, 0.0, 0.0), "degrees")).matrix
    return Solid("B", 0, Part("B"), shape, np.asarray(pose))


BALL, CUBE, ROD = Sphere(radius=0.5), Box(size=(1.0, 1.0, 1.0)), Cylinder(radius=0.1, length=2.0)


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        (solid(BALL, 0), solid(BALL, 0.99), True),
        (solid(BALL, 0), solid(BALL, 1.0), False),
        (solid(BALL, 0), solid(BALL, 0), True),
        (solid(CUBE, 0), solid(CUBE, 1.0), False),
        (solid(CUBE, 0), solid(CUBE, 0.997, 0.99, 0.99), True),
        (solid(CUBE, 0), solid(CUBE, 0, roll=45), True),
        (solid(CUBE, 0), solid(CUBE, 0, 1.2, roll=45), True),
        (solid(CUBE, 0), solid(CUBE, 0, 1.21, roll=45), False),
        (solid(CUBE, 0), solid(BALL, 0.85, 0.85), True),
        (solid(CUBE, 0), solid(BALL, 0.86, 0.86), False),
        (solid(ROD, 0), solid(CUBE, 0, 0, 1.49), True),
        (solid(ROD, 0), solid(CUBE, 0, 0, 1.5), False),
        (solid(ROD, 0), solid(ROD, 0, 0.9, 0, roll=90), True),
        (solid(ROD, 0), solid(ROD, 0.2, 0, 0, roll=90), False),
        (solid(ROD, 0), solid(ROD, 0.19, 0, 0, roll=90), True),
    ],
)
def test_shapes_reach_into_each_other_or_touch(one: Solid, other: Solid, meet: bool) -> None:
    assert reach_into_each_other(one, other) is meet is reach_into_each_other(other, one)


def test_random_boxes_agree_with_points_inside_of_both() -> None:
    rng = np.random.default_rng(7)
    for _ in range(60):
        pair = []
        for _ in range(2):
            x, y, z = rng.uniform(-0.8, 0.8, 3).tolist()
            turned = Pose((x, y, z), Rotation("rpy", tuple(rng.uniform(-3, 3, 3).tolist()), "radians"))
            pair.append(Solid("B", 0, Part("B"), CUBE, turned.matrix))
        points = rng.uniform(-0.49, 0.49, (4000, 3)) @ pair[0].pose[:3, :3].T + pair[0].pose[:3, 3]
        inner = (points - pair[1].pose[:3, 3]) @ pair[1].pose[:3, :3]
        if (np.abs(inner) < 0.49).all(axis=1).any():
            assert reach_into_each_other(*pair)


def vehicle(sensor: Sensor, obstacle: Shape, tilt_deg: float = 0.0) -> Model:
    eye = Body(
        "Eye", frames=[Frame("Base"), Frame("Look", Pose(rotation=Rotation("rpy", (0, tilt_deg, 0), "degrees")))]
    )
    eye.sensors = [sensor]
    eye.shapes = [Box("housing", size=(0.2, 0.2, 0.2))]
    base = Body("Base", frames=[Frame("Top")], shapes=[obstacle])
    mount = Constraint("mount", FrameName("Base", "Top"), FrameName("Eye", "Base"))
    return Model("V", {"Base": base, "Eye": eye}, [mount])


@pytest.mark.parametrize("steering_deg", [-28.0, 0.0, 28.0])
def test_a_steered_wheel_does_not_collide_with_the_chassis_that_carries_it(steering_deg: float) -> None:
    model = load_model("raptor")
    linkage = link(model)
    turned = dict.fromkeys(("Raptor.front_left_steering", "Raptor.front_right_steering"), math.radians(steering_deg))
    assert not list(overlaps(model, linkage, linkage.poses(turned)))


def test_two_arms_on_an_empty_base_still_collide_with_each_other() -> None:
    base = Body("Base", frames=[Frame("Left", Pose((0.0, 0.3, 0.0))), Frame("Right", Pose((0.0, -0.3, 0.0)))])
    base.joints = [Joint("left", "hinge", "Left"), Joint("right", "hinge", "Right")]
    base.shapes = [Box("one", size=(0.2, 0.8, 0.2), on="left"), Box("two", size=(0.2, 0.8, 0.2), on="right")]
    model = Model("V", {"Base": base}, [])
    linkage = link(model)
    (found,) = overlaps(model, linkage, linkage.home_poses())
    assert {found.one.part, found.other.part} == {Part("Base", "left"), Part("Base", "right")}


WALL = Box("wall", Pose((1.0, 0.0, 0.0)), use="visual", size=(0.1, 0.4, 0.4))


def test_a_laser_counts_its_beams_on_the_vehicle() -> None:
    laser = Laser("scan", "Look", fov_deg=180.0, beams=181, range_max_m=5.0)
    (found,) = look_closer(vehicle(laser, WALL))
    seen = 2 * int(math.degrees(math.atan2(0.2, 0.95))) + 1
    assert found.message == f"Eye.scan sees its own vehicle: box wall of Base, {seen} beams"
    assert found.severity == "warning" and found.subject == "Eye.scan"
    assert look_closer(vehicle(laser, WALL, tilt_deg=-30)) == []
    assert look_closer(vehicle(replace(laser, range_max_m=0.9), WALL)) == []


AHEAD = Pose((1.0, 0.0, 0.0))


@pytest.mark.parametrize("shape", [Sphere("s", AHEAD, radius=0.3), Cylinder("c", AHEAD, radius=0.3, length=1.0), WALL])
def test_round_things_are_seen_too(shape: Shape) -> None:
    assert "sees its own vehicle" in look_closer(vehicle(Ultrasonic("echo", "Look", fov_deg=40.0), shape))[0].message
    assert look_closer(vehicle(Ultrasonic("echo", "Look", fov_deg=40.0), shape, tilt_deg=180)) == []


def test_a_camera_looks_along_z() -> None:
    camera = Camera("image", "Look", fov_deg=60.0)
    assert look_closer(vehicle(camera, WALL)) == []
    assert "% of its view" in look_closer(vehicle(camera, WALL, tilt_deg=90))[0].message


def test_two_bodies_of_one_vehicle_reach_into_each_other() -> None:
    model = load_model("raptor")
    beside = Pose((0.0, -0.9, 0.0))
    touching = [replace(each, pose=beside) if "left" in each.name else each for each in model.constraints]
    messages = [each.message for each in look_closer(replace(model, constraints=touching))]
    assert "box head of RightLaser and box head of LeftLaser overlap" in " ".join(messages)
    assert not any("overlap" in each.message for each in look_closer(model))


def test_frames_that_nothing_uses() -> None:
    unused = [each.subject for each in unused_frames(load_model("raptor"))]
    assert "Raptor:TopFrontRail" in unused and "Raptor:TopCenterRail" not in unused
    assert "Flea:ImagePlane" not in unused, "its sensor uses it"
    assert "RightLaser:TopCenter" in unused and "LeftLaser:TopCenter" not in unused, "one file, one finding"
