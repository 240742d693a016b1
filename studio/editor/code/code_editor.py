"""The editor of one file: colours, line numbers, breakpoints in the margin, the line where the code stands, values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from PyQt6.Qsci import QsciScintilla
from PyQt6.QtCore import QEvent, QObject, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import (
    QColor,
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PyQt6.QtWidgets import QMenu, QToolTip

from studio.editor.code.breakpoint_book import Breakpoint, point_words
from studio.editor.code.lexers import SIZE, lexer_for, scintilla_font
from studio.editor.look.fonts import code_font
from studio.editor.look.icons import pixmap
from studio.editor.look.theme import Theme, mixed

POINTS, ARROW, NUMBERS, GAP = range(4)
"""The margins, from the left."""
STOP, ASKS, LOG, OFF, HERE, HERE_GROUND, CALLER, CALLER_GROUND = range(8)
"""The markers."""
WAITING, WAITING_ASKS, WAITING_LOG = 20, 21, 22
"""The same hollow: the debugger has not confirmed them."""
HOLLOW = {STOP: WAITING, ASKS: WAITING_ASKS, LOG: WAITING_LOG}
PLAIN = (STOP, ASKS, LOG, OFF, *HOLLOW.values())
DWELL_MS = 350
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
KEYS = {"save": "Ctrl+S", "find": "Ctrl+F", "replace": "Ctrl+H", "go_to": "Ctrl+G", "point": "F9",
        "next": "F3", "before": "Shift+F3", "complete": "Ctrl+Space"}  # fmt: skip


class CodeEditor(QsciScintilla):
    key_wanted = pyqtSignal(str)
    """A key of KEYS, which belongs to the document and not to the window."""
    point_clicked = pyqtSignal(int)
    """Left of this line, from 1 on."""
    point_menu = pyqtSignal(int, QPoint)
    points_moved = pyqtSignal(dict)
    """Lines of breakpoints that an edit has moved: old -> new."""
    value_wanted = pyqtSignal(str, int)
    """An expression under the mouse and its position in the text: `show_tip` shows what it is worth."""
    menu_opening = pyqtSignal(object, int)
    """The context menu and the line it was opened on, for those who have something to add."""

    def __init__(self, path: Path, theme: Theme) -> None:
        super().__init__()
        self.path, self.theme = path, theme
        self._stands = False
        self._logs: dict[int, tuple[str, str]] = {}
        self._tips: dict[int, str] = {}
        """What is said about the breakpoints, by line."""
        self._points: dict[int, int] = {}
        """Handle of the marker -> line, from 1 on."""
        self._note: dict[int, tuple[str, str]] = {}
        self._values: dict[int, tuple[str, str]] = {}
        """At the end of these lines, from 1 on: text, and the token of its colour."""
        self.setAccessibleName(path.name)
        self.setUtf8(True)
        self.setTabWidth(4)
        self.setIndentationsUseTabs(path.name == "Makefile")
        self.setAutoIndent(True)
        self.setBackspaceUnindents(True)
        self.setBraceMatching(QsciScintilla.BraceMatch.SloppyBraceMatch)
        self.setScrollWidthTracking(True)
        self.setScrollWidth(1)
        self.setMarginWidth(POINTS, 20)
        self.setMarginType(POINTS, QsciScintilla.MarginType.SymbolMargin)
        self.setMarginMarkerMask(POINTS, sum(1 << marker for marker in PLAIN))
        self.setMarginSensitivity(POINTS, True)
        self.setMarginWidth(ARROW, 16)
        self.setMarginType(ARROW, QsciScintilla.MarginType.SymbolMargin)
        self.setMarginMarkerMask(ARROW, 1 << HERE | 1 << CALLER)
        self.setMarginSensitivity(ARROW, True)
        self.setMarginType(NUMBERS, QsciScintilla.MarginType.NumberMargin)
        self.setMarginMarkerMask(NUMBERS, 0)
        self.setMarginSensitivity(NUMBERS, True)
        self.setMarginType(GAP, QsciScintilla.MarginType.SymbolMargin)
        self.setMarginMarkerMask(GAP, 0)
        self.setMarginWidth(GAP, 8)
        viewport = self.viewport()
        assert viewport is not None
        viewport.installEventFilter(self)
        self.marginClicked.connect(lambda margin, line, keys: self.point_clicked.emit(line + 1))
        self.marginRightClicked.connect(lambda margin, line, keys: self._margin_menu(line + 1))
        self.linesChanged.connect(self._lines_changed)
        self.SendScintilla(QsciScintilla.SCI_SETMOUSEDWELLTIME, DWELL_MS)
        self.SCN_DWELLSTART.connect(self._dwelt)
        self.SCN_DWELLEND.connect(lambda *_: QToolTip.hideText())
        self.show_theme(theme)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """A question that opens below must not hide the line that is being edited."""
        assert event is not None
        super().resizeEvent(event)
        row = self.SendScintilla(QsciScintilla.SCI_VISIBLEFROMDOCLINE, self.line - 1) - self.firstVisibleLine()
        height = self.textHeight(0)
        before, now = event.oldSize().height() // height, event.size().height() // height
        if now <= row < before:
            self.setFirstVisibleLine(self.firstVisibleLine() + row - now + 1)

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        lexer = lexer_for(self.path, theme, self)
        ground, text = QColor(theme.code), QColor(theme.text)
        if lexer is not None:
            self.setLexer(lexer)
        else:
            self.setFont(scintilla_font(SIZE))
            self.setPaper(ground)
            self.setColor(text)
        self.setMarginsFont(scintilla_font(12))
        self.setMarginsBackgroundColor(ground)
        self.setMarginsForegroundColor(QColor(theme.muted))
        for margin in (POINTS, ARROW, GAP):
            self.setMarginBackgroundColor(margin, ground)
        self.setCaretForegroundColor(text)
        self.setCaretLineVisible(not self._stands)
        self.setCaretLineBackgroundColor(QColor(theme.hover))
        self.setSelectionBackgroundColor(QColor(theme.selection))
        self.resetSelectionForegroundColor()
        self.setMatchedBraceBackgroundColor(QColor(theme.selection))
        self.setMatchedBraceForegroundColor(QColor(theme.accent))
        self.setUnmatchedBraceForegroundColor(QColor(theme.error))
        self.setIndentationGuides(False)
        self.setExtraAscent(2)
        self.setExtraDescent(2)
        self._define_markers()
        self._fit_numbers()

    def _define_markers(self) -> None:
        theme, ratio = self.theme, self.devicePixelRatioF()
        for marker, name, colour, size in (
            (STOP, "fa6s.circle", theme.error, 12),
            (ASKS, "fa6s.circle-question", theme.error, 12),
            (LOG, "fa6s.diamond", theme.error, 13),
            (OFF, "mdi6.circle-outline", theme.muted, 14),
            (WAITING, "mdi6.circle-outline", theme.error, 14),
            (WAITING_ASKS, "mdi6.help-circle-outline", theme.error, 14),
            (WAITING_LOG, "mdi6.rhombus-outline", theme.error, 14),
            (HERE, "fa6s.arrow-right", theme.frozen, 13),
            (CALLER, "fa6s.arrow-right", theme.muted, 13),
        ):
            self.markerDefine(pixmap(name, colour, size, ratio), marker)
        for marker, colour in ((HERE_GROUND, theme.frozen), (CALLER_GROUND, theme.muted)):
            self.markerDefine(QsciScintilla.MarkerSymbol.Background, marker)
            self.setMarkerBackgroundColor(QColor(mixed(colour, theme.code, 0.2)), marker)

    # ---- breakpoints

    def show_points(self, points: list[Breakpoint], waiting: Mapping[str, str]) -> None:
        """`waiting`: why some of them do not stop yet, by key."""
        for marker in PLAIN:
            self.markerDeleteAll(marker)
        self._points.clear()
        for point in points:
            if not point.enabled:
                marker = OFF
            elif point.log:
                marker = LOG
            else:
                marker = ASKS if point.condition or point.hits else STOP
            if point.key in waiting:
                marker = HOLLOW.get(marker, marker)
            handle = self.markerAdd(point.line - 1, marker)
            if handle >= 0:
                self._points[handle] = point.line
        self._tips = {point.line: point_words(point, waiting.get(point.key, "")) for point in points}
        logs = {point.line: f"logs {point.log}, does not stop" for point in points if point.log and point.enabled}
        self._logs = {line: (words, "disabled") for line, words in logs.items()}
        self._repaint()

    def _fit_numbers(self) -> None:
        self.setMarginWidth(NUMBERS, f" {max(self.lines(), 100)}")

    def _lines_changed(self) -> None:
        self._fit_numbers()
        self._values.clear()  # they belonged to the lines as they were
        self._note.clear()
        moved = {line: self.markerLine(handle) + 1 for handle, line in self._points.items()}
        if any(old != new for old, new in moved.items()):
            self._points = {handle: moved[line] for handle, line in self._points.items()}
            self.points_moved.emit(moved)

    # ---- where the code stands

    def show_here(self, line: int, *, caller: bool = False) -> None:
        """The line at which the code stands; of a frame further out, the call that it waits for. 0: nowhere."""
        for marker in (HERE, HERE_GROUND, CALLER, CALLER_GROUND):
            self.markerDeleteAll(marker)
        if line > 0:
            for marker in (CALLER, CALLER_GROUND) if caller else (HERE, HERE_GROUND):
                self.markerAdd(line - 1, marker)
        else:
            self._values.clear()
        self._stands = line > 0
        self.setCaretLineVisible(not self._stands)  # it would hide the colour of the line where the code stands
        self._repaint()

    def show_values(self, values: Mapping[int, tuple[str, str]]) -> None:
        """Texts at the ends of lines, with the token of their colour."""
        self._values = dict(values)
        self._repaint()

    def show_note(self, line: int, words: str) -> None:
        """At the end of a line: why it failed; 0 for none."""
        self._note = {line: (words, "error")} if line > 0 else {}
        self._repaint()

    @property
    def values(self) -> dict[int, tuple[str, str]]:
        return dict(self._values)

    def go_to(self, line: int) -> None:
        """The line in the middle, and the cursor in it."""
        line = max(1, min(line, self.lines()))
        self.setCursorPosition(line - 1, 0)
        shown = int(self.SendScintilla(QsciScintilla.SCI_LINESONSCREEN))
        first = int(self.SendScintilla(QsciScintilla.SCI_GETFIRSTVISIBLELINE))
        if not first + 2 <= line - 1 <= first + shown - 4:
            self.setFirstVisibleLine(max(0, line - 1 - shown // 2))

    @property
    def line(self) -> int:
        """Of the cursor, from 1 on."""
        return int(self.getCursorPosition()[0]) + 1

    def show_tip(self, at: int, text: str) -> None:
        """Beside the place in the text, if the mouse is still there."""
        viewport = self.viewport()
        if viewport is not None and viewport.underMouse():
            x, y = self._pixel(at)
            QToolTip.showText(viewport.mapToGlobal(QPoint(x, y + 20)), text, self)

    # ---- Qt

    def paintEvent(self, event: QPaintEvent | None) -> None:
        assert event is not None
        super().paintEvent(event)
        texts = {**self._note, **self._logs, **self._values}
        if not texts:
            return
        viewport = self.viewport()
        assert viewport is not None
        first = int(self.SendScintilla(QsciScintilla.SCI_GETFIRSTVISIBLELINE))
        shown = int(self.SendScintilla(QsciScintilla.SCI_LINESONSCREEN)) + 1
        height = int(self.SendScintilla(QsciScintilla.SCI_TEXTHEIGHT, 0))
        painter = QPainter(viewport)
        painter.setFont(code_font(12))
        left = sum(self.marginWidth(margin) for margin in range(4))
        painter.setClipRect(left, 0, viewport.width() - left, viewport.height())
        for line, (text, token) in texts.items():
            if first <= line - 1 <= first + shown:
                x, y = self._pixel(int(self.SendScintilla(QsciScintilla.SCI_GETLINEENDPOSITION, line - 1)))
                painter.setPen(QColor(getattr(self.theme, token)))
                painter.drawText(x + 28, y, viewport.width() * 4, height, Qt.AlignmentFlag.AlignVCenter, text)
        painter.end()

    def event(self, event: QEvent | None) -> bool:
        assert event is not None
        if event.type() == QEvent.Type.ShortcutOverride and _key_of(event):
            event.accept()  # before the window takes it for one of its actions
            return True
        return bool(super().event(event))

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """The mouse rests on a breakpoint: what it does, or why it does nothing."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and watched is self.viewport():
            left = sum(self.marginWidth(margin) for margin in range(4))
            at = int(self.SendScintilla(QsciScintilla.SCI_POSITIONFROMPOINT, left, event.pos().y()))
            tip = self.tip_of(self.lineIndexFromPosition(at)[0] + 1) if event.pos().x() < left else ""
            if tip:
                QToolTip.showText(event.globalPos(), tip, self.viewport())
                return True
        return bool(super().eventFilter(watched, event))

    def tip_of(self, line: int) -> str:
        """What is said about the breakpoint of a line; nothing where there is none."""
        return self._tips.get(line, "")

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        name = _key_of(event)
        if name:
            self.key_wanted.emit(name)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        assert event is not None
        menu = self.createStandardContextMenu()
        assert isinstance(menu, QMenu)
        line = self.lineAt(event.pos())
        self.menu_opening.emit(menu, line + 1 if line >= 0 else self.line)
        menu.popup(event.globalPos())
        event.accept()

    # ---- within

    def _margin_menu(self, line: int) -> None:
        _, y = self._pixel(int(self.SendScintilla(QsciScintilla.SCI_POSITIONFROMLINE, line - 1)))
        viewport = self.viewport()
        assert viewport is not None
        self.point_menu.emit(line, viewport.mapToGlobal(QPoint(24, y + 16)))

    def _dwelt(self, position: int, x: int, y: int) -> None:
        if position >= 0:
            expression = self.expression_at(position)
            if expression:
                self.value_wanted.emit(expression, position)

    def expression_at(self, position: int) -> str:
        """The name there with what it belongs to: `self.grid.mean` on the last of its words, `self.grid` on the second.

        Only names: looking at a value must not call anything.
        """
        line, column = self.lineIndexFromPosition(position)
        text = self.text(line)
        for found in _DOTTED.finditer(text):
            if found.start() <= column < found.end():
                end = text.find(".", column)
                return text[found.start() : end if 0 <= end < found.end() else found.end()]
        return ""

    def _pixel(self, position: int) -> tuple[int, int]:
        return (
            int(self.SendScintilla(QsciScintilla.SCI_POINTXFROMPOSITION, 0, position)),
            int(self.SendScintilla(QsciScintilla.SCI_POINTYFROMPOSITION, 0, position)),
        )

    def line_y(self, line: int) -> int:
        """Where the line begins, from above, in the viewport."""
        return self._pixel(int(self.SendScintilla(QsciScintilla.SCI_POSITIONFROMLINE, line - 1)))[1]

    def _repaint(self) -> None:
        viewport = self.viewport()
        if viewport is not None:
            viewport.update()


def _key_of(event: QEvent) -> str:
    if not isinstance(event, QKeyEvent):
        return ""
    pressed = QKeySequence(event.keyCombination()).toString()
    return next((name for name, keys in KEYS.items() if keys == pressed), "")
