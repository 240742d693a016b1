"""The ways of wires between the cards of a scene: what stands between their ends, and which lane they have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QPainterPath

from studio.editor.canvas.card_index import CardIndex
from studio.editor.canvas.routing import CORNER, data_path, feedback_path, is_feedback, service_path
from studio.editor.canvas.wire_item import WireItem
from studio.model.parts import Endpoint, ServiceWire, Wire

if TYPE_CHECKING:
    from studio.editor.canvas.scene import CanvasScene

MANY = 40
"""Cards between the ends of a wire, above which it goes straight."""


class Ways:
    def __init__(self, scene: CanvasScene) -> None:
        self.scene = scene
        self._index: CardIndex | None = None
        self._lanes: dict[Endpoint, int] | None = None
        """Which lane the wires have that run back from a port."""

    def forget(self) -> None:
        """Cards may stand anywhere now."""
        self._index = self._lanes = None

    def card_moved(self, name: str, outline: QRectF) -> None:
        if self._index is not None:
            self._index.put(name, outline)

    def lay(self, item: WireItem) -> None:
        connection, kind = item.connection, type(item.connection)
        start = self.scene.anchor(connection.start, kind, is_start=True)
        end = self.scene.anchor(connection.end, kind, is_start=False)
        group = self.scene.groups.card_for(connection.start.node)
        inside = group is not None and group is self.scene.groups.card_for(connection.end.node)
        item.setVisible(start is not None and end is not None and not inside)
        if start is None or end is None or inside:
            return
        if kind is ServiceWire:
            item.lay(service_path(start, end))
        elif is_feedback(start, end):
            item.lay(self._way_back(connection.start, start, end))
        else:
            item.lay(data_path(start, end, self._between(start, end)))

    def lay_near(self, wires: Iterable[WireItem], areas: list[QRectF]) -> None:
        """Those whose way cards in these areas now stand in or have left, and those that run below everything."""
        for item in wires:
            if _runs_back(item) or any(area.intersects(item.boundingRect()) for area in areas):
                self.lay(item)

    def _between(self, start: QPointF, end: QPointF) -> list[QRectF]:
        """None of them if there are very many: a wire across a whole city of cards cannot avoid them all."""
        area = QRectF(start, end).normalized().adjusted(-60, -160, 60, 160)
        return self._cards().within(area, MANY) or []

    def _way_back(self, port: Endpoint, start: QPointF, end: QPointF) -> QPainterPath:
        cards = self._cards()
        below = cards.lowest(end.x() - 2 * CORNER, start.x() + 2 * CORNER)
        beside: list[QRectF] = []
        for point in (start, end):
            area = QRectF(point.x() - 60, point.y(), 120, max(below - point.y(), 1.0))
            beside += cards.within(area, MANY) or []
        return feedback_path(start, end, below, beside, self._lane(port))

    def _lane(self, port: Endpoint) -> int:
        """Wires of one port share a lane; those of another have the next, in the order of the system."""
        if self._lanes is None:
            self._lanes = {}
            for wire in self.scene.session.system.wires:
                first, last = self.scene.card_for(wire.start.node), self.scene.card_for(wire.end.node)
                if first is not None and last is not None and last.x() < first.x() + first.card.width + 8:
                    self._lanes.setdefault(wire.start, len(self._lanes))
        return self._lanes.setdefault(port, len(self._lanes))

    def _cards(self) -> CardIndex:
        if self._index is None:
            self._index = CardIndex((item.name, item.outline()) for item in self.scene.cards())
        return self._index


def _runs_back(item: WireItem) -> bool:
    return isinstance(item.connection, Wire) and is_feedback(item.start, item.end)
