"""Topics: what flows, how fast, and what the last message says; a field can be dragged onto a plot."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
from PyQt6.QtCore import QPoint, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QGuiApplication, QResizeEvent
from PyQt6.QtWidgets import QAbstractItemView, QHeaderView, QLineEdit, QMenu, QTreeWidgetItem

from studio.editor.live.batch import Event
from studio.editor.live.feed import Changes, Feed
from studio.editor.live.last_message import ask_last, who_knows
from studio.editor.live.state import rate_words
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.viewer import RUN, Bar, Empty, Offer, Viewer, column, facts, stacked
from studio.editor.views.data.message_nodes import value_line
from studio.editor.views.data.topic_rows import PATH, TOPIC, FieldRow, TopicRow, TopicTree, fields_of_item
from studio.editor.views.shared.field_drag import Field
from studio.messages import Message, MessageError
from studio.messages.field_paths import field_at, fields_of, numbers_in, parse_path, step_to, value_at

NAMES_PX, TYPES_PX, FIGURE_PX = 240, 110, 96
"""Of the columns; the types take what is left."""
COLUMNS = ("Topic", "Type or value", "Rate", "Bandwidth", "Latency", "Lost", "Events")
UNKNOWN = "—"
SCROLL_BAR_PX = 16
NARROW = 400
"""Pixels: below this there is room for one column beside the names. It is the rate, or values where a topic is open."""
SORT_EVERY_MS = 2000
"""Rows that change places more often cannot be read."""
MOST_ROWS = 500
"""Of a message, and of a field in it: JSON and Protobuf may have ten thousand, which would halt the window."""
MORE = "more …"
WAITS = "waiting for a message …"
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class TopicsViewer(Viewer):
    KIND, TITLE, ICON = "topics", "Topics", "mdi6.access-point"
    plot_wanted = pyqtSignal(object)
    """A Field that the user wants to see as a curve."""
    break_wanted = pyqtSignal(str)
    """A topic: the system is to stop at its events."""
    cause_wanted = pyqtSignal(str, int)
    """A topic, and 0: the causes of its newest event are wanted."""
    message_wanted = pyqtSignal(str)
    """A topic whose messages are wanted in a panel of their own."""

    def __init__(self, feed: Feed, theme: Theme) -> None:
        super().__init__(feed, theme)
        self.tree = TopicTree()
        self.tree.setAccessibleName("Topics")
        self.tree.setHeaderLabels(list(COLUMNS))
        self.tree.setUniformRowHeights(True)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.tree.setDragEnabled(True)
        self.tree.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.tree.itemExpanded.connect(self._open)
        self.tree.itemCollapsed.connect(self._shut)
        self.tree.itemDoubleClicked.connect(self._double_clicked)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._menu)
        header = self.tree.header()
        assert header is not None
        header.setStretchLastSection(False)
        header.resizeSection(0, NAMES_PX)
        header.setMinimumSectionSize(FIGURE_PX // 2)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        head = self.tree.headerItem()
        assert head is not None
        for number in range(2, len(COLUMNS)):
            # Not by the contents: all rows would be measured anew with every number that changes.
            header.resizeSection(number, FIGURE_PX)
            head.setTextAlignment(number, _RIGHT)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        header.sectionClicked.connect(self._sort_by)
        header.setToolTip("A click sorts, a second one the other way round")
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find a topic or type")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.facts = facts("Open a topic to see its last message; drag a number onto a plot")
        self.empty = Empty(self.ICON, "Nothing flows. Run the system, and its topics are listed here", theme)
        self.place, self._stack = stacked(self.empty, self.tree)
        column(self, Bar(self.search, self.facts), self.place)
        self._rows: dict[str, TopicRow] = {}
        self._leaves: dict[str, dict[str, QTreeWidgetItem]] = {}
        self._within: dict[str, dict[str, QTreeWidgetItem]] = {}
        """Topic -> paths of numbers inside of a field -> their rows."""
        self._sorted_by = 0
        self._sorting = QTimer(self)
        self._sorting.setInterval(SORT_EVERY_MS)
        self._sorting.timeout.connect(self._sort)
        self.topics_changed()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        """Nothing is beyond the right edge: in a narrow panel figures are left out, from the right to the left."""
        is_narrow = self.width() < NARROW
        is_open = any(row.isExpanded() for row in self._rows.values())
        self.tree.setColumnHidden(1, is_narrow and not is_open)
        if is_narrow:
            for number in range(2, len(COLUMNS)):
                self.tree.setColumnHidden(number, number > 2 or is_open)
            beside = self.width() * 11 // 20 if is_open else FIGURE_PX + SCROLL_BAR_PX
            self._set_names(self.width() - beside)
            return
        room = (self.width() - NAMES_PX - TYPES_PX - SCROLL_BAR_PX) // FIGURE_PX
        for number in range(2, len(COLUMNS)):
            self.tree.setColumnHidden(number, number - 2 >= max(room, 1))
        self._set_names(min(self.width() - TYPES_PX - FIGURE_PX - SCROLL_BAR_PX, NAMES_PX))

    def _set_names(self, width: int) -> None:
        header = self.tree.header()
        assert header is not None
        header.resizeSection(0, width)

    # ---- the order

    def _sort_by(self, column: int) -> None:
        """Names and types from A to Z first, of figures the greatest first; a second click turns it round."""
        header = self.tree.header()
        assert header is not None
        first = Qt.SortOrder.AscendingOrder if column < 2 else Qt.SortOrder.DescendingOrder
        # Qt has moved the mark already, and turned it where the column is the same.
        if column != self._sorted_by:
            header.setSortIndicator(column, first)
        self._sorted_by = column
        self._sort()
        self._sorting.start() if column > 1 else self._sorting.stop()

    def _sort(self) -> None:
        header = self.tree.header()
        if header is not None and self.isVisible():
            self.tree.sortItems(self._sorted_by, header.sortIndicatorOrder())

    def begin_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    # ---- the feed

    def offer(self) -> Offer | None:
        return None if self.feed.is_attached else RUN

    def topics_changed(self) -> None:
        topics = self.feed.state.get("topics", {})
        for name in [name for name in self._rows if name not in topics] if topics else ():
            row = self._rows.pop(name)
            self.look_at(name, "", self._take)
            self._leaves.pop(name, None)
            self._within.pop(name, None)
            self.tree.takeTopLevelItem(self.tree.indexOfTopLevelItem(row))
        for name, topic in topics.items():
            if name not in self._rows:
                self._rows[name] = self._row(name, topic)
        self._refresh(set(topics))
        self._sort()
        self._filter(self.search.text())
        self._stack.setCurrentWidget(self.tree if self._rows else self.empty)

    def changed(self, changes: Changes) -> None:
        self._refresh(changes.topics)

    def _row(self, name: str, topic: dict[str, Any]) -> TopicRow:
        row = TopicRow([name, str(topic.get("type", ""))])
        row.setData(0, TOPIC, name)
        row.setChildIndicatorPolicy(QTreeWidgetItem.ChildIndicatorPolicy.ShowIndicator)
        row.setIcon(0, icon("fa6s.circle", self.theme.hue(str(topic.get("type", "")))))
        for number in range(2, len(COLUMNS)):
            row.setTextAlignment(number, _RIGHT)
        names = sorted([*self._rows, name])
        self.tree.insertTopLevelItem(names.index(name), row)
        return row

    def _refresh(self, names: set[str]) -> None:
        topics = self.feed.state.get("topics", {})
        for name in names:
            topic, row = topics.get(name), self._rows.get(name)
            if topic is None or row is None:
                continue
            self._show_type(name, row, str(topic.get("type", "")))
            count, size = int(topic.get("count") or 0), topic.get("bytes")
            rate = float(topic.get("rate_hz") or 0.0)
            latency, drops = topic.get("latency_us", {}).get("p50"), topic.get("drops")
            each = size / count if count and size is not None else 0.0
            # What only those know who receive it is unknown where nobody does.
            texts = (
                rate_words(rate), UNKNOWN if size is None else bandwidth(rate * each),
                f"{latency / 1000:.2f} ms" if latency else UNKNOWN, UNKNOWN if drops is None else str(drops or ""),
                f"{count:,}".replace(",", "\u2009"),
            )  # fmt: skip
            row.figures = dict(enumerate((rate, rate * each, latency or 0.0, drops or 0, count), 2))
            for number, text in enumerate(texts, 2):
                if row.text(number) != text:
                    row.setText(number, text)

    def _show_type(self, name: str, row: QTreeWidgetItem, type_name: str) -> None:
        """It may be another: a source was switched, or a component written anew."""
        if row.text(1) == type_name:
            return
        row.setText(1, type_name)
        row.setIcon(0, icon("fa6s.circle", self.theme.hue(type_name)))
        self._leaves.pop(name, None)

    def ended(self) -> None:
        """Nothing flows; how much did stays."""
        for row in self._rows.values():
            for number in (2, 3):
                row.setText(number, "")

    def _filter(self, words: str) -> None:
        wanted = words.lower().split()
        for row in self._rows.values():
            text = f"{row.text(0)} {row.text(1)}".lower()
            row.setHidden(not all(word in text for word in wanted))

    # ---- the last message

    def _open(self, item: QTreeWidgetItem) -> None:
        topic = str(item.data(0, TOPIC))
        if item is self._rows.get(topic):
            if not item.childCount():
                item.addChild(self._waiting(topic))
            self.look_at(topic, topic, self._take)
            self._share_room()

    def _waiting(self, topic: str) -> FieldRow:
        known = who_knows(self.feed, topic)
        row = FieldRow([WAITS, f"double-click: ask {known[0]} for its last one" if known is not None else ""])
        row.setData(0, TOPIC, topic)
        return row

    def _ask_last(self, topic: str) -> None:
        def show(events: list[Event]) -> None:
            if topic not in self._leaves and self.watched(topic):
                self._take(events)

        ask_last(self.feed, topic, show, lambda error: self.facts.setText(str(error)))

    def _shut(self, item: QTreeWidgetItem) -> None:
        topic = str(item.data(0, TOPIC))
        if item is self._rows.get(topic):
            self.look_at(topic, "", self._take)
            self._share_room()

    def _take(self, events: list[Event]) -> None:
        event = events[-1]
        row = self._rows.get(event.topic)
        if row is None:
            return
        shown = dict(lines_of(event.message))
        leaves = self._leaves.get(event.topic)
        if leaves is None or list(leaves) != list(shown):
            leaves = self._leaves[event.topic] = self._fill(row, event, list(shown))
        for name, text in shown.items():
            if leaves[name].text(1) != text:
                leaves[name].setText(1, text)
        for path, item in self._within.get(event.topic, {}).items():
            above = item.parent()
            if above is not None and above.isExpanded():
                item.setText(1, _words_at(event.message, path))

    def _fill(self, row: QTreeWidgetItem, event: Event, names: list[str]) -> dict[str, QTreeWidgetItem]:
        row.takeChildren()
        leaves: dict[str, QTreeWidgetItem] = {}
        inside: dict[str, QTreeWidgetItem] = {}
        self._within[event.topic] = inside
        for name in names:
            leaf = leaves[name] = FieldRow([name], len(leaves))
            leaf.setFirstColumnSpanned(False)
            row.addChild(leaf)
            own = step_to("", name)
            for path in islice(numbers_in({name: _got(event.message, name)}), MOST_ROWS):
                words = _words_at(event.message, path)
                target = leaf if path == own else FieldRow([path[len(own) :].lstrip("."), words], len(inside))
                target.setData(0, TOPIC, event.topic)
                target.setData(0, PATH, path)
                target.setToolTip(0, "Drag it onto a plot, or double-click to open a new plot")
                if target is not leaf:
                    inside[path] = target
                    leaf.addChild(target)
        return leaves

    def _double_clicked(self, item: QTreeWidgetItem, column: int) -> None:
        if item.text(0) == WAITS:
            self._ask_last(str(item.data(0, TOPIC)))
        for field in fields_of_item(item):
            self.plot_wanted.emit(field)

    def _menu(self, at: QPoint) -> None:
        item, viewport = self.tree.itemAt(at), self.tree.viewport()
        if item is None or viewport is None or not item.data(0, TOPIC):
            return
        topic = str(item.data(0, TOPIC))
        menu = self.menu_of(topic, fields_of_item(item))
        menu.exec(viewport.mapToGlobal(at))
        menu.deleteLater()

    def menu_of(self, topic: str, fields: list[Field]) -> QMenu:
        menu = QMenu(self)
        menu.addAction("Show its messages", lambda: self.message_wanted.emit(topic))
        menu.addAction("How its newest event came about", lambda: self.cause_wanted.emit(topic, 0))
        menu.addAction(f"Break on events of {topic}…", lambda: self.break_wanted.emit(topic))
        if fields:
            menu.addAction("Plot", lambda: self.plot_wanted.emit(fields[0]))
        menu.addAction("Copy its name", lambda: _copy(f"{topic}/{fields[0].path}" if fields else topic))
        return menu

    def show_theme(self, theme: Theme) -> None:
        super().show_theme(theme)
        self.empty.show_theme(theme)
        for row in self._rows.values():
            row.setIcon(0, icon("fa6s.circle", theme.hue(row.text(1))))


def bandwidth(bytes_per_s: float) -> str:
    for size, unit in ((1e6, "MB/s"), (1e3, "kB/s")):
        if bytes_per_s >= size:
            return f"{bytes_per_s / size:.1f} {unit}"
    return f"{bytes_per_s:.0f} B/s" if bytes_per_s else ""


def lines_of(message: Message | dict[str, Any]) -> list[tuple[str, str]]:
    """Every field with its value in words; long arrays by their shape and ends."""
    names = fields_of(message)
    lines = [(name, in_words(_got(message, name))) for name in names[:MOST_ROWS]]
    return [*lines, (MORE, f"{len(names) - MOST_ROWS} in its messages")] if len(names) > MOST_ROWS else lines


def _got(message: Message | dict[str, Any], name: str) -> object:
    try:
        return field_at(message, name)
    except Exception as error:  # a property of a message that does not hold what it would be computed of
        return f"({error})"


def _words_at(message: Message | dict[str, Any], path: str) -> str:
    """Empty where this message, of JSON for example, has no such field while others had it."""
    try:
        return in_words(value_at(message, parse_path(path)))
    except MessageError:
        return ""


def in_words(value: object) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.6g}".replace("-", "−")
    if isinstance(value, np.ndarray):
        if value.size <= 8 and value.ndim == 1:
            return "  ".join(in_words(each) for each in value.tolist())
        kind = f"{' × '.join(str(n) for n in value.shape)} {value.dtype}"
        if not value.size or value.dtype.kind not in "biuf":
            return kind
        finite = value[np.isfinite(value)] if value.dtype.kind == "f" else value
        range_ = f"{finite.min():.4g} … {finite.max():.4g}".replace("-", "−") if finite.size else "nothing finite"
        return f"{kind}, {range_}"
    return value_line(value)


def _copy(text: str) -> None:
    clipboard = QGuiApplication.clipboard()
    if clipboard is not None:
        clipboard.setText(text)
