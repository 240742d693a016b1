"""A component put into a wire: what was sent to one is sent to it, and what it makes of that goes on."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from PyQt6.QtCore import QPointF, QRectF, QSizeF

from studio.editor.canvas.interaction.gestures import SNAP, put
from studio.editor.canvas.items.card import card_of
from studio.editor.canvas.scene.scene import CanvasScene
from studio.editor.canvas.wires.wire_item import WireItem
from studio.editor.project.session import Session
from studio.model.layout import Layout
from studio.model.layout_edits import MoveNodes, PutGroup
from studio.model.parts import Component, Connection, Endpoint, Frame, Wire
from studio.model.spec import ComponentSpec
from studio.model.system import System
from studio.model.system_edits import Connect, Rewire, SystemEdit
from studio.model.wiring import fits_new, port_at

GAP = 48.0
"""The room that a wire needs before and behind a card."""
Way = tuple[str, str]
"""Names of an in and an out port."""


def way_through(spec: ComponentSpec | None, message_type: str) -> Way | None:
    """How messages of a type go through a component; None if it does not take them, or gives others."""
    ports = spec.ports if spec is not None else ()
    found = {port.direction: port.name for port in reversed(ports) if port.type == message_type}
    return (found["in"], found["out"]) if len(found) == 2 else None


def way_into(session: Session, wires: Sequence[Wire], spec: ComponentSpec | None) -> Way | None:
    """How what flows in wires of one port goes through a component; None if it does not fit, or may not see it."""
    sent = port_at(session.system, session.registry, wires[0].start) if wires else None
    way = way_through(spec, sent.type) if sent is not None else None
    if way is None or spec is None:
        return None
    new = Component(session.system.free_name("new"), spec.type)
    first = Wire(wires[0].start, Endpoint(new.name, way[0]))
    return way if fits_new(session.system, session.registry, first, new) else None


def of_one_port(connections: Iterable[Connection]) -> tuple[Wire, ...]:
    """All of them, if they are wires of one out port; otherwise none, because nothing can be put into them together."""
    found = tuple(connections)
    wires = tuple(each for each in found if isinstance(each, Wire))
    return wires if len(wires) == len(found) and len({wire.start for wire in wires}) == 1 else ()


def put_between(wires: Sequence[Wire], name: str, way: Way) -> list[SystemEdit]:
    """The wires go on from the new component, with their deliveries; it has what they had."""
    first, last = (Endpoint(name, port) for port in way)
    return [*(Rewire(wire, Wire(last, wire.end)) for wire in wires), Connect(Wire(wires[0].start, first))]


def join_group(layout: Layout, wires: Sequence[Wire], name: str) -> list[SystemEdit]:
    """What comes between members of one group belongs to it, and is folded with them."""
    group = layout.group_of(wires[0].start.node)
    if group is None or any(layout.group_of(wire.end.node) is not group for wire in wires):
        return []
    return [PutGroup(replace(group, members=(*group.members, name)))]


def size_of(scene: CanvasScene, name: str, type_name: str) -> QSizeF:
    """Of the card that a new component will have."""
    component = Component(name, type_name)
    system = System()
    system.add_node(component)
    card = card_of(system, scene.session.registry, component)
    return QSizeF(card.width, card.height)


def place_between(
    scene: CanvasScene, wires: Sequence[Wire], at: QPointF, size: QSizeF
) -> tuple[QPointF, list[SystemEdit]]:
    """The corner of a card at `at` of the wires, and the moves that make room for it: what stands right of it goes
    further right, or the wires would run back. One that runs back anyway has room enough."""
    corner = at - QPointF(size.width() / 2, size.height() / 2)
    start, ends = scene.card_for(wires[0].start.node), [scene.card_for(wire.end.node) for wire in wires]
    if start is None or None in ends:
        return corner, []
    first, last = start.outline().right() + GAP, min(end.outline().left() for end in ends if end is not None) - GAP
    if last <= first - GAP:
        return corner, []
    by = max(0.0, math.ceil((first + size.width() - last) / SNAP) * SNAP)
    corner.setX(min(max(corner.x(), first), last + by - size.width()))
    return corner, _moved_right(scene, last, by) if by else []


def _moved_right(scene: CanvasScene, edge: float, by: float) -> list[SystemEdit]:
    """All that begins right of an edge; frames around it become wider."""
    # By the cards that are seen: members of a folded group have places of their own, and go where it goes.
    seen = {name: scene.card_for(name) or item for name, item in scene.nodes.items()}
    names = [name for name, card in seen.items() if card.x() >= edge]
    moved = {name: (x + by, y) for name, (x, y) in scene.positions(names).items()}
    edits: list[SystemEdit] = [MoveNodes(moved)] if moved else []
    areas = [seen[name].outline() for name in names]
    for remark in scene.remarks.values():
        value = remark.value
        if value.x >= edge:
            edits.append(put(replace(value, x=value.x + by)))
        elif isinstance(value, Frame) and any(area.intersects(_area(value)) for area in areas):
            edits.append(put(replace(value, width=value.width + by)))
    return edits


def _area(frame: Frame) -> QRectF:
    return QRectF(frame.x, frame.y, frame.width, frame.height)


def words_about(wires: Sequence[Wire]) -> str:
    start, ends = wires[0].start, [str(wire.end) for wire in wires]
    return f"{start} → {ends[0]}" if len(ends) == 1 else f"{start} → {len(ends)} others"


def type_of(items: Sequence[WireItem]) -> str:
    return items[0].message_type if items else ""
