"""What dialogs and cards share: margins, a row of buttons at the right, and that all of it is on the screen."""

from __future__ import annotations

from PyQt6.QtCore import QPoint
from PyQt6.QtWidgets import QHBoxLayout, QLayout, QPushButton, QVBoxLayout, QWidget


def fill(owner: QWidget, *parts: QWidget | QLayout, margins: tuple[int, int] = (16, 14)) -> None:
    """From top to bottom."""
    layout = QVBoxLayout(owner)
    layout.setContentsMargins(margins[0], margins[1], margins[0], margins[1])
    layout.setSpacing(10)
    for part in parts:
        if isinstance(part, QWidget):
            layout.addWidget(part)
        else:
            layout.addLayout(part)


def button_row(*buttons: QPushButton, words: QWidget | None = None, left: QPushButton | None = None) -> QHBoxLayout:
    """`words` take the room beside them; `left` stands apart from the answers."""
    row = QHBoxLayout()
    if left is not None:
        row.addWidget(left)
    if words is not None:
        row.addWidget(words, 1)
    else:
        row.addStretch(1)
    for button in buttons:
        row.addWidget(button)
    return row


def move_to(card: QWidget, at: QPoint) -> None:
    """As near to a point of the screen as it has room there."""
    card.adjustSize()
    screen = card.screen()
    room = screen.availableGeometry() if screen is not None else None
    if room is not None:
        at.setX(max(room.left(), min(at.x(), room.right() - card.width())))
        at.setY(max(room.top(), min(at.y(), room.bottom() - card.height())))
    card.move(at)
