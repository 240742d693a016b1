"""The ends of wires, where a hand takes hold of them."""

from __future__ import annotations

from PyQt6.QtCore import QPointF

from studio.editor.canvas.items.card import Port
from studio.editor.canvas.scene.scene import CanvasScene
from studio.editor.canvas.wires.wire_item import WireItem
from studio.editor.canvas.wires.wire_strokes import distance
from studio.model.parts import Endpoint, ServiceWire

END_REACH = 26.0
"""So near to its end, a wire is taken by the end."""
HANDLE_REACH = 10.0


def wire_end_at(scene: CanvasScene, point: QPointF) -> tuple[WireItem, Port] | None:
    """A wire whose end is under the pointer, with the port at its other end. A selected one has handles."""
    for item in scene.selectedItems():
        if (
            isinstance(item, WireItem)
            and item.has_handles
            and min(distance(item.start, point), distance(item.end, point)) <= HANDLE_REACH
        ):
            return _with_other_end(scene, item, point)
    under = scene.wire_at(point)
    if under is None or not under.has_handles or scene.card_at(point) is not None:
        return None
    near = min(distance(under.start, point), distance(under.end, point))
    return _with_other_end(scene, under, point) if near <= END_REACH else None


def _with_other_end(scene: CanvasScene, wire: WireItem, point: QPointF) -> tuple[WireItem, Port] | None:
    """The port that stays when a hand takes the end that is nearer to it."""
    to_start, to_end = ((each - point).manhattanLength() for each in (wire.start, wire.end))
    stays: Endpoint = wire.connection.end if to_start < to_end else wire.connection.start
    node = scene.card_for(stays.node)
    port = node.card.port_at(stays, service=isinstance(wire.connection, ServiceWire)) if node else None
    return (wire, port) if port is not None else None
