"""Small painted things that lie on pictures: plates, the legend of a scale, the vehicle."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QImage, QLinearGradient, QPainter, QPen, QPolygonF

from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme
from studio.editor.views.shared.map_colours import Scheme, ticks

LEGEND, SMALL_LEGEND = (112, 176), (92, 132)
NOTE_MARGIN, NOTE_HEIGHT = 12, 24
_BAR = 12


def with_alpha(colour: str, alpha: int) -> QColor:
    made = QColor(colour)
    made.setAlpha(alpha)
    return made


def draw_upright(painter: QPainter, x: int, height: int, colour: QColor) -> None:
    """A line one pixel wide from the top down that shines through: as an image, because Qt fills such a rectangle
    pixel by pixel, which takes eight times as long."""
    painter.drawImage(x, 0, _column(height, colour.rgba()))


@lru_cache(maxsize=16)
def _column(height: int, rgba: int) -> QImage:
    image = QImage(1, max(height, 1), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor.fromRgba(rgba))
    return image


def draw_plate(painter: QPainter, where: QRectF, theme: Theme) -> None:
    """A ground that keeps text readable on any picture."""
    painter.setPen(QPen(QColor(theme.border), 0))
    painter.setBrush(with_alpha(theme.panel, 240))
    painter.drawRoundedRect(where, 4, 4)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def legend_bar(where: QRectF) -> QRectF:
    """The colours within a legend."""
    return QRectF(where.left() + 12, where.top() + 34, _BAR, where.height() - 56)


def draw_legend(
    painter: QPainter, where: QRectF, scheme: Scheme, title: str, theme: Theme, clipped: tuple[bool, bool]
) -> None:
    """The colours of a scale with its numbers; `clipped` tells whether values lie below and above it."""
    draw_plate(painter, where, theme)
    painter.setFont(text_font(11))
    painter.setPen(QColor(theme.muted))
    heading = f"{title} {scheme.unit}".strip()
    elided = painter.fontMetrics().elidedText(heading, Qt.TextElideMode.ElideMiddle, int(where.width()) - 16)
    painter.drawText(QPointF(where.left() + 8, where.top() + 17), elided)
    bar = legend_bar(where)
    gradient = QLinearGradient(bar.bottomLeft(), bar.topLeft())
    for at, colour in scheme.stops:
        gradient.setColorAt((at - scheme.low) / (scheme.high - scheme.low), QColor(colour))
    painter.fillRect(bar, gradient)
    for end in (bar.top(), bar.bottom()):  # they can be dragged
        painter.fillRect(QRectF(bar.left() - 4, end - 1, bar.width() + 8, 2), QColor(theme.control_border))
    _draw_arrows(painter, bar, scheme, clipped)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for value in ticks(scheme.low, scheme.high, 4):
        y = bar.bottom() - (value - scheme.low) / (scheme.high - scheme.low) * bar.height()
        is_grade = scheme.grade is not None and abs(value - scheme.grade) < 1e-9
        painter.setPen(QPen(QColor(theme.muted), 1))
        painter.drawLine(QPointF(bar.right() + 2, y), QPointF(bar.right() + 6, y))
        painter.setFont(text_font(11, 600 if is_grade else 400))
        painter.setPen(QColor(theme.text if is_grade else theme.muted))
        painter.drawText(
            QPointF(bar.right() + 10, y + 4), f"{number(value, scheme)} {scheme.grade_word if is_grade else ''}"
        )


def _draw_arrows(painter: QPainter, bar: QRectF, scheme: Scheme, clipped: tuple[bool, bool]) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    middle = bar.center().x()
    below, above = clipped
    if above:
        painter.setBrush(QColor(scheme.stops[-1][1]))
        top = bar.top() - 2
        painter.drawPolygon(QPolygonF([QPointF(middle - 6, top), QPointF(middle + 6, top), QPointF(middle, top - 7)]))
    if below:
        painter.setBrush(QColor(scheme.stops[0][1]))
        low = bar.bottom() + 2
        painter.drawPolygon(QPolygonF([QPointF(middle - 6, low), QPointF(middle + 6, low), QPointF(middle, low + 7)]))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def draw_cross(painter: QPainter, at: QPointF) -> None:
    """Where the pointer is in another view: white on dark, so that it is seen on any ground."""
    for colour, width in (("#14171A", 3.0), ("#FFFFFF", 1.0)):
        painter.setPen(QPen(QColor(colour), width))
        for reach in (QPointF(9, 0), QPointF(0, 9)):
            painter.drawLine(at - reach, at - reach / 3)
            painter.drawLine(at + reach / 3, at + reach)


def number(value: float, scheme: Scheme) -> str:
    """With a sign where the scale has two sides, and a real minus."""
    text = f"{value:+g}" if scheme.grade is not None and value else f"{value:g}"
    return text.replace("-", "−")


def draw_notes(painter: QPainter, notes: Sequence[str], width: int, theme: Theme, *, is_real: bool = False) -> None:
    """From the upper left corner, each on its plate, in as many rows as they need; what is of a real vehicle says so
    first."""
    origin, x, y = theme.origins["real"], NOTE_MARGIN, NOTE_MARGIN
    painter.setFont(text_font(12, 600))
    metrics, room = painter.fontMetrics(), width - 2 * NOTE_MARGIN
    for words in (["REAL"] if is_real else []) + list(notes):
        wide = min(metrics.horizontalAdvance(words) + 18, room)
        if x > NOTE_MARGIN and x + wide > NOTE_MARGIN + room:
            x, y = NOTE_MARGIN, y + NOTE_HEIGHT + 4
        plate = QRectF(x, y, wide, NOTE_HEIGHT)
        draw_plate(painter, plate, theme)
        is_loud = is_real and (x, y) == (NOTE_MARGIN, NOTE_MARGIN)
        if is_loud:
            painter.fillRect(plate, QColor(origin.fill))
        painter.setPen(QColor(origin.on_fill if is_loud else theme.text))
        shown = metrics.elidedText(words, Qt.TextElideMode.ElideRight, wide - 12)
        painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, shown)
        x += wide + 6


def draw_vehicle(painter: QPainter, at: QPointF, heading_rad: float, length_px: float, theme: Theme) -> None:
    """A plate with an arrow, to scale where that is larger than 24 pixels."""
    length = max(length_px, 24.0)
    width = length * 14 / 24
    painter.save()
    painter.translate(at)
    painter.rotate(-heading_rad * 180.0 / 3.141592653589793)
    painter.setPen(QPen(QColor("#14171A"), 1.5))
    painter.setBrush(QColor("#FFFFFF"))
    painter.drawRoundedRect(QRectF(-length / 2, -width / 2, length, width), 3, 3)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor("#14171A"))
    painter.drawPolygon(
        QPolygonF(
            [QPointF(length * 0.32, 0), QPointF(-length * 0.1, -width * 0.3), QPointF(-length * 0.1, width * 0.3)]
        )
    )
    painter.restore()
