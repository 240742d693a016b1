"""The breakpoints panel: everything that makes the system stop, of whatever kind, with a tick, a place and a word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PyQt6.QtCore import QPoint, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QKeySequence, QResizeEvent, QShortcut
from PyQt6.QtWidgets import QHeaderView, QMenu, QToolButton, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from studio.editor.code.breakpoint_book import EXCEPTION_TIPS, EXCEPTIONS, BreakpointBook, point_words
from studio.editor.code.ports import WithCode, WithDebug
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.viewer import Bar, facts
from studio.editor.ports import WithTheme

NAME, ABOUT = range(2)
BESIDE_NAME = 68
"""Tick, icon and margins, in pixels."""
LEAST_ABOUT = 60
"""Less room would show a letter and dots."""
_PICTURES = {
    (False, False): "fa6s.circle",
    (False, True): "mdi6.circle-outline",
    (True, False): "fa6s.diamond",
    (True, True): "mdi6.rhombus-outline",
}
"""Of a log point or not; hollow while it waits for the debugger."""
_KIND, _KEY = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1


class Needs(WithCode, WithDebug, WithTheme, Protocol):
    """What is taken from the window."""

    @property
    def event_breaks(self) -> Kind: ...


@dataclass(frozen=True)
class Row:
    """One breakpoint as the panel shows it."""

    key: str
    text: str
    icon: str
    tone: str
    """error, warning, muted ...: a colour of the theme."""
    enabled: bool = True
    about: str = ""
    """At the right: `3×` it was hit, `log`, `before`."""
    tip: str = ""


class Kind(Protocol):
    """One sort of breakpoints. Event breakpoints and those in code are rows of the same list."""

    adds: str
    """The entry of the + menu; empty where nothing can be added by hand."""

    def rows(self) -> list[Row]: ...

    def set_enabled(self, key: str, on: bool) -> None: ...

    def remove(self, key: str) -> None: ...

    def open(self, key: str) -> None:
        """Go there, or edit it: what a double-click does."""

    def add(self) -> None: ...

    def listen(self, heard: Callable[[], object]) -> None: ...


class LineBreakpoints:
    """Those of the code, and the points that only say something."""

    adds = ""

    def __init__(self, book: BreakpointBook, go_to: Callable[[str, int], object]) -> None:
        self.book, self.go_to = book, go_to

    def rows(self) -> list[Row]:
        rows = []
        for point in self.book.all():
            words = [f"when {point.condition}"] if point.condition else []
            words += [f"hits {point.hits}"] if point.hits else []
            if point.log:
                words.append(f"says {point.log}")
            if self.book.hit.get(point.key):
                words.append(f"{self.book.hit[point.key]}×")
            waiting = self.book.waiting.get(point.key, "") if point.enabled else ""
            rows.append(
                Row(
                    point.key,
                    f"{point.file.rpartition('/')[2]}:{point.line}",
                    _PICTURES[bool(point.log), bool(waiting)],
                    "error" if point.enabled else "muted",
                    point.enabled,
                    ", ".join(words) or ("waiting" if waiting else ""),
                    f"{point_words(point, waiting)}\n{point.file}:{point.line}",
                )
            )
        return rows

    def set_enabled(self, key: str, on: bool) -> None:
        point = self.book.by_key(key)
        if point is not None:
            self.book.set_enabled(point.file, point.line, on)

    def remove(self, key: str) -> None:
        point = self.book.by_key(key)
        if point is not None:
            self.book.remove(point.file, point.line)

    def open(self, key: str) -> None:
        point = self.book.by_key(key)
        if point is not None:
            self.go_to(point.file, point.line)

    def add(self) -> None:
        """By a click left of a line."""

    def listen(self, heard: Callable[[], object]) -> None:
        self.book.listen(lambda *_: heard())


class ExceptionBreakpoints:
    """Which errors stop the code that raises them."""

    adds = ""

    def __init__(self, book: BreakpointBook) -> None:
        self.book = book

    def rows(self) -> list[Row]:
        on = self.book.exceptions
        return [
            Row(
                name,
                words,
                "fa6s.triangle-exclamation",
                "warning" if name in on else "muted",
                name in on,
                tip=EXCEPTION_TIPS[name],
            )
            for name, words in EXCEPTIONS.items()
        ]

    def set_enabled(self, key: str, on: bool) -> None:
        self.book.catch(key, on)

    def remove(self, key: str) -> None:
        """They are always there; without a tick they do nothing."""
        self.book.catch(key, False)

    def open(self, key: str) -> None:
        """There is no place to go to."""

    def add(self) -> None:
        """All there can be are listed."""

    def listen(self, heard: Callable[[], object]) -> None:
        self.book.listen(lambda *_: heard())


class Breakpoints(QWidget):
    edit_wanted = pyqtSignal(str, int)
    """File and line of a breakpoint whose conditions the user wants to change."""

    def __init__(self, window: Needs) -> None:
        super().__init__()
        self.theme: Theme = window.theme
        self.book = window.debug.book
        self.kinds: list[Kind] = []
        self.table = QTreeWidget()
        self.table.setAccessibleName("Breakpoints")
        self.table.setColumnCount(2)
        self.table.setHeaderHidden(True)
        self.table.setRootIsDecorated(False)
        self.table.setUniformRowHeights(True)
        self.table.setIconSize(QSize(12, 12))
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._menu)
        self.table.itemChanged.connect(self._ticked)
        self.table.itemActivated.connect(lambda item, _: self._of(item).open(self._key(item)))
        header = self.table.header()
        assert header is not None
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(0)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(ABOUT, QHeaderView.ResizeMode.Stretch)
        remove = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.table)
        remove.setContext(Qt.ShortcutContext.WidgetShortcut)
        remove.activated.connect(self.remove_chosen)
        self._plus = self._tool("mdi6.plus", "Add a breakpoint", self._open_plus)
        self._mute = self._tool("mdi6.bell-off-outline", "Stop nowhere: breakpoints are kept, but switched off", None)
        self._mute.setCheckable(True)
        self._mute.toggled.connect(self.book.mute)
        self._clear = self._tool("mdi6.delete-outline", "Remove all breakpoints in code", self.book.clear)
        self._words = facts()
        self._bar = Bar(self._words, self._mute, self._clear, self._plus)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._bar)
        layout.addWidget(self.table, 1)
        self._filling = False
        self.add_kind(LineBreakpoints(self.book, lambda file, line: window.code.open_at(file, line)))
        self.add_kind(window.event_breaks)
        self.add_kind(ExceptionBreakpoints(self.book))
        self.edit_wanted.connect(lambda file, line: window.code.edit_breakpoint(file, line))

    def add_kind(self, kind: Kind) -> None:
        """More rows; those of the exceptions stay the last."""
        last = bool(self.kinds) and isinstance(self.kinds[-1], ExceptionBreakpoints)
        self.kinds.insert(len(self.kinds) - last, kind)
        kind.listen(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        self._filling = True
        chosen = self.table.currentItem()
        kept = (chosen.data(0, _KIND), chosen.data(0, _KEY)) if chosen is not None else None
        self.table.clear()
        for number, kind in enumerate(self.kinds):
            for row in kind.rows():
                item = self._item(row)
                item.setData(0, _KIND, number)
                self.table.addTopLevelItem(item)
                if kept == (number, row.key):
                    self.table.setCurrentItem(item)
        stops = sum(1 for kind in self.kinds for row in kind.rows() if row.enabled)
        self._words.setText("muted: nothing stops" if self.book.muted else f"{stops} on")
        self._mute.setChecked(self.book.muted)
        self._plus.setVisible(any(kind.adds for kind in self.kinds))
        self._filling = False
        self._fit()

    def _item(self, row: Row) -> QTreeWidgetItem:
        item = QTreeWidgetItem([row.text, row.about])
        item.setData(0, _KEY, row.key)
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
        item.setCheckState(0, Qt.CheckState.Checked if row.enabled else Qt.CheckState.Unchecked)
        item.setIcon(0, icon(row.icon, getattr(self.theme, row.tone)))
        item.setForeground(ABOUT, QColor(self.theme.muted))
        for column in (NAME, ABOUT):
            item.setToolTip(column, row.tip or row.text)
        if not row.enabled:
            item.setForeground(NAME, QColor(self.theme.muted))
        return item

    def remove_chosen(self) -> None:
        """The row with the cursor; the cursor goes to the next one."""
        item = self.table.currentItem()
        if item is None:
            return
        place = self.table.indexOfTopLevelItem(item)
        self._of(item).remove(self._key(item))
        if self.table.currentItem() is None:
            self.table.setCurrentItem(self.table.topLevelItem(min(place, self.table.topLevelItemCount() - 1)))

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Names get the room that they need, and what is said about them the rest; nothing scrolls sideways."""
        header, viewport = self.table.header(), self.table.viewport()
        assert header is not None and viewport is not None
        rows = [self.table.topLevelItem(place) for place in range(self.table.topLevelItemCount())]
        texts = [self.table.fontMetrics().horizontalAdvance(item.text(NAME)) for item in rows if item is not None]
        needed, room = max(texts, default=0) + BESIDE_NAME, viewport.width()
        header.resizeSection(NAME, needed if needed + LEAST_ABOUT <= room else room)

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        for button, name in ((self._plus, "mdi6.plus"), (self._mute, "mdi6.bell-off-outline"),
                             (self._clear, "mdi6.delete-outline")):  # fmt: skip
            button.setIcon(icon(name, theme.muted, theme.accent))
        self.refresh()

    def _tool(self, name: str, words: str, do: Callable[[], object] | None) -> QToolButton:
        button = QToolButton()
        button.setIcon(icon(name, self.theme.muted, self.theme.accent))
        button.setToolTip(words)
        button.setAccessibleName(words.partition(":")[0])
        if do is not None:
            button.clicked.connect(lambda _=False: do())
        return button

    def _of(self, item: QTreeWidgetItem) -> Kind:
        return self.kinds[int(item.data(0, _KIND))]

    def _key(self, item: QTreeWidgetItem) -> str:
        return str(item.data(0, _KEY))

    def _ticked(self, item: QTreeWidgetItem, column: int) -> None:
        if not self._filling and column == NAME:
            self._of(item).set_enabled(self._key(item), item.checkState(0) == Qt.CheckState.Checked)

    def _open_plus(self) -> None:
        menu = QMenu(self)
        for kind in self.kinds:
            if kind.adds:
                entry = menu.addAction(kind.adds)
                assert entry is not None
                entry.triggered.connect(lambda _=False, kind=kind: kind.add())
        menu.popup(self._plus.mapToGlobal(QPoint(0, self._plus.height())))

    def _menu(self, at: QPoint) -> None:
        item, viewport = self.table.itemAt(at), self.table.viewport()
        if item is not None and viewport is not None:
            self.menu_of(item).popup(viewport.mapToGlobal(at))

    def menu_of(self, item: QTreeWidgetItem) -> QMenu:
        """What can be done to a row."""
        kind, key = self._of(item), self._key(item)
        menu = QMenu(self)
        entries: dict[str, Callable[[], object]] = {}
        if not isinstance(kind, ExceptionBreakpoints):
            entries["Open" if isinstance(kind, LineBreakpoints) else "Edit…"] = lambda: kind.open(key)
            point = self.book.by_key(key) if isinstance(kind, LineBreakpoints) else None
            if point is not None:
                entries["Condition, count or log…"] = lambda: self.edit_wanted.emit(point.file, point.line)
            entries["Remove\tDel"] = lambda: kind.remove(key)
        for text, do in entries.items():
            entry = menu.addAction(text)
            assert entry is not None
            entry.triggered.connect(lambda _=False, do=do: do())
        return menu
