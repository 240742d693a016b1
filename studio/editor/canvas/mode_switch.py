"""Painting the switch on the card of a source: real, logged, simulated; a dot on what is not as promised."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen

from studio.editor.canvas.card import TITLE, Card
from studio.editor.fonts import text_font
from studio.editor.theme import Theme

HEIGHT = 24.0
DOT = 4.5


def paint_switch(painter: QPainter, card: Card, theme: Theme) -> None:
    painter.setFont(text_font(11, 500))
    border = QPen(QColor(theme.control_border), 1)
    border.setCosmetic(True)
    for mode, left, width in card.segments():
        origin = theme.origins[mode]
        part = QRectF(left, TITLE + 6, width, HEIGHT)
        chosen, there = mode == card.mode, mode in card.modes
        painter.fillRect(part, QColor(origin.fill if chosen else theme.field if there else theme.node))
        painter.setPen(border)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(part)
        painter.setPen(QColor(origin.on_fill if chosen else theme.text if there else theme.disabled))
        painter.drawText(part, Qt.AlignmentFlag.AlignCenter, origin.word)
    painter.setPen(QPen(QColor(theme.node), 1.5))
    painter.setBrush(QColor(theme.warning))
    for mode in card.differs:
        painter.drawEllipse(card.dot(mode).center(), DOT, DOT)
