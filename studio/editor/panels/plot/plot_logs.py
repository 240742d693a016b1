"""The logs beside what runs, on a plot: which fields of them are drawn, and by how much they are moved in time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QDoubleSpinBox, QFileDialog, QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget

from studio.editor.base.deferred import Beside
from studio.editor.live.beside import BesideLog, LogsBeside
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.viewer import Facts
from studio.editor.views.maps.logged_map import logs_in
from studio.editor.views.plots.logged_series import numbers_of
from studio.editor.views.shared.field_drag import Field
from studio.errors import StudioError
from studio.recordings import where_logs_are

if TYPE_CHECKING:
    from studio.editor.panels.plot.plot_beside import BesideCurves
    from studio.editor.panels.plot.plot_viewer import PlotViewer

SECOND_NS = 1_000_000_000
FARTHEST_S = 1e9
OFFSET_PX, ROOM_PX = 104, 300
"""Of a row that is narrower, the name needs what there is."""


def offset_field(log: BesideLog, logs: LogsBeside) -> QDoubleSpinBox:
    """Seconds by which a log is later than the first; a value that is typed counts when it is entered."""
    made = QDoubleSpinBox()
    made.setRange(-FARTHEST_S, FARTHEST_S)
    made.setDecimals(3)
    made.setSingleStep(0.1)
    made.setSuffix(" s")
    made.setFixedWidth(OFFSET_PX)
    made.setKeyboardTracking(False)
    made.setAccessibleName(f"Offset of {log.path.name}")
    made.setToolTip("How much later it begins than the first log, or than the run: type it, or turn the wheel")
    made.setValue(log.offset_ns / SECOND_NS)
    made.valueChanged.connect(lambda value: logs.shift(log.path, round(value * SECOND_NS)))
    return made


def list_logs(menu: QMenu, folder: Path | None, open_: Callable[[Path], object], parent: QWidget) -> None:
    """The logs of the project, and any other."""
    for path in logs_in(folder):
        menu.addAction(path.name, partial(open_, path))
    if not menu.isEmpty():
        menu.addSeparator()
    menu.addAction("Choose a log…", lambda: _ask(folder, open_, parent))


def _ask(folder: Path | None, open_: Callable[[Path], object], parent: QWidget) -> None:
    name, _ = QFileDialog.getOpenFileName(parent, "A log beside", str(where_logs_are(folder)), "Logs (*.mcap)")
    if name:
        open_(Path(name))


class LogRow(QWidget):
    """Name, offset, and what one does with a log beside; `remove` takes it away from where the row is."""

    def __init__(self, log: BesideLog, logs: LogsBeside, remove: Callable[[Path], object]) -> None:
        super().__init__()
        self.log = log
        self.name = Facts()
        self.name.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.offset = offset_field(log, logs)
        self.align = _button("mdi6.align-horizontal-left", "Align at start: begin where the first log or the run does")
        self.align.clicked.connect(lambda: self._put(lambda: logs.shift(log.path, 0)))
        self.clock = _button("mdi6.clock-outline", "By the clock: its events at the very times that they had")
        self.clock.clicked.connect(lambda: self._put(lambda: logs.go_by_the_clock(log.path)))
        self.away = _button("mdi6.close", "Remove this log")
        self.away.clicked.connect(lambda: remove(log.path))
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 8, 0)
        row.setSpacing(6)
        row.addWidget(self.name, 1)
        for widget in (self.offset, self.align, self.clock, self.away):
            row.addWidget(widget)
        self.show_log()

    def be_low(self, height: int) -> None:
        """Where rows are lower than fields usually are."""
        self._row.setSpacing(2)
        self.offset.setStyleSheet("QDoubleSpinBox { min-height: 0; padding: 0 4px; }")
        for widget in (self.offset, self.align, self.clock, self.away):
            widget.setFixedHeight(height)
        for button in (self.align, self.clock, self.away):
            button.setStyleSheet("QToolButton { min-height: 0; min-width: 0; padding: 0; }")
            button.setFixedWidth(height)

    def show_log(self) -> None:
        self.name.setText(f"{self.log.path.name}  {self.log.trouble}".rstrip())
        self.name.setToolTip(f"{self.log.path}\n{self.log.trouble}".rstrip())
        if not self.offset.hasFocus():
            self._show_offset()

    def _put(self, shift: Callable[[], None]) -> None:
        """By a button, which leaves the field the focus: what was typed there counts no more."""
        shift()
        self._show_offset()

    def _show_offset(self) -> None:
        self.offset.blockSignals(True)
        self.offset.setValue(self.log.offset_ns / SECOND_NS)
        self.offset.blockSignals(False)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        for button in (self.align, self.clock):
            button.setVisible(self.width() >= ROOM_PX)

    def show_theme(self, theme: Theme) -> None:
        for button in (self.align, self.clock, self.away):
            button.setIcon(icon(str(button.property("picture")), theme.muted))


class LogStrip(QWidget):
    """A row for each log of which the plot draws something."""

    def __init__(self, curves: BesideCurves) -> None:
        super().__init__()
        self.curves = curves
        self.rows: dict[Path, LogRow] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 4)
        self._column.setSpacing(2)
        self.hide()

    def show_logs(self, drawn: list[Path]) -> None:
        logs = self.curves.logs
        for path in [path for path, row in self.rows.items() if path not in drawn or logs.find(path) is not row.log]:
            self.rows.pop(path).deleteLater()
        for log in logs.logs:
            if log.path in drawn and log.path not in self.rows:
                row = self.rows[log.path] = LogRow(log, logs, self.curves.remove)
                row.show_theme(self.curves.viewer.theme)
                self._column.addWidget(row)
        for row in self.rows.values():
            row.show_log()
        self.setVisible(bool(self.rows))

    def show_theme(self, theme: Theme) -> None:
        for row in self.rows.values():
            row.show_theme(theme)


class LogMenu(QMenu):
    """Opens a log beside, and draws fields of those that are open."""

    def __init__(self, plot: PlotViewer, curves: BesideCurves) -> None:
        super().__init__(plot)
        self.plot, self.curves, self.logs = plot, curves, curves.logs
        self.aboutToShow.connect(self._list)

    def _list(self) -> None:
        self.clear()
        for log in self.logs.logs:
            if log.outline is not None:
                self._list_topics(log)
        if self.logs.logs:
            self.addSeparator()
        list_logs(self, self.plot.feed.folder, self.curves.open, self.plot)

    def _list_topics(self, log: BesideLog) -> None:
        """A menu for each topic, whose fields are looked for when it is opened."""
        menu = self.addMenu(f"Add a field of {log.path.name}")
        assert menu is not None and log.outline is not None
        for lane in log.outline.lanes:
            if lane.count:
                fields = menu.addMenu(f"{lane.topic}  {lane.type}")
                assert fields is not None
                fields.aboutToShow.connect(partial(self._list_fields, fields, log.path, lane.topic))

    def _list_fields(self, menu: QMenu, path: Path, topic: str) -> None:
        if menu.isEmpty():
            menu.addAction("looking …")
            folder = self.plot.feed.folder
            Beside(lambda: _numbers(path, topic, folder), partial(self._have_fields, menu, path, topic), menu)

    def _have_fields(self, menu: QMenu, path: Path, topic: str, found: list[str] | StudioError) -> None:
        menu.clear()
        for field in found if isinstance(found, list) else ():
            menu.addAction(field, partial(self.plot.add, Field(topic, field), path))
        if isinstance(found, StudioError) or not found:
            entry = menu.addAction(found.message if isinstance(found, StudioError) else "has no numbers")
            assert entry is not None
            entry.setEnabled(False)


def _numbers(path: Path, topic: str, folder: Path | None) -> list[str] | StudioError:
    try:
        return numbers_of(path, topic, folder)
    except StudioError as error:
        return error


def _button(picture: str, words: str) -> QToolButton:
    made = QToolButton()
    made.setProperty("picture", picture)
    made.setToolTip(words)
    made.setAccessibleName(words.partition(":")[0])
    return made
