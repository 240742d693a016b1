"""The graph of a robot system: components and sources, what connects them, and the rules that always hold.

What a file may contain although it is wrong (a wire to a component that is gone, a type nobody knows) is representable,
loads, and is reported by `system_check`; what an edit would newly break is refused here. Order is part of the model:
the place of a component or source is its rank at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from studio.model.changes import Assigned, Change, Inserted, Model, ModelError, Removed, Replaced, Table
from studio.model.close_matches import did_you_mean
from studio.model.layout import Layout
from studio.model.parts import (
    Component,
    Connection,
    Endpoint,
    GeometryUse,
    Host,
    Link,
    Place,
    Recording,
    ServiceWire,
    Wire,
    check_name,
    check_text,
)
from studio.model.sources import Source

Node = Component | Source
ConnectionKey = tuple[Endpoint, Endpoint]
_IN_TEXT = ("hosts", "nodes", "wires", "services", "links")
"""Tables that system.xml holds; what refers to others comes last."""
_TABLE_OF: dict[type[Connection], str] = {Wire: "wires", ServiceWire: "services", Link: "links"}


class System(Model):
    def __init__(self, name: str = "system") -> None:
        super().__init__()
        check_name(name, "name of a system")
        self.name = name
        self.doc = ""
        self.recording: Recording | None = None
        self.geometry: GeometryUse | None = None
        self.file: str | None = None
        """Where it was read, for messages."""
        self.written = b""
        """The text that somebody has written in place of the file; empty while saving starts from the file."""
        self.nodes: Table[str, Node] = Table("component or source", lambda node: node.name)
        self.hosts: Table[str, Host] = Table("host", lambda host: host.name)
        self.wires: Table[ConnectionKey, Wire] = Table("wire from", lambda wire: wire.key)
        self.services: Table[ConnectionKey, ServiceWire] = Table("service wire from", lambda wire: wire.key)
        self.links: Table[ConnectionKey, Link] = Table("link from", lambda link: link.key)
        self.layout = Layout()
        self._tables = {
            "nodes": self.nodes, "hosts": self.hosts, "wires": self.wires, "services": self.services,
            "links": self.links, "places": self.layout.places, "notes": self.layout.notes, "frames": self.layout.frames,
            "groups": self.layout.groups,
        }  # fmt: skip
        self._touching: dict[str, dict[tuple[str, ConnectionKey], None]] = {}

    # ---- asking

    @property
    def components(self) -> Iterator[Component]:
        return (node for node in self.nodes if isinstance(node, Component))

    @property
    def sources(self) -> Iterator[Source]:
        return (node for node in self.nodes if isinstance(node, Source))

    def component(self, name: str) -> Component:
        node = self.node(name)
        if not isinstance(node, Component):
            raise ModelError(f"{name} is a source, not a component")
        return node

    def source(self, name: str) -> Source:
        node = self.node(name)
        if not isinstance(node, Source):
            raise ModelError(f"{name} is a component, not a source")
        return node

    def node(self, name: str) -> Node:
        node = self.nodes.get(name)
        if node is None:
            hint = did_you_mean(name, self.nodes.keys())
            raise ModelError(f"there is no component or source {name}", hint=hint)
        return node

    def connections_of(self, node: str) -> list[Connection]:
        """Wires, service wires and links that start or end at `node`."""
        return [self._tables[table][key] for table, key in self._touching.get(node, ())]

    def wires_of(self, node: str) -> list[Wire]:
        return [connection for connection in self.connections_of(node) if isinstance(connection, Wire)]

    def taken_names(self) -> set[str]:
        """Names of components and sources, those inside sources included: all become topics of one running system."""
        return {*self.nodes.keys(), *(inner.name for source in self.sources for inner in source.inner_components())}

    def free_name(self, wanted: str, also_taken: Iterable[str] = ()) -> str:
        """`wanted`, or the first of `wanted_2`, `wanted_3`, ... that nobody has."""
        taken = self.taken_names() | set(also_taken)
        stem, _, number = wanted.rpartition("_")
        stem = stem if number.isdecimal() and stem else wanted
        count = 2
        while wanted in taken:
            wanted = f"{stem}_{count}"
            count += 1
        return wanted

    # ---- components and sources

    def add_node(self, node: Node, index: int | None = None) -> None:
        self._refuse_taken(node)
        self._add("nodes", node, index)

    def replace_node(self, node: Node) -> None:
        """Put `node` in the place of the one with its name: new parameters, another provider, another type."""
        if type(self.node(node.name)) is not type(node):
            raise ModelError(f"{node.name} cannot change between component and source")
        self._refuse_taken(node, but=node.name)
        self._swap("nodes", node.name, node)

    def exchange_node(self, node: Node) -> None:
        """As `replace_node`, and a component may become a source: rank, wires and place stay."""
        self.node(node.name)
        self._refuse_taken(node, but=node.name)
        self._swap("nodes", node.name, node)

    def remove_node(self, name: str) -> None:
        """With everything that is connected to it, and its place on the canvas."""
        self.node(name)
        for table, key in list(self._touching.get(name, ())):
            self._drop(table, key)
        if name in self.layout.places:
            self._drop("places", name)
        self._follow_joints(lambda joints: None if joints.node == name else joints)
        self._follow_group(name, ())
        self._drop("nodes", name)

    def rename_node(self, old: str, new: str) -> None:
        """Connections, place and recording patterns follow."""
        renamed = replace(self.node(old), name=new)
        if old == new:
            return
        self._refuse_taken(renamed, but=old)
        self._swap("nodes", old, renamed)
        for table, key in list(self._touching.get(old, ())):
            self._swap(table, key, _renamed(self._tables[table][key], old, new))
        if old in self.layout.places:
            self._swap("places", old, replace(self.layout.places[old], of=new))
        self._follow_group(old, (new,))
        if self.recording is not None:
            self._set("recording", _renamed_patterns(self.recording, f"/{old}/", f"/{new}/"))
        self._follow_joints(lambda joints: joints._replace(node=new) if joints.node == old else joints)

    def move_node(self, name: str, index: int) -> None:
        """Change its rank."""
        self._shift("nodes", self.node(name).name, index)

    def rename_source_port(self, source: str, old: str, new: str) -> None:
        """Binds and wires follow."""
        node = self.source(source)
        if node.port(old) is None:
            raise ModelError(f"{source} has no port {old}", hint=did_you_mean(old, [port.name for port in node.ports]))
        self._swap("nodes", source, _with_renamed_port(node, old, new))
        for wire in self.wires_of(source):
            ends = [Endpoint(source, new) if end == (source, old) else end for end in wire.key]
            self._swap("wires", wire.key, replace(wire, start=ends[0], end=ends[1]))
        self._follow_joints(lambda joints: Endpoint(source, new) if joints == (source, old) else joints)

    # ---- connections

    def connect(self, connection: Connection, index: int | None = None) -> None:
        """Both ends must exist; whether the types fit is `wiring.can_connect`'s business, which knows the profiles."""
        table = _TABLE_OF[type(connection)]
        for end in connection.key:
            self.node(end.node)
        self._refuse_second(connection)
        self._add(table, connection, index)

    def disconnect(self, connection: Connection) -> None:
        self._drop(_TABLE_OF[type(connection)], connection.key)

    def reconnect(self, old: Connection, new: Connection) -> None:
        """Another end or another delivery, at the same place in the file."""
        for end in new.key:
            self.node(end.node)
        self._refuse_second(new, but=old)
        self._swap(_TABLE_OF[type(old)], old.key, new)

    def find(self, connection: Connection) -> Any:
        """The connection of that kind between those ends; ModelError if there is none."""
        return self._tables[_TABLE_OF[type(connection)]][connection.key]

    # ---- the rest

    def add_host(self, host: Host, index: int | None = None) -> None:
        self._add("hosts", host, index)

    def remove_host(self, name: str) -> None:
        """Its components go back to processes of their own."""
        self._drop("hosts", name)
        self._rehost(name, "")

    def rename_host(self, old: str, new: str) -> None:
        self._swap("hosts", old, replace(self.hosts[old], name=new))
        self._rehost(old, new)

    def rename(self, name: str) -> None:
        check_name(name, "name of a system")
        self._set("name", name)

    def set_doc(self, doc: str) -> None:
        check_text(doc, "description")
        self._set("doc", doc.strip(" \t\r\n"))

    def set_recording(self, recording: Recording | None) -> None:
        self._set("recording", recording)

    def set_geometry(self, geometry: GeometryUse | None) -> None:
        if geometry is not None and geometry.joints is not None:
            self.node(geometry.joints.node)
        self._set("geometry", geometry)

    def become(self, other: Model) -> None:
        """Everything that `other` says, but not where its canvas was looked at."""
        assert isinstance(other, System)
        super().become(other)
        for field in ("name", "doc", "recording", "geometry"):
            self._set(field, getattr(other, field))

    def take_text(self, other: System, written: bytes) -> None:
        """Everything that a new text of system.xml says: `other` was read from `written`.

        No rule but unique keys, as in loading. The layout stays. Where as many names went as came, in order, somebody
        has written other names for the same things: their places follow.
        """
        gone = [node.name for node in self.nodes if node.name not in other.nodes]
        came = [node.name for node in other.nodes if node.name not in self.nodes]
        renamed = dict(zip(gone, came, strict=True)) if len(gone) == len(came) else {}
        for table in reversed(_IN_TEXT):
            for key in [self._tables[table].key(value) for value in self._tables[table]]:
                if key not in other._tables[table] and not (table == "nodes" and key in renamed):
                    self._drop(table, key)
        for name, to in renamed.items():
            self.perform(Replaced("nodes", self.nodes[name], other.nodes[to]))
        for table in _IN_TEXT:
            for index, value in enumerate(other._tables[table]):
                self._take(table, value, index)
        for field in ("name", "doc", "recording", "geometry"):
            old, new = getattr(self, field), getattr(other, field)
            if old != new or getattr(old, "origin", None) != getattr(new, "origin", None):
                self.perform(Assigned(field, old, new))
        self._set("written", written)
        for name in gone:
            to = renamed.get(name, "")
            if name in self.layout.places:
                if to and to not in self.layout.places:
                    self._swap("places", name, replace(self.layout.places[name], of=to))
                else:
                    self._drop("places", name)
            self._follow_group(name, (to,) if to else ())

    def _take(self, table: str, value: Any, index: int) -> None:
        """A value of a text, also if only its place in the text is another one: saving finds its element by that."""
        rows = self._tables[table]
        key = rows.key(value)
        if key not in rows:
            self._add(table, value, index)
            return
        if rows[key] != value or _places_in_text(rows[key]) != _places_in_text(value):
            self.perform(Replaced(table, rows[key], value))
        self._shift(table, key, index)

    # ---- layout

    def place(self, name: str, x: float, y: float) -> None:
        old = self.layout.places.get(self.node(name).name)
        if old is None:
            self._add("places", Place(name, x, y))
        else:
            self._swap("places", name, replace(old, x=x, y=y))

    def put(self, table: str, value: Any) -> None:
        """Add a note, frame or group, or replace the one with its id."""
        if value.id in self._tables[table]:
            self._swap(table, value.id, value)
        else:
            self._add(table, value)

    def take(self, table: str, key: str) -> None:
        self._drop(table, key)

    def leave_group(self, name: str) -> None:
        """Whoever belongs to a group no more; a group without members is none."""
        self._follow_group(name, ())

    # ---- inside

    def _follow_group(self, name: str, instead: tuple[str, ...]) -> None:
        group = self.layout.group_of(name)
        if group is None:
            return
        members = tuple(new for member in group.members for new in (instead if member == name else (member,)))
        if members:
            self._swap("groups", group.id, replace(group, members=members))
        else:
            self._drop("groups", group.id)

    def _follow_joints(self, moved: Callable[[Endpoint], Endpoint | None]) -> None:
        """The port that tells of the joints has another name, or is gone."""
        if self.geometry is not None and self.geometry.joints is not None:
            joints = moved(self.geometry.joints)
            if joints != self.geometry.joints:
                self._set("geometry", replace(self.geometry, joints=joints))

    def _rehost(self, old: str, new: str) -> None:
        for component in list(self.components):
            if component.host == old:
                self._swap("nodes", component.name, replace(component, host=new))

    def _refuse_taken(self, node: Node, but: str = "") -> None:
        """Refuse `node` if a name in it belongs to something else; inside one source, modes may share names."""
        inside = {inner.name for inner in node.inner_components()} if isinstance(node, Source) else set()
        elsewhere = {inner.name for other in self.sources if other.name != but for inner in other.inner_components()}
        for name in [node.name, *sorted(inside)]:
            if (name in self.nodes and name != but) or name in elsewhere:
                raise ModelError(f"the name {name} is taken", hint=f"e.g. {self.free_name(name, also_taken=inside)}")
        if node.name in inside:
            raise ModelError(f"a component inside the source {node.name} has its name", hint="rename one of them")

    def _refuse_second(self, connection: Connection, but: Connection | None = None) -> None:
        """A service is answered by one, a parameter is linked to one."""
        for other in [*self.connections_of(connection.start.node), *self.connections_of(connection.end.node)]:
            if other.key in (connection.key, but and but.key) or type(other) is not type(connection):
                continue
            if isinstance(other, ServiceWire) and other.start == connection.start:
                raise ModelError(f"{other.start} is answered by {other.end}", hint="remove that connection first")
            if isinstance(other, Link) and other.end == connection.end:
                raise ModelError(f"{other.end} is linked to {other.start}", hint="remove that connection first")

    def _assign(self, field: str, value: object) -> None:
        if field == "view":
            self.layout.view = value  # type: ignore[assignment]
        else:
            super()._assign(field, value)

    def _performed(self, change: Change) -> None:
        match change:
            case Inserted(table, _, Connection() as added):
                self._index(table, added)
            case Removed(table, _, Connection() as gone):
                self._unindex(table, gone)
            case Replaced(table, Connection() as old, Connection() as new):
                self._unindex(table, old)
                self._index(table, new)

    def _index(self, table: str, connection: Connection) -> None:
        for end in connection.key:
            self._touching.setdefault(end.node, {})[table, connection.key] = None

    def _unindex(self, table: str, connection: Connection) -> None:
        for end in connection.key:
            self._touching[end.node].pop((table, connection.key), None)


