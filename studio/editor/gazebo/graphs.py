"""Small courses over the last minute, painted without axes: the numbers that matter stand beside them."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PyQt6.QtWidgets import QSizePolicy, QWidget

from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme

MARGIN = 3.0
ROOM_FOR_WORDS = 170.0


class Course(QWidget):
    """`level`: a value that is worth a line, or None. Values go from 0 up."""

    def __init__(self, theme: Theme, name: str, tone: str, level: float | None = None, height: int = 44) -> None:
        super().__init__()
        self.theme, self._tone, self._level = theme, tone, level
        self._values: list[float] = []
        self._count = 1
        self._words = ""
        self.setFixedHeight(height)
        self.setMinimumWidth(90)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)

    def sizeHint(self) -> QSize:
        return QSize(180, self.height())

    def show_values(self, values: Sequence[float], count: int, words: str) -> None:
        """`count`: how many have room; the newest is at the right."""
        if (self._values, self._words) != (list(values), words):
            self._values, self._count, self._words = list(values), count, words
            self.setAccessibleDescription(words)
            self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(QColor(self.theme.border), 1))
        painter.setBrush(QColor(self.theme.field))
        painter.drawRect(room)
        top = max([self._level or 0.0, *self._values, 1e-9]) * 1.15
        inside = room.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)

        def height(value: float) -> float:
            return inside.bottom() - inside.height() * value / top

        if self._level is not None:
            painter.setPen(QPen(QColor(self.theme.muted), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(inside.left(), height(self._level)), QPointF(inside.right(), height(self._level)))
        colour = QColor(getattr(self.theme, self._tone))
        step = inside.width() / max(1, self._count - 1)
        first = inside.right() - step * (len(self._values) - 1)
        line = [QPointF(first + step * place, height(value)) for place, value in enumerate(self._values)]
        if len(line) > 1:
            fill = QColor(colour)
            fill.setAlphaF(0.13)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(fill)
            ends = [QPointF(line[-1].x(), inside.bottom()), QPointF(line[0].x(), inside.bottom())]
            painter.drawPolygon(QPolygonF([*line, *ends]))
            painter.setPen(QPen(colour, 1))
            painter.drawPolyline(QPolygonF(line))
        if inside.width() < ROOM_FOR_WORDS:
            return  # they would cover the course; the accessible description has them
        painter.setPen(QColor(self.theme.muted))
        painter.setFont(text_font(11))
        painter.drawText(inside, int(Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight), self._words)
