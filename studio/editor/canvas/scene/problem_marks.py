"""What the check finds, on cards and wires."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from studio.editor.canvas.items.node_item import NodeItem
from studio.editor.canvas.wires.wire_item import WireItem
from studio.editor.project.session import Session
from studio.model.parts import Connection, Link, ServiceWire, Wire
from studio.model.wiring import why_no_link, why_no_service, why_no_wire


def mark_problems(session: Session, nodes: Mapping[str, NodeItem], wires: Iterable[WireItem]) -> None:
    """Only what looks different afterwards is painted again."""
    worst: dict[str, str] = {}
    for problem in session.problems:
        for name in _subjects(problem.subject):
            if worst.get(name) != "error":
                worst[name] = problem.severity
    for name, item in nodes.items():
        if item.severity != worst.get(name, ""):
            item.severity = worst.get(name, "")
            item.update()
    for wire in wires:
        wrong = _is_wrong(session, wire.connection)
        if wire.wrong != wrong:
            wire.wrong = wrong
            wire.update()


def _is_wrong(session: Session, connection: Connection) -> bool:
    system, specs = session.system, session.registry
    if isinstance(connection, Wire):
        return bool(why_no_wire(system, specs, connection))
    if isinstance(connection, ServiceWire):
        return bool(why_no_service(system, specs, connection))
    return isinstance(connection, Link) and bool(why_no_link(system, specs, connection))


def _subjects(subject: str) -> list[str]:
    """The nodes that a problem is about: `laser.ranges` is about laser; a connection is about the wire alone."""
    return [] if "→" in subject else [subject.partition(".")[0]]
