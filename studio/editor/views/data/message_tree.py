"""The tree of one message: filled as it is opened, brought up to date in place, changed values marked."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from PyQt6.QtCore import QMimeData, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFont, QGuiApplication, QKeyEvent, QResizeEvent
from PyQt6.QtWidgets import QAbstractItemView, QMenu, QTreeWidgetItem

from studio.editor.look.fonts import code_font, text_font
from studio.editor.look.theme import Theme
from studio.editor.views.data.field_tree import FieldTree
from studio.editor.views.data.message_nodes import (
    Node,
    children_of,
    copy_of,
    has_children,
    is_number,
    kind_words,
    value_line,
)
from studio.editor.views.shared.field_drag import Field, mime_of
from studio.messages.plain_data import as_plain

NAME_PX = 190
WIDE = 480
"""Below this what sort of thing a value is has to give way to the value."""
COLUMNS = ("Field", "", "Value", "Kind")
NAME, MARK, VALUE, KIND = range(len(COLUMNS))
CHANGED = "•"
_Policy = QTreeWidgetItem.ChildIndicatorPolicy


class _Item(QTreeWidgetItem):
    def __init__(self, node: Node) -> None:
        super().__init__([node.name])
        self.node = node
        self.setChildIndicatorPolicy(_Policy.ShowIndicator if has_children(node.value) else _Policy.DontShowIndicator)


class MessageTree(FieldTree):
    plot_wanted = pyqtSignal(object)
    """A Field."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme, self.topic = theme, ""
        self.message: Any = None
        self._words = ""
        self._opened: set[str] = set()
        """Paths that are open: they stay so when another message has another shape for a while."""
        self.setAccessibleName("Message")
        self.setHeaderLabels(list(COLUMNS))
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(True)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        self.itemExpanded.connect(self._expanded)
        self.itemCollapsed.connect(self._collapsed)
        self.itemDoubleClicked.connect(self._double_clicked)
        header = self.header()
        assert header is not None
        header.setStretchLastSection(False)
        header.resizeSection(NAME, NAME_PX)
        header.setMinimumSectionSize(18)
        header.resizeSection(MARK, 18)
        header.setSectionResizeMode(VALUE, header.ResizeMode.Stretch)
        header.setSectionResizeMode(KIND, header.ResizeMode.ResizeToContents)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self.setColumnHidden(KIND, self.width() < WIDE)
        header = self.header()
        if header is not None and self.width() < WIDE:
            header.resizeSection(NAME, min(NAME_PX, int(self.width() * 0.36)))

    # ---- the message

    def show_message(self, topic: str, message: Any) -> None:
        """Marks what is not as it was in the message before, if that was of the same topic."""
        self.topic, is_next = topic, topic == self.topic
        self.message = message
        root = self.invisibleRootItem()
        assert root is not None
        self._bring(root, children_of(message), mark=is_next)
        self._filter_rows(root)

    def forget(self) -> None:
        self.clear()
        self.topic, self.message = "", None

    def _bring(self, parent: QTreeWidgetItem, nodes: list[Node], *, mark: bool) -> None:
        """The children of an item as they are now; items stay where the names do."""
        items = [item for i in range(parent.childCount()) if isinstance(item := parent.child(i), _Item)]
        if [item.node.name for item in items] != [node.name for node in nodes]:
            parent.takeChildren()
            items = [_Item(node) for node in nodes]
            parent.addChildren(items)
            mark = False
        for item, node in zip(items, nodes, strict=True):
            self._show(item, node, mark=mark)

    def _show(self, item: _Item, node: Node, *, mark: bool) -> None:
        item.node = node
        line, kind = value_line(node.value), kind_words(node.value)
        is_new = mark and line != item.text(VALUE)
        if line != item.text(VALUE):
            item.setText(VALUE, line)
            item.setToolTip(VALUE, f"<span>{escape(line)}</span>" if isinstance(node.value, str) else "")
        if kind != item.text(KIND):
            self._dress(item, kind)
        if is_new != bool(item.text(MARK)):
            item.setText(MARK, CHANGED if is_new else "")
            item.setForeground(VALUE, QColor(self.theme.accent if is_new else self.theme.text))
        if self._key(item) in self._opened and not item.isExpanded() and has_children(node.value):
            item.setExpanded(True)
        elif item.isExpanded():
            self._bring(item, children_of(node.value, self._path(item)), mark=mark)

    def _dress(self, item: _Item, kind: str) -> None:
        item.setText(KIND, kind)
        more = has_children(item.node.value)
        item.setChildIndicatorPolicy(_Policy.ShowIndicator if more else _Policy.DontShowIndicator)
        item.setFont(VALUE, code_font(12))
        muted = QColor(self.theme.muted)
        item.setForeground(KIND, muted)
        item.setForeground(MARK, QColor(self.theme.accent))
        if item.node.is_computed:
            font = QFont(text_font(13))
            font.setItalic(True)
            item.setFont(NAME, font)
            item.setForeground(NAME, muted)
            item.setToolTip(NAME, "Computed of the fields; it is not sent")
        elif is_number(item.node.value):
            item.setToolTip(NAME, "Drag it onto a plot, or double-click for one")

    def _path(self, item: QTreeWidgetItem | None) -> str:
        """Of a page, that of the array whose page it is."""
        while isinstance(item, _Item) and not item.node.path:
            item = item.parent()
        return item.node.path if isinstance(item, _Item) else ""

    def _key(self, item: _Item) -> str:
        return item.node.path or f"{self._path(item)}{item.node.name}"

    # ---- opening

    def _expanded(self, item: QTreeWidgetItem) -> None:
        if isinstance(item, _Item):
            self._opened.add(self._key(item))
            self._bring(item, children_of(item.node.value, self._path(item)), mark=False)
            self._filter_rows(item)

    def _collapsed(self, item: QTreeWidgetItem) -> None:
        if isinstance(item, _Item):
            self._opened.discard(self._key(item))
            item.takeChildren()  # what is not seen is not kept up to date

    @property
    def opened(self) -> list[str]:
        return sorted(self._opened)

    def open_paths(self, paths: list[str]) -> None:
        """From the next message on."""
        self._opened = set(paths)

    # ---- finding

    def filter(self, words: str) -> bool:
        """Show the rows whose name or value has these words, and those around them; whether there are any."""
        self._words = words.lower().strip()
        root = self.invisibleRootItem()
        assert root is not None
        return self._filter_rows(root)

    def _filter_rows(self, parent: QTreeWidgetItem) -> bool:
        found = False
        for i in range(parent.childCount()):
            item = parent.child(i)
            assert item is not None
            within = self._filter_rows(item)
            own = not self._words or self._words in f"{item.text(NAME)} {item.text(VALUE)}".lower()
            item.setHidden(not (own or within))
            found = found or own or within
        return found

    # ---- taking out

    def fields(self, items: Any) -> list[Field]:
        """Those of the items that are numbers, or arrays of which the mean can be drawn."""
        numbers = [item for item in items if isinstance(item, _Item) and is_number(item.node.value)]
        return [Field(self.topic, item.node.path) for item in numbers if item.node.path]

    def mimeData(self, items: Any) -> QMimeData | None:
        fields = self.fields(items)
        return mime_of(fields) if fields else None

    def copy_message(self) -> None:
        """All of it, as JSON that *Publish* takes."""
        if self.message is not None:
            self._copy(json.dumps(as_plain(self.message), indent=2))

    def copy_values(self) -> None:
        self._copy("\n".join(copy_of(item.node.value) for item in self._chosen()))

    def copy_paths(self) -> None:
        self._copy("\n".join(f"{self.topic}/{self._path(item)}" for item in self._chosen()))

    def _chosen(self) -> list[_Item]:
        return [item for item in self.selectedItems() if isinstance(item, _Item)]

    def _copy(self, text: str) -> None:
        clipboard = QGuiApplication.clipboard()
        if text and clipboard is not None:
            clipboard.setText(text)

    def _double_clicked(self, item: QTreeWidgetItem, column: int) -> None:
        self._plot(self.fields([item]))

    def _plot(self, fields: list[Field]) -> None:
        for field in fields:
            self.plot_wanted.emit(field)

    def _menu(self, at: QPoint) -> None:
        fields = self.fields(self._chosen())
        menu = QMenu(self)
        copies = (("Copy value", "Ctrl+C", self.copy_values), ("Copy path", "Ctrl+Shift+C", self.copy_paths))
        for words, keys, do in copies:
            action = menu.addAction(f"{words}\t{keys}", do)
            assert action is not None
            action.setEnabled(bool(self._chosen()))
        menu.addAction("Copy the whole message as JSON", self.copy_message)
        plot = menu.addAction("Plot", lambda: self._plot(fields))
        assert plot is not None
        plot.setEnabled(bool(fields))
        viewport = self.viewport()
        assert viewport is not None
        menu.exec(viewport.mapToGlobal(at))
        menu.deleteLater()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        keys = event.keyCombination()
        control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
        if event.key() == Qt.Key.Key_C and keys.keyboardModifiers() == control:
            self.copy_values()
        elif event.key() == Qt.Key.Key_C and keys.keyboardModifiers() == control | shift:
            self.copy_paths()
        else:
            super().keyPressEvent(event)

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        root = self.invisibleRootItem()
        assert root is not None
        self._redress(root)

    def _redress(self, parent: QTreeWidgetItem) -> None:
        for i in range(parent.childCount()):
            item = parent.child(i)
            if isinstance(item, _Item):
                self._dress(item, item.text(KIND))
                item.setForeground(VALUE, QColor(self.theme.accent if item.text(MARK) else self.theme.text))
                self._redress(item)
