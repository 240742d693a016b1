"""A component or source on the canvas. Paints its card; knows nothing of the model and changes nothing."""

from __future__ import annotations

import math
from typing import Final

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen
from PyQt6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from studio.editor.canvas.items.card import PADDING, ROW, STATE_ROW, SWITCH_ROW, TITLE, TITLE_AT, Card, Port
from studio.editor.canvas.items.live_paint import paint_state_row
from studio.editor.canvas.items.mode_switch import paint_switch
from studio.editor.canvas.items.port_code import CODE_MARGIN, paint_code
from studio.editor.canvas.items.title_fit import LINE, fit_title
from studio.editor.live.state import LiveNode
from studio.editor.look.fonts import metrics, text_font
from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme, mixed
from studio.model.gazebo_provider import Choice

ALL_DETAIL: Final = 0.7
SOME_DETAIL: Final = 0.4
LEAST_ON_SCREEN = 9.0
"""Pixels: a smaller name cannot be read."""
RADIUS = 6.0
PORT_RADIUS = 5.5
MENU = 24.0
"""The button in the title: as large as a finger wants it."""
PORT_REACH = 11.0
"""Half of the square in which a click means the port."""
_MARGIN = 14.0


class NodeItem(QGraphicsItem):
    def __init__(self, card: Card, theme: Theme) -> None:
        super().__init__()
        self.card = card
        self.theme = theme
        self.hovered: Port | None = None
        self.fitting: frozenset[Port] | None = None
        """While a wire is drawn: the ports that it may end at; all else fades."""
        self.focused = False
        self.offers_menu = False
        """The pointer is on it: a button in its title."""
        self.severity = ""
        self.live: LiveNode | None = None
        """While the system runs."""
        self._detail = 1.0
        """With which it was painted last."""
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        # A card is painted when it changes or the zoom does, not while one pans or drags something over it.
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        self.setZValue(2)

    @property
    def name(self) -> str:
        return self.card.name

    def show(self, card: Card, theme: Theme) -> None:  # type: ignore[override]  # an item is shown by its scene
        self.prepareGeometryChange()
        self.card, self.theme = card, theme
        self.hovered = None
        self.update()

    def show_live(self, live: LiveNode | None) -> bool:
        """Whether its state is another one. Figures are painted again only where they can be read; states always."""
        before, self.live = self.live, live
        if live == before:
            return False
        is_other = live is None or before is None or live.look != before.look
        if self._detail >= ALL_DETAIL or is_other:
            self.update()
        return is_other

    def rect(self) -> QRectF:
        return QRectF(0, 0, self.card.width, self.card.height)

    def outline(self) -> QRectF:
        """Where the card lies on the canvas."""
        return self.rect().translated(self.pos())

    def anchor(self, port: Port) -> QPointF:
        return self.pos() + QPointF(port.x, port.y)

    def port_near(self, point: QPointF, reach: float = PORT_REACH) -> Port | None:
        """The port under a point of the canvas; the nearest if two are. None from so far away that none is painted."""
        if self._detail < SOME_DETAIL:
            return None
        own = point - self.pos()
        near = [p for p in self.card.ports if abs(p.x - own.x()) <= reach and abs(p.y - own.y()) <= reach]
        return min(near, key=lambda p: abs(p.x - own.x()) + abs(p.y - own.y()), default=None)

    def segment_at(self, point: QPointF) -> Choice | None:
        """The part of a source's switch under a point of the canvas; only where its words can be read."""
        own = point - self.pos()
        is_read = self.card.is_source and self._detail >= ALL_DETAIL
        if not is_read or not TITLE + 2 <= own.y() <= TITLE + SWITCH_ROW:
            return None
        return next((each for each, left, width in self.card.segments() if left <= own.x() < left + width), None)

    def is_warning_at(self, point: QPointF) -> bool:
        """On the dot of a segment whose provider is not what the source promises."""
        mode = self.segment_at(point)
        own = point - self.pos()
        is_read = mode is not None and self._detail >= ALL_DETAIL
        return is_read and mode in self.card.differs and self.card.dot(mode).contains(own)

    def menu_rect(self) -> QRectF:
        right = self.card.width - 4 - (20 if self.severity else 0)
        return QRectF(right - MENU, (2.0 if self.card.is_source else 0.0) + (TITLE - MENU) / 2, MENU, MENU)

    def is_menu_at(self, point: QPointF) -> bool:
        return self._detail >= ALL_DETAIL and self.menu_rect().contains(point - self.pos())

    def accessible_name(self) -> str:
        """For people who hear the canvas."""
        card = self.card
        ins = sum(port.side == "in" for port in card.ports)
        outs = sum(port.side == "out" for port in card.ports)
        kind = f"source, {card.mode}" if card.is_source else card.corner or "unknown type"
        trouble = (
            f", has an {self.severity}" if self.severity == "error" else ", has a warning" if self.severity else ""
        )
        state = f", {self.live.look.word.lower().rstrip('…')}" if self.live is not None else ""
        if self.live is not None and self.live.right:
            state += f", {spelt(self.live.right)}"
        return f"{card.name}, {kind}{state}, {_counted(ins, 'input')}, {_counted(outs, 'output')}{trouble}"

    # ---- Qt

    def boundingRect(self) -> QRectF:
        return self.rect().adjusted(-CODE_MARGIN, -CODE_MARGIN, CODE_MARGIN, CODE_MARGIN)

    def shape(self) -> QPainterPath:
        path = QPainterPath()
        path.addRect(self.rect().adjusted(-PORT_RADIUS, -PORT_RADIUS, PORT_RADIUS, PORT_RADIUS))
        return path

    def paint(
        self, painter: QPainter | None, option: QStyleOptionGraphicsItem | None, widget: QWidget | None = None
    ) -> None:
        assert painter is not None
        self._detail = detail = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        if self.fitting is not None and not any(port in self.fitting for port in self.card.ports):
            painter.setOpacity(0.35)
        if detail < SOME_DETAIL:
            self._paint_block(painter, detail)
            return
        self._paint_body(painter, is_near=detail >= ALL_DETAIL)
        if detail < ALL_DETAIL:
            self._paint_large_title(painter, detail)
        else:
            self._paint_title(painter)
            self._paint_state_row(painter)
            if self.card.is_source:
                paint_switch(painter, self.card, self.theme)
            self._paint_labels(painter)
        self._paint_ports(painter)

    # ---- painting

    def _paint_block(self, painter: QPainter, detail: float) -> None:
        theme = self.theme
        painter.setPen(_pen(theme.accent if self.isSelected() else theme.node_border, 2 if self.isSelected() else 1))
        painter.setBrush(QColor(theme.selection if self.isSelected() else theme.node_title))
        painter.drawRect(self.rect())
        if self.live is not None:
            ground = QColor(theme.tone(self.live.look.tone))
            ground.setAlphaF(0.3)
            painter.fillRect(self.rect(), ground)
        painter.fillRect(QRectF(0, 0, 10 if self.live is not None else 6, self.card.height), QColor(self._stripe()))
        room = self.rect().adjusted(16, 6, -8, -6)
        fitted = fit_title(
            self.card.name,
            int(room.width()),
            int(room.height()),
            round(12 / detail),
            math.ceil(LEAST_ON_SCREEN / detail),
        )
        if fitted is not None:
            painter.setPen(QColor(theme.text))
            _paint_lines(painter, room, *fitted)

    def _paint_body(self, painter: QPainter, *, is_near: bool) -> None:
        theme, rect = self.theme, self.rect()
        if self.isSelected():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = QColor(theme.accent)
            ring.setAlphaF(0.28)
            painter.setPen(QPen(ring, 4))
            painter.drawRoundedRect(rect.adjusted(-3, -3, 3, 3), RADIUS + 3, RADIUS + 3)
        body = QPainterPath()
        body.addRoundedRect(rect, RADIUS, RADIUS)
        is_frozen = self.live is not None and self.live.look.tone == "frozen"
        painter.fillPath(body, QColor(mixed(theme.frozen, theme.node, 0.22) if is_frozen else theme.node))
        painter.save()
        painter.setClipPath(body, Qt.ClipOperation.IntersectClip)
        title = mixed(theme.frozen, theme.node_title, 0.22) if is_frozen else theme.node_title
        painter.fillRect(QRectF(0, 0, rect.width(), TITLE + 2 if is_near else rect.height()), QColor(title))
        if self.card.mode is not None:
            origin = theme.origins[self.card.mode]
            colour = QColor(origin.text if self.card.mode != "real" else origin.fill)
            style = Qt.BrushStyle.SolidPattern if self.card.mode != "logged" else Qt.BrushStyle.Dense3Pattern
            painter.fillRect(QRectF(0, 0, rect.width(), 4), QBrush(colour, style))
        stripe = (6 if self.isSelected() else 4) * (2 if theme.high_contrast else 1)
        painter.fillRect(QRectF(0, 0, stripe, rect.height()), QColor(self._stripe()))
        painter.restore()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(self._border())
        painter.drawPath(body)
        if self.focused:
            painter.setPen(QPen(QColor(theme.focus), 2, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(rect.adjusted(-7, -7, 7, 7), RADIUS + 6, RADIUS + 6)

    def _border(self) -> QPen:
        theme = self.theme
        if self.isSelected():
            return QPen(QColor(theme.accent), 2)
        if self.live is not None and self.live.look.tone in ("error", "frozen"):
            return QPen(QColor(theme.tone(self.live.look.tone)), 2)
        if self.severity == "error":
            return QPen(QColor(theme.error), 2, Qt.PenStyle.DashLine if self.card.unknown else Qt.PenStyle.SolidLine)
        if self.card.unknown:
            return QPen(QColor(theme.control_border), 1.5, Qt.PenStyle.DashLine)
        return _pen(theme.node_border, 1)

    def _stripe(self) -> str:
        if self.live is not None:
            return self.theme.tone(self.live.look.tone)
        return {"error": self.theme.error, "warning": self.theme.warning}.get(self.severity, self.theme.control_border)

    def _paint_large_title(self, painter: QPainter, detail: float) -> None:
        """From farther away the name is what one looks for: as large on the screen as ever, and below it the state."""
        theme, card = self.theme, self.card
        small = round(10.5 / detail)
        below = small * 1.5
        room = QRectF(14, 6, card.width - 24, card.height - 12 - below)
        least = math.ceil(LEAST_ON_SCREEN / detail)
        fitted = fit_title(card.name, int(room.width()), int(room.height()), round(12.5 / detail), least)
        if fitted is None:
            return
        size, lines = fitted
        room.setHeight(size * LINE * len(lines))
        painter.setPen(QColor(theme.error if self.severity == "error" else theme.text))
        _paint_lines(painter, room, size, lines)
        word, tone, mark = self._far_words()
        row = QRectF(14, room.bottom() + small * 0.15, card.width - 24, below)
        icon(mark, tone).paint(painter, QRectF(row.left(), row.center().y() - small / 2, small, small).toRect())
        row.adjust(small * 1.35, 0, 0, 0)
        painter.setFont(text_font(small, 500))
        painter.setPen(QColor(tone))
        text = metrics(small, 500).elidedText(word, Qt.TextElideMode.ElideRight, row.width())
        painter.drawText(row, _LEFT, text)

    def _far_words(self) -> tuple[str, str, str]:
        """Word, colour and icon: the state of what runs, else where data comes from, else what it is."""
        theme, card = self.theme, self.card
        if self.live is not None:
            return self.live.look.word, theme.tone(self.live.look.tone), self.live.look.icon
        if card.mode is not None:
            origin = theme.origins[card.mode]
            return origin.word, origin.text, origin.icon
        return card.corner or card.right, theme.muted, card.icon

    def _paint_title(self, painter: QPainter) -> None:
        theme, card = self.theme, self.card
        top = 2.0 if card.is_source else 0.0
        where = QRectF(14, top + 7, 16, 16).toRect()
        icon(card.icon, theme.muted).paint(painter, where)
        right = card.width - PADDING
        if self.severity:
            mark, colour = _MARKS[self.severity], theme.error if self.severity == "error" else theme.warning
            icon(mark, colour).paint(painter, QRectF(right - 13, top + 8, 14, 14).toRect())
            right -= 20
        if self.offers_menu:  # in the place of the category, which says nothing that the card does not say otherwise
            icon("mdi6.dots-horizontal", theme.text).paint(painter, self.menu_rect().adjusted(3, 3, -3, -3).toRect())
            right = self.menu_rect().left() + 2
        name_width = metrics(13, 600).horizontalAdvance(card.name)
        corner_width = metrics(11).horizontalAdvance(card.corner)
        fits = TITLE_AT + name_width + 10 + corner_width <= right + 2
        if card.corner and fits and not self.offers_menu:
            painter.setFont(text_font(11))
            painter.setPen(QColor(theme.muted))
            painter.drawText(QRectF(right - corner_width - 2, top, corner_width + 2, TITLE), _RIGHT, card.corner)
        painter.setFont(text_font(13, 600))
        painter.setPen(QColor(theme.text))
        room = QRectF(TITLE_AT, top, right - TITLE_AT, TITLE)
        elided = metrics(13, 600).elidedText(card.name, Qt.TextElideMode.ElideMiddle, room.width() + 1)
        painter.drawText(room, _LEFT, elided)

    def _paint_state_row(self, painter: QPainter) -> None:
        theme, card = self.theme, self.card
        top = TITLE + (SWITCH_ROW if card.is_source else 0)
        row = QRectF(PADDING, top, card.width - 2 * PADDING, STATE_ROW)
        if self.live is not None:
            paint_state_row(painter, row, self.live.look, (self.live.right or card.right, *self.live.brief), theme)
            return
        painter.setFont(text_font(11))
        painter.setPen(QColor(theme.error if card.unknown else theme.muted))
        painter.drawText(row, _RIGHT, card.right)
        room = row.width() - metrics(11).horizontalAdvance(card.right) - 10
        painter.setPen(QColor(theme.muted))
        painter.drawText(row, _LEFT, metrics(11).elidedText(card.left, Qt.TextElideMode.ElideMiddle, room))

    def _paint_labels(self, painter: QPainter) -> None:
        theme = self.theme
        painter.setFont(text_font(11.5))
        has_both = {port.y for port in self.card.ports if port.side == "in"}
        for port in self.card.ports:
            if port.is_service:
                continue
            wide = self.card.width - 2 * PADDING
            room = (
                wide / 2 - 4 if not self.card.is_source and port.y in has_both and self._row_is_shared(port) else wide
            )
            left = PADDING if port.side == "in" else self.card.width - PADDING - room
            painter.setPen(QColor(theme.error if port.missing else theme.text))
            text = metrics(11.5).elidedText(port.label or port.end.port, Qt.TextElideMode.ElideMiddle, room)
            row = QRectF(left, port.y - ROW / 2, room, ROW)
            painter.drawText(row, _LEFT if port.side == "in" else _RIGHT, text)
        if self.live is not None and self.live.rates:
            self._paint_rates(painter, dict(self.live.rates))

    def _paint_rates(self, painter: QPainter, rates: dict[str, str]) -> None:
        """On the free side of the rows of a source."""
        painter.setFont(text_font(11))
        painter.setPen(QColor(self.theme.muted))
        for port in self.card.ports:
            if port.end.port in rates:
                row = QRectF(PADDING, port.y - ROW / 2, self.card.width - 2 * PADDING, ROW)
                painter.drawText(row, _LEFT, rates[port.end.port])

    def _row_is_shared(self, port: Port) -> bool:
        return any(other.y == port.y and other.side != port.side for other in self.card.ports)

    def _paint_ports(self, painter: QPainter) -> None:
        theme = self.theme
        for port in self.card.ports:
            fits = self.fitting is None or port in self.fitting
            painter.setOpacity(1.0 if fits else 0.3)
            hue = QColor(theme.error if port.missing else theme.hue(port.type))
            radius = PORT_RADIUS + (1.5 if port == self.hovered or (self.fitting is not None and fits) else 0)
            if port.is_service:
                box = QRectF(port.x - 5, port.y - 5, 10, 10)
                painter.setPen(QPen(QColor(theme.other_type), 2))
                painter.setBrush(QColor(theme.other_type if port.side == "provided" else theme.canvas))
                painter.drawRect(box)
                continue
            if theme.shows_code(port.type) and self._detail >= ALL_DETAIL:
                paint_code(painter, port, hue, theme, grows=radius > PORT_RADIUS)
                continue
            painter.setPen(QPen(QColor(theme.canvas), 2))
            painter.setBrush(hue)
            painter.drawEllipse(QPointF(port.x, port.y), radius, radius)
            if port.optional:
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(theme.canvas))
                painter.drawEllipse(QPointF(port.x, port.y), 2.2, 2.2)
        painter.setOpacity(1.0)


_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_MARKS = {"error": "fa6s.circle-exclamation", "warning": "fa6s.triangle-exclamation"}


def _paint_lines(painter: QPainter, room: QRectF, size: int, lines: tuple[str, ...]) -> None:
    """One below the other, in the middle of their room."""
    painter.setFont(text_font(size, 600))
    step = size * LINE
    top = room.center().y() - step * len(lines) / 2
    for place, line in enumerate(lines):
        painter.drawText(QRectF(room.left(), top + place * step, room.width() + 4, step), _LEFT, line)


def _pen(colour: str, width: float) -> QPen:
    pen = QPen(QColor(colour), width)
    pen.setCosmetic(width <= 1)
    return pen


def spelt(words: str) -> str:
    """As one would say it."""
    units = {" · ": ", ", " kHz": " kilohertz", " Hz": " hertz", " ms": " milliseconds", " µs": " microseconds"}
    for short, long in units.items():
        words = words.replace(short, long)
    return words


def _counted(count: int, word: str) -> str:
    return f"{count or 'no'} {word}{'' if count == 1 else 's'}"
