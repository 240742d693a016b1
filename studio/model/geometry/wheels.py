"""Four wheels under a body in one step: frames, joints, tyres and the drive, seventeen edits otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from studio.model.changes import ModelError
from studio.model.geometry.body import Body, Drive, Frame
from studio.model.geometry.edits import AddFrame, MoveFrame, SetDrive
from studio.model.geometry.joints import Joint
from studio.model.geometry.part_edits import AddJoint, AddShape, SetMass, SetShape
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Rotation
from studio.model.geometry.shapes import Box, Cylinder, Shape, Sphere
from studio.model.history import Edit

CORNERS = {"front_left": (1, 1), "front_right": (1, -1), "rear_left": (-1, 1), "rear_right": (-1, -1)}
LYING = Rotation("rpy", (90.0, 0.0, 0.0), "degrees")
RUBBER_KG_M3 = 500.0
STEERING_DEG = 30.0
Steering = Literal["skid", "ackermann"]


@dataclass(frozen=True)
class Wheels:
    steering: Steering
    wheelbase_m: float
    track_m: float
    radius_m: float
    width_m: float
    centre_m: tuple[float, float] = (0.0, 0.0)
    """Of the four hubs, x and y in the axes of the body."""


def usual_wheels(body: Body) -> Wheels:
    """That fit beside the largest box of a body."""
    boxes = [shape for shape in body.shapes if isinstance(shape, Box) and not shape.on]
    if not boxes:
        return Wheels("skid", 0.4, 0.4, 0.1, 0.05)
    box = max(boxes, key=lambda each: float(np.prod(each.size)))
    (length, width, _), (x, y, _) = box.size, box.pose.xyz
    radius = round(0.2 * length, 3)
    tyre = round(0.4 * radius, 3)
    return Wheels("skid", round(0.6 * length, 3), round(width + tyre + 0.02, 3), radius, tyre, (x, y))


def add_wheels(body: Body, wheels: Wheels) -> tuple[str, list[Edit[Any]]]:
    """A label, and the edits of the body's file. The wheels stand on the ground, which is at 0; what is too low for
    them is lifted until it has their hubs at its lower edge."""
    if min(wheels.wheelbase_m, wheels.track_m, wheels.radius_m, wheels.width_m) <= 0:
        raise ModelError("wheels need sizes above 0", hint="e.g. a radius of 0.1 m")
    if body.drive is not None:
        raise ModelError(f"{body.name} has a drive already", hint="remove it first, or change it in the properties")
    return "Add four wheels", [*_lifted(body, wheels), *_edits(wheels)]


def _lifted(body: Body, wheels: Wheels) -> Iterator[Edit[Any]]:
    lows = [_low(shape) for shape in body.shapes if not shape.on and shape.is_collision]
    if not lows or min(lows) > wheels.radius_m / 4:
        return
    by = wheels.radius_m - min(lows)
    for index, shape in enumerate(body.shapes):
        if not shape.on:
            yield SetShape(index, replace(shape, pose=_higher(shape.pose, by)))
    for frame in body.frames:
        if not frame.on:
            yield MoveFrame(frame.name, _higher(frame.pose, by))
    for mass in body.masses:
        if not mass.on:
            yield SetMass(replace(mass, pose=_higher(mass.pose, by)))


def _low(shape: Shape) -> float:
    """Of a mesh, whose size is not known, the origin."""
    down, z = np.abs(shape.pose.rotation.matrix[2]), shape.pose.xyz[2]
    match shape:
        case Box():
            return z - float(down @ np.asarray(shape.size)) / 2
        case Cylinder():
            return z - float(down[2] * shape.length / 2 + np.hypot(down[0], down[1]) * shape.radius)
        case Sphere():
            return z - shape.radius
    return z


def _higher(pose: Pose, by: float) -> Pose:
    x, y, z = pose.xyz
    return replace(pose, xyz=(x, y, _mm(z + by)))


def _edits(wheels: Wheels) -> Iterator[Edit[Any]]:
    for corner, (ahead, left) in CORNERS.items():
        steers = wheels.steering == "ackermann" and ahead > 0
        x, y = wheels.centre_m
        at = x + ahead * wheels.wheelbase_m / 2, y + left * wheels.track_m / 2
        place = Pose((_mm(at[0]), _mm(at[1]), wheels.radius_m))
        hub = f"{corner.title().replace('_', '')}Hub"
        if steers:
            kingpin = hub.replace("Hub", "Kingpin")
            lower, upper = np.radians((-STEERING_DEG, STEERING_DEG)).tolist()
            yield AddFrame(Frame(kingpin, place))
            yield AddJoint(Joint(f"{corner}_steering", "steering", kingpin, lower=lower, upper=upper, angles="degrees"))
            yield AddFrame(Frame(hub, on=f"{corner}_steering"))
        else:
            yield AddFrame(Frame(hub, place))
        yield AddJoint(Joint(f"{corner}_wheel", "drive", hub, axis=(0.0, 1.0, 0.0)))
        yield AddShape(
            Cylinder(
                f"{corner}_tyre", Pose(rotation=LYING), radius=wheels.radius_m, length=wheels.width_m,
                on=f"{corner}_wheel", colour="0.1 0.1 0.1 1", density_kg_m3=RUBBER_KG_M3,
            )
        )  # fmt: skip
    yield SetDrive(Drive(wheels.steering, wheels.wheelbase_m, wheels.track_m, wheels.radius_m))


def _mm(value: float) -> float:
    return round(value, 6) + 0.0
