"""Watches the files of a running system's geometry: what somebody corrects there holds from the next second on.

A file that is broken, or half written, changes nothing: the geometry of before stays, and the runtime says so.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

from studio.errors import StudioError
from studio.model.geometry.differences import in_short
from studio.model.geometry.flat_model import content_of, model_of
from studio.model.geometry_check import find_geometry
from studio.model.parts import GeometryUse
from studio.runtime.processes.events import GeometryBroken, GeometryChanged
from studio.runtime.session.session import Session

LOOK_EVERY_S = 0.5

Signature = dict[Path, tuple[int, int] | None]


class GeometryWatch:
    """A thread that compares times and sizes of the files, twice a second."""

    def __init__(self, session: Session, folder: Path) -> None:
        self._session = session
        self._folder = folder
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="geometry", daemon=True)
        self._assembly = ""
        self._files: set[Path] = set()
        self._known: Signature = {}
        """The files as they were when they were last read."""

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        if self._thread.is_alive():
            self._ended.set()
            self._thread.join()

    def _watch(self) -> None:
        before: Signature = {}
        while not self._ended.wait(LOOK_EVERY_S):
            assembly = self._session.plan.assembly
            if assembly != self._assembly:
                self._assembly, self._files = assembly, set()
                if assembly:
                    self._read_again()  # it may have changed since the plan was made
            now = signature(self._files)
            if now != self._known and now == before:  # nobody is still writing
                self._read_again()
            before = now

    def _read_again(self) -> None:
        before_reading = signature(self._files)
        found = find_geometry(GeometryUse(self._assembly), self._folder)
        self._files |= set(found.library.files())
        self._files |= {Path(problem.file) for problem in found.problems if problem.file}
        # What was written while it was read is read again: so the time before counts, and for new files their content.
        self._known = {**signature(self._files), **before_reading}
        if found.library.changed():
            self._known = {}
        session = self._session
        if found.model is None:
            first = next(problem for problem in found.problems if problem.severity == "error")
            session.happened(GeometryBroken(self._assembly, str(first)))
            return
        content, before = content_of(found.model), session.plan.geometry
        if before is None or content.digest == before.digest:
            return
        try:
            session.tell_geometry(content)
        except StudioError as error:  # the broker is just being replaced
            self._known = {}
            session.happened(GeometryBroken(self._assembly, f"the components did not get it: {error}"))
            return
        session.happened(GeometryChanged(self._assembly, in_short(model_of(before), found.model)))


def signature(files: Iterable[Path]) -> Signature:
    return {file: _written(file) for file in files}


def _written(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
