"""The band below the toolbar that says where the data comes from."""

from __future__ import annotations

from PyQt6.QtCore import QRectF
from PyQt6.QtGui import QColor, QPainter, QPaintEvent
from PyQt6.QtWidgets import QWidget

from studio.editor.theme import Theme
from studio.model.sources import SourceMode


class OriginBand(QWidget):
    """Four pixels that say where the data comes from: dashed for a log, solid for a simulation, hatched for real."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.modes: list[SourceMode] = []
        self.setFixedHeight(4)
        self.setAccessibleName("Origin of the data")

    def show_modes(self, modes: list[SourceMode], theme: Theme) -> None:
        self.modes, self.theme = modes, theme
        self.setFixedHeight(4 if modes else 0)
        self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        for place, mode in enumerate(self.modes):
            origin = self.theme.origins[mode]
            left, width = place * self.width() / len(self.modes), self.width() / len(self.modes)
            colour = QColor(origin.fill if mode == "real" else origin.text)
            if mode == "simulated":
                painter.fillRect(QRectF(left, 0, width, 4), colour)
                continue
            dash, gap = (32, 8) if mode == "logged" else (10, 6)
            at = left
            while at < left + width:
                painter.fillRect(QRectF(at, 0, min(dash, left + width - at), 4), colour)
                at += dash + gap
