"""The panel of terminals: gdb on each program in another language that is debugged, or what keeps gdb from it."""

from __future__ import annotations

from typing import Any, Protocol

from PyQt6.QtCore import Qt, QTimer
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QStackedWidget, QTabWidget, QVBoxLayout, QWidget

from studio.editor.docking.layouts import DEBUG
from studio.editor.look.fonts import code_font
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.empty_state import EmptyState
from studio.editor.ports import WithDocks, WithLayouts
from studio.editor.terminal.gdb_page import GdbPage
from studio.editor.terminal.gdb_page import Needs as GdbNeeds

LEAST_HEIGHT = 280
"""A dozen lines."""
NOTHING = "gdb runs here. Select a component that is a program in another language, and press Ctrl+Shift+D."


class Needs(GdbNeeds, WithDocks, WithLayouts, Protocol):
    """What is taken from the window."""


class Terminal(QWidget):
    def __init__(self, window: Needs) -> None:
        super().__init__()
        self.window_ = window
        self.nothing = EmptyState("mdi6.console", NOTHING, window.theme)
        self.obstacle = Obstacle(window)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.setTabBarAutoHide(True)
        self.tabs.setTabsClosable(True)
        self.tabs.setAccessibleName("Terminals")
        self.tabs.tabCloseRequested.connect(self._close)
        self.pages = QStackedWidget()
        for page in (self.nothing, self.obstacle, self.tabs):
            self.pages.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.pages)
        window.docks.when_closed("terminal", self.close_panel)
        window.layouts.changed.connect(self._stay)

    def close_panel(self) -> None:
        """What runs in it ends with it."""
        for page in self._pages():
            self._remove(page)
        self.window_.docks.hide("terminal")

    def _stay(self) -> None:
        """A layout was chosen that does not have the panel: while gdb runs, it is open all the same."""
        if any(page.terminal.is_open for page in self._pages()):
            self._make_room()

    def _make_room(self) -> None:
        """In Debug in front of the canvas and below the code, where there is room; elsewhere below the document."""
        docks = self.window_.docks
        if self.window_.layouts.current == DEBUG:
            docks.move("terminal", "tab", beside="system")
        docks.show("terminal")
        QTimer.singleShot(0, self._grow)

    def _grow(self) -> None:
        """When the docks have found their places."""
        if self.window_.layouts.current != DEBUG and self.isVisible():
            self.window_.docks.give_height("terminal", LEAST_HEIGHT)

    def page_of(self, component: str) -> GdbPage | None:
        found = [page for page in self._pages() if page.component == component]
        return found[0] if found else None

    def _pages(self) -> list[GdbPage]:
        widgets = [self.tabs.widget(place) for place in range(self.tabs.count())]
        return [page for page in widgets if isinstance(page, GdbPage)]

    def debug(self, component: str, told: dict[str, Any]) -> None:
        """As the runtime told: the command that attaches gdb, or why it cannot."""
        before = self.page_of(component)
        if before is not None:
            self._remove(before)
        if told.get("missing"):
            self._refuse(component, str(told["missing"]), str(told.get("remedy") or ""))
            return
        try:
            page = GdbPage(self.window_, component, told)
        except OSError as error:
            self._refuse(component, f"gdb cannot be started: {error}", "")
            return
        page.again_wanted.connect(lambda: self._again(page))
        self.tabs.setCurrentIndex(self.tabs.addTab(page, component))
        self.pages.setCurrentWidget(self.tabs)
        self._make_room()
        page.view.setFocus()

    def _again(self, page: GdbPage) -> None:
        page.end()
        self.window_.debug.attach(page.component)

    def _refuse(self, component: str, words: str, remedy: str) -> None:
        self.window_.live.feed.ask("debug", None, lambda _: None, component=component, on=False)
        self.obstacle.show_it(component, words, remedy)
        self.pages.setCurrentWidget(self.obstacle)

    def _close(self, place: int) -> None:
        page = self.tabs.widget(place)
        if isinstance(page, GdbPage):
            self._remove(page)

    def _remove(self, page: GdbPage) -> None:
        page.end()
        self.tabs.removeTab(self.tabs.indexOf(page))
        page.deleteLater()
        if not self.tabs.count():
            self.pages.setCurrentWidget(self.nothing)

    def show_theme(self, theme: Theme) -> None:
        self.nothing.show_theme(theme)
        self.obstacle.picture.show_theme(theme)
        for page in self._pages():
            page.show_theme(theme)


class Obstacle(QWidget):
    """Why gdb cannot be had, and the command that changes it."""

    def __init__(self, window: Needs) -> None:
        super().__init__()
        self.window_ = window
        self.component = ""
        self.picture = EmptyState("fa6s.triangle-exclamation", "", window.theme)
        self.remedy = QLabel()
        self.remedy.setFont(code_font(13))
        self.remedy.setAccessibleName("The command that helps")
        self.remedy.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.copies, self.again = QPushButton("Copy the command"), QPushButton("Try again")
        self.copies.clicked.connect(self._copy)
        self.again.clicked.connect(lambda: self.window_.debug.attach(self.component))
        row = QHBoxLayout()
        row.addStretch(1)
        for widget in (self.copies, self.again):
            row.addWidget(widget)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 12)
        layout.addWidget(self.picture, 1)
        layout.addWidget(self.remedy, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addLayout(row)
        layout.addStretch(1)

    def show_it(self, component: str, words: str, remedy: str) -> None:
        self.component = component
        self.picture.say(f"{component} cannot be debugged yet. {words.removesuffix(f': {remedy}')}.")
        self.remedy.setText(remedy)
        for widget in (self.remedy, self.copies):
            widget.setVisible(bool(remedy))

    def _copy(self) -> None:
        clipboard = QGuiApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(self.remedy.text())
