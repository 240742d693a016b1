"""The process panel: what each process of the running system does and costs, and what can be done to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PyQt6.QtCore import QPoint, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QResizeEvent
from PyQt6.QtWidgets import QApplication, QHeaderView, QMenu, QStackedLayout, QTreeWidget, QTreeWidgetItem, QWidget

from studio.editor.live.state import Look, look_of
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.empty_state import EmptyState

COLUMNS = ("Process", "State", "CPU", "Memory", "Restarts", "pid", "Components", "Last exit")
PROCESS, STATE, CPU, MEMORY, RESTARTS, PID, COMPONENTS, LAST_EXIT = range(len(COLUMNS))
WIDTHS = {STATE: 100, CPU: 66, MEMORY: 78, RESTARTS: 72, PID: 66, COMPONENTS: 180, LAST_EXIT: 150}
LEAST_NAME = 88
NUMBERS = (CPU, MEMORY, RESTARTS, PID)
RUNNING = Look("Running", "fa6s.circle-play", "fine", 1)
RUNTIME = ("broker", "recorder")
"""Processes of Studio itself: they hold no components."""
_SORT = Qt.ItemDataRole.UserRole


class _Item(QTreeWidgetItem):
    """Sorts numbers as numbers."""

    def __lt__(self, other: QTreeWidgetItem) -> bool:
        tree = self.treeWidget()
        column = tree.sortColumn() if tree is not None else 0
        mine, theirs = self.data(column, _SORT), other.data(column, _SORT)
        if mine is None or theirs is None:
            return self.text(column).casefold() < other.text(column).casefold()
        return bool(mine < theirs)


class Processes(QWidget):
    go_to = pyqtSignal(str)
    """A component that the user wants to see."""
    restart_wanted = pyqtSignal(str)
    output_wanted = pyqtSignal(str)
    said_wanted = pyqtSignal(str)
    """What this component has said."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.table = QTreeWidget()
        self.table.setAccessibleName("Processes")
        self.table.setHeaderLabels(list(COLUMNS))
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.setAlternatingRowColors(True)
        self.table.setIconSize(QSize(13, 13))
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(PROCESS, Qt.SortOrder.AscendingOrder)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._menu)
        self.table.itemActivated.connect(lambda item, _: self._go(item.text(PROCESS)))
        header = self.table.header()
        assert header is not None
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(40)
        for column, width in WIDTHS.items():
            header.resizeSection(column, width)
        header.setSectionResizeMode(PROCESS, QHeaderView.ResizeMode.Stretch)
        head = self.table.headerItem()
        assert head is not None
        for column in NUMBERS:
            head.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.items: dict[str, _Item] = {}
        self._components: dict[str, list[str]] = {}
        self.empty = EmptyState(
            "mdi6.speedometer", "No process. Run the system (F5): what each one costs appears here", theme
        )
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.table)

    def show_state(self, state: Mapping[str, Any]) -> None:
        """The picture of the running system; an empty one when there is none."""
        processes: Mapping[str, Mapping[str, Any]] = state.get("processes", {})
        self._components = {}
        for name, told in state.get("components", {}).items():
            self._components.setdefault(told["host"], []).append(name)
        for name in [name for name in self.items if name not in processes]:
            self.table.takeTopLevelItem(self.table.indexOfTopLevelItem(self.items.pop(name)))
        self.table.setSortingEnabled(False)  # rows would jump under each single number
        for name, told in processes.items():
            if name not in self.items:
                self.items[name] = _Item([name])
                self.table.addTopLevelItem(self.items[name])
            self._show_process(self.items[name], name, told)
        self.table.setSortingEnabled(True)
        self._stack.setCurrentIndex(1 if processes else 0)

    def _show_process(self, item: _Item, name: str, told: Mapping[str, Any]) -> None:
        look = RUNNING if told["condition"] == "running" else look_of(told["condition"])
        item.setText(STATE, look.word)
        item.setIcon(STATE, icon(look.icon, self.theme.tone(look.tone)))
        item.setForeground(STATE, QColor(self.theme.tone(look.tone)))
        item.setData(STATE, _SORT, look.rank)
        self._number(item, CPU, told["cpu_percent"], "{:.1f} %")
        self._number(item, MEMORY, told["rss_mb"], "{:.0f} MB")
        self._number(item, RESTARTS, told["restarts"], "{:d}")
        self._number(item, PID, told["pid"], "{:d}")
        item.setForeground(RESTARTS, QColor(self.theme.warning if told["restarts"] else self.theme.text))
        parts = self._components.get(name, [])
        words = ", ".join(parts) if parts else "part of Studio" if name in RUNTIME else "—"
        item.setText(COMPONENTS, words)
        item.setToolTip(COMPONENTS, words)
        item.setText(LAST_EXIT, told["last_exit"])
        item.setToolTip(LAST_EXIT, told["last_exit"])

    def _number(self, item: _Item, column: int, value: float | None, form: str) -> None:
        item.setText(column, "—" if value is None else form.format(value))
        item.setData(column, _SORT, -1 if value is None else value)
        item.setTextAlignment(column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def show_theme(self, theme: Theme, state: Mapping[str, Any]) -> None:
        self.theme = theme
        self.empty.show_theme(theme)
        self.show_state(state)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Where it is narrow, the columns at the right go, and nothing scrolls sideways."""
        super().resizeEvent(event)
        room = self.width() - LEAST_NAME - 12
        for column, width in WIDTHS.items():
            room -= width
            self.table.setColumnHidden(column, room < 0)

    def _go(self, name: str) -> None:
        parts = self._components.get(name)
        if parts:
            self.go_to.emit(parts[0])

    def _menu(self, at: QPoint) -> None:
        item, viewport = self.table.itemAt(at), self.table.viewport()
        if item is not None and viewport is not None:
            self.menu_of(item.text(PROCESS)).popup(viewport.mapToGlobal(at))

    def menu_of(self, name: str) -> QMenu:
        """What can be done to a process."""
        menu = QMenu(self)
        parts = self._components.get(name, [])
        for part in parts:
            self._entry(menu, f"Show {part} on the canvas", lambda part=part: self.go_to.emit(part))
        for part in parts:
            self._entry(menu, f"What {part} says", lambda part=part: self.said_wanted.emit(part))
        self._entry(menu, "Show output…", lambda: self.output_wanted.emit(name))
        if parts:
            menu.addSeparator()
            self._entry(menu, f"Restart {name}", lambda: self.restart_wanted.emit(name))
        menu.addSeparator()
        self._entry(menu, "Copy its pid", lambda: self._copy(self.items[name].text(PID)))
        return menu

    def _entry(self, menu: QMenu, text: str, do: Any) -> None:
        entry = menu.addAction(text)
        assert entry is not None
        entry.triggered.connect(lambda _=False: do())

    def _copy(self, text: str) -> None:
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(text)
