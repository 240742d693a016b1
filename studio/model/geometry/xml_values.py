"""Numbers, poses and joints in the attributes of XML, read with words for what is wrong, and written as they were."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, cast

from studio.model.files import FileError
from studio.model.geometry.joints import Joint, JointKind, Mimic
from studio.model.geometry.poses import HERE, Pose
from studio.model.geometry.rotations import FORMS, Angles, GeometryError, Rotation
from studio.model.xml_tree import XmlNode

Three = tuple[float, float, float]
Meaning = Callable[[str], object]
DEFAULT_AXIS = (0.0, 0.0, 1.0)
LARGEST = 1e9
SMALLEST = 1e-12
"""Of what must be more than 0. No machine is beyond these, and squares and cubes would leave what floats can hold."""


def number(text: str) -> object:
    """To compare two texts by value; what is not a number is only equal to itself."""
    try:
        return float(text)
    except ValueError:
        return text


def several(text: str) -> object:
    return tuple(number(word) for word in text.split())


def roughly(text: str) -> object:
    """Thirty degrees are not thirty any more after the way to radians and back."""
    value = number(text)
    return f"{value:.12g}" if isinstance(value, float) else value


POSE: dict[str, Meaning] = {"xyz": several, **dict.fromkeys(FORMS, several), "angles": str}
JOINT: dict[str, Meaning] = {
    "kind": str,
    "at": str,
    "axis": several,
    "lower": roughly,
    "upper": roughly,
    "home": roughly,
    "speed": roughly,
    "mimic": str,
    "multiplier": number,
    "offset": roughly,
    "angles": str,
    "effort": number,
}


def number_text(value: float) -> str:
    return repr(float(value)).removesuffix(".0")


def numbers_text(values: tuple[float, ...]) -> str:
    return " ".join(map(number_text, values))


def read_number(node: XmlNode, attribute: str, *, positive: bool = False, least: float | None = None) -> float:
    text = node.attributes[attribute]
    try:
        value = float(text)
    except ValueError:
        raise GeometryError(f'{attribute}="{text[:40]}" in <{node.tag}> is not a number') from None
    if not math.isfinite(value):
        raise GeometryError(f'{attribute}="{text[:40]}" in <{node.tag}> is not a finite number')
    if abs(value) > LARGEST:
        raise GeometryError(f'{attribute}="{text[:40]}" in <{node.tag}> is beyond {LARGEST:g}')
    if positive and value < SMALLEST:
        raise GeometryError(f'{attribute}="{text[:40]}" in <{node.tag}> must be more than 0')
    if least is not None and value < least:
        raise GeometryError(f'{attribute}="{text[:40]}" in <{node.tag}> must be at least {least:g}')
    return value


def read_numbers(node: XmlNode, attribute: str, count: int) -> tuple[float, ...]:
    text = node.attributes[attribute]
    words = text.split()
    if len(words) != count:
        raise GeometryError(f'{attribute}="{text[:60]}" in <{node.tag}> needs {count} numbers, not {len(words)}')
    values = []
    for word in words:
        try:
            values.append(float(word))
        except ValueError:
            hint = "numbers with spaces between them" + ("; a decimal point, not a comma" if "," in word else "")
            raise GeometryError(f"{word[:40]!r} in {attribute} of <{node.tag}> is not a number", hint=hint) from None
        if not math.isfinite(values[-1]):
            raise GeometryError(f"{word[:40]} in {attribute} of <{node.tag}> is not a finite number")
        if abs(values[-1]) > LARGEST:
            raise GeometryError(f"{word[:40]} in {attribute} of <{node.tag}> is beyond {LARGEST:g}")
    return tuple(values)


def read_three(node: XmlNode, attribute: str, default: Three = (0.0, 0.0, 0.0)) -> Three:
    return cast(Three, read_numbers(node, attribute, 3)) if attribute in node.attributes else default


def read_pose(node: XmlNode) -> Pose:
    forms = [form for form in FORMS if form in node.attributes]
    if len(forms) > 1:
        raise GeometryError(f"<{node.tag}> is turned twice: by {' and by '.join(forms)}", hint="keep one of them")
    xyz = read_three(node, "xyz")
    if not forms:
        return Pose(xyz) if xyz != HERE.xyz else HERE
    form = forms[0]
    values = read_numbers(node, form, FORMS[form])
    angles = cast("Angles | None", node.get("angles"))
    if form in ("rpy", "axis_angle"):
        if angles is None:
            raise GeometryError(f"<{node.tag}> has no unit for its {form} is", hint='add angles="degrees" or "radians"')
    elif angles is not None:
        raise GeometryError(f"<{node.tag}> has angles={angles!r}, but a {form} has no angles", hint="delete it")
    return Pose(xyz, Rotation(form, values, angles))


def pose_attributes(pose: Pose, written: Mapping[str, str]) -> dict[str, str]:
    """As it was written, in `written`; nothing at all for no rotation, unless the file says so."""
    made = {"xyz": numbers_text(pose.xyz)} if pose.xyz != HERE.xyz or "xyz" in written else {}
    if pose.rotation.form != "rpy" or any(pose.rotation.values) or "rpy" in written:
        made[pose.rotation.form] = numbers_text(pose.rotation.values)
        if pose.rotation.angles is not None:
            made["angles"] = pose.rotation.angles
    return made


def read_joint(node: XmlNode, name: str) -> Joint:
    kind = cast(JointKind, node.attributes["kind"])
    angles = cast("Angles | None", node.get("angles"))
    turning = [key for key in ("lower", "upper", "home", "speed", "offset") if key in node.attributes]
    if kind in ("hinge", "steering", "drive") and turning and angles is None:
        hint = 'add angles="degrees" or "radians"'
        raise GeometryError(f"the joint {name} has no unit for its {turning[0]} is", hint=hint)
    scale = math.pi / 180.0 if angles == "degrees" and kind != "slider" else 1.0
    values: dict[str, Any] = {key: read_number(node, key) * scale for key in turning}
    offset = values.pop("offset", 0.0)
    if "mimic" in node.attributes:
        if "home" in node.attributes:
            hint = "delete home; offset is its distance from the other"
            raise GeometryError(f"the joint {name} mimics another, so its home follows from that one's", hint=hint)
        if kind == "fixed":
            raise GeometryError(f"the joint {name} is fixed, so it cannot mimic another", hint='e.g. kind="hinge"')
        multiplier = read_number(node, "multiplier") if "multiplier" in node.attributes else 1.0
        values["mimic"] = Mimic(node.attributes["mimic"], multiplier, offset)
    elif alone := [key for key in ("multiplier", "offset") if key in node.attributes]:
        hint = 'add mimic="the other joint"'
        raise GeometryError(f"the joint {name} has {alone[0]}, but does not say which joint it mimics", hint=hint)
    if "effort" in node.attributes:
        values["effort"] = read_number(node, "effort")
    axis = read_three(node, "axis", DEFAULT_AXIS)
    if kind == "steering" and ("lower" not in node.attributes or "upper" not in node.attributes):
        raise GeometryError(
            f"the steering joint {name} has no limits", hint='e.g. lower="-30" upper="30" angles="degrees"'
        )
    return Joint(name, kind, node.get("at") or "", axis, angles=angles, origin=node.origin(), **values)


def joint_attributes(joint: Joint, written: Mapping[str, str]) -> dict[str, str]:
    scale = math.pi / 180.0 if joint.angles == "degrees" and joint.turns else 1.0
    made: dict[str, str] = {"kind": joint.kind}
    if joint.at:
        made["at"] = joint.at
    if joint.axis != DEFAULT_AXIS or "axis" in written:
        made["axis"] = numbers_text(joint.axis)
    for key in ("lower", "upper", "home", "speed"):
        value = getattr(joint, key)
        if value is not None and (key != "home" or value != 0.0 or key in written):
            made[key] = f"{value / scale:.15g}"
    if joint.mimic is not None:
        made["mimic"] = joint.mimic.joint
        if joint.mimic.multiplier != 1.0 or "multiplier" in written:
            made["multiplier"] = number_text(joint.mimic.multiplier)
        if joint.mimic.offset or "offset" in written:
            made["offset"] = f"{joint.mimic.offset / scale:.15g}"
    if joint.angles is not None:
        made["angles"] = joint.angles
    if joint.effort is not None:
        made["effort"] = number_text(joint.effort)
    return made


def unique(names: list[tuple[str, XmlNode]], what: str, file: str | None) -> None:
    seen: dict[str, XmlNode] = {}
    for name, node in names:
        if name in seen:
            hint = f"the first is in line {seen[name].line}; rename one"
            raise FileError(f"a second {what} {name}", file=file, line=node.line, hint=hint)
        seen[name] = node
