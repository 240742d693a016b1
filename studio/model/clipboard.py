"""Copy, paste and duplicate. The clipboard holds an XML text, so that it works between windows and in mails."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from studio.model.files import FileError
from studio.model.layout_xml import build_layout, write_layout
from studio.model.parts import Component, Connection, Endpoint, Host
from studio.model.sources import LiveProvider
from studio.model.system import Node, System
from studio.model.system_edits import SystemEdit, shown
from studio.model.system_xml import build_system, write_system
from studio.model.xml_file import parse_hardened, validate_xml
from studio.model.xml_tree import tree_of

OFFSET = (24.0, 24.0)
"""How far a pasted copy lies beside its original."""


def copy(system: System, names: Iterable[str], remarks: Iterable[str] = ()) -> str:
    """The named components and sources, what connects them to each other, where they are, and the groups that are
    whole among them; with the notes and frames that have one of the ids `remarks`.
    """
    wanted = set(names)
    part = System(system.name)
    for node in system.nodes:
        if node.name in wanted:
            part.append("nodes", node)
            _append_host(part, system, node)
    for table, connections in (("wires", system.wires), ("services", system.services), ("links", system.links)):
        for connection in connections:
            if {end.node for end in connection.key} <= wanted:
                part.append(table, connection)
    for place in system.layout.places:
        if place.of in wanted:
            part.append("places", place)
    chosen = set(remarks)
    for table, parts in (("notes", system.layout.notes), ("frames", system.layout.frames)):
        for remark in parts:
            if remark.id in chosen:
                part.append(table, remark)
    for group in system.layout.groups:
        if set(group.members) <= wanted:
            part.append("groups", group)
    return _fragment(part)


@dataclass(frozen=True)
class Paste(SystemEdit):
    """What `copy` made, under names that are free, beside where it was."""

    text: str
    offset: tuple[float, float] = OFFSET

    @property
    def label(self) -> str:
        return "Paste"

    def apply(self, system: System, /) -> None:
        insert(system, read_fragment(self.text), self.offset)


@dataclass(frozen=True)
class Duplicate(SystemEdit):
    names: tuple[str, ...]
    offset: tuple[float, float] = OFFSET
    remarks: tuple[str, ...] = ()
    """Ids of notes and frames."""

    @property
    def label(self) -> str:
        if not self.names:
            return f"Duplicate {'a remark' if len(self.remarks) == 1 else f'{len(self.remarks)} remarks'}"
        return f"Duplicate {shown(self.names)}"

    def apply(self, system: System, /) -> None:
        insert(system, read_fragment(copy(system, self.names, self.remarks)), self.offset)


def read_fragment(text: str) -> System:
    """The system inside a clipboard text; FileError if it is none."""
    root = parse_hardened(text.encode("utf-8", "surrogatepass"), "clipboard")
    inside = {str(child.tag): child for child in root}
    if root.tag != "clipboard" or set(inside) != {"system", "layout"}:
        raise FileError("the clipboard has no components of a system", file="clipboard")
    for schema, element in inside.items():
        validate_xml(element, schema, "clipboard")
    part = build_system(tree_of(inside["system"]), "clipboard")
    build_layout(part, tree_of(inside["layout"]), "clipboard")
    return part


def insert(system: System, part: System, offset: tuple[float, float]) -> None:
    names = _free_names(system, part)
    for host in part.hosts:
        if host.name not in system.hosts:
            system.add_host(Host(host.name))
    for node in part.nodes:
        system.add_node(_renamed(node, names))
        place = part.layout.places.get(node.name)
        if place is not None:
            system.place(names[node.name], place.x + offset[0], place.y + offset[1])
    for connection in [*part.wires, *part.services, *part.links]:
        system.connect(_reconnected(connection, names))
    _insert_remarks(system, part, offset)
    for group in part.layout.groups:
        members = tuple(names[member] for member in group.members if member in names)
        if members:
            system.put("groups", replace(group, id=system.layout.new_id("g"), members=members, origin=None))


def _insert_remarks(system: System, part: System, offset: tuple[float, float]) -> None:
    for table, prefix, remarks in (("notes", "n", part.layout.notes), ("frames", "f", part.layout.frames)):
        for remark in remarks:
            place: dict[str, Any] = {"x": remark.x + offset[0], "y": remark.y + offset[1]}
            system.put(table, replace(remark, id=system.layout.new_id(prefix), origin=None, **place))


def _append_host(part: System, system: System, node: Node) -> None:
    host = system.hosts.get(node.host) if isinstance(node, Component) else None
    if host is not None and host.name not in part.hosts:
        part.append("hosts", host)


def _fragment(part: System) -> str:
    bodies = [data.decode().partition("?>\n")[2] for data in (write_system(part), write_layout(part))]
    return "<clipboard>\n" + "".join(bodies) + "</clipboard>\n"


def _free_names(system: System, part: System) -> dict[str, str]:
    names: dict[str, str] = {}
    for name in sorted(part.taken_names()):
        names[name] = system.free_name(name, also_taken=names.values())
    return names


def _renamed(node: Node, names: dict[str, str]) -> Node:
    """`node` under its new name and without origin; so are the components inside a source, for names are global."""
    if isinstance(node, Component):
        return _renamed_component(node, names)
    return replace(
        node,
        name=names.get(node.name, node.name),
        origin=None,
        real=_renamed_provider(node.real, names),
        simulated=_renamed_provider(node.simulated, names),
        logged=replace(node.logged, origin=None) if node.logged else None,
    )


def _renamed_component(component: Component, names: dict[str, str]) -> Component:
    return replace(component, name=names.get(component.name, component.name), origin=None)


def _renamed_provider(provider: LiveProvider | None, names: dict[str, str]) -> LiveProvider | None:
    if provider is None:
        return None
    components = tuple(_renamed_component(component, names) for component in provider.components)
    binds = {port: Endpoint(names.get(inner.node, inner.node), inner.port) for port, inner in provider.binds.items()}
    return LiveProvider(components, binds)


def _reconnected(connection: Connection, names: dict[str, str]) -> Connection:
    start, end = (Endpoint(names.get(end.node, end.node), end.port) for end in connection.key)
    changed: dict[str, Any] = {"start": start, "end": end, "origin": None}
    return replace(connection, **changed)
