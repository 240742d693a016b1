"""Edits that remove a finding about a vehicle, where one is at hand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from studio.errors import Problem
from studio.model.geometry.arrange import free_name, root_poses
from studio.model.geometry.assembly import Assembly, Constraint, FrameName
from studio.model.geometry.assembly_edits import SetConstraint
from studio.model.geometry.body import Body, Frame
from studio.model.geometry.edits import AddFrame, MoveConstraint, RemoveFrame, SetSensor, Unbind
from studio.model.geometry.joints import Joint
from studio.model.geometry.linkage import part_of
from studio.model.geometry.part_edits import SetFrame, SetJoint, SetMass, SetShape
from studio.model.geometry.poses import HERE, Pose, inverse
from studio.model.geometry.rules import FAR_M
from studio.model.geometry.sensors import Bumper
from studio.model.geometry.shapes import Box, Cylinder, Shape, Sphere
from studio.model.geometry.tidy_poses import pose_like
from studio.model.geometry.workspace import On, Workspace
from studio.model.origin import Origin

MILLIMETRE = 0.001


@dataclass(frozen=True)
class GeometryFix:
    text: str
    """What a click does: `Remove the constraint`."""
    edits: tuple[On, ...]
    """One step of undo."""


def fixes_for(problem: Problem, workspace: Workspace) -> list[GeometryFix]:
    """The best one first; empty where only the user can know."""
    model = workspace.assembled.model
    constraint = next((each for each in model.constraints if each.name == problem.subject), None)
    if constraint is not None:
        return list(_of_constraint(problem, constraint, workspace))
    if problem.file is None or Path(problem.file).resolve() not in workspace.files():
        return []
    value = workspace.value(Path(problem.file))
    return list(_of_body(problem, value, Path(problem.file))) if isinstance(value, Body) else []


# ---- constraints


def _of_constraint(problem: Problem, constraint: Constraint, workspace: Workspace) -> Iterator[GeometryFix]:
    home = workspace.home("constraint", constraint.name)
    assembly = workspace.value(home.file)
    assert isinstance(assembly, Assembly)
    own = next(each for each in assembly.constraints if each.name == home.name)
    if "bound a second time" in problem.message:
        yield from _another_frame(own, constraint, workspace, home.file)
    elif "the loop" in problem.message:
        edit = MoveConstraint(own.name, _closing(own, constraint, workspace))
        yield GeometryFix("Move it so that the loop closes", (On(edit, home.file),))
    else:
        yield from _nearest_frames(own, constraint, workspace, home.file)
    yield GeometryFix("Remove the constraint", (On(Unbind(own.name), home.file),))


def _nearest_frames(own: Constraint, full: Constraint, workspace: Workspace, file: Path) -> Iterator[GeometryFix]:
    bodies = workspace.assembled.model.bodies
    for side, end in (("start", full.start), ("end", full.end)):
        body = bodies.get(end.body)
        frames = [frame.name for frame in body.frames] if body is not None else []
        if body is None or end.frame in frames:
            continue
        for near in get_close_matches(end.frame, frames, n=1):
            changed = replace(own, **{side: getattr(own, side)._replace(frame=near)})
            yield GeometryFix(f"Use {end.body}:{near}", (On(SetConstraint(own.name, changed), file),))
        yield GeometryFix(
            f"Add the frame {end.frame} to {end.body}", (On(AddFrame(Frame(end.frame)), workspace.file_of(end.body)),)
        )


def _another_frame(own: Constraint, full: Constraint, workspace: Workspace, file: Path) -> Iterator[GeometryFix]:
    """A frame in the same place, for the constraint that came second."""
    model = workspace.assembled.model
    others = [end for each in model.constraints if each.name != full.name for end in (each.start, each.end)]
    for side, end in (("start", full.start), ("end", full.end)):
        if end in others and end.body in model.bodies:
            body = model.bodies[end.body]
            twin = replace(body.frame(end.frame), origin=None)
            name = free_name(end.frame, {frame.name for frame in body.frames})
            changed = replace(own, **{side: getattr(own, side)._replace(frame=name)})
            edits = (
                On(AddFrame(replace(twin, name=name)), workspace.file_of(end.body)),
                On(SetConstraint(own.name, changed), file),
            )
            yield GeometryFix(f"Add the frame {name} in the same place", edits)


def _closing(own: Constraint, full: Constraint, workspace: Workspace) -> Pose:
    """The pose with which the ends are where the rest of the vehicle has them, joints at home."""
    model = workspace.assembled.model
    poses = root_poses(model, workspace.assembled.transforms.linkage)
    ends = []
    for end in (full.start, full.end):
        part, frame = part_of(model, FrameName(end.body, end.frame))
        ends.append(poses[part] @ frame)
    moved = full.joint.matrix(full.joint.home) if full.joint is not None else HERE.matrix
    return pose_like(own.pose, inverse(moved) @ inverse(ends[0]) @ ends[1])


# ---- bodies


def _of_body(problem: Problem, body: Body, file: Path) -> Iterator[GeometryFix]:
    part = problem.subject.partition(":")[2]
    message = problem.message
    if "has no frame" in message and not body.frames:
        yield GeometryFix("Add the frame Origin", (On(AddFrame(Frame("Origin")), file),))
    elif message.startswith("nothing uses the frame"):
        yield GeometryFix("Remove the frame", (On(RemoveFrame(part), file),))
    elif message.startswith("impossible inertia"):
        yield from _moments(body, part, file)
    elif "which does not exist" in message:
        yield from _missing_names(body, part, file)
    else:
        yield from _units(body, problem, file)


def _moments(body: Body, part: str, file: Path) -> Iterator[GeometryFix]:
    mass = next((mass for mass in body.masses if mass.on == part), None)
    if mass is not None and mass.moments is not None:
        yield GeometryFix("Compute the inertia from the shapes", (On(SetMass(replace(mass, moments=None)), file),))


def _missing_names(body: Body, part: str, file: Path) -> Iterator[GeometryFix]:
    """Of sensors, bumpers and joints: the frame or shape that is spelt most alike."""
    frames = [frame.name for frame in body.frames]
    sensor = next((each for each in body.sensors if each.name == part), None)
    if sensor is not None:
        if sensor.frame not in frames:
            for near in get_close_matches(sensor.frame, frames, n=1, cutoff=0.4):
                yield GeometryFix(f"Use {near}", (On(SetSensor(replace(sensor, frame=near)), file),))
        elif isinstance(sensor, Bumper):
            known = [shape.name for shape in body.shapes if shape.name]
            for near in get_close_matches(sensor.shape, known, n=1, cutoff=0.4):
                yield GeometryFix(f"Use {near}", (On(SetSensor(replace(sensor, shape=near)), file),))
            yield GeometryFix("Use all shapes", (On(SetSensor(replace(sensor, shape="")), file),))
        return
    joint = body.joint(part)
    if joint is not None and joint.at not in frames:
        for near in get_close_matches(joint.at, frames, n=1, cutoff=0.4):
            yield GeometryFix(f"Use {near}", (On(SetJoint(joint.name, replace(joint, at=near)), file),))
        return
    near_joints = get_close_matches(part, [each.name for each in body.joints], n=1, cutoff=0.4)
    for on in [*near_joints, ""]:
        frames_on = [SetFrame(each.name, replace(each, on=on)) for each in body.frames if each.on == part]
        shapes_on = [SetShape(i, replace(each, on=on)) for i, each in enumerate(body.shapes) if each.on == part]
        edits = (*(On(edit, file) for edit in frames_on), *(On(edit, file) for edit in shapes_on))
        if edits:
            yield GeometryFix(f"Put it on {on}" if on else "Put it on the body itself", edits)


def _units(body: Body, problem: Problem, file: Path) -> Iterator[GeometryFix]:
    for frame in body.frames:
        if _is_meant(problem, frame.name, frame.origin):
            yield from _of_frame(frame, problem, file)
    for index, shape in enumerate(body.shapes):
        is_large = shape.extent_m > FAR_M and isinstance(shape, Box | Cylinder | Sphere)
        if is_large and "m long" in problem.message and _is_meant(problem, shape.name, shape.origin):
            yield GeometryFix("Read it as millimetres", (On(SetShape(index, _in_millimetres(shape)), file),))
    for joint in body.joints:
        if "is limited to" in problem.message and _is_meant(problem, joint.name, joint.origin):
            yield GeometryFix("Read it as degrees", (On(SetJoint(joint.name, _in_degrees(joint)), file),))


def _is_meant(problem: Problem, name: str, origin: Origin | None) -> bool:
    """By its name; what has none by its line."""
    part = problem.subject.partition(":")[2]
    return name == part if part else origin is not None and origin.line == problem.line


def _in_degrees(joint: Joint) -> Joint:
    scale = math.pi / 180
    limits = {
        key: None if value is None else value * scale
        for key, value in (("lower", joint.lower), ("upper", joint.upper), ("speed", joint.speed))
    }
    return replace(joint, angles="degrees", home=joint.home * scale, **limits)  # type: ignore[arg-type]


def _of_frame(frame: Frame, problem: Problem, file: Path) -> Iterator[GeometryFix]:
    pose = frame.pose
    if "radians" in problem.message:
        meant = Pose(pose.xyz, replace(pose.rotation, angles="degrees"))
        yield GeometryFix("Read it as degrees", (On(SetFrame(frame.name, replace(frame, pose=meant)), file),))
    elif "m from the origin" in problem.message:
        meant = Pose(_scaled(pose.xyz), pose.rotation)
        yield GeometryFix("Read it as millimetres", (On(SetFrame(frame.name, replace(frame, pose=meant)), file),))


def _in_millimetres(shape: Shape) -> Shape:
    pose = Pose(_scaled(shape.pose.xyz), shape.pose.rotation)
    match shape:
        case Box():
            return replace(shape, pose=pose, size=_scaled(shape.size))
        case Cylinder():
            return replace(shape, pose=pose, radius=_mm(shape.radius), length=_mm(shape.length))
        case Sphere():
            return replace(shape, pose=pose, radius=_mm(shape.radius))
    return shape


def _scaled(values: tuple[float, float, float]) -> tuple[float, float, float]:
    return _mm(values[0]), _mm(values[1]), _mm(values[2])


def _mm(value: float) -> float:
    return round(value * MILLIMETRE, 12)
