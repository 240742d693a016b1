"""Where the links of an SDF or URDF file are, computed straight from its text: a second opinion on the import.

It knows less on purpose. Of a file that needs more than this (`relative_to`, models in models, loops) it says nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from studio.model.files import read_bytes
from studio.model.xml_parse import as_simulators_read, parse_hardened

Matrix = NDArray[np.float64]
MOVING = {"revolute", "continuous", "prismatic"}


@dataclass(frozen=True)
class PlainJoint:
    parent: str
    child: str
    before: Matrix
    after: Matrix
    axis: Matrix
    kind: str

    def at(self, position: float) -> Matrix:
        made = np.eye(4)
        length = float(np.linalg.norm(self.axis))
        if self.kind in MOVING and length > 1e-9:
            unit = self.axis / length
            if self.kind == "prismatic":
                made[:3, 3] = unit * position
            else:
                x, y, z = unit
                cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
                made[:3, :3] += math.sin(position) * cross + (1 - math.cos(position)) * cross @ cross
        return self.before @ made @ self.after


def plain_joints(path: Path) -> dict[str, PlainJoint] | None:
    """By their names; None for a file that is not plain."""
    root = parse_hardened(as_simulators_read(read_bytes(path)), path)
    return _urdf(root) if root.tag == "robot" else _sdf(root)


def plain_pose(joints: dict[str, PlainJoint], link: str, position: Callable[[str], float]) -> tuple[str, Matrix]:
    """The root that a link hangs on, and where it is there."""
    pose, above = np.eye(4), {joint.child: (name, joint) for name, joint in joints.items()}
    while link in above:
        name, joint = above[link]
        pose, link = joint.at(position(name)) @ pose, joint.parent
    return link, pose


def _urdf(root: etree._Element) -> dict[str, PlainJoint] | None:
    joints: dict[str, PlainJoint] = {}
    for joint in root.findall("joint"):
        origin, axis = joint.find("origin"), joint.find("axis")
        pose = np.eye(4) if origin is None else _pose(f"{origin.get('xyz') or '0 0 0'} {origin.get('rpy') or '0 0 0'}")
        ends = [
            found.get("link", "") if (found := joint.find(role)) is not None else "" for role in ("parent", "child")
        ]
        direction = _numbers(axis.get("xyz") or "0 0 0" if axis is not None else "1 0 0")
        kind = joint.get("type", "")
        if kind not in {*MOVING, "fixed"} or ends[0] == "world":
            return None
        joints[joint.get("name", "")] = PlainJoint(ends[0], ends[1], pose, np.eye(4), direction, kind)
    return joints if _is_forest(joints) and len(joints) == len(root.findall("joint")) else None


def _sdf(root: etree._Element) -> dict[str, PlainJoint] | None:
    models = [*root.findall("model"), *root.findall("world/model")]
    if len(models) != 1 or any(True for _ in root.iter("include")) or models[0].find("model") is not None:
        return None
    model = models[0]
    written = [*model.findall("link/pose"), *model.findall("joint/pose")]
    if any(each.get("relative_to") or each.get("rotation_format") or each.get("degrees") for each in written):
        return None
    links = {link.get("name", ""): _pose(link.findtext("pose") or "") for link in model.findall("link")}
    joints: dict[str, PlainJoint] = {}
    for joint in model.findall("joint"):
        parent, child = ((joint.findtext(role) or "").strip() for role in ("parent", "child"))
        kind = joint.get("type", "")
        if parent not in links or child not in links or kind not in {*MOVING, "fixed"}:
            return None
        place = links[child] @ _pose(joint.findtext("pose") or "")
        axis = _sdf_axis(joint, place, _version(root))
        if axis is None:
            return None
        before, after = np.linalg.inv(links[parent]) @ place, np.linalg.inv(place) @ links[child]
        joints[joint.get("name", "")] = PlainJoint(parent, child, before, after, axis, kind)
    return joints if _is_forest(joints) and len(joints) == len(model.findall("joint")) else None


def _sdf_axis(joint: etree._Element, place: Matrix, version: tuple[int, ...]) -> Matrix | None:
    """In the axes of the joint; None where a frame is named that is not plain."""
    xyz = joint.find("axis/xyz")
    axis = _numbers(xyz.text or "" if xyz is not None else "0 0 1")
    expressed_in = xyz.get("expressed_in") if xyz is not None else None
    if expressed_in and expressed_in != "__model__":
        return None
    told = (joint.findtext("axis/use_parent_model_frame") or "").strip().lower()
    in_model = (told in ("1", "true") or (not told and version < (1, 5))) and version < (1, 7)
    return np.asarray(place[:3, :3].T @ axis if xyz is not None and (expressed_in or in_model) else axis)


def _version(root: etree._Element) -> tuple[int, ...]:
    """1.4 where the file does not tell it."""
    words = (root.get("version") or "1.4").split(".")[:2]
    return tuple(int(word) for word in words) if all(word.isdecimal() for word in words) else (0, 0)


def _is_forest(joints: dict[str, PlainJoint]) -> bool:
    """Every link hangs on one other at most, and none on itself."""
    above = {joint.child: joint.parent for joint in joints.values()}
    if len(above) != len(joints):
        return False
    for link in above:
        seen = {link}
        while link in above:
            link = above[link]
            if link in seen:
                return False
            seen.add(link)
    return True


def _numbers(text: str) -> Matrix:
    return np.array([float(word) for word in text.split()])


def _pose(text: str) -> Matrix:
    values = _numbers(text) if text.split() else np.zeros(6)
    made = np.eye(4)
    made[:3, 3] = values[:3]
    for axis, angle in zip((2, 1, 0), values[:2:-1], strict=True):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        turn = np.eye(4)
        turn[one, one] = turn[other, other] = math.cos(angle)
        turn[one, other], turn[other, one] = -math.sin(angle), math.sin(angle)
        made = made @ turn
    return made
