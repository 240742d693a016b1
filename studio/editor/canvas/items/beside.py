"""Where something about a line may stand: near the pointer, not over the line, and within the view if it can be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from PyQt6.QtCore import QPoint, QRect, QSize
from PyQt6.QtGui import QPainterPath, QTransform

APART = 18
"""Pixels from the pointer."""
EDGE = 6
"""Pixels from the border of the view, and from the line."""
STEP = 6.0


def place_beside(at: QPoint, size: QSize, areas: Sequence[QRect], lines: Sequence[Iterable[QPoint]]) -> QRect:
    """Of several `lines` the first matters most; the second of the `areas` only if the first one has no free place.

    Below the pointer and right of it, if that is free.
    """
    rooms = [area.adjusted(EDGE, EDGE, -EDGE, -EDGE) for area in areas]
    places = [_moved_into(QRect(corner, size), room) for room in rooms for corner in _corners(at, size)]

    def covered(place: QRect) -> tuple[int, ...]:
        taken = place.adjusted(-EDGE, -EDGE, EDGE, EDGE)
        return int(place.contains(at)), *(sum(taken.contains(point) for point in line) for line in lines)

    return min(places, key=covered)


def _corners(at: QPoint, size: QSize) -> Iterator[QPoint]:
    across = at.x() + APART, at.x() - APART - size.width()
    down = at.y() + APART, at.y() - APART - size.height()
    yield from (QPoint(x, y) for x in across for y in down)
    middle = at - QPoint(size.width() // 2, size.height() // 2)
    yield from (QPoint(middle.x(), y) for y in down)
    yield from (QPoint(x, middle.y()) for x in across)


def _moved_into(place: QRect, within: QRect) -> QRect:
    x = max(within.left(), min(place.x(), within.right() + 1 - place.width()))
    y = max(within.top(), min(place.y(), within.bottom() + 1 - place.height()))
    return QRect(QPoint(x, y), place.size())


def points_on(path: QPainterPath, seen: QTransform) -> list[QPoint]:
    """Of a line as it is seen, close enough to each other that nothing of its size lies between two."""
    found: list[QPoint] = []
    for polygon in path.toSubpathPolygons(seen):
        corners = [polygon[place] for place in range(len(polygon))]
        for start, end in pairwise(corners):
            steps = math.ceil(math.hypot(end.x() - start.x(), end.y() - start.y()) / STEP) or 1
            found += [(start + (end - start) * (step / steps)).toPoint() for step in range(steps + 1)]
    return found
