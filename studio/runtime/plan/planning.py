"""Makes a plan of a system: which components run where, on which topics, with which parameters."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from studio.errors import StudioError
from studio.messages import Mail
from studio.model.geometry.content import GeometryContent
from studio.model.geometry.flat_model import content_of
from studio.model.geometry_check import find_geometry
from studio.model.parts import Component, Endpoint
from studio.model.sources import LiveProvider, LogProvider, Source, Specs
from studio.model.spec import CommandEntry, ComponentSpec, SpecError, Value
from studio.model.system import System
from studio.model.wiring import parameter_values, topic_of
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.plan.plan import Inlet, ParameterLink, Plan, PlannedComponent, RecordingPlan, with_origins
from studio.runtime.wire.frames import Origin

MAIL = Mail.TYPE
ORIGINS = {"real": Origin.REAL, "simulated": Origin.SIMULATED, "logged": Origin.LOGGED}


class PlanError(StudioError):
    """A system that cannot be run as it is."""


@dataclass(frozen=True)
class _Node:
    """A component as it runs: by itself, or inside the chosen provider of a source.

    Its name is its own in both cases: the checks see to it that names are unique across sources, so topics and service
    names read the same wherever a component stands.
    """

    component: Component
    spec: ComponentSpec
    source: Source | None = None

    @property
    def name(self) -> str:
        return self.component.name


def plan_of(
    system: System, specs: Specs, *, project: Path | None = None, seed: int = 0, record: Path | None = None
) -> Plan:
    """The plan of `system` with the chosen provider of every source. Hosts and places follow the system file.

    `record` is the log to write, with the topics that the system selects; all of them if it selects none.
    """
    nodes = list(_nodes(system, specs))
    planner = _Planner(system, nodes)
    components = tuple(planner.plan(place, node) for place, node in enumerate(nodes))
    types = _types(system, nodes, components)
    geometry = geometry_of(system, project)
    if geometry is not None:
        components = tuple(_with_geometry(node, each, system) for node, each in zip(nodes, components, strict=True))
    links = _Links(system, types)
    components = tuple(links.applied(component) for component in components)
    components = _with_origins(components, _logged_topics(system))
    recording = None if record is None else RecordingPlan(str(record.absolute()), recorded_topics(system, types))
    return Plan(
        links.values_taken_over(components), seed, str(project.absolute()) if project else "", types, recording,
        links=links.of_parameters, geometry=geometry, assembly=system.geometry.assembly if system.geometry else "",
    )  # fmt: skip


def geometry_of(system: System, project: Path | None) -> GeometryContent | None:
    """What the system's geometry is now; PlanError if it names one that cannot be had."""
    if system.geometry is None:
        return None
    found = find_geometry(system.geometry, project)
    if found.model is None:
        first = next(problem for problem in found.problems if problem.severity == "error")
        raise PlanError(f"the geometry {system.geometry.assembly} cannot be used: {first}", hint="run: studio check")
    return content_of(found.model)


def _with_geometry(node: _Node, planned: PlannedComponent, system: System) -> PlannedComponent:
    """Programs are not told. Components inside sources hear no joints: they are where data begin, and what they
    publish would else be trusted no more than what tells of the joints."""
    joints = system.geometry.joints if system.geometry is not None and node.source is None else None
    if planned.command:
        return planned
    return replace(planned, geometry=True, joints=topic_of(joints) if joints is not None else "")


