"""Where things of the window are on the screen, for who has only a mouse; None while they are not there."""

from __future__ import annotations

import numpy as np
from PyQt6.Qsci import QsciScintilla
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtWidgets import QAbstractButton, QDialog, QFileDialog, QLineEdit, QTreeWidgetItem, QWidget

from studio.editor.code.code_editor import CodeEditor
from studio.editor.panels.debug.value_tree import ValueTree
from studio.editor.views.data.array_view import ArrayView
from studio.editor.window.main_window import MainWindow


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
    found = shown(window, kind)
    return getattr(found, button) if found is not None else None


def shown(window: MainWindow, kind: type[QDialog]) -> QDialog | None:
    """The dialog of that kind that is open."""
    return next((each for each in window.findChildren(kind) if each.isVisible()), None)


def button_with(parent: QWidget, text: str) -> QPoint | None:
    return next((middle(each) for each in parent.findChildren(QAbstractButton) if each.text() == text), None)


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


# ---- the palette and the canvas


def palette_field(window: MainWindow) -> QPoint | None:
    return middle(window.palette_panel.field)


def palette_row(window: MainWindow, type_name: str) -> QPoint | None:
    """The row of a component, if it can be seen."""
    tree = window.palette_panel.tree
    rows = tree.findItems(type_name, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
    viewport = tree.viewport()
    if not rows or viewport is None or not viewport.isVisible():
        return None
    box = tree.visualItemRect(rows[0])
    return viewport.mapToGlobal(box.center()) if viewport.rect().contains(box.center()) else None


def on_canvas(window: MainWindow, point: QPointF) -> QPoint | None:
    viewport = window.canvas.viewport()
    return viewport.mapToGlobal(window.canvas.mapFromScene(point)) if viewport and viewport.isVisible() else None


def port_of(window: MainWindow, node: str, name: str) -> QPoint | None:
    item = window.canvas.canvas.nodes.get(node)
    port = item.card.port(name) if item is not None else None
    return on_canvas(window, item.anchor(port)) if item is not None and port is not None else None


def on_wire(window: MainWindow, start: str, end: str, share: float) -> QPoint | None:
    """A place on the wire between two ports, so far from its beginning."""
    for wire in window.canvas.canvas.wires.values():
        if (str(wire.connection.start), str(wire.connection.end)) == (start, end):
            return on_canvas(window, wire.path.pointAtPercent(share))
    return None


def named(parent: QWidget, kind: type[QWidget], name: str) -> QPoint | None:
    """A widget by the name that it has for those who hear the screen."""
    return next(
        (at for each in parent.findChildren(kind) if each.accessibleName() == name if (at := middle(each))), None
    )


def dock_tab(window: MainWindow, name: str) -> QPoint | None:
    """The tab of a panel or viewer, by the name of its dock."""
    dock = window.docks.manager.findDockWidget(name)
    tab = dock.tabWidget() if dock is not None else None
    if tab is None or not tab.isVisible():
        return None
    at: QPoint = tab.mapToGlobal(QPoint(20, tab.height() // 2))
    return at


def tab_of(window: MainWindow, kind: str) -> QPoint | None:
    """Of the first viewer of a kind."""
    found = next((name for name, viewer in window.viewers.open.items() if kind == viewer.KIND), None)
    return dock_tab(window, found) if found is not None else None


def dock_area(window: MainWindow, name: str) -> QWidget | None:
    """A panel with its tabs."""
    dock = window.docks.manager.findDockWidget(name)
    area: QWidget | None = dock.dockAreaWidget() if dock is not None else None
    return area
