"""A planar scan as a fan seen from above, ahead is up."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PyQt6.QtCore import QPointF, QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PyQt6.QtWidgets import QSizePolicy, QWidget

from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme


class ScanView(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._first, self._step, self._most = 0.0, 0.0, 1.0
        self._ranges: list[float] = []
        self.setMinimumHeight(150)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Laser scan")

    def sizeHint(self) -> QSize:
        return QSize(240, 220)

    def show_scan(self, first_rad: float, step_rad: float, ranges: Sequence[float], most_m: float) -> None:
        self._first, self._step, self._ranges, self._most = first_rad, step_rad, list(ranges), max(most_m, 0.1)
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self.theme.canvas))
        if not self._ranges:
            return
        finite = [value for value in self._ranges if math.isfinite(value)]
        reach = min(self._most, max([*finite, 1.0]) * 1.05)
        is_behind = any(math.cos(self._first + self._step * at) < -0.1 for at in (0, len(self._ranges) - 1))
        middle = QPointF(self.width() / 2, self.height() / 2 if is_behind else self.height() - 14)
        scale = min(self.width() / 2 - 8, self.height() / 2 - 8 if is_behind else self.height() - 24) / reach
        self._paint_rings(painter, middle, scale, reach)
        points = [
            self._place(middle, self._first + self._step * at, min(value, reach) if value == value else 0.0, scale)
            for at, value in enumerate(self._ranges)
        ]
        fill, line = QColor(self.theme.hue("Range3d")), QColor(self.theme.hue("Range3d"))
        fill.setAlphaF(0.18)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawPolygon(QPolygonF([middle, *points]))
        painter.setPen(QPen(line, 3, cap=Qt.PenCapStyle.RoundCap))
        hits = [point for point, value in zip(points, self._ranges, strict=True) if value < reach]
        painter.drawPoints(QPolygonF(hits))
        painter.setPen(QPen(QColor(self.theme.text), 1.5))
        painter.setBrush(QColor(self.theme.panel))
        painter.drawRoundedRect(int(middle.x()) - 5, int(middle.y()) - 6, 10, 12, 3, 3)

    def _paint_rings(self, painter: QPainter, middle: QPointF, scale: float, reach: float) -> None:
        apart = next((each for each in (0.5, 1, 2, 5, 10, 20, 50) if reach / each <= 4), 100)
        painter.setFont(text_font(11))
        for number in range(1, int(reach / apart) + 1):
            radius = apart * number * scale
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self.theme.border), 1))
            painter.drawEllipse(middle, radius, radius)
            painter.setPen(QColor(self.theme.muted))
            painter.drawText(middle + QPointF(min(radius - 14, self.width() / 2 - 34), 12), f"{apart * number:g} m")

    def _place(self, middle: QPointF, angle: float, distance: float, scale: float) -> QPointF:
        return middle + QPointF(-math.sin(angle), -math.cos(angle)) * distance * scale
