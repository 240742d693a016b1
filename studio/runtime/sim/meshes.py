"""Reads STL and OBJ files. Physics works on convex shapes only, so a mesh that is not convex is refused."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from studio.model.files import read_bytes
from studio.runtime.sim.errors import SimError
from studio.runtime.sim.world import Triangles

STL_HEADER = 84
STL_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])
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
    reader = {".stl": _stl, ".obj": _obj}.get(ending)
    if reader is None:
        raise SimError(f"{name}: meshes are STL or OBJ here", file=by, line=line, hint="convert it")
    try:
        corners = reader(data)
    except (ValueError, IndexError, OverflowError) as error:
        raise SimError(f"{name} is not a usable mesh: {error}", file=by, line=line) from None
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


def _stl(data: bytes) -> NDArray[np.float64]:
    if data[:5] == b"solid" and b"facet" in data[:1000]:
        words = data.split()
        numbers = [words[i + 1 : i + 4] for i, word in enumerate(words) if word == b"vertex"]
        return np.array(numbers, dtype=np.float64).reshape(-1, 3, 3)
    count = int.from_bytes(data[80:STL_HEADER], "little")
    body = data[STL_HEADER : STL_HEADER + count * STL_TRIANGLE.itemsize]
    return np.frombuffer(body, STL_TRIANGLE)["corners"].astype(np.float64)


def _obj(data: bytes) -> NDArray[np.float64]:
    vertices: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for text in data.decode("utf-8", "replace").splitlines():
        words = text.split()
        if words[:1] == ["v"]:
            vertices.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [int(word.partition("/")[0]) for word in words[1:]]
            corners = [corner - 1 if corner > 0 else len(vertices) + corner for corner in corners]
            faces += [(corners[0], one, other) for one, other in pairwise(corners[1:])]
    return np.array(vertices, dtype=np.float64).reshape(-1, 3)[np.array(faces, dtype=np.int64).reshape(-1, 3)]


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
