"""What the gizmo takes hold of: where a thing is, the vehicle with it elsewhere, and the edit that makes it so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from studio.editor.geometry.selection import (
    BodyThing,
    ConstraintThing,
    FrameThing,
    JointThing,
    SensorThing,
    ShapeThing,
    Thing,
    VehicleThing,
)
from studio.editor.geometry.view.description import Description
from studio.editor.geometry.view.drawing import Drawing
from studio.editor.views.scene.batches import Floats
from studio.model.geometry.assembly import Assembly, Model
from studio.model.geometry.assembly_edits import SetBody
from studio.model.geometry.edits import MoveConstraint, MoveFrame
from studio.model.geometry.linkage import Branch, Part
from studio.model.geometry.part_edits import SetShape
from studio.model.geometry.poses import HERE, Pose, inverse
from studio.model.geometry.shapes import Shape
from studio.model.geometry.tidy_poses import pose_like
from studio.model.geometry.what_if import with_body_at, with_constraint_at, with_frame_at, with_shape_at
from studio.model.geometry.workspace import On, Workspace
from studio.model.geometry.world import PLACES, WorldModel, carrier_pose
from studio.model.geometry.world_edits import ChangeInWorld


class Shown(Protocol):
    """Of the stage."""

    @property
    def workspace(self) -> Workspace: ...
    @property
    def description(self) -> Description: ...
    @property
    def drawing(self) -> Drawing: ...
    @property
    def joints(self) -> Mapping[str, float]: ...


@dataclass(frozen=True)
class Handled:
    """A thing that can be moved. `pose` is where it is in the view; the rest is given where it shall be."""

    name: str
    pose: Floats
    would: Callable[[Floats], Model]
    edit: Callable[[Floats], On]
    pivot: Floats
    """What it turns about and along: the frame by which it is mounted, else its own."""
    sizes: tuple[float, float, float] | None = None
    """Along its axes, where it is sized and not moved."""


def place_of(stage: Shown, thing: Thing) -> Floats | None:
    """In the view; None if it is not shown."""
    drawing, model = stage.drawing, stage.description.model
    match thing:
        case VehicleThing():
            return np.eye(4)
        case BodyThing(body):
            return drawing.poses.get(Part(body))
        case FrameThing():
            return drawing.frames.get(thing)
        case SensorThing(body, sensor):
            found = next((each for each in model.bodies[body].sensors if each.name == sensor), None)
            return drawing.frames.get(FrameThing(body, found.frame)) if found is not None else None
        case ShapeThing(body, index):
            shape = model.bodies[body].shapes[index]
            return drawing.poses[Part(body, shape.on)] @ shape.pose.matrix
        case ConstraintThing(name):
            constraint = next((each for each in model.constraints if each.name == name), None)
            return drawing.frames.get(FrameThing(*constraint.end)) if constraint is not None else None
        case JointThing():
            mark = next((each for each in stage.description.joints if each.thing == thing), None)
            return drawing.poses[mark.carrier] @ mark.before if mark is not None else None


def handled(stage: Shown, thing: Thing | None) -> Handled | None:
    """None for what cannot be moved by itself."""
    if thing is None or place_of(stage, thing) is None:
        return None
    match thing:
        case BodyThing(body):
            return _body(stage, body)
        case ConstraintThing(name):
            return _mount(stage, name)
        case FrameThing():
            return _frame(stage, thing)
        case SensorThing(body, sensor):
            found = next(each for each in stage.description.model.bodies[body].sensors if each.name == sensor)
            return _frame(stage, FrameThing(body, found.frame))
        case ShapeThing():
            return _shape(stage, thing)
    return None


def _body(stage: Shown, body: str) -> Handled | None:
    """By the constraint that it hangs on; a body that hangs on nothing is placed by its assembly."""
    branch = stage.description.linkage.branches.get(Part(body))
    if branch is not None and branch.edge.constraint is not None:
        return _bound(stage, Part(body), branch, body)
    return _placed(stage, body)


def _mount(stage: Shown, name: str) -> Handled | None:
    for part, branch in stage.description.linkage.branches.items():
        if branch.edge.constraint is not None and branch.edge.constraint.name == name:
            return _bound(stage, part, branch, name)
    return None  # it closes a loop: nothing hangs on it


def _bound(stage: Shown, part: Part, branch: Branch, name: str) -> Handled | None:
    constraint = branch.edge.constraint
    assert constraint is not None
    model, workspace = stage.description.model, stage.workspace
    carrier, edge = stage.drawing.poses[branch.parent], branch.edge
    position = stage.joints.get(edge.name)
    joint = np.eye(4) if edge.joint is None else edge.joint.matrix(edge.joint.home if position is None else position)
    fixed = inverse(edge.before @ joint)
    end_frame = inverse(edge.after) @ constraint.pose.matrix

    def pose_for(there: Floats) -> Pose:
        between = inverse(carrier) @ there if branch.forward else inverse(there) @ carrier
        return pose_like(constraint.pose, fixed @ between @ end_frame)

    home = workspace.home("constraint", constraint.name)
    own = constraint.end if branch.forward else constraint.start
    return Handled(
        name,
        stage.drawing.poses[part],
        lambda there: with_constraint_at(model, constraint.name, pose_for(there)),
        lambda there: On(MoveConstraint(home.name, pose_for(there)), home.file),
        stage.drawing.frames.get(FrameThing(*own), stage.drawing.poses[part]),
    )


def _placed(stage: Shown, body: str) -> Handled | None:
    workspace, model = stage.workspace, stage.description.model
    if workspace.is_body or body == PLACES:
        return None
    if workspace.is_world:
        return _in_world(stage, body, stage.drawing.poses[Part(body)])
    home = workspace.home("body", body)
    assembly = workspace.value(home.file)
    assert isinstance(assembly, Assembly)
    member = next(each for each in assembly.members if each.name == home.name)

    def pose_for(there: Floats) -> Pose:
        return pose_like(member.pose or HERE, there)

    return Handled(
        body,
        stage.drawing.poses[Part(body)],
        lambda there: with_body_at(model, body, pose_for(there)),
        lambda there: On(SetBody(home.name, replace(member, pose=pose_for(there))), home.file),
        stage.drawing.poses[Part(body)],
    )


def _in_world(stage: Shown, name: str, at: Floats) -> Handled | None:
    """A model, a place or an include of a world, where it stands."""
    world, model = stage.workspace.world(), stage.description.model
    part = world.parts().get(name)
    if part is None:
        return None
    carrier = carrier_pose(world, name)

    def would(there: Floats) -> Model:
        pose = pose_like(part.pose, there)
        return with_body_at(model, name, pose) if name in model.bodies else with_frame_at(model, PLACES, name, pose)

    def edit(there: Floats) -> On:
        return On(ChangeInWorld(name, replace(part, pose=pose_like(part.pose, inverse(carrier) @ there)), "move"))

    return Handled(name, at, would, edit, at)


def _frame(stage: Shown, thing: FrameThing) -> Handled | None:
    model = stage.description.model
    if stage.workspace.is_world:
        return _in_world(stage, thing.frame, stage.drawing.frames[thing])
    body = model.bodies[thing.body]
    frame = body.frame(thing.frame)
    carrier = stage.drawing.poses[Part(thing.body, frame.on)]

    def pose_for(there: Floats) -> Pose:
        return pose_like(frame.pose, inverse(carrier) @ there)

    return Handled(
        str(thing),
        stage.drawing.frames[thing],
        lambda there: with_frame_at(model, thing.body, thing.frame, pose_for(there)),
        lambda there: On(MoveFrame(thing.frame, pose_for(there)), _file(stage, thing.body)),
        stage.drawing.frames[thing],
    )


def _shape(stage: Shown, thing: ShapeThing) -> Handled:
    model = stage.description.model
    shape = model.bodies[thing.body].shapes[thing.index]
    carrier = stage.drawing.poses[Part(thing.body, shape.on)]

    def pose_for(there: Floats) -> Pose:
        return pose_like(shape.pose, inverse(carrier) @ there)

    def moved_shape(there: Floats) -> On:
        return shape_edit(stage, thing, replace(shape, pose=pose_for(there)), "move")

    return Handled(
        f"{thing.body}, {shape.name or type(shape).__name__.lower()}",
        carrier @ shape.pose.matrix,
        lambda there: with_shape_at(model, thing.body, thing.index, pose_for(there)),
        moved_shape,
        carrier @ shape.pose.matrix,
    )


def shape_edit(stage: Shown, thing: ShapeThing, shape: Shape, gesture: str) -> On:
    """Another shape in the place of one, its pose in the axes of its part."""
    if not stage.workspace.is_world:
        return On(SetShape(thing.index, shape, gesture), _file(stage, thing.body))
    model = stage.workspace.world().parts()[thing.body]
    assert isinstance(model, WorldModel)
    old = model.shapes[thing.index]
    in_link = pose_like(old.shape.pose, inverse(model.carrier_of(old)) @ shape.pose.matrix)
    made = replace(old, shape=replace(shape, pose=in_link))
    return On(ChangeInWorld(thing.body, model.with_shape(thing.index, made), (gesture, thing.index)))


def _file(stage: Shown, body: str) -> Path:
    return stage.workspace.file_of(body)
