"""A vehicle as an edit would make it, without doing the edit: what a drag shows before the button is released."""

from __future__ import annotations

from dataclasses import replace

from studio.model.geometry.assembly import Constraint, Model
from studio.model.geometry.body import Body
from studio.model.geometry.poses import Pose
from studio.model.geometry.shapes import Shape


def with_body(model: Model, name: str, body: Body) -> Model:
    """In all places that share the body's file."""
    file = model.bodies[name].file
    same = {each for each, other in model.bodies.items() if each == name or (file and other.file == file)}
    return replace(model, bodies={each: body if each in same else other for each, other in model.bodies.items()})


def with_frame_at(model: Model, body: str, frame: str, pose: Pose) -> Model:
    old = model.bodies[body]
    frames = [replace(each, pose=pose) if each.name == frame else each for each in old.frames]
    return with_body(model, body, replace(old, frames=frames))


def with_shape(model: Model, body: str, index: int, shape: Shape) -> Model:
    old = model.bodies[body]
    shapes = [shape if number == index else each for number, each in enumerate(old.shapes)]
    return with_body(model, body, replace(old, shapes=shapes))


def with_shape_at(model: Model, body: str, index: int, pose: Pose) -> Model:
    return with_shape(model, body, index, replace(model.bodies[body].shapes[index], pose=pose))


def with_constraint_at(model: Model, name: str, pose: Pose) -> Model:
    constraints = [replace(each, pose=pose) if each.name == name else each for each in model.constraints]
    return replace(model, constraints=constraints)


def with_constraint(model: Model, constraint: Constraint, without: str = "") -> Model:
    """With one more, in place of that named `without`."""
    kept = [each for each in model.constraints if each.name != without]
    return replace(model, constraints=[*kept, constraint])


def with_body_at(model: Model, name: str, pose: Pose) -> Model:
    """What no constraint binds."""
    return replace(model, placed={**model.placed, name: pose})