def view_change(system: System, view: object) -> Assigned:
    """Looking elsewhere is remembered in the layout, but is no edit that anyone would want to undo."""
    return Assigned("view", system.layout.view, view)


def _renamed(connection: Connection, old: str, new: str) -> Connection:
    start, end = (end._replace(node=new) if end.node == old else end for end in connection.key)
    return replace(connection, start=start, end=end)


def _renamed_patterns(recording: Recording, old: str, new: str) -> Recording:
    def follow(patterns: tuple[str, ...]) -> tuple[str, ...]:
        renamed = (new + pattern.removeprefix(old) if pattern.startswith(old) else pattern for pattern in patterns)
        return tuple(dict.fromkeys(renamed))

    return replace(recording, topics=follow(recording.topics), exclude=follow(recording.exclude))


def _with_renamed_port(source: Source, old: str, new: str) -> Source:
    source = replace(
        source, ports=tuple(replace(port, name=new) if port.name == old else port for port in source.ports)
    )
    for mode, provider in source.live_providers():
        source = source.with_provider(mode, replace(provider, binds=_rekeyed(provider.binds, old, new)))
    if source.logged is not None:
        source = replace(source, logged=replace(source.logged, topics=_rekeyed(source.logged.topics, old, new)))
    return source


def _rekeyed(mapping: Any, old: str, new: str) -> Any:
    return {(new if key == old else key): value for key, value in mapping.items()}


def _places_in_text(value: Any) -> list[Any]:
    """Origins are no part of what a value says, so that comparing two values does not look at them."""
    if not isinstance(value, Source):
        return [value.origin]
    providers = [value.origin, *(provider.origin for _, provider in value.live_providers())]
    inner = [component.origin for component in value.inner_components()]
    return [*providers, *inner, value.logged.origin if value.logged is not None else None]
