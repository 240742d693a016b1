"""A component put into a wire: what was sent to one is sent to it, and what it makes of that goes on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from studio.editor.canvas.wire_item import WireItem
from studio.model.parts import Connection, Endpoint, Wire
from studio.model.spec import ComponentSpec
from studio.model.system_edits import Connect, Rewire, SystemEdit

Way = tuple[str, str]
"""Names of an in and an out port."""


def way_through(spec: ComponentSpec | None, message_type: str) -> Way | None:
    """How messages of a type go through a component; None if it does not take them, or gives others."""
    ports = spec.ports if spec is not None else ()
    found = {port.direction: port.name for port in reversed(ports) if port.type == message_type}
    return (found["in"], found["out"]) if len(found) == 2 else None


def of_one_port(connections: Iterable[Connection]) -> tuple[Wire, ...]:
    """All of them, if they are wires of one out port; otherwise none, because nothing can be put into them together."""
    found = tuple(connections)
    wires = tuple(each for each in found if isinstance(each, Wire))
    return wires if len(wires) == len(found) and len({wire.start for wire in wires}) == 1 else ()


def put_between(wires: Sequence[Wire], name: str, way: Way) -> list[SystemEdit]:
    """The wires go on from the new component, with their deliveries; it has what they had."""
    first, last = (Endpoint(name, port) for port in way)
    return [*(Rewire(wire, Wire(last, wire.end)) for wire in wires), Connect(Wire(wires[0].start, first))]


def words_about(wires: Sequence[Wire]) -> str:
    start, ends = wires[0].start, [str(wire.end) for wire in wires]
    return f"{start} → {ends[0]}" if len(ends) == 1 else f"{start} → {len(ends)} others"


def type_of(items: Sequence[WireItem]) -> str:
    return items[0].message_type if items else ""
