"""Two maps in one picture: swiped or blinked over each other, with a line along which both are cut."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PyQt6.QtCore import QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QMouseEvent, QPainter, QPen

from studio.editor.look.theme import Theme
from studio.editor.views.maps.map_layers import Ground, Layer
from studio.editor.views.maps.map_raster import Window
from studio.editor.views.maps.map_view import MapView
from studio.editor.views.shared.plates import with_alpha
from studio.messages import Map

Place = tuple[float, float]
Cut = tuple[Place, Place]
NEAR_PX = 12
HANDLE_PX = 7


def along(map_: Map, plane: str, cut: Cut) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Metres along a cut, and the values below it: one for each half of a cell; NaN outside of the map."""
    (x0, y0), (x1, y1) = cut
    length_m = math.hypot(x1 - x0, y1 - y0)
    count = min(max(int(2 * length_m / map_.resolution_m), 2), 4000)
    share = np.linspace(0.0, 1.0, count)
    columns = np.floor((x0 + (x1 - x0) * share - float(map_.origin_m[0])) / map_.resolution_m).astype(np.intp)
    rows = np.floor((y0 + (y1 - y0) * share - float(map_.origin_m[1])) / map_.resolution_m).astype(np.intp)
    inside = (rows >= 0) & (rows < map_.rows) & (columns >= 0) & (columns < map_.columns)
    values = np.full(count, np.nan)
    values[inside] = map_.plane(plane)[rows[inside], columns[inside]]
    return share * length_m, values


def cut_in(kept: Any) -> Cut | None:
    """Settings come from a file: two ends of two numbers each, or nothing."""
    try:
        (x1, y1), (x2, y2) = kept
        return (float(x1), float(y1)), (float(x2), float(y2))
    except (TypeError, ValueError):
        return None


class CompareView(MapView):
    cut_moved = pyqtSignal()
    border_moved = pyqtSignal()
    """Between what is swiped over each other."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.follows = self.fits_itself = False
        self.cut: Cut | None = None
        self.over: list[Layer] = []
        """What covers the right part of the picture."""
        self.share = 0.5
        """From where on."""
        self._over_ground = Ground()
        self._dragged: int | None = None
        """An end of the cut, or -1 for the border."""

    def read_out(self, x_m: float, y_m: float) -> str:
        """Of what is seen there: right of the border that is what lies over the other."""
        is_over = bool(self.over) and self.world().pixel_of(x_m, y_m)[0] >= self._border()
        return self.words_of(self.over if is_over else self.layers, x_m, y_m)

    # ---- painting

    def paint_ground(self, painter: QPainter, world: Window) -> None:
        super().paint_ground(painter, world)
        if self.over:
            border = self._border()
            right = QRectF(border, 0, self.width() - border, self.height())
            painter.save()
            painter.setClipRect(right)
            painter.fillRect(right, QColor(self.theme.canvas))
            self._over_ground.draw(painter, self.over, world, self.devicePixelRatioF(), self.theme.name)
            painter.restore()

    def _border(self) -> float:
        return round(self.share * self.width())

    def paint_things(self, painter: QPainter, world: Window) -> None:
        super().paint_things(painter, world)
        if self.over:
            middle = QPointF(self._border(), self.height() / 2)
            painter.setPen(QPen(QColor(self.theme.accent), 2))
            painter.drawLine(QPointF(middle.x(), 0), QPointF(middle.x(), self.height()))
            painter.setBrush(QColor(self.theme.panel))
            painter.drawEllipse(middle, HANDLE_PX + 3, HANDLE_PX + 3)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.cut is not None:
            ends = [QPointF(*world.pixel_of(*end)) for end in self.cut]
            painter.setPen(QPen(with_alpha("#FFFFFF", 200), 5))
            painter.drawLine(*ends)
            painter.setPen(QPen(QColor(self.theme.accent), 2))
            painter.drawLine(*ends)
            painter.setBrush(QColor(self.theme.accent))
            for end in ends:
                painter.drawEllipse(end, HANDLE_PX - 2, HANDLE_PX - 2)
            painter.setBrush(Qt.BrushStyle.NoBrush)

    # ---- hands

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        self._dragged = self._handle_at(event.position()) if event.button() == Qt.MouseButton.LeftButton else None
        if self._dragged is None:
            super().mousePressEvent(event)

    def _handle_at(self, at: QPointF) -> int | None:
        world = self.world()
        for number, end in enumerate(self.cut or ()):
            if (QPointF(*world.pixel_of(*end)) - at).manhattanLength() <= NEAR_PX:
                return number
        return -1 if self.over and abs(at.x() - self._border()) <= NEAR_PX / 2 else None

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if self._dragged is None:
            super().mouseMoveEvent(event)
            return
        at = event.position()
        if self._dragged < 0:
            self.share = min(max(at.x() / max(self.width(), 1), 0.0), 1.0)
        elif self.cut is not None:
            world = self.world()
            ends = list(self.cut)
            ends[self._dragged] = world.x_of(at.x()), world.y_of(at.y())
            self.cut = ends[0], ends[1]
            self.cut_moved.emit()
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        if self._dragged is None:
            super().mouseReleaseEvent(event)
        elif self._dragged < 0:
            self.border_moved.emit()
        self._dragged = None
