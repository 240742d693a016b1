"""A label that says as much as there is room for."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QLabel, QSizePolicy


class FittingLabel(QLabel):
    def __init__(self) -> None:
        super().__init__()
        self.texts: tuple[str, ...] = ("",)
        """The longest first."""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def say(self, *texts: str) -> None:
        self.texts = texts
        self._fit()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        known, room = self.fontMetrics(), self.contentsRect().width()
        found = next((text for text in self.texts if known.horizontalAdvance(text) <= room), None)
        if found is None:
            found = known.elidedText(self.texts[-1], Qt.TextElideMode.ElideRight, room)
        if found != self.text():
            self.setText(found)
