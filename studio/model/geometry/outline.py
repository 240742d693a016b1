"""How much room a vehicle takes on the ground: the rectangle around all that it could bump with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.model.geometry.assembly import Model
from studio.model.geometry.linkage import Part, link
from studio.model.geometry.rotations import GeometryError, Matrix
from studio.model.geometry.shapes import Box, Cylinder, Shape, Sphere

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Outline:
    """Distances from the origin of the body, all positive where the origin is inside."""

    front_m: float
    rear_m: float
    left_m: float
    right_m: float
    height_m: float

    @property
    def reach_m(self) -> float:
        """Of the corner farthest from the origin: what a turn on the spot sweeps."""
        return float(np.hypot(max(self.front_m, self.rear_m), max(self.left_m, self.right_m)))


def outline_of(model: Model, body: str) -> Outline:
    """Of everything that hangs on `body`, with every joint at home. Meshes are left out: their size is not known."""
    if body not in model.bodies:
        raise GeometryError(f"the geometry {model.name} has no body {body}", hint=f"it has: {', '.join(model.bodies)}")
    linkage = link(model, body)
    here = {part: pose for part, pose in linkage.home_poses().items() if linkage.roots[part] == Part(body)}
    corners = [
        _around(shape, here[Part(name, shape.on)])
        for name, each in model.bodies.items()
        for shape in each.shapes
        if shape.is_collision and isinstance(shape, Box | Cylinder | Sphere) and Part(name, shape.on) in here
    ]
    if not corners:
        raise GeometryError(f"{body} has no shape to bump with", hint="give it a <box>, a <cylinder> or a <sphere>")
    low = np.min([corner[0] for corner in corners], axis=0)
    high = np.max([corner[1] for corner in corners], axis=0)
    return Outline(float(high[0]), float(-low[0]), float(high[1]), float(-low[1]), float(high[2]))


def _around(shape: Shape, part: Matrix) -> tuple[Floats, Floats]:
    pose = part @ shape.pose.matrix
    turned, centre = pose[:3, :3], pose[:3, 3]
    match shape:
        case Box():
            half = np.abs(turned) @ (np.asarray(shape.size) / 2.0)
        case Cylinder():
            along = turned[:, 2]
            half = np.abs(along) * shape.length / 2.0 + shape.radius * np.sqrt(np.maximum(0.0, 1.0 - along**2))
        case Sphere():
            half = np.full(3, shape.radius)
        case _:
            half = np.zeros(3)
    return centre - half, centre + half
