"""Where the names of things are written: on plates beside them, none on another, the nearest things first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PyQt6.QtCore import QPointF, QRectF

HEIGHT = 20.0
GAP = 4.0
DISTANCES = (18.0, 44.0, 80.0)
SIDES = ((1, -1), (-1, -1), (1, 1), (-1, 1), (0, -1), (0, 1))
MOST = 48
"""More names than that help nobody; the others are seen on hover."""


class Anchor(NamedTuple):
    name: str
    x: float
    y: float
    depth_m: float
    is_wanted: bool
    """Selected, hovered or measured: before all others."""


class Plate(NamedTuple):
    name: str
    where: QRectF
    anchor: QPointF
    is_wanted: bool

    @property
    def near(self) -> QPointF:
        """Where the leader ends: the point of the plate closest to its thing."""
        x = min(max(self.anchor.x(), self.where.left()), self.where.right())
        y = min(max(self.anchor.y(), self.where.top()), self.where.bottom())
        return QPointF(x, y)


def placed(anchors: Sequence[Anchor], widths: dict[str, float], room: QRectF, taken: Sequence[QRectF]) -> list[Plate]:
    """`taken`: what lies on the picture already. A name that finds no place is left out."""
    plates: list[Plate] = []
    filled = list(taken)
    inside = [each for each in anchors if room.contains(QPointF(each.x, each.y))]
    for anchor in sorted(inside, key=lambda each: (not each.is_wanted, each.depth_m))[:MOST]:
        where = _free(anchor, widths[anchor.name], room, filled)
        if where is not None:
            filled.append(where.adjusted(-GAP, -GAP, GAP, GAP))
            plates.append(Plate(anchor.name, where, QPointF(anchor.x, anchor.y), anchor.is_wanted))
    return plates


def _free(anchor: Anchor, width: float, room: QRectF, filled: Sequence[QRectF]) -> QRectF | None:
    for far in DISTANCES:
        for across, down in SIDES:
            left = anchor.x + far * across - (width if across < 0 else width / 2 if across == 0 else 0)
            top = anchor.y + far * down - HEIGHT / 2
            where = QRectF(left, top, width, HEIGHT)
            if room.contains(where) and not any(where.intersects(other) for other in filled):
                return where
    return None
