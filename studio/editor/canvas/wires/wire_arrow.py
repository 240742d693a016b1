"""The arrow before an in port: it points to the right, or along a wire that comes in steeply."""

from __future__ import annotations

import math

from PyQt6.QtCore import QPointF
from PyQt6.QtGui import QPainterPath, QPolygonF

LENGTH, HALF = 9.0, 4.5
STEEP = 2.0
"""So many times higher than its last bend is long, a curve has left the height of the port before the arrow begins."""
STEPS = 32


def arrow_on(path: QPainterPath, reach: float) -> QPolygonF:
    """With its tip so far before the end."""
    end = path.currentPosition()
    points = _last_bend(path)
    if points and abs(end.y() - points[0].y()) > STEEP * abs(end.x() - points[2].x()):
        tip, back = _before_the_end(points, reach), _before_the_end(points, reach + LENGTH)
        along = tip - back
        size = math.hypot(along.x(), along.y())
        if size > 0:
            aside = QPointF(-along.y(), along.x()) * (HALF / size)
            base = tip - along * (LENGTH / size)
            return QPolygonF([tip, base + aside, base - aside])
    tip = end - QPointF(reach, 0)
    return QPolygonF([tip, tip + QPointF(-LENGTH, -HALF), tip + QPointF(-LENGTH, HALF)])


def _last_bend(path: QPainterPath) -> list[QPointF]:
    """The four points of the curve that it ends with; none if that is a line."""
    count = path.elementCount()
    if count < 4 or not path.elementAt(count - 3).isCurveTo():
        return []
    return [QPointF(path.elementAt(place).x, path.elementAt(place).y) for place in range(count - 4, count)]


def _before_the_end(points: list[QPointF], away: float) -> QPointF:
    """The first point of the curve, from its end, that is so far from it."""
    a, b, c, end = points
    at = end
    for step in range(1, STEPS + 1):
        part = step / STEPS
        rest = 1 - part
        at = a * part**3 + b * (3 * part**2 * rest) + c * (3 * part * rest**2) + end * rest**3
        if math.hypot(at.x() - end.x(), at.y() - end.y()) >= away:
            break
    return at
