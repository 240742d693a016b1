"""Meshes for physics, which works on convex shapes only: a mesh that is not convex is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.model.files import read_bytes
from studio.model.geometry.mesh_files import MeshError, mesh_from
from studio.runtime.sim.worlds.errors import SimError
from studio.runtime.sim.worlds.world import Triangles

CONVEX_WITHIN = 1e-3
"""Of the largest dimension: how far a corner may stand out of the plane of another face. Files are rounded."""
MOST_TRIANGLES = 20_000


def read_mesh(
    path: Path, scale: tuple[float, ...] = (1.0, 1.0, 1.0), *, by: str | None = None, line: int | None = None
) -> Triangles:
    """`by`, `line`: the file that names the mesh, for messages."""
    if not path.is_file():
        hint = "correct the path; it is relative to the file that names it"
        raise SimError(f"there is no mesh {path}", file=by, line=line, hint=hint)
    return mesh_of(read_bytes(path), str(path), path.suffix.lower(), scale, by=by, line=line)


def mesh_of(
    data: bytes, name: str, ending: str, scale: tuple[float, ...], *, by: str | None = None, line: int | None = None
) -> Triangles:
    """What a file holds that is called `name` and ends in `ending`."""
    try:
        corners = mesh_from(data, name, ending, by=by, line=line).corners
    except MeshError as error:
        raise SimError(error.message, file=error.file, line=error.line, hint=error.hint) from None
    if not 4 <= len(corners) <= MOST_TRIANGLES or not np.isfinite(corners).all():
        hint = f"4 to {MOST_TRIANGLES} triangles with finite numbers"
        raise SimError(f"{name} has {len(corners)} triangles", file=by, line=line, hint=hint)
    vertices, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    vertices = vertices * np.array(scale)
    faces = index.reshape(-1, 3).astype(np.int32)
    _refuse_hollows(name, vertices, faces, by, line)
    return Triangles(vertices, faces)


def obj_of(mesh: Triangles) -> bytes:
    """As an OBJ file, which is counted from 1."""
    corners = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    faces = [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.faces.tolist()]
    return "\n".join([*corners, *faces, ""]).encode()


def _refuse_hollows(
    name: str, vertices: NDArray[np.float64], faces: NDArray[np.int32], by: str | None, line: int | None
) -> None:
    centre = vertices.mean(axis=0)
    a, b, c = (vertices[faces[:, corner]] for corner in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    sound = lengths > 0
    if not sound.any():
        raise SimError(f"{name} has no triangle with an area", file=by, line=line, hint="export it again")
    normals, a = normals[sound] / lengths[sound, None], a[sound]
    outwards = np.sign(np.einsum("ij,ij->i", normals, a - centre))
    normals *= np.where(outwards == 0, 1.0, outwards)[:, None]
    worst = max(float((vertices @ normal - normal @ point).max()) for normal, point in zip(normals, a, strict=True))
    if worst > CONVEX_WITHIN * float(np.ptp(vertices, axis=0).max()):
        hint = "split it into convex parts, or use boxes and cylinders"
        raise SimError(f"{name} is not convex", file=by, line=line, hint=hint)
