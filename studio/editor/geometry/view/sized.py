"""What the handles of size take hold of: a face is dragged along an axis of its shape, and the opposite one stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from studio.editor.geometry.selection import BodyThing, ShapeThing, Thing
from studio.editor.geometry.view.handled import Handled, Shown, shape_edit
from studio.editor.views.scene.batches import Floats
from studio.model.geometry.assembly import Model
from studio.model.geometry.linkage import Part
from studio.model.geometry.obstacles import grown
from studio.model.geometry.poses import inverse
from studio.model.geometry.shapes import Box, Cylinder, Shape, Sphere
from studio.model.geometry.tidy_poses import pose_like
from studio.model.geometry.what_if import with_body_at, with_shape
from studio.model.geometry.workspace import On
from studio.model.geometry.world import WorldModel, carrier_pose
from studio.model.geometry.world_edits import ChangeInWorld


def sized(stage: Shown, thing: Thing | None) -> Handled | None:
    """None for what has no size of its own."""
    workspace = stage.workspace
    if isinstance(thing, BodyThing) and workspace.is_world:
        part = workspace.world().parts().get(thing.body)
        return _whole(stage, part) if isinstance(part, WorldModel) and len(part.shapes) == 1 else None
    if not isinstance(thing, ShapeThing):
        return None
    shape = stage.description.model.bodies[thing.body].shapes[thing.index]
    sizes = sizes_of(shape)
    if sizes is None:
        return None
    carrier = stage.drawing.poses[Part(thing.body, shape.on)]
    at = carrier @ shape.pose.matrix

    def made(there: Floats) -> Shape:
        bigger, moved = grown(shape, _dragged(at, there))
        return replace(bigger, pose=pose_like(shape.pose, shape.pose.matrix @ _shift(moved)))

    return Handled(
        f"{thing.body}, {shape.name or type(shape).__name__.lower()}", at,
        lambda there: with_shape(stage.description.model, thing.body, thing.index, made(there)),
        lambda there: shape_edit(stage, thing, made(there), "size"), at, sizes,
    )  # fmt: skip


def _whole(stage: Shown, part: WorldModel) -> Handled | None:
    """An obstacle of one shape: it stands where it stood, so the obstacle itself moves by half of what it grows."""
    each, world, model = part.shapes[0], stage.workspace.world(), stage.description.model
    sizes = sizes_of(each.shape)
    if sizes is None:
        return None
    carrier, there_now = carrier_pose(world, part.name), stage.drawing.poses[Part(part.name)]
    inner = part.carrier_of(each) @ each.shape.pose.matrix
    at = there_now @ inner

    def made(there: Floats) -> tuple[Shape, Floats]:
        bigger, moved = grown(each.shape, _dragged(at, there))
        return bigger, at @ _shift(moved) @ inverse(inner)

    def would(there: Floats) -> Model:
        bigger, pose = made(there)
        shown = model.bodies[part.name].shapes[0]
        drawn = replace(bigger, pose=shown.pose)
        return with_body_at(with_shape(model, part.name, 0, drawn), part.name, pose_like(part.pose, pose))

    def edit(there: Floats) -> On:
        bigger, pose = made(there)
        new = part.with_shape(0, replace(each, shape=bigger))
        return On(ChangeInWorld(part.name, replace(new, pose=pose_like(part.pose, inverse(carrier) @ pose)), "size"))

    return Handled(part.name, at, would, edit, at, sizes)


def sizes_of(shape: Shape) -> tuple[float, float, float] | None:
    match shape:
        case Box():
            return shape.size
        case Cylinder():
            return shape.radius, shape.radius, shape.length
        case Sphere():
            return shape.radius, shape.radius, shape.radius
    return None


def _dragged(at: Floats, there: Floats) -> tuple[float, float, float]:
    x, y, z = (round(float(value), 9) for value in (inverse(at) @ there)[:3, 3])
    return x, y, z


def _shift(by: tuple[float, float, float]) -> Floats:
    made = np.eye(4)
    made[:3, 3] = by
    return made
