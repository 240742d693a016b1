"""The true heights of a simulated world under each cell of a map."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.messages import Map
from studio.runtime.sim.worlds.world import Solid, Terrain, World

Floats = NDArray[np.float64]
FINE = 5
"""Places that are looked at along each side of a cell, its borders included."""
FACE_M = 0.1
"""A cell whose heights are farther apart than this has the face of something in it."""
NEAR_M = 0.02
"""Points on a face lie on either side of it, by rounding and by what is left of the pose's error."""


def heights_of(world: World, chart: Map, blur_m: float = NEAR_M) -> tuple[Floats, Floats]:
    """The lowest and the highest true height of each cell: the same, that of its middle, where the ground is even; all
    that a face reaches over where there is one. `blur_m`: how far noise may have moved a point sideways."""
    side_m = chart.resolution_m
    offsets = np.linspace(-blur_m, side_m + blur_m, FINE)
    x = chart.origin_m[0] + np.arange(chart.columns)[:, None] * side_m + offsets
    y = chart.origin_m[1] + np.arange(chart.rows)[:, None] * side_m + offsets
    every = surface(world, *np.meshgrid(x.ravel(), y.ravel())).reshape(chart.rows, FINE, chart.columns, FINE)
    low, high = every.min(axis=(1, 3)), every.max(axis=(1, 3))
    middle = every[:, FINE // 2, :, FINE // 2]
    even = high - low < FACE_M
    return np.where(even, middle, low), np.where(even, middle, high)


def surface(world: World, x_m: Floats, y_m: Floats) -> Floats:
    """The highest surface at each place, seen from above: upright boxes and cylinders, level planes, terrains. NaN
    where the world has none."""
    tops = [_top_of_solid(solid, x_m, y_m) for solid in world.solids]
    tops += [_top_of_terrain(terrain, x_m, y_m) for terrain in world.terrains]
    highest = np.full(x_m.shape, -np.inf)
    for top in tops:
        highest = np.maximum(highest, top)
    return np.where(np.isfinite(highest), highest, np.nan)


def _top_of_solid(solid: Solid, x_m: Floats, y_m: Floats) -> Floats:
    if not np.isclose(abs(solid.pose[2, 2]), 1.0) or solid.kind not in ("plane", "box", "cylinder"):
        raise ValueError(f"{solid.name} does not stand upright, or is a {solid.kind}: its top cannot be compared")
    if solid.kind == "plane":
        return np.full(x_m.shape, solid.pose[2, 3])
    right, up = x_m - solid.pose[0, 3], y_m - solid.pose[1, 3]
    if solid.kind == "cylinder":
        inside = np.hypot(right, up) <= solid.size[0]
        return np.where(inside, solid.pose[2, 3] + solid.size[1] / 2.0, -np.inf)
    along = right * solid.pose[0, 0] + up * solid.pose[1, 0]
    across = right * solid.pose[0, 1] + up * solid.pose[1, 1]
    inside = (np.abs(along) <= solid.size[0] / 2.0) & (np.abs(across) <= solid.size[1] / 2.0)
    return np.where(inside, solid.pose[2, 3] + solid.size[2] / 2.0, -np.inf)


def _top_of_terrain(terrain: Terrain, x_m: Floats, y_m: Floats) -> Floats:
    rows, columns = terrain.heights_m.shape
    u = ((x_m - terrain.pose[0, 3]) / terrain.size_m[0] + 0.5) * (columns - 1)
    v = ((y_m - terrain.pose[1, 3]) / terrain.size_m[1] + 0.5) * (rows - 1)
    inside = (u >= 0) & (u <= columns - 1) & (v >= 0) & (v <= rows - 1)
    i, j = np.clip(v.astype(np.int64), 0, rows - 2), np.clip(u.astype(np.int64), 0, columns - 2)
    a, b, h = v - i, u - j, terrain.heights_m
    low, high = h[i, j] * (1 - b) + h[i, j + 1] * b, h[i + 1, j] * (1 - b) + h[i + 1, j + 1] * b
    return np.where(inside, terrain.pose[2, 3] + low * (1 - a) + high * a, -np.inf)
