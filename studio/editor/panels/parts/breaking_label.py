"""A label that never asks for more width than there is: lines end between words, and inside a word that is too long."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QFont, QPainter, QPaintEvent, QTextLayout, QTextOption
from PyQt6.QtWidgets import QLabel, QSizePolicy, QStyle, QStyleOption, QWidget

LEAST_PX = 40
"""Narrower than this nobody could read it."""


class BreakingLabel(QLabel):
    """For plain text. Qt's own label breaks lines at spaces alone, so that one long name widens the whole panel."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._heights: dict[float, float] = {}
        self._heights_of: tuple[str, QFont] = (self.text(), self.font())
        """By width: layouts ask a dozen times for the same one."""

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_PX + self._around().width(), self.fontMetrics().height() + self._around().height())

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        around = self._around()
        lines = self.text().split("\n")
        wanted = max(self.fontMetrics().horizontalAdvance(line) for line in lines) + 1
        return QSize(max(LEAST_PX, wanted) + around.width(), self.fontMetrics().height() * len(lines) + around.height())

    def heightForWidth(self, width: int) -> int:
        self.ensurePolished()
        around = self._around()
        return around.height() + round(self._height(max(1, width - around.width())) + 0.5)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        painter = QPainter(self)
        option = QStyleOption()
        option.initFrom(self)
        style = self.style()
        if style is not None:
            style.drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        area = QRectF(self.contentsRect())
        layouts, height = self._laid_out(area.width())
        top = area.top() + (max(0.0, (area.height() - height) / 2) if self._is_centred() else 0.0)
        for layout in layouts:
            layout.draw(painter, QPointF(area.left(), top))
            top += layout.boundingRect().height()

    def _is_centred(self) -> bool:
        return bool(self.alignment() & Qt.AlignmentFlag.AlignVCenter)

    def _around(self) -> QSize:
        margins = self.contentsMargins()
        return QSize(margins.left() + margins.right(), margins.top() + margins.bottom())

    def _height(self, width: float) -> float:
        if self._heights_of != (now := (self.text(), self.font())):
            self._heights_of = now
            self._heights.clear()
        if width not in self._heights:
            self._heights[width] = self._laid_out(width)[1]
        return self._heights[width]

    def _laid_out(self, width: float) -> tuple[list[QTextLayout], float]:
        """One layout for each line of the text, and the height of all."""
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        found, total = [], 0.0
        for text in self.text().split("\n"):
            layout = QTextLayout(text, self.font())
            layout.setTextOption(option)
            layout.beginLayout()
            height = 0.0
            while (line := layout.createLine()).isValid():
                line.setLineWidth(width)
                line.setPosition(QPointF(0.0, height))
                height += line.height()
            layout.endLayout()
            found.append(layout)
            total += layout.boundingRect().height()
        return found, total


def breakable(text: str) -> str:
    """For labels with links or bold words, which a BreakingLabel cannot show: lines may end inside of names."""
    return "".join(letter + "\u200b" if letter in "_/.:-=,[]()" else letter for letter in text)
