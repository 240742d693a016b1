"""A picture of a world and the vehicles in it, by a ray for each pixel: needs no display and no graphics card."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from studio.runtime.sim.physics.physics import Physics, terrain_rays
from studio.runtime.sim.physics.physics_model import NO_TERRAIN
from studio.runtime.sim.worlds.world import GRASS, Terrain

Floats = NDArray[np.float64]
SKY = (0.80, 0.87, 0.94)
LIGHT = np.array([0.35, -0.45, 0.82]) / np.linalg.norm([0.35, -0.45, 0.82])
SHADOW = 0.62
FAR_M = 400.0
AT_ONCE = 20_000
CLEAR_M = 1e-3


@dataclass(frozen=True)
class View:
    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    fov_deg: float = 45.0

    @classmethod
    def of(cls, physics: Physics, *, above: bool = False) -> View:
        """All of the world, from above or at a slant from the south."""
        x0, y0, x1, y1 = physics.world.bounds_m()
        x, y, size = (x0 + x1) / 2, (y0 + y1) / 2, max(x1 - x0, y1 - y0)
        if above:
            return cls((x, y - 1e-3, 0.62 * size / math.tan(math.radians(15.0))), (x, y, 0.0), 30.0)
        return cls((x, y - 0.95 * size, 0.65 * size), (x, y - 0.06 * size, 0.0))


def picture(physics: Physics, view: View, width_px: int = 960, height_px: int = 600) -> NDArray[np.uint8]:
    """Rows of red, green and blue, 0 to 255."""
    directions = _directions(view, width_px, height_px)
    parts = [
        _colours(physics, np.array(view.eye), directions[start : start + AT_ONCE])
        for start in range(0, len(directions), AT_ONCE)
    ]
    image = np.concatenate(parts).reshape(height_px, width_px, 3)
    return np.clip(image * 255.0, 0, 255).astype(np.uint8)


def save_picture(image: NDArray[np.uint8], path: Path) -> None:
    Image.fromarray(image).save(path)


def _directions(view: View, width_px: int, height_px: int) -> Floats:
    eye, target = np.array(view.eye), np.array(view.target)
    ahead = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)
    half = math.tan(math.radians(view.fov_deg) / 2)
    x = (np.arange(width_px) + 0.5 - width_px / 2) / (height_px / 2) * half
    y = (height_px / 2 - np.arange(height_px) - 0.5) / (height_px / 2) * half
    rays = ahead + x[None, :, None] * right + y[:, None, None] * up
    made: Floats = (rays / np.linalg.norm(rays, axis=2, keepdims=True)).reshape(-1, 3)
    return made


def _colours(physics: Physics, eye: Floats, directions: Floats) -> Floats:
    ranges, hits, normals = _cast(physics, np.broadcast_to(eye, directions.shape), directions, together=True)
    colours = np.empty_like(directions)
    colours[:] = SKY
    seen = (ranges >= 0) & (ranges < FAR_M)
    table = np.array([*(colour[:3] for colour in physics.labels.colour), GRASS[:3]])
    points = eye + directions * ranges[:, None]
    base = table[hits]
    # Squares of five metres, so that sizes can be read off.
    odd = (np.floor(points[:, 0] / 5.0) + np.floor(points[:, 1] / 5.0)) % 2 == 1
    is_ground = np.array([*physics.labels.is_ground, True])[hits]
    base[seen & odd & is_ground] *= 0.94
    light = 0.55 + 0.6 * np.clip(normals @ LIGHT, 0.0, 1.0)
    starts = points[seen] + normals[seen] * CLEAR_M
    blocked, _, _ = _cast(physics, starts, np.broadcast_to(LIGHT, starts.shape), together=False)
    light[seen] *= np.where(blocked >= 0, SHADOW, 1.0)
    colours[seen] = base[seen] * light[seen, None]
    return colours


def _cast(
    physics: Physics, starts: Floats, directions: Floats, *, together: bool
) -> tuple[Floats, NDArray[np.int64], Floats]:
    """Range, number of the geom and normal of each ray; terrains come last in the numbers. `together`: one start."""
    count = len(directions)
    ranges, hits, normals = np.full(count, -1.0), np.full(count, -1, np.int32), np.zeros((count, 3))
    if together and count:
        mujoco.mj_multiRay(
            physics.model, physics.data, starts[0].copy(), np.ascontiguousarray(directions).ravel(),
            NO_TERRAIN, 1, -1, hits, ranges, normals.ravel(), count, FAR_M,
        )  # fmt: skip
    else:
        geom, normal = np.zeros(1, np.int32), np.zeros(3)
        for number in range(count):
            start, along = starts[number], np.ascontiguousarray(directions[number])
            ranges[number] = mujoco.mj_ray(
                physics.model, physics.data, start, along, NO_TERRAIN, 1, -1, geom, normal
            )  # fmt: skip
    kinds = hits.astype(np.int64)
    for terrain, rays in zip(physics.world.terrains, terrain_rays(physics.world), strict=True):
        before = ranges.copy()
        if together:
            rays.shorten(starts[0].copy(), np.ascontiguousarray(directions), ranges, FAR_M)
        nearer = ranges != before
        kinds[nearer] = len(physics.labels.name)
        points = starts[nearer] + directions[nearer] * ranges[nearer, None]
        normals[nearer] = _upwards(terrain, points)
    return ranges, kinds, normals


def _upwards(terrain: Terrain, points: Floats) -> Floats:
    """The normals of the nearest points of the grid."""
    rows, columns = terrain.heights_m.shape
    steps = terrain.size_m[1] / (rows - 1), terrain.size_m[0] / (columns - 1)
    along_y, along_x = np.gradient(terrain.heights_m, *steps)
    offset = points[:, :2] - terrain.pose[:2, 3] + np.array(terrain.size_m) / 2
    i = np.clip(np.rint(offset[:, 1] / steps[0]).astype(np.int64), 0, rows - 1)
    j = np.clip(np.rint(offset[:, 0] / steps[1]).astype(np.int64), 0, columns - 1)
    up = np.column_stack([-along_x[i, j], -along_y[i, j], np.ones(len(points))])
    made: Floats = up / np.linalg.norm(up, axis=1, keepdims=True)
    return made
