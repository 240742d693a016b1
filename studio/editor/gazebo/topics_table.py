"""Topics of the server and where they go: rate, direction, port, and how that was matched."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PyQt6.QtCore import QAbstractItemModel, QModelIndex, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QColor, QFont
from PyQt6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from studio.editor.look.fonts import code_font
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.runtime.gazebo.connections.mapping import FITTING, Match, Port, fitting
from studio.runtime.gazebo.server import Topic

TOPIC, TYPE, RATE, WAY, PORT, HOW = range(6)
TITLES = ("Gazebo topic", "Type", "Hz", "", "Port", "How")
NOT_USED = "not used"
GONE = "{}, not published now"
OWN = "of the server itself"
NAME = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class TopicRow:
    topic: Topic
    match: Match | None
    fixed: str = ""
    """What Studio itself uses it for."""
    is_there: bool = True

    @property
    def rank(self) -> tuple[int, str]:
        """What goes somewhere first, then what could, then the server's own."""
        could = any(self.topic.type_name.rpartition(".")[2] in types for types in FITTING.values())
        return (0 if self.match is not None else 1 if self.fixed else 2 if could else 3), self.topic.name


def rows_of(topics: Sequence[Topic], matches: Sequence[Match], fixed: Mapping[str, str]) -> list[TopicRow]:
    """Also those that have a port and are not published now."""
    by_topic = {each.topic: each for each in matches if each.topic}
    known = {each.name for each in topics}
    rows = [TopicRow(each, by_topic.get(each.name), fixed.get(each.name, "")) for each in topics]
    rows += [TopicRow(Topic(name, ""), each, is_there=False) for name, each in by_topic.items() if name not in known]
    return sorted(rows, key=lambda row: row.rank)


