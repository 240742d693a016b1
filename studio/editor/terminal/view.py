"""A terminal as a widget: shows the screen, scrolls back, selects and copies, and types to the process."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QEvent, QPoint, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import (
    QAction,
    QClipboard,
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PyQt6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QMenu, QWidget

from studio.editor.look.theme import Theme
from studio.editor.terminal import colours, keys
from studio.editor.terminal.grid import BLANK, MARGIN, Grid
from studio.editor.terminal.screen import APPLICATION_KEYS, BRACKETED_PASTE, TerminalScreen, TerminalStream
from studio.editor.terminal.selection import By, Place, Selection

PAINT_EVERY_MS = 25
SCROLL_EVERY_MS = 50
LEAST_COLUMNS, LEAST_LINES = 20, 2
START_OF_PASTE, END_OF_PASTE = b"\x1b[200~", b"\x1b[201~"


class TerminalView(QAbstractScrollArea):
    typed = pyqtSignal(bytes)
    """For the process."""
    resized = pyqtSignal(int, int)
    """Columns and lines."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self.grid = Grid()
        self.page = TerminalScreen(80, 24)
        self.page.answer = lambda words: self.typed.emit(words.encode())
        self._stream = TerminalStream(self.page)
        self.selection = Selection(self.page)
        self._top = 0
        """The number of the uppermost line in sight."""
        self._follows = True
        """The end is in sight, and stays so when more is said."""
        self._shows = _timer(self, PAINT_EVERY_MS, self._show_news, once=True)
        self._scrolls = _timer(self, SCROLL_EVERY_MS, self._drag_on)
        self._hand = QPoint()
        self._second_click_ms: int | None = None
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_InputMethodEnabled)
        self.port = self.viewport() or QWidget()
        self.port.setCursor(Qt.CursorShape.IBeamCursor)
        self.port.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        bar = self.verticalScrollBar()
        assert bar is not None
        self.bar = bar
        self.bar.valueChanged.connect(self._scrolled)
        self.copies = self._action("Copy", "Ctrl+Shift+C", self.copy)
        self.pastes = self._action("Paste", "Ctrl+Shift+V", self.paste)
        self.takes_all = self._action("Select all", "", self.select_all)

    def _action(self, text: str, shortcut: str, do: Callable[[], object]) -> QAction:
        made = QAction(text, self)
        made.setShortcut(QKeySequence(shortcut))
        made.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        made.triggered.connect(lambda _=False: do())
        self.addAction(made)
        return made

    # ---- what is said

    def feed(self, data: bytes) -> None:
        """Shown soon, not at once: a flood of output is painted forty times a second at most."""
        self._stream.feed(data)
        if not self._shows.isActive():
            self._shows.start()

    def tell(self, words: str) -> None:
        """A line of ours below the last one of the process."""
        start = "\r\n" if self.page.cursor.x else ""
        self.feed(f"{start}\x1b[0;3;90m{words}\x1b[0m\x1b[?25l".encode())

    def _show_news(self) -> None:
        self._fit_bar()
        self.port.update()

    def _fit_bar(self) -> None:
        """Lines that are looked at stay where they are, as long as they are kept."""
        page = self.page
        top = page.count_left if self._follows else max(self._top, page.first)
        self.bar.blockSignals(True)
        self.bar.setPageStep(page.lines)
        self.bar.setRange(page.first, page.count_left)
        self.bar.setValue(top)
        self.bar.blockSignals(False)
        self._top = top

    def _scrolled(self, value: int) -> None:
        self._top = value
        self._follows = value >= self.bar.maximum()  # more lines may have left since the bar was told
        self.port.update()

    # ---- typing

    def event(self, event: QEvent | None) -> bool:
        """What a terminal understands is not a shortcut of the window; Tab does not move the focus."""
        if isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride and self._bytes_of(event):
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress and event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
                self.keyPressEvent(event)
                return True
        return bool(super().event(event))

    def _bytes_of(self, event: QKeyEvent) -> bytes:
        return keys.bytes_of(event, application=APPLICATION_KEYS in self.page.mode)

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        data = self._bytes_of(event)
        if data:
            self.type(data)
        elif not self._scroll_by_key(event):
            event.ignore()

    def _scroll_by_key(self, event: QKeyEvent) -> bool:
        if event.modifiers() != Qt.KeyboardModifier.ShiftModifier:
            return False
        page = self.page.lines - 1
        steps = {Qt.Key.Key_PageUp: -page, Qt.Key.Key_PageDown: page, Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        steps |= {Qt.Key.Key_Home: -self.page.end, Qt.Key.Key_End: self.page.end}
        step = steps.get(Qt.Key(event.key()), 0)
        self.bar.setValue(self.bar.value() + step)
        return bool(step)

    def type(self, data: bytes) -> None:
        """To the process; whoever types wants to see the end."""
        self.selection.clear()
        self._follows = True
        self._show_news()
        self.typed.emit(data)

    def inputMethodEvent(self, event: QInputMethodEvent | None) -> None:
        if event is not None and event.commitString():
            self.type(event.commitString().encode())

    def inputMethodQuery(self, query: Qt.InputMethodQuery) -> object:
        if query == Qt.InputMethodQuery.ImCursorRectangle:
            row = self.page.count_left + self.page.cursor.y - self._top
            return self.grid.area(self.page.cursor.x, row * self.grid.height, 1).toRect()
        found: object = super().inputMethodQuery(query)
        return found

    # ---- copy and paste

    def copy(self) -> None:
        self._put(QClipboard.Mode.Clipboard)

    def _put(self, where: QClipboard.Mode) -> None:
        clipboard = QGuiApplication.clipboard()
        if clipboard is not None and not self.selection.is_empty:
            clipboard.setText(self.selection.text(), where)

    def paste(self, where: QClipboard.Mode = QClipboard.Mode.Clipboard) -> None:
        """Marked as pasted for programs that asked for it: lines of it are then not carried out one by one."""
        clipboard = QGuiApplication.clipboard()
        text = clipboard.text(where) if clipboard is not None else ""
        data = text.replace("\r\n", "\n").replace("\n", "\r").encode().replace(b"\x1b", b"")
        if not data:
            return
        if BRACKETED_PASTE in self.page.mode:
            data = START_OF_PASTE + data + END_OF_PASTE
        self.type(data)

    def select_all(self) -> None:
        self.selection.take_all()
        self.port.update()

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        assert event is not None
        clipboard = QGuiApplication.clipboard()
        self.copies.setEnabled(not self.selection.is_empty)
        self.pastes.setEnabled(clipboard is not None and bool(clipboard.text()))
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions([self.copies, self.pastes, self.takes_all])
        menu.aboutToHide.connect(self._enable)
        menu.popup(event.globalPos())

    def _enable(self) -> None:
        """For their keys, at any time."""
        for action in (self.copies, self.pastes):
            action.setEnabled(True)

    # ---- the mouse

    def place_at(self, point: QPoint) -> Place:
        row = max(0, min(self.page.lines - 1, point.y() // self.grid.height))
        column = max(0, min(self.page.columns, int((point.x() - MARGIN) / self.grid.width + 0.5)))
        return Place(self._top + row, column)

    def _cell_at(self, point: QPoint) -> Place:
        """The sign under the mouse, not the nearest gap between two."""
        place = self.place_at(point)
        return place._replace(column=max(0, int((point.x() - MARGIN) / self.grid.width)))

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if event.button() == Qt.MouseButton.MiddleButton:
            self.paste(QClipboard.Mode.Selection)
        if event.button() != Qt.MouseButton.LeftButton:
            return
        second, self._second_click_ms = self._second_click_ms, None
        is_third = second is not None and event.timestamp() - second < QApplication.doubleClickInterval()
        self._begin(event, "line" if is_third else "sign")

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        self._second_click_ms = event.timestamp()
        self._begin(event, "word")

    def _begin(self, event: QMouseEvent, by: By) -> None:
        point = event.position().toPoint()
        self.selection.begin(self._cell_at(point) if by == "word" else self.place_at(point), by)
        self.port.update()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._hand = event.position().toPoint()
            self._drag_on()
            if not self._scrolls.isActive():
                self._scrolls.start()

    def _drag_on(self) -> None:
        """Beyond the edge it scrolls, as long as the button is held there."""
        outside = -1 if self._hand.y() < 0 else 1 if self._hand.y() >= self.port.height() else 0
        if outside:
            self.bar.setValue(self.bar.value() + outside)
        self.selection.extend(self.place_at(self._hand))
        self.port.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        self._scrolls.stop()
        clipboard = QGuiApplication.clipboard()
        if clipboard is not None and clipboard.supportsSelection():
            self._put(QClipboard.Mode.Selection)

    # ---- how it looks

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        columns = max(LEAST_COLUMNS, int((self.port.width() - 2 * MARGIN) / self.grid.width))
        lines = max(LEAST_LINES, (self.port.height() - 2) // self.grid.height)
        if (columns, lines) != (self.page.columns, self.page.lines):
            self.page.resize(lines, columns)
            self._fit_bar()
            self.resized.emit(columns, lines)

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.port.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter, page, height = QPainter(self.port), self.page, self.grid.height
        painter.fillRect(self.port.rect(), QColor(colours.ground(self.theme)))
        for number in range(max(self._top, page.first), min(self._top + page.lines, page.end)):
            top = (number - self._top) * height
            chosen = self.selection.columns(number)
            self.grid.paint_line(painter, self.theme, page.line(number), top, page.columns, chosen)
        row = page.count_left + page.cursor.y - self._top
        if not page.cursor.hidden and 0 <= row < page.lines:
            x = min(page.cursor.x, page.columns - 1)
            char = page.buffer[page.cursor.y].get(x, BLANK)
            self.grid.paint_cursor(painter, self.theme, char, x, row * height, filled=self.hasFocus())

    def focusInEvent(self, event: QFocusEvent | None) -> None:
        super().focusInEvent(event)
        self.port.update()

    def focusOutEvent(self, event: QFocusEvent | None) -> None:
        super().focusOutEvent(event)
        self.port.update()


def _timer(parent: QWidget, interval_ms: int, do: Callable[[], object], *, once: bool = False) -> QTimer:
    timer = QTimer(parent)
    timer.setInterval(interval_ms)
    timer.setSingleShot(once)
    timer.timeout.connect(do)
    return timer
