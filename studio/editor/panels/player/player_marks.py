"""Bookmarks of the log that is played: set, renamed and taken away by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QObject, QPoint, Qt, pyqtSignal
from PyQt6.QtWidgets import QInputDialog, QMenu, QWidget

from studio.editor.views.timeline.log_bookmarks import Mark, write_marks
from studio.editor.views.timeline.timeline import Timeline, clock_words
from studio.errors import StudioError


class PlayerMarks(QObject):
    refused = pyqtSignal(str)
    sought = pyqtSignal(object)

    def __init__(self, panel: QWidget, timeline: Timeline, log: Callable[[], Path]) -> None:
        super().__init__(panel)
        self._panel, self._timeline, self._log = panel, timeline, log
        timeline.mark_menu.connect(self._open_menu)
        timeline.mark_renamed.connect(self.rename)

    def add(self, text: str = "", time_ns: int | None = None) -> None:
        """At a time, or where the cursor is now, for the log plays on while words are asked for."""
        log, time_ns = self._log(), self._timeline.now_ns if time_ns is None else time_ns
        text = text or self._asked(f"mark {len(self._timeline.marks) + 1}", time_ns)
        if text and log == self._log():
            self._keep([*self._timeline.marks, Mark(time_ns, text)])

    def rename(self, mark: Mark, text: str = "") -> None:
        text = text or self._asked(mark.text, mark.time_ns)
        if text:
            self._keep([Mark(each.time_ns, text) if each == mark else each for each in self._timeline.marks])

    def remove(self, mark: Mark) -> None:
        self._keep([each for each in self._timeline.marks if each != mark])

    def _asked(self, text: str, time_ns: int) -> str:
        outline = self._timeline.outline
        at = f" at {clock_words(time_ns - outline.start_ns, fine=True)}" if outline is not None else ""
        told, sure = QInputDialog.getText(self._panel, "Bookmark", f"What is{at or ' here'}?", text=text)
        return told.strip() if sure else ""

    def _keep(self, marks: list[Mark]) -> None:
        try:
            write_marks(self._log(), marks)
        except StudioError as error:
            self.refused.emit(str(error))
            return
        self._timeline.show_marks(sorted(marks))

    def _open_menu(self, mark: Mark, at: QPoint) -> None:
        menu = QMenu(self._panel)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, do in (
            ("Go there", lambda: self.sought.emit(mark.time_ns)),
            ("Rename…", lambda: self.rename(mark)),
            ("Delete", lambda: self.remove(mark)),
        ):
            entry = menu.addAction(words)
            assert entry is not None
            entry.triggered.connect(lambda _, do=do: do())
        menu.popup(at)
