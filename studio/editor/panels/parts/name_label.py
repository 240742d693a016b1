"""A name on two lines where one has no room for it, broken at an underscore.

What has no room on two lines is shortened in its middle: its unit, at its end, stays.
"""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PyQt6.QtWidgets import QLabel


class NameLabel(QLabel):
    room_px = 0
    """What it is given where there is room; it shrinks to its minimum where there is none."""

    def give_room(self, width: int) -> None:
        if width != self.room_px:
            self.room_px = width
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        found = super().sizeHint()
        return QSize(self.room_px, self._height(found)) if self.room_px else found

    def minimumSizeHint(self) -> QSize:
        """Not the whole name: layouts never give less than this, whatever `sizeHint` says."""
        found = super().minimumSizeHint()
        return QSize(0, self._height(found)) if self.room_px else found

    def _height(self, of_one_line: QSize) -> int:
        return max(of_one_line.height(), len(self.lines()) * self.fontMetrics().lineSpacing())

    def lines(self) -> list[str]:
        """As they are painted."""
        fits, text = self._fits, self.text()
        if fits(text):
            return [text]
        places = [place for place, letter in enumerate(text, 1) if letter == "_" and fits(text[:place])]
        first = text[: max(places, default=0)]
        rest = text.removeprefix(first)
        if first and fits(rest):
            return [first, rest]
        return [self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, self.contentsRect().width())]

    def _fits(self, text: str) -> bool:
        return self.fontMetrics().horizontalAdvance(text) <= self.contentsRect().width()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        if self.room_px and self.height() < self._height(super().sizeHint()):
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(self.contentsRect(), left, "\n".join(self.lines()))
