"""Two small charts of a comparison: heights along a cut, and how often which difference occurs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PyQt6.QtWidgets import QWidget

from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme
from studio.editor.views.maps.map_difference import BARS, Difference
from studio.editor.views.shared.map_colours import ticks
from studio.editor.views.shared.plates import with_alpha

Floats = NDArray[np.float64]
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 26, 22
FIGURE_PX = 50
LOWER, HIGHER = "#8A4FA0", "#C07A2B"
"""Violet: B is lower; ochre: it is higher. As in the picture of the difference."""


class Chart(QWidget):
    """A heading, two axes with round numbers, and room for what subclasses draw."""

    def __init__(self, theme: Theme, heading: str) -> None:
        super().__init__()
        self.theme, self.heading = theme, heading
        self.x_range, self.y_range = (0.0, 1.0), (0.0, 1.0)
        self.x_unit = "m"
        self.y_unit = "m"
        self.setMinimumHeight(96)
        self.setAccessibleName(heading)

    def room(self) -> QRectF:
        return QRectF(LEFT, TOP, max(self.width() - LEFT - RIGHT, 20), max(self.height() - TOP - BOTTOM, 20))

    def at(self, x: float, y: float) -> QPointF:
        room = self.room()
        across = (x - self.x_range[0]) / (self.x_range[1] - self.x_range[0])
        up = (y - self.y_range[0]) / (self.y_range[1] - self.y_range[0])
        return QPointF(room.left() + across * room.width(), room.bottom() - up * room.height())

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self.theme.panel))
        painter.setFont(text_font(12, 600))
        painter.setPen(QColor(self.theme.text))
        painter.drawText(QPointF(12, 17), self.heading)
        self.paint_legend(painter)
        self._paint_axes(painter)
        self.paint_chart(painter)
        painter.end()

    def paint_legend(self, painter: QPainter) -> None:
        """At the right of the heading."""

    def paint_chart(self, painter: QPainter) -> None:
        """Within the axes."""

    def _paint_axes(self, painter: QPainter) -> None:
        room = self.room()
        painter.setFont(text_font(11))
        for value in ticks(*self.x_range, max(int(room.width() / 90), 2)):
            x = self.at(value, 0).x()
            painter.setPen(QPen(QColor(self.theme.grid), 1))
            painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()))
            painter.setPen(QColor(self.theme.muted))
            words = f"{value:g} {self.x_unit}".strip().replace("-", "−")
            middle = min(x, self.width() - painter.fontMetrics().horizontalAdvance(words) / 2 - 2)
            painter.drawText(QRectF(middle - 45, room.bottom() + 4, 90, 16), Qt.AlignmentFlag.AlignHCenter, words)
        if not self.y_unit:
            return
        for value in ticks(*self.y_range, max(int(room.height() / 28), 2)):
            y = self.at(0, value).y()
            painter.setPen(QPen(QColor(self.theme.grid), 1))
            painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
            painter.setPen(QColor(self.theme.muted))
            side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            words = f"{value:+g}".replace("-", "−") if value else "0"
            painter.drawText(QRectF(0, y - 8, LEFT - 6, 16), side, words)

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()


class ProfileChart(Chart):
    """A solid, B dashed, both over the metres along the cut."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Along the cut line")
        self.lines: list[tuple[Floats, Floats]] = []

    def show_lines(self, lines: list[tuple[Floats, Floats]]) -> None:
        self.lines = lines
        values = np.concatenate([line[1] for line in lines]) if lines else np.zeros(0)
        values = values[np.isfinite(values)]
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
        spare = max((high - low) * 0.1, 0.05)
        self.y_range = low - spare, high + spare
        self.x_range = 0.0, max((float(line[0][-1]) for line in lines), default=1.0) or 1.0
        self.update()

    def _pens(self) -> tuple[QPen, QPen]:
        a, b = QColor(self.theme.hue("Velocity")), QColor(self.theme.hue("Range3d"))
        return QPen(a, 1.5), QPen(b, 1.5, Qt.PenStyle.DashLine)

    def paint_legend(self, painter: QPainter) -> None:
        painter.setFont(text_font(11))
        x = self.width() - 92.0
        for letter, pen in zip("AB", self._pens(), strict=True):
            painter.setPen(pen)
            painter.drawLine(QPointF(x, 13), QPointF(x + 22, 13))
            painter.setPen(QColor(self.theme.muted))
            painter.drawText(QPointF(x + 26, 17), letter)
            x += 44

    def paint_chart(self, painter: QPainter) -> None:
        for (metres, values), pen in zip(self.lines, self._pens(), strict=False):
            painter.setPen(pen)
            known = np.isfinite(values)
            # One line for each piece without a gap.
            for piece in np.split(np.arange(len(values)), np.flatnonzero(np.diff(known)) + 1):
                if piece.size and known[piece[0]]:
                    places = zip(metres[piece].tolist(), values[piece].tolist(), strict=True)
                    painter.drawPolyline(QPolygonF([self.at(x, y) for x, y in places]))


