"""The servers that are known: found ones first, then those that are kept, each with its state in words."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QModelIndex, QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QKeyEvent, QPainter
from PyQt6.QtWidgets import QListWidget, QListWidgetItem, QStyledItemDelegate, QStyleOptionViewItem

from studio.editor.canvas.items.live_paint import chip_width, paint_chip
from studio.editor.gazebo.looks import LOOKS
from studio.editor.look.fonts import metrics, text_font
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme
from studio.runtime.gazebo.connections.address import Address
from studio.runtime.gazebo.connections.connections import Row

ROW = Qt.ItemDataRole.UserRole
HEIGHT, HEADER_HEIGHT = 66, 26


class ServerList(QListWidget):
    chosen = pyqtSignal()
    activated_row = pyqtSignal(object)
    """A row was double-clicked, or got Return."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._rows: list[Row] = []
        self.setItemDelegate(_Delegate(self))
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Gazebo servers")
        self.setMinimumHeight(2 * HEIGHT)
        self.itemDoubleClicked.connect(lambda item: self._activate(item))
        self.currentItemChanged.connect(lambda *_: self.chosen.emit())

    def current(self) -> Row | None:
        item = self.currentItem()
        row = item.data(ROW) if item is not None else None
        return row if isinstance(row, Row) else None

    def select(self, address: Address) -> None:
        for place in range(self.count()):
            item = self.item(place)
            row = item.data(ROW) if item is not None else None
            if isinstance(row, Row) and row.address == address:
                self.setCurrentRow(place)

    def show_rows(self, rows: Sequence[Row]) -> None:
        if list(rows) == self._rows:
            return
        is_same = [(row.address, row.is_kept) for row in rows] == [(row.address, row.is_kept) for row in self._rows]
        self._rows = list(rows)
        if is_same:  # only words have changed: what is selected and scrolled stays
            by_address = {row.address: row for row in rows}
            for place in range(self.count()):
                item = self.item(place)
                row = item.data(ROW) if item is not None else None
                if item is not None and isinstance(row, Row):
                    self._fill(item, by_address[row.address])
            return
        before = self.current()
        self.blockSignals(True)
        self.clear()
        for title, part in (("Found", [r for r in rows if not r.is_kept]), ("Saved", [r for r in rows if r.is_kept])):
            if part:
                header = QListWidgetItem(title, self)
                header.setFlags(Qt.ItemFlag.NoItemFlags)
                header.setData(ROW, title)
            for row in part:
                self._fill(QListWidgetItem(self), row)
        self.blockSignals(False)
        if before is not None:
            self.select(before.address)
        if self.current() is None and rows:
            self.select(rows[0].address)
        self.chosen.emit()

    def _fill(self, item: QListWidgetItem, row: Row) -> None:
        item.setData(ROW, row)
        words = f"{row.name}, {LOOKS[row.phase].word}. {row.facts}. {row.words}"
        item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
        item.setToolTip(f"{row.facts}\n{row.words}")

    def _activate(self, item: QListWidgetItem) -> None:
        if isinstance(item.data(ROW), Row):
            self.activated_row.emit(item.data(ROW))

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        item = self.currentItem()
        if event is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self._activate(item)
            return
        super().keyPressEvent(event)


class _Delegate(QStyledItemDelegate):
    def __init__(self, owner: ServerList) -> None:
        super().__init__(owner)
        self._owner = owner

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        return QSize(100, HEIGHT if isinstance(index.data(ROW), Row) else HEADER_HEIGHT)

    def paint(self, painter: QPainter | None, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        assert painter is not None
        theme, row = self._owner.theme, index.data(ROW)
        rect = QRectF(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(row, Row):
            self._paint_row(painter, rect, row, theme, is_chosen=index == self._owner.currentIndex())
        else:
            painter.fillRect(rect, QColor(theme.header))
            painter.setFont(text_font(12, 600))
            painter.setPen(QColor(theme.text))
            painter.drawText(rect.adjusted(10, 0, 0, 0), int(Qt.AlignmentFlag.AlignVCenter), str(row))
        painter.restore()

    def _paint_row(self, painter: QPainter, rect: QRectF, row: Row, theme: Theme, *, is_chosen: bool) -> None:
        if is_chosen:
            painter.fillRect(rect, QColor(theme.selection))
            if self._owner.hasFocus():
                painter.fillRect(QRectF(rect.left(), rect.top(), 3, rect.height()), QColor(theme.focus))
        look = LOOKS[row.phase]
        chip = chip_width(look)
        icon("mdi6.server", theme.text).paint(painter, QRectF(rect.left() + 10, rect.top() + 9, 16, 16).toRect())
        painter.setPen(QColor(theme.text))
        painter.setFont(text_font(13, 600))
        name = QRectF(rect.left() + 34, rect.top() + 7, rect.width() - 34 - chip - 14, 20)
        elided = metrics(13, 600).elidedText(row.name, Qt.TextElideMode.ElideRight, name.width())
        painter.drawText(name, int(Qt.AlignmentFlag.AlignVCenter), elided)
        paint_chip(painter, QPointF(rect.right() - chip - 8, rect.top() + 8), look, theme)
        painter.setFont(text_font(11.5))
        for place, (words, tone) in enumerate(((row.facts, theme.muted), (row.words, _tone(row, theme)))):
            painter.setPen(QColor(tone))
            line = QRectF(rect.left() + 34, rect.top() + 28 + 17 * place, rect.width() - 42, 17)
            short = metrics(11.5).elidedText(words, Qt.TextElideMode.ElideRight, line.width())
            painter.drawText(line, int(Qt.AlignmentFlag.AlignVCenter), short)


def _tone(row: Row, theme: Theme) -> str:
    tone = LOOKS[row.phase].tone
    return theme.tone(tone) if tone in ("error", "warning") else theme.muted
