"""The tree of the palette: rows that are dragged to the canvas; a star at their end makes them favourites."""

from __future__ import annotations

from collections.abc import Iterable

from PyQt6.QtCore import QMimeData, QModelIndex, QPoint, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QDrag, QKeyEvent, QMouseEvent
from PyQt6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem

from studio.editor.canvas.dragged import MIME, TOOL_MIME
from studio.editor.icons import icon
from studio.editor.theme import Theme

TYPE, TOOL = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
"""A row has the name of a component's type, or of a tool."""
STAR, NO_STAR = "mdi6.star", "mdi6.star-outline"
STAR_WIDTH = 20


class PaletteTree(QTreeWidget):
    starred = pyqtSignal(str)
    """Somebody wants this type among the favourites, or no more."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._hovered: QTreeWidgetItem | None = None
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        header = self.header()
        assert header is not None
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(STAR_WIDTH)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(1, STAR_WIDTH)
        self.setAccessibleName("Components")
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setIndentation(10)
        self.setIconSize(QSize(16, 16))
        self.setMouseTracking(True)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)

    # ---- rows

    def groups(self) -> list[QTreeWidgetItem]:
        found = (self.topLevelItem(row) for row in range(self.topLevelItemCount()))
        return [group for group in found if group is not None]

    def rows(self) -> list[QTreeWidgetItem]:
        """From top to bottom, in all groups."""
        return [row for group in self.groups() for row in children(group)]

    def clear(self) -> None:
        self._hovered = None
        super().clear()

    def mark(self, row: QTreeWidgetItem, is_favourite: bool) -> None:
        row.setData(1, TYPE, is_favourite)
        row.setIcon(1, icon(STAR, self.theme.accent) if is_favourite else icon("", "transparent"))
        row.setToolTip(1, "Remove from the favourites" if is_favourite else "Make it a favourite")
        row.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{row.text(0)}{', favourite' if is_favourite else ''}")

    def _hover(self, row: QTreeWidgetItem | None) -> None:
        """The star that could be there is seen under the pointer only: a column of them would be noise."""
        before, self._hovered = self._hovered, row
        for each, is_here in ((before, False), (row, True)):
            if each is not None and each.data(0, TYPE) and not each.data(1, TYPE):
                each.setIcon(1, icon(NO_STAR, self.theme.muted) if is_here else icon("", "transparent"))

    # ---- Qt

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        super().mouseMoveEvent(event)
        row = self.itemAt(event.pos()) if event is not None else None
        if row is not self._hovered:
            self._hover(row)

    def leaveEvent(self, event: object) -> None:
        self._hover(None)
        super().leaveEvent(event)  # type: ignore[arg-type]

    def is_star(self, at: QPoint) -> bool:
        row = self.itemAt(at)
        return row is not None and bool(row.data(0, TYPE)) and self.columnAt(at.x()) == 1

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() == Qt.MouseButton.LeftButton and self.is_star(event.pos()):
            return  # it is chosen by the release, and is no beginning of a drag
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() == Qt.MouseButton.LeftButton and self.is_star(event.pos()):
            row = self.itemAt(event.pos())
            assert row is not None
            self.starred.emit(str(row.data(0, TYPE)))
            return
        super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and self.is_star(event.pos()):
            return
        super().mouseDoubleClickEvent(event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        row = self.currentItem()
        if event is not None and event.key() == Qt.Key.Key_Space and row is not None and row.data(0, TYPE):
            self.starred.emit(str(row.data(0, TYPE)))
            return
        super().keyPressEvent(event)

    def mimeData(self, items: Iterable[QTreeWidgetItem]) -> QMimeData | None:
        data = QMimeData()
        for item in items:
            for kind, role in ((MIME, TYPE), (TOOL_MIME, TOOL)):
                name = str(item.data(0, role) or "")
                if name:
                    data.setData(kind, name.encode())
                    data.setText(name)
        return data

    def startDrag(self, actions: Qt.DropAction) -> None:
        item = self.currentItem()
        data = self.mimeData([item]) if item is not None else None
        if item is not None and data is not None and data.formats():
            drag = QDrag(self)
            drag.setMimeData(data)
            drag.setPixmap(item.icon(0).pixmap(QSize(28, 28)))
            drag.exec(Qt.DropAction.CopyAction)

    def drawBranches(self, painter: object, rect: object, index: QModelIndex) -> None:
        """Only groups have a mark to fold them."""
        if not index.parent().isValid():
            super().drawBranches(painter, rect, index)  # type: ignore[arg-type]


def children(group: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    found = (group.child(row) for row in range(group.childCount()))
    return [child for child in found if child is not None]
