"""The time line of a log: a lane per stream, the cursor, a range, bookmarks; drag to scrub, wheel to zoom."""

from __future__ import annotations

import math

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QWheelEvent
from PyQt6.QtWidgets import QWidget

from studio.editor.fonts import text_font
from studio.editor.theme import Theme
from studio.editor.views.log_outline import BINS, Lane, Outline
from studio.editor.views.plates import with_alpha

RULER, LANE, OVERVIEW = 40, 23, 20
LIST, NARROW_LIST = 420, 220
SECOND_NS = 1_000_000_000
BOX = 14


class Timeline(QWidget):
    sought = pyqtSignal(object)
    """A time of the log in ns that the user wants to be at."""
    toggled = pyqtSignal(str, bool)
    """A stream of the system, on or off."""
    picked = pyqtSignal(str)
    """The stream that is chosen now."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.outline: Outline | None = None
        self.now_ns = 0
        self.range_ns: tuple[int, int] | None = None
        self.chosen = ""
        self.span_ns = (0, 1)
        self._top = 0
        self._scrubs = False
        self.setMinimumSize(360, RULER + 2 * LANE + OVERVIEW)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Time line")

    # ---- what is shown

    def show_outline(self, outline: Outline | None) -> None:
        self.outline = outline
        if outline is not None:
            self.span_ns = (outline.start_ns, outline.start_ns + outline.length_ns)
            self.now_ns = outline.start_ns
        self.update()

    def show_now(self, now_ns: int, range_ns: tuple[int, int] | None) -> None:
        self.now_ns, self.range_ns = now_ns, range_ns
        first, last = self.span_ns
        if not first <= now_ns <= last and not self._scrubs:  # it has left a zoomed view: turn the page
            self.span_ns = (now_ns, now_ns + last - first)
        self.update()

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()

    def show_all(self) -> None:
        if self.outline is not None:
            self.span_ns = (self.outline.start_ns, self.outline.start_ns + self.outline.length_ns)
            self.update()

    # ---- places

    @property
    def _list_width(self) -> int:
        return LIST if self.width() >= 900 else NARROW_LIST

    def _x_of(self, time_ns: float) -> float:
        first, last = self.span_ns
        return self._list_width + (time_ns - first) / max(last - first, 1) * (self.width() - self._list_width - 12)

    def _time_at(self, x: float) -> int:
        first, last = self.span_ns
        share = (x - self._list_width) / max(self.width() - self._list_width - 12, 1)
        time_ns = int(first + min(max(share, 0.0), 1.0) * (last - first))
        outline = self.outline
        return time_ns if outline is None else min(max(time_ns, outline.start_ns), outline.end_ns)

    def _lane_at(self, y: float) -> Lane | None:
        number = int((y - RULER) // LANE) + self._top
        lanes = self.outline.lanes if self.outline is not None else []
        return lanes[number] if y >= RULER and 0 <= number < len(lanes) and y < self.height() - OVERVIEW else None

    # ---- painting

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self.theme.panel))
        outline = self.outline
        if outline is not None:
            self._paint_ruler(painter, outline)
            bottom = self.height() - OVERVIEW
            for number, lane in enumerate(outline.lanes[self._top :]):
                top = RULER + number * LANE
                if top + LANE > bottom:
                    break
                self._paint_lane(painter, lane, top, outline)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_range(painter, bottom)
            self._paint_cursor(painter, bottom)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            self._paint_overview(painter, outline)
        painter.end()

    def _paint_ruler(self, painter: QPainter, outline: Outline) -> None:
        first, last = self.span_ns
        step = _round_seconds((last - first) / SECOND_NS * 110 / max(self.width() - self._list_width, 1))
        painter.setFont(text_font(11))
        begin = math.ceil((first - outline.start_ns) / SECOND_NS / step)
        for number in range(begin, begin + 200):
            at = outline.start_ns + number * step * SECOND_NS
            if at > last:
                break
            x = self._x_of(at)
            painter.setPen(QColor(self.theme.control_border))
            painter.drawLine(QPointF(x, 12), QPointF(x, 18))
            painter.setPen(QColor(self.theme.muted))
            painter.drawText(QPointF(x + 4, 16), clock_words(int(at) - outline.start_ns, step < 1))
        painter.setPen(QColor(self.theme.warning))
        for at, words in outline.bookmarks:
            if first <= at <= last:
                painter.drawText(QPointF(self._x_of(at), 34), f"⚑ {words[:24]}")

    def _paint_lane(self, painter: QPainter, lane: Lane, top: int, outline: Outline) -> None:
        theme, width = self.theme, self._list_width
        if lane.topic == self.chosen:
            painter.fillRect(0, top, self.width(), LANE, QColor(theme.selection))
        middle = top + LANE / 2
        box = QRectF(10, middle - BOX / 2, BOX, BOX)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.control_border if lane.played_as else theme.border), 1))
        painter.setBrush(QColor(theme.accent_fill if lane.enabled else theme.field))
        painter.drawRoundedRect(box, 3, 3)
        if lane.enabled:
            painter.setPen(QPen(QColor(theme.on_accent), 1.8))
            painter.drawPolyline(QPolygonF([QPointF(13, middle), QPointF(16, middle + 3), QPointF(21, middle - 3)]))
        hue = QColor(theme.hue(lane.type))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(hue)
        painter.drawEllipse(QPointF(36, middle), 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setFont(text_font(12))
        painter.setPen(QColor(theme.text if lane.played_as else theme.muted))
        name = QRectF(48, top, (width - 56) if width == NARROW_LIST else 180, LANE)
        self._words(painter, name, lane.topic, Qt.AlignmentFlag.AlignLeft)
        if width == LIST:
            painter.setPen(QColor(theme.muted))
            self._words(painter, QRectF(236, top, 84, LANE), lane.type, Qt.AlignmentFlag.AlignLeft)
            count = f"{lane.count:,}".replace(",", "\u2009")
            self._words(painter, QRectF(316, top, 50, LANE), count, Qt.AlignmentFlag.AlignRight)
            self._words(painter, QRectF(368, top, 42, LANE), f"{lane.rate_hz:.1f}", Qt.AlignmentFlag.AlignRight)
        if not lane.enabled:
            hue.setAlphaF(0.35)
        self._paint_bars(painter, lane, top, outline, hue)

    def _words(self, painter: QPainter, where: QRectF, words: str, side: Qt.AlignmentFlag) -> None:
        elided = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, int(where.width()))
        painter.drawText(where, side | Qt.AlignmentFlag.AlignVCenter, elided)

    def _paint_bars(self, painter: QPainter, lane: Lane, top: int, outline: Outline, hue: QColor) -> None:
        """Two pixels and a gap of one; the height is the density, against the densest of the lane."""
        most = float(lane.density.max()) if len(lane.density) else 0.0
        if most <= 0:
            return
        left, right = self._list_width, self.width() - 12
        first, last = self.span_ns
        per_pixel = (last - first) / max(right - left, 1)
        for x in range(left, right, 3):
            at = first + (x - left) * per_pixel
            begin = int((at - outline.start_ns) / outline.length_ns * BINS)
            end = max(begin + 1, math.ceil((at + 3 * per_pixel - outline.start_ns) / outline.length_ns * BINS))
            if end <= 0 or begin >= BINS:
                continue
            value = float(np.max(lane.density[max(begin, 0) : min(end, BINS)]))
            if value > 0:
                height = 3 + (LANE - 9) * math.sqrt(value / most)
                painter.fillRect(QRectF(x, top + LANE - 4 - height, 2, height), hue)

    def _paint_range(self, painter: QPainter, bottom: int) -> None:
        if self.range_ns is None:
            return
        pink = self.theme.origins["logged"].text
        left, right = (self._x_of(at) for at in self.range_ns)
        painter.fillRect(QRectF(left, RULER, right - left, bottom - RULER), with_alpha(pink, 33))
        painter.setFont(text_font(11, 600))
        for x, letter in ((left, "A"), (right, "B")):
            painter.setPen(QPen(QColor(pink), 1.5))
            painter.drawLine(QPointF(x, 4), QPointF(x, bottom))
            flag = QRectF(x if letter == "A" else x - 14, 2, 14, 14)
            painter.fillRect(flag, QColor(pink))
            painter.setPen(QColor(self.theme.panel))
            painter.drawText(flag, Qt.AlignmentFlag.AlignCenter, letter)

    def _paint_cursor(self, painter: QPainter, bottom: int) -> None:
        x = self._x_of(self.now_ns)
        if x < self._list_width - 1:
            return
        painter.setPen(QPen(QColor(self.theme.accent), 2))
        painter.drawLine(QPointF(x, 4), QPointF(x, bottom))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.accent))
        painter.drawPolygon(
            QPolygonF([QPointF(x - 6, 2), QPointF(x + 6, 2), QPointF(x + 6, 9), QPointF(x, 15), QPointF(x - 6, 9)])
        )
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_overview(self, painter: QPainter, outline: Outline) -> None:
        top, left, right = self.height() - OVERVIEW + 3, self._list_width, self.width() - 12
        painter.fillRect(QRectF(left, top, right - left, OVERVIEW - 6), QColor(self.theme.field))
        first, last = self.span_ns
        share = [(at - outline.start_ns) / outline.length_ns for at in (first, last)]
        window = QRectF(left + share[0] * (right - left), top, (share[1] - share[0]) * (right - left), OVERVIEW - 6)
        painter.fillRect(window, with_alpha(self.theme.accent, 40))
        painter.setPen(QPen(QColor(self.theme.accent), 1))
        painter.drawRect(window)
        x = left + (self.now_ns - outline.start_ns) / outline.length_ns * (right - left)
        painter.drawLine(QPointF(x, top), QPointF(x, top + OVERVIEW - 6))

    # ---- hands

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if self.outline is None or event.button() != Qt.MouseButton.LeftButton:
            return
        at = event.position()
        lane = self._lane_at(at.y())
        if at.x() < self._list_width:
            if lane is not None and at.x() < 30 and lane.played_as:
                self.toggled.emit(lane.played_as, not lane.enabled)
            elif lane is not None:
                self.choose(lane.topic)
        elif at.y() >= self.height() - OVERVIEW:
            self._look_around(at.x())
        else:
            self._scrubs = True
            self._seek(at.x())

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if self._scrubs:
            self._seek(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        self._scrubs = False

    def _seek(self, x: float) -> None:
        self.now_ns = self._time_at(x)
        self.sought.emit(self.now_ns)
        self.update()

    def choose(self, topic: str) -> None:
        self.chosen = topic
        self.picked.emit(topic)
        self.update()

    def _look_around(self, x: float) -> None:
        outline = self.outline
        assert outline is not None
        share = (x - self._list_width) / max(self.width() - self._list_width - 12, 1)
        half = (self.span_ns[1] - self.span_ns[0]) // 2
        middle = int(outline.start_ns + share * outline.length_ns)
        self._show_span(middle - half, middle + half)

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        assert event is not None
        event.accept()
        turn = event.angleDelta().y()
        if event.position().x() < self._list_width:
            lanes = len(self.outline.lanes) if self.outline is not None else 0
            self._top = min(max(self._top - (1 if turn > 0 else -1), 0), max(lanes - 2, 0))
            self.update()
            return
        at, (first, last) = self._time_at(event.position().x()), self.span_ns
        factor = 0.8 ** (turn / 120)
        self._show_span(int(at - (at - first) * factor), int(at + (last - at) * factor))

    def _show_span(self, first: int, last: int) -> None:
        outline = self.outline
        if outline is None:
            return
        length = min(max(last - first, 1_000_000), outline.length_ns)
        first = min(max(first, outline.start_ns), outline.start_ns + outline.length_ns - length)
        self.span_ns = (first, first + length)
        self.update()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        if event.key() == Qt.Key.Key_0 and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.show_all()
            return
        lanes = [lane.topic for lane in self.outline.lanes] if self.outline is not None else []
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and lanes:
            step = 1 if event.key() == Qt.Key.Key_Down else -1
            here = lanes.index(self.chosen) if self.chosen in lanes else -step % len(lanes)
            self.choose(lanes[min(max(here + step, 0), len(lanes) - 1)])
            return
        super().keyPressEvent(event)


def clock_words(time_ns: int, fine: bool = False) -> str:
    """01:19 or 1:02:03, with thousandths where they matter."""
    seconds = time_ns / SECOND_NS
    minutes, rest = divmod(seconds, 60.0)
    hours, minutes = divmod(int(minutes), 60)
    whole = f"{int(minutes):02d}:{rest:06.3f}" if fine else f"{int(minutes):02d}:{int(rest):02d}"
    return f"{hours}:{whole}" if hours else whole


def _round_seconds(about: float) -> float:
    steps: tuple[float, ...] = (
        0.001,
        0.002,
        0.005,
        0.01,
        0.02,
        0.05,
        0.1,
        0.2,
        0.5,
        1,
        2,
        5,
        10,
        20,
        30,
        60,
        120,
        300,
        600,
        1800,
        3600,
    )
    return next((step for step in steps if step >= about), 7200.0)
