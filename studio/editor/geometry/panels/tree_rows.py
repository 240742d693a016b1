"""What the assembly tree shows: rows as plain values, made from the vehicle. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, field

from studio.editor.geometry.selection import (
    BodyThing,
    ConstraintThing,
    FrameThing,
    JointThing,
    SensorThing,
    ShapeThing,
    Thing,
    VehicleThing,
)
from studio.model.geometry.body import Body
from studio.model.geometry.changed_parts import ChangedParts, Mark
from studio.model.geometry.part_edits import shape_text
from studio.model.geometry.workspace import Workspace
from studio.model.geometry.world import PLACES, WorldModel

ICONS = {
    "vehicle": "mdi6.car-outline", "body": "mdi6.cube-outline", "frame": "mdi6.axis-arrow",
    "constraint": "mdi6.link-variant", "joint": "mdi6.rotate-3d-variant", "sensor": "mdi6.radar",
    "shape": "mdi6.shape-outline", "group": "mdi6.shape-outline", "world": "mdi6.earth", "place": "mdi6.flag-outline",
    "include": "mdi6.package-variant-closed",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """One line: an icon, a name, a word at the right end."""

    kind: str
    name: str
    note: str = ""
    thing: Thing | None = None
    """None: a group."""
    mark: Mark | None = None
    rows: tuple[Row, ...] = field(default=())
    starts_open: bool = False

    @property
    def key(self) -> object:
        """Under which its state is remembered."""
        return self.thing or (self.kind, self.name)


def rows_of(workspace: Workspace, changed: ChangedParts) -> list[Row]:
    if workspace.is_world:
        return _rows_of_world(workspace, changed)
    model = workspace.assembled.model
    bodies = tuple(_body_row(workspace, changed, name, body) for name, body in model.bodies.items())
    if workspace.is_body:
        return list(bodies)
    constraints = tuple(
        Row("constraint", constraint.name, "",
            ConstraintThing(constraint.name), changed.of_assembly("constraint", constraint.name),
            (Row("joint", "joint", constraint.joint.kind, JointThing("", constraint.joint.name)),)
            if constraint.joint is not None else ())
        for constraint in model.constraints
    )  # fmt: skip
    count = f"{len(bodies)} {'body' if len(bodies) == 1 else 'bodies'}"
    vehicle = Row("vehicle", workspace.name, count, VehicleThing(), None, bodies, starts_open=True)
    return [vehicle, Row("constraint", "Constraints", str(len(constraints)), None, None, constraints, starts_open=True)]


def _rows_of_world(workspace: Workspace, changed: ChangedParts) -> list[Row]:
    world = workspace.world()
    obstacles = tuple(_obstacle_row(changed, each) for each in world.models)
    includes = tuple(
        Row("include", each.name, each.uri, BodyThing(each.name), changed.of_world(each.name))
        for each in world.includes
    )  # fmt: skip
    bodies = workspace.assembled.model.bodies
    places = tuple(
        Row("vehicle" if each.name in bodies else "place", each.name, workspace.vehicles.vehicle_at(each.name) or "",
            BodyThing(each.name) if each.name in bodies else FrameThing(PLACES, each.name), changed.of_world(each.name))
        for each in world.frames
    )  # fmt: skip
    inside = (*obstacles, *includes)
    return [
        Row("world", workspace.name, str(len(inside)), VehicleThing(), None, inside, starts_open=True),
        Row("place", "Places", str(len(places)), None, None, places, starts_open=True),
    ]


def _obstacle_row(changed: ChangedParts, model: WorldModel) -> Row:
    kinds = {type(each.shape).__name__.lower() for each in model.shapes}
    note = next(iter(kinds)) if len(kinds) == 1 and len(model.shapes) == 1 else f"{len(model.shapes)} shapes"
    shapes = tuple(
        Row("shape", each.shape.name or shape_text(each.shape), type(each.shape).__name__.lower(),
            ShapeThing(model.name, index))
        for index, each in enumerate(model.shapes)
    ) if len(model.shapes) > 1 else ()  # fmt: skip
    return Row("body", model.name, note, BodyThing(model.name), changed.of_world(model.name), shapes)


def _body_row(workspace: Workspace, changed: ChangedParts, name: str, body: Body) -> Row:
    frames = tuple(
        Row("frame", frame.name, frame.on, FrameThing(name, frame.name), changed.of_body(name, "frame", frame.name))
        for frame in body.frames
    )
    sensors = tuple(
        Row("sensor", sensor.name, sensor.KIND, SensorThing(name, sensor.name),
            changed.of_body(name, "sensor", sensor.name))
        for sensor in body.sensors
    )  # fmt: skip
    joints = tuple(
        Row("joint", joint.name, joint.kind, JointThing(name, joint.name), changed.of_body(name, "joint", joint.name))
        for joint in body.joints
    )
    shapes = tuple(
        Row("shape", shape.name or shape_text(shape), type(shape).__name__.lower(), ShapeThing(name, index),
            changed.of_body(name, "shape", f"#{index}"))
        for index, shape in enumerate(body.shapes)
    )  # fmt: skip
    groups = [Row("joint", "Joints", str(len(joints)), None, None, joints)] if joints else []
    groups += [Row("group", "Shapes", str(len(shapes)), None, None, shapes)] if shapes else []
    mark = None if workspace.is_body else changed.of_assembly("body", name)
    note = body.name if body.name != name else ""
    return Row("body", name, note, BodyThing(name), mark, (*frames, *sensors, *groups), workspace.is_body)


def matching(rows: list[Row], text: str) -> list[Row]:
    """Those with all the words of `text`, with what they are in; a row that matches keeps all that is below it."""
    words = text.lower().split()
    return [kept for row in rows if (kept := _matching(row, words, "")) is not None]


def _matching(row: Row, words: list[str], above: str) -> Row | None:
    here = f"{row.name} {row.note} {row.kind}".lower()
    if all(word in here or word in f"{above}:{row.name}".lower() for word in words):
        return row
    inner = tuple(kept for each in row.rows if (kept := _matching(each, words, row.name)) is not None)
    if not inner:
        return None
    return Row(row.kind, row.name, row.note, row.thing, row.mark, inner, starts_open=True)
