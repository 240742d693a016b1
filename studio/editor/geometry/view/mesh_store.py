"""Mesh files, read by a thread of their own and kept until they change on disk. A view draws what is there already."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from studio.errors import StudioError
from studio.model.geometry.body import Body
from studio.model.geometry.heightmaps import read_height_mesh
from studio.model.geometry.mesh_files import MeshData, read_mesh_file, simplified
from studio.model.geometry.shapes import Mesh
from studio.model.geometry.world import Heightmap

MOST_FACES = 60_000
"""Of one mesh in the view; a larger one is simplified, for the view only."""
Stamp = tuple[int, int]
Key = tuple[Path, bool]
"""The file, and whether it is an image of heights."""


class MeshStore:
    def __init__(self, loaded: Callable[[], object]) -> None:
        """`loaded` is called by the reading thread."""
        self._loaded = loaded
        self._known: dict[Key, tuple[Stamp, MeshData | StudioError]] = {}
        self._asked: set[Key] = set()
        self._queue: SimpleQueue[Key | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def of(self, shape: Mesh | Heightmap, body: Body) -> MeshData | StudioError | None:
        """As the shape has it; an error if the file is no mesh; None while it is being read."""
        key = mesh_path(shape, body), isinstance(shape, Heightmap)
        known = self._known.get(key)
        if known is None or known[0] != _stamp(key[0]):
            self._ask(key)
            return None
        mesh = known[1]
        if isinstance(mesh, StudioError):
            return mesh
        if isinstance(shape, Heightmap):
            scaled = mesh.scaled(shape.size)
            return MeshData(scaled.vertices + shape.position, scaled.faces)
        return mesh.scaled(shape.scale)

    @property
    def is_reading(self) -> bool:
        return bool(self._asked)

    def close(self) -> None:
        self._queue.put(None)
        if self._thread is not None:
            self._thread.join()

    def _ask(self, key: Key) -> None:
        if key in self._asked:
            return
        self._asked.add(key)
        self._queue.put(key)
        if self._thread is None:
            self._thread = threading.Thread(target=self._read_all, name="meshes", daemon=True)
            self._thread.start()

    def _read_all(self) -> None:
        while (key := self._queue.get()) is not None:
            path, is_image = key
            stamp = _stamp(path)
            try:
                found: MeshData | StudioError = (
                    read_height_mesh(path, MOST_FACES) if is_image else simplified(read_mesh_file(path), MOST_FACES)
                )
            except StudioError as error:
                found = error
            self._known[key] = stamp, found
            self._asked.discard(key)
            self._loaded()


def mesh_path(shape: Mesh | Heightmap, body: Body) -> Path:
    """Relative to the file of its body."""
    return (Path(body.file).parent if body.file else Path()) / shape.file


def _stamp(path: Path) -> Stamp:
    try:
        told = path.stat()
    except OSError:
        return 0, 0
    return told.st_mtime_ns, told.st_size
