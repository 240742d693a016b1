"""What saving would change, file by file: each added and removed line with a few lines around it."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QBrush, QColor
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QStackedLayout,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from studio.editor.geometry.protocols import Context
from studio.editor.look.fonts import code_font
from studio.editor.look.theme import Theme, mixed
from studio.editor.panels.parts.empty_state import EmptyState
from studio.model.text_changes import Line, TextChanges, text_changes

PLACE = Qt.ItemDataRole.UserRole
SIGNS = {"added": "+", "removed": "−", "same": "", "gap": "…"}


class Changes(QWidget):
    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.found: dict[Path, TextChanges] = {}
        self.tree = QTreeWidget()
        self.tree.setAccessibleName("Changes")
        self.tree.setColumnCount(3)
        self.tree.setHeaderHidden(True)
        self.tree.setIndentation(12)
        self.tree.setUniformRowHeights(True)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.tree.setToolTip("A double click shows the line in the XML")
        header = self.tree.header()
        assert header is not None
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        self.tree.itemActivated.connect(self._go_to)
        self.nothing = EmptyState("fa6s.circle-check", "Nothing to save: all files are as on disk", context.theme)
        self.stack = QStackedLayout(self)
        self.stack.addWidget(self.nothing)
        self.stack.addWidget(self.tree)
        self.words = QLabel()
        self._ends = [context.workspace.listen(lambda _: self._show())]
        self._show()

    @property
    def added(self) -> int:
        """For the tab: `Changes +3`."""
        return sum(each.added for each in self.found.values())

    def show_theme(self, theme: Theme) -> None:
        self.nothing.show_theme(theme)
        self.found = {}
        self._show()

    def close_panel(self) -> None:
        for end in self._ends:
            end()
        self._ends = []

    def _show(self) -> None:
        workspace = self.context.workspace
        found = {
            file: text_changes(workspace.saved_text(file), workspace.text(file)) for file in workspace.modified_files()
        }
        if found == self.found and found:
            return
        self.found = found
        self.tree.clear()
        for file, changes in found.items():
            self._add_file(file, changes)
        self.stack.setCurrentIndex(1 if found else 0)

    def _add_file(self, file: Path, changes: TextChanges) -> None:
        theme = self.context.theme
        title = QTreeWidgetItem([f"{file.name}: {changes.words}"])
        title.setToolTip(0, str(file))
        font = title.font(0)
        font.setWeight(font.Weight.DemiBold)
        title.setFont(0, font)
        self.tree.addTopLevelItem(title)
        title.setFirstColumnSpanned(True)
        title.addChildren([self._row(file, line, theme) for line in changes.near()])
        title.setExpanded(True)

    def _row(self, file: Path, line: Line, theme: Theme) -> QTreeWidgetItem:
        number = line.new or line.old
        row = QTreeWidgetItem([str(number or ""), SIGNS[line.kind], line.text])
        row.setData(0, PLACE, (file, line.new or 0))
        row.setForeground(0, QColor(theme.muted))
        ground = {"added": theme.fine, "removed": theme.error}.get(line.kind)
        for column in range(3):
            row.setFont(column, code_font(12))
            if ground is not None:
                row.setBackground(column, QBrush(QColor(mixed(ground, theme.panel, 0.14))))
        return row

    def _go_to(self, item: QTreeWidgetItem) -> None:
        place = item.data(0, PLACE)
        page = self.context.show_panel("geometry_xml")
        if place is not None and page is not None:
            page.show_file(*place)
