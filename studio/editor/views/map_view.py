"""Planes of maps from above, with the vehicle, its path and its goal."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PyQt6.QtCore import QPointF, QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPainterPath, QPen

from studio.editor.theme import Theme
from studio.editor.views.map_colours import Scheme, fixed_range, range_of, scheme_for
from studio.editor.views.map_raster import Pixels, Window, paint
from studio.editor.views.plane_view import MARGIN, PlaneView
from studio.editor.views.plates import LEGEND, draw_legend, draw_vehicle, with_alpha
from studio.messages import Map, PoseTransform

PATH_POINTS = 20_000
PATH_STEP_M = 0.02
JUMP_NS = 10_000_000_000
UNKNOWN = {"dark": "#2A2E34", "light": "#D4D9DF"}


@dataclass
class Layer:
    """One plane of one map, and how it is shown."""

    map: Map
    plane: str
    scheme: Scheme
    opacity: float = 1.0

    @property
    def values(self) -> np.ndarray:
        return self.map.plane(self.plane)

    def extent_m(self) -> tuple[float, float, float, float]:
        left, bottom = (float(value) for value in self.map.origin_m)
        across, up = self.map.columns * self.map.resolution_m, self.map.rows * self.map.resolution_m
        return left, bottom, left + across, bottom + up


class MapView(PlaneView):
    legend_clicked = pyqtSignal()

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.layers: list[Layer] = []
        self.path: deque[tuple[float, float]] = deque(maxlen=PATH_POINTS)
        self.planned: Sequence[tuple[float, float]] = ()
        self.pose: PoseTransform | None = None
        self.goal_m: tuple[float, float] | None = None
        self.follows = True
        self.vehicle_m = 1.0
        self._fitted = False
        self._buffers: dict[int, Pixels] = {}
        self.moved_by_hand.connect(self._let_go)
        self.setAccessibleName("Map")

    # ---- what is shown

    def show_layers(self, layers: list[Layer]) -> None:
        self.layers = [layer for layer in layers if layer.map.rows and layer.map.columns]
        if self.layers and not self._fitted:
            self._fitted = True
            self.fit()
        self.update()

    def show_pose(self, pose: PoseTransform) -> None:
        x_m, y_m = float(pose.position[0]), float(pose.position[1])
        if not (math.isfinite(x_m) and math.isfinite(y_m)):
            return
        if self.pose is not None and not 0 <= pose.stamp_ns - self.pose.stamp_ns <= JUMP_NS:
            self.path.clear()  # another run, or another place of a log
        self.pose = pose
        if not self.path or math.dist(self.path[-1], (x_m, y_m)) >= PATH_STEP_M:
            self.path.append((x_m, y_m))
        if self.follows and self._fitted:
            self.centre_m = (x_m, y_m)
        self.update()

    def show_plan(self, places: Sequence[tuple[float, float]]) -> None:
        """Where the vehicle is to go; the last place is its goal."""
        self.planned = [place for place in places if math.isfinite(place[0]) and math.isfinite(place[1])]
        self.goal_m = self.planned[-1] if self.planned else None
        self.update()

    def set_following(self, on: bool) -> None:
        self.follows = on
        if on and self.pose is not None:
            self.look_at(float(self.pose.position[0]), float(self.pose.position[1]))

    def forget(self) -> None:
        """Of another run or log: nothing of it belongs to the next."""
        self.layers, self.pose, self.goal_m, self.planned, self._fitted = [], None, None, (), False
        self.path.clear()
        self.update()

    def _let_go(self) -> None:
        self.follows = False

    def extent_m(self) -> tuple[float, float, float, float] | None:
        if not self.layers:
            return None
        each = [layer.extent_m() for layer in self.layers]
        return min(e[0] for e in each), min(e[1] for e in each), max(e[2] for e in each), max(e[3] for e in each)

    def read_out(self, x_m: float, y_m: float) -> str:
        place = super().read_out(x_m, y_m)
        if not self.layers:
            return place
        layer = self.layers[-1]
        cell = layer.map.cell_of(x_m, y_m)
        if cell is None:
            return f"{place}   outside the map"
        value = float(layer.values[cell])
        if math.isnan(value):
            return f"cell {cell[1]}, {cell[0]}   {place}   unknown"
        spread = _spread(layer.map, layer.plane, cell)
        words = f"{value:+.2f}" if layer.scheme.grade is not None else f"{value:.3g}"
        unit = f" {layer.scheme.unit}" if layer.scheme.unit else ""
        around = f" ± {spread:.2f}" if spread is not None else ""
        return f"cell {cell[1]}, {cell[0]}   {place}   {words.replace('-', '−')}{unit}{around}"

    # ---- painting

    def paint_ground(self, painter: QPainter, world: Window) -> None:
        # In pixels of the screen: a cell has sharp edges at 150 %, too.
        ratio = self.devicePixelRatioF()
        fine = Window(
            world.left_m, world.top_m, world.metres_per_pixel / ratio,
            math.ceil(world.width * ratio), math.ceil(world.height * ratio),
        )  # fmt: skip
        self._buffers = {i: buffer for i, buffer in self._buffers.items() if i < len(self.layers)}
        for i, layer in enumerate(self.layers):
            origin = float(layer.map.origin_m[0]), float(layer.map.origin_m[1])
            unknown = UNKNOWN[self.theme.name] if i == 0 else ""
            pixels = paint(
                layer.values, origin, layer.map.resolution_m, fine, layer.scheme,
                unknown=unknown, pixels=self._buffers.get(i),
            )  # fmt: skip
            self._buffers[i] = pixels
            height, width = pixels.shape
            # PyQt's stubs know bytes only; any buffer will do, and a copy of it would cost as much as the painting.
            image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)  # type: ignore[call-overload]
            image.setDevicePixelRatio(ratio)
            painter.setOpacity(layer.opacity)
            painter.drawImage(QPointF(0, 0), image)
        painter.setOpacity(1.0)

    def paint_things(self, painter: QPainter, world: Window) -> None:
        self._paint_line(painter, world, list(self.path), "#FFFFFF", Qt.PenStyle.SolidLine)
        self._paint_line(painter, world, list(self.planned), self.theme.accent, Qt.PenStyle.DashLine)
        if self.goal_m is not None:
            at = QPointF(*world.pixel_of(*self.goal_m))
            for colour, width in (("#14171A", 5.0), ("#FFFFFF", 2.5)):
                painter.setPen(QPen(QColor(colour), width))
                painter.drawEllipse(at, 9, 9)
            painter.setBrush(QColor("#FFFFFF"))
            painter.drawEllipse(at, 2, 2)
            painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.pose is not None:
            at = QPointF(*world.pixel_of(float(self.pose.position[0]), float(self.pose.position[1])))
            painter.setPen(QPen(with_alpha("#FFFFFF", 150), 0))
            painter.drawLine(QPointF(0, at.y()), QPointF(self.width(), at.y()))
            painter.drawLine(QPointF(at.x(), 0), QPointF(at.x(), self.height()))
            draw_vehicle(painter, at, self.pose.yaw_rad, self.vehicle_m / self.metres_per_pixel, self.theme)

    def _paint_line(
        self, painter: QPainter, world: Window, places: list[tuple[float, float]], colour: str, style: Qt.PenStyle
    ) -> None:
        if len(places) < 2:
            return
        line = QPainterPath(QPointF(*world.pixel_of(*places[0])))
        for place in places[1:]:
            line.lineTo(QPointF(*world.pixel_of(*place)))
        painter.setPen(QPen(with_alpha("#14171A", 180), 4))
        painter.drawPath(line)
        painter.setPen(QPen(QColor(colour), 2, style))
        painter.drawPath(line)

    def legend_rectangle(self) -> QRectF:
        width, height = LEGEND
        return QRectF(self.width() - width - MARGIN, MARGIN, width, min(height, self.height() - 2 * MARGIN - 40))

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        if self.layers and self.shows_plates and self.legend_rectangle().contains(event.position()):
            self.legend_clicked.emit()
            return
        super().mousePressEvent(event)

    def paint_plates(self, painter: QPainter) -> None:
        where = self.legend_rectangle()
        if self.layers and where.height() >= 100:
            layer = self.layers[-1]
            draw_legend(painter, where, layer.scheme, layer.plane, self.theme, _clipped(layer))


def _clipped(layer: Layer) -> tuple[bool, bool]:
    # Every 16th cell is enough to tell, and cheap for a map of any size.
    some = layer.values[::4, ::4]
    with np.errstate(invalid="ignore"):
        return bool((some < layer.scheme.low).any()), bool((some > layer.scheme.high).any())


def _spread(map_: Map, plane: str, cell: tuple[int, int]) -> float | None:
    """The standard deviation of a cell, where the map has a plane for it."""
    for name in ("variance", f"{plane}_variance"):
        if name in map_.plane_names and name != plane:
            value = float(map_.plane(name)[cell])
            return math.sqrt(value) if value >= 0 else None
    return None


def layer_of(map_: Map, plane: str, scheme: Scheme | None = None, opacity: float = 1.0) -> Layer:
    """A layer in the colours that suit the plane; of a plane without a scale of its own, over its values."""
    chosen = scheme or scheme_for(plane)
    if not fixed_range(plane) and map_.planes.size:
        chosen = chosen.over(*range_of(map_.plane(plane)))
    return Layer(map_, plane, chosen, opacity)
