"""A port with the code of its message type in it."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen

from studio.editor.canvas.items.card import Port
from studio.editor.look.fonts import text_font, width_of
from studio.editor.look.theme import Theme, contrast
from studio.editor.look.type_codes import type_code

HEIGHT = 16.0
OUTWARD = 3.0
"""From the edge of the card, so that the name beside it keeps its room."""
CODE_MARGIN = 20.0
CODE_REACH = 16.0
"""How far it stands out from the place of a port: arrows end before it."""
_SIZE = 11
_INKS = ("#FFFFFF", "#000000")


def paint_code(painter: QPainter, port: Port, hue: QColor, theme: Theme, *, grows: bool) -> None:
    """Filled with the hue of the type; one that needs no wire is hollow."""
    code = type_code(port.type)
    width, more = max(20.0, width_of(code, _SIZE, 600) + 8), 1.5 if grows else 0.0
    centre = port.x + (-OUTWARD if port.side == "in" else OUTWARD)
    plate = QRectF(centre - width / 2 - more, port.y - HEIGHT / 2 - more, width + 2 * more, HEIGHT + 2 * more)
    painter.setPen(QPen(QColor(theme.canvas), 2))
    painter.setBrush(QColor(theme.canvas))
    painter.drawRoundedRect(plate, 5, 5)
    inner = plate.adjusted(1, 1, -1, -1)
    painter.setPen(QPen(hue, 2) if port.optional else Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.node) if port.optional else hue)
    painter.drawRoundedRect(inner.adjusted(1, 1, -1, -1) if port.optional else inner, 4, 4)
    painter.setPen(QColor(theme.text if port.optional else ink_on(hue.name())))
    painter.setFont(text_font(_SIZE, 600))
    painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, code)


def ink_on(colour: str) -> str:
    """Whatever can be read best on it."""
    return max(_INKS, key=lambda ink: contrast(ink, colour))
