"""Which cards lie in an area: wires ask this all the time, and a canvas may have a thousand cards."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from PyQt6.QtCore import QRectF

CELL = 512
_Box = tuple[float, float, float, float]


class CardIndex:
    """By squares of the canvas: looking through all cards for each wire costs seconds."""

    def __init__(self, cards: Iterable[tuple[str, QRectF]]) -> None:
        self._cells: dict[tuple[int, int], dict[str, tuple[_Box, QRectF]]] = {}
        self._boxes: dict[str, _Box] = {}
        for name, card in cards:
            self.put(name, card)

    def put(self, name: str, card: QRectF) -> None:
        """A card that is new or has moved."""
        for cell in _cells(self._boxes[name]) if name in self._boxes else ():
            self._cells[cell].pop(name, None)
        box = (card.left(), card.top(), card.right(), card.bottom())
        self._boxes[name] = box
        for cell in _cells(box):
            self._cells.setdefault(cell, {})[name] = (box, card)

    def within(self, area: QRectF, limit: int) -> list[QRectF] | None:
        """The cards that touch `area`; None if there are more than `limit`."""
        left, top, right, bottom = wanted = (area.left(), area.top(), area.right(), area.bottom())
        if (right - left) / CELL * (bottom - top) / CELL > limit:
            return None
        found: dict[str, QRectF] = {}
        for cell in _cells(wanted):
            for name, (box, card) in self._cells.get(cell, {}).items():
                if box[0] < right and box[2] > left and box[1] < bottom and box[3] > top:
                    found[name] = card
            if len(found) > limit:
                return None
        return list(found.values())

    def lowest(self, left: float, right: float) -> float:
        """The lower edge of the lowest card between two sides, however far up or down it stands."""
        return max((box[3] for box in self._boxes.values() if box[0] < right and box[2] > left), default=-math.inf)


def _cells(box: _Box) -> Iterator[tuple[int, int]]:
    left, top, right, bottom = (int(value // CELL) for value in box)
    return ((x, y) for x in range(left, right + 1) for y in range(top, bottom + 1))
