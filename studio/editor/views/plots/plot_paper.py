"""The ground of a plot: pyqtgraph's axes and curves over a grid of our own, and the time of day below it."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pyqtgraph as pg
from PyQt6.QtCore import QEvent, QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QFontMetricsF, QMouseEvent, QPainter
from PyQt6.QtWidgets import QApplication

from studio.editor.look.theme import Theme
from studio.editor.views.shared.plates import draw_upright, with_alpha

OF_THE_WORLD_S = 1e8
"""Later than this are moments since 1970, earlier ones durations."""
BETWEEN_PX = 18
"""Pixels: between two times below a plot."""
CLOCK_STEPS_S = (15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0, 14400.0, 43200.0)
GRID_ALPHAS = (34, 16)
"""Of lines at large and at small ticks."""


class ValueAxis(pg.AxisItem):
    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        strings: list[str] = super().tickStrings(values, scale, spacing)
        return [text.replace("-", "−") for text in strings]


class TimeAxis(ValueAxis):
    """Seconds of a simulation or a log as they are; seconds of the world as the time of day."""

    is_time = True
    """False while the axis is a field, not time."""

    def tickSpacing(self, first: float, last: float, size: float) -> list[tuple[float, float]]:
        """As close as the times can be read beside each other: pyqtgraph's own do not look how long they are."""
        if not self.is_time or not last > first or not size > 0:
            return super().tickSpacing(first, last, size)  # type: ignore[no-any-return]
        a_pixel, metrics = (last - first) / size, QFontMetricsF(QApplication.font())
        step = _tick_step(a_pixel, of_the_world=first >= OF_THE_WORLD_S)
        for _ in range(3):  # finer ones are longer: a few rounds, and both fit
            words = self.tickStrings([first, last], 1.0, step)
            wide = max(metrics.horizontalAdvance(text) for text in words)
            step = _tick_step((wide + BETWEEN_PX) * a_pixel, of_the_world=first >= OF_THE_WORLD_S)
        return [(step, 0.0), (step / (3 if step in CLOCK_STEPS_S else 5), 0.0)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        if not self.is_time or not values or min(values) < OF_THE_WORLD_S:
            unit = " s" if self.is_time else ""
            return [f"{text}{unit}" for text in super().tickStrings(values, scale, spacing)]
        moments = [datetime.fromtimestamp(value, UTC).astimezone() for value in values]
        return [f"{at:%H:%M:%S}" + (f".{at.microsecond // 1000:03d}" if spacing < 1 else "") for at in moments]


def _tick_step(least: float, *, of_the_world: bool) -> float:
    """Round: 1, 2 or 5 of a power of ten; of a time of day above ten seconds what clocks have."""
    if of_the_world and least > 10.0:
        return next((step for step in CLOCK_STEPS_S if step >= least), math.ceil(least / 86400.0) * 86400.0)
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in (1.0, 2.0, 5.0, 10.0) if power * factor >= least * 0.999)


class PlotPaper(pg.PlotWidget):
    shift_began = pyqtSignal(QPointF)
    """Something is taken with Shift and the left button, to be moved in time: where in the scene."""
    shifted = pyqtSignal(float)
    """By so many seconds since then."""
    left = pyqtSignal()
    """The pointer is elsewhere."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._shifts_from: float | None = None
        super().__init__(axisItems={"bottom": TimeAxis("bottom"), "left": ValueAxis("left")}, enableMenu=False)
        self.hideButtons()

    def show_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.setBackground(theme.canvas)
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(theme.border)
            axis.setTextPen(theme.muted)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        with_shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if with_shift and event.button() == Qt.MouseButton.LeftButton and self.getAxis("bottom").is_time:
            self._shifts_from = self._seconds(event)
            self.shift_began.emit(self.mapToScene(event.position().toPoint()))
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if self._shifts_from is not None:
            self.shifted.emit(self._seconds(event) - self._shifts_from)
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        if self._shifts_from is not None:
            self._shifts_from = None
        else:
            super().mouseReleaseEvent(event)

    def leaveEvent(self, event: QEvent | None) -> None:
        super().leaveEvent(event)
        self.left.emit()

    def name_axes(self, across: str = "", up: str = "") -> None:
        """What is along them; without a name it is time, and values of any sort."""
        for side, name in (("bottom", across), ("left", up)):
            axis = self.getAxis(side)
            axis.setLabel(name or None)
            axis.showLabel(bool(name))
        self.getAxis("bottom").is_time = not across

    def _seconds(self, event: QMouseEvent) -> float:
        box = self.getPlotItem().vb
        return float(box.mapSceneToView(self.mapToScene(event.position().toPoint())).x())

    def drawBackground(self, painter: QPainter | None, rect: QRectF) -> None:
        """The grid of pyqtgraph's axes takes longer than eight curves: lines that shine through are slow."""
        super().drawBackground(painter, rect)
        if painter is None:
            return
        box = self.getPlotItem().vb
        ground = box.sceneBoundingRect()
        painter.save()
        painter.setClipRect(ground)
        painter.translate(ground.topLeft())
        width, height = round(ground.width()), round(ground.height())
        (left, right), (bottom, top) = box.viewRange()
        levels = self.getAxis("bottom").tickValues(left, right, ground.width())
        for alpha, (_, values) in zip(GRID_ALPHAS, levels, strict=False):
            for value in values:
                x = round((value - left) / (right - left) * ground.width())
                draw_upright(painter, x, height, with_alpha(self.theme.text, alpha))
        levels = self.getAxis("left").tickValues(bottom, top, ground.height())
        for alpha, (_, values) in zip(GRID_ALPHAS, levels, strict=False):
            for value in values:
                y = round((top - value) / (top - bottom) * ground.height())
                painter.fillRect(0, y, width, 1, with_alpha(self.theme.text, alpha))
        painter.restore()
