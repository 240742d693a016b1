"""Rays against planes, boxes, cylinders, spheres and ellipsoids, all rays of a scan at once.

The same as MuJoCo's mj_multiRay, to rounding, in a fraction of its time: what no ray of the scan can meet is left out
for all of them. Meshes stay with MuJoCo, terrain is in terrain_rays.py. Plain loops over numbers, which numba compiles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

PLANE, SPHERE, ELLIPSOID, CYLINDER, BOX = 0, 2, 4, 5, 6
"""As MuJoCo numbers them."""
KINDS = (PLANE, SPHERE, ELLIPSOID, CYLINDER, BOX)
TINY = 1e-15


# One function without helpers: numba's cache on disk does not notice that a function which another one calls changed.
def cast(  # noqa: C901  # numba
    turn: Any, centre: Any, mount: Any, directions: Any, most_m: float, own: int, kinds: Any, bodies: Any, sizes: Any,
    reaches: Any, centres: Any, turns: Any, ranges: Any,
) -> None:  # fmt: skip
    """Put into `ranges` how far each ray gets, -1 where it meets nothing within `most_m`.

    `directions` are unit vectors in the frame `mount` (4 by 4) of a body that stands at `centre` with the axes `turn`.
    Geoms of the body `own` are not seen.
    """
    ranges[:] = np.inf
    at = np.empty((3, 4))
    for row in range(3):
        for column in range(4):
            at[row, column] = (
                turn[row, 0] * mount[0, column] + turn[row, 1] * mount[1, column] + turn[row, 2] * mount[2, column]
            )
        at[row, 3] += centre[row]
    is_flat = True
    for ray in range(len(directions)):
        is_flat = is_flat and directions[ray, 2] == 0.0
    for geom in range(len(kinds)):
        kind = kinds[geom]
        if bodies[geom] == own or kind not in KINDS:
            continue
        # The start, and the axes of the rays' frame, in the geom.
        dx, dy, dz = at[0, 3] - centres[geom, 0], at[1, 3] - centres[geom, 1], at[2, 3] - centres[geom, 2]
        xx, xy, xz, yx, yy, yz, zx, zy, zz = turns[geom]
        px, py, pz = xx * dx + yx * dy + zx * dz, xy * dx + yy * dy + zy * dz, xz * dx + yz * dy + zz * dz
        ax, ay, az = (
            xx * at[0, 0] + yx * at[1, 0] + zx * at[2, 0],
            xy * at[0, 0] + yy * at[1, 0] + zy * at[2, 0],
            xz * at[0, 0] + yz * at[1, 0] + zz * at[2, 0],
        )
        bx, by, bz = (
            xx * at[0, 1] + yx * at[1, 1] + zx * at[2, 1],
            xy * at[0, 1] + yy * at[1, 1] + zy * at[2, 1],
            xz * at[0, 1] + yz * at[1, 1] + zz * at[2, 1],
        )
        cx, cy, cz = (
            xx * at[0, 2] + yx * at[1, 2] + zx * at[2, 2],
            xy * at[0, 2] + yy * at[1, 2] + zy * at[2, 2],
            xz * at[0, 2] + yz * at[1, 2] + zz * at[2, 2],
        )
        if kind == PLANE:
            if pz < 0.0:
                continue  # it is seen from above only
            for ray in range(len(directions)):
                down = az * directions[ray, 0] + bz * directions[ray, 1] + cz * directions[ray, 2]
                if down <= -TINY:
                    ranges[ray] = min(ranges[ray], -pz / down)
            continue
        # Can the ball around it be met at all: is it near enough, and does it touch the plane of a flat scan?
        apart2 = px * px + py * py + pz * pz
        ball = reaches[geom] * 1.000001
        qx, qy, qz = ax * px + ay * py + az * pz, bx * px + by * py + bz * pz, cx * px + cy * py + cz * pz
        if apart2 > (most_m + ball) ** 2 or (is_flat and abs(qz) > ball):
            continue
        missed2 = apart2 - ball * ball
        hx, hy, hz = sizes[geom, 0], sizes[geom, 1], sizes[geom, 2]
        if kind == CYLINDER:
            hz = hy
        elif kind == SPHERE:
            hy = hz = hx
        for ray in range(len(directions)):
            i, j, k = directions[ray, 0], directions[ray, 1], directions[ray, 2]
            along = qx * i + qy * j + qz * k
            if missed2 > 0.0 and (along > 0.0 or along * along < missed2):
                continue
            vx, vy, vz = ax * i + bx * j + cx * k, ay * i + by * j + cy * k, az * i + bz * j + cz * k
            found = np.inf
            if kind == BOX:
                near, far = -np.inf, np.inf
                for p, v, h in ((px, vx, hx), (py, vy, hy), (pz, vz, hz)):
                    if abs(v) < TINY:
                        if abs(p) > h:
                            far = -np.inf
                    else:
                        one, other = (-h - p) / v, (h - p) / v
                        near, far = max(near, min(one, other)), min(far, max(one, other))
                if near <= far:
                    found = near if near >= 0.0 else far
            elif kind == CYLINDER:
                if abs(vz) > TINY:
                    for end in (-hz, hz):
                        away = (end - pz) / vz
                        x, y = px + away * vx, py + away * vy
                        if 0.0 <= away < found and x * x + y * y <= hx * hx:
                            found = away
                a, b, c = vx * vx + vy * vy, px * vx + py * vy, px * px + py * py - hx * hx
                root2 = b * b - a * c
                if a > TINY and root2 >= TINY:
                    root = math.sqrt(root2)
                    for away in ((-b - root) / a, (-b + root) / a):
                        if 0.0 <= away < found and abs(pz + away * vz) <= hz:
                            found = away
            else:
                ux, uy, uz, sx, sy, sz = vx / hx, vy / hy, vz / hz, px / hx, py / hy, pz / hz
                a, b, c = (
                    ux * ux + uy * uy + uz * uz, ux * sx + uy * sy + uz * sz, sx * sx + sy * sy + sz * sz - 1.0,
                )  # fmt: skip
                root2 = b * b - a * c
                if root2 >= TINY:
                    root = math.sqrt(root2)
                    found = (-b - root) / a if -b - root >= 0.0 else (-b + root) / a
            if found >= 0.0:
                ranges[ray] = min(ranges[ray], found)
    for ray in range(len(directions)):
        if ranges[ray] > most_m:
            ranges[ray] = -1.0


@cache
def compiled_cast() -> Callable[..., None]:
    """Machine code, made once and kept on disk. Importing numba takes a third of a second, so it waits until here."""
    import numba

    table, ints, floats = "float64[:,::1]", "int32[::1]", "float64[::1]"
    rays, geoms = f"{table}, float64, int64", f"{ints}, {ints}, {table}, {floats}, {table}, {table}"
    signature = f"void({table}, {floats}, {table}, {rays}, {geoms}, {floats})"
    made: Callable[..., None] = numba.njit(signature, cache=True, error_model="numpy")(cast)
    return made
