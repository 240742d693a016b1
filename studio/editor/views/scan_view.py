"""A laser scan from above, in the frame of its sensor."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen, QPolygonF

from studio.editor.theme import Theme
from studio.editor.views.map_raster import Window
from studio.editor.views.plane_view import PlaneView
from studio.editor.views.plates import draw_vehicle, with_alpha
from studio.messages import Range3d


class ScanView(PlaneView):
    def __init__(self, theme: Theme) -> None:
        super().__init__(theme)
        self.points = np.zeros((0, 2))
        self.left_out = 0
        self._fitted = False
        self.setAccessibleName("Laser scan")

    def show_scan(self, scan: Range3d) -> None:
        points = np.asarray(scan.xyz, np.float64)[:, :2]
        finite = np.isfinite(points).all(axis=1)
        self.points, self.left_out = points[finite], int((~finite).sum())
        if not self._fitted and len(self.points):
            self._fitted = True
            self.fit()
        self.update()

    def forget(self) -> None:
        self.points, self.left_out, self._fitted = np.zeros((0, 2)), 0, False
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
