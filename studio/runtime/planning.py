"""Makes a plan of a system: which components run where, on which topics, with which parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from studio.errors import StudioError
from studio.model.parts import Component, Endpoint
from studio.model.sources import LiveProvider, Source, Specs
from studio.model.spec import CommandEntry, ComponentSpec
from studio.model.system import System
from studio.model.wiring import parameter_values
from studio.runtime.channel.frames import Origin
from studio.runtime.clock import SECOND_NS
from studio.runtime.plan import Inlet, Plan, PlannedComponent

ORIGINS = {"real": Origin.REAL, "simulated": Origin.SIMULATED, "logged": Origin.LOGGED}


class PlanError(StudioError):
    """A system that cannot be run as it is."""


@dataclass(frozen=True)
class _Node:
    """A component as it runs: by itself, or inside the chosen provider of a source."""

    name: str
    component: Component
    spec: ComponentSpec
    source: Source | None = None


def plan_of(system: System, specs: Specs, *, project: Path | None = None, seed: int = 0) -> Plan:
    """The plan of `system` with the chosen provider of every source. Hosts and places follow the system file."""
    nodes = list(_nodes(system, specs))
    planner = _Planner(system, nodes)
    components = tuple(planner.plan(place, node) for place, node in enumerate(nodes))
    return Plan(_with_origins(components), seed, str(project.absolute()) if project else "")


def _nodes(system: System, specs: Specs) -> Iterator[_Node]:
    for node in system.nodes:
        if isinstance(node, Source):
            provider = node.provider(node.mode)
            if provider is None:
                raise PlanError(
                    f"source {node.name} has no {node.mode} provider", hint=f"it has: {', '.join(node.modes)}"
                )
            if isinstance(provider, LiveProvider):
                for component in provider.components:
                    yield _Node(f"{node.name}.{component.name}", component, _spec(component, specs), node)
        else:
            yield _Node(node.name, node, _spec(node, specs))


def _spec(component: Component, specs: Specs) -> ComponentSpec:
    spec = specs.get(component.type)
    if spec is None:
        raise PlanError(f"{component.name} is of unknown type {component.type}", hint="run: studio check")
    return spec


class _Planner:
    def __init__(self, system: System, nodes: list[_Node]) -> None:
        self._system = system
        self._nodes = {node.name: node for node in nodes}
        self._bound = {
            (f"{source.name}.{inner.node}", inner.port): f"/{source.name}/{port}"
            for source in system.sources
            if isinstance(provider := source.provider(source.mode), LiveProvider)
            for port, inner in provider.binds.items()
        }
        """Ports of components inside sources -> the source's topics: the same whoever provides them."""

    def plan(self, place: int, node: _Node) -> PlannedComponent:
        component, spec = node.component, node.spec
        activation = component.mode or spec.activations[0]
        period_s = component.period_s if component.period_s is not None else spec.period_s
        entry = " ".join(spec.entry.command) if isinstance(spec.entry, CommandEntry) else str(spec.entry)
        return PlannedComponent(
            name=node.name,
            type=component.type,
            place=place,
            host=component.host or node.name,
            activation=activation,
            period_ns=round(period_s * SECOND_NS) if activation == "periodic" else 0,
            parameters=parameter_values(component, spec),
            inlets=tuple(self._inlets(node)),
            outlets={port.name: self._topic(node, port.name) for port in spec.ports if port.direction == "out"},
            requires=self._requires(node),
            origin=ORIGINS[node.source.mode] if node.source else Origin.REAL,
            entry=entry,
            folder=str(spec.folder) if spec.folder else "",
            command=isinstance(spec.entry, CommandEntry),
        )

    def _topic(self, node: _Node, port: str) -> str:
        return self._bound.get((node.name, port), f"/{node.name}/{port}")

    def _inlets(self, node: _Node) -> Iterator[Inlet]:
        for wire in self._system.wires_of(node.source.name if node.source else node.name):
            port = self._inner_port(node, wire.end)
            declared = node.spec.port(port) if port else None
            if port and declared:
                yield Inlet(port, f"/{wire.start.node}/{wire.start.port}", str(wire.delivery or declared.delivery))

    def _inner_port(self, node: _Node, end: Endpoint) -> str | None:
        """The port of `node` that an end of a wire means, if it means one of its ports."""
        if node.source is None:
            return end.port if end.node == node.name else None
        if end.node != node.source.name:
            return None
        topic = f"/{end.node}/{end.port}"
        return next((port for (name, port), bound in self._bound.items() if name == node.name and bound == topic), None)

    def _requires(self, node: _Node) -> dict[str, tuple[str, str]]:
        return {
            wire.start.port: (wire.end.node, wire.end.port)
            for wire in self._system.services
            if wire.start.node == node.name and wire.end.node in self._nodes
        }


def _with_origins(components: tuple[PlannedComponent, ...]) -> tuple[PlannedComponent, ...]:
    """Every component publishes with the least trusted origin upstream of it (real > simulated > logged)."""
    origins = {component.name: component.origin for component in components}
    producers = {topic: component.name for component in components for topic in component.outlets.values()}
    changed = True
    while changed:
        changed = False
        for component in components:
            upstream = [origins[producers[inlet.topic]] for inlet in component.inlets if inlet.topic in producers]
            worst = max([origins[component.name], *upstream])
            if worst != origins[component.name]:
                origins[component.name] = worst
                changed = True
    return tuple(replace(component, origin=int(origins[component.name])) for component in components)
