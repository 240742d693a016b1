"""Where things of the window are on the screen, for who has only a mouse; None while they are not there."""

from __future__ import annotations

import numpy as np
from PyQt6.Qsci import QsciScintilla
from PyQt6.QtCore import QPoint, QPointF
from PyQt6.QtWidgets import QDialog, QFileDialog, QLineEdit, QPushButton, QTreeWidgetItem, QWidget

from studio.editor.code.code_editor import CodeEditor
from studio.editor.main_window import MainWindow
from studio.editor.panels.value_tree import ValueTree
from studio.editor.views.array_view import ArrayView


def middle(widget: QWidget | None) -> QPoint | None:
    if widget is None or not widget.isVisible() or not widget.isEnabled():
        return None
    return widget.mapToGlobal(widget.rect().center())


def run_button(window: MainWindow, action: str) -> QPoint | None:
    return middle(window.toolbar.run_buttons._others[action])


def file_field(window: MainWindow) -> QPoint | None:
    dialogs = [each for each in window.findChildren(QFileDialog) if each.isVisible()]
    return middle(dialogs[0].findChild(QLineEdit)) if dialogs else None


def in_dialog(window: MainWindow, kind: type[QDialog], button: str) -> QWidget | None:
    found = [each for each in window.findChildren(kind) if each.isVisible()]
    return getattr(found[0], button) if found else None


def button_with(parent: QWidget, text: str) -> QPoint | None:
    return next((middle(each) for each in parent.findChildren(QPushButton) if each.text() == text), None)


def title_of(window: MainWindow, node: str) -> QPoint | None:
    item = window.canvas.canvas.nodes[node]
    viewport = window.canvas.viewport()
    at = window.canvas.mapFromScene(item.pos() + QPointF(item.card.width / 2, 14))
    return viewport.mapToGlobal(at) if viewport is not None and viewport.isVisible() else None


def pixel(editor: CodeEditor, position: int) -> QPoint | None:
    viewport = editor.viewport()
    if viewport is None or not viewport.isVisible():
        return None
    x = int(editor.SendScintilla(QsciScintilla.SCI_POINTXFROMPOSITION, 0, position))
    y = int(editor.SendScintilla(QsciScintilla.SCI_POINTYFROMPOSITION, 0, position))
    at = QPoint(x + 2, y + 9)
    return viewport.mapToGlobal(at) if viewport.rect().contains(at) else None


def in_text(editor: CodeEditor, line: int) -> QPoint | None:
    return pixel(editor, editor.positionFromLineIndex(line - 1, len(editor.text(line - 1).rstrip())))


def at_word(editor: CodeEditor, line: int, word: str) -> QPoint | None:
    return pixel(editor, editor.positionFromLineIndex(line - 1, editor.text(line - 1).rindex(word) + 1))


def in_margin(editor: CodeEditor, line: int) -> QPoint | None:
    at = pixel(editor, editor.positionFromLineIndex(line - 1, 0))
    viewport = editor.viewport()
    return None if at is None or viewport is None else QPoint(viewport.mapToGlobal(QPoint(8, 0)).x(), at.y())


def tree_row(tree: ValueTree, path: tuple[str, ...]) -> QTreeWidgetItem | None:
    rows = [tree.topLevelItem(place) for place in range(tree.topLevelItemCount())]
    found: QTreeWidgetItem | None = None
    for name in path:
        found = next((row for row in rows if row is not None and row.text(0) == name), None)
        if found is None:
            return None
        rows = [found.child(place) for place in range(found.childCount())]
    return found


def which_way(tree: ValueTree, path: tuple[str, ...]) -> int:
    """Below what is seen (1), above it (-1), or seen (0)."""
    row, viewport = tree_row(tree, path), tree.viewport()
    assert row is not None and viewport is not None
    box = tree.visualItemRect(row)
    return 1 if box.bottom() > viewport.height() else -1 if box.top() < 0 else 0


def row_at(tree: ValueTree, path: tuple[str, ...]) -> QPoint | None:
    row, viewport = tree_row(tree, path), tree.viewport()
    if row is None or viewport is None or not viewport.isVisible():
        return None
    box = tree.visualItemRect(row)
    return viewport.mapToGlobal(QPoint(min(box.left() + 30, viewport.width() - 4), box.center().y()))


def highest(array: ArrayView) -> QPoint | None:
    """The cell with the greatest value."""
    frame, data = array.picture._frame(), array.data
    if data is None or not array.picture.isVisible():
        return None
    row, column = np.unravel_index(int(np.nanargmax(data.grid)), data.grid.shape)
    rows, columns = data.grid.shape
    x, y = (column + 0.5) / columns * frame.width(), (row + 0.5) / rows * frame.height()
    return array.picture.mapToGlobal(QPoint(int(frame.left() + x), int(frame.top() + y)))


def where_it_stands(window: MainWindow) -> tuple[object, ...]:
    stepping = window.live.feed.state.get("stepping") or {}
    stand = window.freeze.stand
    return (stepping.get("position"), stand and (stand.topic, stand.sequence, stand.line))


def played_ns(window: MainWindow) -> int:
    player = window.live.feed.state.get("player") or {}
    return int(player.get("time_ns", 0)) - int(player.get("start_ns", 0))