class _Links:
    """Property links: an output sets a parameter like a wire, a parameter another one like a command."""

    def __init__(self, system: System, types: Mapping[str, str]) -> None:
        self._of_outputs: dict[str, list[ParameterLink]] = {}
        self.of_parameters: dict[str, tuple[str, ...]] = {}
        for link in system.links:
            topic = topic_of(link.start)
            if topic in types:
                made = ParameterLink(link.end.port, topic, types[topic])
                self._of_outputs.setdefault(link.end.node, []).append(made)
            else:
                start = str(link.start)
                self.of_parameters[start] = (*self.of_parameters.get(start, ()), str(link.end))

    def applied(self, component: PlannedComponent) -> PlannedComponent:
        links = self._of_outputs.get(component.name, ())
        if links and component.command:
            named = f"{component.name}.{links[0].parameter}"
            raise PlanError(f"{named} cannot follow an output: {component.name} is a program of its own")
        return replace(component, links=tuple(links))

    def values_taken_over(self, components: tuple[PlannedComponent, ...]) -> tuple[PlannedComponent, ...]:
        """From the start on both are equal."""
        values = {component.name: dict(component.parameters) for component in components}
        for start, ends in self._in_order():
            name, _, parameter = start.partition(".")
            for end in ends:
                other, _, theirs = end.partition(".")
                values[other][theirs] = values[name][parameter]
        return tuple(replace(component, parameters=values[component.name]) for component in components)

    def _in_order(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Those first that nothing is linked to: values go down a chain."""
        left = dict(self.of_parameters)
        while left:
            targets = {end for ends in left.values() for end in ends}
            first = next((start for start in left if start not in targets), None)
            if first is None:
                raise PlanError(f"links go in a circle: {', '.join(left)}", hint="remove one of them")
            yield first, left.pop(first)


def _types(system: System, nodes: list[_Node], components: tuple[PlannedComponent, ...]) -> dict[str, str]:
    """Topic -> message type: of what components publish, and of what a player will."""
    types = {
        topic_of(Endpoint(source.name, port.name)): port.type
        for source in system.sources
        for port in source.ports
        if port.direction == "out"
    }
    for node, planned in zip(nodes, components, strict=True):
        for port in node.spec.ports:
            if port.direction == "out":
                types[planned.outlets[port.name]] = port.type
    return types


def recorded_topics(system: System, types: Iterable[str]) -> tuple[str, ...]:
    """Those of `types` that the system selects for recording: all, if it selects none."""
    chosen = system.recording
    patterns = chosen.topics if chosen and chosen.topics else ("/*",)
    left_out = chosen.exclude if chosen else ()
    return tuple(
        topic
        for topic in types
        if any(fnmatchcase(topic, pattern) for pattern in patterns)
        and not any(fnmatchcase(topic, pattern) for pattern in left_out)
    )


def _nodes(system: System, specs: Specs) -> Iterator[_Node]:
    for node in system.nodes:
        if isinstance(node, Source):
            for component in _components_of(node):
                yield _Node(component, _spec(component, specs), node)
        else:
            yield _Node(node, _spec(node, specs))


def _components_of(source: Source) -> tuple[Component, ...]:
    provider = source.provider(source.mode)
    if provider is None:
        has = f"it has: {', '.join(source.modes)}" if source.modes else "it has no provider"
        raise PlanError(f"the source {source.name} has no {source.mode} provider", hint=has)
    return provider.components if isinstance(provider, LiveProvider) else ()


def _spec(component: Component, specs: Specs) -> ComponentSpec:
    spec = specs.get(component.type)
    if spec is None:
        raise PlanError(f"{component.name} is of unknown type {component.type}", hint="run: studio check")
    return spec


def _logged_topics(system: System) -> set[str]:
    """Topics that a player fills: nobody in the plan publishes them, yet they have an origin."""
    return {
        topic_of(Endpoint(source.name, port.name))
        for source in system.sources
        if isinstance(source.provider(source.mode), LogProvider)
        for port in source.ports
        if port.direction == "out"
    }


class _Planner:
    def __init__(self, system: System, nodes: list[_Node]) -> None:
        self._system = system
        self._names = {node.name for node in nodes}
        self._shared = {node.component.host for node in nodes}
        self._topics = {
            inner: topic_of(Endpoint(source.name, port))
            for source in system.sources
            if isinstance(provider := source.provider(source.mode), LiveProvider)
            for port, inner in provider.binds.items()
        }
        """Ports of components inside sources -> the source's topics: the same whoever provides them."""
        self._inner = {topic: inner for inner, topic in self._topics.items()}
        self._outboxes = [
            (node.name, self._topic(node, port.name))
            for node in nodes
            for port in node.spec.ports
            if port.direction == "out" and port.type == MAIL
        ]

    def plan(self, place: int, node: _Node) -> PlannedComponent:
        component, spec = node.component, node.spec
        period_s = component.period_s if component.period_s is not None else spec.period_s
        return PlannedComponent(
            name=node.name,
            type=component.type,
            place=place,
            host=component.host or self._own_host(node.name),
            activation=component.mode or spec.activations[0],
            period_ns=round(period_s * SECOND_NS),
            parameters=_parameters(node),
            inlets=tuple(self._inlets(node)),
            outlets={port.name: self._topic(node, port.name) for port in spec.ports if port.direction == "out"},
            requires=self._requires(node),
            origin=ORIGINS[node.source.mode] if node.source else Origin.REAL,
            entry=shlex.join(spec.entry.command) if isinstance(spec.entry, CommandEntry) else str(spec.entry),
            folder=str(spec.folder) if spec.folder else "",
            command=isinstance(spec.entry, CommandEntry),
            provides={each.name: (each.request, each.reply) for each in spec.services if each.role == "provided"},
            accepts={port.name: port.type for port in spec.ports if port.direction == "in"},
        )

    def _own_host(self, name: str) -> str:
        """A process of its own is called like its component, unless a shared host has that name."""
        while name in self._shared:
            name += "_alone"
        return name

    def _topic(self, node: _Node, port: str) -> str:
        end = Endpoint(node.name, port)
        return self._topics.get(end, topic_of(end)) if node.source else topic_of(end)

    def _inlets(self, node: _Node) -> Iterator[Inlet]:
        for wire in self._system.wires_of(node.source.name if node.source else node.name):
            end = self._inner.get(topic_of(wire.end)) if node.source else wire.end
            port = node.spec.port(end.port) if end and end.node == node.name else None
            if port is not None and port.direction == "in" and port.type != MAIL:
                yield Inlet(port.name, topic_of(wire.start), str(wire.delivery or port.delivery))
        for port in node.spec.ports:
            if port.direction == "in" and port.type == MAIL:  # every inbox hears every outbox
                others = (topic for other, topic in self._outboxes if other != node.name)
                yield from (Inlet(port.name, topic) for topic in others)

    def _requires(self, node: _Node) -> dict[str, tuple[str, str]]:
        return {
            wire.start.port: (wire.end.node, wire.end.port)
            for wire in self._system.services
            if wire.start.node == node.name and wire.end.node in self._names
        }


def _parameters(node: _Node) -> dict[str, Value]:
    try:
        return parameter_values(node.component, node.spec)
    except SpecError as error:
        raise PlanError(f"{node.name}: {error.message}", hint=error.hint) from None


def _with_origins(components: tuple[PlannedComponent, ...], logged: set[str]) -> tuple[PlannedComponent, ...]:
    """What a player fills makes those logged that it reaches."""
    origins = {
        component.name: component.origin if logged.isdisjoint(component.data_topics()) else int(Origin.LOGGED)
        for component in components
    }
    return with_origins(components, origins)
