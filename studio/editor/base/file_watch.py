"""Files that a document shows: it hears when another program writes, makes or removes one of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PyQt6.QtCore import QFileSystemWatcher, QObject, QTimer, pyqtSignal

LOOK_AFTER_MS = 200
"""An editor that saves writes several times; one look after the last is enough."""


class FileWatch(QObject):
    touched = pyqtSignal()
    """Something was written in the folders of the files: look what it was, and call `watch` again."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._watcher = QFileSystemWatcher(self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(LOOK_AFTER_MS)
        self._timer.timeout.connect(self.touched)
        self._watcher.fileChanged.connect(lambda _: self._timer.start())
        self._watcher.directoryChanged.connect(lambda _: self._timer.start())

    def watch(self, files: Iterable[Path]) -> None:
        """These and no others, with their folders: a file that is replaced on saving is a new one for the watcher."""
        old = [*self._watcher.files(), *self._watcher.directories()]
        if old:
            self._watcher.removePaths(old)
        wanted = {path for file in files for path in (file, file.parent)}
        there = [str(path) for path in wanted if path.exists()]
        if there:
            self._watcher.addPaths(there)
