"""Tries an SDF or URDF file: links are where the file says, and written as XML, SDF and URDF they are there again."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from studio.cli.corpus_parts.outcome import Outcome, WrongError
from studio.cli.corpus_parts.plain_models import plain_joints, plain_pose
from studio.errors import StudioError
from studio.model.geometry.assembly import Model
from studio.model.geometry.export_tree import Export
from studio.model.geometry.flat_model import content_of, model_of
from studio.model.geometry.import_model import import_model
from studio.model.geometry.import_tree import Imported
from studio.model.geometry.linkage import Part, link
from studio.model.geometry.poses import distance
from studio.model.geometry.rotations import Matrix
from studio.model.geometry.sdf import to_sdf
from studio.model.geometry.transforms import Transforms
from studio.model.geometry.urdf import to_urdf

WITHIN = 1e-6
"""Metres and radians, of models of metres; also what is left of files with a long way from link to link."""
MOVED = 0.1


def try_model(path: Path) -> Outcome:
    imported = import_model(path)
    model = _at_zero(imported.model)
    compared = _compare_with_file(path, imported, model)
    _compare_written_xml(model)
    for kind, export in (("sdf", to_sdf), ("urdf", to_urdf)):
        _compare_exported(kind, export(model), model)
    return Outcome("ok", compared=compared, notes=imported.notes)


def _position(joint: str) -> float:
    """Of any joint the same each time, and no two that are alike by chance."""
    return MOVED * (1 + sum(map(ord, joint)) % 7)


def _moved(model: Model, names: dict[str, str] | None = None) -> Transforms:
    """`names`: what joints are called by whom their positions are known."""
    known = {ours: theirs for theirs, ours in (names or {}).items()}
    transforms = Transforms(model, compiled=False)
    for joint in transforms.joint_names():
        transforms.set_joint(joint, _position(known.get(joint, joint)))
    return transforms


def _at_zero(model: Model) -> Model:
    """The files of simulators start joints at 0, and an export says so."""
    for body in model.bodies.values():
        body.joints = [replace(joint, home=0.0) for joint in body.joints]
    model.constraints = [
        replace(each, joint=replace(each.joint, home=0.0)) if each.joint else each for each in model.constraints
    ]
    return model


def _compare_with_file(path: Path, imported: Imported, model: Model) -> int:
    joints = plain_joints(path)
    if joints is None:
        return 0
    transforms, compared = _moved(model, imported.joints), 0
    for name, body in imported.bodies.items():
        root, pose = plain_pose(joints, name, _position)
        if root == name or root not in imported.bodies:
            continue
        for off in _off(pose, transforms.get_transformation(body, imported.bodies[root])):
            raise WrongError(f"the link {name} {off}")
        compared += 1
    return compared


def _compare_written_xml(model: Model) -> None:
    content = content_of(model)
    try:
        again = model_of(content)
    except StudioError as error:
        raise WrongError(f"the XML that Studio wrote from it cannot be read: {error.message}") from error
    if content_of(again).digest != content.digest:
        raise WrongError("the XML that Studio wrote from it gives another model")


def _compare_exported(kind: str, export: Export, model: Model) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"again.{kind}"
        path.write_text(export.text)
        try:
            imported = import_model(path)
        except StudioError as error:
            raise WrongError(f"the {kind.upper()} that Studio wrote from it cannot be read: {error.message}") from error
    again = _at_zero(imported.model)
    for what in _lost(kind, export, model, imported, again):
        raise WrongError(f"written as {kind.upper()} and read again, {what}")


def _lost(kind: str, export: Export, model: Model, imported: Imported, again: Model) -> Iterator[str]:
    bodies = {ours: imported.bodies.get(export.links[ours], "") for ours in model.bodies}
    if sorted(bodies.values()) != sorted(again.bodies):
        yield f"it has the links {', '.join(again.bodies)}"
    joints = {ours: imported.joints.get(theirs, ours) for ours, theirs in export.joints.items()}
    before, after = _moved(model), _moved(again, joints)
    moving, got = set(before.joint_names()), set(after.joint_names())
    loops = {loop.edge.name for loop in link(model).loops} if kind == "urdf" else set()
    if {joints.get(name, name) for name in moving - loops} != got:
        yield f"it has the joints {', '.join(sorted(got))}"
    if bodies[next(iter(model.bodies))] != next(iter(again.bodies)):
        yield f"its root is {next(iter(again.bodies))}"
    linkage = link(model)
    for name in before.frame_names():
        body, _, frame = name.partition(":")
        root = linkage.roots[Part(body)].body
        wanted = before.get_transformation(name, root)
        got_there = after.get_transformation(f"{bodies[body]}:{frame}", bodies[root])
        yield from (f"{name} {off}" for off in _off(wanted, got_there))
    if kind == "sdf":
        yield from _lost_places(model, bodies, again)


def _off(wanted: Matrix, got: Matrix) -> Iterator[str]:
    far_m, turned_rad = distance(wanted, got)
    if far_m > WITHIN * max(1.0, float(np.abs(wanted).max())) or turned_rad > WITHIN:
        yield f"is {far_m:.3g} m and {turned_rad:.3g} rad from where it should be"


def _lost_places(model: Model, bodies: dict[str, str], again: Model) -> Iterator[str]:
    if max(distance(model.pose.matrix, again.pose.matrix)) > WITHIN:
        yield "the model is somewhere else"
    for ours, theirs in bodies.items():
        if model.bodies[ours].is_static != again.bodies[theirs].is_static:
            yield f"{ours} is {'not static' if model.bodies[ours].is_static else 'static'}"
        if ours in model.placed and theirs not in again.placed:
            yield f"{ours} has no place"
        elif ours in model.placed and max(distance(model.placed[ours].matrix, again.placed[theirs].matrix)) > WITHIN:
            yield f"{ours} is at another place"
