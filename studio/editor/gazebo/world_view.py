"""The world of a server from above: outlines of its models, wheel zooms, drag moves, a click selects."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PyQt6.QtCore import QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF, QWheelEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme, mixed
from studio.runtime.gazebo.connections.scene import SceneModel, yaw_rad

LEAST, MOST = 1.0, 2000.0
"""Pixels per metre."""
CLICK_PX = 4
JUMP_M = 2.0
"""Farther than anything drives between two pictures."""


class WorldView(QWidget):
    chosen = pyqtSignal(str)
    """A model, by its name."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._models: Sequence[SceneModel] = ()
        self._selected = ""
        self._scale, self._middle = 12.0, QPointF(0, 0)
        self._is_fitted = True
        self._trail: list[QPointF] = []
        self._pressed: QPointF | None = None
        self._moved = 0.0
        self.setMinimumSize(160, 120)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("World from above")
        self.setToolTip("Wheel: zoom · drag: move · F: show everything · click: select a model")

    def show_models(self, models: Sequence[SceneModel], selected: str) -> None:
        if (models, selected) == (self._models, self._selected):
            return
        if selected != self._selected:
            self._trail.clear()
        self._models, self._selected = models, selected
        at = next((QPointF(*each.placement.position_m[:2]) for each in models if each.name == selected), None)
        if at is not None and self._trail and (self._trail[-1] - at).manhattanLength() > JUMP_M:
            self._trail = []  # it was put there, and has not driven
        if at is not None and (not self._trail or (self._trail[-1] - at).manhattanLength() > 0.05):
            self._trail = [*self._trail[-999:], at]
        self.setAccessibleDescription(f"{len(models)} models")
        self.update()

    def show_all(self) -> None:
        self._is_fitted = True
        self.update()

    # ---- painting

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self.theme.canvas))
        if self._is_fitted:
            self._fit()
        self._paint_grid(painter)
        if len(self._trail) > 1:
            painter.setPen(QPen(QColor(self.theme.origins["simulated"].text), 2))
            painter.drawPolyline(QPolygonF([self._to_pixel(at) for at in self._trail]))
        for model in self._models:
            self._paint_model(painter, model)
        self._paint_scale(painter)

    def _fit(self) -> None:
        corners = [point for model in self._models for outline in _placed(model) for point in outline]
        corners += [QPointF(*each.placement.position_m[:2]) for each in self._models]
        if not corners:
            self._scale, self._middle = 12.0, QPointF(0, 0)
            return
        left, right = min(each.x() for each in corners), max(each.x() for each in corners)
        low, high = min(each.y() for each in corners), max(each.y() for each in corners)
        self._middle = QPointF((left + right) / 2, (low + high) / 2)
        width, height = max(right - left, 4.0) * 1.1, max(high - low, 4.0) * 1.1
        self._scale = min(MOST, max(LEAST, min(self.width() / width, self.height() / height)))

    def _paint_grid(self, painter: QPainter) -> None:
        apart = self._apart() * self._scale
        painter.setPen(QPen(QColor(self.theme.grid), 1))
        zero = self._to_pixel(QPointF(0, 0))
        x = zero.x() % apart
        while x < self.width():
            painter.drawLine(QPointF(x, 0), QPointF(x, self.height()))
            x += apart
        y = zero.y() % apart
        while y < self.height():
            painter.drawLine(QPointF(0, y), QPointF(self.width(), y))
            y += apart

    def _paint_model(self, painter: QPainter, model: SceneModel) -> None:
        is_selected = model.name == self._selected
        tone = self.theme.muted if model.is_static else self.theme.accent
        line = QColor(self.theme.accent if is_selected else tone)
        painter.setPen(QPen(line, 2 if is_selected else 1))
        painter.setBrush(QColor(mixed(tone, self.theme.canvas, 0.45 if model.is_static else 0.3)))
        for outline in _placed(model):
            painter.drawPolygon(QPolygonF([self._to_pixel(point) for point in outline]))
        at = self._to_pixel(QPointF(*model.placement.position_m[:2]))
        if not model.is_static:
            ahead = yaw_rad(model.placement)
            painter.drawLine(at, at + QPointF(math.cos(ahead), -math.sin(ahead)) * 14)
        if is_selected or not model.is_static:
            painter.setPen(QColor(self.theme.text))
            painter.setFont(text_font(11, 600))
            painter.drawText(at + QPointF(9, 16), model.name)

    def _paint_scale(self, painter: QPainter) -> None:
        length = self._apart()
        left, bottom = 14.0, self.height() - 14.0
        painter.setPen(QPen(QColor(self.theme.text), 2))
        painter.drawLine(QPointF(left, bottom), QPointF(left + length * self._scale, bottom))
        painter.setFont(text_font(11))
        painter.drawText(QRectF(left, bottom - 20, 100, 16), f"{length:g} m")

    def _apart(self) -> float:
        """Metres between two lines of the grid, about 60 pixels."""
        return next(
            (each for each in (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0) if each * self._scale >= 50),
            500.0,
        )

    def _to_pixel(self, at: QPointF) -> QPointF:
        away = (at - self._middle) * self._scale
        return QPointF(self.width() / 2 + away.x(), self.height() / 2 - away.y())

    def _to_metres(self, at: QPointF) -> QPointF:
        away = (at - QPointF(self.width() / 2, self.height() / 2)) / self._scale
        return self._middle + QPointF(away.x(), -away.y())

    # ---- moving about

    def wheelEvent(self, event: QWheelEvent | None) -> None:
        assert event is not None
        under = self._to_metres(event.position())
        self._is_fitted = False
        self._scale = min(MOST, max(LEAST, self._scale * 1.0015 ** event.angleDelta().y()))
        self._middle += under - self._to_metres(event.position())
        self.update()
        event.accept()

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        self._pressed, self._moved = event.position(), 0.0

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if self._pressed is None:
            return
        away = event.position() - self._pressed
        self._moved += away.manhattanLength()
        if self._moved > CLICK_PX:
            self._is_fitted = False
            self._middle -= QPointF(away.x(), -away.y()) / self._scale
            self._pressed = event.position()
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if self._pressed is not None and self._moved <= CLICK_PX:
            name = self._model_at(event.position())
            if name:
                self.chosen.emit(name)
        self._pressed = None

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        assert event is not None
        if event.key() == Qt.Key.Key_F:
            self.show_all()
        elif event.key() in (Qt.Key.Key_Plus, Qt.Key.Key_Minus):
            self._is_fitted = False
            self._scale = min(MOST, max(LEAST, self._scale * (1.25 if event.key() == Qt.Key.Key_Plus else 0.8)))
            self.update()
        else:
            super().keyPressEvent(event)

    def _model_at(self, pixel: QPointF) -> str:
        """Those that can move before the rest, and of these the smallest."""
        under = []
        for model in self._models:
            sizes = [
                polygon.boundingRect().width() * polygon.boundingRect().height()
                for outline in _placed(model)
                if (polygon := QPolygonF([self._to_pixel(each) for each in outline])).containsPoint(
                    pixel, Qt.FillRule.WindingFill
                )
            ]
            near = (self._to_pixel(QPointF(*model.placement.position_m[:2])) - pixel).manhattanLength() < 12
            if sizes or near:
                under.append((model.is_static, min(sizes, default=0.0), model.name))
        return min(under)[2] if under else ""


def _placed(model: SceneModel) -> list[list[QPointF]]:
    x, y, _ = model.placement.position_m
    cosine, sine = math.cos(yaw_rad(model.placement)), math.sin(yaw_rad(model.placement))
    return [
        [QPointF(x + cosine * px - sine * py, y + sine * px + cosine * py) for px, py in outline]
        for outline in model.outlines
    ]
