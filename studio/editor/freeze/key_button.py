"""A button that shows its key on a plate: what a hand learns by looking."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QAbstractButton

from studio.editor.look.fonts import text_font, width_of
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme, mixed

HEIGHT = 22
_PLATE = 16.0
_CENTRE = Qt.AlignmentFlag.AlignCenter
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


class KeyButton(QAbstractButton):
    def __init__(self, icon_name: str, text: str, keys: str, theme: Theme, *, filled: bool = False) -> None:
        super().__init__()
        self.icon_name, self.keys, self.theme, self.filled = icon_name, keys, theme, filled
        self.setText(text)
        self.setAccessibleName(f"{text} ({keys})")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFixedSize(self.sizeHint())

    def sizeHint(self) -> QSize:
        weight = 600 if self.filled else 500
        words = width_of(self.text(), 12, weight) + width_of(self.keys, 11, 500)
        return QSize(round(8 + 14 + 5 + words + 6 + 10 + 5), HEIGHT)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        theme, painter = self.theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ice, over = theme.frozen, self.underMouse() and self.isEnabled()
        fill = mixed("#FFFFFF", ice, 0.55 if theme.name == "dark" else 0.0) if self.filled else theme.header
        if over:
            fill = mixed(theme.text, fill, 0.1)
        text = theme.text if self.isEnabled() else theme.disabled
        if self.filled:
            text = theme.on_frozen
            if not self.isEnabled():
                fill, text = theme.header, theme.disabled
        border = fill if self.filled else theme.control_border if self.isEnabled() else theme.border
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(QColor(theme.focus), 2) if self.hasFocus() else QPen(QColor(border), 1))
        painter.setBrush(QColor(fill))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5) if self.hasFocus() else rect, 4, 4)
        icon(self.icon_name, text).paint(painter, 8, (self.height() - 14) // 2, 14, 14)
        weight = 600 if self.filled else 500
        painter.setFont(text_font(12, weight))
        painter.setPen(QColor(text))
        words = QRectF(27, 0, width_of(self.text(), 12, weight) + 2, self.height())
        painter.drawText(words, _LEFT, self.text())
        plate_width = width_of(self.keys, 11, 500) + 10
        plate = QRectF(self.width() - plate_width - 3.5, (self.height() - _PLATE) / 2, plate_width, _PLATE)
        edge = QColor(text)
        edge.setAlphaF(0.45)
        painter.setPen(QPen(edge, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(plate, 3, 3)
        painter.setFont(text_font(11, 500))
        painter.setPen(QColor(text))
        painter.drawText(plate, _CENTRE, self.keys)

    def enterEvent(self, event: object) -> None:
        self.update()

    def leaveEvent(self, event: object) -> None:
        self.update()
