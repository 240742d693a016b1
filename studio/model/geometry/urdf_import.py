"""URDF files, read into links and joints."""

from __future__ import annotations

from typing import Any

import numpy as np
from lxml import etree

from studio.model.geometry.foreign_values import Foreign, colour_text, merged
from studio.model.geometry.import_tree import Raw, RawJoint, RawLink
from studio.model.geometry.joints import JointKind, Mimic
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Matrix
from studio.model.geometry.shapes import Shape
from studio.model.xml_schema import line_of

READ = {"link": {"inertial", "visual", "collision"}, "joint": {"origin", "parent", "child", "axis", "limit", "mimic"}}
"""Elements inside others; the rest is told."""
KINDS: dict[str, JointKind] = {"revolute": "hinge", "continuous": "drive", "prismatic": "slider", "fixed": "fixed"}


def read_urdf(root: etree._Element, foreign: Foreign) -> Raw:
    for element in root.iter(etree.Element):
        if "xacro" in (etree.QName(element).namespace or ""):
            hint = "convert it into URDF with `xacro`, or rename it to .xacro"
            raise foreign.fault(element, f"it is a xacro file: <xacro:{etree.QName(element).localname}>", hint)
    raw = Raw(root.get("name") or foreign.file.stem, notes=foreign.notes)
    colours = {
        material.get("name"): _colour(material, foreign)
        for material in root.findall("material")
        if material.find("color") is not None
    }
    links = {}
    for element in root.findall("link"):
        link = RawLink(foreign.need(element, "name"))
        if link.name in links:
            raise foreign.fault(element, f"a second link {link.name}", "rename one")
        links[link.name] = link
        link.mass = _mass(element, foreign)
        link.shapes = merged([shape for use in ("visual", "collision") for part in element.findall(use)
                              if (shape := _shape(part, use, colours, foreign)) is not None])  # fmt: skip
    own = [element for element in root.findall("joint") if not _to_world(element, links, raw, foreign)]
    joints = [_joint(element, links, foreign) for element in own]
    raw.links, raw.joints = _frames(list(links.values()), joints)
    _set_free({foreign.need(joint, "name") for joint in own if joint.get("type") == "floating"}, raw, foreign)
    strange = {str(child.tag) for child in root.iterchildren(etree.Element)} - {"link", "joint", "material"}
    for tag in sorted(strange):
        foreign.note(f"<{tag}> is left out")
    for holder, read in READ.items():
        inside = {str(child.tag) for each in root.findall(holder) for child in each.iterchildren(etree.Element)}
        for tag in sorted(inside - read):
            foreign.note(f"<{tag}> of {holder}s is left out")
    if not raw.links:
        raise foreign.fault(root, "there is no <link> in it")
    return raw


def _frames(links: list[RawLink], joints: list[RawJoint]) -> tuple[list[RawLink], list[RawJoint]]:
    """Links `Body:Frame` without contents on a fixed joint are frames that Studio exported so."""
    by_name = {link.name: link for link in links}
    parents = {joint.parent for joint in joints}
    kept, frames = [], set()
    for joint in joints:
        link = by_name[joint.child]
        is_bare = not link.shapes and link.mass is None and link.name not in parents
        if joint.kind == "fixed" and ":" in link.name and is_bare:
            by_name[joint.parent].frames.append((link.name, joint.before @ joint.after))
            frames.add(link.name)
        else:
            kept.append(joint)
    return [link for link in links if link.name not in frames], kept


def _mass(link: etree._Element, foreign: Foreign) -> Any:
    inertial = link.find("inertial")
    mass = inertial.find("mass") if inertial is not None else None
    if inertial is None or mass is None:
        return None
    inertia = inertial.find("inertia")
    keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    moments = [foreign.number(inertia, inertia.get(key) if inertia is not None else None) for key in keys]
    return foreign.mass(inertial, foreign.number(mass, mass.get("value")), _origin(inertial, foreign), moments)


def _origin(element: etree._Element, foreign: Foreign) -> Matrix:
    origin = element.find("origin")
    if origin is None:
        return np.eye(4)
    xyz, rpy = (foreign.numbers(origin, origin.get(key), 3) for key in ("xyz", "rpy"))
    made = foreign.matrix(origin, xyz, rpy)
    if origin.get("quat_xyzw"):
        made[:3, :3] = foreign.quaternion(origin, foreign.numbers(origin, origin.get("quat_xyzw"), 4))
    return made


def _colour(material: etree._Element, foreign: Foreign) -> str:
    colour = material.find("color")
    return "" if colour is None else colour_text(foreign.numbers(colour, colour.get("rgba"), 4, 1.0))


