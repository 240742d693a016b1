"""A model as simulators want it: links, each with its contents, joined into a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from studio.model.geometry.assembly import Model
from studio.model.geometry.body import Body, Frame
from studio.model.geometry.inertia import Inertia
from studio.model.geometry.joints import Joint
from studio.model.geometry.linkage import Branch, Edge, Linkage, Part, link, root_places
from studio.model.geometry.poses import inverse
from studio.model.geometry.rotations import GeometryError, Matrix, rpy_of, unit_axis
from studio.model.geometry.sensors import Sensor
from studio.model.geometry.shapes import Shape

LIGHT_KG = 0.001
"""Simulators refuse a link without mass, or invent one of a kilogram; a gram does no harm and is told."""
JOINT_SUFFIX = "_joint"
"""A joint inside a body moves a link of its own name, and SDF has one name space for links, joints and frames."""


@dataclass(frozen=True)
class ExportJoint:
    name: str
    edge: str
    """As positions of it are set: the constraint, or `Body.joint`."""
    parent: str
    child: str
    before: Matrix
    """The joint in the parent link."""
    after: Matrix
    """The child link in the joint, at position 0."""
    joint: Joint | None
    axis: tuple[float, float, float]
    is_free: bool = False
    """Holds nothing: it only says where a tree begins that is not connected with the rest."""

    @property
    def kind(self) -> str:
        return self.joint.kind if self.joint is not None else "fixed"


@dataclass
class ExportLink:
    name: str
    part: Part
    body: Body
    inertia: Inertia
    frames: list[Frame] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    sensors: list[tuple[Sensor, Matrix]] = field(default_factory=list)
    joint: ExportJoint | None = None
    """By which it hangs on its parent; None for the root."""
    place: Matrix | None = None
    """Of a root: where it is in the model's axes, if somebody says."""


@dataclass
class Export:
    text: str
    notes: list[str]
    """What the format cannot hold, and what was added because the format needs it."""
    links: dict[str, str] = field(default_factory=dict)
    """Bodies and their moving parts, and what their links are called there."""
    joints: dict[str, str] = field(default_factory=dict)
    """Constraints and joints, and what they are called there."""


def export_links(model: Model, notes: list[str], *, may_be_several: bool = False) -> list[ExportLink]:
    """Parents before children. What hangs in the air cannot be exported; with `may_be_several` there may be trees that
    nothing connects, if all say where they are."""
    linkage = link(model)
    places = root_places(model, linkage)
    for root in (group[0] for group in linkage.groups()[1:]):
        if not (may_be_several and root in places):
            hint = "bind it by a <constraint>" + (", or give it a pose in the assembly" if may_be_several else "")
            raise GeometryError(
                f"{root.body} is not connected with {linkage.order[0].body}", file=model.file, hint=hint
            )
    links = [_link(model, linkage, part, notes) for part in linkage.order]
    for each in links:
        each.place = places.get(each.part)
    return links


def export_loops(model: Model) -> list[ExportJoint]:
    """The constraints that the tree of links does without, as joints from where they begin to where they end."""
    return [_loop(loop.edge) for loop in link(model).loops]


def _loop(edge: Edge) -> ExportJoint:
    moves = edge.joint if edge.moves else None
    axis = unit_axis(moves.axis) if moves is not None else (0.0, 0.0, 1.0)
    return ExportJoint(
        _joint_name(edge), edge.name, str(edge.start), str(edge.end), edge.before, edge.after, moves, axis
    )


def _link(model: Model, linkage: Linkage, part: Part, notes: list[str]) -> ExportLink:
    body = model.bodies[part.body]
    inertia = body.inertia_of(part.joint)
    if inertia is None:
        notes.append(f"{part} has neither mass nor densities: it gets {LIGHT_KG * 1000:g} g")
        inertia = Inertia(LIGHT_KG, np.zeros(3), LIGHT_KG * 1e-3 * np.eye(3))
    frames = [frame for frame in body.frames if frame.on == part.joint]
    poses = {frame.name: frame.pose.matrix for frame in frames}
    sensors = [(sensor, poses[sensor.frame]) for sensor in body.sensors if sensor.frame in poses]
    shapes = [shape for shape in body.shapes if shape.on == part.joint]
    branch = linkage.branches.get(part)
    joint = _joint(part, branch, notes) if branch is not None else None
    return ExportLink(str(part), part, body, inertia, frames, shapes, sensors, joint)


def _joint(part: Part, branch: Branch, notes: list[str]) -> ExportJoint:
    edge, joint = branch.edge, branch.edge.joint
    before, after = (edge.before, edge.after) if branch.forward else (inverse(edge.after), inverse(edge.before))
    axis = unit_axis(joint.axis) if joint is not None else (0.0, 0.0, 1.0)
    if joint is not None and joint.home and joint.mimic is None:
        notes.append(f"the joint {edge.name} has its home at {joint.home:g} {joint.unit}: the file starts it at 0")
    if not branch.forward:
        axis = (-axis[0], -axis[1], -axis[2])
    if joint is not None and not joint.moves:
        joint = None
    name = _joint_name(edge)
    return ExportJoint(name, edge.name, str(branch.parent), str(part), before, after, joint, axis)


def _joint_name(edge: Edge) -> str:
    return edge.name + JOINT_SUFFIX if edge.constraint is None else edge.name


def numbers(values: Any) -> str:
    """Every digit that is needed to read the same numbers again."""
    return " ".join(repr(float(value) + 0.0) for value in values)


def xyz_rpy(pose: Matrix) -> tuple[str, str]:
    return numbers(pose[:3, 3]), numbers(rpy_of(pose[:3, :3]))


def wheels(links: list[ExportLink], kind: str) -> tuple[list[str], list[str]]:
    """Names of the joints of that kind on the left and on the right of their body."""
    left: list[str] = []
    right: list[str] = []
    places = _places(links)
    for each in links:
        if each.joint is not None and each.joint.kind == kind:
            (left if places[each.name][1, 3] >= 0 else right).append(each.joint.name)
    return left, right


def _places(links: list[ExportLink]) -> dict[str, Matrix]:
    poses: dict[str, Matrix] = {}
    for each in links:
        joint = each.joint
        poses[each.name] = np.eye(4) if joint is None else poses[joint.parent] @ joint.before @ joint.after
    return poses


def shape_names(link: ExportLink) -> Iterator[tuple[Shape, str]]:
    """Each shape with a name that is its own in the link."""
    seen: set[str] = set()
    for number, shape in enumerate(link.shapes):
        name = shape.name or f"{type(shape).__name__.lower()}{number}"
        while name in seen:
            name += "_"
        seen.add(name)
        yield shape, name
