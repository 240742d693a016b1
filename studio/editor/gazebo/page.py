"""The middle of the layout: one server, its time, topics, models, world and log."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from studio.editor.gazebo.controls import Controls
from studio.editor.gazebo.models_table import ModelsPanel
from studio.editor.gazebo.topics_table import TopicsTable
from studio.editor.gazebo.world_view import WorldView
from studio.editor.look.fonts import code_font, text_font
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.empty_state import EmptyState
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.gazebo.connections.connections import Row
from studio.runtime.gazebo.connections.link import Line, Phase

EMPTY_WORDS = "Connect to a server at the left, or start one there. Its world, models and topics are shown here."


class GazeboPage(QWidget):
    match_again_wanted = pyqtSignal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.banner = QLabel()
        self.banner.setWordWrap(True)
        self.banner.setContentsMargins(10, 6, 10, 6)
        self.banner.hide()
        self.controls = Controls(theme)
        self.topics = TopicsTable(theme)
        self.models = ModelsPanel(theme)
        self.world = WorldView(theme)
        self.fed = QLabel()
        self.fed.setProperty("role", "muted")
        self.again = QPushButton("Match again")
        self.again.setToolTip("Discard choices made by hand, and match topics and ports by type and name")
        self.again.clicked.connect(self.match_again_wanted)
        self.log, self.server_log, self.doctor = _text("Connection log"), _text("Server log"), _text("Doctor")
        self.logs = QTabWidget()
        for widget, title in (
            (self.log, "Connection log"),
            (self.server_log, "Server log"),
            (self.doctor, "Doctor"),
        ):
            self.logs.addTab(widget, title)
        self.empty = EmptyState("mdi6.server-network", EMPTY_WORDS, theme)
        self._lines = 0
        self._lay_out()
        self.world.chosen.connect(self.models.select)
        self.show_theme(theme)

    def _lay_out(self) -> None:
        topics = QWidget()
        column = QVBoxLayout(topics)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        title = QLabel("Topics and where they go")
        title.setFont(text_font(13, 600))
        row = QHBoxLayout()
        row.setContentsMargins(10, 4, 8, 4)
        row.setSpacing(10)
        row.addWidget(title)
        row.addWidget(self.fed, 1)
        row.addWidget(self.again)
        self.fed.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        column.addLayout(row)
        column.addWidget(self.topics, 1)
        above = QSplitter(Qt.Orientation.Vertical)
        above.addWidget(topics)
        above.addWidget(self.models)
        self._below = QSplitter(Qt.Orientation.Horizontal)
        self._connected = QWidget()
        inner = QVBoxLayout(self._connected)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(0)
        inner.addWidget(self.controls)
        inner.addWidget(above, 1)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self._connected)
        self._below.addWidget(self.world)
        self._below.addWidget(self.logs)
        self._whole = QSplitter(Qt.Orientation.Vertical)
        self._whole.addWidget(self._stack)
        self._whole.addWidget(self._below)
        for splitter, sizes in ((above, (60, 40)), (self._below, (58, 42)), (self._whole, (62, 38))):
            splitter.setChildrenCollapsible(False)
            splitter.setSizes([each * 10 for each in sizes])
            for place, share in enumerate(sizes):
                splitter.setStretchFactor(place, share)
        for widget in (topics, self.models, self.world, self.logs):
            widget.setMinimumHeight(96)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.banner)
        column.addWidget(self._whole, 1)

    def show_row(self, row: Row | None, *, has_link: bool) -> None:
        """What of the page can be seen, and what is wrong with the server in words."""
        self._stack.setCurrentWidget(self._connected if has_link else self.empty)
        self.world.setVisible(has_link)
        is_wrong = has_link and row is not None and row.phase in (Phase.RECONNECTING, Phase.LOST)
        words = f"{row.phase}: {row.words}" if row is not None and is_wrong else ""
        if words and row is not None and row.phase == Phase.RECONNECTING:
            words += ". The list shows the last known state; topics and ports are kept."
        if self.banner.text() != words:
            self.banner.setText(words)
        self.banner.setVisible(bool(words))

    def show_lines(self, lines: Sequence[Line]) -> None:
        """The newest above, as they come."""
        newest = lines[-1].wall_ns if lines else 0
        if newest == self._lines:
            return
        self._lines = newest
        text = "\n".join(f"{_time(each)}  {each.subject:<10} {each.words}" for each in reversed(lines))
        self.log.setPlainText(text)

    def show_log(self, words: str) -> None:
        """Of the server that was started here; it stays at its end unless the user scrolled up."""
        if self.logs.currentWidget() is not self.server_log or words == self.server_log.toPlainText():
            return
        bar = self.server_log.verticalScrollBar()
        assert bar is not None
        place, is_at_end = bar.value(), bar.value() >= bar.maximum() - 4
        self.server_log.setPlainText(words)
        bar.setValue(bar.maximum() if is_at_end else place)

    def show_doctor(self, words: str) -> None:
        self.doctor.setPlainText(words)
        self.logs.setCurrentWidget(self.doctor)

    def show_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.banner.setStyleSheet(f"background: {theme.header}; color: {theme.warning}; font-weight: 600;")
        self.again.setIcon(icon("mdi6.auto-fix", theme.muted))
        self.controls.show_theme(theme)
        self.topics.show_theme(theme)
        self.models.show_theme(theme)
        self.empty.show_theme(theme)
        self.world.theme = theme
        self.world.update()


def _text(name: str) -> QPlainTextEdit:
    text = QPlainTextEdit()
    text.setReadOnly(True)
    text.setFont(code_font(12))
    text.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
    text.setAccessibleName(name)
    text.setMaximumBlockCount(2000)
    return text


def _time(line: Line) -> str:
    seconds = line.wall_ns / SECOND_NS
    return datetime.fromtimestamp(seconds, tz=UTC).astimezone().strftime("%H:%M:%S.%f")[:-5]