class TopicsTable(QTableWidget):
    chosen = pyqtSignal(str)
    """A topic, by its name."""
    port_wanted = pyqtSignal(str, str)
    """A topic and the port that it is to feed; empty: none."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(0, len(TITLES))
        self._theme = theme
        self._rows: list[TopicRow] = []
        self._rates: dict[str, float | None] = {}
        self.ports: Callable[[], list[Port]] = list
        self.setHorizontalHeaderLabels(TITLES)
        header, side = self.horizontalHeader(), self.verticalHeader()
        assert header is not None and side is not None
        side.hide()
        side.setDefaultSectionSize(25)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(TOPIC, QHeaderView.ResizeMode.Stretch)
        for column, width in ((TYPE, 135), (RATE, 56), (WAY, 30), (PORT, 180), (HOW, 150)):
            self.setColumnWidth(column, width)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setWordWrap(False)
        self.setAccessibleName("Topics and where they go")
        self.setItemDelegateForColumn(PORT, _PortDelegate(self))
        self.setToolTip("Double-click a port, or press F2, to choose another one")
        self.itemSelectionChanged.connect(lambda: self.chosen.emit(self.current_topic()))

    def current_topic(self) -> str:
        item = self.item(self.currentRow(), TOPIC)
        return str(item.data(NAME)) if item is not None else ""

    def row_at(self, place: int) -> TopicRow | None:
        return self._rows[place] if 0 <= place < len(self._rows) else None

    def show_rows(self, rows: list[TopicRow], rates: Mapping[str, float | None]) -> None:
        if self.state() == QAbstractItemView.State.EditingState:
            return
        if rows != self._rows:
            self._fill(rows)
        for place, row in enumerate(rows):
            rate = rates.get(row.topic.name)
            text = "–" if rate is None else f"{rate:.1f}"
            item = self.item(place, RATE)
            if item is not None and item.text() != text:
                item.setText(text)

    def _fill(self, rows: list[TopicRow]) -> None:
        before = self.current_topic()
        self._rows = list(rows)
        self.blockSignals(True)
        self.setRowCount(len(rows))
        for place, row in enumerate(rows):
            self._fill_row(place, row)
        chosen = next((place for place, row in enumerate(rows) if row.topic.name == before), 0 if rows else -1)
        if chosen >= 0:
            self.setCurrentCell(chosen, TOPIC)
        self.blockSignals(False)
        if self.current_topic() != before:
            self.chosen.emit(self.current_topic())

    def _fill_row(self, place: int, row: TopicRow) -> None:
        match, theme = row.match, self._theme
        short = row.topic.type_name.rpartition(".")[2]
        words = ["" for _ in TITLES]
        words[TOPIC], words[TYPE] = row.topic.name, short
        words[PORT] = str(match.port) if match is not None else row.fixed or ("" if row.rank[0] == 3 else NOT_USED)
        words[HOW] = (
            GONE.format(match.how)
            if match is not None and not row.is_there
            else match.how
            if match is not None
            else "fixed"
            if row.fixed
            else OWN
            if row.rank[0] == 3
            else ""
        )
        for column, text in enumerate(words):
            item = QTableWidgetItem(text)
            item.setData(NAME, row.topic.name)
            can_edit = column == PORT and not row.fixed
            flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
            item.setFlags(flags | Qt.ItemFlag.ItemIsEditable if can_edit else flags)
            if column == TOPIC:
                item.setFont(QFont(code_font(12)))
                item.setToolTip(f"{row.topic.name}\n{row.topic.type_name or 'no publisher now'}")
            if column in (TYPE, HOW) or (column == PORT and match is None) or not row.is_there:
                item.setForeground(QColor(theme.muted))
            if column == RATE:
                item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                item.setToolTip("Messages per second; – where nothing here receives it: select it to measure")
            self.setItem(place, column, item)
        way, arrow = self._way(row), self.item(place, WAY)
        if way and arrow is not None:
            arrow.setIcon(icon(way, theme.muted))
            arrow.setToolTip("from the server to the port" if way.endswith("right") else "from the port to the server")
        cell = self.item(place, PORT)
        if match is not None and cell is not None:
            cell.setIcon(icon("fa6s.circle", theme.hue(match.port.type)))
            cell.setToolTip(match.port.type)

    def _way(self, row: TopicRow) -> str:
        if row.match is not None:
            return "mdi6.arrow-left" if row.match.port.is_command else "mdi6.arrow-right"
        return "mdi6.arrow-right" if row.fixed else ""

    def show_theme(self, theme: Theme) -> None:
        self._theme = theme
        rows, self._rows = self._rows, []
        self._fill(rows)


class _PortDelegate(QStyledItemDelegate):
    def __init__(self, table: TopicsTable) -> None:
        super().__init__(table)
        self._table = table

    def createEditor(self, parent: QWidget | None, option: QStyleOptionViewItem, index: QModelIndex) -> QWidget | None:
        row = self._table.row_at(index.row())
        if row is None:
            return None
        box = QComboBox(parent)
        box.addItem(NOT_USED, "")
        for port in self._table.ports():
            if fitting(port, [row.topic]) or (row.match is not None and row.match.port == port):
                box.addItem(str(port), str(port))
        if box.count() == 1:
            box.addItem("no port takes this type", "")
        box.setCurrentIndex(max(0, box.findData(str(row.match.port)) if row.match is not None else 0))
        box.activated.connect(lambda _: self._commit(box))
        QTimer.singleShot(0, box.showPopup)
        return box

    def _commit(self, box: QComboBox) -> None:
        self.commitData.emit(box)
        self.closeEditor.emit(box)

    def setModelData(self, editor: QWidget | None, model: QAbstractItemModel | None, index: QModelIndex) -> None:
        row = self._table.row_at(index.row())
        if isinstance(editor, QComboBox) and row is not None:
            chosen, before = str(editor.currentData()), str(row.match.port) if row.match is not None else ""
            if chosen != before:
                self._table.port_wanted.emit(row.topic.name, chosen)
