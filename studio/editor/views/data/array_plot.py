"""Curves of an array: its values over their index, with no peak lost however many they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PyQt6.QtWidgets import QWidget

from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme
from studio.editor.views.data.array_data import ArrayData
from studio.editor.views.shared.map_colours import ticks

MOST_CURVES = 8
AXIS_PX = 52


class ArrayPlot(QWidget):
    """A row of values, or the rows or columns of a grid, over their index."""

    pointed = pyqtSignal(int, int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._curves = np.zeros((0, 0))
        self._step = 1
        self._by_column = False
        self._at = -1
        self._chosen = 0
        self.setMouseTracking(True)
        self.setMinimumSize(120, 90)
        self.setAccessibleName("Plot of the array")

    def show_data(self, data: ArrayData) -> None:
        """A grid that is narrow is a few columns over many rows, as points are; otherwise its first rows."""
        grid = data.grid.astype(np.float64)
        self._by_column = data.values.ndim == 2 and grid.shape[1] <= MOST_CURVES < grid.shape[0]
        self._curves = (grid.T if self._by_column else grid)[:MOST_CURVES]
        steps = data.steps if len(data.steps) == 2 else (1, data.steps[0])
        self._step = steps[0] if self._by_column else steps[1]
        self._at = -1
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        count = self._curves.shape[1]
        wide = self.width() - AXIS_PX - 8
        if not count or wide <= 0:
            return
        self._at = int(np.clip(round((event.position().x() - AXIS_PX) / wide * max(1, count - 1)), 0, count - 1))
        low, high = self._range()
        value = high - (event.position().y() - 6) / max(1, self.height() - 26) * (high - low)
        distances = np.nan_to_num(np.abs(self._curves[:, self._at] - value), nan=np.inf)
        self._chosen = int(np.argmin(distances))
        self.update()
        self.pointed.emit(*((self._at, self._chosen) if self._by_column else (self._chosen, self._at)))

    def _range(self) -> tuple[float, float]:
        finite = self._curves[np.isfinite(self._curves)]
        if not finite.size:
            return 0.0, 1.0
        low, high = float(finite.min()), float(finite.max())
        return (low, high) if high > low else (low - 0.5, high + 0.5)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        theme = self.theme
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.canvas))
        painter.setFont(text_font(11))
        count = self._curves.shape[1]
        if count:
            low, high = self._range()
            wide, tall = self.width() - AXIS_PX - 8, self.height() - 26

            def y_of(value: float) -> float:
                return 6 + (high - value) / (high - low) * tall

            def x_of(at: float) -> float:
                return AXIS_PX + at / max(1, count - 1) * wide

            for tick in ticks(low, high, 4):
                painter.setPen(QColor(theme.grid))
                painter.drawLine(QPointF(AXIS_PX, y_of(tick)), QPointF(self.width() - 8, y_of(tick)))
                painter.setPen(QColor(theme.muted))
                where = QRectF(0, y_of(tick) - 8, AXIS_PX - 6, 16)
                painter.drawText(where, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{tick:g}")
            for tick in ticks(0, (count - 1) * self._step, 4):
                where = QRectF(x_of(tick / self._step) - 30, self.height() - 18, 60, 16)
                painter.drawText(where, Qt.AlignmentFlag.AlignCenter, f"{tick:g}")
            hues = [theme.accent, *dict.fromkeys(theme.types.values())]
            for number, curve in enumerate(self._curves):
                painter.setPen(QPen(QColor(hues[number % len(hues)]), 1))
                _draw(painter, curve, x_of, y_of, wide)
            if self._at >= 0:
                painter.setPen(QPen(QColor(theme.focus), 1))
                painter.drawLine(QPointF(x_of(self._at), 6), QPointF(x_of(self._at), 6 + tall))
                value = self._curves[self._chosen, self._at]
                if np.isfinite(value):
                    painter.setBrush(QColor(hues[self._chosen % len(hues)]))
                    painter.drawEllipse(QPointF(x_of(self._at), y_of(float(value))), 3.5, 3.5)
        painter.end()


def _draw(
    painter: QPainter, curve: np.ndarray, x_of: Callable[[float], float], y_of: Callable[[float], float], wide: float
) -> None:
    """Highest and lowest of each pixel's values, so that no peak is lost; gaps where there is no number."""
    portion = max(1, int(curve.size // max(1.0, wide)))
    line = QPolygonF()
    for start in range(0, curve.size, portion):
        part = curve[start : start + portion]
        finite = part[np.isfinite(part)]
        if not finite.size:
            painter.drawPolyline(line)
            line = QPolygonF()
            continue
        for value in {float(finite.min()), float(finite.max())}:
            line.append(QPointF(x_of(start), y_of(value)))
    painter.drawPolyline(line)
