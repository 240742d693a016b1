"""A line of a wire as what has to be stroked of it: short pieces, each with the room that it takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QPainterPath, QPolygonF

HANDLE = 5.0
ROOM = HANDLE + 1.5
"""Around the middle of a wire: its halo, and the handles at its ends."""
PIECE = 6
LONGEST = 128.0
IsExposed = Callable[[QRectF], bool]
_Piece = tuple[QRectF, QPolygonF]


@dataclass(frozen=True)
class _Stretch:
    bounds: QRectF
    pieces: list[_Piece]
    has_ground: bool


class Stroke:
    """`bare`: so much of its beginning has no ground of its own, which would cut the lines that it parts from.
    `beside`: what is painted at its end.
    """

    def __init__(self, path: QPainterPath, bare: float = 0.0, beside: QRectF | None = None) -> None:
        self.path = path
        self._bare, self._beside = bare, beside
        self._made: list[_Stretch] | None = None

    def exposed(self, is_exposed: IsExposed) -> tuple[list[QPolygonF], list[QPolygonF]]:
        """The pieces of its ground, and those of the line. When one pans, a strip is exposed, and stroking outside of
        it costs as much as inside.
        """
        grounds: list[QPolygonF] = []
        lines: list[QPolygonF] = []
        for stretch in self._stretches():
            if is_exposed(stretch.bounds):
                pieces = stretch.pieces
                found = [piece for bounds, piece in pieces if len(pieces) == 1 or is_exposed(bounds)]
                lines += found
                grounds += found if stretch.has_ground else []
        return grounds, lines

    def ground(self) -> QPainterPath:
        """All of it at once."""
        if not self._bare:
            return self.path
        whole = QPainterPath()
        for stretch in self._stretches():
            if stretch.has_ground:
                for _, piece in stretch.pieces:
                    whole.addPolygon(piece)
        return whole

    def _stretches(self) -> list[_Stretch]:
        if self._made is None:
            self._made = []
            for polygon in self.path.toSubpathPolygons():
                points = [polygon[place] for place in range(polygon.count())]
                bare, rest = _parted(points, self._bare) if self._bare else ([], points)
                self._made += [*_cut_up(bare, has_ground=False), *_cut_up(rest, has_ground=True)]
            self._make_room_beside()
        return self._made

    def _make_room_beside(self) -> None:
        if self._made and self._beside is not None:
            last = self._made[-1]
            bounds, piece = last.pieces[-1]
            pieces = [*last.pieces[:-1], (bounds.united(self._beside), piece)]
            self._made[-1] = _Stretch(last.bounds.united(self._beside), pieces, last.has_ground)


def _cut_up(points: list[QPointF], *, has_ground: bool) -> Iterator[_Stretch]:
    """Short lines, some to a stretch; what is long in it is cut into pieces, or a wire across the whole canvas would
    be stroked from edge to edge for a strip of a few pixels. All with the room that their strokes take.
    """
    for first in range(0, max(len(points) - 1, 1) if points else 0, PIECE):
        pieces = [_with_room(piece) for piece in _cut(points[first : first + PIECE + 1])]
        whole = QRectF(pieces[0][0])
        for bounds, _ in pieces[1:]:
            whole = whole.united(bounds)
        yield _Stretch(whole, pieces, has_ground)


def _parted(points: list[QPointF], length: float) -> tuple[list[QPointF], list[QPointF]]:
    """The first so much of a line, and the rest; they share a point."""
    for place, (start, end) in enumerate(pairwise(points), 1):
        step = distance(start, end)
        if step >= length:
            between = start + (end - start) * (length / step) if step else end
            return [*points[:place], between], [between, *points[place:]]
        length -= step
    return points, []


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
