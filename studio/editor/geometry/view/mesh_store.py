"""Mesh files, read by a thread of their own and kept until they change on disk. A view draws what is there already."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from studio.errors import StudioError
from studio.model.geometry.body import Body
from studio.model.geometry.mesh_files import MeshData, read_mesh_file, simplified
from studio.model.geometry.shapes import Mesh

MOST_FACES = 60_000
"""Of one mesh in the view; a larger one is simplified, for the view only."""
Stamp = tuple[int, int]


class MeshStore:
    def __init__(self, loaded: Callable[[], object]) -> None:
        """`loaded` is called by the reading thread."""
        self._loaded = loaded
        self._known: dict[Path, tuple[Stamp, MeshData | StudioError]] = {}
        self._asked: set[Path] = set()
        self._queue: SimpleQueue[Path | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def of(self, shape: Mesh, body: Body) -> MeshData | StudioError | None:
        """As the shape has it; an error if the file is no mesh; None while it is being read."""
        path = mesh_path(shape, body)
        known = self._known.get(path)
        if known is None or known[0] != _stamp(path):
            self._ask(path)
            return None
        mesh = known[1]
        return mesh if isinstance(mesh, StudioError) else mesh.scaled(shape.scale)

    @property
    def is_reading(self) -> bool:
        return bool(self._asked)

    def close(self) -> None:
        self._queue.put(None)
        if self._thread is not None:
            self._thread.join()

    def _ask(self, path: Path) -> None:
        if path in self._asked:
            return
        self._asked.add(path)
        self._queue.put(path)
        if self._thread is None:
            self._thread = threading.Thread(target=self._read_all, name="meshes", daemon=True)
            self._thread.start()

    def _read_all(self) -> None:
        while (path := self._queue.get()) is not None:
            stamp = _stamp(path)
            try:
                found: MeshData | StudioError = simplified(read_mesh_file(path), MOST_FACES)
            except StudioError as error:
                found = error
            self._known[path] = stamp, found
            self._asked.discard(path)
            self._loaded()


def mesh_path(shape: Mesh, body: Body) -> Path:
    """Relative to the file of its body."""
    return (Path(body.file).parent if body.file else Path()) / shape.file


def _stamp(path: Path) -> Stamp:
    try:
        told = path.stat()
    except OSError:
        return 0, 0
    return told.st_mtime_ns, told.st_size
