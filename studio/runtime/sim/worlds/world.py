"""A world: solids that stand still, ground to drive on, and named places. Read from SDF, or made from a seed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from studio.model.geometry.rotations import Matrix, from_rpy
from studio.runtime.sim.worlds.errors import SimError

SolidKind = Literal["plane", "box", "cylinder", "sphere", "mesh"]
GRASS = (0.42, 0.5, 0.33, 1.0)
GREY = (0.6, 0.6, 0.62, 1.0)
FRICTION = 0.9
"""Rubber on dry ground, where a file does not say it."""


@dataclass(frozen=True)
class Triangles:
    """A mesh that is its own convex hull."""

    vertices: NDArray[np.float64]
    faces: NDArray[np.int32]


@dataclass(frozen=True)
class Solid:
    """`size`: a box's sides, a cylinder's radius and length, a sphere's radius, nothing for a plane or a mesh."""

    name: str
    kind: SolidKind
    size: tuple[float, ...]
    pose: Matrix
    friction: float = FRICTION
    colour: tuple[float, float, float, float] = GREY
    mesh: Triangles | None = None
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class Terrain:
    """Heights over a grid: `heights_m[row, column]`, row along y, column along x, both from the negative corner."""

    name: str
    size_m: tuple[float, float]
    heights_m: NDArray[np.float64]
    pose: Matrix
    friction: float = FRICTION
    colour: tuple[float, float, float, float] = GRASS

    def height_at(self, x_m: float, y_m: float) -> float | None:
        """Above the world's origin; None beside the terrain. Between grid points as the physics has it: by triangles,
        here by the bilinear surface, which differs by less than the unevenness of one cell."""
        rows, columns = self.heights_m.shape
        u = ((x_m - self.pose[0, 3]) / self.size_m[0] + 0.5) * (columns - 1)
        v = ((y_m - self.pose[1, 3]) / self.size_m[1] + 0.5) * (rows - 1)
        if not (0 <= u <= columns - 1 and 0 <= v <= rows - 1):
            return None
        i, j = min(int(v), rows - 2), min(int(u), columns - 2)
        a, b, h = v - i, u - j, self.heights_m
        low = h[i, j] * (1 - b) + h[i, j + 1] * b
        high = h[i + 1, j] * (1 - b) + h[i + 1, j + 1] * b
        return float(self.pose[2, 3] + low * (1 - a) + high * a)


@dataclass(frozen=True)
class Place:
    """A named pose of the world: where a vehicle starts, where it is to go."""

    x_m: float
    y_m: float
    heading_rad: float = 0.0


@dataclass(frozen=True)
class Ground:
    """Planes and terrains, whatever stands on them."""

    planes: list[Solid]
    terrains: list[Terrain]

    def at(self, x_m: float, y_m: float) -> float:
        found = [height for plane in self.planes if (height := top_at(plane, x_m, y_m)) is not None]
        found += [height for terrain in self.terrains if (height := terrain.height_at(x_m, y_m)) is not None]
        return float(max(found, default=0.0))


