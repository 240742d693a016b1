"""A wire, service wire or parameter link on the canvas."""

from __future__ import annotations

import math

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPainterPath, QPainterPathStroker, QPen, QPolygonF
from PyQt6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from studio.editor.canvas.live_paint import paint_pills
from studio.editor.fonts import text_font, width_of
from studio.editor.live_state import LiveWire
from studio.editor.theme import Theme
from studio.model.parts import Connection, Link, ServiceWire

HANDLE = 5.0
HANDLE_REACH = 10.0
FIGURES = 0.7
"""From this zoom on figures can be read."""
PIECES_UP_TO = 1.5
"""Beyond this zoom the short lines that a curve is made of would show."""
PIECE = 6
_MARGIN = 10.0


class WireItem(QGraphicsItem):
    def __init__(self, connection: Connection, message_type: str, theme: Theme) -> None:
        super().__init__()
        self.connection = connection
        self.message_type = message_type
        self.theme = theme
        self.path = QPainterPath()
        self.start = self.end = self.middle = QPointF()
        self._arrow = QPolygonF()
        self.hovered = False
        """The pointer is on this wire, or on another of the same out port."""
        self.wrong = False
        self.faded = False
        self.live: LiveWire | None = None
        """While the system runs."""
        self._detail = 1.0
        self._bounds = QRectF()
        self._pieces: list[tuple[QRectF, QPolygonF]] = []
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)  # tells what has to be painted
        self.setZValue(1)

    def lay(self, path: QPainterPath) -> None:
        self.prepareGeometryChange()
        self.path = path
        self._pieces = []
        self.start, self.end = path.pointAtPercent(0), path.pointAtPercent(1)
        self.middle = path.pointAtPercent(0.5)
        tip = self.end - QPointF(6.5, 0)
        self._arrow = QPolygonF([tip, tip + QPointF(-9, -4.5), tip + QPointF(-9, 4.5)])
        self._bounds = path.controlPointRect().adjusted(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)
        if isinstance(self.connection, ServiceWire):
            self._bounds = self._bounds.united(self._label_rect())
        self.update()

    def show_live(self, live: LiveWire | None) -> None:
        before, self.live = self.live, live
        if live == before:
            return
        if self._detail >= FIGURES or live is None or before is None or live.flow != before.flow:
            self.update()

    def room(self) -> float:
        """For words on it: from side to side, without what lies under the ports."""
        return abs(self.end.x() - self.start.x()) if not self.path.isEmpty() else 0.0

    def accessible_name(self) -> str:
        what = {ServiceWire: "service", Link: "link"}.get(type(self.connection), self.message_type or "wire")
        start, end = self.connection.key
        told = ", wrong" if self.wrong else ""
        if self.live is not None:
            told += {"flows": f", {self.live.rate}", "stale": ", nothing for a while", "never": ", nothing yet"}[
                self.live.flow
            ]
            told += f", {self.live.drops} dropped" if self.live.drops else ", no drops"
        return f"{what} {start.port}, from {start.node} to {end.node}, {end.port}{told}"

    def boundingRect(self) -> QRectF:
        return self._bounds

    def shape(self) -> QPainterPath:
        stroker = QPainterPathStroker()
        stroker.setWidth(12)
        return stroker.createStroke(self.path)

    def paint(
        self, painter: QPainter | None, option: QStyleOptionGraphicsItem | None, widget: QWidget | None = None
    ) -> None:
        assert painter is not None and option is not None
        theme = self.theme
        self._detail = detail = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        colour = QColor(theme.error if self.wrong else theme.hue(self.message_type))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.faded:
            painter.setOpacity(0.35)
        if detail < 0.4:
            pen = QPen(QColor(theme.accent) if self.isSelected() else colour, 2 if self.isSelected() else 1)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.drawPath(self.path)
            return
        if self.isSelected() or self.hovered:
            halo = QColor(theme.accent if self.isSelected() else colour)
            halo.setAlphaF(0.32)
            painter.strokePath(self.path, QPen(halo, 9))
        # A stroke of the ground below makes crossings read as bridges.
        ground, pen = QPen(QColor(theme.canvas), 5), self._pen(colour)
        if pen.style() == Qt.PenStyle.SolidLine and detail <= PIECES_UP_TO:
            self._stroke_pieces(painter, option.exposedRect, (ground, pen))
        else:
            painter.strokePath(self.path, ground)
            painter.strokePath(self.path, pen)
        if isinstance(self.connection, ServiceWire) and detail >= FIGURES:
            painter.setFont(text_font(11))
            painter.setPen(QColor(theme.error if self.wrong else theme.muted))
            painter.drawText(self._label_rect(), Qt.AlignmentFlag.AlignVCenter, self.connection.start.port)
        if isinstance(self.connection, ServiceWire | Link):
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(self._arrow)
        if self.live is not None and detail >= FIGURES:
            paint_pills(painter, self.live, self.middle, self.room(), self.end, theme)
        if self.isSelected():
            painter.setPen(QPen(QColor(theme.accent), 2))
            painter.setBrush(QColor(theme.canvas))
            for point in (self.start, self.end):
                painter.drawEllipse(point, HANDLE, HANDLE)

    def _stroke_pieces(self, painter: QPainter, exposed: QRectF, pens: tuple[QPen, ...]) -> None:
        """Only what is exposed: when one pans, that is a strip, and stroking outside of it costs as much as inside."""
        if not self._pieces:
            self._pieces = _pieces(self.path)
        region, there = getattr(self.scene(), "exposed", None), painter.worldTransform()

        def is_exposed(bounds: QRectF) -> bool:
            """Of two strips at the edges, Qt tells items only the rectangle around both: all of the view."""
            return region is None or region.intersects(there.mapRect(bounds).toAlignedRect())

        seen = [piece for bounds, piece in self._pieces if bounds.intersects(exposed) and is_exposed(bounds)]
        for pen in pens:
            painter.setPen(pen)
            for piece in seen:
                painter.drawPolyline(piece)

    def _pen(self, colour: QColor) -> QPen:
        if isinstance(self.connection, ServiceWire):
            return QPen(QColor(self.theme.error if self.wrong else self.theme.other_type), 1.6, Qt.PenStyle.DashLine)
        if isinstance(self.connection, Link):
            return QPen(QColor(self.theme.error if self.wrong else self.theme.muted), 1.4, Qt.PenStyle.DotLine)
        pen = QPen(colour, 3 if self.hovered else 2)
        if self.wrong:
            pen.setStyle(Qt.PenStyle.DashLine)
        elif self.live is not None and self.live.flow != "flows":
            faint = QColor(colour if self.live.flow == "stale" else self.theme.muted)
            faint.setAlphaF(0.75)
            pen = QPen(faint, 2, Qt.PenStyle.CustomDashLine)
            pen.setDashPattern([1, 2.5])
        return pen

    def _label_rect(self) -> QRectF:
        """Right of the middle: the name of the service that is asked for."""
        return QRectF(self.middle.x() + 8, self.middle.y() - 8, width_of(self.connection.start.port, 11) + 2, 16)


def _pieces(path: QPainterPath) -> list[tuple[QRectF, QPolygonF]]:
    """The wire as short lines, some to a piece, with the room that their strokes take; neighbours share a point."""
    made = []
    for polygon in path.toSubpathPolygons():
        count = polygon.count()
        for first in range(0, max(count - 1, 1), PIECE):
            piece = QPolygonF(polygon[place] for place in range(first, min(first + PIECE + 1, count)))
            made.append((piece.boundingRect().adjusted(-4, -4, 4, 4), piece))
    return made


def distance(first: QPointF, second: QPointF) -> float:
    return math.hypot(first.x() - second.x(), first.y() - second.y())