def _shape(part: etree._Element, use: str, colours: dict[str | None, str], foreign: Foreign) -> Shape | None:
    geometry = part.find("geometry")
    inner = next(geometry.iterchildren(etree.Element), None) if geometry is not None else None
    if inner is None:
        foreign.note(f"line {line_of(part)}: a <{use}> without geometry is left out")
        return None
    values: dict[str, Any] = {"kind": str(inner.tag), "use": use, "pose": Pose.from_matrix(_origin(part, foreign))}
    material = part.find("material")
    if material is not None:
        values["colour"] = _colour(material, foreign) or colours.get(material.get("name"), "")
    if inner.tag == "box":
        values["size"] = tuple(foreign.numbers(inner, inner.get("size"), 3))
    elif inner.tag in ("cylinder", "sphere"):
        values["radius"] = foreign.number(inner, inner.get("radius"))
        if inner.tag == "cylinder":
            values["length"] = foreign.number(inner, inner.get("length"))
    elif inner.tag == "mesh":
        values["file"] = foreign.need(inner, "filename")
        scale = foreign.numbers(inner, inner.get("scale"), 3, 1.0)
        values["scale"] = tuple(scale)
    else:
        foreign.note(f"<{inner.tag}> is a shape that Studio does not know, and is left out")
        return None
    return foreign.shape(inner, values)


def _to_world(element: etree._Element, links: dict[str, RawLink], raw: Raw, foreign: Foreign) -> bool:
    """Some tools know a link `world` that nobody declares."""
    parent, child = element.find("parent"), element.find("child")
    if parent is None or parent.get("link") != "world" or "world" in links:
        return False
    name, link = element.get("name"), (child.get("link") or "") if child is not None else ""
    if link in links:
        raw.places[link] = _origin(element, foreign)
    if link in links and element.get("type") == "fixed":
        raw.static.add(link)
        foreign.note(f"the joint {name} holds {link} to the world: here {link} is static")
    else:
        foreign.note(f"the joint {name} holds the model to the world, and is left out")
    return True


def _set_free(floating: set[str], raw: Raw, foreign: Foreign) -> None:
    """A floating joint holds nothing: what hangs on it is a tree of its own, that begins where the joint says."""
    if not floating:
        return
    poses = _poses(raw)
    for joint in raw.joints:
        if joint.name in floating:
            foreign.note(f"the joint {joint.name} is floating: {joint.child} is not connected, and keeps its place")
    raw.joints = [joint for joint in raw.joints if joint.name not in floating]
    held = {joint.child for joint in raw.joints}
    raw.places |= {link.name: poses[link.name] for link in raw.links if link.name not in held}


def _poses(raw: Raw) -> dict[str, Matrix]:
    """Every link in the root that it hangs on, with every joint at 0."""
    above = {joint.child: joint for joint in raw.joints}
    poses: dict[str, Matrix] = {}
    for link in raw.links:
        chain = [link.name]
        while chain[-1] not in poses and chain[-1] in above and above[chain[-1]].parent not in chain:
            chain.append(above[chain[-1]].parent)
        for name in reversed(chain):
            if name not in poses:
                joint = above.get(name)
                root = poses.get(joint.parent) if joint is not None else None
                poses[name] = np.eye(4) if joint is None or root is None else root @ joint.before @ joint.after
    return poses


def _joint(element: etree._Element, links: dict[str, RawLink], foreign: Foreign) -> RawJoint:
    name, kind = foreign.need(element, "name"), foreign.need(element, "type")
    ends = []
    for role in ("parent", "child"):
        end = element.find(role)
        if end is None:
            raise foreign.fault(element, f"the joint {name} has no <{role}>")
        link = foreign.need(end, "link")
        if link not in links:
            raise foreign.fault(end, f"the joint {name} names the link {link}, which does not exist")
        ends.append(link)
    if ends[0] == ends[1]:
        raise foreign.fault(element, f"the joint {name} holds the link {ends[0]} to itself")
    if kind not in KINDS and kind != "floating":
        foreign.note(f"the joint {name} is {kind}, which Studio does not know: taken as fixed")
    raw = RawJoint(name, KINDS.get(kind, "fixed"), ends[0], ends[1], _origin(element, foreign), np.eye(4))
    axis = element.find("axis")
    if raw.kind != "fixed":
        x, y, z = foreign.numbers(axis, axis.get("xyz"), 3) if axis is not None else (1.0, 0.0, 0.0)
        if not any((x, y, z)):
            foreign.note(f"the joint {name} has an axis without a direction: taken as fixed")
            raw.kind = "fixed"
        else:
            raw.axis = (x, y, z)
    _limits(raw, element, kind, foreign)
    mimic = element.find("mimic")
    if mimic is not None:
        multiplier = foreign.number(mimic, mimic.get("multiplier", "1"))
        raw.mimic = Mimic(mimic.get("joint") or "", multiplier, foreign.number(mimic, mimic.get("offset")))
    return raw


def _limits(raw: RawJoint, element: etree._Element, kind: str, foreign: Foreign) -> None:
    limit = element.find("limit")
    if limit is None or raw.kind == "fixed":
        return
    if kind in ("revolute", "prismatic"):
        raw.lower, raw.upper = (foreign.limit(limit, limit.get(key, "0")) for key in ("lower", "upper"))
        if raw.lower is not None and raw.upper is not None and raw.lower > raw.upper:
            foreign.note(f"the limits of the joint {raw.name} are swapped, and left out")
            raw.lower = raw.upper = None
    for key, ours in (("effort", "effort"), ("velocity", "speed")):
        value = foreign.limit(limit, limit.get(key))
        if value is not None and value >= 0:
            setattr(raw, ours, value)
