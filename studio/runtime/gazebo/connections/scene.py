"""What is in a world, seen from above: models, their parts and outlines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.model.geometry.rotations import from_quaternion
from studio.runtime.gazebo.server import Placement
from studio.runtime.gazebo.told import placement_of

Point = tuple[float, float]
Matrix = NDArray[np.float64]
RING = 16
"""Corners of a round outline."""


@dataclass(frozen=True)
class SceneModel:
    name: str
    is_static: bool
    placement: Placement
    links: int
    joints: int
    outlines: tuple[tuple[Point, ...], ...]
    """Of its shapes, in the frame of the model, in metres. Planes and meshes have none."""

    @property
    def parts(self) -> str:
        links = f"{self.links} link{'s' if self.links != 1 else ''}"
        return f"{links}, {self.joints} joint{'s' if self.joints != 1 else ''}" if self.joints else links


def models_of(scene: Any) -> list[SceneModel]:
    """From a server's answer to the question for its scene."""
    return [_model(each) for each in scene.model]


def yaw_rad(placement: Placement) -> float:
    x, y, z, w = placement.orientation
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))


def turned(yaw: float) -> tuple[float, float, float, float]:
    """The quaternion of a heading."""
    return 0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2)


def _model(told: Any) -> SceneModel:
    outlines = [outline for link in told.link for each in _solids(link) if (outline := _outline(link, each))]
    return SceneModel(
        told.name, told.is_static, placement_of(told.pose), len(told.link), len(told.joint), tuple(outlines)
    )


def _solids(link: Any) -> Any:
    """A modern server tells what a link looks like, and not where it is solid."""
    return link.collision if "collision" in type(link).DESCRIPTOR.fields_by_name else link.visual


def _outline(link: Any, solid: Any) -> tuple[Point, ...]:
    corners = list(_corners(solid.geometry))
    if not corners:
        return ()
    placed = _matrix(link.pose) @ _matrix(solid.pose) @ np.array([(*each, 1.0) for each in corners]).T
    return hull([(float(x), float(y)) for x, y in placed[:2].T])


def _corners(geometry: Any) -> Iterator[tuple[float, float, float]]:
    if geometry.HasField("box"):
        half = [getattr(geometry.box.size, axis) / 2 for axis in "xyz"]
        for sign in range(8):
            yield tuple(value if sign >> axis & 1 else -value for axis, value in enumerate(half))
    elif geometry.HasField("cylinder"):
        for x, y in _ring(geometry.cylinder.radius):
            yield x, y, geometry.cylinder.length / 2
            yield x, y, -geometry.cylinder.length / 2
    elif geometry.HasField("sphere"):
        for x, y in _ring(geometry.sphere.radius):
            yield x, y, 0.0


def _ring(radius: float) -> Iterator[Point]:
    for number in range(RING):
        angle = 2 * math.pi * number / RING
        yield radius * math.cos(angle), radius * math.sin(angle)


def _matrix(pose: Any) -> Matrix:
    matrix = np.eye(4)
    orientation = placement_of(pose).orientation
    if any(orientation):  # a pose that was not sent has none
        matrix[:3, :3] = from_quaternion(*orientation)
    matrix[:3, 3] = placement_of(pose).position_m
    return matrix


def hull(points: Sequence[Point]) -> tuple[Point, ...]:
    """The convex outline, counter-clockwise."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return tuple(ordered)

    def half(along: Sequence[Point]) -> list[Point]:
        found: list[Point] = []
        for point in along:
            while len(found) > 1 and _turn(found[-2], found[-1], point) <= 0:
                found.pop()
            found.append(point)
        return found[:-1]

    return (*half(ordered), *half(ordered[::-1]))


def _turn(first: Point, second: Point, third: Point) -> float:
    return (second[0] - first[0]) * (third[1] - first[1]) - (second[1] - first[1]) * (third[0] - first[0])
