"""Keeps what is not saved yet in a place of the user's, so that a power cut costs seconds of work and not hours."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from PyQt6.QtCore import QObject, QTimer

from studio.editor.session import Session
from studio.errors import StudioError
from studio.model.files import write_atomically


class Autosave(QObject):
    def __init__(self, root: Path, after_s: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.root = root
        self.session: Session | None = None
        self.holds = False
        """What an earlier window left has not been answered yet: it must not be overwritten."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self.set_interval(after_s)
        self._timer.timeout.connect(self.keep)

    def set_interval(self, after_s: int) -> None:
        self._timer.setInterval(after_s * 1000)

    def follow(self, session: Session | None) -> None:
        self._timer.stop()
        self.session = session
        self.holds = session is not None and bool(self.left_behind(session))
        if session is not None:
            session.changed.connect(lambda _: self._timer.start())
            session.saved.connect(self.forget)

    def keep(self) -> None:
        """Write what saving would write, but elsewhere."""
        session = self.session
        if session is None or self.holds:
            return
        if not session.document.is_modified:
            self.forget()
            return
        home = self._home(session)
        try:
            home.mkdir(parents=True, exist_ok=True)
            for path, text in session.document.texts().items():
                write_atomically(home / path.name, text)
        except (OSError, StudioError) as error:
            session.refused.emit(f"what is not saved cannot be kept: {error}")

    def left_behind(self, session: Session) -> dict[Path, bytes]:
        """Files that a window kept and never saved, as they would be in the project; empty if there are none."""
        home = self._home(session)
        kept = {session.folder / file.name: file.read_bytes() for file in sorted(home.glob("*.xml"))}
        return {path: text for path, text in kept.items() if not path.exists() or path.read_bytes() != text}

    def restore(self, session: Session) -> None:
        """Put what was left behind into the project's files; the caller opens them again."""
        for path, text in self.left_behind(session).items():
            write_atomically(path, text)
        self.forget()

    def forget(self) -> None:
        self._timer.stop()
        self.holds = False
        if self.session is not None:
            shutil.rmtree(self._home(self.session), ignore_errors=True)

    def _home(self, session: Session) -> Path:
        return self.root / hashlib.sha256(str(session.folder.resolve()).encode()).hexdigest()[:16]
