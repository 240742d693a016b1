"""SDF 1.7 of a model: links, inertias, collisions, joints, frames by `attached_to`, sensors, and the drive."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from lxml import etree

from studio.model.geometry.assembly import Model
from studio.model.geometry.export_tree import (
    Export,
    ExportJoint,
    ExportLink,
    export_links,
    export_loops,
    numbers,
    shape_names,
    wheels,
    xyz_rpy,
)
from studio.model.geometry.poses import HERE, inverse, is_here
from studio.model.geometry.rotations import Matrix, from_rpy
from studio.model.geometry.sensors import Bumper, Camera, Gps, Imu, Laser, Sensor, Ultrasonic
from studio.model.geometry.shapes import Box, Cylinder, Mesh, Shape, Sphere

KINDS = {"hinge": "revolute", "steering": "revolute", "drive": "continuous", "slider": "prismatic"}
OPTICAL = np.eye(4)
OPTICAL[:3, :3] = from_rpy(-math.pi / 2, 0.0, -math.pi / 2)
OPTICAL = OPTICAL.round(15)
"""The image plane of a camera that looks along x, which is how SDF has it."""
TYPES = {"laser": "ray", "camera": "camera", "ultrasonic": "sonar", "bumper": "contact", "gps": "gps", "imu": "imu"}


def to_sdf(model: Model) -> Export:
    notes: list[str] = []
    links = export_links(model, notes, may_be_several=True)
    loops = export_loops(model)
    names = _make_names_unique(links, loops, notes)
    joints = {each.edge: each.name for each in (*(link.joint for link in links), *loops) if each is not None}
    root = etree.Element("sdf", version="1.7")
    made = etree.SubElement(root, "model", name=_free(model.name, set(), "model", notes))
    if model.pose != HERE:
        _pose(made, model.pose.matrix)
    all_static = all(body.is_static for body in model.bodies.values())
    if all_static:
        _text(made, "static", "true")
    for link in links:
        _add_link(made, link)
        for frame in link.frames:
            name = f"{names[link.part.body]}:{frame.name}"
            _pose(etree.SubElement(made, "frame", name=name, attached_to=link.name), frame.pose.matrix)
    for link in links:
        if link.joint is not None:
            _add_joint(made, link.joint, notes)
        if link.body.is_static and not all_static and not link.part.joint:
            _hold(made, link)
    for loop in loops:
        notes.append(
            f"the constraint {loop.edge} closes a loop: {loop.child} has two joints, which not all simulators read"
        )
        _add_joint(made, loop, notes)
    _add_drive(made, links, notes)
    etree.indent(root)
    return Export(etree.tostring(root, encoding="unicode") + "\n", notes, names, joints)


def _make_names_unique(links: list[ExportLink], loops: list[ExportJoint], notes: list[str]) -> dict[str, str]:
    """SDF has one name space for links, joints and frames, and keeps names such as `world` for itself. No link or joint
    has the colon of a frame."""
    taken: set[str] = set()
    named: dict[str, str] = {}
    for link in links:
        named[link.name] = link.name = _free(link.name, taken, "link", notes)

    def with_names(joint: ExportJoint) -> ExportJoint:
        name = _free(joint.name, taken, "joint", notes)
        return replace(joint, name=name, parent=named[joint.parent], child=named[joint.child])

    for link in links:
        link.joint = with_names(link.joint) if link.joint is not None else None
    loops[:] = [with_names(loop) for loop in loops]
    return named


def _free(name: str, taken: set[str], what: str, notes: list[str]) -> str:
    made = name
    while made in taken or made == "world" or (made.startswith("__") and made.endswith("__")):
        made += f"_{what}"
    if made != name:
        notes.append(f"the {what} {name} is called {made} there: SDF needs its name for something else")
    taken.add(made)
    return made


def _hold(model: etree._Element, link: ExportLink) -> None:
    """One of several that does not move: `<static>` would hold the whole model."""
    made = etree.SubElement(model, "joint", name=f"{link.name}_to_world", type="fixed")
    _text(made, "parent", "world")
    _text(made, "child", link.name)


def _text(parent: etree._Element, tag: str, value: Any, **attributes: str) -> etree._Element:
    made = etree.SubElement(parent, tag, attributes)
    made.text = value if isinstance(value, str) else repr(value)
    return made


def _pose(parent: etree._Element, pose: Matrix, relative_to: str = "") -> None:
    made = _text(parent, "pose", " ".join(xyz_rpy(pose)))
    if relative_to:
        made.set("relative_to", relative_to)


def _add_link(model: etree._Element, link: ExportLink) -> None:
    made = etree.SubElement(model, "link", name=link.name)
    if link.place is not None and not is_here(link.place):
        _pose(made, link.place)
    elif link.joint is not None:
        _pose(made, link.joint.before @ link.joint.after, link.joint.parent)
    inertial = etree.SubElement(made, "inertial")
    _text(inertial, "pose", numbers(link.inertia.centre) + " 0 0 0")
    _text(inertial, "mass", float(link.inertia.mass_kg))
    inertia, m = etree.SubElement(inertial, "inertia"), link.inertia.about_centre
    for row, column in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
        _text(inertia, "i" + "xyz"[row] + "xyz"[column], float(m[row, column]))
    for shape, name in shape_names(link):
        for use in ("visual", "collision"):
            if getattr(shape, f"is_{use}"):
                _add_shape(made, use, f"{name}_{use}", shape)
    for sensor, pose in link.sensors:
        _add_sensor(made, link, sensor, pose)


def _add_shape(link: etree._Element, use: str, name: str, shape: Shape) -> None:
    made = etree.SubElement(link, use, name=name)
    _pose(made, shape.pose.matrix)
    geometry = etree.SubElement(made, "geometry")
    if isinstance(shape, Box):
        _text(etree.SubElement(geometry, "box"), "size", numbers(shape.size))
    elif isinstance(shape, Cylinder):
        cylinder = etree.SubElement(geometry, "cylinder")
        _text(cylinder, "radius", shape.radius)
        _text(cylinder, "length", shape.length)
    elif isinstance(shape, Sphere):
        _text(etree.SubElement(geometry, "sphere"), "radius", shape.radius)
    elif isinstance(shape, Mesh):
        mesh = etree.SubElement(geometry, "mesh")
        _text(mesh, "uri", shape.file)
        _text(mesh, "scale", numbers(shape.scale))
    if use == "visual" and shape.colour:
        material = etree.SubElement(made, "material")
        _text(material, "ambient", shape.colour)
        _text(material, "diffuse", shape.colour)


def _add_joint(model: etree._Element, export: ExportJoint, notes: list[str]) -> None:
    joint = export.joint
    if joint is not None and joint.mimic is not None:
        words = f"the joint {export.name} becomes independent: SDF 1.7 has no mimic of {joint.mimic.joint}"
        notes.append(words)
    limited = joint is not None and (joint.lower is not None or joint.upper is not None)
    kind = "fixed" if joint is None else KINDS[joint.kind]
    if kind == "revolute" and not limited:
        kind = "continuous"
    made = etree.SubElement(model, "joint", name=export.name, type=kind)
    _pose(made, inverse(export.after))
    _text(made, "parent", export.parent)
    _text(made, "child", export.child)
    if joint is None:
        return
    axis = etree.SubElement(made, "axis")
    _text(axis, "xyz", numbers(export.axis))
    limit = etree.SubElement(axis, "limit")
    if kind != "continuous":
        _text(limit, "lower", -1e16 if joint.lower is None else joint.lower)
        _text(limit, "upper", 1e16 if joint.upper is None else joint.upper)
    if joint.effort is not None:
        _text(limit, "effort", joint.effort)
    if joint.speed is not None:
        _text(limit, "velocity", joint.speed)


# ---- sensors


def _add_sensor(link: etree._Element, export: ExportLink, sensor: Sensor, pose: Matrix) -> None:
    made = etree.SubElement(link, "sensor", name=sensor.name, type=TYPES[sensor.KIND])
    _pose(made, pose @ inverse(OPTICAL) if isinstance(sensor, Camera) else pose)
    if sensor.rate_hz is not None:
        _text(made, "update_rate", float(sensor.rate_hz))
    if sensor.topic:
        _text(made, "topic", sensor.topic)
    if isinstance(sensor, Laser):
        _laser(made, sensor)
    elif isinstance(sensor, Camera):
        _camera(made, sensor)
    elif isinstance(sensor, Ultrasonic):
        sonar = etree.SubElement(made, "sonar")
        _text(sonar, "min", float(sensor.range_min_m))
        _text(sonar, "max", float(sensor.range_max_m))
        _text(sonar, "radius", sensor.range_max_m * math.tan(math.radians(sensor.fov_deg) / 2))
    elif isinstance(sensor, Bumper):
        contact = etree.SubElement(made, "contact")
        for shape, name in shape_names(export):
            if shape.is_collision and sensor.shape in ("", shape.name):
                _text(contact, "collision", f"{name}_collision")
    elif isinstance(sensor, Gps):
        sensing = etree.SubElement(etree.SubElement(made, "gps"), "position_sensing")
        for axis, noise in (("horizontal", sensor.noise_m), ("vertical", sensor.noise_up_m)):
            _noise(etree.SubElement(sensing, axis), noise)
    elif isinstance(sensor, Imu):
        imu = etree.SubElement(made, "imu")
        for what, noise in (
            ("angular_velocity", sensor.noise_gyro_rad_s),
            ("linear_acceleration", sensor.noise_accelerometer_m_s2),
        ):
            part = etree.SubElement(imu, what)
            for axis in "xyz":
                _noise(etree.SubElement(part, axis), noise)


def _laser(made: etree._Element, sensor: Laser) -> None:
    ray = etree.SubElement(made, "ray")
    horizontal = etree.SubElement(etree.SubElement(ray, "scan"), "horizontal")
    half = math.radians(sensor.fov_deg) / 2
    _text(horizontal, "samples", str(sensor.beams))
    _text(horizontal, "resolution", "1")
    _text(horizontal, "min_angle", -half)
    _text(horizontal, "max_angle", half)
    reach = etree.SubElement(ray, "range")
    _text(reach, "min", float(sensor.range_min_m))
    _text(reach, "max", float(sensor.range_max_m))
    if sensor.resolution_m:
        _text(reach, "resolution", float(sensor.resolution_m))
    if sensor.noise_m:
        _noise(ray, sensor.noise_m)


def _camera(made: etree._Element, sensor: Camera) -> None:
    camera = etree.SubElement(made, "camera")
    _text(camera, "horizontal_fov", math.radians(sensor.fov_deg))
    image = etree.SubElement(camera, "image")
    _text(image, "width", str(sensor.width_px))
    _text(image, "height", str(sensor.height_px))
    clip = etree.SubElement(camera, "clip")
    _text(clip, "near", float(sensor.range_min_m))
    _text(clip, "far", float(sensor.range_max_m))
    if sensor.noise:
        _noise(camera, sensor.noise)


def _noise(parent: etree._Element, deviation: float) -> None:
    made = etree.SubElement(parent, "noise", type="gaussian")
    if parent.tag in ("ray", "camera"):
        made.attrib.pop("type")
        _text(made, "type", "gaussian")
    _text(made, "mean", 0.0)
    _text(made, "stddev", float(deviation))


# ---- drive


def _add_drive(model: etree._Element, links: list[ExportLink], notes: list[str]) -> None:
    drive = next((link.body.drive for link in links if link.body.drive is not None), None)
    if drive is None:
        return
    left, right = wheels(links, "drive")
    if not left or not right:
        notes.append("the drive is left out: it needs joints of the kind drive on both sides")
        return
    ackermann = drive.kind == "ackermann"
    name = "AckermannSteering" if ackermann else "DiffDrive"
    file = "ackermann-steering" if ackermann else "diff-drive"
    plugin = etree.SubElement(
        model, "plugin", filename=f"ignition-gazebo-{file}-system", name=f"ignition::gazebo::systems::{name}"
    )
    for side, joints in (("left_joint", left), ("right_joint", right)):
        for joint in joints:
            _text(plugin, side, joint)
    if ackermann:
        steered_left, steered_right = wheels(links, "steering")
        for side, joints in (("left_steering_joint", steered_left), ("right_steering_joint", steered_right)):
            for joint in joints:
                _text(plugin, side, joint)
        limits = [link.joint.joint.upper for link in links if link.joint and link.joint.joint
                  and link.joint.kind == "steering" and link.joint.joint.upper is not None]  # fmt: skip
        _text(plugin, "kingpin_width", float(drive.track_m))
        _text(plugin, "steering_limit", float(min(limits, default=math.pi / 6)))
        _text(plugin, "wheel_base", float(drive.wheelbase_m))
    _text(plugin, "wheel_separation", float(drive.track_m))
    _text(plugin, "wheel_radius", float(drive.wheel_radius_m))
    if drive.speed_max_m_s is not None:
        _text(plugin, "max_velocity" if ackermann else "max_linear_velocity", float(drive.speed_max_m_s))
    notes.append(f"the drive is a plugin of Gazebo Fortress ({name}); other versions and classic need their own")
