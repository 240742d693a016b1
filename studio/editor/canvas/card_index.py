"""Which cards lie in an area: wires ask this all the time, and a canvas may have a thousand cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PyQt6.QtCore import QRectF

CELL = 512
_Box = tuple[float, float, float, float]


class CardIndex:
    """Made anew when a card moved: that costs a millisecond, looking through all cards for each wire costs seconds."""

    def __init__(self, cards: Iterable[QRectF]) -> None:
        self._cells: dict[tuple[int, int], list[tuple[_Box, QRectF]]] = {}
        for card in cards:
            box = (card.left(), card.top(), card.right(), card.bottom())
            for cell in _cells(box):
                self._cells.setdefault(cell, []).append((box, card))

    def within(self, area: QRectF, limit: int) -> list[QRectF] | None:
        """The cards that touch `area`; None if there are more than `limit`."""
        left, top, right, bottom = wanted = (area.left(), area.top(), area.right(), area.bottom())
        if (right - left) / CELL * (bottom - top) / CELL > limit:
            return None
        found: dict[_Box, QRectF] = {}
        for cell in _cells(wanted):
            for box, card in self._cells.get(cell, ()):
                if box[0] < right and box[2] > left and box[1] < bottom and box[3] > top:
                    found[box] = card
            if len(found) > limit:
                return None
        return list(found.values())


def _cells(box: _Box) -> Iterator[tuple[int, int]]:
    left, top, right, bottom = (int(value // CELL) for value in box)
    return ((x, y) for x in range(left, right + 1) for y in range(top, bottom + 1))
