"""How long a path takes, as a histogram: the middle, the slowest hundredth, and where this event lies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QWidget

from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme
from studio.editor.views.shared.map_colours import ticks
from studio.editor.views.shared.plates import with_alpha

AXIS, TOP, SIDE = 20, 22, 14
LEAST_BAR_PX = 7
SECOND_MS = 1000.0


def tick_words(value_ms: float) -> str:
    """On an axis: what is a second or longer is told in seconds."""
    text = f"{value_ms / 1000:g} s" if abs(value_ms) >= SECOND_MS else f"{value_ms:g} ms"
    return text.replace("-", "−")


def latency_words(value_ms: float) -> str:
    return f"{value_ms / 1000:.2f} s" if value_ms >= SECOND_MS else f"{value_ms:.1f} ms"


class LatencyHistogram(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.times_ms: NDArray[np.float64] = np.zeros(0)
        self.own_ms: float | None = None
        self.setMinimumHeight(96)
        self.setAccessibleName("Latencies of the path")
        self.setToolTip("How often this path took how long; p50: half of the time less, p99: 99 of 100 times less")

    def show_times(self, times_ms: NDArray[np.float64], own_ms: float | None) -> None:
        self.times_ms, self.own_ms = times_ms[np.isfinite(times_ms)], own_ms
        self.update()

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()

    def quantile(self, share: float) -> float:
        return float(np.quantile(self.times_ms, share))

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self.theme.panel))
        painter.setFont(text_font(11))
        if not len(self.times_ms):
            painter.setPen(QColor(self.theme.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "No path from a sensor is known yet")
            return
        marks = [self.quantile(0.5), self.quantile(0.99), *([self.own_ms] if self.own_ms is not None else [])]
        low, high = float(min(self.times_ms.min(), *marks)), float(max(self.times_ms.max(), *marks))
        room = max((high - low) * 0.04, 0.05)
        low, high = max(low - room, 0.0), high + room
        ground = QRectF(SIDE, TOP, self.width() - 2 * SIDE, self.height() - TOP - AXIS)
        self._paint_bars(painter, ground, low, high)
        self._paint_axis(painter, ground, low, high)
        self._paint_marks(painter, ground, low, high)
        painter.end()

    def _paint_bars(self, painter: QPainter, ground: QRectF, low: float, high: float) -> None:
        bins = max(int(min(ground.width() / LEAST_BAR_PX, 10 + len(self.times_ms) ** 0.6)), 1)
        counts, _ = np.histogram(self.times_ms, bins, (low, high))
        width, most = ground.width() / bins, max(int(counts.max()), 1)
        for number, count in enumerate(counts.tolist()):
            if count:
                height = max(ground.height() * count / most, 1.5)
                bar = QRectF(ground.left() + number * width, ground.bottom() - height, max(width - 1, 1), height)
                painter.fillRect(bar, with_alpha(self.theme.muted, 130))

    def _paint_axis(self, painter: QPainter, ground: QRectF, low: float, high: float) -> None:
        painter.setPen(QPen(QColor(self.theme.border), 0))
        painter.drawLine(ground.bottomLeft(), ground.bottomRight())
        for value in ticks(low, high, max(int(ground.width() // 110), 2)):
            x = self._x(ground, low, high, value)
            painter.setPen(QPen(QColor(self.theme.border), 0))
            painter.drawLine(QPointF(x, ground.bottom()), QPointF(x, ground.bottom() + 4))
            painter.setPen(QColor(self.theme.muted))
            words = tick_words(value)
            width = painter.fontMetrics().horizontalAdvance(words) + 2
            where = QRectF(min(max(x - width / 2, 0), self.width() - width), ground.bottom() + 4, width, AXIS - 4)
            painter.drawText(where, Qt.AlignmentFlag.AlignCenter, words)

    def _paint_marks(self, painter: QPainter, ground: QRectF, low: float, high: float) -> None:
        marks = [("p50", self.quantile(0.5), self.theme.text, 1.0), ("p99", self.quantile(0.99), self.theme.text, 1.0)]
        if self.own_ms is not None:
            marks.append(("this", self.own_ms, self.theme.accent, 3.0))
        taken: list[QRectF] = []
        for word, value, colour, width in reversed(marks):
            x = self._x(ground, low, high, value)
            painter.setPen(QPen(QColor(colour), width))
            painter.drawLine(QPointF(x, ground.top() - 2), QPointF(x, ground.bottom()))
            words = f"{word} {latency_words(value)}"
            wide = painter.fontMetrics().horizontalAdvance(words) + 6
            # Of two that would lie on each other the second goes to the other side of its line, or a row lower.
            places = [QRectF(left, row, wide, 14) for row in (3.0, 18.0) for left in (x + 3, x - 3 - wide) if left > 0]
            free = [at for at in places if at.right() < self.width() and not any(at.intersects(t) for t in taken)]
            where = (free or places)[0]
            taken.append(where)
            painter.fillRect(where, with_alpha(self.theme.panel, 215))
            painter.drawText(where, Qt.AlignmentFlag.AlignCenter, words)

    def _x(self, ground: QRectF, low: float, high: float, value: float) -> float:
        return ground.left() + (value - low) / (high - low) * ground.width()
