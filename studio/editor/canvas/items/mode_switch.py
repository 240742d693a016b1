"""Painting the switch on the card of a source: real, logged, simulated, Gazebo; a dot on what is not as promised."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen

from studio.editor.canvas.items.card import TITLE, Card
from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme
from studio.model.gazebo_provider import GAZEBO, mode_of_choice

HEIGHT = 24.0
DOT = 4.5


def paint_switch(painter: QPainter, card: Card, theme: Theme) -> None:
    painter.setFont(text_font(11, 500))
    border = QPen(QColor(theme.control_border), 1)
    border.setCosmetic(True)
    for choice, left, width in card.segments():
        origin = theme.origins[mode_of_choice(choice)]
        part = QRectF(left, TITLE + 6, width, HEIGHT)
        chosen, there = choice == card.choice, choice in card.choices
        painter.fillRect(part, QColor(origin.fill if chosen else theme.field if there else theme.node))
        painter.setPen(border)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(part)
        painter.setPen(QColor(origin.on_fill if chosen else theme.text if there else theme.disabled))
        painter.drawText(part, Qt.AlignmentFlag.AlignCenter, "Gazebo" if choice == GAZEBO else origin.word)
    painter.setPen(QPen(QColor(theme.node), 1.5))
    painter.setBrush(QColor(theme.warning))
    for choice in card.differs:
        painter.drawEllipse(card.dot(choice).center(), DOT, DOT)
