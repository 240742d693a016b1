"""What tree, view and properties do to a selected thing: rename, remove, duplicate, mirror, repeat, detach.

Each gives a label and the edits of one step of undo; ModelError where it cannot be done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from studio.editor.geometry import world_things
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
from studio.errors import StudioError
from studio.model.changes import ModelError
from studio.model.geometry import arrange
from studio.model.geometry.arrange import Arrangement, MirrorPlane, free_name
from studio.model.geometry.assembly import Assembly, Constraint
from studio.model.geometry.assembly_edits import (
    DescribeAssembly,
    RemoveInclusion,
    RootAt,
    SetConstraint,
    SwapEnds,
)
from studio.model.geometry.body import Body
from studio.model.geometry.edits import AddFrame, FollowFrame, RemoveBody, RemoveFrame, RenameBody, RenameFrame, Unbind
from studio.model.geometry.part_edits import (
    AddSensor,
    AddShape,
    DescribeBody,
    RemoveJoint,
    RemoveSensor,
    RemoveShape,
    RenameSensor,
    SetJoint,
    SetShape,
    shape_text,
)
from studio.model.geometry.workspace import Home, On, Workspace
from studio.model.history import Edit


def do_arranged(do_all: Callable[[str, tuple[On, ...]], bool], say: Callable[..., object],
                make: Callable[[], Arrangement]) -> bool:  # fmt: skip
    """Make the edits and do them; what cannot be done is said."""
    try:
        made = make()
    except StudioError as error:
        say(f"{error.message}: {error.hint}" if error.hint else error.message, trouble=True)
        return False
    return do_all(made.label, made.edits)


def name_of(workspace: Workspace, thing: Thing) -> str:
    """As it is renamed: without the body, and without the prefix of an included assembly."""
    match thing:
        case VehicleThing():
            return workspace.name
        case BodyThing(body):
            return body if workspace.is_body else workspace.home("body", body).name
        case FrameThing(_, name) | JointThing(_, name) | SensorThing(_, name):
            return name
        case ConstraintThing(name):
            return workspace.home("constraint", name).name
        case ShapeThing(body, index):
            return workspace.assembled.model.bodies[body].shapes[index].name


def rename(workspace: Workspace, thing: Thing, new: str) -> Arrangement:
    if workspace.is_world:
        return world_things.rename(workspace, thing, new)
    old = name_of(workspace, thing)
    model = workspace.assembled.model
    match thing:
        case VehicleThing():
            value = workspace.value()
            if isinstance(value, Assembly):
                return _one(DescribeAssembly(new, value.doc))
            assert isinstance(value, Body)
            return _one(_described(value, new))
        case BodyThing(body) if workspace.is_body:
            return _one(_described(model.bodies[body], new))
        case BodyThing(body):
            return _one(RenameBody(old, new), workspace.home("body", body))
        case FrameThing(body):
            return Arrangement(f"Rename frame {old} to {new}", _renamed_frame(workspace, body, old, new))
        case JointThing("", name) | ConstraintThing(name):
            home = workspace.home("constraint", name)
            constraint = _constraint(workspace, home)
            return _one(SetConstraint(constraint.name, replace(constraint, name=new)), home)
        case JointThing(body, name):
            joint = model.bodies[body].joint(name)
            assert joint is not None
            return _in_body(workspace, body, SetJoint(name, replace(joint, name=new)))
        case SensorThing(body, name):
            sensor = next(each for each in model.bodies[body].sensors if each.name == name)
            return _in_body(workspace, body, RenameSensor(name, replace(sensor, name=new)))
        case ShapeThing(body, index):
            return _in_body(workspace, body, SetShape(index, replace(model.bodies[body].shapes[index], name=new)))


def remove(workspace: Workspace, thing: Thing, *, with_parts: bool = False) -> Arrangement:
    """`with_parts`: of a joint, also what it moves."""
    model = workspace.assembled.model
    match thing:
        case VehicleThing():
            raise ModelError("the vehicle itself cannot be removed", hint="remove its bodies, or close the file")
        case BodyThing(body):
            return _removed_body(workspace, body)
        case FrameThing(body, name):
            return _in_body(workspace, body, RemoveFrame(name))
        case ConstraintThing(name):
            home = workspace.home("constraint", name)
            return _one(Unbind(home.name), home)
        case JointThing("", name):
            home = workspace.home("constraint", name)
            constraint = _constraint(workspace, home)
            made = _one(SetConstraint(constraint.name, replace(constraint, joint=None)), home)
            return replace(made, label=f"Remove the joint of {name}")
        case JointThing(body, name):
            return _in_body(workspace, body, RemoveJoint(name, with_parts))
        case SensorThing(body, name):
            return _in_body(workspace, body, RemoveSensor(name))
        case ShapeThing(body, index):
            shape = model.bodies[body].shapes[index]
            return _in_body(workspace, body, RemoveShape(index, shape_text(shape)))


def remove_all(workspace: Workspace, things: tuple[Thing, ...]) -> Arrangement:
    """In one step; shapes from the last on, so that their places stay right."""
    if workspace.is_world:
        return world_things.remove_all(workspace, things)
    ordered = sorted(things, key=lambda each: -each.index if isinstance(each, ShapeThing) else 1)
    made = [remove(workspace, each) for each in ordered]
    label = made[0].label if len(made) == 1 else f"Remove {len(made)} parts"
    return Arrangement(label, tuple(edit for each in made for edit in each.edits))


def duplicate(workspace: Workspace, thing: Thing) -> Arrangement:
    """Bodies 0.2 m further along y; parts of a body where they are, under another name."""
    if workspace.is_world:
        return world_things.duplicate(workspace, thing)
    model = workspace.assembled.model
    match thing:
        case BodyThing(body):
            return arrange.duplicate(model, own_assembly(workspace), body, (0.0, 0.2, 0.0))
        case FrameThing(body, name):
            frame = model.bodies[body].frame(name)
            free = free_name(name, {each.name for each in model.bodies[body].frames})
            return _in_body(workspace, body, AddFrame(replace(frame, name=free, origin=None)))
        case SensorThing(body, name):
            sensor = next(each for each in model.bodies[body].sensors if each.name == name)
            free = free_name(name, {each.name for each in model.bodies[body].sensors})
            return _in_body(workspace, body, AddSensor(replace(sensor, name=free, origin=None)))
        case ShapeThing(body, index):
            shape = model.bodies[body].shapes[index]
            free = free_name(shape.name, {each.name for each in model.bodies[body].shapes}) if shape.name else ""
            return _in_body(workspace, body, AddShape(replace(shape, name=free, origin=None), index + 1))
    raise ModelError("this cannot be duplicated", hint="choose a body, a frame, a sensor or a shape")


def mirror(workspace: Workspace, body: str, plane: MirrorPlane) -> Arrangement:
    return arrange.mirror(workspace.assembled.model, own_assembly(workspace), body, plane=plane)


def detach(workspace: Workspace, body: str) -> Arrangement:
    return _one(arrange.detach(workspace.assembled.model, own_assembly(workspace), body))


def root_at(workspace: Workspace, body: str) -> Arrangement:
    own_assembly(workspace)
    return _one(RootAt(body))


def swap_ends(workspace: Workspace, constraint: str) -> Arrangement:
    home = workspace.home("constraint", constraint)
    return _one(SwapEnds(home.name), home)


def own_assembly(workspace: Workspace) -> Assembly:
    """The one that was opened."""
    value = workspace.value()
    if not isinstance(value, Assembly):
        what = "a world" if workspace.is_world else "a single body"
        raise ModelError(f"{workspace.name} is {what}", hint="open an assembly for this")
    return value


# ---- one edit, and where it goes


def _one(edit: Edit[Any], home: Home | None = None) -> Arrangement:
    return Arrangement(edit.label, (On(edit, home.file if home is not None else None),))


def _in_body(workspace: Workspace, body: str, edit: Edit[Any]) -> Arrangement:
    return Arrangement(edit.label, (On(edit, workspace.file_of(body)),))


def _described(body: Body, name: str) -> DescribeBody:
    return DescribeBody(name, body.doc, body.is_static)


def _constraint(workspace: Workspace, home: Home) -> Constraint:
    assembly = workspace.value(home.file)
    assert isinstance(assembly, Assembly)
    return next(each for each in assembly.constraints if each.name == home.name)


def _renamed_frame(workspace: Workspace, body: str, old: str, new: str) -> tuple[On, ...]:
    """With the constraints of all open assemblies that bind it."""
    file = workspace.file_of(body)
    edits = [On(RenameFrame(old, new), file)]
    twins = workspace.bodies_of(file)
    homes = {twin: workspace.home("body", twin) for twin in twins} if not workspace.is_body else {}
    edits += [On(FollowFrame(home.name, old, new), home.file) for home in homes.values()]
    return tuple(edits)


def _removed_body(workspace: Workspace, body: str) -> Arrangement:
    if workspace.is_body:
        raise ModelError(f"{body} is what this file describes", hint="delete the file instead")
    home = workspace.home("body", body)
    if home.file != workspace.main:
        assembly = own_assembly(workspace)
        for inclusion in assembly.inclusions:
            if body.startswith(inclusion.prefix) and body not in [each.name for each in assembly.members]:
                return _one(RemoveInclusion(inclusion.prefix))
    return _one(RemoveBody(home.name), home)
