"""One of Real, Logged and Simulated in the toolbar: a dot on it opens what differs, all the rest of it chooses."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PyQt6.QtWidgets import QAbstractButton, QToolButton, QWidget

from studio.editor.look.theme import Theme

RADIUS = 4
REACH = 16
"""Of the corner in which a click means the dot."""


class Dot(QAbstractButton):
    """A button of its own: the keys reach it after its segment, and programs that read the screen aloud know it."""

    def __init__(self, parent: QWidget, theme: Theme) -> None:
        super().__init__(parent)
        self.theme = theme
        self.setFixedSize(REACH, REACH)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.hide()

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = QPoint(self.width() - RADIUS - 4, RADIUS + 4)
        painter.setPen(QPen(QColor(self.theme.window), 1.5))
        painter.setBrush(QColor(self.theme.warning))
        painter.drawEllipse(middle, RADIUS, RADIUS)
        if self.hasFocus():
            painter.setPen(QPen(QColor(self.theme.focus), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(middle, RADIUS + 3, RADIUS + 3)


class Segment(QToolButton):
    explain_wanted = pyqtSignal()
    """How what it stands for differs from what its source promises."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.dot = Dot(self, theme)
        self.dot.clicked.connect(self.explain_wanted)

    def show_differences(self, words: str, theme: Theme) -> None:
        """What differs, to be read aloud; nothing if all is as it was promised."""
        self.dot.theme = theme
        self.dot.setAccessibleName(words)
        self.dot.setVisible(bool(words))
        self.dot.update()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        super().resizeEvent(event)
        self.dot.move(self.width() - REACH, 0)
