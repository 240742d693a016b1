"""A group on the canvas: a card that stands for its members, or an outline around them."""

from __future__ import annotations

from collections.abc import Iterable

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QPainter, QPainterPath, QPen
from PyQt6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from studio.editor.canvas.items.card import BOTTOM, MAX_WIDTH, MIN_WIDTH, ROW, STATE_ROW, TITLE, Card, Port
from studio.editor.canvas.items.node_item import RADIUS, SOME_DETAIL, NodeItem
from studio.editor.live.state import LiveNode
from studio.editor.look.fonts import text_font
from studio.editor.look.theme import Theme
from studio.model.parts import Group

ICON = "mdi6.group"
MARGIN = 20.0
HEAD = 24.0


class GroupCard(NodeItem):
    """Folded: a double border, the count of its members, and the ports of those wires that leave it."""

    def __init__(self, group: Group, card: Card, theme: Theme) -> None:
        super().__init__(card, theme)
        self.value = group
        self.members: tuple[NodeItem, ...] = ()

    @property
    def name(self) -> str:
        """Nothing that a component could be called."""
        return f"group {self.value.id}"

    def accessible_name(self) -> str:
        names = ", ".join(self.value.members)
        state = f", {self.live.look.word.lower().rstrip('…')}, {self.live.right}" if self.live is not None else ""
        title, count = self.value.title or "without a title", len(self.value.members)
        return f"group {title}, folded{state}, {count} members: {names}"

    def show_members(self) -> None:
        """As its members are now: the state that matters most, and of how many it is."""
        looks = [member.live.look for member in self.members if member.live is not None]
        worst = max(looks, key=lambda look: look.rank, default=None)
        words = f"{looks.count(worst)} of {len(self.members)}" if worst is not None else ""
        self.show_live(LiveNode(worst, words) if worst is not None else None)
        severities = {member.severity for member in self.members}
        severity = "error" if "error" in severities else "warning" if "warning" in severities else ""
        if severity != self.severity:
            self.severity = severity
            self.update()

    def paint(
        self, painter: QPainter | None, option: QStyleOptionGraphicsItem | None, widget: QWidget | None = None
    ) -> None:
        assert painter is not None
        super().paint(painter, option, widget)
        if self._detail >= SOME_DETAIL:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self.theme.accent if self.isSelected() else self.theme.node_border), 1))
            painter.drawRoundedRect(self.rect().adjusted(-4, -4, 4, 4), RADIUS + 3, RADIUS + 3)
            self._paint_ports(painter)

    def _far_words(self) -> tuple[str, str, str]:
        return super()._far_words() if self.live is not None else (self.card.left, self.theme.muted, ICON)


class GroupFrame(QGraphicsItem):
    """Unfolded: a line around all members, with the title. It is where they are, so it has no size of its own."""

    def __init__(self, group: Group, theme: Theme) -> None:
        super().__init__()
        self.value, self.theme = group, theme
        self._area = QRectF()
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self.setZValue(0.2)

    def enclose(self, outlines: Iterable[QRectF]) -> None:
        area = QRectF()
        for outline in outlines:
            area = area.united(outline)
        self.prepareGeometryChange()
        self.setPos(area.left() - MARGIN, area.top() - MARGIN - HEAD)
        self._area = QRectF(0, 0, area.width() + 2 * MARGIN, area.height() + 2 * MARGIN + HEAD)

    def outline(self) -> QRectF:
        return self._area.translated(self.pos())

    def accessible_name(self) -> str:
        return f"group {self.value.title or 'without a title'}, {len(self.value.members)} members"

    def boundingRect(self) -> QRectF:
        return self._area.adjusted(-3, -3, 3, 3)

    def shape(self) -> QPainterPath:
        """Its title and its line: what lies inside must be reachable."""
        path, inside = QPainterPath(), QPainterPath()
        path.addRect(self._area)
        inside.addRect(self._area.adjusted(6, HEAD, -6, -6))
        return path.subtracted(inside)

    def paint(
        self, painter: QPainter | None, option: QStyleOptionGraphicsItem | None, widget: QWidget | None = None
    ) -> None:
        assert painter is not None
        theme = self.theme
        fill, line = QColor(theme.accent), QColor(theme.accent if self.isSelected() else theme.control_border)
        fill.setAlphaF(0.0 if theme.high_contrast else 0.04)
        painter.setBrush(fill)
        painter.setPen(QPen(line, 2 if self.isSelected() else 1))
        painter.drawRoundedRect(self._area, RADIUS + 3, RADIUS + 3)
        detail = QStyleOptionGraphicsItem.levelOfDetailFromTransform(painter.worldTransform())
        painter.setFont(text_font(min(HEAD, max(12.0, 10.5 / detail)), 600))
        painter.setPen(QColor(theme.muted))
        head = QRectF(12, 2, self._area.width() - 20, HEAD + 4)
        title = f"{self.value.title}  ·  {len(self.value.members)}"
        painter.drawText(head, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, title)


def folded_card(group: Group, ports: Iterable[Port]) -> Card:
    """`ports`: those of its members where connections come in or go out, wherever they are on their own cards."""
    sides: dict[str, list[Port]] = {"in": [], "out": [], "required": [], "provided": []}
    for port in ports:
        sides[port.side].append(port)
    rows = max(len(sides["in"]), len(sides["out"]))
    is_wide = bool(sides["in"] and sides["out"])
    width, rows_at = (MAX_WIDTH if is_wide else MIN_WIDTH + 32), TITLE + STATE_ROW
    height = rows_at + ROW * max(rows, 1) + BOTTOM
    placed: list[Port] = []
    for side, x in (("in", 0.0), ("out", width)):
        placed += [_at(port, QPointF(x, rows_at + ROW * row + ROW / 2)) for row, port in enumerate(sides[side])]
    for side, y in (("required", 0.0), ("provided", height)):
        step = width / (len(sides[side]) + 1)
        placed += [_at(port, QPointF(step * place, y)) for place, port in enumerate(sides[side], 1)]
    count = f"{len(group.members)} members" if len(group.members) != 1 else "1 member"
    return Card(group.title or "Group", ICON, "group", count, "folded", width, height, rows_at, tuple(placed))


def _at(port: Port, where: QPointF) -> Port:
    return Port(
        port.end, port.side, port.type, where.x(), where.y(), port.doc, port.optional, port.missing, label=str(port.end)
    )
