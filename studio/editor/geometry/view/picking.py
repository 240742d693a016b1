"""What lies under a pixel, by plain geometry: a ray against faces, and distances on the picture for what has no faces.

No pixel is read, so it is exact, works without OpenGL, and tests ask it where things are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from studio.editor.geometry.selection import Thing
from studio.editor.views.scene.batches import Floats, moved
from studio.editor.views.scene.camera import Camera
from studio.model.geometry.poses import inverse

NEAR_PX = 8.0
"""How close to a frame, link or joint the mouse has to be."""
Plane = tuple[float, float, float, float]


@dataclass(frozen=True)
class Hit:
    thing: Thing
    point: Floats
    """In the world of the view."""
    normal: Floats | None = None
    """Of the face that was hit, towards the eye."""
    depth_m: float = 0.0


@dataclass(frozen=True)
class PickFaces:
    thing: Thing
    corners: Floats
    """(N, 3, 3), in the axes of its part."""

    @cached_property
    def ball(self) -> tuple[Floats, float]:
        flat = self.corners.reshape(-1, 3)
        centre = (flat.min(axis=0) + flat.max(axis=0)) / 2
        return centre, float(np.sqrt(((flat - centre) ** 2).sum(axis=1).max()))


@dataclass(frozen=True)
class PickPoint:
    thing: Thing
    point: Floats
    """In the world."""


@dataclass(frozen=True)
class PickLine:
    thing: Thing
    ends: Floats
    """(2, 3), in the world."""


@dataclass
class Pickable:
    """All that can be picked as it is placed now."""

    faces: list[tuple[PickFaces, Floats]] = field(default_factory=list)
    points: list[PickPoint] = field(default_factory=list)
    lines: list[PickLine] = field(default_factory=list)
    section: Plane | None = None


def pick(scene: Pickable, camera: Camera, x: float, y: float, width: int, height: int) -> Hit | None:
    """Frames first, then links and joints, then the nearest face: what is small would never be hit otherwise."""
    found = pick_point(scene.points, camera, x, y, width, height)
    if found is not None:
        return found
    face = pick_face(scene, camera, x, y, width, height)
    line = pick_line(scene.lines, camera, x, y, width, height)
    if line is not None and (face is None or line.depth_m < face.depth_m + 1e-6):
        return line
    return face or line


def pick_point(
    points: list[PickPoint], camera: Camera, x: float, y: float, width: int, height: int, near_px: float = NEAR_PX
) -> Hit | None:
    """Of those close to the pixel, the closest on the picture; of those as close, the nearest to the eye."""
    return next(iter(points_near(points, camera, x, y, width, height, near_px)), None)


def points_near(
    points: list[PickPoint], camera: Camera, x: float, y: float, width: int, height: int, near_px: float = NEAR_PX
) -> list[Hit]:
    """All of them, the closest first: several frames are often in one place."""
    if not points:
        return []
    places, depths = camera.project(np.array([each.point for each in points]), width, height)
    off = np.hypot(places[:, 0] - x, places[:, 1] - y)
    off[depths < camera.nearest_m] = np.inf
    order = np.lexsort((depths, np.round(off)))
    near = [int(each) for each in order[: int((off <= near_px).sum())]]
    return [Hit(points[each].thing, points[each].point, None, float(depths[each])) for each in near]


def pick_line(lines: list[PickLine], camera: Camera, x: float, y: float, width: int, height: int) -> Hit | None:
    if not lines:
        return None
    ends = np.array([each.ends for each in lines])
    places, depths = camera.project(ends.reshape(-1, 3), width, height)
    places, depths = places.reshape(-1, 2, 2), depths.reshape(-1, 2)
    start, along = places[:, 0], places[:, 1] - places[:, 0]
    lengths = np.maximum((along**2).sum(axis=1), 1e-9)
    share = np.clip(((np.array([x, y]) - start) * along).sum(axis=1) / lengths, 0.0, 1.0)
    off = np.hypot(*(start + along * share[:, None] - (x, y)).T)
    off[(depths < camera.nearest_m).any(axis=1)] = np.inf
    best = int(np.argmin(off))
    if off[best] > NEAR_PX * 0.6:
        return None
    at = float(share[best])
    return Hit(
        lines[best].thing,
        ends[best, 0] + (ends[best, 1] - ends[best, 0]) * at,
        None,
        float(depths[best] @ (1 - at, at)),
    )


def pick_face(scene: Pickable, camera: Camera, x: float, y: float, width: int, height: int) -> Hit | None:
    origin, along = camera.ray(x, y, width, height)
    best: tuple[float, Thing, Floats] | None = None
    for faces, pose in scene.faces:
        start, way = moved(origin, inverse(pose)), pose[:3, :3].T @ along
        if not _may_hit(faces, start, way):
            continue
        shares, normals = _hits(faces.corners, start, way)
        if scene.section is not None and len(shares):
            cut = np.array(scene.section)
            seen = (origin + shares[:, None] * along) @ cut[:3] + cut[3] >= 0
            shares, normals = shares[seen], normals[seen]
        if len(shares) and (best is None or shares.min() < best[0]):
            nearest = int(np.argmin(shares))
            best = float(shares[nearest]), faces.thing, pose[:3, :3] @ normals[nearest]
    if best is None:
        return None
    share, thing, normal = best
    normal = normal / np.linalg.norm(normal)
    point = origin + share * along
    _, depth = camera.project(point[None], width, height)
    return Hit(thing, point, normal if normal @ along < 0 else -normal, float(depth[0]))


def _may_hit(faces: PickFaces, start: Floats, way: Floats) -> bool:
    centre, radius = faces.ball
    to = centre - start
    off = to - (to @ way) * way
    return float(off @ off) <= radius * radius + 1e-12


def _hits(corners: Floats, start: Floats, way: Floats) -> tuple[Floats, Floats]:
    """Möller and Trumbore, for all faces at once: how far along the ray, and the normals."""
    a = corners[:, 0]
    one, other = corners[:, 1] - a, corners[:, 2] - a
    across = np.cross(way, other)
    volume = np.einsum("ij,ij->i", one, across)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.where(np.abs(volume) > 1e-15, 1.0 / volume, np.nan)
        to = start - a
        u = np.einsum("ij,ij->i", to, across) * scale
        turned = np.cross(to, one)
        v = (turned @ way) * scale
        share = np.einsum("ij,ij->i", other, turned) * scale
        hit = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9) & (share > 0)
    return share[hit], np.cross(one[hit], other[hit])


def on_view_plane(camera: Camera, start: Floats, way: Floats) -> Floats:
    """Where a ray meets the plane through what the camera looks at, for a zoom where nothing is hit."""
    back = camera.axes()[2]
    found: Floats = start + way * (float((camera.target - start) @ back) / float(way @ back))
    return found
