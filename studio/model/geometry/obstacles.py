"""New parts of a world: obstacles that stand on the ground, walls along a line, ground, and places to start."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from studio.model.changes import ModelError
from studio.model.geometry.arrange import free_name
from studio.model.geometry.poses import Pose
from studio.model.geometry.rotations import Rotation
from studio.model.geometry.shapes import Box, Cylinder, Shape, Sphere
from studio.model.geometry.world import OtherShape, Plane, World, WorldFrame, WorldModel, WorldShape

OBSTACLES: dict[str, Shape] = {
    "box": Box(size=(1.0, 1.0, 1.0)),
    "cylinder": Cylinder(radius=0.5, length=1.0),
    "sphere": Sphere(radius=0.5),
}
"""What can be placed by a click, in its first size."""
GREY = "0.62 0.5 0.33 1"
WALL = "0.8 0.74 0.6 1"
GRASS = "0.42 0.5 0.33 1"
DIGITS = 6
CLOSE_M = 1e-6
Point = tuple[float, float]


def height_of(shape: Shape) -> float:
    match shape:
        case Box():
            return shape.size[2]
        case Cylinder():
            return shape.length
        case Sphere():
            return 2 * shape.radius
    return 0.0


def new_obstacle(world: World, kind: str, at: Point, ground_m: float = 0.0) -> WorldModel:
    """It stands on the ground at `at`."""
    shape = OBSTACLES[kind]
    x, y = at
    pose = Pose((x, y, round(ground_m + height_of(shape) / 2, DIGITS)))
    made = replace(shape, name="collision", colour=GREY)
    return WorldModel(_free(world, kind), pose, shapes=(WorldShape(made, visual_name="visual"),))


def new_ground(world: World) -> WorldModel:
    made = Plane(name="collision", colour=GRASS)
    return WorldModel(_free(world, "ground"), shapes=(WorldShape(made, visual_name="visual"),))


def new_place(world: World, name: str, at: Point) -> WorldFrame:
    """`start` first, then `start_2`; `start_raptor` for a vehicle."""
    return WorldFrame(_free(world, name), Pose((*at, 0.0)))


def new_wall(world: World, corners: Sequence[Point], height_m: float, thickness_m: float) -> WorldModel:
    """A box for each side, all in one model at the first corner. Corners are filled: each side is longer by half of the
    thickness where another one joins it."""
    x0, y0 = corners[0]
    sides = [(one, other) for one, other in pairwise(corners) if math.dist(one, other) > CLOSE_M]
    if not sides:
        raise ModelError("a wall needs two corners", hint="click where it turns, Enter ends it")
    is_closed = math.dist(corners[0], corners[-1]) < CLOSE_M and len(sides) > 2
    shapes = []
    for number, (one, other) in enumerate(sides):
        before = thickness_m / 2 if number > 0 or is_closed else 0.0
        after = thickness_m / 2 if number < len(sides) - 1 or is_closed else 0.0
        shapes.append(_side(number + 1, one, other, before, after, (x0, y0), height_m, thickness_m))
    return WorldModel(_free(world, "wall"), Pose((x0, y0, 0.0)), shapes=tuple(shapes))


def _side(
    number: int, one: Point, other: Point, before: float, after: float, origin: Point, height_m: float,
    thickness_m: float,
) -> WorldShape:  # fmt: skip
    length, yaw = math.dist(one, other), math.atan2(other[1] - one[1], other[0] - one[0])
    middle = (length + after - before) / 2
    x = one[0] - origin[0] + middle * math.cos(yaw)
    y = one[1] - origin[1] + middle * math.sin(yaw)
    pose = Pose(
        (_round(x), _round(y), _round(height_m / 2)),
        Rotation("rpy", (0.0, 0.0, round(math.degrees(yaw), DIGITS) + 0.0), "degrees"),
    )
    size = (_round(length + before + after), thickness_m, height_m)
    name = f"side_{number}"
    return WorldShape(Box(name=name, pose=pose, colour=WALL, size=size))


@dataclass(frozen=True)
class WallSize:
    height_m: float
    thickness_m: float


def wall_size(model: WorldModel) -> WallSize | None:
    """Of a model that is a wall: upright boxes on the ground, all as high and as thick; None if it is none."""
    boxes = [each.shape for each in model.shapes if isinstance(each.shape, Box)]
    if not boxes or len(boxes) != len(model.shapes) or any(each.link != model.links[0].name for each in model.shapes):
        return None
    sizes = {(box.size[2], box.size[1]) for box in boxes}
    on_ground = all(abs(box.pose.xyz[2] - box.size[2] / 2) < CLOSE_M for box in boxes)
    if len(sizes) != 1 or not on_ground or any(abs(box.pose.matrix[2, 2] - 1) > CLOSE_M for box in boxes):
        return None
    return WallSize(*next(iter(sizes)))


def with_wall_size(model: WorldModel, size: WallSize) -> WorldModel:
    """All sides as high and as thick; where two sides meet, the corner stays filled."""
    old = wall_size(model)
    assert old is not None
    grown = size.thickness_m - old.thickness_m
    made = []
    for each in model.shapes:
        box = each.shape
        assert isinstance(box, Box)
        x, y, _ = box.pose.xyz
        pose = replace(box.pose, xyz=(x, y, _round(size.height_m / 2)))
        length = box.size[0] + (grown if len(model.shapes) > 1 else 0.0)
        made.append(
            replace(each, shape=replace(box, pose=pose, size=(_round(length), size.thickness_m, size.height_m)))
        )
    return replace(model, shapes=tuple(made))


def copied(world: World, model: WorldModel, by: Sequence[float]) -> WorldModel:
    """Another one beside it, of what Studio knows of it."""
    x, y, z = (round(at + step, 9) for at, step in zip(model.pose.xyz, by, strict=True))
    links = tuple(replace(link, origin=None) for link in model.links)
    known = [each for each in model.shapes if not isinstance(each.shape, OtherShape)]
    shapes = tuple(replace(each, collision=None, visual=None) for each in known)
    pose = replace(model.pose, xyz=(x, y, z))
    return replace(model, name=_free(world, model.name), pose=pose, links=links, shapes=shapes, inner=(), origin=None)


def grown(shape: Shape, by: Iterable[float]) -> tuple[Shape, tuple[float, float, float]]:
    """A shape whose face is dragged along one of its axes: its opposite face stays. Also by how much its middle moves,
    in its own axes."""
    x, y, z = by
    match shape:
        case Box():
            size = tuple(max(_round(old + more), 0.01) for old, more in zip(shape.size, (x, y, z), strict=True))
            moved = tuple((new - old) / 2 for new, old in zip(size, shape.size, strict=True))
            return replace(shape, size=size), moved  # type: ignore[arg-type, return-value]
        case Cylinder():
            length = max(_round(shape.length + z), 0.01)
            radius = max(_round(shape.radius + x + y), 0.005)
            return replace(shape, radius=radius, length=length), (0.0, 0.0, (length - shape.length) / 2)
        case Sphere():
            return replace(shape, radius=max(_round(shape.radius + x + y + z), 0.005)), (0.0, 0.0, 0.0)
    raise ModelError(f"a {type(shape).__name__.lower()} has no size that can be dragged")


def with_sizes(shape: Shape, sizes: Sequence[float]) -> Shape:
    """Length, width, height; radius, length; or radius. What is left out stays."""
    match shape:
        case Box():
            length, width, height = (*sizes, *shape.size[len(sizes) :])[:3]
            return replace(shape, size=(length, width, height))
        case Cylinder():
            return replace(shape, radius=sizes[0], length=[*sizes, shape.length][1])
        case Sphere():
            return replace(shape, radius=sizes[0])
    raise ModelError(f"a {type(shape).__name__.lower()} has no sizes that can be typed")


def with_new_shape(model: WorldModel, index: int, shape: Shape) -> WorldModel:
    """An obstacle of one shape goes on standing where it stands when its height changes."""
    old = model.shapes[index]
    made = model.with_shape(index, replace(old, shape=shape))
    higher = height_of(shape) - height_of(old.shape)
    if not higher or len(model.shapes) > 1:
        return made
    x, y, z = model.pose.xyz
    return replace(made, pose=replace(model.pose, xyz=(x, y, round(z + higher / 2, 9))))


def _free(world: World, wanted: str) -> str:
    return free_name(wanted, {*world.parts(), "world"})


def _round(value: float) -> float:
    return round(value, DIGITS) + 0.0
