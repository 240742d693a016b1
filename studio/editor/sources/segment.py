"""One of Real, Logged and Simulated in the toolbar: a dot on it opens what differs, all the rest of it chooses."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, QRect, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QToolButton

from studio.editor.theme import Theme

DOT = 4
REACH = 16
"""Of the corner in which a click means the dot."""


class Segment(QToolButton):
    explain_wanted = pyqtSignal()
    """How what it stands for differs from what its source promises."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.differs = False

    def is_dot_at(self, point: QPoint) -> bool:
        return self.differs and QRect(self.width() - REACH, 0, REACH, REACH).contains(point)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() == Qt.MouseButton.LeftButton and self.is_dot_at(event.pos()):
            self.explain_wanted.emit()
        else:
            super().mousePressEvent(event)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        super().paintEvent(event)
        if self.differs:
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(self.theme.window), 1.5))
            painter.setBrush(QColor(self.theme.warning))
            painter.drawEllipse(QPoint(self.width() - DOT - 4, DOT + 4), DOT, DOT)
