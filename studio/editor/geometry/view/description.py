"""What a vehicle looks like, as plain values: faces, frames, links, joints, fields of view. No Qt, no pixels.

Everything is in the axes of the part that carries it, so a description is made once for each body; joints and mounts
only change where the parts are. A body that no edit has touched keeps its description.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from studio.editor.geometry.selection import (
    ConstraintThing,
    FrameThing,
    JointThing,
    SensorThing,
    ShapeThing,
)
from studio.editor.geometry.view.fields import Field, field_of
from studio.editor.views.scene.batches import Floats, Lines, Triangles
from studio.editor.views.scene.meshes import shape_batches, solid_batches
from studio.errors import StudioError
from studio.model.geometry.assembly import Constraint, Model
from studio.model.geometry.body import Body
from studio.model.geometry.joints import Joint
from studio.model.geometry.linkage import Linkage, Part, frame_part, link, root_places
from studio.model.geometry.mesh_files import MeshData
from studio.model.geometry.shapes import Cylinder, Mesh, Shape, Sphere
from studio.model.geometry.world import Heightmap, OtherShape, Plane

Meshes = Callable[[Mesh | Heightmap, Body], MeshData | StudioError | None]


@dataclass(frozen=True, eq=False)
class Solid:
    """A shape with its faces."""

    thing: ShapeThing
    on: str
    """The joint of its body that moves it."""
    faces: Triangles
    edges: Lines
    is_visual: bool
    is_collision: bool


@dataclass(frozen=True)
class FrameMark:
    thing: FrameThing
    on: str
    pose: Floats
    is_sensor: bool


@dataclass(frozen=True)
class FieldMark:
    """What a sensor sees."""

    thing: SensorThing
    on: str
    field: Field


@dataclass(frozen=True)
class MassMark:
    on: str
    pose: Floats
    """Of the principal axes, in the centre of mass."""
    box: Floats
    """Edge lengths of the box of even density that has this mass and inertia."""
    mass_kg: float


@dataclass(frozen=True)
class BodyMarks:
    """One body, in its own axes."""

    name: str
    body: Body
    solids: tuple[Solid, ...]
    frames: tuple[FrameMark, ...]
    fields: tuple[FieldMark, ...]
    masses: tuple[MassMark, ...]
    missing: tuple[str, ...]
    """Why meshes are not drawn."""
    waits: bool
    """For a mesh that is being read."""


@dataclass(frozen=True)
class JointMark:
    name: str
    """Under which its position is set."""
    thing: JointThing
    joint: Joint
    carrier: Part
    moved: Part
    before: Floats
    """Where the joint is on its carrier."""


@dataclass(frozen=True)
class LinkMark:
    """A constraint: from a frame of one part to a frame of another."""

    thing: ConstraintThing
    constraint: Constraint
    start: Part
    end: Part
    start_pose: Floats
    end_pose: Floats


@dataclass
class Description:
    model: Model
    linkage: Linkage
    places: dict[Part, Floats]
    """Of the roots that say where they are."""
    bodies: dict[str, BodyMarks] = field(default_factory=dict)
    joints: tuple[JointMark, ...] = ()
    links: tuple[LinkMark, ...] = ()

    @property
    def frames(self) -> dict[str, FrameMark]:
        return {str(mark.thing): mark for body in self.bodies.values() for mark in body.frames}

    def poses(self, positions: Mapping[str, float]) -> dict[Part, Floats]:
        """Of every part in the axes of the assembly: the first body is where it says, and the rest hangs on it."""
        own = self.linkage.poses(positions)
        roots = self.linkage.roots
        return {
            part: self.places[roots[part]] @ pose if roots[part] in self.places else pose for part, pose in own.items()
        }

    def below(self, part: Part) -> set[Part]:
        """What moves when this part does, with it."""
        found = {part}
        for each in self.linkage.order:
            branch = self.linkage.branches.get(each)
            if branch is not None and branch.parent in found:
                found.add(each)
        return found


def describe(model: Model, meshes: Meshes, before: Description | None = None) -> Description:
    """`before`: an older one, whose bodies are kept where they are the same."""
    linkage = link(model)
    made = Description(model, linkage, root_places(model, linkage))
    for name, body in model.bodies.items():
        known = before.bodies.get(name) if before is not None else None
        keeps = known is not None and known.body is body and not known.waits
        made.bodies[name] = known if known is not None and keeps else describe_body(name, body, meshes)
    made.joints = tuple(_joint_marks(made.linkage))
    made.links = tuple(_link_marks(model))
    return made


def describe_body(name: str, body: Body, meshes: Meshes) -> BodyMarks:
    solids, missing, waits = [], [], False
    for index, shape in enumerate(body.shapes):
        drawn = _batches(shape, body, meshes)
        if isinstance(drawn, StudioError):
            missing.append(drawn.message)
        elif drawn is None:
            waits = True
        else:
            thing = ShapeThing(name, index)
            solids.append(Solid(thing, shape.on, *drawn, shape.is_visual, shape.is_collision))
    sensors = {sensor.frame for sensor in body.sensors}
    frames = [FrameMark(FrameThing(name, f.name), f.on, f.pose.matrix, f.name in sensors) for f in body.frames]
    return BodyMarks(
        name,
        body,
        tuple(solids),
        tuple(frames),
        tuple(_fields(name, body)),
        tuple(_masses(body)),
        tuple(missing),
        waits,
    )


_NOTHING = (
    Triangles(np.zeros((0, 3, 3)), np.zeros((0, 4), np.uint8)),
    Lines(np.zeros((0, 2, 3)), np.zeros((0, 4), np.uint8)),
)


def _batches(shape: Shape, body: Body, meshes: Meshes) -> tuple[Triangles, Lines] | StudioError | None:
    if isinstance(shape, Plane | OtherShape):  # the grid stands for the ground
        return _NOTHING
    if isinstance(shape, Mesh | Heightmap):
        mesh = meshes(shape, body)
        if mesh is None or isinstance(mesh, StudioError):
            return mesh
        found = solid_batches(shape, mesh.corners, np.zeros((0, 2, 3)))
    else:
        found = shape_batches(shape)
    faces = next(batch for batch in found if isinstance(batch, Triangles))
    edges = next((batch for batch in found if isinstance(batch, Lines)), None)
    return faces, edges or _NOTHING[1]


def _fields(name: str, body: Body) -> list[FieldMark]:
    frames = {frame.name: frame for frame in body.frames}
    found = []
    for sensor in body.sensors:
        frame, seen = frames.get(sensor.frame), field_of(sensor)
        if frame is not None and seen is not None:
            found.append(FieldMark(SensorThing(name, sensor.name), frame.on, seen.moved(frame.pose.matrix)))
    return found


def _masses(body: Body) -> list[MassMark]:
    found = []
    for part in body.parts():
        inertia = body.inertia_of(part)
        if inertia is None or inertia.mass_kg <= 0:
            continue
        moments, turned = np.linalg.eigh(inertia.about_centre)
        if np.linalg.det(turned) < 0:
            turned[:, 0] *= -1
        squares = 6.0 / inertia.mass_kg * (moments.sum() - 2.0 * moments)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = turned, inertia.centre
        found.append(MassMark(part, pose, np.sqrt(np.maximum(squares, 0.0)), inertia.mass_kg))
    return found


def _joint_marks(linkage: Linkage) -> list[JointMark]:
    found = []
    for edge in linkage.edges:
        if edge.joint is not None:
            thing = JointThing("" if edge.constraint is not None else edge.end.body, edge.joint.name)
            found.append(JointMark(edge.name, thing, edge.joint, edge.start, edge.end, edge.before))
    return found


def _link_marks(model: Model) -> list[LinkMark]:
    found = []
    for each in model.constraints:
        start, start_pose = frame_part(each.start.body, model.bodies[each.start.body], each.start.frame)
        end, end_pose = frame_part(each.end.body, model.bodies[each.end.body], each.end.frame)
        found.append(LinkMark(ConstraintThing(each.name), each, start, end, start_pose, end_pose))
    return found


def contact_radius(body: Body, joint: Joint) -> float:
    """Of a wheel on a driven joint: from its largest round shape; 0 if it has none."""
    round_ones = [s for s in body.shapes if s.on == joint.name and isinstance(s, Cylinder | Sphere)]
    return max((shape.radius for shape in round_ones), default=0.0)
