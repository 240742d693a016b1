"""The states of components over time: a lane each, told apart by pattern and word, with a cursor."""

from __future__ import annotations

import math
from collections.abc import Mapping

from PyQt6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QBrush, QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QWheelEvent
from PyQt6.QtWidgets import QToolTip, QWidget

from studio.editor.live.state import Tone, look_of
from studio.editor.live.state_spans import Lane, Mark, Span
from studio.editor.look.fonts import text_font, width_of
from studio.editor.look.theme import Theme
from studio.editor.views.shared.plates import with_alpha
from studio.editor.views.timeline.timeline import SECOND_NS, clock_words

RULER, NAMES, RIGHT = 28, 168, 12
LANE, LOWEST_LANE = 26, 18
"""Lanes are lower where otherwise not all would be seen."""
NAMES_SHARE, LEAST_WIDTH = 0.38, 200
LEAST_NS, MOST_NS = 50_000_000, 24 * 3600 * SECOND_NS
FIRST_SPAN_NS = 30 * SECOND_NS
OF_THE_WORLD_NS = 10**17
"""Later than this are moments since 1970, whose day is of no interest here."""
_NEAR_PX = 6

PATTERNS: Mapping[Tone, Qt.BrushStyle] = {
    "fine": Qt.BrushStyle.SolidPattern,
    "inactive": Qt.BrushStyle.NoBrush,
    "created": Qt.BrushStyle.Dense7Pattern,
    "warning": Qt.BrushStyle.BDiagPattern,
    "error": Qt.BrushStyle.DiagCrossPattern,
}
"""So that it reads in grey: active is solid, inactive plain, an error crossed."""


