"""Edits that remove a finding of the check, where one is at hand: found from the system, done like any other edit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

from studio.errors import Problem
from studio.model.geometry.library import Library
from studio.model.geometry_check import GEOMETRY, find_geometry, suggested_assemblies
from studio.model.parameter_choices import choices_of
from studio.model.parameter_sets import set_names
from studio.model.parts import Component, Connection, Endpoint, GeometryUse, Link, ServiceWire, Wire
from studio.model.source_edits import ChooseModes
from studio.model.source_fixes import fixes_for
from studio.model.source_making import SetProviderParameters
from studio.model.sources import Source, Specs
from studio.model.spec import ComponentSpec
from studio.model.system import System
from studio.model.system_edits import (
    Connect,
    Disconnect,
    Rewire,
    SetActivation,
    SetGeometry,
    SetHost,
    SetParameters,
    SetParameterSet,
    SetType,
    SystemEdit,
)
from studio.model.wiring import port_at, ports_of, service_at, spec_of, why_no_link, why_no_service, why_no_wire
from studio.paths import model_roots


@dataclass(frozen=True)
class Fix:
    text: str
    """What a click does: `Remove the wire`."""
    edit: SystemEdit


def fixes(problem: Problem, system: System, specs: Specs, folder: Path | None = None) -> list[Fix]:
    """The best one first; empty where only the user can know. `folder`: of the project, where models may lie."""
    if problem.subject == GEOMETRY:
        return list(_of_geometry(system, specs, folder))
    connection = next((each for each in _connections(system) if str(each) == problem.subject), None)
    if connection is not None:
        return list(_of_connection(connection, system, specs))
    name, _, rest = problem.subject.partition(".")
    node = system.nodes.get(name)
    if isinstance(node, Source):
        if not rest:
            return list(_of_source(node, problem))
        named = list(_of_inner_name(node, rest, system, specs, folder))
        return named or [Fix(fix.text, fix.edit) for fix in fixes_for(node, rest, problem.message, specs)]
    if not isinstance(node, Component):
        return []
    spec = specs.get(node.type)
    if not rest:
        return list(_of_component(node, spec, specs, problem))
    if spec is None:
        return []
    found = _nearest_name(node, spec, rest, system, specs, folder)
    named = [Fix(f"Use {found}", SetParameters(node.name, {rest: found}))] if found else []
    return [*named, *_of_parameter(node, spec, rest), *_of_open_end(Endpoint(name, rest), system, specs)]


def _of_geometry(system: System, specs: Specs, folder: Path | None) -> Iterator[Fix]:
    """The vehicles of its simulators, or the model whose name is most like the one that is not there."""
    library = Library(model_roots(folder))
    if system.geometry is None:
        for name in suggested_assemblies(system, specs):
            yield Fix(f"Use {name}", SetGeometry(GeometryUse(name)))
        return
    if find_geometry(system.geometry, folder).model is None:
        near = get_close_matches(system.geometry.assembly, library.names(), n=1, cutoff=0.6)
        for name in dict.fromkeys([*near, *suggested_assemblies(system, specs)]):
            yield Fix(f"Use {name}", SetGeometry(replace(system.geometry, assembly=name)))
    if system.geometry.joints is not None and port_at(system, specs, system.geometry.joints) is None:
        yield Fix("Let no joints move", SetGeometry(replace(system.geometry, joints=None)))


def _of_inner_name(source: Source, rest: str, system: System, specs: Specs, folder: Path | None) -> Iterator[Fix]:
    """`rest`: component and parameter inside the source."""
    inner, _, parameter = rest.partition(".")
    for mode, provider in source.live_providers():
        component = provider.component(inner)
        spec = specs.get(component.type) if component is not None else None
        if component is not None and spec is not None and parameter:
            found = _nearest_name(component, spec, parameter, system, specs, folder)
            if found:
                yield Fix(f"Use {found}", SetProviderParameters(source.name, mode, inner, {parameter: found}))


def _nearest_name(
    node: Component, spec: ComponentSpec, name: str, system: System, specs: Specs, folder: Path | None
) -> str:
    """Of what a parameter could name, the one that is spelt most like what it names now; empty if that is there."""
    parameter = spec.parameter(name)
    if parameter is None or folder is None:
        return ""
    found = find_geometry(system.geometry, folder).model if system.geometry is not None else None
    known = choices_of(parameter, system, specs, folder, found)
    value = node.parameters.get(name, "")
    near = get_close_matches(value, known, n=1, cutoff=0.6) if value not in known else []
    return near[0] if near else ""


def _connections(system: System) -> Iterator[Connection]:
    yield from system.wires
    yield from system.services
    yield from system.links


def _of_connection(connection: Connection, system: System, specs: Specs) -> Iterator[Fix]:
    if isinstance(connection, Wire):
        for fixed in _nearer_wires(connection, system, specs):
            if why_no_wire(system, specs, fixed) is None and fixed.key not in system.wires:
                end = fixed.end if fixed.end != connection.end else fixed.start
                yield Fix(f"Wire it to {end}", Rewire(connection, fixed))
                break
        wrong = why_no_wire(system, specs, connection)
    elif isinstance(connection, ServiceWire):
        wrong = why_no_service(system, specs, connection)
    else:
        wrong = why_no_link(system, specs, connection) if isinstance(connection, Link) else None
    if wrong is not None:
        yield Fix("Remove it", Disconnect((connection,)))


def _nearer_wires(wire: Wire, system: System, specs: Specs) -> Iterator[Wire]:
    """With the end that is not there replaced by ports of that component: those that are spelt alike first."""
    for side, direction in (("start", "out"), ("end", "in")):
        end: Endpoint = getattr(wire, side)
        if end.node in system.nodes and port_at(system, specs, end) is None:
            names = [port.name for port in ports_of(system, specs, end.node) if port.direction == direction]
            near = get_close_matches(end.port, names, n=3, cutoff=0.6)
            for name in [*near, *(each for each in names if each not in near)]:
                yield replace(wire, **{side: Endpoint(end.node, name)})  # type: ignore[arg-type]


def _of_source(source: Source, problem: Problem) -> Iterator[Fix]:
    if source.provider(source.mode) is None:
        for mode in source.modes[:2]:
            yield Fix(f"Switch it to {mode}", ChooseModes({source.name: mode}))


def _of_component(node: Component, spec: ComponentSpec | None, specs: Specs, problem: Problem) -> Iterator[Fix]:
    if spec is None:
        for near in get_close_matches(node.type, list(specs.types()), n=2, cutoff=0.6):
            yield Fix(f"Make it a {near}", SetType(node.name, near))
        return
    if "mode" in problem.message and node.mode is not None and node.mode not in spec.activations:
        yield Fix(f"Let it act on {spec.activations[0]}", SetActivation(node.name, None))
    if "period" in problem.message and node.period_s is not None:
        if "periodic" in spec.activations and node.mode is None:
            yield Fix("Make it periodic", SetActivation(node.name, "periodic", node.period_s))
        yield Fix("Remove the period", SetActivation(node.name, node.mode))
    known_sets = set_names(node, spec)
    if "parameter set" in problem.message and node.parameter_set and node.parameter_set not in known_sets:
        alike = get_close_matches(node.parameter_set, known_sets, n=1)
        text = f"Take {alike[0]}" if alike else "Take none"
        yield Fix(text, SetParameterSet(node.name, alike[0] if alike else ""))
    if "host" in problem.message and node.host:
        if "not declared" in problem.message:
            yield Fix(f"Make the host {node.host}", SetHost((node.name,), node.host))
        yield Fix("Run it alone", SetHost((node.name,), ""))


def _of_parameter(node: Component, spec: ComponentSpec, name: str) -> Iterator[Fix]:
    if name not in node.parameters:
        return
    if spec.parameter(name) is None:
        known = [parameter.name for parameter in spec.parameters if parameter.name not in node.parameters]
        for near in get_close_matches(name, known, n=1, cutoff=0.6):
            values = {name: None, near: node.parameters[name]}
            yield Fix(f"Rename it to {near}", SetParameters(node.name, values))
        yield Fix("Remove the setting", SetParameters(node.name, {name: None}))
    else:
        yield Fix("Use the default", SetParameters(node.name, {name: None}))


def _of_open_end(end: Endpoint, system: System, specs: Specs) -> Iterator[Fix]:
    """A port that waits for a wire, where only one could be meant."""
    port = port_at(system, specs, end)
    if port is not None and port.direction == "in" and all(wire.end != end for wire in system.wires):
        found = [
            Endpoint(node.name, other.name)
            for node in system.nodes
            for other in ports_of(system, specs, node.name)
            if other.direction == "out" and other.type == port.type and node.name != end.node
        ]
        wires = [Wire(start, end) for start in found]
        fitting = [wire for wire in wires if why_no_wire(system, specs, wire) is None]
        if len(fitting) == 1:
            yield Fix(f"Wire it from {fitting[0].start}", Connect(fitting[0]))
    asked = service_at(system, specs, end)
    if asked is not None and asked.role == "required" and all(wire.start != end for wire in system.services):
        answers = [
            ServiceWire(end, Endpoint(node.name, service.name))
            for node in system.components
            for service in getattr(spec_of(system, specs, node.name), "services", ())
            if service.role == "provided" and service.type == asked.type and node.name != end.node
        ]
        if len(answers) == 1:
            yield Fix(f"Ask {answers[0].end.node}", Connect(answers[0]))
