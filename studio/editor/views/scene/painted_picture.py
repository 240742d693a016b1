"""Paints a scene without OpenGL: what is far first, with Qt's painter. Coarser, and good enough to see where one is."""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QLineF, QPointF, Qt
from PyQt6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF

from studio.editor.views.scene.batches import Floats, Lines, Points, Scene, Triangles, moved
from studio.editor.views.scene.camera import Camera

MOST_QUADS = 1500


class PaintedPicture:
    most_quads = MOST_QUADS
    words = "without OpenGL"
    renderer = "Qt's painter: coarser surfaces, and what intersects is not cut"

    def paint(self, scene: Scene, camera: Camera, width: int, height: int, ground: QColor) -> QImage:
        picture = QImage(width, height, QImage.Format.Format_RGB32)
        picture.fill(ground)
        painter = QPainter(picture)
        # Not smoothed: seams would shine between the triangles of a surface, and it takes twice as long.
        for mark, size, colour in self._ordered(scene, camera, width, height):
            if len(mark) == 3:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colour)
                painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in mark]))
            elif len(mark) == 2:
                painter.setPen(QPen(colour, size))
                painter.drawLine(QLineF(*mark[0], *mark[1]))
            else:
                painter.setPen(QPen(colour, size))
                painter.drawPoint(QPointF(*mark[0]))
        painter.end()
        return picture

    def _ordered(
        self, scene: Scene, camera: Camera, width: int, height: int
    ) -> list[tuple[list[list[float]], float, QColor]]:
        """Everything that is in front of the eye and on the picture, the farthest first."""
        marks: list[tuple[list[list[float]], float, QColor]] = []
        depths: list[Floats] = []
        for thing in scene.things:
            for batch in thing.batches:
                if not len(batch.points):
                    continue
                corners = 1 if isinstance(batch, Points) else 2 if isinstance(batch, Lines) else 3
                size = batch.size if isinstance(batch, Points) else batch.width if isinstance(batch, Lines) else 0.0
                places = moved(batch.points.reshape(-1, 3), thing.pose)
                pixels, depth = camera.project(places, width, height)
                pixels, depth = pixels.reshape(-1, corners, 2), depth.reshape(-1, corners)
                seen = (depth > camera.nearest_m).all(axis=1)
                if scene.section is not None:
                    cut = np.array(scene.section)
                    seen &= (places @ cut[:3] + cut[3] >= 0).reshape(-1, corners).all(axis=1)
                seen &= (pixels.max(axis=1) > 0).all(axis=1) & (pixels.min(axis=1) < (width, height)).all(axis=1)
                colours = [QColor(*colour) for colour in batch.colours[seen].tolist()]
                marks += [(mark, size, colour) for mark, colour in zip(pixels[seen].tolist(), colours, strict=True)]
                # Lines and points lie on faces: they come after those of the same distance, ways far after.
                is_way = isinstance(batch, Points) or (isinstance(batch, Lines) and batch.width > 1.0)
                is_on_top = isinstance(batch, Lines) and batch.is_on_top
                nearer = (
                    camera.farthest_m
                    if is_on_top
                    else 0.0
                    if isinstance(batch, Triangles)
                    else (0.05 if is_way else 0.004) * camera.distance_m
                )
                depths.append(depth[seen].mean(axis=1) - nearer)
        order = np.argsort(-np.concatenate(depths), kind="stable") if depths else np.zeros(0, int)
        return [marks[i] for i in order.tolist()]
