"""What tree, view and properties do to a selected part of a world: as `thing_edits` for vehicles."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

from studio.editor.geometry.selection import BodyThing, FrameThing, ShapeThing, Thing, VehicleThing
from studio.model.changes import ModelError
from studio.model.geometry.arrange import Arrangement
from studio.model.geometry.obstacles import copied, new_place
from studio.model.geometry.workspace import On, Workspace
from studio.model.geometry.world import PLACES, WorldModel, WorldPart
from studio.model.geometry.world_edits import AddToWorld, ChangeInWorld, DescribeWorld, RemoveFromWorld

BESIDE_M = (0.5, 0.5, 0.0)
"""From a part to its copy."""
HEIGHT, THICKNESS = "geometry/wall_height_m", "geometry/wall_thickness_m"
"""Settings: what the next wall has at first."""


def part_of(workspace: Workspace, thing: Thing) -> WorldPart | None:
    """The model, place or include that a thing is or belongs to."""
    match thing:
        case FrameThing(body, frame) if body == PLACES:
            name = frame
        case BodyThing(body) | ShapeThing(body, _) | FrameThing(body, _):
            name = body
        case _:
            return None
    return workspace.world().parts().get(name)


def model_of(workspace: Workspace, body: str) -> WorldModel:
    part = workspace.world().parts()[body]
    assert isinstance(part, WorldModel)
    return part


def rename(workspace: Workspace, thing: Thing, new: str) -> Arrangement:
    if isinstance(thing, VehicleThing):
        return _one(DescribeWorld(new, workspace.world().gravity_m_s2))
    part = _need(workspace, thing)
    if isinstance(thing, ShapeThing):
        assert isinstance(part, WorldModel)
        old = part.shapes[thing.index]
        made = replace(old, shape=replace(old.shape, name=new))
        return _one(ChangeInWorld(part.name, part.with_shape(thing.index, made)))
    return _one(ChangeInWorld(part.name, replace(part, name=new)))


def remove_all(workspace: Workspace, things: tuple[Thing, ...]) -> Arrangement:
    """In one step; a model that loses its last shape goes with it."""
    if VehicleThing() in things:
        raise ModelError("the world itself cannot be removed", hint="remove its contents, or close the file")
    whole = [_need(workspace, each).name for each in things if not isinstance(each, ShapeThing)]
    shapes: dict[str, set[int]] = defaultdict(set)
    for each in things:
        if isinstance(each, ShapeThing) and each.body not in whole:
            shapes[each.body].add(each.index)
    edits: list[Any] = [RemoveFromWorld(name) for name in dict.fromkeys(whole)]
    for name, gone in shapes.items():
        model = model_of(workspace, name)
        kept = tuple(shape for index, shape in enumerate(model.shapes) if index not in gone)
        edits.append(ChangeInWorld(name, replace(model, shapes=kept)) if kept else RemoveFromWorld(name))
    label = edits[0].label if len(edits) == 1 else f"Remove {len(edits)} parts"
    return Arrangement(label, tuple(On(edit) for edit in edits))


def duplicate(workspace: Workspace, thing: Thing) -> Arrangement:
    """Half a metre further."""
    world, part = workspace.world(), _need(workspace, thing)
    if isinstance(thing, ShapeThing):
        model = model_of(workspace, thing.body)
        old = model.shapes[thing.index]
        x, y, z = (at + step for at, step in zip(old.shape.pose.xyz, BESIDE_M, strict=True))
        taken = {each.shape.name for each in model.shapes}
        name = next(made for number in range(2, len(taken) + 3) if (made := f"{old.shape.name}_{number}") not in taken)
        shape = replace(old.shape, name=name, pose=replace(old.shape.pose, xyz=(x, y, z)), origin=None)
        more = replace(old, shape=shape, visual_name="", collision=None, visual=None)
        return _one(ChangeInWorld(model.name, replace(model, shapes=(*model.shapes, more))))
    if isinstance(part, WorldModel):
        names = [each.name for each in world.models]
        return _one(AddToWorld(copied(world, part, BESIDE_M), names.index(part.name) + 1))
    x, y, z = (at + step for at, step in zip(part.pose.xyz, BESIDE_M, strict=True))
    name = new_place(world, part.name, (x, y)).name
    return _one(AddToWorld(replace(part, name=name, pose=replace(part.pose, xyz=(x, y, z)), origin=None)))


def _need(workspace: Workspace, thing: Thing) -> WorldPart:
    part = part_of(workspace, thing)
    if part is None:
        raise ModelError("this is not a separate part of the world", hint="choose an obstacle or a place")
    return part


def _one(edit: Any) -> Arrangement:
    return Arrangement(edit.label, (On(edit),))
