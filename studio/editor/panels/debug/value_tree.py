"""A tree of values of the frame that is looked at: filled as it is opened, with words where the debugger has text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QEvent, QModelIndex, QPoint, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QColor, QKeyEvent, QResizeEvent
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QMenu,
    QToolTip,
    QTreeWidget,
    QTreeWidgetItem,
)

from studio.editor.code import looks
from studio.editor.code.debug_session import Body
from studio.editor.look.fonts import code_font
from studio.editor.look.theme import Theme
from studio.editor.panels.debug.value_edit import ValueEdit, as_written
from studio.errors import StudioError

if TYPE_CHECKING:
    from studio.editor.code.debug_control import DebugControl

NAME, TYPE, VALUE = range(3)
MOST_CHARACTERS = 160
MOST_PX = {NAME: 116, TYPE: 92}
"""Of the columns beside the value."""
GROUPS = {"special variables", "function variables", "class variables", "protected variables"}
"""What debugpy adds to every object, and nobody looks for."""
CALLABLES = {"method", "function", "builtin_function_or_method", "method-wrapper", "module", "ABCMeta"}
_EXPRESSION, _REFERENCE, _ARRAY, _FULL, _RAW = (Qt.ItemDataRole.UserRole + number for number in range(5))


class ValueTree(QTreeWidget):
    chosen = pyqtSignal(str, bool)
    """The expression of the row, and whether it is an array."""

    def __init__(self, debug: DebugControl, theme: Theme, name: str) -> None:
        super().__init__()
        self.debug, self.theme = debug, theme
        self.setAccessibleName(name)
        self.setHeaderLabels(["Name", "Type", "Value"])
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(True)
        self.setIndentation(14)
        header = self.header()
        assert header is not None
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMinimumSectionSize(MOST_PX[TYPE] // 2)
        header.sectionResized.connect(lambda *_: self._widened())
        self.itemExpanded.connect(self._expanded)
        self.itemCollapsed.connect(lambda item: self._open.discard(self.expression(item)))
        self.currentItemChanged.connect(lambda item, _: self._chosen(item))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._menu)
        self.setItemDelegateForColumn(VALUE, ValueEdit(self))
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked)
        self.more_entries: Callable[[QMenu, str], object] = lambda menu, expression: None
        self._open: set[str] = set()
        """Expressions of rows that were opened, to open them again at the next stop."""
        self._before: dict[str, str] = {}
        self._now: dict[str, str] = {}
        self._selected = ""
        self._scrolled = 0
        self._quiet = self._by_hand = False
        self.turn = 0
        """Counts fillings: rows of an older one are gone, and answers about them are late."""

    # ---- columns

    def _widened(self) -> None:
        self._by_hand = self._by_hand or bool(QApplication.mouseButtons() & Qt.MouseButton.LeftButton)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """Where there is little room the value has most of it, unless somebody has chosen the widths."""
        super().resizeEvent(event)
        header, viewport = self.header(), self.viewport()
        if not self._by_hand and header is not None and viewport is not None:
            for column, share in ((NAME, 0.36), (TYPE, 0.22)):
                header.resizeSection(column, min(MOST_PX[column], int(viewport.width() * share)))

    # ---- filling

    def begin(self) -> None:
        """Another stop or frame: what was known is what it was before."""
        self._before, self._now = self._now, {}
        self.turn += 1
        bar = self.verticalScrollBar()
        self._scrolled = bar.value() if bar is not None else 0
        self._quiet = True
        self.clear()
        self._quiet = False

    def add(self, parent: QTreeWidgetItem | None, told: Body) -> QTreeWidgetItem:
        """A row from what the debugger says of a variable."""
        item = QTreeWidgetItem([str(told.get("name", "")), str(told.get("type") or ""), ""])
        expression = str(told.get("evaluateName") or "")
        item.setData(0, _EXPRESSION, expression)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        item.setFont(VALUE, code_font(12))
        item.setForeground(TYPE, QColor(self.theme.muted))
        self._quiet = True  # with the focus, a tree chooses its first row by itself
        if parent is None:
            self.addTopLevelItem(item)
        else:
            parent.addChild(item)
        self._quiet = False
        self.update_row(item, told)
        if expression and expression == self._selected:
            self._quiet = True
            self.setCurrentItem(item)
            self._quiet = False
        return item

    def update_row(self, item: QTreeWidgetItem, told: Body) -> None:
        """Type, value and what is within, of a row that is there."""
        item.setText(TYPE, str(told.get("type") or ""))
        item.setData(0, _REFERENCE, int(told.get("variablesReference") or 0))
        item.setData(0, _RAW, str(told.get("value") or ""))
        self._set_value(item, str(told.get("value") or ""))
        if item.data(0, _REFERENCE):
            item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
            if self.expression(item) in self._open:
                item.setExpanded(True)

    def ask_words(self, items: Mapping[str, QTreeWidgetItem], expression: str) -> None:
        """Ask for the words of rows that are there: what `expression` tells by their names."""
        turn = self.turn

        def show(body: Body) -> None:
            if turn == self.turn:
                self.adorn(items, looks.told(str(body.get("result", ""))))

        self.debug.evaluate(expression, show, context="clipboard")

    def adorn(self, items: Mapping[str, QTreeWidgetItem], told: Mapping[str, Any]) -> None:
        """Words for rows, by name: shapes instead of numbers, fields instead of addresses."""
        for name, about in told.items():
            item = items.get(name)
            if item is None:
                continue
            item.setText(TYPE, str(about["type"]))
            item.setData(0, _ARRAY, bool(about["array"]))
            self._set_value(item, str(about["words"]))
            if self.expression(item) == self._selected and about["array"]:
                self.chosen.emit(self._selected, True)
        if self._scrolled:
            QTimer.singleShot(0, self._scroll_back)

    def _scroll_back(self) -> None:
        """To where it was: rows within rows come later than the others, and with them the room to scroll."""
        bar = self.verticalScrollBar()
        if bar is not None:
            bar.setValue(self._scrolled)

    def _set_value(self, item: QTreeWidgetItem, text: str) -> None:
        line = " ".join(text.split())
        item.setText(VALUE, line if len(line) <= MOST_CHARACTERS else f"{line[:MOST_CHARACTERS]}…")
        item.setToolTip(VALUE, text[:2000])
        item.setToolTip(NAME, self.expression(item))
        item.setData(0, _FULL, text)
        expression = self.expression(item)
        if expression:
            self._now[expression] = text
        changed = self._before.get(expression, text) != text
        item.setForeground(VALUE, QColor(self.theme.accent if changed else self.theme.text))

    # ---- opening

    def _expanded(self, item: QTreeWidgetItem) -> None:
        expression, reference = self.expression(item), int(item.data(0, _REFERENCE) or 0)
        if expression:
            self._open.add(expression)
        if item.childCount() or not reference or self.debug.session is None:
            return
        turn = self.turn

        def failed(error: StudioError) -> None:
            if turn == self.turn:
                item.addChild(QTreeWidgetItem([error.message]))

        self.debug.session.ask(
            "variables",
            lambda body: self._fill(item, expression, body) if turn == self.turn else None,
            failed,
            variablesReference=reference,
        )

    def _fill(self, item: QTreeWidgetItem, expression: str, body: Body) -> None:
        """What an object holds itself comes before what it has from its class; what it can do is left out."""
        rows = [told for told in body.get("variables", []) if not _is_left_out(told)]
        turn = self.turn

        def show(words: Mapping[str, Any]) -> None:
            if turn != self.turn or item.childCount():
                return
            rows.sort(key=lambda told: _plain(str(told.get("name", ""))) not in words)
            children = {_plain(str(told.get("name", ""))): self.add(item, told) for told in rows}
            self.adorn(children, words)

        if not rows:
            item.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.DontShowIndicator)
        elif expression:
            self.debug.evaluate(
                looks.children_of(expression),
                lambda answer: show(looks.told(str(answer.get("result", "")))),
                lambda _: show({}),
                context="clipboard",
            )
        else:
            show({})

    # ---- changing

    def may_be_changed(self, item: QTreeWidgetItem | None) -> bool:
        return item is not None and bool(self.expression(item)) and self.debug.is_stopped

    def written(self, item: QTreeWidgetItem) -> str:
        """Its value as one would write it, to begin with."""
        return as_written(str(item.data(0, _RAW) or ""))

    def change(self, item: QTreeWidgetItem | None) -> None:
        """Have another value written into a row."""
        if item is not None and self.may_be_changed(item):
            self.editItem(item, VALUE)

    def assign(self, item: QTreeWidgetItem, text: str) -> None:
        """What stands here gets the value of an expression; everybody who shows values looks again."""
        expression, turn = self.expression(item), self.turn

        def failed(error: StudioError) -> None:
            if turn == self.turn:
                place = self.visualItemRect(item).bottomLeft() + QPoint(self.columnViewportPosition(VALUE), 0)
                QToolTip.showText(self.viewport().mapToGlobal(place), str(error), self)  # type: ignore[union-attr]

        self.debug.assign(expression, text, failed)

    def edit(  # type: ignore[override]
        self, index: QModelIndex, trigger: QAbstractItemView.EditTrigger, event: QEvent | None
    ) -> bool:
        """Only values, and only of what stands."""
        if index.column() != VALUE or not self.may_be_changed(self.itemFromIndex(index)):
            return False
        return super().edit(index, trigger, event)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        if event is not None and event.key() == Qt.Key.Key_F2:
            self.change(self.currentItem())
        else:
            super().keyPressEvent(event)

    # ---- rows

    def expression(self, item: QTreeWidgetItem) -> str:
        return str(item.data(0, _EXPRESSION) or "")

    def is_array(self, item: QTreeWidgetItem) -> bool:
        return bool(item.data(0, _ARRAY))

    def _chosen(self, item: QTreeWidgetItem | None) -> None:
        if item is not None and not self._quiet:
            self._selected = self.expression(item)
            self.chosen.emit(self._selected, self.is_array(item))

    def _menu(self, at: QPoint) -> None:
        item, viewport = self.itemAt(at), self.viewport()
        if item is not None and viewport is not None:
            self.menu_of(item).popup(viewport.mapToGlobal(at))

    def menu_of(self, item: QTreeWidgetItem) -> QMenu:
        menu, expression = QMenu(self), self.expression(item)
        change = menu.addAction("Change the value…")
        assert change is not None
        change.setEnabled(self.may_be_changed(item))
        change.triggered.connect(lambda: self.change(item))
        for text, copied in (("Copy value", str(item.data(0, _FULL))), ("Copy expression", expression)):
            entry = menu.addAction(text)
            assert entry is not None
            entry.triggered.connect(lambda _=False, copied=copied: _copy(copied))
        self.more_entries(menu, expression)
        return menu

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme


def _is_left_out(told: Body) -> bool:
    return told.get("name") in GROUPS or told.get("type") in CALLABLES


def _plain(name: str) -> str:
    """debugpy pads the numbers of items with zeros, so that they sort."""
    return str(int(name)) if name.isdigit() else name


def _copy(text: str) -> None:
    clipboard = QApplication.clipboard()
    if clipboard is not None:
        clipboard.setText(text)
