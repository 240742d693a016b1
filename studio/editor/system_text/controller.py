"""Opens and closes system.xml as text: one tab beside the canvas, of the project that is open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject, pyqtSignal

from studio.editor.docking.docks import Docks
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.project.session import Session

if TYPE_CHECKING:
    from studio.editor.system_text.page import SystemTextPage

DOCK = "system_text"
TITLE = "system.xml as text"
WIDTH_PX = 560
"""Room for the lines of most systems, where the window has it."""


class SystemTextController(QObject):
    save_wanted = pyqtSignal()

    def __init__(self, docks: Docks, theme: Callable[[], Theme], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._docks, self._theme = docks, theme
        self._session: Session | None = None
        self.page: SystemTextPage | None = None
        self.may_leave: Callable[[], bool] = self.flush
        """Whether nothing is lost when the text is closed, or the user does not want what has errors."""

    def show_session(self, session: Session | None) -> None:
        """Another project, or none: the text of the last one goes."""
        if session is not self._session:
            self.close()
        self._session = session

    def open(self, line: int = 0) -> None:
        """Right of the canvas; with the cursor in a line, from 1 on."""
        if self._session is None:
            return
        if self.page is None:
            self._make(self._session)
        assert self.page is not None
        self._docks.show(DOCK)
        if line > 0:
            self.page.editor.go_to(line)
        self.page.editor.setFocus()

    def _make(self, session: Session) -> None:
        from studio.editor.system_text.page import SystemTextPage  # brings QScintilla, for those who look at text

        self.page = SystemTextPage(session, self._theme())
        self.page.save_wanted.connect(self.save_wanted)
        self._docks.add_viewer(DOCK, TITLE, self.page, "right", beside="system", close=self._leave)
        self._docks.give_width(DOCK, WIDTH_PX)
        self._docks.set_icon(DOCK, icon("fa6s.code", self._theme().muted))

    def flush(self) -> bool:
        """Whether all that was typed is in the system; before it is saved or left."""
        return self.page is None or self.page.flush()

    def _leave(self) -> None:
        if self.may_leave():
            self.close()

    def close(self) -> None:
        if self.page is not None:
            self.page.stop()
            self.page = None
            self._docks.remove(DOCK)

    def show_theme(self, theme: Theme) -> None:
        if self.page is not None:
            self.page.show_theme(theme)
            self._docks.set_icon(DOCK, icon("fa6s.code", theme.muted))
