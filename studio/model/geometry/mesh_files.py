"""Reads meshes: STL, OBJ, DAE and glTF, each with all its parts where the file puts them, as corners of triangles.

`trimesh` does the reading. It is imported with the first mesh: that takes most of a second, and few models have any.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.errors import StudioError
from studio.model.files import read_bytes

Floats = NDArray[np.float64]
READABLE = (".stl", ".obj", ".dae", ".gltf", ".glb")
MOST_BYTES = 512 * 1024 * 1024


class MeshError(StudioError):
    """A file that is not there, or is no mesh."""


@dataclass(frozen=True)
class MeshData:
    """Faces are triples of vertices, counter-clockwise from outside."""

    vertices: Floats
    faces: NDArray[np.int64]

    @property
    def corners(self) -> Floats:
        """(N, 3, 3)."""
        found: Floats = self.vertices[self.faces]
        return found

    def scaled(self, scale: tuple[float, ...]) -> MeshData:
        """A mirrored mesh has its faces turned round, so that they look outwards again."""
        faces = self.faces[:, ::-1] if np.prod(scale) < 0 else self.faces
        return MeshData(self.vertices * np.asarray(scale, np.float64), faces)


def read_mesh_file(path: Path, *, by: str | None = None, line: int | None = None) -> MeshData:
    """`by`, `line`: the file that names the mesh, for messages."""
    if not path.is_file():
        hint = "correct the path; it is relative to the file that names it"
        raise MeshError(f"there is no mesh {path}", file=by, line=line, hint=hint)
    if path.suffix.lower() not in READABLE:
        raise _not_readable(path.name, path.suffix, by, line)
    if path.stat().st_size > MOST_BYTES:
        raise MeshError(f"the mesh {path} is larger than 512 MB", file=by, line=line, hint="simplify it")
    return mesh_from(read_bytes(path, MOST_BYTES), str(path), path.suffix.lower(), folder=path.parent, by=by, line=line)


def mesh_from(
    data: bytes,
    name: str,
    ending: str,
    *,
    folder: Path | None = None,
    by: str | None = None,
    line: int | None = None,
) -> MeshData:
    """What a file holds that is called `name` and ends in `ending`; `folder` has the buffers that a glTF names."""
    if ending not in READABLE:
        raise _not_readable(name, ending, by, line)
    try:
        mesh = _loaded(data, ending, folder)
        vertices, faces = np.asarray(mesh.vertices, np.float64), np.asarray(mesh.faces, np.int64)
    except Exception as error:  # each format has its own parser with its own errors
        said = str(error) or type(error).__name__
        raise MeshError(f"{name} is not a usable mesh: {said}", file=by, line=line, hint="export it again") from None
    if not len(faces) or not np.isfinite(vertices).all():
        raise MeshError(f"{name} has no triangles with finite numbers", file=by, line=line, hint="export it again")
    return MeshData(vertices, faces)


def _loaded(data: bytes, ending: str, folder: Path | None) -> Any:
    import trimesh
    from trimesh.resolvers import FilePathResolver

    # No materials and images: colours are the body's.
    resolver = FilePathResolver(str(folder)) if folder is not None else None
    found = trimesh.load_scene(
        io.BytesIO(data), file_type=ending[1:], resolver=resolver, process=False, skip_materials=True
    )
    return found.to_mesh()


def simplified(mesh: MeshData, most: int) -> MeshData:
    """At most about `most` faces, for display: vertices within one cell of a grid become one."""
    if len(mesh.faces) <= most:
        return mesh
    low, size = mesh.vertices.min(axis=0), float(np.ptp(mesh.vertices, axis=0).max()) or 1.0
    cells = max(int((most / 6) ** 0.5), 4)
    while True:
        made = _clustered(mesh, low, size / cells)
        if len(made.faces) <= most or cells <= 4:
            return made
        cells = cells * 3 // 4


def _clustered(mesh: MeshData, low: Floats, cell: float) -> MeshData:
    place = ((mesh.vertices - low) / cell).astype(np.int64)
    keys = (place[:, 0] << 42) | (place[:, 1] << 21) | place[:, 2]
    found, group = np.unique(keys, return_inverse=True)
    counts = np.bincount(group, minlength=len(found))
    sums = [np.bincount(group, mesh.vertices[:, axis], len(found)) / counts for axis in range(3)]
    faces = group[mesh.faces]
    a, b, c = faces.T
    return MeshData(np.stack(sums, axis=1), np.unique(faces[(a != b) & (b != c) & (c != a)], axis=0))


def _not_readable(name: str, ending: str, by: str | None, line: int | None) -> MeshError:
    hint = f"convert it to one of {', '.join(READABLE)}"
    return MeshError(
        f"{name}: Studio cannot read {ending or 'a mesh without an ending'}", file=by, line=line, hint=hint
    )
