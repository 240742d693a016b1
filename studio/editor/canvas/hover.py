"""What is under the pointer: it is lifted, and words about it are at hand."""

from __future__ import annotations

from html import escape

from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtWidgets import QGraphicsItem

from studio.editor.canvas.live_card import LiveCard
from studio.editor.canvas.node_item import NodeItem
from studio.editor.canvas.scene import CanvasScene
from studio.editor.canvas.sight import SightView
from studio.editor.canvas.wire_item import WireItem
from studio.editor.summary import summary
from studio.model.parts import Component, Wire
from studio.model.sources import Source
from studio.model.wiring import effective_delivery, topic_of


class Hover:
    def __init__(self, view: SightView) -> None:
        self.view = view
        self._items: list[QGraphicsItem] = []
        self.card: LiveCard | None = None
        """While there may be a system that runs."""

    def move(self, point: QPointF, at: QPoint) -> None:
        """The pointer is at `point` of the scene, `at` of the view."""
        found = self.view.canvas.port_near(point)
        wire = self.view.canvas.wire_at(point) if found is None and self.view.canvas.node_at(point) is None else None
        self.clear()
        if found is not None:
            found[0].hovered = found[1]
            self._items.append(found[0])
            self.view.setCursor(Qt.CursorShape.CrossCursor)
        elif wire is not None:
            for other in self.view.canvas.ways.net_of(wire):
                other.hovered = True
                self._items.append(other)
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
        if self.card is not None:
            self.card.leave()

    def clear(self) -> None:
        for item in self._items:
            if isinstance(item, NodeItem):
                item.hovered = None
            elif isinstance(item, WireItem):
                item.hovered = False
            item.update()
        self._items.clear()


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
    node = canvas.node_at(point)
    if node is not None:
        mode = node.segment_at(point)
        if mode is not None:
            there = mode in node.card.modes
            return f"Switch {node.name} to {mode}" if there else f"{node.name} has no {mode} provider"
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
