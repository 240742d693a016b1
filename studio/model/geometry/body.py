"""A body: named frames, measured from its origin; shapes, mass, sensors, and the joints of its moving parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from studio.model.close_matches import did_you_mean
from studio.model.geometry.inertia import Inertia, combined
from studio.model.geometry.joints import Joint
from studio.model.geometry.poses import HERE, Pose
from studio.model.geometry.rotations import GeometryError
from studio.model.geometry.sensors import Sensor
from studio.model.geometry.shapes import Shape
from studio.model.origin import Origin

DriveKind = Literal["ackermann", "differential", "skid"]


@dataclass(frozen=True)
class Frame:
    name: str
    pose: Pose = HERE
    on: str = ""
    """The joint that moves it; the pose is then in the axes of the joint. Empty for the body itself."""
    origin: Origin | None = None


@dataclass(frozen=True)
class GivenMass:
    """Mass as weighed. Without `moments` the inertia is that of the shapes, of even density."""

    mass_kg: float
    pose: Pose = HERE
    moments: tuple[float, float, float, float, float, float] | None = None
    """ixx iyy izz ixy ixz iyz in kg m2, about the centre of mass, in the axes of `pose`."""
    on: str = ""
    has_centre: bool = False
    """Whether the file says where the centre of mass is."""
    origin: Origin | None = None


@dataclass(frozen=True)
class Drive:
    """What a simulator or a controller needs to know of a vehicle's wheels."""

    kind: DriveKind
    wheelbase_m: float
    track_m: float
    wheel_radius_m: float
    speed_max_m_s: float | None = None
    origin: Origin | None = None


@dataclass
class Body:
    name: str
    doc: str = ""
    frames: list[Frame] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    masses: list[GivenMass] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    sensors: list[Sensor] = field(default_factory=list)
    drive: Drive | None = None
    is_static: bool = False
    """Fixed in the world, as a house is: nothing in a simulation moves it."""
    file: str | None = None

    def frame(self, name: str) -> Frame:
        found = next((frame for frame in self.frames if frame.name == name), None)
        if found is None:
            hint = did_you_mean(name, [frame.name for frame in self.frames])
            raise GeometryError(f"{self.name} has no frame {name}", file=self.file, hint=hint)
        return found

    def joint(self, name: str) -> Joint | None:
        return next((joint for joint in self.joints if joint.name == name), None)

    def parts(self) -> Iterator[str]:
        """The body itself, named "", and the joints that carry something that moves."""
        yield ""
        yield from (joint.name for joint in self.joints)

    def inertia_of(self, part: str = "") -> Inertia | None:
        """As given, else of the shapes and their densities; None if the file tells neither."""
        shapes = [shape for shape in self.shapes if shape.on == part and shape.volume_m3]
        given = next((mass for mass in self.masses if mass.on == part), None)
        if given is None:
            return combined(
                shape.of_mass(shape.density_kg_m3 * (shape.volume_m3 or 0.0)) for shape in shapes if shape.density_kg_m3
            )
        if given.moments is not None:
            xx, yy, zz, xy, xz, yz = given.moments
            matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            return Inertia(given.mass_kg, np.zeros(3), matrix).moved(given.pose.matrix)
        solid = combined(shape.of_mass((shape.density_kg_m3 or 1000.0) * (shape.volume_m3 or 0.0)) for shape in shapes)
        centre = given.pose.matrix[:3, 3]
        if solid is None:
            # A point has no inertia, and no simulator accepts that: a ball of water of this mass.
            radius = (given.mass_kg * 3.0 / (4.0 * np.pi * 1000.0)) ** (1.0 / 3.0)
            return Inertia(given.mass_kg, centre, 0.4 * given.mass_kg * radius**2 * np.eye(3))
        scaled = solid.scaled_to(given.mass_kg)
        return Inertia(given.mass_kg, centre, scaled.about_centre) if given.has_centre else scaled
