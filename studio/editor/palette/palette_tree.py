"""The tree of the palette: rows that are dragged to the canvas; a star at their end makes them favourites."""

from __future__ import annotations

from collections.abc import Iterable

from PyQt6.QtCore import QEvent, QMimeData, QModelIndex, QPoint, QRect, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QCursor, QDrag, QKeyEvent, QMouseEvent, QPainter
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
)

from studio.editor.canvas.interaction.dragged import MIME, TOOL_MIME
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme

TYPE, TOOL = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
"""A row has the name of a component's type, or of a tool."""
STARRED = Qt.ItemDataRole.UserRole + 2
STAR, NO_STAR = "mdi6.star", "mdi6.star-outline"
STAR_WIDTH = 22


class PaletteTree(QTreeWidget):
    starred = pyqtSignal(str)
    """Somebody wants this type among the favourites, or no more."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.hovered: QTreeWidgetItem | None = None
        self.setHeaderHidden(True)
        self.setAccessibleName("Components")
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setIndentation(10)
        self.setIconSize(QSize(16, 16))
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setItemDelegate(_Rows(self))

    # ---- rows

    def groups(self) -> list[QTreeWidgetItem]:
        found = (self.topLevelItem(row) for row in range(self.topLevelItemCount()))
        return [group for group in found if group is not None]

    def rows(self) -> list[QTreeWidgetItem]:
        """From top to bottom, in all groups."""
        return [row for group in self.groups() for row in children(group)]

    def clear(self) -> None:
        self.hovered = None
        super().clear()

    def mark(self, row: QTreeWidgetItem, is_favourite: bool) -> None:
        row.setData(0, STARRED, is_favourite)
        row.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{row.text(0)}{', favourite' if is_favourite else ''}")

    def star_at(self, row: QTreeWidgetItem) -> QRect:
        """Where its star is, or would be."""
        viewport = self.viewport()
        area = self.visualItemRect(row)
        area.setRight(viewport.width() - 1 if viewport is not None else area.right())
        return star_rect(area)

    def is_star(self, at: QPoint) -> bool:
        row = self.itemAt(at)
        return row is not None and bool(row.data(0, TYPE)) and self.star_at(row).contains(at)

    def _hover(self, row: QTreeWidgetItem | None) -> None:
        """The star that could be there is seen under the pointer only: a column of them would be noise."""
        self.hovered = row
        viewport = self.viewport()
        if viewport is not None:
            viewport.update()

    # ---- Qt

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        super().mouseMoveEvent(event)
        row = self.itemAt(event.pos()) if event is not None and self._is_pointed_at() else None
        if row is not self.hovered:
            self._hover(row)

    def _is_pointed_at(self) -> bool:
        """Not while a movement comes late: one from the beginning of a drag is delivered after its end."""
        viewport = self.viewport()
        return viewport is not None and viewport.rect().contains(viewport.mapFromGlobal(QCursor.pos()))

    def leaveEvent(self, event: QEvent | None) -> None:
        self._hover(None)
        super().leaveEvent(event)

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
            self._hover(None)  # the pointer has left, and nobody was told


class _Rows(QStyledItemDelegate):
    """Rows with a star at their end; the name gives way to it."""

    def __init__(self, tree: PaletteTree) -> None:
        super().__init__(tree)
        self._tree = tree

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        tree = self._tree
        row = tree.itemFromIndex(index)
        is_favourite = bool(index.data(STARRED))
        can_be = row is not None and row is tree.hovered and bool(index.data(TYPE))
        if painter is None or not (is_favourite or can_be):
            super().paint(painter, option, index)
            return
        area = QRect(option.rect)
        style = tree.style()
        if style is not None:  # the ground of the whole row
            style.drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, option, painter, tree)
        option.rect = area.adjusted(0, 0, -STAR_WIDTH, 0)
        super().paint(painter, option, index)
        name, colour = (STAR, tree.theme.accent) if is_favourite else (NO_STAR, tree.theme.muted)
        inner = QRect(0, 0, 16, 16)
        inner.moveCenter(star_rect(area).center())
        icon(name, colour).paint(painter, inner)


def star_rect(row: QRect) -> QRect:
    return QRect(row.right() - STAR_WIDTH + 1, row.top(), STAR_WIDTH, row.height())


def children(group: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    found = (group.child(row) for row in range(group.childCount()))
    return [child for child in found if child is not None]
