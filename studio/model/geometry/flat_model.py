"""Makes one value of a model and everything it names, and a model of that again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from studio.model.geometry.assembly import Assembly, Constraint, Member, Model
from studio.model.geometry.assembly_xml import read_assembly, write_assembly
from studio.model.geometry.body import Body
from studio.model.geometry.body_xml import read_body, write_body
from studio.model.geometry.content import GeometryContent
from studio.model.geometry.rotations import GeometryError


def content_of(model: Model) -> GeometryContent:
    texts: dict[str, str] = {}
    members = []
    for name, body in model.bodies.items():
        text = write_body(_bare_body(body)).decode()
        file = next((known for known, other in texts.items() if other == text), "")
        if not file:
            file = _free_name(body.name, texts)
            texts[file] = text
        members.append(Member(name, file, model.placed.get(name)))
    constraints = [_bare_constraint(constraint) for constraint in model.constraints]
    flat = Assembly(
        model.name, members=members, constraints=constraints, tolerance_m=model.tolerance_m,
        tolerance_deg=model.tolerance_deg, pose=model.pose,
    )  # fmt: skip
    assembly = write_assembly(flat).decode()
    return GeometryContent.of(model.name, assembly, texts)


def model_of(content: GeometryContent) -> Model:
    """The same for all that ask in this process; nobody changes it."""
    return _built(content.assembly, tuple(content.bodies.items()))


@lru_cache(maxsize=8)
def _built(text: str, bodies: tuple[tuple[str, str], ...]) -> Model:
    """Components of one process share it: reading XML takes longer than all they ask."""
    assembly = read_assembly(text.encode())
    read = {file: read_body(body.encode(), file) for file, body in bodies}
    try:
        members = {member.name: read[member.file] for member in assembly.members}
    except KeyError as missing:
        raise GeometryError(f"the geometry {assembly.name} lacks the body {missing}") from None
    placed = {member.name: member.pose for member in assembly.members if member.pose is not None}
    return Model(assembly.name, members, assembly.constraints, assembly.tolerance_m, assembly.tolerance_deg,
                 pose=assembly.pose, placed=placed)  # fmt: skip


def _bare_body(body: Body) -> Body:
    """Without what says nothing about the device: the description, and the places in its file."""
    parts = ("frames", "shapes", "masses", "joints", "sensors")
    bare: dict[str, Any] = {part: [replace(each, origin=None) for each in getattr(body, part)] for part in parts}
    drive = None if body.drive is None else replace(body.drive, origin=None)
    return replace(body, doc="", file=None, drive=drive, **bare)


def _bare_constraint(constraint: Constraint) -> Constraint:
    joint = None if constraint.joint is None else replace(constraint.joint, origin=None)
    return replace(constraint, joint=joint, origin=None)


def _free_name(name: str, taken: Mapping[str, str]) -> str:
    candidates = [f"{name}.xml", *(f"{name}_{number}.xml" for number in range(2, len(taken) + 3))]
    return next(candidate for candidate in candidates if candidate not in taken)
