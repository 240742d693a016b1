"""The pointer over the curves of a plot: what is under it, and what a click there means."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QPointF, Qt

from studio.editor.views.plots.plot_curve import Curve
from studio.editor.views.plots.plot_point import PointedAt, PointMark

if TYPE_CHECKING:
    from studio.editor.panels.plot.plot_viewer import PlotViewer

NEAR_PX = 8


class PlotPointer:
    def __init__(self, viewer: PlotViewer) -> None:
        self.viewer, self.plot = viewer, viewer.plot
        self.mark = PointMark(self.plot)
        self.plot.scene().sigMouseMoved.connect(self._point)
        self.plot.scene().sigMouseClicked.connect(self._click)
        self.plot.left.connect(lambda: self.mark.show(None, 0.0))

    def point_at(self, place: QPointF) -> PointedAt | None:
        """The nearest point of all curves; None if none is near, or if they are not over time."""
        box = self.plot.getPlotItem().vb
        if self.viewer.against.isChecked() or not box.sceneBoundingRect().contains(place):
            return None
        near = self.nearest(place, self.viewer.curves)
        return near[1] if near is not None else None

    def nearest(self, place: QPointF, curves: list[Curve]) -> tuple[Curve, PointedAt] | None:
        box = self.plot.getPlotItem().vb
        at, (across, up) = box.mapSceneToView(place), box.viewPixelSize()
        best, found = math.inf, None
        for curve in curves:
            near = curve.nearest(at.x(), at.y(), NEAR_PX * across, NEAR_PX * up)
            if near is not None and near[1] < best:
                found, best = (curve, near[0]), near[1]
        return found

    def _point(self, place: QPointF) -> None:
        found = self.point_at(place)
        ground = self.plot.getPlotItem().vb.sceneBoundingRect()
        self.mark.show(found, (place.x() - ground.left()) / max(ground.width(), 1.0))
        shape = Qt.CursorShape.PointingHandCursor if found is not None else Qt.CursorShape.ArrowCursor
        if self.plot.cursor().shape() != shape:
            self.plot.setCursor(shape)

    def _click(self, click: Any) -> None:
        """On a point: how its event came about. Elsewhere, while a log plays: go there."""
        if click.button() != Qt.MouseButton.LeftButton or click.double():
            return
        found = self.point_at(click.scenePos())
        box = self.plot.getPlotItem().vb
        if found is not None and found.number >= 0:
            self.viewer.cause_wanted.emit(found.topic, found.number)
        elif self.viewer.log_cursor.isVisible() and box.sceneBoundingRect().contains(click.scenePos()):
            self.viewer.seek(box.mapSceneToView(click.scenePos()).x())
