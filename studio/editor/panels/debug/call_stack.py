"""The call stack: who called whom, down to the line where the code stands."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QComboBox, QHeaderView, QStackedLayout, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from studio.editor.code.debug_session import Stop
from studio.editor.code.ports import WithDebug
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.empty_state import EmptyState
from studio.editor.panels.parts.viewer import Bar, facts
from studio.editor.ports import WithTheme
from studio.editor.project.ports import WithLive
from studio.paths import PACKAGE

FUNCTION, PLACE = range(2)
NOTHING = "Not stopped. Click left of a line in the code of a component to set a breakpoint"
_NUMBER = Qt.ItemDataRole.UserRole


class Needs(WithDebug, WithLive, WithTheme, Protocol):
    """What is taken from the window."""


class CallStack(QWidget):
    def __init__(self, window: Needs) -> None:
        super().__init__()
        self.debug, self.live, self.feed = window.debug, window.live, window.live.feed
        self.theme: Theme = window.theme
        self.table = QTreeWidget()
        self.table.setAccessibleName("Call stack")
        self.table.setColumnCount(2)
        self.table.setHeaderHidden(True)
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.setIconSize(QSize(12, 12))
        self.table.currentItemChanged.connect(lambda item, _: self._choose(item))
        self.table.itemActivated.connect(lambda item, _: self._choose(item))
        header = self.table.header()
        assert header is not None
        header.setStretchLastSection(False)
        header.setSectionResizeMode(FUNCTION, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(PLACE, QHeaderView.ResizeMode.ResizeToContents)
        self.hosts = QComboBox()
        self.hosts.setAccessibleName("Stopped process")
        self.hosts.activated.connect(lambda _: self.debug.look_at(str(self.hosts.currentData())))
        self.words = facts()
        self._bar = Bar(self.hosts, self.words)
        self.empty = EmptyState("mdi6.file-tree", NOTHING, self.theme)
        shown = QWidget()
        layout = QVBoxLayout(shown)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._bar)
        layout.addWidget(self.table, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(shown)
        self._filling = False
        self.debug.stopped.connect(lambda _: self.refresh())
        self.debug.continued.connect(self.refresh)
        self.debug.changed.connect(self.refresh)
        self.debug.frame_chosen.connect(lambda _: self._mark())
        self.live.phase_changed.connect(self._say_why_empty)
        self.refresh()

    def refresh(self) -> None:
        stop = self.debug.stop
        self._filling = True
        self.table.clear()
        self._stack.setCurrentIndex(1 if stop is not None else 0)
        if stop is not None:
            self._fill(stop)
        else:
            self._say_why_empty()
        self._filling = False
        self._mark()

    def _say_why_empty(self) -> None:
        hosts = ", ".join(self.debug.sessions)
        how = "paused, between two events" if self.live.control.phase == "paused" else "running"
        self.empty.say(f"{hosts} is being debugged; {how}" if hosts else NOTHING)

    def _fill(self, stop: Stop) -> None:
        standing = [session.stop for session in self.debug.sessions.values() if session.stop is not None]
        self.hosts.clear()
        for each in standing:
            self.hosts.addItem(each.host, each.host)
        self.hosts.setCurrentIndex(self.hosts.findData(stop.host))
        self.hosts.setVisible(len(standing) > 1)
        process = self.feed.state.get("processes", {}).get(stop.host, {})
        pid = f" · pid {process['pid']}" if process.get("pid") else ""
        self.words.setText(f"{stop.host}{pid} · {stop.reason}")
        self.words.setToolTip(stop.text)
        for number, frame in enumerate(stop.frames):
            item = QTreeWidgetItem([frame.function, frame.place])
            item.setData(0, _NUMBER, number)
            item.setToolTip(0, f"{frame.function} in {frame.file}:{frame.line}")
            item.setTextAlignment(PLACE, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setForeground(PLACE, QColor(self.theme.muted))
            if number == 0:
                item.setIcon(0, icon("fa6s.arrow-right", self.theme.frozen))
            if _is_machinery(frame.file):
                item.setForeground(FUNCTION, QColor(self.theme.muted))
            self.table.addTopLevelItem(item)

    def _mark(self) -> None:
        stop, frame = self.debug.stop, self.debug.frame
        if stop is not None and frame is not None and frame in stop.frames:
            self._filling = True
            self.table.setCurrentItem(self.table.topLevelItem(stop.frames.index(frame)))
            self._filling = False

    def _choose(self, item: QTreeWidgetItem | None) -> None:
        stop = self.debug.stop
        if not self._filling and item is not None and stop is not None:
            self.debug.choose_frame(stop.frames[int(item.data(0, _NUMBER))])

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.empty.show_theme(theme)
        self.refresh()


def _is_machinery(file: str) -> bool:
    """Of Studio, Python or a library: not what one looks for."""
    path = Path(file)
    return path.is_relative_to(PACKAGE) or "site-packages" in path.parts or not path.is_absolute()
