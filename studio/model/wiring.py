"""Questions about a system that need the profiles of its components: ports, topics, types, deliveries, values."""

from __future__ import annotations

from collections.abc import Iterator

from studio.model.close_matches import did_you_mean
from studio.model.parameter_sets import set_values
from studio.model.parts import Component, Endpoint, Link, ServiceWire, Wire
from studio.model.sources import SOURCE_MODES, LiveProvider, Source, SourceMode, Specs
from studio.model.spec import (
    TEXT_KINDS,
    ComponentSpec,
    Delivery,
    ParameterSpec,
    PortSpec,
    ServicePortSpec,
    SpecError,
    Value,
)
from studio.model.system import System

_LINKABLE = {
    "Float64": ("float",),
    "Float32": ("float",),
    "Int64": ("int", "float"),
    "Int32": ("int", "float"),
    "Bool": ("bool",),
    "String": TEXT_KINDS,
}
"""Which kinds of parameter an output of a message type can set."""


def spec_of(system: System, specs: Specs, name: str) -> ComponentSpec | None:
    node = system.nodes.get(name)
    return specs.get(node.type) if isinstance(node, Component) else None


def ports_of(system: System, specs: Specs, name: str) -> tuple[PortSpec, ...]:
    """Data ports of a component or source; none if the type is unknown."""
    node = system.nodes.get(name)
    if isinstance(node, Source):
        return node.ports
    spec = spec_of(system, specs, name)
    return spec.ports if spec else ()


def port_at(system: System, specs: Specs, end: Endpoint) -> PortSpec | None:
    return next((port for port in ports_of(system, specs, end.node) if port.name == end.port), None)


def service_at(system: System, specs: Specs, end: Endpoint) -> ServicePortSpec | None:
    spec = spec_of(system, specs, end.node)
    return spec.service(end.port) if spec else None


def topic_of(end: Endpoint) -> str:
    return f"/{end.node}/{end.port}"


def effective_delivery(system: System, specs: Specs, wire: Wire) -> Delivery:
    """How the wire delivers: its own setting, or else what the in port asks for."""
    if wire.delivery is not None:
        return wire.delivery
    node = system.nodes.get(wire.end.node)
    inner = _behind(node, wire.end.port) if isinstance(node, Source) else None
    port = _inner_port(inner, specs) if inner else port_at(system, specs, wire.end)
    return port.delivery if port else Delivery()


def topics_of(system: System, specs: Specs, mode: SourceMode | None = None) -> Iterator[tuple[str, str, str]]:
    """(topic, message type, producer) of every out port; `mode` chooses the providers, else each source's own mode.

    Ports of a source's components that are bound to nothing publish under the component's own name.
    """
    for node in system.nodes:
        for port in ports_of(system, specs, node.name):
            if port.direction == "out":
                yield topic_of(Endpoint(node.name, port.name)), port.type, node.name
        if isinstance(node, Source):
            yield from _unbound_topics(node, node.provider(mode or node.mode), specs)


def producers_of(system: System, specs: Specs, topic: str) -> dict[SourceMode, list[str]]:
    """Who publishes `topic` when all sources are in one mode; a sound system has at most one per mode."""
    return {mode: [who for name, _, who in topics_of(system, specs, mode) if name == topic] for mode in SOURCE_MODES}


def can_connect(system: System, specs: Specs, start: Endpoint, end: Endpoint) -> str | None:
    """Why no new wire may go from `start` to `end`, or None if it may."""
    if (start, end) in system.wires:
        return f"{start} is already wired to {end}"
    return why_no_wire(system, specs, Wire(start, end))


def fits_new(system: System, specs: Specs, connection: Wire | ServiceWire, new: Component) -> bool:
    """Whether the connection would be allowed if `new` were in the system, which it is not yet."""
    tried = System()
    for name in {end.node for end in connection.key} - {new.name}:
        tried.append("nodes", system.node(name))
    tried.append("nodes", new)
    if isinstance(connection, Wire):
        return why_no_wire(tried, specs, connection) is None
    return why_no_service(tried, specs, connection) is None


def why_no_wire(system: System, specs: Specs, wire: Wire) -> str | None:
    out, into = port_at(system, specs, wire.start), port_at(system, specs, wire.end)
    if out is None:
        return _no_port(system, specs, wire.start, "out")
    if into is None:
        return _no_port(system, specs, wire.end, "in")
    if out.direction != "out":
        return f"{wire.start} is an in port; a wire starts at an out port"
    if into.direction != "in":
        return f"{wire.end} is an out port; a wire ends at an in port"
    if out.type != into.type:
        return f"{wire.start} sends {out.type}, but {wire.end} takes {into.type}"
    if out.truth and getattr(spec_of(system, specs, wire.end.node), "category", "") != "judge":
        return f"{wire.start} is ground truth, which no robot has; only components of the category judge may read it"
    return None


