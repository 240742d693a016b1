"""Painting what runs: the chip with a state, the pills on wires."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPen

from studio.editor.live.state import LiveWire, Look
from studio.editor.look.fonts import metrics, text_font, width_of
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme, mixed

CHIP = 18.0
PILL = 18.0
GAP = 4.0
"""Between a chip and what stands beside it."""
SPARE = 4.0
"""So far words may reach beyond their row, before a shorter form of them is taken."""
ROOM_FOR_A_RATE = 130.0
"""So much wire, and it carries its rate."""
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


def chip_width(look: Look) -> float:
    return 21 + width_of(look.word, 11, 600) + 8


def chip_fill(look: Look, theme: Theme) -> str:
    """Over the ground of cards, and not of the one that is tinted because it stands: words would be hard to read."""
    return mixed(theme.tone(look.tone), theme.node, 0.16 if theme.name.startswith("dark") else 0.13)


def paint_chip(painter: QPainter, at: QPointF, look: Look, theme: Theme) -> None:
    """With its upper left corner at a point."""
    colour = QColor(theme.tone(look.tone))
    rect = QRectF(at.x(), at.y(), chip_width(look), CHIP)
    is_outlined = look.tone == "created" or theme.high_contrast
    painter.setPen(QPen(colour, 1) if is_outlined else Qt.PenStyle.NoPen)
    painter.setBrush(Qt.BrushStyle.NoBrush if is_outlined else QColor(chip_fill(look, theme)))
    painter.drawRoundedRect(rect, CHIP / 2, CHIP / 2)
    icon(look.icon, colour.name()).paint(painter, QRectF(rect.left() + 7, rect.top() + 4, 10, 10).toRect())
    painter.setFont(text_font(11, 600))
    painter.setPen(colour)
    painter.drawText(rect.adjusted(21, 0, 0, 0), _LEFT, look.word)


def paint_state_row(painter: QPainter, row: QRectF, look: Look, words: tuple[str, ...], theme: Theme) -> None:
    """The chip, and beside it the first of the `words` that there is room for; of the last, as much as there is."""
    paint_chip(painter, QPointF(row.left() - 1, row.center().y() - CHIP / 2), look, theme)
    room = row.adjusted(chip_width(look) + GAP, 0, 0, 0)
    text = fitting(words, room.width() + SPARE)
    room.setRight(room.right() + min(SPARE, max(0.0, metrics(11).horizontalAdvance(text) - room.width())))
    painter.setFont(text_font(11))
    painter.setPen(QColor(theme.error if look.tone == "error" else theme.muted))
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)


def fitting(words: tuple[str, ...], room: float) -> str:
    known = metrics(11)
    found = next((each for each in words if known.horizontalAdvance(each) <= room), None)
    return found if found is not None else known.elidedText(words[-1], Qt.TextElideMode.ElideMiddle, room)


def paint_pills(painter: QPainter, live: LiveWire, where: QPointF, room: float, end: QPointF, theme: Theme) -> None:
    """The rate in the middle of the wire if there is room; what was lost before its end, always."""
    if live.rate and live.flow == "flows" and room >= ROOM_FOR_A_RATE:
        _paint_pill(painter, where, live.rate, theme.panel, theme.border, theme.text)
    if live.drops:
        at = drops_rect(live, end).center()
        _paint_pill(painter, at, _drops(live), _tinted(theme), theme.warning, theme.warning)


def drops_rect(live: LiveWire, end: QPointF) -> QRectF:
    """Where it is told what was lost."""
    return _pill(end - QPointF(width_of(_drops(live), 11, 600) / 2 + 26, 0), _drops(live))


def _drops(live: LiveWire) -> str:
    return f"↓ {live.drops}"


def _pill(centre: QPointF, text: str) -> QRectF:
    width = width_of(text, 11, 500) + 16
    return QRectF(centre.x() - width / 2, centre.y() - PILL / 2, width, PILL)


def _paint_pill(painter: QPainter, centre: QPointF, text: str, fill: str, border: str, colour: str) -> None:
    rect = _pill(centre, text)
    painter.setPen(QPen(QColor(border), 1))
    painter.setBrush(QColor(fill))
    painter.drawRoundedRect(rect, PILL / 2, PILL / 2)
    painter.setPen(QColor(colour))
    painter.setFont(text_font(11, 500))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def _tinted(theme: Theme) -> str:
    """The warning's colour, a little of it on the ground of the canvas."""
    return mixed(theme.warning, theme.canvas, 0.22)
