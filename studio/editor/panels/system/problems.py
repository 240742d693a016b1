"""The problems panel: what `studio check` finds, live; a double-click goes to the place, a link mends it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PyQt6.QtCore import QEvent, QObject, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStackedLayout,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from studio.editor.live.problems import Remedy
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.empty_state import EmptyState
from studio.errors import Problem
from studio.model.quick_fixes import Fix

MARKS = {"error": "fa6s.circle-exclamation", "warning": "fa6s.triangle-exclamation"}
MESSAGE, REMEDY, FIX, PLACE = range(4)
NOTHING = "Nothing wrong"
LEAST = 140
"""Of the messages, and of what to do."""
_PROBLEM = Qt.ItemDataRole.UserRole


class Problems(QWidget):
    go_to = pyqtSignal(object)
    """The problem whose place the user wants to see."""
    fix_wanted = pyqtSignal(object)
    """A Fix or a Remedy that was clicked."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.shown: list[Problem] = []
        self.fixes_of: Callable[[Problem], list[Fix | Remedy]] = lambda problem: []
        """Where that comes from which corrects a problem."""
        self.table = QTableWidget(0, 4)
        self.table.setAccessibleName("Problems")
        self.table.setHorizontalHeaderLabels(["Message", "Solution", "Quick fix", "Place"])
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setIconSize(QSize(14, 14))
        self.table.cellActivated.connect(self._activated)
        self.table.cellClicked.connect(self._clicked)
        self.table.setMouseTracking(True)
        self.table.cellEntered.connect(self._entered)
        header, rows = self.table.horizontalHeader(), self.table.verticalHeader()
        assert header is not None and rows is not None
        rows.hide()
        rows.setDefaultSectionSize(24)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setSectionResizeMode(REMEDY, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(FIX, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(PLACE, QHeaderView.ResizeMode.ResizeToContents)
        self.nothing = EmptyState("fa6s.circle-check", NOTHING, theme)
        viewport = self.table.viewport()
        assert viewport is not None
        viewport.installEventFilter(self)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.nothing)
        self._stack.addWidget(self.table)

    def show_problems(self, problems: list[Problem], folder: Path | None) -> None:
        self.shown = problems
        self.table.setRowCount(len(problems))
        for row, problem in enumerate(problems):
            colour = self.theme.error if problem.severity == "error" else self.theme.warning
            message = QTableWidgetItem(icon(MARKS[problem.severity], colour), problem.message)
            message.setData(_PROBLEM, problem)
            message.setToolTip(f"{problem.severity}: {problem.message}")
            remedy = QTableWidgetItem(problem.hint)
            remedy.setToolTip(problem.hint)
            place = QTableWidgetItem(_place(problem, folder))
            for cell in (remedy, place):
                cell.setForeground(QColor(self.theme.muted))
            if _is_code(problem):
                _make_link(place, self.theme, "Open this line")
            for column, cell in enumerate((message, remedy, self._fix_cell(problem), place)):
                self.table.setItem(row, column, cell)
        self._stack.setCurrentIndex(1 if problems else 0)
        self._share_room()

    def _share_room(self) -> None:
        """A message has what it needs, as long as something is left to say what to do; the rest is for that."""
        viewport = self.table.viewport()
        assert viewport is not None
        needed, others = self.table.sizeHintForColumn(MESSAGE), self.table.sizeHintForColumn(REMEDY)
        room = viewport.width() - self.table.columnWidth(FIX) - self.table.columnWidth(PLACE)
        self.table.setColumnWidth(MESSAGE, max(LEAST, min(needed, max(room - others, room * 2 // 3))))

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Of the table, and not of the panel: behind "Nothing wrong" the table has no size yet."""
        if event is not None and event.type() == QEvent.Type.Resize:
            self._share_room()
        return super().eventFilter(watched, event)

    def _fix_cell(self, problem: Problem) -> QTableWidgetItem:
        found = self.fixes_of(problem)
        cell = QTableWidgetItem(found[0].text if found else "")
        if found:
            cell.setData(_PROBLEM, found[0])
            tips = [fix.tip if isinstance(fix, Remedy) else f"{fix.edit.label}; it can be undone" for fix in found]
            cell.setToolTip(tips[0])
            _make_link(cell, self.theme, cell.toolTip())
        return cell

    def fix_at(self, row: int) -> Fix | Remedy | None:
        cell = self.table.item(row, FIX)
        found = cell.data(_PROBLEM) if cell is not None else None
        return found if isinstance(found, Fix | Remedy) else None

    def show_theme(self, theme: Theme, folder: Path | None) -> None:
        self.theme = theme
        self.nothing.show_theme(theme)
        self.show_problems(self.shown, folder)

    def _clicked(self, row: int, column: int) -> None:
        fix = self.fix_at(row) if column == FIX else None
        if fix is not None:
            self.fix_wanted.emit(fix)
        elif column == PLACE and _is_code(self.shown[row]):
            self.go_to.emit(self.shown[row])

    def _entered(self, row: int, column: int) -> None:
        is_link = (column == FIX and self.fix_at(row) is not None) or (column == PLACE and _is_code(self.shown[row]))
        viewport = self.table.viewport()
        assert viewport is not None
        viewport.setCursor(Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor)

    def _activated(self, row: int, column: int) -> None:
        if column == FIX and self.fix_at(row) is not None:
            self._clicked(row, column)
            return
        item = self.table.item(row, 0)
        if item is not None:
            self.go_to.emit(item.data(_PROBLEM))


def _is_code(problem: Problem) -> bool:
    """Whether its place is a line that can be opened, and not one of the system."""
    return bool(problem.file and problem.line) and not str(problem.file).endswith(".xml")


def _make_link(cell: QTableWidgetItem, theme: Theme, tip: str) -> None:
    cell.setForeground(QColor(theme.accent))
    cell.setToolTip(tip)
    font = cell.font()
    font.setUnderline(True)
    cell.setFont(font)


def _place(problem: Problem, folder: Path | None) -> str:
    if problem.file is None:
        return ""
    path = Path(problem.file)
    name = str(path.relative_to(folder)) if folder and path.is_relative_to(folder) else path.name
    return f"{name}:{problem.line}" if problem.line else name
