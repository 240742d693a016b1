"""A slider over time."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtWidgets import QSlider


class TimeSlider(QSlider):
    """Goes to where it is clicked, and on from there."""

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            share = (event.position().x() - 6) / max(self.width() - 12, 1)
            self.setValue(round(min(max(share, 0.0), 1.0) * self.maximum()))
        super().mousePressEvent(event)
