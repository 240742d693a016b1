"""Many lines of text, of which only those in sight are painted: what floods it costs nothing that is not seen."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, QRect, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PyQt6.QtWidgets import QAbstractScrollArea, QApplication, QMenu, QWidget

from studio.editor.look.fonts import code_font
from studio.editor.look.theme import Theme
from studio.editor.panels.system.console_lines import Book, Row, time_words

ROW = 20
INDENT = 14
MOST_SEEN, MOST_TOLD = 2_000, 2_000
"""Characters of a line that are measured for painting, and that its tooltip has: of more nobody would see the end, and
Qt takes seconds for it."""
TOLD_ACROSS = 100
TIME, LEVEL, COMPONENT = 92, 46, 150
LEVEL_WORDS = {"warning": "warn", "critical": "error", "output": "out"}


class LineView(QAbstractScrollArea):
    open_place = pyqtSignal(str, int)
    """File and line of a traceback that was clicked."""
    component_wanted = pyqtSignal(str)
    """Only what this one says is to be seen."""
    followed = pyqtSignal(bool)
    """Whether the end stays in sight."""

    def __init__(self, book: Book, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.book, self.theme = book, theme
        self.follows = True
        self.marked: tuple[int, int] | None = None
        """First and last selected row."""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setAccessibleName("Log lines of components")
        viewport, bar = self.viewport(), self.verticalScrollBar()
        assert viewport is not None and bar is not None
        viewport.setMouseTracking(True)
        self.bar = bar
        bar.valueChanged.connect(self._scrolled)

    # ---- content

    def refresh(self) -> None:
        """After the book has changed."""
        self.bar.setRange(0, max(0, len(self.book.rows) - self.page))
        self.bar.setPageStep(self.page)
        if self.follows:
            self.bar.setValue(self.bar.maximum())
        self._paint_again()

    def gone(self, count: int) -> None:
        """So many rows at the front are no more: what is read stays where it is on the screen, and stays marked."""
        if self.marked is not None:
            first, last = (number - count for number in self.marked)
            self.marked = (max(first, 0), max(last, 0)) if max(first, last) >= 0 else None
        if not self.follows:
            was_blocked = self.bar.blockSignals(True)  # nobody has scrolled to the end
            self.bar.setValue(self.bar.value() - count)
            self.bar.blockSignals(was_blocked)

    @property
    def page(self) -> int:
        viewport = self.viewport()
        assert viewport is not None
        return max(1, viewport.height() // ROW)

    def follow(self, on: bool) -> None:
        if on != self.follows:
            self.follows = on
            self.followed.emit(on)
        if on:
            self.bar.setValue(self.bar.maximum())

    def show_row(self, number: int) -> None:
        """Select a row and bring it into sight."""
        self.marked = (number, number)
        self.follow(False)
        if not self.bar.value() <= number < self.bar.value() + self.page:
            self.bar.setValue(max(0, number - self.page // 2))
        self._paint_again()

    def selected_text(self) -> str:
        if self.marked is None:
            return ""
        first, last = sorted(self.marked)
        return "\n".join(_as_text(row) for row in self.book.rows[first : last + 1])

    def _scrolled(self, value: int) -> None:
        at_end = value >= self.bar.maximum()
        if at_end != self.follows:
            self.follows = at_end
            self.followed.emit(at_end)
        self._paint_again()

    def _paint_again(self) -> None:
        viewport = self.viewport()
        assert viewport is not None
        viewport.update()

    def _row_at(self, point: QPoint) -> int | None:
        number = self.bar.value() + point.y() // ROW
        return number if 0 <= number < len(self.book.rows) else None

    # ---- painting

    def paintEvent(self, event: QPaintEvent | None) -> None:
        viewport = self.viewport()
        assert viewport is not None
        painter = QPainter(viewport)
        painter.fillRect(viewport.rect(), QColor(self.theme.code))
        top = self.bar.value()
        marked = sorted(self.marked) if self.marked is not None else [1, 0]
        for place, row in enumerate(self.book.rows[top : top + self.page + 1]):
            y = place * ROW
            if marked[0] <= top + place <= marked[1]:
                painter.fillRect(0, y, viewport.width(), ROW, QColor(self.theme.selection))
            self._paint_row(painter, row, y)

    def _paint_row(self, painter: QPainter, row: Row, y: int) -> None:
        theme, said = self.theme, row.said
        left = 8
        if row.number == 0:
            painter.setFont(code_font(12))
            painter.setPen(QColor(theme.muted))
            painter.drawText(QRect(left, y, TIME, ROW), _MIDDLE, time_words(said.time_ns))
            painter.setPen(QColor({2: theme.warning, 3: theme.error}.get(said.rank, theme.muted)))
            word = LEVEL_WORDS.get(said.level, said.level)
            painter.drawText(QRect(left + TIME, y, LEVEL, ROW), _MIDDLE, word)
            painter.setFont(code_font(12, 600))
            painter.setPen(QColor(theme.text))
            room = self._name_width() - 10
            painter.drawText(QRect(left + TIME + LEVEL, y, room, ROW), _MIDDLE, name_words(said.component, room))
        self._paint_text(painter, row, y)

    def _paint_text(self, painter: QPainter, row: Row, y: int) -> None:
        theme, said = self.theme, row.said
        font = code_font(12)
        left = self._text_left()
        painter.setPen(QColor(theme.error if said.rank == 3 and row.number == 0 else theme.text))
        if row.place is not None:
            font = QFont(font)
            font.setUnderline(True)
            painter.setPen(QColor(theme.accent))
        elif row.number:
            painter.setPen(QColor(theme.muted))
        painter.setFont(font)
        if said.more and row.number == 0:
            painter.drawText(QRect(left, y, INDENT, ROW), _MIDDLE, "▾" if self.book.is_open(said) else "▸")
            left += INDENT
        text = row.text
        if said.more and row.number == 0 and not self.book.is_open(said) and said.summary != text:
            text = f"{text}  …  {said.summary}"
        viewport = self.viewport()
        assert viewport is not None
        room = max(20, viewport.width() - left - 4)
        painter.drawText(QRect(left, y, room, ROW), _MIDDLE, _elided(text[:MOST_SEEN].replace("\t", "    "), room))

    def _name_width(self) -> int:
        """Where it is narrow, the text needs the room."""
        return COMPONENT if self.width() > 640 else 108

    def _text_left(self) -> int:
        return 8 + TIME + LEVEL + self._name_width()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self.refresh()

    # ---- hands

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        number = self._row_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.RightButton and number is not None and self._is_marked(number):
            return  # a menu for all that is marked
        if number is None:
            self.marked = None
            self._paint_again()
            return
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self.marked is not None:
            self.marked = (self.marked[0], number)
        else:
            self.marked = (number, number)
        self._paint_again()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        number = self._row_at(event.position().toPoint())
        if event.buttons() & Qt.MouseButton.LeftButton and self.marked is not None and number is not None:
            self.marked = (self.marked[0], number)
            self._paint_again()
        is_link = number is not None and self._is_handle(number, event.position().toPoint())
        viewport = self.viewport()
        assert viewport is not None
        viewport.setCursor(Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor)
        viewport.setToolTip(told(self.book.rows[number].text) if number is not None else "")

    def _is_marked(self, number: int) -> bool:
        return self.marked is not None and min(self.marked) <= number <= max(self.marked)

    def _is_handle(self, number: int, at: QPoint) -> bool:
        row = self.book.rows[number]
        return at.x() >= self._text_left() and (row.place is not None or bool(row.said.more and row.number == 0))

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        number = self._row_at(event.position().toPoint())
        if (
            event.button() == Qt.MouseButton.LeftButton
            and number is not None
            and self.marked == (number, number)
            and self._is_handle(number, event.position().toPoint())
        ):
            self.act(number)

    def act(self, number: int) -> None:
        """Open the place that a row names, or fold and unfold it."""
        row = self.book.rows[number]
        if row.place is not None:
            self.open_place.emit(*row.place)
        elif row.said.more and row.number == 0:
            self.follow(False)
            self.book.toggle(row)
            self.refresh()

    def copy(self) -> None:
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(self.selected_text())

    def mark_all(self) -> None:
        self.marked = (0, len(self.book.rows) - 1)
        self._paint_again()

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        assert event is not None
        menu = self.menu()
        menu.exec(event.globalPos())
        menu.deleteLater()

    def menu(self) -> QMenu:
        """For what is marked."""
        menu = QMenu(self)
        marked = self.marked is not None
        for words, do, is_possible in (
            ("Copy\tCtrl+C", self.copy, marked),
            ("Select all\tCtrl+A", self.mark_all, bool(self.book.rows)),
        ):
            action = menu.addAction(words, do)
            assert action is not None
            action.setEnabled(is_possible)
        if self.marked is not None:
            name = self.book.rows[self.marked[1]].said.component
            menu.addAction(f"Only what {name} says", lambda: self.component_wanted.emit(name))
        return menu

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        here = self.marked[1] if self.marked is not None else self.bar.value()
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.matches(QKeySequence.StandardKey.SelectAll) and self.book.rows:
            self.mark_all()
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.book.rows:
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            self.show_row(max(0, min(here + step, len(self.book.rows) - 1)))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and here < len(self.book.rows):
            self.act(here)
        elif event.key() == Qt.Key.Key_End:
            self.follow(True)
        elif event.key() == Qt.Key.Key_Home:
            self.bar.setValue(0)
        else:
            super().keyPressEvent(event)


_MIDDLE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


def name_words(name: str, room: int) -> str:
    """Names that begin alike differ at their end: where there is no room, the middle goes."""
    return QFontMetrics(code_font(12, 600)).elidedText(name, Qt.TextElideMode.ElideMiddle, room)


def told(text: str) -> str:
    """For a tooltip, which would be one line across the whole screen, and beyond it."""
    kept = text[:MOST_TOLD]
    return "\n".join(kept[start : start + TOLD_ACROSS] for start in range(0, len(kept), TOLD_ACROSS))


def _elided(text: str, room: int) -> str:
    return QFontMetrics(code_font(12)).elidedText(text, Qt.TextElideMode.ElideRight, room)


def _as_text(row: Row) -> str:
    said = row.said
    if row.number:
        return row.text
    return f"{time_words(said.time_ns)} {said.level:<7} {said.component}: {said.text}"
