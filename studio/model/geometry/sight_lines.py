"""What of its own vehicle a sensor sees: its beams against boxes, cylinders and spheres."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.model.geometry.assembly import FrameName, Model
from studio.model.geometry.linkage import Part, part_of
from studio.model.geometry.overlaps import Solid, solids
from studio.model.geometry.rotations import Matrix
from studio.model.geometry.sensors import Camera, Laser, Sensor, Ultrasonic
from studio.model.geometry.shapes import Box, Cylinder, Sphere

Floats = NDArray[np.float64]
MOST_BEAMS = 181
LEAST_SHARE = 0.05
"""A camera may see a bit of its hood, and the rim of a sonar's cone is weak; of a laser every beam counts."""


@dataclass(frozen=True)
class Blocked:
    body: str
    sensor: Sensor
    by: Solid
    """What most of these beams hit first."""
    share: float
    """Of all its beams."""

    @property
    def beams(self) -> int:
        """About how many of a laser."""
        return max(1, round(self.share * self.sensor.beams)) if isinstance(self.sensor, Laser) else 0


def blocked(model: Model, poses: Mapping[Part, Matrix]) -> Iterator[Blocked]:
    """Sensors that look at their own vehicle, but for the body that they are in: its housing is open there."""
    all_solids = solids(model, poses, only_bumping=False)
    for name, body in model.bodies.items():
        others = [solid for solid in all_solids if solid.body != name]
        for sensor in body.sensors:
            if not isinstance(sensor, Laser | Camera | Ultrasonic) or not any(
                frame.name == sensor.frame for frame in body.frames
            ):
                continue
            part, frame = part_of(model, FrameName(name, sensor.frame))
            found = _first_hits(poses[part] @ frame, sensor, others)
            if found is not None and (isinstance(sensor, Laser) or found[1] >= LEAST_SHARE):
                yield Blocked(name, sensor, *found)


def _first_hits(pose: Matrix, sensor: Laser | Camera | Ultrasonic, others: list[Solid]) -> tuple[Solid, float] | None:
    rays = directions(sensor) @ pose[:3, :3].T
    nearest, by = np.full(len(rays), sensor.range_max_m), np.full(len(rays), -1)
    for number, solid in enumerate(others):
        hit = _distances(pose[:3, 3], rays, solid)
        closer = hit < nearest
        nearest[closer], by[closer] = hit[closer], number
    seen = by[by >= 0]
    if not len(seen):
        return None
    most = int(np.bincount(seen).argmax())
    return others[most], len(seen) / len(rays)


def directions(sensor: Laser | Camera | Ultrasonic) -> Floats:
    """Of its beams, in its frame: a laser in a plane about x, a sonar in a cone about x, a camera about z."""
    half = math.radians(sensor.fov_deg) / 2
    if isinstance(sensor, Laser):
        turns = np.linspace(-half, half, min(max(sensor.beams, 2), MOST_BEAMS))
        return np.stack([np.cos(turns), np.sin(turns), np.zeros_like(turns)], axis=1)
    if isinstance(sensor, Ultrasonic):
        tilt, turn = (each.reshape(-1) for each in np.meshgrid(np.linspace(0, half, 4), np.arange(8) * math.pi / 4))
        return np.stack([np.cos(tilt), np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn)], axis=1)
    wide = math.tan(min(half, 1.5))
    high = wide * sensor.height_px / sensor.width_px
    x, y = (each.reshape(-1) for each in np.meshgrid(np.linspace(-wide, wide, 17), np.linspace(-high, high, 13)))
    rays = np.stack([x, y, np.ones_like(x)], axis=1)
    return np.asarray(rays / np.linalg.norm(rays, axis=1, keepdims=True))


def _distances(start: Floats, rays: Floats, solid: Solid) -> Floats:
    """Along each ray to the shape; infinite where it misses, 0 where it begins inside."""
    local = solid.pose[:3, :3].T @ (start - solid.pose[:3, 3])
    along = rays @ solid.pose[:3, :3]
    with np.errstate(divide="ignore", invalid="ignore"):
        match solid.shape:
            case Box():
                near, far = _slabs(local, along, np.asarray(solid.shape.size) / 2)
            case Cylinder():
                near, far = _tube(local[:2], along[:, :2], solid.shape.radius)
                low, high = _slabs(local[2:], along[:, 2:], np.array([solid.shape.length / 2]))
                near, far = np.maximum(near, low), np.minimum(far, high)
            case Sphere():
                near, far = _tube(local, along, solid.shape.radius)
            case _:
                return np.full(len(rays), np.inf)
    return np.where((near <= far) & (far > 0), np.maximum(near, 0.0), np.inf)


def _slabs(start: Floats, along: Floats, half: Floats) -> tuple[Floats, Floats]:
    one, other = (-half - start) / along, (half - start) / along
    parallel = np.isclose(along, 0.0)
    inside = np.abs(start) <= half
    low = np.where(parallel, np.where(inside, -np.inf, np.inf), np.minimum(one, other))
    high = np.where(parallel, np.where(inside, np.inf, -np.inf), np.maximum(one, other))
    return low.max(axis=1), high.min(axis=1)


def _tube(start: Floats, along: Floats, radius: float) -> tuple[Floats, Floats]:
    """A ball of so many dimensions: in a plane it is a cylinder without ends."""
    a, b, c = (along**2).sum(axis=1), along @ start, float(start @ start) - radius**2
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    missed = b * b < a * c
    flat = np.isclose(a, 0.0)
    near = np.where(flat, -np.inf if c <= 0 else np.inf, np.where(missed, np.inf, (-b - root) / a))
    far = np.where(flat, np.inf if c <= 0 else -np.inf, np.where(missed, -np.inf, (-b + root) / a))
    return near, far
