"""URDF of a model. Frames become links without mass on fixed joints, as in ROS; sensors and loops find no place."""

from __future__ import annotations

import numpy as np
from lxml import etree

from studio.model.geometry.assembly import Model
from studio.model.geometry.export_tree import (
    JOINT_SUFFIX,
    Export,
    ExportJoint,
    ExportLink,
    export_links,
    export_loops,
    numbers,
    shape_names,
    xyz_rpy,
)
from studio.model.geometry.inertia import Inertia
from studio.model.geometry.poses import HERE, inverse, is_here
from studio.model.geometry.rotations import Matrix
from studio.model.geometry.shapes import Box, Cylinder, Mesh, Shape, Sphere

KINDS = {"hinge": "revolute", "steering": "revolute", "drive": "continuous", "slider": "prismatic"}
UNLIMITED_EFFORT = 1000.0
UNLIMITED_SPEED = 100.0
"""URDF asks for both limits of a joint that has ends."""


def to_urdf(model: Model) -> Export:
    notes: list[str] = []
    links = export_links(model, notes, may_be_several=True)
    _join_trees(links, notes)
    _tell_places(model, links, notes)
    for loop in export_loops(model):
        notes.append(f"the constraint {loop.edge} closes a loop and is left out: the file holds a tree")
    robot = etree.Element("robot", name=model.name)
    # The link of a moving joint begins at the joint: where the body's origin is elsewhere, its contents are shifted.
    shift = {link.name: np.eye(4) if link.joint is None else _shift(link) for link in links}
    joints = {link.joint.edge: link.joint.name for link in links if link.joint is not None}
    for link in links:
        _add_link(robot, link, shift[link.name], notes)
        if link.joint is not None:
            _add_joint(robot, link, shift[link.joint.parent], joints, notes)
        for frame in link.frames:
            name = f"{link.part.body}:{frame.name}"
            etree.SubElement(robot, "link", name=name)
            fixed = etree.SubElement(robot, "joint", name=name + JOINT_SUFFIX, type="fixed")
            etree.SubElement(fixed, "parent", link=link.name)
            etree.SubElement(fixed, "child", link=name)
            _origin(fixed, shift[link.name] @ frame.pose.matrix)
        notes += [f"the {sensor.KIND} {link.part.body}.{sensor.name} is left out: URDF has no sensors"
                  for sensor, _ in link.sensors]  # fmt: skip
    if any(link.body.drive for link in links):
        notes.append("the drive is left out: URDF has none")
    etree.indent(robot)
    names = {link.name: link.name for link in links}
    return Export(etree.tostring(robot, encoding="unicode") + "\n", notes, names, joints)


def _join_trees(links: list[ExportLink], notes: list[str]) -> None:
    """URDF holds one tree: the roots of the others hang on the first, where they are."""
    first, *others = (link for link in links if link.joint is None)
    for link in others:
        assert link.place is not None
        before = inverse(np.eye(4) if first.place is None else first.place) @ link.place
        is_held = first.body.is_static and link.body.is_static
        name = f"{link.name}_in_{first.name}"
        axis = (0.0, 0.0, 1.0)
        link.joint = ExportJoint(name, name, first.name, link.name, before, np.eye(4), None, axis, is_free=not is_held)
        how = "holds it, since neither moves" if is_held else "leaves it free (floating), which not all programs read"
        notes.append(f"{link.name} is not connected with {first.name}, and URDF holds one tree: the joint {name} {how}")


def _tell_places(model: Model, links: list[ExportLink], notes: list[str]) -> None:
    if any(body.is_static for body in model.bodies.values()):
        notes.append("static is left out: URDF has no such property")
    if model.pose != HERE:
        notes.append("the pose of the model in the world is left out: URDF has none")
    if links[0].place is not None and not is_here(links[0].place):
        notes.append(f"the pose of {links[0].name} in the model is left out: in URDF the root is the origin")


def _shift(link: ExportLink) -> Matrix:
    assert link.joint is not None
    return np.eye(4) if link.joint.joint is None else link.joint.after


