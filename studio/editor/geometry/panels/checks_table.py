"""The findings of the checks in a table."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QResizeEvent
from PyQt6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.system.problems import MARKS
from studio.errors import Problem
from studio.model.geometry.geometry_fixes import GeometryFix

MESSAGE, FIX, PLACE = range(3)
NARROW_PX = 460


class ChecksTable(QTableWidget):
    go_to = pyqtSignal(object)
    """A Problem whose thing or line the user wants to see."""
    fix_wanted = pyqtSignal(object)
    """A GeometryFix."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(0, 3)
        self.theme = theme
        self.shown: list[Problem] = []
        self._fixes: list[list[GeometryFix]] = []
        self.setAccessibleName("Checks")
        self.setHorizontalHeaderLabels(["Finding", "Quick fix", "Place"])
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setIconSize(QSize(14, 14))
        header, rows = self.horizontalHeader(), self.verticalHeader()
        assert header is not None and rows is not None
        rows.hide()
        rows.setDefaultSectionSize(24)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setSectionResizeMode(MESSAGE, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(FIX, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(PLACE, QHeaderView.ResizeMode.ResizeToContents)
        self.cellClicked.connect(self._clicked)
        self.cellActivated.connect(lambda row, _: self.go_to.emit(self.shown[row]))

    def show_problems(self, problems: list[Problem], fixes: dict[int, list[GeometryFix]]) -> None:
        """`fixes`: by the id of each problem."""
        self.shown = problems
        self._fixes = [fixes.get(id(each), []) for each in problems]
        self.setRowCount(len(problems))
        for row, (problem, found) in enumerate(zip(problems, self._fixes, strict=True)):
            for column, cell in enumerate(self._cells(problem, found)):
                self.setItem(row, column, cell)
        self._share_room()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        """Beside the view it is narrow: messages take several lines, and the place is in their tooltips."""
        header, rows = self.horizontalHeader(), self.verticalHeader()
        assert header is not None and rows is not None
        is_narrow = self.width() < NARROW_PX
        header.setVisible(not is_narrow)
        self.setColumnHidden(PLACE, is_narrow)
        self.setColumnHidden(FIX, is_narrow and not any(self._fixes))
        self.setWordWrap(is_narrow)
        mode = QHeaderView.ResizeMode.ResizeToContents if is_narrow else QHeaderView.ResizeMode.Fixed
        rows.setSectionResizeMode(mode)

    def fixes_at(self, row: int) -> list[GeometryFix]:
        return self._fixes[row]

    def _cells(self, problem: Problem, fixes: list[GeometryFix]) -> tuple[QTableWidgetItem, ...]:
        theme = self.theme
        colour = theme.error if problem.severity == "error" else theme.warning
        message = QTableWidgetItem(icon(MARKS[problem.severity], colour), problem.message)
        where = f"{problem.file}:{problem.line}" if problem.file and problem.line else problem.file or ""
        message.setToolTip("\n".join(text for text in (problem.message, problem.hint, where) if text))
        fix = QTableWidgetItem(fixes[0].text if fixes else "")
        if fixes:
            fix.setForeground(QColor(theme.accent))
            more = "".join(f"\nor: {each.text}" for each in fixes[1:])
            fix.setToolTip(f"{fixes[0].text}; it can be undone{more}")
        line = f":{problem.line}" if problem.line else ""
        place = QTableWidgetItem(f"{Path(problem.file).name}{line}" if problem.file else "")
        place.setForeground(QColor(theme.muted))
        place.setToolTip(f"{problem.file}{line}" if problem.file else "")
        for cell in (fix,):
            font = QFont(cell.font())
            font.setUnderline(bool(fixes))
            cell.setFont(font)
        return message, fix, place

    def _clicked(self, row: int, column: int) -> None:
        if column == FIX and self._fixes[row]:
            self.fix_wanted.emit(self._fixes[row][0])
        else:
            self.go_to.emit(self.shown[row])