class StateLanes(QWidget):
    sought = pyqtSignal(object)
    """A moment of system time in ns that the user wants to be at."""
    picked = pyqtSignal(str)
    """A component."""
    moved_by_hand = pyqtSignal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.lanes: Mapping[str, Lane] = {}
        self.names: list[str] = []
        self.now_ns: int | None = None
        self.span_ns = (0, FIRST_SPAN_NS)
        self.follows = True
        self.can_seek = False
        self.chosen = ""
        self._top = 0
        self._grabbed: QPointF | None = None
        self._dragged = False
        self.setMinimumSize(LEAST_WIDTH, RULER + 2 * LANE)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("States over time")

    # ---- what is shown

    def show_lanes(self, lanes: Mapping[str, Lane], names: list[str], now_ns: int | None) -> None:
        self.lanes, self.names, self.now_ns = lanes, names, now_ns
        if now_ns is not None and (self.follows or self.span_ns[0] == 0):
            length = self.span_ns[1] - self.span_ns[0]
            first = min((lane.spans[0].start_ns for lane in lanes.values() if lane.spans), default=now_ns)
            last = max(now_ns, first + length)  # at first there is room to the right, and nothing on the left is empty
            self.span_ns = (last - length, last)
        self.update()

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()

    def show_all(self) -> None:
        """From the first thing that was seen to the last."""
        found = [span for lane in self.lanes.values() for span in (*lane.spans[:1], *lane.spans[-1:])]
        if found:
            first, last = min(span.start_ns for span in found), max(span.end_ns for span in found)
            room = max((last - first) // 50, LEAST_NS)
            self.span_ns = (first - room, last + room)
            self._let_go()

    def follow(self, on: bool) -> None:
        self.follows = on
        self.show_lanes(self.lanes, self.names, self.now_ns)

    # ---- places

    @property
    def _names(self) -> int:
        """The width for names: in a narrow panel the time has the larger share."""
        return min(NAMES, int(self.width() * NAMES_SHARE))

    def x_of(self, time_ns: float) -> float:
        first, last = self.span_ns
        return self._names + (time_ns - first) / (last - first) * self._room()

    def time_at(self, x: float) -> int:
        first, last = self.span_ns
        return int(first + (x - self._names) / self._room() * (last - first))

    def _room(self) -> int:
        return max(self.width() - self._names - RIGHT, 1)

    def _lane(self) -> int:
        return min(max((self.height() - RULER) // max(len(self.names), 1), LOWEST_LANE), LANE)

    def name_at(self, y: float) -> str:
        number = int((y - RULER) // self._lane()) + self._top
        return self.names[number] if y >= RULER and 0 <= number < len(self.names) else ""

    def words_at(self, x: float, y: float) -> str:
        """Of what lies there."""
        lane, name = self.lanes.get(self.name_at(y)), self.name_at(y)
        if lane is None or x < self._names:
            return ""
        near = self._mark_near(lane, x)
        if near is not None:
            return f"{name}: {near.note or near.sort}, at {moment_words(near.time_ns)}"
        span = lane.at(self.time_at(x))
        if span is None:
            return f"{name}: no data for this time"
        look, length = look_of(span.state), (span.end_ns - span.start_ns) / SECOND_NS
        note = f"\n{span.note}" if span.note and look.tone == "error" else ""
        return f"{name}: {look.word}\nfrom {moment_words(span.start_ns)}, for {length:.1f} s{note}"

    def _mark_near(self, lane: Lane, x: float) -> Mark | None:
        near = [mark for mark in lane.marks if abs(self.x_of(mark.time_ns) - x) <= _NEAR_PX]
        return near[-1] if near else None

    # ---- painting

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self.theme.panel))
        self._paint_ruler(painter)
        for number, name in enumerate(self.names[self._top :]):
            top = RULER + number * self._lane()
            if top > self.height():
                break
            self._paint_lane(painter, name, top)
        painter.fillRect(QRectF(0, 0, self._names, RULER), QColor(self.theme.panel))
        self._paint_cursor(painter)
        painter.end()

    def _paint_ruler(self, painter: QPainter) -> None:
        first, last = self.span_ns
        step = round_seconds((last - first) / SECOND_NS * 100 / self._room())
        painter.setFont(text_font(11))
        begin = math.ceil(first / SECOND_NS / step)
        for number in range(begin, begin + 200):
            at = int(number * step * SECOND_NS)
            if at > last:
                break
            if at < 0:
                continue
            x = self.x_of(at)
            painter.setPen(QPen(QColor(self.theme.border), 0))
            painter.drawLine(QPointF(x, RULER - 8), QPointF(x, self.height()))
            painter.setPen(QColor(self.theme.muted))
            of_day = at % (86_400 * SECOND_NS) if at > OF_THE_WORLD_NS else at
            words = clock_words(of_day, step < 1)
            if x + 4 + painter.fontMetrics().horizontalAdvance(words) < self.width():
                painter.drawText(QPointF(x + 4, RULER - 11), words)

    def _paint_lane(self, painter: QPainter, name: str, top: int) -> None:
        theme, lane = self.theme, self.lanes.get(name)
        if name == self.chosen:
            painter.fillRect(0, top, self.width(), self._lane(), with_alpha(theme.accent, 40))
        first, last = self.span_ns
        painter.save()
        painter.setClipRect(QRectF(self._names, top, self._room() + 1, self._lane()))
        for span in lane.spans if lane is not None else ():
            if span.end_ns >= first and span.start_ns <= last:
                self._paint_span(painter, span, top)
        for mark in lane.marks if lane is not None else ():
            if first <= mark.time_ns <= last:
                self._paint_mark(painter, mark, top)
        painter.restore()
        painter.setFont(text_font(12, 600 if name == self.chosen else 400))
        painter.setPen(QColor(theme.text))
        where = QRectF(10, top, self._names - 18, self._lane())
        elided = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, int(where.width()))
        painter.drawText(where, Qt.AlignmentFlag.AlignVCenter, elided)

    def _paint_span(self, painter: QPainter, span: Span, top: int) -> None:
        look = look_of(span.state)
        colour = QColor(self.theme.tone(look.tone))
        left, right = max(self.x_of(span.start_ns), self._names - 4), min(self.x_of(span.end_ns), self.width() + 4)
        edge = 5 if self._lane() == LANE else 2
        bar = QRectF(left, top + edge, max(right - left, 1.5), self._lane() - 2 * edge)
        painter.fillRect(bar, with_alpha(colour.name(), 34))
        brush = QColor(colour)
        brush.setAlpha(120 if look.tone == "fine" else 200)
        painter.setBrush(QBrush(brush, PATTERNS[look.tone]))
        painter.setPen(QPen(colour, 1))
        painter.drawRect(bar)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        width = width_of(look.word, 11, 600)
        if bar.width() > width + 14:
            plate = QRectF(max(bar.left(), self._names) + 4, bar.top() + 1.5, width + 6, bar.height() - 3)
            if plate.right() < bar.right():
                painter.fillRect(plate, with_alpha(self.theme.panel, 225))
                painter.setFont(text_font(11, 600))
                painter.setPen(QColor(self.theme.text))
                painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, look.word)

    def _paint_mark(self, painter: QPainter, mark: Mark, top: int) -> None:
        x, middle = self.x_of(mark.time_ns), top + self._lane() / 2
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self.theme.error), 1.5))
        painter.setBrush(QColor(self.theme.panel))
        painter.drawEllipse(QPointF(x, middle), 8, 8)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setFont(text_font(12, 600))
        where = QRectF(x - 8, middle - 8, 16, 16)
        painter.drawText(where, Qt.AlignmentFlag.AlignCenter, "↻" if mark.sort == "restart" else "!")
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def _paint_cursor(self, painter: QPainter) -> None:
        if self.now_ns is None or not self._names - 1 <= self.x_of(self.now_ns) <= self.width():
            return
        x = self.x_of(self.now_ns)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self.theme.accent), 2))
        painter.drawLine(QPointF(x, 6), QPointF(x, self.height()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.accent))
        painter.drawPolygon(QPolygonF([QPointF(x - 5, 2), QPointF(x + 5, 2), QPointF(x, 10)]))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    # ---- hands

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if event.button() == Qt.MouseButton.LeftButton:
            self._grabbed, self._dragged = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        at = event.position()
        if self._grabbed is None or not event.buttons():
            return
        if self._dragged or abs(at.x() - self._grabbed.x()) > 4:
            self._dragged = True
            by = self.time_at(self._grabbed.x()) - self.time_at(at.x())
            self._grabbed = at
            self._look(self.span_ns[0] + by, self.span_ns[1] + by)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        grabbed, self._grabbed = self._grabbed, None
        if grabbed is None or self._dragged:
            return
        name = self.name_at(event.position().y())
        if name:
            self.choose(name)
        if event.position().x() >= self._names and self.can_seek:
            self.sought.emit(self.time_at(event.position().x()))

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        self.show_all()

    def choose(self, name: str) -> None:
        self.chosen = name
        self.picked.emit(name)
        self.update()

    def event(self, event: QEvent | None) -> bool:
        if event is not None and event.type() == QEvent.Type.ToolTip:
            at: QPoint = event.pos()  # type: ignore[attr-defined]
            QToolTip.showText(event.globalPos(), self.words_at(at.x(), at.y()), self)  # type: ignore[attr-defined]
            return True
        return super().event(event)

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        assert event is not None
        event.accept()
        turn = event.angleDelta().y()
        if event.position().x() < self._names:
            seen = (self.height() - RULER) // self._lane()
            self._top = min(max(self._top - (1 if turn > 0 else -1), 0), max(len(self.names) - seen, 0))
            self.update()
            return
        self._zoom(self.time_at(event.position().x()), 0.8 ** (turn / 120))

    def _zoom(self, at_ns: int, factor: float) -> None:
        first, last = self.span_ns
        if self.follows and self.now_ns is not None:  # what is now stays at the right, however much one sees of before
            at_ns = last
        first, last = int(at_ns - (at_ns - first) * factor), int(at_ns + (last - at_ns) * factor)
        if LEAST_NS <= last - first <= MOST_NS:
            self.span_ns = (first, last)
            self.update()

    def _look(self, first: int, last: int) -> None:
        self.span_ns = (first, last)
        self._let_go()

    def _let_go(self) -> None:
        self.follows = False
        self.moved_by_hand.emit()
        self.update()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        step = (self.span_ns[1] - self.span_ns[0]) // 8
        middle = sum(self.span_ns) // 2
        key = event.key()
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            by = step if key == Qt.Key.Key_Right else -step
            self._look(self.span_ns[0] + by, self.span_ns[1] + by)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and self.names:
            here = self.names.index(self.chosen) if self.chosen in self.names else -1
            by = 1 if key == Qt.Key.Key_Down else -1
            self.choose(self.names[min(max(here + by, 0), len(self.names) - 1)])
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Minus):
            self._zoom(middle, 1.25 if key == Qt.Key.Key_Minus else 0.8)
        elif key == Qt.Key.Key_F:
            self.show_all()
        else:
            super().keyPressEvent(event)


def moment_words(time_ns: int) -> str:
    """Of system time: since the beginning, or the time of day."""
    return clock_words(time_ns % (86_400 * SECOND_NS) if time_ns > OF_THE_WORLD_NS else time_ns, fine=True)


def round_seconds(about: float) -> float:
    """A step of the ruler, not below `about`: 1, 2, 5 times a power of ten, from a minute on as clocks have it."""
    for step in (60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 21_600.0, 86_400.0):
        if about <= step and about > 30.0:
            return step
    power = 10.0 ** math.floor(math.log10(max(about, 1e-6)))
    return next((power * f for f in (1.0, 2.0, 5.0, 10.0) if power * f >= about * 0.999), 86_400.0)
