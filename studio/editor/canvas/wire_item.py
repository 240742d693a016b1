"""A wire, service wire or parameter link on the canvas."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

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
BLOCKS = 0.4
"""Below this zoom cards are blocks and wires thin."""
FIGURES = 0.7
"""From this zoom on figures can be read."""
PIECES_UP_TO = 1.5
"""Beyond this zoom the short lines that a curve is made of would show."""
PIECE = 6
LONGEST = 128.0
ROOM = HANDLE + 1.5
"""Around the middle of a wire: its halo, and the handles at its ends."""
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
        self._stretches: list[tuple[QRectF, list[_Piece]]] = []
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)  # tells what has to be painted
        self.setZValue(1)

    def lay(self, path: QPainterPath) -> None:
        self.prepareGeometryChange()
        self.path = path
        self._stretches = []
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
            rate = self.live.rate.replace("Hz", "hertz")
            told += {"flows": f", {rate}", "stale": ", nothing for a while", "never": ", nothing yet"}[self.live.flow]
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
        pieces = self._exposed_pieces(painter, option.exposedRect) if BLOCKS <= detail <= PIECES_UP_TO else None
        if pieces == [] and self.live is None and not isinstance(self.connection, ServiceWire):
            return  # of a long wire mostly nothing is to be painted anew
        colour = QColor(theme.error if self.wrong else theme.hue(self.message_type))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.faded:
            painter.setOpacity(0.35)
        if detail < BLOCKS:
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
        if pen.style() == Qt.PenStyle.SolidLine and pieces is not None:
            for each in (ground, pen):
                painter.setPen(each)
                for piece in pieces:
                    painter.drawPolyline(piece)
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

    def _exposed_pieces(self, painter: QPainter, exposed: QRectF) -> list[QPolygonF]:
        """When one pans, a strip is exposed, and stroking outside of it costs as much as inside."""
        if not self._stretches:
            self._stretches = _stretches(self.path, self._arrow.boundingRect())
        region, there = getattr(self.scene(), "exposed", None), painter.worldTransform()

        def is_exposed(bounds: QRectF) -> bool:
            """Of two strips at the edges, Qt tells items only the rectangle around both: all of the view."""
            return bounds.intersects(exposed) and (
                region is None or region.intersects(there.mapRect(bounds).toAlignedRect())
            )

        return [
            piece
            for whole, pieces in self._stretches
            if is_exposed(whole)
            for bounds, piece in pieces
            if len(pieces) == 1 or is_exposed(bounds)
        ]

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


_Piece = tuple[QRectF, QPolygonF]


def _stretches(path: QPainterPath, arrow: QRectF) -> list[tuple[QRectF, list[_Piece]]]:
    """The wire as short lines, some to a stretch; what is long in it is cut into pieces, or a wire across the whole
    canvas would be stroked from edge to edge for a strip of a few pixels. All with the room that their strokes take,
    the last with that of the arrow.
    """
    made: list[tuple[QRectF, list[_Piece]]] = []
    for polygon in path.toSubpathPolygons():
        points = [polygon[place] for place in range(polygon.count())]
        for first in range(0, max(len(points) - 1, 1), PIECE):
            pieces = [_with_room(piece) for piece in _cut(points[first : first + PIECE + 1])]
            whole = QRectF(pieces[0][0])
            for bounds, _ in pieces[1:]:
                whole = whole.united(bounds)
            made.append((whole, pieces))
    if made:
        whole, pieces = made[-1]
        bounds, piece = pieces[-1]
        made[-1] = (whole.united(arrow), [*pieces[:-1], (bounds.united(arrow), piece)])
    return made


def _cut(points: list[QPointF]) -> Iterator[list[QPointF]]:
    """In pieces of about `LONGEST`; neighbours share a point."""
    piece, room = points[:1], LONGEST
    for start, end in pairwise(points):
        length = distance(start, end)
        steps = math.ceil(length / LONGEST)
        for step in range(1, steps + 1):
            piece.append(start + (end - start) * (step / steps))
            room -= length / steps
            if room <= 0:
                yield piece
                piece, room = piece[-1:], LONGEST
    if len(piece) > 1 or len(points) == 1:
        yield piece


def _with_room(points: list[QPointF]) -> _Piece:
    piece = QPolygonF(points)
    return piece.boundingRect().adjusted(-ROOM, -ROOM, ROOM, ROOM), piece


def distance(first: QPointF, second: QPointF) -> float:
    return math.hypot(first.x() - second.x(), first.y() - second.y())
