"""How a time line is painted: ruler, lanes with their density and gaps, range, cursor, overview."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen, QPolygonF

from studio.editor.live.log_outline import BINS, Lane, Outline
from studio.editor.look.fonts import text_font
from studio.editor.views.shared.plates import with_alpha
from studio.editor.views.timeline.timeline_rows import Group

if TYPE_CHECKING:
    from studio.editor.views.timeline.timeline import Timeline

RULER, LANE, OVERVIEW, BOX = 40, 23, 26, 14
SECOND_NS = 1_000_000_000
SHORT_GAP = 5
"""Pixels: what is shorter at this zoom gets a line, and words when one looks closer."""
STEPS_S = (
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600,
)  # fmt: skip
_LEFT, _RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight


def paint(painter: QPainter, line: Timeline) -> None:
    painter.fillRect(line.rect(), QColor(line.theme.panel))
    outline = line.outline
    if outline is None:
        return
    bottom = line.height() - OVERVIEW
    painter.fillRect(QRectF(line.list_width, 0, line.width() - line.list_width, bottom), QColor(line.theme.canvas))
    _paint_ruler(painter, line, outline)
    rows = line.rows
    for number, (lane, group) in enumerate(rows[line.top :]):
        top, placed = RULER + number * LANE, outline if group is None else group.placed
        if top + LANE > bottom:
            break
        if lane is None and group is not None:
            _paint_heading(painter, line, group, top)
        elif lane is not None and placed is not None:
            _paint_lane(painter, line, lane, top, placed, is_beside=group is not None)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_scroll(painter, line, len(rows), bottom)
    _paint_marks(painter, line)
    _paint_range(painter, line, bottom)
    _paint_cursor(painter, line, bottom)
    _paint_flags(painter, line)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    _paint_overview(painter, line, outline)


def _paint_scroll(painter: QPainter, line: Timeline, lanes: int, bottom: int) -> None:
    """At the edge of the list, while not all lanes have room."""
    room = max((bottom - RULER) // LANE, 1)
    if lanes <= room:
        return
    tall = bottom - RULER
    thumb = max(tall * room / lanes, 12.0)
    top = RULER + (tall - thumb) * min(line.top / (lanes - room), 1.0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(line.theme.control_border))
    painter.drawRoundedRect(QRectF(line.list_width - 7, top, 4, thumb), 2, 2)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_ruler(painter: QPainter, line: Timeline, outline: Outline) -> None:
    theme, (first, last) = line.theme, line.span_ns
    about = (last - first) / SECOND_NS * 110 / max(line.width() - line.list_width, 1)
    step = next((step for step in STEPS_S if step >= about), 7200.0)
    painter.setFont(text_font(11))
    if line.has_columns:
        painter.setPen(QColor(theme.muted))
        for left, width, words, side in _columns():
            painter.drawText(QRectF(left, RULER - 20, width, 16), side | Qt.AlignmentFlag.AlignVCenter, words)
    begin = math.ceil((first - outline.start_ns) / SECOND_NS / step)
    for number in range(begin, begin + 200):
        at = outline.start_ns + number * step * SECOND_NS
        if at > last:
            break
        x = line._x_of(at)
        painter.setPen(QColor(theme.control_border))
        painter.drawLine(QPointF(x, 12), QPointF(x, 18))
        painter.setPen(QColor(theme.muted))
        words = clock_words(int(at) - outline.start_ns, step < 1)
        if x + 4 + painter.fontMetrics().horizontalAdvance(words) <= line.width():
            painter.drawText(QPointF(x + 4, 16), words)


def _columns() -> tuple[tuple[int, int, str, Qt.AlignmentFlag], ...]:
    return (
        (48, 190, "stream", _LEFT), (242, 92, "type", _LEFT), (334, 58, "count", _RIGHT), (396, 46, "Hz", _RIGHT),
    )  # fmt: skip


def _paint_marks(painter: QPainter, line: Timeline) -> None:
    first, last = line.span_ns
    painter.setFont(text_font(11, 500))
    colour = QColor(line.theme.warning)
    shown = [mark for mark in line.marks if first <= mark.time_ns <= last]
    for place, mark in enumerate(shown):
        x = line._x_of(mark.time_ns)
        end = line._x_of(shown[place + 1].time_ns) if place + 1 < len(shown) else line.width() - 4.0
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(
            QPolygonF([QPointF(x, 23), QPointF(x + 8, 23), QPointF(x + 8, 35), QPointF(x + 4, 31), QPointF(x, 35)])
        )
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(colour)
        _words(painter, QRectF(x + 12, 21, min(end - x - 16, 170.0), 16), mark.text, _LEFT, Qt.TextElideMode.ElideRight)
        painter.setPen(QPen(with_alpha(line.theme.warning, 70), 1))
        painter.drawLine(QPointF(x, 36), QPointF(x, line.height() - OVERVIEW))


def _paint_heading(painter: QPainter, line: Timeline, group: Group, top: int) -> None:
    """Its words and fields are a widget over the list; here its ground, and from when to when it is."""
    painter.fillRect(0, top, line.width(), LANE, QColor(line.theme.header))
    placed = group.placed
    if placed is not None:
        left, right = (line._x_of(at) for at in (placed.start_ns, placed.end_ns))
        left, right = max(left, line.list_width), min(right, line.width() - 12.0)
        if right > left:
            painter.fillRect(QRectF(left, top + 8, right - left, LANE - 16), QColor(line.theme.control_border))


def _paint_lane(painter: QPainter, line: Timeline, lane: Lane, top: int, outline: Outline, *, is_beside: bool) -> None:
    theme, width = line.theme, line.list_width
    if lane.topic == line.chosen and not is_beside:
        painter.fillRect(0, top, line.width(), LANE, QColor(theme.selection))
    middle = top + LANE / 2
    if not is_beside:
        _paint_box(painter, line, lane, middle)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    hue = QColor(theme.hue(lane.type))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(hue)
    painter.drawEllipse(QPointF(36, middle), 4, 4)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setFont(text_font(12))
    painter.setPen(QColor(theme.text if lane.played_as or is_beside else theme.muted))
    _words(painter, QRectF(48, top, 190 if line.has_columns else width - 56, LANE), lane.topic, _LEFT)
    if line.has_columns:
        painter.setPen(QColor(theme.muted))
        count = f"{lane.count:,}".replace(",", "\u2009")
        for (left, room, _, side), words in zip(_columns()[1:], (lane.type, count, f"{lane.rate_hz:.1f}"), strict=True):
            _words(painter, QRectF(left, top, room, LANE), words, side)
    if not lane.enabled and not is_beside:
        hue.setAlphaF(0.35)
    _paint_bars(painter, line, lane, top, outline, hue)
    _paint_gaps(painter, line, lane, top)


def _paint_box(painter: QPainter, line: Timeline, lane: Lane, middle: float) -> None:
    theme = line.theme
    box = QRectF(10, middle - BOX / 2, BOX, BOX)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.control_border if lane.played_as else theme.border), 1))
    painter.setBrush(QColor(theme.accent_fill if lane.enabled else theme.field))
    painter.drawRoundedRect(box, 3, 3)
    if lane.enabled:
        painter.setPen(QPen(QColor(theme.on_accent), 1.8))
        painter.drawPolyline(QPolygonF([QPointF(13, middle), QPointF(16, middle + 3), QPointF(21, middle - 3)]))


def _words(
    painter: QPainter, where: QRectF, words: str, side: Qt.AlignmentFlag,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
) -> None:  # fmt: skip
    elided = painter.fontMetrics().elidedText(words, elide, int(where.width()))
    painter.drawText(where, side | Qt.AlignmentFlag.AlignVCenter, elided)


def _paint_bars(painter: QPainter, line: Timeline, lane: Lane, top: int, outline: Outline, hue: QColor) -> None:
    """Two pixels and a gap of one; the height is the density, against the densest of the lane. Of a part that was
    looked at closely what was found there."""
    left, right = line.list_width, line.width() - 12
    first, last = line.span_ns
    density, start_ns, length_ns = lane.density, outline.start_ns, outline.length_ns
    if lane.close is not None and outline.close_ns is not None:
        close_first, close_last = outline.close_ns
        if close_first <= first and last <= close_last:
            density, start_ns, length_ns = lane.close, close_first, close_last - close_first
    most = float(density.max()) if len(density) else 0.0
    if most <= 0:
        return
    per_pixel = (last - first) / max(right - left, 1)
    for x in range(left, right, 3):
        at = first + (x - left) * per_pixel
        begin = int((at - start_ns) / length_ns * BINS)
        end = max(begin + 1, math.ceil((at + 3 * per_pixel - start_ns) / length_ns * BINS))
        if end <= 0 or begin >= BINS:
            continue
        value = float(np.max(density[max(begin, 0) : min(end, BINS)]))
        if value > 0:
            height = 3 + (LANE - 9) * math.sqrt(value / most)
            painter.fillRect(QRectF(x, top + LANE - 4 - height, 2, height), hue)


def _paint_gaps(painter: QPainter, line: Timeline, lane: Lane, top: int) -> None:
    """A pill on the lane, where it has room; a line where it has not."""
    first, last = line.span_ns
    painter.setFont(text_font(10.5, 500))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    amber, left_edge, taken = QColor(line.theme.warning), line.list_width, -1e9
    for gap in lane.gaps:
        if gap.end_ns < first or gap.start_ns > last:
            continue
        left, right = max(line._x_of(gap.start_ns), left_edge), min(line._x_of(gap.end_ns), line.width() - 12.0)
        painter.setPen(QPen(amber, 1))
        words = gap.words
        width = painter.fontMetrics().horizontalAdvance(words) + 14
        middle = min(max((left + right) / 2, left_edge + width / 2), line.width() - 12 - width / 2)
        if right - left < SHORT_GAP or middle - width / 2 < taken + 3:
            painter.drawLine(QPointF(left, top + LANE - 3.5), QPointF(max(right, left + 3), top + LANE - 3.5))
            continue
        taken = middle + width / 2
        painter.setBrush(QColor(line.theme.panel))
        pill = QRectF(middle - width / 2, top + 3, width, LANE - 6)
        painter.drawRoundedRect(pill, (LANE - 6) / 2, (LANE - 6) / 2)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, words)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_range(painter: QPainter, line: Timeline, bottom: int) -> None:
    if line.range_ns is None:
        return
    pink = line.theme.origins["logged"].text
    ends = [max(line._x_of(at), line.list_width) for at in line.range_ns]
    painter.fillRect(QRectF(ends[0], RULER, ends[1] - ends[0], bottom - RULER), with_alpha(pink, 33))
    painter.setPen(QPen(QColor(pink), 1.5))
    for x in (line._x_of(at) for at in line.range_ns):
        if x >= line.list_width - 1:
            painter.drawLine(QPointF(x, 4), QPointF(x, bottom))


def _paint_flags(painter: QPainter, line: Timeline) -> None:
    """Of the range, over the cursor: which of its ends it stands at can still be read."""
    if line.range_ns is None:
        return
    pink = line.theme.origins["logged"].text
    painter.setFont(text_font(11, 600))
    for time_ns, letter in zip(line.range_ns, "AB", strict=True):
        x = line._x_of(time_ns)
        if x < line.list_width - 1:
            continue
        flag = QRectF(x if letter == "A" else x - 14, 2, 14, 14)
        painter.fillRect(flag, QColor(pink))
        painter.setPen(QColor(line.theme.panel))
        painter.drawText(flag, Qt.AlignmentFlag.AlignCenter, letter)


def _paint_cursor(painter: QPainter, line: Timeline, bottom: int) -> None:
    x = line._x_of(line.now_ns)
    if x < line.list_width - 1:
        return
    colour = QColor(line.theme.frozen if line.frozen else line.theme.accent)
    painter.setPen(QPen(colour, 2))
    painter.drawLine(QPointF(x, 4), QPointF(x, bottom))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(
        QPolygonF([QPointF(x - 6, 2), QPointF(x + 6, 2), QPointF(x + 6, 9), QPointF(x, 15), QPointF(x - 6, 9)])
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)


def _paint_overview(painter: QPainter, line: Timeline, outline: Outline) -> None:
    theme, height = line.theme, OVERVIEW - 8
    top, left, right = line.height() - OVERVIEW + 4, line.list_width, line.width() - 12
    painter.setFont(text_font(11))
    painter.setPen(QColor(theme.muted))
    _words(painter, QRectF(12, top, left - 20, height), line.words, _LEFT, Qt.TextElideMode.ElideRight)
    painter.fillRect(QRectF(left, top, right - left, height), QColor(theme.field))
    density = outline.density
    most = float(density.max()) or 1.0
    begin, end = line.extent_ns
    for x in range(left, right, 2):
        at = begin + (x - left) / max(right - left, 1) * (end - begin)
        place = int((at - outline.start_ns) / outline.length_ns * BINS)
        value = float(density[place]) if 0 <= place < BINS else 0.0
        tall = (height - 4) * math.sqrt(value / most)
        painter.fillRect(QRectF(x, top + height - 1 - tall, 2, tall), with_alpha(theme.muted, 110))
    first, last = line.span_ns
    share = [(at - begin) / (end - begin) for at in (first, last)]
    window = QRectF(left + share[0] * (right - left), top, (share[1] - share[0]) * (right - left), height - 1)
    painter.fillRect(window, with_alpha(theme.accent, 28))
    painter.setPen(QPen(QColor(theme.accent), 1))
    painter.drawRect(window)
    x_now = left + (line.now_ns - begin) / (end - begin) * (right - left)
    painter.setPen(QPen(QColor(theme.frozen if line.frozen else theme.accent), 2))
    painter.drawLine(QPointF(x_now, top), QPointF(x_now, top + height))


def clock_words(time_ns: int, fine: bool = False) -> str:
    """01:19 or 1:02:03, with thousandths where they matter."""
    thousandths = round(time_ns / 1_000_000)
    minutes, rest = divmod(thousandths, 60_000)
    hours, minutes = divmod(minutes, 60)
    whole = f"{minutes:02d}:{rest // 1000:02d}" + (f".{rest % 1000:03d}" if fine else "")
    return f"{hours}:{whole}" if hours else whole
