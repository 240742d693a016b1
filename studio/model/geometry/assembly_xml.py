"""Assembly files: records to an Assembly and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from studio.errors import Problem
from studio.model.files import read_bytes
from studio.model.geometry.assembly import Assembly, Constraint, FrameName, Inclusion, Member
from studio.model.geometry.xml_values import (
    JOINT,
    POSE,
    joint_attributes,
    number,
    number_text,
    numbers_text,
    pose_attributes,
    read_joint,
    read_number,
    read_pose,
    unique,
)
from studio.model.origin import Origin
from studio.model.xml_file import read_xml, unknown_names
from studio.model.xml_reconcile import Rule, reconcile
from studio.model.xml_text import parse_spans
from studio.model.xml_tree import XmlNode, only, reading, tree_of

NEW_FILE = b'<?xml version="1.0" encoding="UTF-8"?>\n<assembly name="new" version="1">\n</assembly>\n'
RULE = Rule(
    "assembly",
    attributes={"name": str, "tolerance_m": number, "tolerance_deg": number, **POSE},
    children=(
        Rule("doc", text=True),
        Rule("body", ("name",), {"name": str, "file": str, **POSE}),
        Rule("include", ("prefix",), {"prefix": str, "file": str}),
        Rule(
            "constraint",
            ("name",),
            {"name": str, "from": str, "to": str, **POSE},
            (Rule("joint", (), JOINT),),
        ),
    ),
)
_DEFAULTS = {"tolerance_m": Assembly("").tolerance_m, "tolerance_deg": Assembly("").tolerance_deg}


def read_assembly(data: bytes | Path, file: Path | str | None = None) -> Assembly:
    return read_assembly_with_warnings(data, file)[0]


def read_assembly_with_warnings(data: bytes | Path, file: Path | str | None = None) -> tuple[Assembly, list[Problem]]:
    """Also a warning for each name that Studio does not know."""
    if isinstance(data, Path):
        file, data = data if file is None else file, read_bytes(data)
    root = read_xml(data, "assembly", file=file)
    return build_assembly(tree_of(root), file), unknown_names(root, "assembly", file)


def build_assembly(root: XmlNode, file: Path | str | None = None) -> Assembly:
    place = None if file is None else str(file)
    assembly = Assembly(root.attributes["name"], file=place)
    doc = only(root, "doc", file)
    if doc is not None:
        assembly.doc = doc.text.strip()
    with reading(root, file):
        for key in _DEFAULTS:
            if key in root.attributes:
                setattr(assembly, key, read_number(root, key, positive=True))
        assembly.pose = read_pose(root)
    for node in root.children:
        with reading(node, file):
            if node.tag == "body":
                pose = read_pose(node) if not POSE.keys().isdisjoint(node.attributes) else None
                assembly.members.append(Member(node.attributes["name"], node.attributes["file"], pose, node.origin()))
            elif node.tag == "include":
                assembly.inclusions.append(Inclusion(node.attributes["prefix"], node.attributes["file"], node.origin()))
            elif node.tag == "constraint":
                assembly.constraints.append(_constraint(node, file))
    for tag, key in (("body", "name"), ("include", "prefix"), ("constraint", "name")):
        unique([(node.attributes[key], node) for node in root.all(tag)], tag, place)
    return assembly


def write_assembly(assembly: Assembly, written: bytes = NEW_FILE) -> bytes:
    """`written`, the bytes that the assembly was read from, changed to what the assembly says now."""
    return reconcile(written, assembly_tree(assembly, written), RULE)


def assembly_tree(assembly: Assembly, written: bytes = NEW_FILE) -> XmlNode:
    spans = parse_spans(written)
    root = XmlNode("assembly", {"name": assembly.name}, element=0)
    for key, default in _DEFAULTS.items():
        value = getattr(assembly, key)
        if value != default or key in spans[0].attributes:
            root.attributes[key] = number_text(value)
    root.attributes |= pose_attributes(assembly.pose, spans[0].attributes)
    if assembly.doc:
        root.children.append(XmlNode("doc", text=assembly.doc))
    for member in assembly.members:
        made = _node("body", member.origin, name=member.name, file=member.file)
        if member.pose is not None:
            # At the origin it says so: a body without a pose is nowhere until a constraint binds it.
            known = _known(spans, member.origin)
            made.attributes |= {"xyz": numbers_text(member.pose.xyz)} | pose_attributes(member.pose, known)
        root.children.append(made)
    for inclusion in assembly.inclusions:
        root.children.append(_node("include", inclusion.origin, prefix=inclusion.prefix, file=inclusion.file))
    for constraint in assembly.constraints:
        known = _known(spans, constraint.origin)
        made = _node("constraint", constraint.origin, name=constraint.name)
        made.attributes |= {"from": str(constraint.start), "to": str(constraint.end)}
        made.attributes |= pose_attributes(constraint.pose, known)
        if constraint.joint is not None:
            joint = constraint.joint
            made.children.append(_node("joint", joint.origin, **joint_attributes(joint, _known(spans, joint.origin))))
        root.children.append(made)
    return root


def _constraint(node: XmlNode, file: Path | str | None) -> Constraint:
    joint = only(node, "joint", file)
    name = node.attributes["name"]
    if joint is not None:
        with reading(joint, file):
            moving = read_joint(joint, name)
    ends = FrameName.parse(node.attributes["from"]), FrameName.parse(node.attributes["to"])
    return Constraint(name, *ends, read_pose(node), None if joint is None else moving, node.origin())


def _known(spans: list[Any], origin: Origin | None) -> dict[str, str]:
    return spans[origin.element].attributes if origin is not None and origin.element < len(spans) else {}


def _node(tag: str, origin: Origin | None, **attributes: str) -> XmlNode:
    return XmlNode(tag, attributes, element=origin.element if origin else None)
