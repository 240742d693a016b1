"""The handles to move and turn something: where they are on the picture, and which one is under the mouse.

Three arrows, three rings, and a ball in the middle that moves in the plane of the picture; for sizes three bars.
Painted over the picture, so that nothing hides them; picked by their distance from the mouse in pixels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from studio.editor.views.scene.batches import Floats
from studio.editor.views.scene.camera import Camera

ARROW_PX, RING_PX = 92.0, 74.0
NEAR_PX = 9.0
BALL_PX = 11.0
RING_STEPS = 48
AXES = "xyz"
Kind = Literal["move", "rotate", "size"]


@dataclass(frozen=True)
class Handle:
    kind: Kind
    axis: int | None
    """0, 1, 2; None moves in the plane of the picture."""


@dataclass(frozen=True)
class Gizmo:
    """`frame` is its origin and the axes along which it moves and turns, in the view."""

    frame: Floats
    kinds: tuple[Kind, ...]

    def direction(self, axis: int) -> Floats:
        found: Floats = self.frame[:3, axis]
        return found

    @property
    def origin(self) -> Floats:
        found: Floats = self.frame[:3, 3]
        return found

    def size_m(self, camera: Camera, height: int) -> float:
        """Of one pixel at its origin."""
        _, depth = camera.project(self.origin[None], 2, height)
        return camera.per_pixel_m(height, max(float(depth[0]), 1e-3))

    def arrow(self, axis: int, camera: Camera, width: int, height: int) -> Floats:
        """Its two ends in pixels."""
        tip = self.origin + self.direction(axis) * ARROW_PX * self.size_m(camera, height)
        return camera.project(np.stack([self.origin, tip]), width, height)[0]

    def ring(self, axis: int, camera: Camera, width: int, height: int) -> tuple[Floats, NDArray[np.bool_]]:
        """In pixels, and for each place whether it is on the side of the eye."""
        turns = np.linspace(0.0, 2 * math.pi, RING_STEPS + 1)
        one, other = self.direction((axis + 1) % 3), self.direction((axis + 2) % 3)
        off = np.cos(turns)[:, None] * one + np.sin(turns)[:, None] * other
        points = self.origin + off * RING_PX * self.size_m(camera, height)
        towards = camera.axes()[2] if camera.is_flat else camera.eye - self.origin
        return camera.project(points, width, height)[0], off @ towards >= -1e-9

    def at(self, x: float, y: float, camera: Camera, width: int, height: int) -> Handle | None:
        """The handle under a pixel."""
        mouse = np.array([x, y])
        found: list[tuple[float, int, Handle]] = []
        if "move" in self.kinds:
            middle = self.arrow(0, camera, width, height)[0]
            found.append((float(np.hypot(*(mouse - middle))) - BALL_PX + NEAR_PX, 0, Handle("move", None)))
        for kind in ("move", "size"):
            for axis in range(3) if kind in self.kinds else ():
                start, tip = self.arrow(axis, camera, width, height)
                if np.hypot(*(tip - start)) > BALL_PX + 6:  # one that points at the eye cannot be dragged
                    off = _from_line(mouse, np.stack([start + (tip - start) * 0.2, tip]))
                    found.append((off, 1, Handle(kind, axis)))
        if "rotate" in self.kinds:
            for axis in range(3):
                ring, front = self.ring(axis, camera, width, height)
                off = min((_from_line(mouse, ring[i : i + 2]) for i in np.flatnonzero(front[:-1])), default=np.inf)
                found.append((off, 2, Handle("rotate", axis)))
        near = [each for each in found if each[0] <= NEAR_PX]
        return min(near, key=lambda each: each[:2])[2] if near else None


def _from_line(point: Floats, ends: Floats) -> float:
    along = ends[1] - ends[0]
    share = float(np.clip((point - ends[0]) @ along / max(float(along @ along), 1e-9), 0.0, 1.0))
    return float(np.hypot(*(point - ends[0] - share * along)))


# ---- from the mouse to metres and radians


def along_axis(origin: Floats, axis: Floats, start: Floats, way: Floats) -> float | None:
    """How far along an axis a ray comes closest to it; None if it looks along the axis."""
    across = way - axis * (way @ axis)
    share = float(across @ across)
    if share < 1e-6:
        return None
    to = origin - start
    # The point on the axis that is closest to the ray.
    d, e = float(axis @ to), float(way @ to)
    b = float(axis @ way)
    return (b * e - d) / (1.0 - b * b)


def on_plane(origin: Floats, normal: Floats, start: Floats, way: Floats) -> Floats | None:
    """Where a ray meets a plane; None if it hardly does."""
    facing = float(way @ normal)
    if abs(facing) < 1e-3:
        return None
    found: Floats = start + way * (float((origin - start) @ normal) / facing)
    return found


def angle_about(gizmo: Gizmo, axis: int, start: Floats, way: Floats) -> float | None:
    """Of the place at which a ray meets the ring's plane."""
    point = on_plane(gizmo.origin, gizmo.direction(axis), start, way)
    if point is None:
        return None
    off = point - gizmo.origin
    return math.atan2(float(off @ gizmo.direction((axis + 2) % 3)), float(off @ gizmo.direction((axis + 1) % 3)))
