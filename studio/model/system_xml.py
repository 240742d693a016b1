"""system.xml: records to a System and back. How the text around them is kept is xml_reconcile's business."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from studio.model.changes import Assigned
from studio.model.files import FileError
from studio.model.origin import Origin
from studio.model.parts import Component, Connection, Endpoint, GeometryUse, Host, Link, Recording, ServiceWire, Wire
from studio.model.sources import SOURCE_MODES, LiveProvider, LogProvider, Source, SourceMode
from studio.model.spec import Activation, Delivery, Direction, PortSpec
from studio.model.system import System
from studio.model.xml_reconcile import Rule, reconcile
from studio.model.xml_tree import XmlNode, only, read_tree, reading

P = TypeVar("P")
Place = Path | str | None
NEW_FILE = b'<?xml version="1.0" encoding="UTF-8"?>\n<system name="new" version="1">\n</system>\n'

_PARAMETER = Rule("parameter", ("name",), {"name": str, "value": str})
_COMPONENT = Rule(
    "component",
    ("name",),
    {"name": str, "type": str, "host": str, "mode": str, "period_s": float, "parameters": str},
    (_PARAMETER, Rule("parameter-set", ("name",), {"name": str}, (_PARAMETER,))),
)
_PROVIDER = (_COMPONENT, Rule("bind", ("port",), {"port": str, "to": str}))
_ENDS = {"from": str, "to": str}
RULE = Rule(
    "system",
    attributes={"name": str},
    children=(
        Rule("doc", text=True),
        Rule("geometry", (), {"assembly": str, "joints": str}),
        Rule("host", ("name",), {"name": str}),
        replace(_COMPONENT, group="nodes"),
        Rule(
            "source",
            ("name",),
            {"name": str, "mode": str},
            (
                Rule("port", ("name",), {"name": str, "direction": str, "type": str, "truth": str}),
                Rule("real", children=_PROVIDER),
                Rule("logged", (), {"log": str}, (Rule("bind", ("port",), {"port": str, "topic": str}),)),
                Rule("simulated", children=_PROVIDER),
            ),
            group="nodes",
        ),
        Rule("wire", ("from", "to"), _ENDS | {"delivery": str}),
        Rule("service", ("from", "to"), _ENDS),
        Rule("link", ("from", "to"), _ENDS),
        Rule(
            "record",
            children=(Rule("topic", ("pattern",), {"pattern": str}), Rule("exclude", ("pattern",), {"pattern": str})),
        ),
    ),
)
"""What Studio knows of system.xml when it saves; the schema says the same to those who read it."""


def read_system(data: bytes | Path, file: Place = None) -> System:
    file = data if file is None and isinstance(data, Path) else file
    return build_system(read_tree(data, "system", file), file)


def build_system(root: XmlNode, file: Place = None) -> System:
    """A System with everything the file says, sound or not; only what no System could hold is a FileError."""
    with reading(root, file):
        system = System(root.attributes["name"])
    system.file = None if file is None else str(file)
    doc, record, geometry = (only(root, tag, file) for tag in ("doc", "record", "geometry"))
    if doc is not None:
        system.perform(Assigned("doc", "", doc.text.strip(" \t\r\n")))
    if record is not None:
        with reading(record, file):
            system.perform(Assigned("recording", None, _recording(record)))
    if geometry is not None:
        with reading(geometry, file):
            system.perform(Assigned("geometry", None, _geometry(geometry)))
    faults: list[FileError] = []
    for node in root.children:
        if node.tag in _PARTS:
            table, make = _PARTS[node.tag]
            try:
                with reading(node, file):
                    system.append(table, make(node, file))
            except FileError as fault:
                faults.append(fault)
    if faults:
        faults[0].others.extend(faults[1:])
        raise faults[0]
    return system


def write_system(system: System, written: bytes = NEW_FILE) -> bytes:
    """`written`, the bytes that the system was read from, changed to what the system says now."""
    return reconcile(written, system_tree(system), RULE)


def system_tree(system: System) -> XmlNode:
    """What system.xml has to say; nodes know the elements they were read from."""
    root = XmlNode("system", {"name": system.name}, element=0)
    if system.doc:
        root.children.append(XmlNode("doc", text=system.doc))
    if system.geometry is not None:
        root.children.append(_geometry_tree(system.geometry))
    root.children += [_node("host", host.origin, name=host.name) for host in system.hosts]
    for node in system.nodes:
        root.children.append(_component_tree(node) if isinstance(node, Component) else _source_tree(node))
    root.children += [_connection_tree("wire", wire, wire.origin, wire.delivery) for wire in system.wires]
    root.children += [_connection_tree("service", wire, wire.origin) for wire in system.services]
    root.children += [_connection_tree("link", link, link.origin) for link in system.links]
    if system.recording is not None:
        root.children.append(_recording_tree(system.recording))
    return root


def number_text(number: float) -> str:
    """The shortest text that reads back as the same number."""
    return repr(float(number)).removesuffix(".0")


# ---- records to parts


def _component(node: XmlNode, file: Place) -> Component:
    period = node.get("period_s")
    return Component(
        node.attributes["name"],
        node.attributes["type"],
        node.get("host") or "",
        cast("Activation | None", node.get("mode")),
        None if period is None else float(period),
        node.get("parameters") or "",
        _values(node, file),
        _unique(node.all("parameter-set"), "name", lambda inner: _values(inner, file), file),
        node.origin(parameter="name", **{"parameter-set": "name"}),
    )


def _values(node: XmlNode, file: Place) -> dict[str, str]:
    return _unique(node.all("parameter"), "name", lambda inner: inner.attributes["value"], file)


def _source(node: XmlNode, file: Place) -> Source:
    providers: dict[str, Any] = {}
    for mode in SOURCE_MODES:
        provider = only(node, mode, file)
        if provider is not None:
            with reading(provider, file):
                providers[mode] = _log_provider(provider, file) if mode == "logged" else _live_provider(provider, file)
    ports = _unique(node.all("port"), "name", _port, file)
    mode = cast(SourceMode, node.attributes["mode"])
    return Source(node.attributes["name"], mode, tuple(ports.values()), **providers, origin=node.origin(port="name"))


def _port(node: XmlNode) -> PortSpec:
    direction = cast(Direction, node.attributes["direction"])
    return PortSpec(node.attributes["name"], direction, node.attributes["type"], truth=node.get("truth") == "true")


def _live_provider(node: XmlNode, file: Place) -> LiveProvider:
    components = tuple(_reading_component(inner, file) for inner in node.all("component"))
    binds = _unique(node.all("bind"), "port", lambda bind: Endpoint.parse(bind.attributes["to"]), file)
    return LiveProvider(components, binds, node.origin(bind="port"))


def _reading_component(node: XmlNode, file: Place) -> Component:
    with reading(node, file):
        return _component(node, file)


def _log_provider(node: XmlNode, file: Place) -> LogProvider:
    topics = _unique(node.all("bind"), "port", lambda bind: bind.attributes["topic"], file)
    return LogProvider(node.attributes["log"], topics, node.origin(bind="port"))


def _connection(kind: type[Connection]) -> Callable[[XmlNode, Place], Connection]:
    def make(node: XmlNode, file: Place) -> Connection:
        start, end = Endpoint.parse(node.attributes["from"]), Endpoint.parse(node.attributes["to"])
        return kind(start, end, origin=node.origin())  # type: ignore[call-arg]  # every kind has an origin

    return make


def _wire(node: XmlNode, file: Place) -> Wire:
    start, end = Endpoint.parse(node.attributes["from"]), Endpoint.parse(node.attributes["to"])
    delivery = node.get("delivery")
    return Wire(start, end, None if delivery is None else Delivery.parse(delivery), node.origin())


def _host(node: XmlNode, file: Place) -> Host:
    return Host(node.attributes["name"], node.origin())


def _recording(node: XmlNode) -> Recording:
    topics, exclude = (tuple(inner.attributes["pattern"] for inner in node.all(tag)) for tag in ("topic", "exclude"))
    lines = {f"pattern {inner.get('pattern')}": inner.line for inner in node.children}
    return Recording(topics, exclude, Origin(node.element or 0, node.line, lines))


def _geometry(node: XmlNode) -> GeometryUse:
    joints = node.get("joints")
    return GeometryUse(node.attributes["assembly"], Endpoint.parse(joints) if joints else None, node.origin())


_PARTS: dict[str, tuple[str, Callable[[XmlNode, Place], object]]] = {
    "host": ("hosts", _host),
    "component": ("nodes", _component),
    "source": ("nodes", _source),
    "wire": ("wires", _wire),
    "service": ("services", _connection(ServiceWire)),
    "link": ("links", _connection(Link)),
}


def _unique(nodes: Iterator[XmlNode], key: str, make: Callable[[XmlNode], P], file: Place) -> dict[str, P]:
    found: dict[str, P] = {}
    for node in nodes:
        name = node.attributes[key]
        if name in found:
            raise FileError(f'a second <{node.tag} {key}="{name}">', file=file, line=node.line, hint="keep one")
        with reading(node, file):
            found[name] = make(node)
    return found


# ---- parts to records


def _node(tag: str, origin: Origin | None, children: Iterable[XmlNode] = (), **attributes: str | None) -> XmlNode:
    """Attributes without a value are left out; `from_` stands for `from`."""
    given = {name.rstrip("_"): value for name, value in attributes.items() if value is not None}
    return XmlNode(tag, given, children=list(children), element=origin.element if origin else None)


def _component_tree(component: Component) -> XmlNode:
    return _node(
        "component",
        component.origin,
        [
            *_values_tree(component.parameters),
            *(
                _node("parameter-set", None, _values_tree(values), name=name)
                for name, values in component.parameter_sets.items()
            ),
        ],
        name=component.name,
        type=component.type,
        host=component.host or None,
        mode=component.mode,
        period_s=None if component.period_s is None else number_text(component.period_s),
        parameters=component.parameter_set or None,
    )


def _values_tree(values: Mapping[str, str]) -> Iterator[XmlNode]:
    return (_node("parameter", None, name=name, value=value) for name, value in values.items())


def _port_node(port: PortSpec) -> XmlNode:
    truth = "true" if port.truth else None
    return _node("port", None, name=port.name, direction=port.direction, type=port.type, truth=truth)


def _source_tree(source: Source) -> XmlNode:
    ports = [_port_node(port) for port in source.ports]
    providers = [_provider_tree(mode, source.provider(mode)) for mode in SOURCE_MODES if source.provider(mode)]
    return _node("source", source.origin, ports + providers, name=source.name, mode=source.mode)


def _provider_tree(mode: str, provider: LiveProvider | LogProvider | None) -> XmlNode:
    if isinstance(provider, LiveProvider):
        components = [_component_tree(component) for component in provider.components]
        binds = [_node("bind", None, port=port, to=str(inner)) for port, inner in provider.binds.items()]
        return _node(mode, provider.origin, components + binds)
    if isinstance(provider, LogProvider):
        binds = [_node("bind", None, port=port, topic=topic) for port, topic in provider.topics.items()]
        return _node(mode, provider.origin, binds, log=provider.log)
    raise TypeError(f"{provider!r} is not a provider")


def _connection_tree(
    tag: str, connection: Connection, origin: Origin | None, delivery: Delivery | None = None
) -> XmlNode:
    start, end = str(connection.start), str(connection.end)
    return _node(tag, origin, from_=start, to=end, delivery=str(delivery) if delivery else None)


def _recording_tree(recording: Recording) -> XmlNode:
    chosen = [_node("topic", None, pattern=pattern) for pattern in recording.topics]
    left_out = [_node("exclude", None, pattern=pattern) for pattern in recording.exclude]
    return _node("record", recording.origin, chosen + left_out)


def _geometry_tree(geometry: GeometryUse) -> XmlNode:
    joints = str(geometry.joints) if geometry.joints else None
    return _node("geometry", geometry.origin, assembly=geometry.assembly, joints=joints)
