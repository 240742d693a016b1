"""The assembly tree: bodies with their frames, sensors, joints and shapes, and the constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PyQt6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QObject, QPoint, QRect, QSize, Qt
from PyQt6.QtGui import QColor, QKeyEvent, QPainter
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from studio.editor.geometry.panels.tree_menu import open_tree_menu
from studio.editor.geometry.panels.tree_rows import ICONS, Row, matching, rows_of
from studio.editor.geometry.protocols import Context
from studio.editor.geometry.selection import Thing
from studio.editor.geometry.thing_edits import do_arranged, name_of, remove_all, rename
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.model.geometry.changed_parts import ChangedParts

THING = Qt.ItemDataRole.UserRole
KEY = Qt.ItemDataRole.UserRole + 1
LEAST_WIDTH = 200


class AssemblyTree(QWidget):
    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context
        self.changed = ChangedParts(context.workspace)
        self._rows: list[Row] = []
        self._open: dict[object, bool] = {}
        """What the user has opened or folded, by key."""
        self._items: dict[Thing, QTreeWidgetItem] = {}
        self._is_ours = False
        self.field = QLineEdit()
        is_world = context.workspace.is_world
        self.field.setPlaceholderText("Find obstacle, place" if is_world else "Find body, frame, constraint")
        self.field.setAccessibleName("Find in the vehicle")
        self.field.setToolTip("Words of a name or kind, for example: laser frame. Down leads into the tree")
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(lambda _: self._fill())
        self.field.installEventFilter(self)
        self.tree = _Tree(self)
        self.nothing = QLabel("Nothing found")
        self.nothing.setProperty("role", "muted")
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 4)
        layout.setSpacing(6)
        for widget, stretch in ((self.field, 0), (self.nothing, 0), (self.tree, 1)):
            layout.addWidget(widget, stretch)
        self._ends = [
            context.workspace.listen(lambda _: self._refresh()),
            context.selection.listen(self._show_selection),
        ]
        self._refresh()

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, super().minimumSizeHint().height())

    def show_theme(self, theme: Theme) -> None:
        self._fill()

    def close_panel(self) -> None:
        for end in self._ends:
            end()
        self._ends = []

    # ---- filling

    def _refresh(self) -> None:
        """After an edit: rows are made again only where something in them is another."""
        rows = rows_of(self.context.workspace, self.changed)
        if rows != self._rows:
            self._rows = rows
            self._fill()

    def _fill(self) -> None:
        shown = matching(self._rows, self.field.text()) if self.field.text().strip() else self._rows
        place = self._bar_value()
        self._is_ours = True
        self.tree.clear()
        self._items = {}
        for row in shown:
            self.tree.addTopLevelItem(self._item(row))
        for item in self.tree.all_items():
            item.setExpanded(self._is_open(item))
            item.setFirstColumnSpanned(not item.text(1))
        self._is_ours = False
        self.nothing.setVisible(not shown)
        self._show_selection()
        self._set_bar_value(place)

    def _item(self, row: Row) -> QTreeWidgetItem:
        theme = self.context.theme
        item = QTreeWidgetItem([row.name, "new" if row.mark == "new" else row.note])
        item.setIcon(0, icon(ICONS[row.kind], theme.warning if row.mark else theme.muted))
        if row.mark:
            item.setForeground(0, QColor(theme.warning))
            item.setToolTip(0, f"{row.name}: {'new' if row.mark == 'new' else 'not as in the saved file'}")
        item.setForeground(1, QColor(theme.muted))
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        item.setData(0, KEY, (row.key, row.starts_open))
        item.setData(0, THING, row.thing)
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        item.setFlags(flags | Qt.ItemFlag.ItemIsEditable if row.thing is not None else Qt.ItemFlag.ItemIsEnabled)
        if row.thing is not None:
            self._items[row.thing] = item
        else:
            font = item.font(0)
            font.setWeight(font.Weight.DemiBold)
            item.setFont(0, font)
        item.addChildren([self._item(each) for each in row.rows])
        return item

    def _is_open(self, item: QTreeWidgetItem) -> bool:
        key, starts_open = item.data(0, KEY)
        return bool(starts_open) if self.field.text().strip() else self._open.get(key, bool(starts_open))

    def remember(self, item: QTreeWidgetItem, is_open: bool) -> None:
        if not self._is_ours and not self.field.text().strip():
            self._open[item.data(0, KEY)[0]] = is_open

    # ---- selection

    def _show_selection(self) -> None:
        if self._is_ours:
            return
        self._is_ours = True
        wanted = set(self.context.selection.selected)
        for thing, item in self._items.items():
            item.setSelected(thing in wanted)
        current = self.context.selection.current
        found = self._items.get(current) if current is not None else None
        if found is not None and self.tree.currentItem() is not found:
            above = found.parent()
            while above is not None:
                above.setExpanded(True)
                above = above.parent()
            self.tree.setCurrentItem(found, 0, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.tree.scrollToItem(found)
        self._is_ours = False
        self.tree.show_hovered(self._items.get(self.context.selection.hovered))  # type: ignore[arg-type]

    def take_selection(self) -> None:
        """What the user has selected in the tree."""
        if not self._is_ours:
            things = [self.thing_of(item) for item in self.tree.selectedItems()]
            self._is_ours = True
            self.context.selection.choose(*(thing for thing in things if thing is not None))
            self._is_ours = False

    def thing_of(self, item: QTreeWidgetItem | None) -> Thing | None:
        thing: Thing | None = item.data(0, THING) if item is not None else None
        return thing

    def names(self) -> list[str]:
        """Of all rows that are there, from top to bottom."""
        return [item.text(0) for item in self.tree.all_items()]

    def item_of(self, thing: Thing) -> QTreeWidgetItem | None:
        return self._items.get(thing)

    # ---- edits

    def begin_rename(self) -> None:
        item = self.tree.currentItem()
        thing = self.thing_of(item)
        if item is not None and thing is not None:
            self._is_ours = True
            item.setText(0, name_of(self.context.workspace, thing))
            self._is_ours = False
            self.tree.editItem(item, 0)

    def take_name(self, item: QTreeWidgetItem, column: int) -> None:
        thing = self.thing_of(item)
        if self._is_ours or column != 0 or thing is None:
            return
        context, new = self.context, item.text(0).strip()
        if new != name_of(context.workspace, thing):
            self.do(lambda: rename(context.workspace, thing, new))
        self._rows = []
        self._refresh()

    def remove_selected(self) -> None:
        things = self.context.selection.selected
        if things:
            self.do(lambda: remove_all(self.context.workspace, things))

    def do(self, make: Callable[[], object]) -> bool:
        return do_arranged(self.context.do_all, self.context.say, make)  # type: ignore[arg-type]

    # ---- keys

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return):
                self.tree.setFocus()
                self._choose_first_hit()
                return True
            if event.key() == Qt.Key.Key_Escape and self.field.text():
                self.field.clear()
                return True
        return super().eventFilter(watched, event)

    def _choose_first_hit(self) -> None:
        text = self.field.text().lower().strip()
        hits = [thing for thing, item in self._items.items() if text in item.text(0).lower()]
        if text and hits:
            self.context.selection.choose(hits[0])

    def _bar_value(self) -> int:
        bar = self.tree.verticalScrollBar()
        return bar.value() if bar is not None else 0

    def _set_bar_value(self, value: int) -> None:
        bar = self.tree.verticalScrollBar()
        if bar is not None:
            bar.setValue(value)


class _Tree(QTreeWidget):
    def __init__(self, panel: AssemblyTree) -> None:
        super().__init__()
        self.panel = panel
        self._hovered: QTreeWidgetItem | None = None
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        header = self.header()
        assert header is not None
        header.setStretchLastSection(False)
        header.setSectionResizeMode(0, header.ResizeMode.Stretch)
        header.setSectionResizeMode(1, header.ResizeMode.ResizeToContents)
        header.setMinimumSectionSize(20)
        self.setAccessibleName("Vehicle")
        self.setIndentation(14)
        self.setUniformRowHeights(True)
        self.setMouseTracking(True)
        self.setIconSize(QSize(16, 16))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setItemDelegate(_NoteOnlyShown(self))
        self.itemSelectionChanged.connect(panel.take_selection)
        self.itemExpanded.connect(lambda item: panel.remember(item, True))
        self.itemCollapsed.connect(lambda item: panel.remember(item, False))
        self.itemChanged.connect(panel.take_name)
        self.itemEntered.connect(lambda item, _: panel.context.selection.hover(panel.thing_of(item)))
        self.itemDoubleClicked.connect(lambda *_: panel.begin_rename())
        self.customContextMenuRequested.connect(self._menu)

    def all_items(self) -> Iterable[QTreeWidgetItem]:
        waiting = [self.topLevelItem(place) for place in range(self.topLevelItemCount())]
        while waiting:
            item = waiting.pop(0)
            if item is not None:
                yield item
                waiting = [*(item.child(place) for place in range(item.childCount())), *waiting]

    def show_hovered(self, item: QTreeWidgetItem | None) -> None:
        """What the mouse is over in the view."""
        if item is not self._hovered:
            self._hovered = item
            viewport = self.viewport()
            if viewport is not None:
                viewport.update()

    def hovered(self) -> QTreeWidgetItem | None:
        return self._hovered

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        match event.key():
            case Qt.Key.Key_F2:
                self.panel.begin_rename()
            case Qt.Key.Key_Delete:
                self.panel.remove_selected()
            case Qt.Key.Key_Escape:
                self.panel.context.selection.give_up_pick()
            case _:
                super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent | None) -> None:
        self.panel.context.selection.hover(None)
        super().leaveEvent(event)

    def _menu(self, at: QPoint) -> None:
        viewport = self.viewport()
        assert viewport is not None
        thing = self.panel.thing_of(self.itemAt(at))
        if thing is not None:
            open_tree_menu(self.panel, thing, viewport.mapToGlobal(at))


class _NoteOnlyShown(QStyledItemDelegate):
    """Names can be edited, the words at their right cannot; what the view points at gets the ground of a hover."""

    def __init__(self, tree: _Tree) -> None:
        super().__init__(tree)
        self.tree = tree

    def createEditor(
        self, parent: QWidget | None, option: QStyleOptionViewItem, index: QModelIndex
    ) -> QWidget | None:  # fmt: skip
        return super().createEditor(parent, option, index) if index.column() == 0 else None

    def updateEditorGeometry(self, editor: QWidget | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        if editor is not None:
            editor.setGeometry(QRect(option.rect).adjusted(20, 0, 0, 0))

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        hovered = self.tree.hovered()
        if painter is not None and hovered is not None and self.tree.itemFromIndex(index) is hovered:
            painter.fillRect(option.rect, QColor(self.tree.panel.context.theme.hover))
        super().paint(painter, option, index)