class HistogramChart(Chart):
    """How many cells differ by how much; what counts as equal is shaded, what is farther is in the outer bars."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "Distribution of B − A")
        self.y_unit = ""
        self.counts = np.zeros(BARS)
        self.tolerance = 0.05

    def show_differences(self, found: Difference, unit: str) -> None:
        self.tolerance, self.x_unit = found.tolerance, unit
        self.x_range, self.counts = (-found.reach, found.reach), found.counts
        self.y_range = 0.0, max(float(self.counts.max()), 1.0)
        self.update()

    def paint_legend(self, painter: QPainter) -> None:
        painter.setFont(text_font(11))
        painter.setPen(QColor(self.theme.muted))
        words = f"shaded: ± {self.tolerance:g} {self.x_unit}".strip()
        painter.drawText(QRectF(0, 5, self.width() - 12, 16), Qt.AlignmentFlag.AlignRight, words)

    def paint_chart(self, painter: QPainter) -> None:
        room = self.room()
        shade = QRectF(self.at(-self.tolerance, 0).x(), room.top(), 0, room.height())
        shade.setRight(self.at(self.tolerance, 0).x())
        painter.fillRect(shade, with_alpha(self.theme.fine, 45))
        width = room.width() / BARS
        for number, count in enumerate(self.counts.tolist()):
            height = math.sqrt(count / self.y_range[1]) * room.height()  # by the root: the rare ones are seen, too
            bar = QRectF(room.left() + number * width, room.bottom() - height, max(width - 1, 1), height)
            painter.fillRect(bar, QColor(LOWER if number < BARS // 2 else HIGHER))
        painter.setPen(QPen(QColor(self.theme.fine), 1.5, Qt.PenStyle.DashLine))
        for x in (shade.left(), shade.right()):
            painter.drawLine(QPointF(x, room.top()), QPointF(x, room.bottom()))


class Figures(QWidget):
    """A few numbers, each with a word above it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.figures: list[tuple[str, str, str]] = []
        """Word, number, unit."""
        self.setFixedHeight(FIGURE_PX)
        self.setAccessibleName("Figures of the difference")

    def show_figures(self, figures: list[tuple[str, str, str]]) -> None:
        self.figures = figures
        self.setAccessibleDescription("; ".join(f"{word} {number} {unit}".strip() for word, number, unit in figures))
        self._fit()
        self.update()

    def _places(self) -> list[QPointF]:
        """Of each: in a second row where one has not room for all."""
        small, large = QFontMetricsF(text_font(11)), QFontMetricsF(text_font(16, 600))
        places, x, y = [], 12.0, 0.0
        for word, number, unit in self.figures:
            wide = max(
                small.horizontalAdvance(word), large.horizontalAdvance(number) + 4 + small.horizontalAdvance(unit)
            )
            if x > 12.0 and x + wide > self.width():
                x, y = 12.0, y + FIGURE_PX
            places.append(QPointF(x, y))
            x += wide + 18
        return places

    def _fit(self) -> None:
        height = max((round(place.y()) for place in self._places()), default=0) + FIGURE_PX
        if height != self.height():
            self.setFixedHeight(height)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        self._fit()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(self.theme.panel))
        for at, (word, number, unit) in zip(self._places(), self.figures, strict=True):
            painter.setFont(text_font(11))
            painter.setPen(QColor(self.theme.muted))
            painter.drawText(at + QPointF(0, 17), word)
            painter.setFont(text_font(16, 600))
            wide = painter.fontMetrics().horizontalAdvance(number)
            painter.setPen(QColor(self.theme.text))
            painter.drawText(at + QPointF(0, 39), number)
            painter.setFont(text_font(11))
            painter.setPen(QColor(self.theme.muted))
            painter.drawText(at + QPointF(wide + 4, 39), unit)
        painter.end()

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()
