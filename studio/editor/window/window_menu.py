"""The menu Window: from one document to the next, and a list of all that is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction
from PyQt6.QtWidgets import QApplication, QMenu

from studio.editor.look.focus import place_for_focus

if TYPE_CHECKING:
    from studio.editor.window.main_window import MainWindow

SYSTEM = "system"


def documents(window: MainWindow) -> list[str]:
    """The canvas, code and viewers, by the names of their docks: what somebody works on, in the order it was opened."""
    others = {"help", "system_text", *window.viewers.open}
    opened = [name for name in window.docks.names() if name.startswith(("code:", "geometry:")) or name in others]
    return [*([SYSTEM] if window.has_session else []), *(name for name in opened if not window.docks.is_closed(name))]


def current(window: MainWindow) -> str:
    """The document that has the keyboard; "" if a panel or the toolbar has it."""
    focus = QApplication.focusWidget()
    for name in documents(window):
        content = window.docks.content(name)
        if focus is not None and (focus is content or content.isAncestorOf(focus)):
            return name
    return ""


def go_to_document(window: MainWindow, step: int) -> None:
    """From the one that has the keyboard; from the canvas, if none has."""
    known = documents(window)
    if len(known) == 1:
        window.status.say("Nothing else is open: Ctrl+E opens code, View has viewers")
    here = current(window) or SYSTEM
    bring_up(window, known[(known.index(here) + step) % len(known)])


def close_document(window: MainWindow) -> None:
    """The canvas stays as long as its project."""
    name = current(window)
    if name in ("", SYSTEM):
        window.status.say("The canvas stays as long as its project: File, Close project closes both")
    else:
        window.docks.close(name)


def bring_up(window: MainWindow, name: str) -> None:
    window.docks.show(name)
    place = window.canvas if name == SYSTEM else place_for_focus(window.docks.content(name))
    if place is not None:
        place.setFocus(Qt.FocusReason.TabFocusReason)


class OpenList:
    """At the end of the menu: all that is open, made anew whenever somebody looks."""

    def __init__(self, menu: QMenu, window: MainWindow) -> None:
        self.menu, self.window = menu, window
        self.entries: list[QAction] = []
        menu.aboutToShow.connect(self.fill)

    def fill(self) -> None:
        docks = self.window.docks
        for entry in self.entries:
            self.menu.removeAction(entry)
            entry.deleteLater()
        self.entries.clear()
        if not self.window.has_session and not self.window.vehicles.documents:
            return
        self.entries.append(self._line())
        here = current(self.window)
        for name in [*documents(self.window), *self._panels()]:
            entry = QAction(docks.title(name).replace("&", "&&"), self.menu)
            entry.setCheckable(True)
            entry.setChecked(name == here)
            entry.triggered.connect(lambda _=False, name=name: bring_up(self.window, name))
            self.menu.addAction(entry)
            self.entries.append(entry)

    def _line(self) -> QAction:
        line = self.menu.addSeparator()
        assert line is not None
        return line

    def _panels(self) -> list[str]:
        """Those that no entry above opens."""
        panels, docks = self.window.side_panels.panels, self.window.docks
        return [name for name in panels if docks.has(name) and not docks.is_closed(name)]
