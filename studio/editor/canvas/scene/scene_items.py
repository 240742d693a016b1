"""The items of a scene: finding them by place, by name and by what is selected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtWidgets import QGraphicsScene

from studio.editor.canvas.items.card import STATE_ROW, TITLE, Port
from studio.editor.canvas.items.group_items import GroupCard, GroupFrame
from studio.editor.canvas.items.node_item import NodeItem
from studio.editor.canvas.items.remark_items import RemarkItem
from studio.editor.canvas.wires.wire_item import WireItem
from studio.editor.project.session import Session
from studio.model.parts import Connection, Endpoint, Link, ServiceWire, Wire

if TYPE_CHECKING:
    from studio.editor.canvas.scene.groups import GroupItem, Groups
    from studio.editor.canvas.scene.wire_layout import Ways

CONNECTIONS = {"wires": Wire, "services": ServiceWire, "links": Link}
TABLES: dict[type[Connection], str] = {kind: table for table, kind in CONNECTIONS.items()}
ConnectionId = tuple[str, Any]


class ItemScene(QGraphicsScene):
    session: Session
    groups: Groups
    ways: Ways

    def __init__(self) -> None:
        super().__init__()
        self.nodes: dict[str, NodeItem] = {}
        self.wires: dict[ConnectionId, WireItem] = {}
        self.remarks: dict[str, RemarkItem] = {}
        self._lifted: list[WireItem] = []
        self.selectionChanged.connect(self._lift_selected)

    def node_at(self, point: QPointF) -> NodeItem | None:
        found = self.card_at(point)
        return None if isinstance(found, GroupCard) else found

    def card_at(self, point: QPointF) -> NodeItem | None:
        """Of a component, a source, or a group that is folded."""
        return next((item for item in self.items(point) if isinstance(item, NodeItem)), None)

    def group_at(self, point: QPointF) -> GroupItem | None:
        return next((item for item in self.items(point) if isinstance(item, GroupCard | GroupFrame)), None)

    def card_for(self, name: str) -> NodeItem | None:
        """The card of a component or source, or of the folded group that it is in."""
        return self.groups.card_for(name) or self.nodes.get(name)

    def cards(self) -> Iterator[NodeItem]:
        """All that are to be seen."""
        yield from (item for item in self.nodes.values() if item.isVisible())
        yield from self.groups.cards()

    def port_near(self, point: QPointF, reach: float = 11.0) -> tuple[NodeItem, Port] | None:
        """The port under the pointer, of the card on top."""
        around = QRectF(point.x() - reach, point.y() - reach, 2 * reach, 2 * reach)
        for item in self.items(around):
            if isinstance(item, NodeItem):
                port = item.port_near(point, reach)
                if port is not None:
                    return item, port
        return None

    def wire_at(self, point: QPointF) -> WireItem | None:
        """Of several that share a trunk there, the one on top; behind it, the one that runs there alone."""
        found = self._wires_near(point)
        return next((item for item in found if not item.is_shared_at(point)), next(iter(found), None))

    def wires_at(self, point: QPointF) -> list[WireItem]:
        """One wire, or all that run through the trunk of a net there."""
        item = self.wire_at(point)
        if item is None or not item.is_shared_at(point):
            return [item] if item is not None else []
        return [other for other in self.ways.net_of(item) if other.isVisible() and other.is_shared_at(point)]

    def _wires_near(self, point: QPointF) -> list[WireItem]:
        around = QRectF(point.x() - 2, point.y() - 2, 4, 4)
        return [item for item in self.items(around) if isinstance(item, WireItem)]

    def wire_of(self, connection: Connection) -> WireItem | None:
        return self.wires.get((TABLES[type(connection)], connection.key))

    def remark_at(self, point: QPointF) -> RemarkItem | None:
        return next((item for item in self.items(point) if isinstance(item, RemarkItem)), None)

    def selected_nodes(self) -> list[str]:
        """In the order of the system, which is what edits and their labels go by."""
        chosen = {item.name for item in self.selectedItems() if isinstance(item, NodeItem)}
        chosen |= self.groups.selected_members()
        return [node.name for node in self.session.system.nodes if node.name in chosen]

    def selected_connections(self) -> list[Connection]:
        return [item.connection for item in self.selectedItems() if isinstance(item, WireItem)]

    def selected_remarks(self) -> list[RemarkItem]:
        return [item for item in self.selectedItems() if isinstance(item, RemarkItem)]

    def anchor(self, end: Endpoint, kind: type[Connection], *, is_start: bool) -> QPointF | None:
        """Where a connection touches a card."""
        item = self.card_for(end.node)
        if item is None:
            return None
        port = item.card.port_at(end, service=kind is ServiceWire)
        if kind is Link and (port is None or not is_start):  # a parameter has no mark of its own
            return item.pos() + QPointF(item.card.width if is_start else 0.0, TITLE + STATE_ROW / 2)
        return item.anchor(port) if port is not None else None

    def _lift_selected(self) -> None:
        """What is chosen is seen over the others of its net, which run where it runs."""
        chosen = [item for item in self.selectedItems() if isinstance(item, WireItem)]
        for item in [*self._lifted, *chosen]:
            if item.scene() is self:
                item.settle()
                item.update()
        self._lifted = chosen