def _add_link(robot: etree._Element, link: ExportLink, shift: Matrix, notes: list[str]) -> None:
    made = etree.SubElement(robot, "link", name=link.name)
    if not is_here(shift):
        notes.append(f"the origin of the link {link.name} is moved to its joint, where URDF has it")
    _inertial(made, link.inertia.moved(shift))
    for shape, name in shape_names(link):
        for use in ("visual", "collision"):
            if getattr(shape, f"is_{use}"):
                part = etree.SubElement(made, use, name=f"{link.name}.{name}")
                _origin(part, shift @ shape.pose.matrix)
                _geometry(part, shape)
                if use == "visual" and shape.colour:
                    material = etree.SubElement(part, "material", name=f"{link.name}.{name}.colour")
                    etree.SubElement(material, "color", rgba=shape.colour)


def _inertial(parent: etree._Element, inertia: Inertia) -> None:
    made = etree.SubElement(parent, "inertial")
    etree.SubElement(made, "origin", xyz=numbers(inertia.centre), rpy="0 0 0")
    etree.SubElement(made, "mass", value=repr(float(inertia.mass_kg)))
    m = inertia.about_centre
    values = {"ixx": m[0, 0], "ixy": m[0, 1], "ixz": m[0, 2], "iyy": m[1, 1], "iyz": m[1, 2], "izz": m[2, 2]}
    etree.SubElement(made, "inertia", {key: repr(float(value)) for key, value in values.items()})


def _add_joint(
    robot: etree._Element, link: ExportLink, parent_shift: Matrix, joints: dict[str, str], notes: list[str]
) -> None:
    """`joints`: what each is called here."""
    export = link.joint
    assert export is not None
    joint = export.joint
    kind = ("floating" if export.is_free else "fixed") if joint is None else KINDS[joint.kind]
    limited = joint is not None and (joint.lower is not None or joint.upper is not None)
    if joint is not None and kind == "revolute" and not limited:
        kind = "continuous"
    made = etree.SubElement(robot, "joint", name=export.name, type=kind)
    etree.SubElement(made, "parent", link=export.parent)
    etree.SubElement(made, "child", link=export.child)
    _origin(made, parent_shift @ (export.before if joint is not None else export.before @ export.after))
    if joint is None:
        return
    etree.SubElement(made, "axis", xyz=numbers(export.axis))
    effort = UNLIMITED_EFFORT if joint.effort is None else joint.effort
    speed = UNLIMITED_SPEED if joint.speed is None else joint.speed
    limits = {"effort": repr(float(effort)), "velocity": repr(float(speed))}
    if kind in ("revolute", "prismatic"):
        if joint.lower is None or joint.upper is None:
            notes.append(f"the joint {export.name} has an open end, which URDF does not know: it ends at 1000")
        limits |= {
            "lower": repr(-1000.0 if joint.lower is None else joint.lower),
            "upper": repr(1000.0 if joint.upper is None else joint.upper),
        }
    if kind != "continuous" or joint.effort is not None or joint.speed is not None:
        etree.SubElement(made, "limit", limits)
    if joint.mimic is not None and joint.mimic.joint in joints:
        mimic = {"multiplier": repr(joint.mimic.multiplier), "offset": repr(joint.mimic.offset)}
        etree.SubElement(made, "mimic", mimic, joint=joints[joint.mimic.joint])
    elif joint.mimic is not None:
        notes.append(f"the joint {export.name} becomes independent: {joint.mimic.joint}, which it mimics, is left out")


def _origin(parent: etree._Element, pose: Matrix) -> None:
    xyz, rpy = xyz_rpy(pose)
    etree.SubElement(parent, "origin", xyz=xyz, rpy=rpy)


def _geometry(parent: etree._Element, shape: Shape) -> None:
    made = etree.SubElement(parent, "geometry")
    if isinstance(shape, Box):
        etree.SubElement(made, "box", size=numbers(shape.size))
    elif isinstance(shape, Cylinder):
        etree.SubElement(made, "cylinder", radius=repr(shape.radius), length=repr(shape.length))
    elif isinstance(shape, Sphere):
        etree.SubElement(made, "sphere", radius=repr(shape.radius))
    elif isinstance(shape, Mesh):
        etree.SubElement(made, "mesh", filename=shape.file, scale=numbers(shape.scale))
