"""What sensors see, as faces and lines: the fan of a laser, the frustum of a camera, the cone of a sonar."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from studio.editor.views.scene.batches import Floats, moved
from studio.model.geometry.sensors import Camera, Laser, Sensor, Ultrasonic

MOST_RANGE_M = 2.0
"""Longer ranges are drawn so far: a field of 80 m would hide the vehicle."""
STEP_DEG = 6.0
BEAMS = 12
"""Drawn of a fan."""


@dataclass(frozen=True)
class Field:
    faces: Floats
    """(N, 3, 3)."""
    lines: Floats
    """(N, 2, 3)."""

    def moved(self, pose: Floats) -> Field:
        return Field(moved(self.faces, pose), moved(self.lines, pose))


def field_of(sensor: Sensor) -> Field | None:
    """In the axes of its frame; None for what has no field of view."""
    match sensor:
        case Laser():
            return _fan(math.radians(sensor.fov_deg), min(sensor.range_max_m, MOST_RANGE_M))
        case Camera():
            return _frustum(sensor, min(sensor.range_max_m, MOST_RANGE_M / 2))
        case Ultrasonic():
            return _cone(math.radians(sensor.fov_deg), min(sensor.range_max_m, MOST_RANGE_M / 2))
    return None


def _fan(angle: float, reach: float) -> Field:
    """In the plane of x and y, symmetric about x."""
    steps = max(round(math.degrees(angle) / STEP_DEG), 1)
    turns = np.linspace(-angle / 2, angle / 2, steps + 1)
    rim = reach * np.stack([np.cos(turns), np.sin(turns), np.zeros_like(turns)], axis=1)
    faces = np.stack([np.zeros((steps, 3)), rim[:-1], rim[1:]], axis=1)
    ends = rim[np.unique(np.linspace(0, steps, BEAMS + 1).astype(int))]
    spokes = np.stack([np.zeros_like(ends), ends], axis=1)
    return Field(faces, np.concatenate([np.stack([rim[:-1], rim[1:]], axis=1), spokes]))


def _frustum(camera: Camera, reach: float) -> Field:
    """z into the picture, x to the right, y down."""
    across = reach * math.tan(math.radians(min(camera.fov_deg, 175.0)) / 2)
    down = across * camera.height_px / camera.width_px
    rim = np.array([[-across, -down, reach], [across, -down, reach], [across, down, reach], [-across, down, reach]])
    return _pyramid(rim)


def _cone(angle: float, reach: float) -> Field:
    turns = np.arange(16) * 2 * math.pi / 16
    half = min(angle / 2, math.radians(87.0))
    rim = reach * np.stack(
        [np.full(16, math.cos(half)), math.sin(half) * np.cos(turns), math.sin(half) * np.sin(turns)], axis=1
    )
    return _pyramid(rim)


def _pyramid(rim: Floats) -> Field:
    tip, after = np.zeros_like(rim), np.roll(rim, -1, axis=0)
    spokes = np.stack([tip, rim], axis=1)[:: max(len(rim) // 4, 1)]
    return Field(np.stack([tip, rim, after], axis=1), np.concatenate([np.stack([rim, after], axis=1), spokes]))
