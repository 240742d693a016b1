"""A laser scan from above, in the frame of its sensor."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen, QPolygonF, QResizeEvent

from studio.editor.look.theme import Theme
from studio.editor.views.maps.map_raster import Window
from studio.editor.views.maps.plane_view import PlaneView
from studio.editor.views.shared.plates import draw_vehicle, with_alpha
from studio.messages import Range3d

VEHICLE_PX = 14
LEAST_SHARE = 0.3
"""Of the view that a scan fills: of a smaller one nothing could be told."""


class ScanView(PlaneView):
    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.points = np.zeros((0, 2))
        self.left_out = 0
        self._is_free = False
        """Somebody has chosen what is seen."""
        self.moved_by_hand.connect(self._let_go)
        self.setAccessibleName("Laser scan")

    def show_scan(self, scan: Range3d) -> None:
        points = np.asarray(scan.xyz, np.float64)[:, :2]
        finite = np.isfinite(points).all(axis=1)
        self.points, self.left_out = points[finite], int((~finite).sum())
        if not self._is_free and not self._suits():
            self.fit()
        self.update()

    def _let_go(self) -> None:
        self._is_free = True

    def fit_by_hand(self) -> None:
        super().fit_by_hand()
        self._is_free = False  # the whole scan, of the next ones too

    def _suits(self) -> bool:
        """Whether all of it is in the view, and fills a good part of that."""
        extent = self.extent_m()
        if extent is None:
            return True
        (left, bottom, right, top), world = extent, self.world()
        is_inside = (
            world.left_m <= left and right <= world.x_of(world.width)
            and world.y_of(world.height) <= bottom and top <= world.top_m
        )  # fmt: skip
        share = max((right - left) / world.width, (top - bottom) / world.height) / world.metres_per_pixel
        return is_inside and share >= LEAST_SHARE

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if not self._is_free:
            self.fit()

    def fit(self) -> None:
        """With room for the whole plate of the vehicle, which is often at the edge of what it sees."""
        extent = self.extent_m()
        if extent is not None:
            left, bottom, right, top = extent
            across = max((right - left) / max(self.width() - 2 * VEHICLE_PX, 1), (top - bottom) / max(self.height(), 1))
            more = across * VEHICLE_PX
            self.show_rectangle(left - more, bottom, right + more, top)

    def forget(self) -> None:
        self.points, self.left_out, self._is_free = np.zeros((0, 2)), 0, False
        self.notes = ()
        self.update()

    def extent_m(self) -> tuple[float, float, float, float] | None:
        if not len(self.points):
            return None
        around = np.vstack([self.points, [[0.0, 0.0]]])
        (left, bottom), (right, top) = around.min(axis=0), around.max(axis=0)
        return float(left), float(bottom), float(max(right, left + 1)), float(max(top, bottom + 1))

    def read_out(self, x_m: float, y_m: float) -> str:
        far, turn = float(np.hypot(x_m, y_m)), float(np.degrees(np.arctan2(y_m, x_m)))
        return f"{super().read_out(x_m, y_m)}   {far:.2f} m at {turn:+.1f}°".replace("-", "−")

    def paint_things(self, painter: QPainter, world: Window) -> None:
        own = QPointF(*world.pixel_of(0.0, 0.0))
        if len(self.points):
            x = (self.points[:, 0] - world.left_m) / world.metres_per_pixel
            y = (world.top_m - self.points[:, 1]) / world.metres_per_pixel
            places = [QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
            hue = self.theme.hue("Range3d")
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(with_alpha(hue, 34))
            painter.drawPolygon(QPolygonF([own, *places]))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(hue), 3, cap=Qt.PenCapStyle.RoundCap))
            painter.drawPoints(QPolygonF(places))
        draw_vehicle(painter, own, 0.0, 0.0, self.theme)
