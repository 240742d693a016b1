"""Logs beside the one that plays, on its time line: each with a heading, an offset, and lanes that can be dragged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PyQt6.QtCore import QObject, QPoint
from PyQt6.QtWidgets import QMenu, QWidget

from studio.editor.live.beside import beside_of
from studio.editor.live.feed import Feed
from studio.editor.look.theme import Theme
from studio.editor.panels.plot.plot_logs import LogRow, list_logs
from studio.editor.views.timeline.timeline import Timeline
from studio.editor.views.timeline.timeline_paint import LANE
from studio.editor.views.timeline.timeline_rows import Group


class PlayerBeside(QObject):
    def __init__(self, parent: QWidget, feed: Feed, timeline: Timeline, theme: Theme) -> None:
        super().__init__(parent)
        self.feed, self.timeline, self.theme = feed, timeline, theme
        self.rows: dict[Path, LogRow] = {}
        self.logs = beside_of(feed)
        self.logs.join(self.show)
        timeline.shifted.connect(self.logs.shift)
        timeline.group_menu.connect(self._menu)
        self.show()

    def close(self) -> None:
        self.logs.leave(self.show)

    def show(self) -> None:
        groups = [Group(log.path, log.outline, log.offset_ns, log.shift_ns) for log in self.logs.logs]
        for path in [path for path, row in self.rows.items() if self.logs.find(path) is not row.log]:
            self.rows.pop(path).deleteLater()
            self.timeline.headings.pop(path)
        for log in self.logs.logs:
            if log.path not in self.rows:
                row = self.rows[log.path] = LogRow(log, self.logs, self.logs.remove)
                self.timeline.headings[log.path] = row
                row.setParent(self.timeline)
                row.be_low(LANE - 2)
                row.show_theme(self.theme)
            self.rows[log.path].show_log()
        self.timeline.show_groups(groups)

    def open_menu(self, at: QPoint) -> None:
        """The logs that can be put beside."""
        parent = self.parent()
        assert isinstance(parent, QWidget)
        menu = QMenu(parent)
        list_logs(menu, self.feed.folder, self.logs.add, parent)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)

    def _menu(self, path: Path, at: QPoint) -> None:
        menu = QMenu(self.timeline)
        menu.addAction("Align at start", lambda: self.logs.shift(path, 0))
        menu.addAction("By the clock", lambda: self.logs.go_by_the_clock(path))
        menu.addAction("Close it", lambda: self.logs.remove(path))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)

    # ---- what is kept

    def save(self) -> dict[str, int]:
        return {str(log.path): log.offset_ns for log in self.logs.logs}

    def restore(self, offsets_ns: Any) -> None:
        for path, offset_ns in offsets_ns.items() if isinstance(offsets_ns, dict) else ():
            self.logs.add(Path(path), offset_ns if isinstance(offset_ns, int) else 0)

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        for row in self.rows.values():
            row.show_theme(theme)
