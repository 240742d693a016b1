"""Writing another value into a row of the variables: a line of Python, evaluated in the frame that stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QAbstractItemModel, QModelIndex
from PyQt6.QtWidgets import QLineEdit, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from studio.editor.look.fonts import code_font

if TYPE_CHECKING:
    from studio.editor.panels.debug.value_tree import ValueTree

LONGEST = 200
"""Longer values, and those that are no Python, are written anew rather than changed."""
HINT = "a Python expression, then Enter"


class ValueEdit(QStyledItemDelegate):
    def __init__(self, tree: ValueTree) -> None:
        super().__init__(tree)
        self._tree = tree

    def createEditor(self, parent: QWidget | None, option: QStyleOptionViewItem, index: QModelIndex) -> QWidget | None:
        line = QLineEdit(parent)
        line.setFont(code_font(12))
        line.setFrame(False)
        line.setPlaceholderText(HINT)
        line.setAccessibleName("New value")
        return line

    def setEditorData(self, editor: QWidget | None, index: QModelIndex) -> None:
        item = self._tree.itemFromIndex(index)
        if isinstance(editor, QLineEdit) and item is not None and not editor.isModified():
            editor.setText(self._tree.written(item))  # not over what is being written, when words for the row arrive
            editor.selectAll()

    def setModelData(self, editor: QWidget | None, model: QAbstractItemModel | None, index: QModelIndex) -> None:
        """The row shows it when the debugger has done it, and not before."""
        item = self._tree.itemFromIndex(index)
        if isinstance(editor, QLineEdit) and item is not None:
            text = editor.text().strip()
            if text and text != self._tree.written(item):
                self._tree.assign(item, text)


def as_written(value: str) -> str:
    """What one would write to get this value; nothing where that is too long, or an object's name for itself."""
    return "" if len(value) > LONGEST or value.startswith(("<", "array(")) or "\n" in value else value
