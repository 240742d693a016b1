"""Shapes: what a body looks like and what it bumps into."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from studio.model.geometry.inertia import Inertia
from studio.model.geometry.poses import HERE, Pose
from studio.model.origin import Origin

Use = Literal["both", "visual", "collision"]
USES: tuple[Use, ...] = ("both", "visual", "collision")


@dataclass(frozen=True)
class Shape:
    """The pose is that of the centre; on a moving part, in the axes of its joint."""

    name: str = ""
    pose: Pose = HERE
    on: str = ""
    """The joint that moves it; empty for the body itself."""
    use: Use = "both"
    density_kg_m3: float | None = None
    colour: str = ""
    """Red, green, blue and opacity, 0 to 1: `0.2 0.2 0.2 1`."""
    origin: Origin | None = None

    @property
    def volume_m3(self) -> float | None:
        """None if it cannot be known: a mesh."""
        return None

    @property
    def extent_m(self) -> float:
        """Its largest dimension; 0 if unknown."""
        return 0.0

    def of_mass(self, mass_kg: float) -> Inertia:
        """When solid and of even density, about its own centre, in the axes of the body or moving part."""
        raise NotImplementedError

    @property
    def is_visual(self) -> bool:
        return self.use != "collision"

    @property
    def is_collision(self) -> bool:
        return self.use != "visual"

    def _solid(self, mass_kg: float, x: float, y: float, z: float) -> Inertia:
        return Inertia(mass_kg, np.zeros(3), mass_kg * np.diag([x, y, z])).moved(self.pose.matrix)


@dataclass(frozen=True, kw_only=True)
class Box(Shape):
    size: tuple[float, float, float]

    @property
    def volume_m3(self) -> float:
        return self.size[0] * self.size[1] * self.size[2]

    @property
    def extent_m(self) -> float:
        return max(self.size)

    def of_mass(self, mass_kg: float) -> Inertia:
        x2, y2, z2 = (side * side / 12.0 for side in self.size)
        return self._solid(mass_kg, y2 + z2, x2 + z2, x2 + y2)


@dataclass(frozen=True, kw_only=True)
class Cylinder(Shape):
    """Along z."""

    radius: float
    length: float

    @property
    def volume_m3(self) -> float:
        return math.pi * self.radius**2 * self.length

    @property
    def extent_m(self) -> float:
        return max(2 * self.radius, self.length)

    def of_mass(self, mass_kg: float) -> Inertia:
        across = self.radius**2 / 4.0 + self.length**2 / 12.0
        return self._solid(mass_kg, across, across, self.radius**2 / 2.0)


@dataclass(frozen=True, kw_only=True)
class Sphere(Shape):
    radius: float

    @property
    def volume_m3(self) -> float:
        return 4.0 / 3.0 * math.pi * self.radius**3

    @property
    def extent_m(self) -> float:
        return 2 * self.radius

    def of_mass(self, mass_kg: float) -> Inertia:
        moment = 0.4 * self.radius**2
        return self._solid(mass_kg, moment, moment, moment)


@dataclass(frozen=True, kw_only=True)
class Mesh(Shape):
    """By reference. Its file is read to be seen and to bump with; it gives no mass."""

    file: str
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
