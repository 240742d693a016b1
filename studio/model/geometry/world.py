"""A world as its SDF file has it: models, named places, and models of other files. For editing; the simulators read the
same files into what they simulate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from studio.model.geometry.assembly import Model
from studio.model.geometry.body import Body, Frame
from studio.model.geometry.pose_graph import Counted, resolved
from studio.model.geometry.poses import HERE, Pose, is_here
from studio.model.geometry.rotations import Matrix
from studio.model.geometry.shapes import Mesh, Shape
from studio.model.origin import Origin

PLACES = "world"
"""The body that carries the named places. SDF allows no model this name."""
Vehicles = Callable[[str], Body | None]
"""What stands at a place with this name: the shapes of a vehicle."""


@dataclass(frozen=True, kw_only=True)
class Plane(Shape):
    """Ground without an end, through the middle of its pose."""

    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)


@dataclass(frozen=True, kw_only=True)
class Heightmap(Shape):
    """Heights as the grey of an image: black is 0, white is the third number of `size`."""

    file: str
    size: tuple[float, float, float]
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class OtherShape(Shape):
    """What Studio keeps and does not draw, as a polyline."""

    tag: str


@dataclass(frozen=True)
class WorldShape:
    """A collision, a visual, or one of each that look alike."""

    shape: Shape
    """Its pose is in the axes of `carrier`, its name that of the collision, its colour that of the visual."""
    link: str = "link"
    carrier: Pose = HERE
    """What its pose counts from, in the axes of its link."""
    friction: float | None = None
    """Coulomb's; None where the file does not say it."""
    visual_name: str = ""
    """Of the visual, where that has another name than the collision."""
    collision: Origin | None = None
    visual: Origin | None = None


@dataclass(frozen=True)
class WorldLink:
    name: str
    pose: Pose = HERE
    origin: Origin | None = None
    carrier: Pose = HERE
    """What its pose counts from, in the axes of the model."""


@dataclass(frozen=True)
class WorldModel:
    """An obstacle, a building, the ground: a model of the world."""

    name: str
    pose: Pose = HERE
    relative_to: str = ""
    """The frame or model from which its pose counts; empty for the world."""
    is_static: bool = True
    links: tuple[WorldLink, ...] = (WorldLink("link"),)
    shapes: tuple[WorldShape, ...] = ()
    inner: tuple[Shape, ...] = ()
    """Of the models in it, in its axes: they are drawn, and kept as they are written."""
    origin: Origin | None = None

    def link(self, name: str) -> WorldLink:
        return next(each for each in self.links if each.name == name)

    def carrier_of(self, shape: WorldShape) -> Matrix:
        """What the pose of a shape counts from, in the axes of the model."""
        link = self.link(shape.link)
        made: Matrix = link.carrier.matrix @ link.pose.matrix @ shape.carrier.matrix
        return made

    def with_shape(self, index: int, shape: WorldShape) -> WorldModel:
        return replace(self, shapes=(*self.shapes[:index], shape, *self.shapes[index + 1 :]))

    @cached_property
    def _bodies(self) -> dict[str, Body]:
        return {}

    def body_in(self, folder: str) -> Body:
        """For everything that draws and measures; the same object as long as the model is the same. Files are relative
        to `folder`."""
        if folder not in self._bodies:
            shapes = [_found(each, folder) for each in (*map(self.placed, self.shapes), *self.inner)]
            self._bodies[folder] = Body(self.name, shapes=shapes, is_static=self.is_static)
        return self._bodies[folder]

    def placed(self, each: WorldShape) -> Shape:
        """In the axes of the model."""
        carrier, shape = self.carrier_of(each), each.shape
        return shape if is_here(carrier) else replace(shape, pose=Pose.from_matrix(carrier @ shape.pose.matrix))


def _found(shape: Shape, folder: str) -> Shape:
    if isinstance(shape, Mesh | Heightmap):
        return replace(shape, file=str(Path(folder) / shape.file.removeprefix("file://")))
    return shape


@dataclass(frozen=True)
class WorldFrame:
    """A named place: where a vehicle starts, where it is to go."""

    name: str
    pose: Pose = HERE
    relative_to: str = ""
    origin: Origin | None = None


@dataclass(frozen=True)
class WorldInclude:
    """A model of another file."""

    name: str
    uri: str
    pose: Pose = HERE
    relative_to: str = ""
    origin: Origin | None = None


Included = Callable[[WorldInclude, str | None], Body | None]
"""The shapes of a model that a world, of which the file is told, includes."""
WorldPart = WorldModel | WorldFrame | WorldInclude
"""What has a name and a pose in a world."""


@dataclass
class World:
    name: str
    models: list[WorldModel] = field(default_factory=list)
    frames: list[WorldFrame] = field(default_factory=list)
    includes: list[WorldInclude] = field(default_factory=list)
    gravity_m_s2: tuple[float, float, float] | None = None
    """None where the file leaves it to the simulator."""
    element: int = 1
    """Which element of the file the world is."""
    file: str | None = None

    def every(self) -> Iterator[WorldPart]:
        yield from self.models
        yield from self.frames
        yield from self.includes

    def parts(self) -> dict[str, WorldPart]:
        """By name: they have one name space."""
        return {each.name: each for each in self.every()}

    def with_part(self, part: WorldPart) -> World:
        """With one more."""
        match part:
            case WorldModel():
                return replace(self, models=[*self.models, part])
            case WorldFrame():
                return replace(self, frames=[*self.frames, part])
            case WorldInclude():
                return replace(self, includes=[*self.includes, part])


def world_model(
    world: World, vehicles: Vehicles = lambda _: None, included: Included = lambda _include, _file: None
) -> Model:
    """What view, tree and measuring work on: a body for each model, and one for the places without a vehicle."""
    poses = world_poses(world)
    folder = str(Path(world.file).parent) if world.file else ""
    bodies = {each.name: each.body_in(folder) for each in world.models}
    stands = {each.name: body for each in world.frames if (body := vehicles(each.name)) is not None}
    bodies |= {each.name: included(each, world.file) or Body(each.name) for each in world.includes} | stands
    free = [each for each in world.frames if each.name not in stands]
    marks = [Frame(each.name, _at(each, poses), origin=each.origin) for each in free]
    bodies[PLACES] = Body(PLACES, frames=marks)
    named = {each.name: _at(each, poses) for each in world.every()}
    placed = {name: named.get(name, HERE) for name in bodies}
    places = {f"body {each.name}": (world.file, _line(each.origin)) for each in world.every()}
    return Model(world.name, bodies, [], file=world.file, placed=placed, places=places)


def world_poses(world: World) -> Mapping[str, Matrix]:
    """Of all parts in the world; empty if none counts from another one."""
    if all(part.relative_to in ("", PLACES) for part in world.every()):
        return {}
    counted = {PLACES: Counted(np.eye(4))}
    return resolved(
        counted | {name: Counted(part.pose.matrix, part.relative_to) for name, part in world.parts().items()}
    )


def carrier_pose(world: World, name: str) -> Matrix:
    """Of what the pose of a part counts from."""
    part = world.parts()[name]
    if part.relative_to in ("", PLACES):
        return np.eye(4)
    poses, carrier = world_poses(world), world.parts()[part.relative_to]
    return poses.get(part.relative_to, carrier.pose.matrix)


def _at(part: WorldPart, poses: Mapping[str, Matrix]) -> Pose:
    if part.relative_to in ("", PLACES):
        return part.pose
    return Pose.from_matrix(poses[part.name])


def _line(origin: Origin | None) -> int | None:
    return origin.line if origin is not None else None
