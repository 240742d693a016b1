"""The problems panel: what `studio check` finds, live; a double-click goes to the place."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QStackedLayout,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from studio.editor.icons import icon
from studio.editor.theme import Theme
from studio.errors import Problem

MARKS = {"error": "fa6s.circle-exclamation", "warning": "fa6s.triangle-exclamation"}
_PROBLEM = Qt.ItemDataRole.UserRole


class Problems(QWidget):
    go_to = pyqtSignal(object)
    """The problem whose place the user wants to see."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.shown: list[Problem] = []
        self.table = QTableWidget(0, 3)
        self.table.setAccessibleName("Problems")
        self.table.setHorizontalHeaderLabels(["Message", "What to do", "Place"])
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setIconSize(QSize(14, 14))
        self.table.cellActivated.connect(self._activated)
        header, rows = self.table.horizontalHeader(), self.table.verticalHeader()
        assert header is not None and rows is not None
        rows.hide()
        rows.setDefaultSectionSize(24)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        self.nothing = QLabel("Nothing wrong")
        self.nothing.setProperty("role", "muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
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
            for column, cell in enumerate((message, remedy, place)):
                self.table.setItem(row, column, cell)
        self._stack.setCurrentIndex(1 if problems else 0)

    def show_theme(self, theme: Theme, folder: Path | None) -> None:
        self.theme = theme
        self.show_problems(self.shown, folder)

    def _activated(self, row: int, column: int) -> None:
        item = self.table.item(row, 0)
        if item is not None:
            self.go_to.emit(item.data(_PROBLEM))


def counted(problems: list[Problem]) -> tuple[int, int]:
    """Errors and warnings."""
    errors = sum(problem.severity == "error" for problem in problems)
    return errors, len(problems) - errors


def _place(problem: Problem, folder: Path | None) -> str:
    if problem.file is None:
        return ""
    path = Path(problem.file)
    name = str(path.relative_to(folder)) if folder and path.is_relative_to(folder) else path.name
    return f"{name}:{problem.line}" if problem.line else name
