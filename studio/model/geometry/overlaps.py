"""Which shapes that bump reach into each other. Convex shapes are compared exactly (GJK); meshes are left out.

Two shapes that only touch are apart: each is taken `TOUCH_M` thinner than it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from studio.model.geometry.assembly import Model
from studio.model.geometry.linkage import Linkage, Part
from studio.model.geometry.rotations import Matrix
from studio.model.geometry.shapes import Box, Cylinder, Shape, Sphere

Floats = NDArray[np.float64]
TOUCH_M = 0.0005
"""Of each of two shapes: together a millimetre of rounding and paint."""
STEPS = 32


@dataclass(frozen=True)
class Solid:
    """A shape where it is now."""

    body: str
    index: int
    """Among the shapes of its body."""
    part: Part
    shape: Shape
    pose: Matrix

    @property
    def radius_m(self) -> float:
        """Of a ball around its centre that holds it."""
        match self.shape:
            case Box():
                return float(np.linalg.norm(self.shape.size)) / 2
            case Cylinder():
                return float(np.hypot(self.shape.radius, self.shape.length / 2))
            case Sphere():
                return self.shape.radius
        return 0.0

    def farthest(self, direction: Floats) -> Floats:
        """Its point farthest in a direction."""
        turn, centre = self.pose[:3, :3], self.pose[:3, 3]
        x, y, z = local = turn.T @ direction
        match self.shape:
            case Box():
                inner = np.sign(local) * np.maximum(np.asarray(self.shape.size) / 2 - TOUCH_M, 0.0)
            case Cylinder():
                across, reach = float(np.hypot(x, y)), max(self.shape.radius - TOUCH_M, 0.0)
                flat = (reach * x / across, reach * y / across) if across > 1e-12 else (0.0, 0.0)
                inner = np.array([*flat, np.sign(z) * max(self.shape.length / 2 - TOUCH_M, 0.0)])
            case Sphere():
                inner = local / (float(np.linalg.norm(local)) or 1.0) * max(self.shape.radius - TOUCH_M, 0.0)
            case _:
                inner = np.zeros(3)
        return np.asarray(centre + turn @ inner)


@dataclass(frozen=True)
class Overlap:
    one: Solid
    other: Solid


def solids(model: Model, poses: Mapping[Part, Matrix], *, only_bumping: bool = True) -> list[Solid]:
    """Boxes, cylinders and spheres; `poses` of all parts in the same axes."""
    return [
        Solid(name, index, part, shape, poses[part] @ shape.pose.matrix)
        for name, body in model.bodies.items()
        for index, shape in enumerate(body.shapes)
        if isinstance(shape, Box | Cylinder | Sphere)
        and (shape.is_collision or not only_bumping)
        and (part := Part(name, shape.on)) in poses
    ]


def overlaps(model: Model, linkage: Linkage, poses: Mapping[Part, Matrix]) -> Iterator[Overlap]:
    """Between parts that nothing binds directly: a wheel may reach into what carries it, an IMU sits in its vehicle,
    and the shapes of one rigid body make up one thing. Parts that only hold two joints together, as the knuckle of a
    steered wheel does, count as part of a compound joint: the wheel is carried by the chassis then."""
    found = solids(model, poses)
    rigid, carried = _rigid_groups(linkage), _carried(linkage, {each.part for each in found})
    for one, other in _near(found):
        if one.part == other.part or frozenset((one.part, other.part)) in carried:
            continue
        if one.body == other.body and rigid[one.part] == rigid[other.part]:
            continue
        if reach_into_each_other(one, other):
            yield Overlap(one, other)


def _near(found: list[Solid]) -> Iterator[tuple[Solid, Solid]]:
    """Pairs whose balls meet: of the thousands that a large vehicle has, a few."""
    centres = np.array([each.pose[:3, 3] for each in found]).reshape(-1, 3)
    radii = np.array([each.radius_m for each in found])
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    for one, other in zip(*np.nonzero(np.triu(apart <= radii[:, None] + radii[None], 1)), strict=True):
        yield found[one], found[other]


def _rigid_groups(linkage: Linkage) -> dict[Part, Part]:
    group: dict[Part, Part] = {}
    for part in linkage.order:
        branch = linkage.branches.get(part)
        group[part] = group[branch.parent] if branch is not None and not branch.edge.moves else part
    return group


def _carried(linkage: Linkage, bumping: set[Part]) -> set[frozenset[Part]]:
    """Pairs of which one holds the other, directly or by parts that do not bump."""
    pairs = {frozenset((edge.start, edge.end)) for edge in linkage.edges}
    for part in bumping:
        above = linkage.ancestors(part)
        next(above)
        pairs.add(frozenset((part, next((each for each in above if each in bumping), part))))
    return pairs


# ---- two convex shapes


def reach_into_each_other(one: Solid, other: Solid) -> bool:
    """Whether the Minkowski difference holds the origin: a simplex in it is led there, step by step."""
    between = other.pose[:3, 3] - one.pose[:3, 3]
    if float(np.linalg.norm(between)) > one.radius_m + other.radius_m:
        return False
    direction = between if float(np.linalg.norm(between)) > 1e-12 else np.array([1.0, 0.0, 0.0])
    simplex = [one.farthest(direction) - other.farthest(-direction)]
    direction = -simplex[0]
    for _ in range(STEPS):
        if float(direction @ direction) < 1e-20:
            return True
        point = one.farthest(direction) - other.farthest(-direction)
        if float(point @ direction) < 0:
            return False
        simplex.append(point)
        nearest, simplex = _nearest(simplex)
        if nearest is None:
            return True
        direction = -nearest
    return False


def _nearest(simplex: list[Floats]) -> tuple[Floats | None, list[Floats]]:
    """The point of a simplex nearest to the origin and the corners that carry it; None if the origin is inside."""
    best: tuple[float, Floats, list[Floats]] | None = None
    for size in range(1, len(simplex) + 1):
        for corners in combinations(simplex, size):
            weights = _weights(list(corners))
            if weights is None or weights.min() < -1e-12:
                continue
            point = np.asarray(weights @ np.array(corners))
            if size == 4:
                return None, simplex
            far = float(point @ point)
            if best is None or far < best[0] - 1e-18:
                best = far, point, list(corners)
    assert best is not None  # a corner by itself always carries
    return (None, simplex) if best[0] < 1e-20 else (best[1], best[2])


def _weights(corners: list[Floats]) -> Floats | None:
    """Of the point nearest to the origin on the plane through the corners; None if they span none."""
    first = corners[0]
    if len(corners) == 1:
        return np.ones(1)
    spans = np.array([corner - first for corner in corners[1:]])
    gram = spans @ spans.T
    if abs(float(np.linalg.det(gram))) < 1e-30:
        return None
    inner = np.linalg.solve(gram, -(spans @ first))
    return np.array([1.0 - float(inner.sum()), *inner])
