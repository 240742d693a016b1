"""Shapes that reach into each other, found by a thread of its own while a joint or a part moves."""

from __future__ import annotations

import threading

from PyQt6.QtCore import QObject, pyqtSignal

from studio.editor.geometry.view.stage import Stage
from studio.model.geometry.assembly import Model
from studio.model.geometry.linkage import Linkage, Part
from studio.model.geometry.overlaps import overlaps
from studio.model.geometry.rotations import Matrix
from studio.runtime.base.clock import SECOND_NS, monotonic_ns

REST = 3.0
"""Times as long as a look took, there is no other."""
Places = tuple[Model, Linkage, dict[Part, Matrix]]


class Touching(QObject):
    _found = pyqtSignal(object)

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.stage = stage
        self._news = threading.Condition()
        self._job: Places | None = None
        self._ended = False
        self._seen: tuple[Model, tuple[tuple[str, float], ...]] | None = None
        self._thread: threading.Thread | None = None
        self._found.connect(self._take)  # queued, as another thread emits it

    def look(self) -> None:
        """If something has moved since the last time. The newest question replaces one that was not begun."""
        stage = self.stage
        if stage.workspace.is_world:  # walls reach into each other at their corners
            return
        now = (stage.model, tuple(sorted(stage.joints.items())))
        if self._seen is not None and self._seen[0] is now[0] and self._seen[1] == now[1]:
            return
        self._seen = now
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="touching", daemon=True)
            self._thread.start()
        with self._news:
            self._job = stage.model, stage.description.linkage, stage.drawing.poses
            self._news.notify()

    def close(self) -> None:
        with self._news:
            self._ended = True
            self._news.notify()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._ended or self._job is not None)
                job, self._job = self._job, None
            if self._ended or job is None:
                return
            began_ns = monotonic_ns()
            pairs = [(each.one, each.other) for each in overlaps(*job)]
            self._found.emit(frozenset((solid.body, solid.index) for pair in pairs for solid in pair))
            with self._news:  # a quarter of a core at most: the picture of what is dragged comes first
                self._news.wait_for(lambda: self._ended, REST * (monotonic_ns() - began_ns) / SECOND_NS)

    def _take(self, found: frozenset[tuple[str, int]]) -> None:
        if found != self.stage.touching and not self._ended:
            self.stage.touching = found
            self.stage.changed()