@dataclass
class World:
    name: str
    solids: list[Solid] = field(default_factory=list)
    terrains: list[Terrain] = field(default_factory=list)
    places: dict[str, Place] = field(default_factory=dict)
    """`start`, `goal`, `start_<vehicle>`: frames of the SDF world."""
    gravity_m_s2: tuple[float, float, float] = (0.0, 0.0, -9.81)
    latitude_deg: float = 50.29
    longitude_deg: float = -111.1
    elevation_m: float = 700.0
    heading_deg: float = 0.0
    """Where the origin is on Earth, for GPS, and by how much x is turned from east towards north. Suffield, unless the
    file says otherwise."""
    file: str | None = None

    def place(self, name: str) -> Place:
        found = self.places.get(name)
        if found is None:
            hint = "it has " + ", ".join(sorted(self.places)) if self.places else 'add <frame name="start"> with a pose'
            raise SimError(f"the world {self.name} has no place {name}", file=self.file, hint=hint)
        return found

    def height_at(self, x_m: float, y_m: float) -> float:
        """Of the highest surface there, seen from above."""
        found = [height for solid in self.solids if (height := top_at(solid, x_m, y_m)) is not None]
        found += [height for terrain in self.terrains if (height := terrain.height_at(x_m, y_m)) is not None]
        return max(found, default=0.0)

    def ground(self) -> Ground:
        """To ask for many heights: looking for the planes among thousands of solids takes longer than the height."""
        return Ground([solid for solid in self.solids if solid.kind == "plane"], self.terrains)

    def ground_at(self, x_m: float, y_m: float) -> float:
        """Of the ground alone."""
        return self.ground().at(x_m, y_m)

    def bounds_m(self) -> tuple[float, float, float, float]:
        """Least x, least y, greatest x, greatest y of all that is not an endless plane."""
        corners = [corner for solid in self.solids if solid.kind != "plane" for corner in corners_of(solid)]
        for terrain in self.terrains:
            half = np.array(terrain.size_m) / 2
            corners += [terrain.pose[:2, 3] - half, terrain.pose[:2, 3] + half]
        corners += [np.array([place.x_m, place.y_m]) for place in self.places.values()]
        if not corners:
            return -10.0, -10.0, 10.0, 10.0
        every = np.array([corner[:2] for corner in corners])
        (x0, y0), (x1, y1) = every.min(axis=0), every.max(axis=0)
        return float(x0), float(y0), float(x1), float(y1)


def pose_of(x: float, y: float, z: float, roll: float = 0.0, pitch: float = 0.0, yaw: float = 0.0) -> Matrix:
    made = np.eye(4)
    made[:3, :3] = from_rpy(roll, pitch, yaw)
    made[:3, 3] = x, y, z
    return made


def half_sides(solid: Solid) -> NDArray[np.float64]:
    """Of the box, in the axes of the solid, that just holds it."""
    if solid.kind == "box":
        return np.array(solid.size) / 2
    if solid.kind == "cylinder":
        return np.array([solid.size[0], solid.size[0], solid.size[1] / 2])
    if solid.kind == "sphere":
        return np.full(3, solid.size[0])
    if solid.mesh is not None:
        return np.abs(solid.mesh.vertices).max(axis=0)
    return np.zeros(3)


def corners_of(solid: Solid) -> NDArray[np.float64]:
    """The eight corners of its box, in the world."""
    signs = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], float)
    return signs * half_sides(solid) @ solid.pose[:3, :3].T + solid.pose[:3, 3]


def top_at(solid: Solid, x_m: float, y_m: float) -> float | None:
    """The height at which a line from above meets the solid; None where it misses. Meshes count as their box."""
    rotation, centre = solid.pose[:3, :3], solid.pose[:3, 3]
    if solid.kind == "plane":
        normal = rotation[:, 2]
        if abs(normal[2]) < 1e-9:
            return None
        return float(centre[2] - ((x_m - centre[0]) * normal[0] + (y_m - centre[1]) * normal[1]) / normal[2])
    start = rotation.T @ (np.array([x_m, y_m, 0.0]) - centre)
    along = rotation.T @ np.array([0.0, 0.0, 1.0])
    if solid.kind == "sphere":
        offset = np.array([x_m, y_m]) - centre[:2]
        inside = solid.size[0] ** 2 - float(offset @ offset)
        return float(centre[2] + math.sqrt(inside)) if inside >= 0 else None
    if solid.kind == "cylinder" and abs(along[2]) > 1 - 1e-9:  # upright: the rest is near enough as its box
        offset = np.array([x_m, y_m]) - centre[:2]
        return float(centre[2] + solid.size[1] / 2) if float(offset @ offset) <= solid.size[0] ** 2 else None
    return _top_of_box(start, along, half_sides(solid))


def _top_of_box(start: NDArray[np.float64], along: NDArray[np.float64], half: NDArray[np.float64]) -> float | None:
    low, high = -math.inf, math.inf
    for position, slope, side in zip(start, along, half, strict=True):
        if abs(slope) < 1e-12:
            if abs(position) > side:
                return None
            continue
        one, other = (-side - position) / slope, (side - position) / slope
        low, high = max(low, min(one, other)), min(high, max(one, other))
    return float(high) if low <= high else None
