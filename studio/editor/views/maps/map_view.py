"""Planes of maps from above, with the vehicle, its path and its goal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QMouseEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent

from studio.editor.look.theme import Theme
from studio.editor.views.maps.legend_drag import LegendDrag, end_at, is_on_bar
from studio.editor.views.maps.map_layers import Ground, Layer
from studio.editor.views.maps.map_overlays import (
    Places,
    Track,
    draw_arcs,
    draw_cross_hairs,
    draw_driven,
    draw_goal,
    draw_planned,
    draw_points,
    scan_places,
)
from studio.editor.views.maps.map_raster import Window
from studio.editor.views.maps.plane_view import MARGIN, PlaneView
from studio.editor.views.maps.votes_view import Chosen, combined, current
from studio.editor.views.shared.plates import LEGEND, SMALL_LEGEND, draw_legend, draw_notes, draw_vehicle
from studio.messages import PoseTransform, Range3d, Vote

JUMP_NS = 10_000_000_000
ROOMY = QSize(520, 360)
"""From this size on a map can spare the room for large legends."""
NOWHERE: Places = np.zeros((0, 2))


@dataclass
class Things:
    """What is drawn on the layers."""

    vehicle: bool = True
    driven: bool = True
    planned: bool = True
    votes: bool = False
    scans: bool = False
    grid: bool = True


class MapView(PlaneView):
    legend_clicked = pyqtSignal(int)
    """Of the layer with this number."""
    range_dragged = pyqtSignal(int, float, float)
    """Layer, and from where to where its colours are to go."""
    range_reset = pyqtSignal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.layers: list[Layer] = []
        """From the lowest to the topmost."""
        self.things = Things()
        self.path = Track()
        self.planned: Places = NOWHERE
        self.pose: PoseTransform | None = None
        self.goal_m: tuple[float, float] | None = None
        self.votes: dict[str, Vote] = {}
        self.chosen: Chosen | None = None
        self.scans: dict[str, Range3d] = {}
        self.mounts: Mapping[str, ArrayLike] = {}
        """Frame of a sensor -> 4x4 in the body of the vehicle."""
        self.follows = True
        self.is_real = False
        """What is seen comes from a real vehicle, which the picture has to say."""
        self.vehicle_m = 1.0
        self.is_free = False
        """Somebody has chosen what is seen."""
        self.shows_legends = True
        """False where another view beside it has the same ones."""
        self.fits_itself = True
        """False where somebody else sees to it, for several views at once."""
        self._plan_end: tuple[float, float] | None = None
        self._fitted = False
        self._unseen = False
        self._extent: tuple[float, float, float, float] | None = None
        """Of what was fitted into the view."""
        self._ground = Ground()
        self._legends: dict[object, QPixmap] = {}
        self._legend_drag: LegendDrag | None = None
        self._pressed: QPointF | None = None
        self.moved_by_hand.connect(self._let_go)
        self.plate_clicked.connect(self._click_plate)
        self.setAccessibleName("Map")

    # ---- what is shown

    def show_layers(self, layers: list[Layer]) -> None:
        self.layers = [layer for layer in layers if layer.map.rows and layer.map.columns]
        if self.layers and not self._fitted:
            self._fitted = True
            self._unseen = not self.isVisible()
            self._fit_first()
        elif self._shows_all and self.extent_m() not in (None, self._extent):  # it has grown, or is another map
            self._extent = self.extent_m()
            self.fit()
        self.update()

    @property
    def _shows_all(self) -> bool:
        """Nobody has chosen what is seen, and there is no vehicle to go with."""
        return self.fits_itself and self._fitted and not self.is_free and self.pose is None

    def _fit_first(self) -> None:
        """A view that somebody has chosen stays, if there is anything to be seen in it."""
        extent = self._extent = self.extent_m()
        if self.fits_itself and extent is not None and not (self.is_free and self.sees(*extent)):
            self.fit()
            self._look_at_vehicle()

    def _look_at_vehicle(self) -> None:
        if self.follows and self.pose is not None:
            self.look_at(float(self.pose.position[0]), float(self.pose.position[1]))

    def paintEvent(self, event: QPaintEvent | None) -> None:
        if self._unseen:  # what came while it was hidden was fitted into a size that nobody saw
            self._unseen = False
            self._fit_first()
        super().paintEvent(event)

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if self._shows_all:
            self.fit()

    def fit_by_hand(self) -> None:
        super().fit_by_hand()
        self.is_free = False  # the whole map, of the next run too

    def zoom_at(self, pixel: QPointF, factor: float) -> None:
        """Who follows the vehicle goes on doing so: it stays in the middle, and only the scale is another."""
        if self.follows and self._fitted and self.pose is not None:
            self.look_at(*self.centre_m, self.metres_per_pixel / factor)
        else:
            super().zoom_at(pixel, factor)

    def show_free(self, x_m: float, y_m: float, metres_per_pixel: float) -> None:
        """What somebody has looked at before."""
        self.look_at(x_m, y_m, metres_per_pixel)
        self.follows, self.is_free = False, True

    def show_pose(self, pose: PoseTransform) -> None:
        x_m, y_m = float(pose.position[0]), float(pose.position[1])
        if not (math.isfinite(x_m) and math.isfinite(y_m)):
            return
        if self.pose is not None and not 0 <= pose.stamp_ns - self.pose.stamp_ns <= JUMP_NS:
            self.path.clear()  # another run, or another place of a log
        self.pose = pose
        self.path.add(x_m, y_m)
        if self.follows and self._fitted:
            self.centre_m = (x_m, y_m)
        self.update()

    def show_plan(self, places: ArrayLike) -> None:
        """Where the vehicle is to go; the last place is its goal."""
        rows = np.asarray(places, np.float64).reshape(-1, 2)
        self.planned = rows[np.isfinite(rows).all(axis=1)]
        end = (float(self.planned[-1, 0]), float(self.planned[-1, 1])) if len(self.planned) else None
        if end != self._plan_end:  # the same plan once more says nothing against a goal that was just chosen
            self.goal_m = self._plan_end = end
        self.update()

    def set_following(self, on: bool) -> None:
        self.follows = on
        self.is_free = self.is_free and not on
        self._look_at_vehicle()

    def forget(self) -> None:
        """Of another run or log: nothing of it belongs to the next."""
        self.layers, self.pose, self.goal_m, self.planned, self._fitted = [], None, None, NOWHERE, False
        self.chosen = self._plan_end = None
        self.votes.clear()
        self.scans.clear()
        self.path.clear()
        self.update()

    def _let_go(self) -> None:
        self.follows, self.is_free, self._unseen = False, True, False

    def extent_m(self) -> tuple[float, float, float, float] | None:
        if not self.layers:
            return None
        each = [layer.extent_m() for layer in self.layers]
        return min(e[0] for e in each), min(e[1] for e in each), max(e[2] for e in each), max(e[3] for e in each)

    def read_out(self, x_m: float, y_m: float) -> str:
        return self.words_of(self.layers, x_m, y_m)

    def words_of(self, layers: list[Layer], x_m: float, y_m: float) -> str:
        """Of the topmost layer, and what those below it have there."""
        place = super().read_out(x_m, y_m)
        if not layers:
            return place
        words = [place]
        for layer in reversed(layers):
            cell = layer.map.cell_of(x_m, y_m)
            if cell is None:
                continue
            value = layer.words_at(cell)
            if len(words) == 1:
                words = [f"cell {cell[1]}, {cell[0]}", place]
            words.append(value if len(layers) == 1 else f"{layer.plane} {value}")
        return "   ".join(words if len(words) > 1 else [place, "outside the map"])

    # ---- painting

    def paint_ground(self, painter: QPainter, world: Window) -> None:
        self._ground.draw(painter, self.layers, world, self.devicePixelRatioF(), self.theme.name)

    def shows_grid(self) -> bool:
        return self.things.grid

    def paint_things(self, painter: QPainter, world: Window) -> None:
        things, pose = self.things, self.pose
        if things.driven:
            draw_driven(painter, world, self.path.drawn(world.metres_per_pixel))
        if things.planned:
            draw_planned(painter, world, self.planned, self.theme)
        if things.planned and self.goal_m is not None:
            draw_goal(painter, QPointF(*world.pixel_of(*self.goal_m)), self.theme)
        if pose is None:
            return
        for scan in self.scans.values() if things.scans else ():
            mount = self.mounts.get(scan.frame)
            if mount is not None:
                places = scan_places(scan, np.asarray(mount, np.float64), pose)
                draw_points(painter, world, places, self.theme.hue("Range3d"))
        voters = current(self.votes) if things.votes else {}
        if voters:
            chosen = self.chosen.curvature_per_m if self.chosen is not None else None
            draw_arcs(painter, world, pose, self.theme, *combined(voters), chosen)
        if things.vehicle:
            at = QPointF(*world.pixel_of(float(pose.position[0]), float(pose.position[1])))
            draw_cross_hairs(painter, at, self.width(), self.height(), self.theme)
            draw_vehicle(painter, at, pose.yaw_rad, self.vehicle_m / self.metres_per_pixel, self.theme)

    # ---- legends

    def legend_rectangle(self, place: int = 0) -> QRectF:
        """From the right, one beside the other, unless it was dragged elsewhere."""
        width, height = self._legend_size()
        left = self.width() - (width + MARGIN) * (place + 1)
        home = QRectF(left, MARGIN, width, min(height, self.height() - 2 * MARGIN - 40))
        return self.plates.place(f"legend {place}", home, self.size())

    def _legend_size(self) -> tuple[int, int]:
        """A small map keeps more of its room for itself."""
        return LEGEND if self.width() >= ROOMY.width() and self.height() >= ROOMY.height() else SMALL_LEGEND

    def _with_legend(self) -> list[tuple[int, QRectF]]:
        """Layers and where their legends are: the topmost first, and of the others as many as leave the half free."""
        if not self.shows_legends:
            return []
        most = max(1, self.width() // 2 // (self._legend_size()[0] + MARGIN))
        numbers = [number for number in reversed(range(len(self.layers))) if self.layers[number].opacity > 0]
        return [(number, self.legend_rectangle(place)) for place, number in enumerate(numbers[:most])]

    def _legend_at(self, point: QPointF) -> tuple[int, QRectF] | None:
        legends = self._with_legend() if self.shows_plates else []
        return next(((number, where) for number, where in legends if where.contains(point)), None)

    def _click_plate(self, name: str) -> None:
        for place, (number, where) in enumerate(self._with_legend()):
            if name == f"legend {place}" and self._pressed is not None and not is_on_bar(where, self._pressed):
                self.legend_clicked.emit(number)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        self._pressed = event.position()
        legend = self._legend_at(event.position()) if event.button() == Qt.MouseButton.LeftButton else None
        if legend is not None:
            number, where = legend
            end = end_at(where, event.position())
            if end:
                scheme = self.layers[number].scheme
                self._legend_drag = LegendDrag.begun(number, end, where, event.position(), scheme)
                return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        drag, legend = self._legend_drag, self._legend_at(event.position())
        if drag is None:
            is_end = legend is not None and not event.buttons() and bool(end_at(legend[1], event.position()))
            self._show_cursor(Qt.CursorShape.SizeVerCursor if is_end else None)
            super().mouseMoveEvent(event)
        elif drag.number < len(self.layers):
            self.range_dragged.emit(drag.number, *drag.range_at(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        if self._legend_drag is None:
            super().mouseReleaseEvent(event)
        self._legend_drag = None

    def mouseDoubleClickEvent(self, event: QMouseEvent | None) -> None:
        assert event is not None
        legend = self._legend_at(event.position())
        if legend is None:
            super().mouseDoubleClickEvent(event)
        elif is_on_bar(legend[1], event.position()):
            self.range_reset.emit(legend[0])
        else:
            self.legend_clicked.emit(legend[0])  # back: the first click of the two has changed the colours
            super().mouseDoubleClickEvent(event)

    def paint_notes(self, painter: QPainter) -> None:
        draw_notes(painter, self.notes, self.width(), self.theme, is_real=self.is_real)

    def paint_plates(self, painter: QPainter) -> None:
        drawn: dict[object, QPixmap] = {}
        for number, where in self._with_legend():
            if where.height() < 100:
                continue
            layer, ratio = self.layers[number], self.devicePixelRatioF()
            clipped = self._ground.clipped(number)
            key = (layer.scheme, layer.plane, clipped, self.theme.name, where.height(), ratio)
            picture = self._legends.get(key)
            drawn[key] = picture = picture if picture is not None else _legend(layer, where, clipped, self.theme, ratio)
            painter.drawPixmap(where.topLeft(), picture)
        self._legends = drawn


def _legend(layer: Layer, where: QRectF, clipped: tuple[bool, bool], theme: Theme, ratio: float) -> QPixmap:
    """A picture of a legend: it changes seldom, and its text is the slowest thing on a map."""
    picture = QPixmap(int(where.width() * ratio) + 1, int(where.height() * ratio) + 1)
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_legend(
        painter,
        QRectF(0, 0, where.width(), where.height()),
        layer.scheme.seen_in(theme.name),
        layer.plane,
        theme,
        clipped,
    )
    painter.end()
    return picture