def why_no_service(system: System, specs: Specs, wire: ServiceWire) -> str | None:
    caller, server = service_at(system, specs, wire.start), service_at(system, specs, wire.end)
    for port, end, role in ((caller, wire.start, "required"), (server, wire.end, "provided")):
        if port is None:
            return _no_service(system, specs, end, role)
        if port.role != role:
            return f"{end} is a {port.role} service; a service wire goes from a required to a provided one"
    if caller is not None and server is not None and caller.type != server.type:
        return f"{wire.start} asks {caller.type}, but {wire.end} answers {server.type}"
    return None


def why_no_link(system: System, specs: Specs, link: Link) -> str | None:
    target = parameter_at(system, specs, link.end)
    if target is None:
        return _no_parameter(system, specs, link.end)
    if link.start == link.end:
        return f"{link.end} cannot be linked to itself"
    parameter, port = parameter_at(system, specs, link.start), port_at(system, specs, link.start)
    if port is not None and port.direction == "out":
        fits = target.kind in _LINKABLE.get(port.type, ())
        return None if fits else f"{link.start} sends {port.type}, which cannot set a {target.kind} ({link.end})"
    if parameter is None:
        return f"{link.start} is neither a parameter nor an out port"
    if parameter.kind != target.kind and (parameter.kind, target.kind) != ("int", "float"):
        return f"{link.start} is a {parameter.kind}, but {link.end} a {target.kind}"
    return None


def parameter_at(system: System, specs: Specs, end: Endpoint) -> ParameterSpec | None:
    spec = spec_of(system, specs, end.node)
    return spec.parameter(end.port) if spec else None


def parameter_values(component: Component, spec: ComponentSpec) -> dict[str, Value]:
    """What it runs with: defaults, then its parameter set, then its own settings. SpecError if one is wrong."""
    values = {parameter.name: parameter.default for parameter in spec.parameters}
    values |= set_values(component, spec, component.parameter_set)
    for name, text in component.parameters.items():
        parameter = spec.parameter(name)
        if parameter is None:
            raise SpecError(f"{spec.type} has no parameter {name}", hint=did_you_mean(name, values))
        values[name] = parameter.parse(text)
    return values


def _behind(source: Source, port: str) -> tuple[LiveProvider, Endpoint] | None:
    provider = source.provider(source.mode)
    inner = provider.binds.get(port) if isinstance(provider, LiveProvider) else None
    return (provider, inner) if isinstance(provider, LiveProvider) and inner else None


def _inner_port(inner: tuple[LiveProvider, Endpoint], specs: Specs) -> PortSpec | None:
    component = inner[0].component(inner[1].node)
    spec = specs.get(component.type) if component else None
    return spec.port(inner[1].port) if spec else None


def _unbound_topics(source: Source, provider: object, specs: Specs) -> Iterator[tuple[str, str, str]]:
    if not isinstance(provider, LiveProvider):
        return
    bound = set(provider.binds.values())
    for component in provider.components:
        spec = specs.get(component.type)
        for port in spec.ports if spec else ():
            end = Endpoint(component.name, port.name)
            if port.direction == "out" and end not in bound:
                yield topic_of(end), port.type, f"{source.name} ({component.name})"


def _no_port(system: System, specs: Specs, end: Endpoint, direction: str) -> str:
    if end.node not in system.nodes:
        return _no_node(system, end)
    names = [port.name for port in ports_of(system, specs, end.node) if port.direction == direction]
    return _lacking(system, end, f"{direction} port", names)


def _no_service(system: System, specs: Specs, end: Endpoint, role: str) -> str:
    if end.node not in system.nodes:
        return _no_node(system, end)
    spec = spec_of(system, specs, end.node)
    return _lacking(system, end, f"{role} service", [s.name for s in spec.services if s.role == role] if spec else [])


def _no_parameter(system: System, specs: Specs, end: Endpoint) -> str:
    if end.node not in system.nodes:
        return _no_node(system, end)
    spec = spec_of(system, specs, end.node)
    return _lacking(system, end, "parameter", [parameter.name for parameter in spec.parameters] if spec else [])


def _no_node(system: System, end: Endpoint) -> str:
    for source in system.sources:
        if any(inner.name == end.node for inner in source.inner_components()):
            return f"{end.node} is inside the source {source.name}: connect to a port of {source.name} instead"
    hint = did_you_mean(end.node, system.nodes.keys())
    return f"there is no component or source {end.node}" + (f"; {hint}" if hint else "")


def _lacking(system: System, end: Endpoint, what: str, names: list[str]) -> str:
    node = system.nodes[end.node]
    kind = f" ({node.type})" if isinstance(node, Component) else ""
    hint = did_you_mean(end.port, names)
    return f"{end.node}{kind} has no {what} {end.port}" + (f"; {hint}" if hint else "")
