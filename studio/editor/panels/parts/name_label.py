"""A name that is shortened in its middle where there is no room for it: its unit, at its end, stays."""

from __future__ import annotations

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QPainter, QPaintEvent
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
        return QSize(self.room_px, found.height()) if self.room_px else found

    def minimumSizeHint(self) -> QSize:
        """Not the whole name: layouts never give less than this, whatever `sizeHint` says."""
        found = super().minimumSizeHint()
        return QSize(0, found.height()) if self.room_px else found

    def shown(self) -> str:
        room = self.contentsRect().width()
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, room)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setPen(self.palette().windowText().color())
        painter.drawText(self.contentsRect(), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.shown())
