"""The files of the open project, and what others do to them: read again where nothing is lost by that, else asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject

from studio.editor.base.file_watch import FileWatch
from studio.editor.look.notice import DifferenceDialog, difference
from studio.errors import StudioError
from studio.model.document import LAYOUT_FILE, SYSTEM_FILE, SystemDocument

if TYPE_CHECKING:
    from studio.editor.project.session import Session
    from studio.editor.window.main_window import MainWindow

ABOUT = "changed on disk"


class DiskWatch(QObject):
    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self._watched = FileWatch(self)
        self._watched.touched.connect(self.look)

    def watch(self) -> None:
        folder = self.window.session.folder if self.window.has_session else None
        self._watched.watch([folder / SYSTEM_FILE, folder / LAYOUT_FILE] if folder is not None else [])

    def look(self) -> None:
        """Whether somebody else wrote the files."""
        if not self.window.has_session:
            return
        session = self.window.session
        try:
            changed = session.document.changed_on_disk()
        except StudioError as error:
            self.window.status.say(str(error), trouble=True)
            return
        self.watch()
        if not changed:
            self.window.notice.withdraw(ABOUT)
            return
        trouble, history = _trouble(session), session.document.history
        is_edited = session.document.is_modified or history.labels or history.redo_label or self.window.code.modified
        if trouble or is_edited or self._runs():
            self._ask(session, changed, trouble)
        elif self.window.files.open(session.folder):
            names = ", ".join(path.name for path in changed)
            self.window.status.say(f"{names} changed on disk and was read again")

    def _runs(self) -> bool:
        return self.window.live.control.phase != "stopped"

    def _ask(self, session: Session, changed: list[Path], trouble: str) -> None:
        words = f"{' and '.join(path.name for path in changed)} was changed by another program"
        if trouble:
            words += f" and cannot be read now: {trouble}"
        elif session.document.is_modified:
            words += ", and you have changes that are not saved."
        elif code := self.window.code.modified:
            names = ", ".join(page.file.path.name for page in code)
            words += f", and you have code that is not saved: {names}."
        elif self._runs():
            words += ". If you reload it, the running system follows."
        else:
            words += ". If you reload it, earlier edits can no longer be undone."
        choices = {
            "Show difference…": lambda: self._show_difference(session),
            "Reload": lambda: self._reload(session),
            "Keep mine": lambda: self.window.files.save(overwrite=True),
        }
        if trouble:
            del choices["Reload"]
        self.window.notice.ask(words, choices, ABOUT)

    def _reload(self, session: Session) -> None:
        """Whoever wants to keep the code that is not saved is asked again about the rest."""
        if self.window.code.may_leave():
            self.window.files.open(session.folder)
        else:
            self.look()

    def _show_difference(self, session: Session) -> None:
        DifferenceDialog(self.window, "On disk, and here", difference(session.document.texts())).show()


def _trouble(session: Session) -> str:
    """Why what is on disk cannot be opened; empty if it can."""
    try:
        SystemDocument.load(session.folder)
    except StudioError as error:
        return f"line {error.line}: {error.message}" if error.line else error.message
    return ""
