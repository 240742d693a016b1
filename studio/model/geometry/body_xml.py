"""Body files: records to a Body and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from functools import partial
from pathlib import Path
from typing import Any, cast

from studio.errors import Problem
from studio.model.files import read_bytes
from studio.model.geometry.body import Body, Drive, DriveKind, Frame, GivenMass
from studio.model.geometry.joints import Joint
from studio.model.geometry.rotations import GeometryError
from studio.model.geometry.sensors import SENSORS, Sensor
from studio.model.geometry.shapes import Box, Cylinder, Mesh, Shape, Sphere, Use
from studio.model.geometry.xml_values import (
    JOINT,
    POSE,
    SMALLEST,
    Meaning,
    joint_attributes,
    number,
    number_text,
    numbers_text,
    pose_attributes,
    read_joint,
    read_number,
    read_numbers,
    read_pose,
    read_three,
    several,
    unique,
)
from studio.model.origin import Origin
from studio.model.xml_file import read_xml, unknown_names
from studio.model.xml_reconcile import Rule, reconcile
from studio.model.xml_text import parse_spans
from studio.model.xml_tree import XmlNode, only, reading, tree_of

NEW_FILE = b'<?xml version="1.0" encoding="UTF-8"?>\n<body name="new" version="1">\n</body>\n'
_BARE = ("name", "frame", "topic", "origin")
_REQUIRED = {"fov_deg", "beams", "width_px", "height_px", "range_min_m", "range_max_m"}
"""What the schema asks for whatever the value; a camera may leave out its ranges, but need not."""

_SHAPE: dict[str, Meaning] = {"use": str, "density_kg_m3": number, "colour": several, "on": str, **POSE}
_SHAPES: dict[str, dict[str, Meaning]] = {
    "box": {"name": str, "size": several, **_SHAPE},
    "cylinder": {"name": str, "radius": number, "length": number, **_SHAPE},
    "sphere": {"name": str, "radius": number, **_SHAPE},
    "mesh": {"name": str, "file": str, "scale": several, **_SHAPE},
}


def _sensor_numbers(kind: type[Sensor]) -> list[Field[Any]]:
    return [field for field in fields(kind) if field.name not in _BARE]


_DRIVE: dict[str, Meaning] = dict.fromkeys(("wheelbase_m", "track_m", "wheel_radius_m", "speed_max_m_s"), number)
RULE = Rule(
    "body",
    attributes={"name": str, "static": str},
    children=(
        Rule("doc", text=True),
        Rule("frame", ("name",), {"name": str, "on": str, **POSE}),
        *(Rule(tag, ("name",), meanings, group="shapes") for tag, meanings in _SHAPES.items()),
        Rule("mass", ("on",), {"kg": number, "moments": several, "on": str, **POSE}),
        Rule("joint", ("name",), {"name": str, **JOINT}),
        *(
            Rule(
                tag,
                ("name",),
                {"name": str, "frame": str, "topic": str}
                | {field.name: str if field.name == "shape" else number for field in _sensor_numbers(kind)},
                group="sensors",
            )
            for tag, kind in SENSORS.items()
        ),
        Rule("drive", (), {"kind": str, **_DRIVE}),
    ),
)


def read_body(data: bytes | Path, file: Path | str | None = None) -> Body:
    return read_body_with_warnings(data, file)[0]


def read_body_with_warnings(data: bytes | Path, file: Path | str | None = None) -> tuple[Body, list[Problem]]:
    """Also a warning for each name that Studio does not know."""
    if isinstance(data, Path):
        file, data = data if file is None else file, read_bytes(data)
    root = read_xml(data, "body", file=file)
    return build_body(tree_of(root), file), unknown_names(root, "body", file)


def build_body(root: XmlNode, file: Path | str | None = None) -> Body:
    place = None if file is None else str(file)
    body = Body(root.attributes["name"], is_static=root.get("static") == "true", file=place)
    doc, drive = only(root, "doc", file), only(root, "drive", file)
    if doc is not None:
        body.doc = doc.text.strip()
    if drive is not None:
        with reading(drive, file):
            body.drive = _drive(drive)
    for node in root.children:
        with reading(node, file):
            if node.tag == "frame":
                body.frames.append(Frame(node.attributes["name"], read_pose(node), node.get("on") or "", node.origin()))
            elif node.tag in _SHAPES:
                body.shapes.append(_shape(node))
            elif node.tag == "mass":
                body.masses.append(_mass(node))
            elif node.tag == "joint":
                body.joints.append(read_joint(node, node.attributes["name"]))
            elif node.tag in SENSORS:
                body.sensors.append(_sensor(node))
    unique([(node.attributes["name"], node) for node in root.all("frame")], "frame", place)
    unique([(node.attributes["name"], node) for node in root.all("joint")], "joint", place)
    unique([(node.attributes["name"], node) for node in root.children if node.tag in SENSORS], "sensor", place)
    unique([(node.get("on") or "", node) for node in root.all("mass")], "mass", place)
    return body


def write_body(body: Body, written: bytes = NEW_FILE) -> bytes:
    """`written`, the bytes that the body was read from, changed to what the body says now."""
    return reconcile(written, body_tree(body, written), RULE)


def body_tree(body: Body, written: bytes = NEW_FILE) -> XmlNode:
    spans = parse_spans(written)

    def add(tag: str, origin: Origin | None, make: Callable[[Mapping[str, str]], dict[str, str]]) -> None:
        known = spans[origin.element].attributes if origin is not None and origin.element < len(spans) else {}
        root.children.append(XmlNode(tag, make(known), element=origin.element if origin else None))

    root = XmlNode("body", {"name": body.name}, element=0)
    if body.is_static or "static" in spans[0].attributes:
        root.attributes["static"] = "true" if body.is_static else "false"
    if body.doc:
        root.children.append(XmlNode("doc", text=body.doc))
    for frame in body.frames:
        add("frame", frame.origin, partial(_frame_attributes, frame))
    for shape in body.shapes:
        add(_tag(shape), shape.origin, partial(_shape_attributes, shape))
    for mass in body.masses:
        add("mass", mass.origin, partial(_mass_attributes, mass))
    for joint in body.joints:
        add("joint", joint.origin, partial(_joint_attributes, joint))
    for sensor in body.sensors:
        add(sensor.KIND, sensor.origin, partial(_sensor_attributes, sensor))
    if body.drive is not None:
        add("drive", body.drive.origin, partial(_drive_attributes, body.drive))
    return root


# ---- records to parts


def _shape(node: XmlNode) -> Shape:
    density = read_number(node, "density_kg_m3", positive=True) if "density_kg_m3" in node.attributes else None
    if "colour" in node.attributes and not all(0 <= value <= 1 for value in read_numbers(node, "colour", 4)):
        raise GeometryError(f"a colour of <{node.tag}> is not between 0 and 1", hint="red green blue opacity: 1 0 0 1")
    common: dict[str, Any] = {
        "name": node.get("name") or "",
        "pose": read_pose(node),
        "on": node.get("on") or "",
        "use": cast(Use, node.get("use") or "both"),
        "density_kg_m3": density,
        "colour": node.get("colour") or "",
        "origin": node.origin(),
    }
    if node.tag == "box":
        size = read_three(node, "size")
        if min(size) < SMALLEST:
            raise GeometryError("the sides of a box must be above 0", hint='e.g. size="0.4 0.3 0.2"')
        return Box(size=size, **common)
    if node.tag == "mesh":
        if density is not None:
            hint = "Studio does not read meshes: add a box or cylinder of the same size, or <mass kg=.../>"
            raise GeometryError("a mesh cannot have a density", hint=hint)
        return Mesh(file=node.attributes["file"], scale=read_three(node, "scale", (1.0, 1.0, 1.0)), **common)
    radius = read_number(node, "radius", positive=True)
    if node.tag == "sphere":
        return Sphere(radius=radius, **common)
    return Cylinder(radius=radius, length=read_number(node, "length", positive=True), **common)


def _mass(node: XmlNode) -> GivenMass:
    moments = read_numbers(node, "moments", 6) if "moments" in node.attributes else None
    return GivenMass(
        read_number(node, "kg", positive=True),
        read_pose(node),
        cast("tuple[float, float, float, float, float, float] | None", moments),
        node.get("on") or "",
        "xyz" in node.attributes,
        node.origin(),
    )


def _sensor(node: XmlNode) -> Sensor:
    kind = SENSORS[node.tag]
    values: dict[str, Any] = {}
    for field in _sensor_numbers(kind):
        if field.name not in node.attributes:
            continue
        if field.name == "shape":
            values[field.name] = node.attributes[field.name]
        elif field.name.endswith("_px") or field.name == "beams":
            values[field.name] = int(read_number(node, field.name, positive=True))
        else:
            values[field.name] = read_number(node, field.name, least=None if field.name.startswith("bias") else 0.0)
    values |= {"topic": node.get("topic") or "", "origin": node.origin()}
    sensor = kind(node.attributes["name"], node.attributes["frame"], **values)
    _sound(sensor, node)
    return sensor


def _sound(sensor: Sensor, node: XmlNode) -> None:
    values = sensor.values()
    if not 0 < values.get("fov_deg", 90) <= 360:
        raise GeometryError(f"the {node.tag} {sensor.name} sees {values['fov_deg']:g} degrees", hint="0 to 360")
    if values.get("range_min_m", 0) >= values.get("range_max_m", 1):
        raise GeometryError(f"the {node.tag} {sensor.name} has a least range that is not below its greatest")
    if values.get("rate_hz", 1) <= 0:
        raise GeometryError(f"the {node.tag} {sensor.name} has a rate of 0", hint="leave rate_hz out if it is unknown")


def _drive(node: XmlNode) -> Drive:
    speed = read_number(node, "speed_max_m_s", positive=True) if "speed_max_m_s" in node.attributes else None
    wheelbase, track, radius = (read_number(node, key, positive=True) for key in list(_DRIVE)[:3])
    return Drive(cast(DriveKind, node.attributes["kind"]), wheelbase, track, radius, speed, node.origin())


# ---- parts to records


def _named(name: str, on: str) -> dict[str, str]:
    return ({"name": name} if name else {}) | ({"on": on} if on else {})


def _tag(shape: Shape) -> str:
    return type(shape).__name__.lower()


def _frame_attributes(frame: Frame, known: Mapping[str, str]) -> dict[str, str]:
    return _named(frame.name, frame.on) | pose_attributes(frame.pose, known)


def _joint_attributes(joint: Joint, known: Mapping[str, str]) -> dict[str, str]:
    return {"name": joint.name} | joint_attributes(joint, known)


def _shape_attributes(shape: Shape, known: Mapping[str, str]) -> dict[str, str]:
    made = _named(shape.name, shape.on) | pose_attributes(shape.pose, known)
    if isinstance(shape, Box):
        made["size"] = numbers_text(shape.size)
    if isinstance(shape, Cylinder | Sphere):
        made["radius"] = number_text(shape.radius)
    if isinstance(shape, Cylinder):
        made["length"] = number_text(shape.length)
    if isinstance(shape, Mesh):
        made["file"] = shape.file
        if shape.scale != (1.0, 1.0, 1.0) or "scale" in known:
            made["scale"] = numbers_text(shape.scale)
    if shape.use != "both" or "use" in known:
        made["use"] = shape.use
    if shape.density_kg_m3 is not None:
        made["density_kg_m3"] = number_text(shape.density_kg_m3)
    if shape.colour:
        made["colour"] = shape.colour
    return made


def _mass_attributes(mass: GivenMass, known: Mapping[str, str]) -> dict[str, str]:
    made = {"kg": number_text(mass.mass_kg)} | _named("", mass.on) | pose_attributes(mass.pose, known)
    if mass.has_centre:
        made["xyz"] = numbers_text(mass.pose.xyz)
    if mass.moments is not None:
        made["moments"] = numbers_text(mass.moments)
    return made


def _sensor_attributes(sensor: Sensor, known: Mapping[str, str]) -> dict[str, str]:
    made = {"name": sensor.name, "frame": sensor.frame} | ({"topic": sensor.topic} if sensor.topic else {})
    for field in _sensor_numbers(type(sensor)):
        value = getattr(sensor, field.name)
        default = None if field.default is MISSING else field.default
        is_needed = field.name in known or value != default or (field.name in _REQUIRED and not known)
        if is_needed and value is not None:
            made[field.name] = value if isinstance(value, str) else number_text(value)
    return made


def _drive_attributes(drive: Drive, _: Mapping[str, str]) -> dict[str, str]:
    given = {key: getattr(drive, key) for key in _DRIVE}
    return {"kind": drive.kind, **{key: number_text(value) for key, value in given.items() if value is not None}}
