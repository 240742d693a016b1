"""What is under the pointer: it is lifted, and words about it are at hand."""

from __future__ import annotations

from html import escape

from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtWidgets import QGraphicsItem

from studio.editor.canvas.interaction.card_buttons import why_not
from studio.editor.canvas.interaction.live_card import LiveCard
from studio.editor.canvas.interaction.pan_zoom_view import SightView
from studio.editor.canvas.items.group_items import GroupCard
from studio.editor.canvas.items.node_item import NodeItem
from studio.editor.canvas.scene.scene import CanvasScene
from studio.editor.canvas.wires.wire_item import WireItem
from studio.editor.look.summary import summary
from studio.model.gazebo_provider import GAZEBO, Choice, mode_of_choice
from studio.model.parts import Component, Wire
from studio.model.sources import Source, explain_differences
from studio.model.wiring import effective_delivery, topic_of


class Hover:
    def __init__(self, view: SightView) -> None:
        self.view = view
        self._items: list[QGraphicsItem] = []
        self._offered: NodeItem | None = None
        """The card whose title has a button just now."""
        self.card: LiveCard | None = None
        """While there may be a system that runs."""

    def move(self, point: QPointF, at: QPoint) -> None:
        """The pointer is at `point` of the scene, `at` of the view."""
        found = self.view.canvas.port_near(point)
        card = found[0] if found is not None else self.view.canvas.card_at(point)
        wire = self.view.canvas.wire_at(point) if card is None or isinstance(card, GroupCard) else None
        self._light_off()
        self._offer_menu(card)
        if found is not None:
            found[0].hovered = found[1]
            self._items.append(found[0])
            self.view.setCursor(Qt.CursorShape.CrossCursor)
        elif wire is not None:
            for other in self.view.canvas.ways.net_of(wire):
                other.hovered = True
                self._items.append(other)
            self.view.setCursor(Qt.CursorShape.PointingHandCursor)
        elif card is not None and (card.is_menu_at(point) or card.is_warning_at(point)):
            self.view.setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            self.view.unsetCursor()
        for item in self._items:
            item.update()
        is_live = self.card is not None and self.card.point_at(point, at)
        self.view.setToolTip("" if is_live else words_about(self.view.canvas, point))

    def leave(self) -> None:
        """The pointer is elsewhere, or busy."""
        self.clear()
        self.view.unsetCursor()
        self.view.setToolTip("")
        if self.card is not None:
            self.card.leave()

    def clear(self) -> None:
        self._light_off()
        self._offer_menu(None)

    def _offer_menu(self, card: NodeItem | None) -> None:
        """Painted only when the pointer comes and goes: a card that is painted at every move of it makes it lag."""
        if card is self._offered:
            return
        for item, offers in ((self._offered, False), (card, True)):
            if item is not None:
                item.offers_menu = offers
                item.update()
        self._offered = card

    def _light_off(self) -> None:
        for item in self._items:
            if isinstance(item, NodeItem):
                item.hovered = None
            elif isinstance(item, WireItem):
                item.hovered = False
            item.update()
        self._items.clear()


_CHOSEN = {GAZEBO: "a Gazebo server"}


def words_about(canvas: CanvasScene, point: QPointF) -> str:
    """What is under the pointer, for the tool tip."""
    session = canvas.session
    found = canvas.port_near(point)
    if found is not None:
        port = found[1]
        kind = {"in": "in port", "out": "out port"}.get(port.side, f"{port.side} service")
        doc = f"<br>{escape(port.doc)}" if port.doc else ""
        optional = ", needs no wire" if port.optional else ""
        return f"<b>{port.end}</b><br>{kind} · {escape(port.type or 'unknown')}{optional}{doc}"
    card = canvas.card_at(point)
    if card is not None and card.is_menu_at(point):
        return "Actions (Menu key)"
    node = None if isinstance(card, GroupCard) else card
    if node is not None:
        mode = node.segment_at(point)
        if mode is not None:
            return _about_segment(canvas, node, mode, point)
        value = session.system.node(node.name)
        problems = [p.message for p in session.problems if p.subject.partition(".")[0] == node.name]
        lines = "".join(f"<br>{escape(problem)}" for problem in problems[:3])
        if isinstance(value, Component):
            spec = session.registry.get(value.type)
            doc = summary(spec.doc) if spec else "There is no component of this type."
            return f"<b>{node.name}</b> · {escape(value.type)}<br>{escape(doc)}{lines}"
        assert isinstance(value, Source)
        return f"<b>{node.name}</b> · source, {value.mode}{lines}"
    wire = canvas.wire_at(point)
    if wire is None:
        return ""
    start, end = wire.connection.key
    if isinstance(wire.connection, Wire):
        delivery = effective_delivery(session.system, session.registry, wire.connection)
        return f"<b>{topic_of(start)}</b> · {wire.message_type or 'unknown'}<br>{start} → {end}<br>delivery {delivery}"
    return f"{start} → {end}"


def _about_segment(canvas: CanvasScene, node: NodeItem, choice: Choice, point: QPointF) -> str:
    if choice not in node.card.choices:
        return escape(why_not(node.name, choice))
    session, mode = canvas.session, mode_of_choice(choice)
    found = [each.message for each in explain_differences(session.system.source(node.name), session.registry)
             if each.mode == mode]  # fmt: skip
    head = (
        "Show what differs, and how to mend it"
        if node.is_warning_at(point)
        else f"Switch {node.name} to {_CHOSEN.get(choice, choice)}"
    )
    return "<br>".join([head, *(f"⚠ {escape(message)}" for message in found[:3])])
