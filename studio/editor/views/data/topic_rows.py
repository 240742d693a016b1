"""Rows of the table of topics: topics are sorted as one likes, and their fields stay as the message has them."""

from __future__ import annotations

from typing import Any

from PyQt6.QtCore import QMimeData, Qt
from PyQt6.QtWidgets import QTreeWidget, QTreeWidgetItem

from studio.editor.views.data.field_tree import FieldTree
from studio.editor.views.shared.field_drag import Field, mime_of

TOPIC, PATH = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1


class TopicRow(QTreeWidgetItem):
    """A topic; where figures are equal, or unknown, the names decide."""

    def __init__(self, texts: list[str]) -> None:
        super().__init__(texts)
        self.figures: dict[int, float] = {}
        """Of the columns that are numbers."""

    def __lt__(self, other: QTreeWidgetItem) -> bool:
        tree = self.treeWidget()
        if tree is None or not isinstance(other, TopicRow):
            return self.text(0) < other.text(0)
        column = tree.sortColumn()
        if column < 2:
            return (self.text(column), self.text(0)) < (other.text(column), other.text(0))
        mine, others = self.figures.get(column, -1.0), other.figures.get(column, -1.0)
        # Names go from A to Z also where the figures go downwards.
        return mine < others if mine != others else (self.text(0) < other.text(0)) != is_downwards(tree)


class FieldRow(QTreeWidgetItem):
    """A field of a message: where it stands does not depend on how the topics are sorted."""

    def __init__(self, texts: list[str], place: int = 0) -> None:
        super().__init__(texts)
        self.place = place

    def __lt__(self, other: QTreeWidgetItem) -> bool:
        tree = self.treeWidget()
        if tree is None or not isinstance(other, FieldRow):
            return False
        return (self.place < other.place) != is_downwards(tree)


class TopicTree(FieldTree):
    def mimeData(self, items: Any) -> QMimeData | None:
        fields = [field for item in items for field in fields_of_item(item)]
        return mime_of(fields) if fields else None


def fields_of_item(item: QTreeWidgetItem) -> list[Field]:
    path = item.data(0, PATH)
    return [Field(str(item.data(0, TOPIC)), str(path))] if path else []


def is_downwards(tree: QTreeWidget) -> bool:
    header = tree.header()
    return header is not None and header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
