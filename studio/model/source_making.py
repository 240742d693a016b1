"""How sources come about: out of a component that is there, and by giving them further providers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches

from studio.model.changes import ModelError
from studio.model.parts import Component, Connection, Endpoint, Wire
from studio.model.source_edits import SetProvider
from studio.model.sources import LiveProvider, Source, SourceMode, Specs
from studio.model.spec import ComponentSpec, PortSpec, Value
from studio.model.system import System
from studio.model.system_edits import SystemEdit, changed_parameters


@dataclass(frozen=True)
class MakeSource(SystemEdit):
    """A component becomes the provider of a source that has its name, its ports, its wires and its place.

    Who listens notices nothing: the topics are the same. The component itself goes on inside, under another name.
    """

    component: str
    mode: SourceMode
    ports: tuple[PortSpec, ...]
    """Those of the component's type."""

    @property
    def label(self) -> str:
        return f"Turn {self.component} into a data source"

    def apply(self, system: System, /) -> None:
        component = system.component(self.component)
        if self.mode == "logged":
            raise ModelError("a log is not a component", hint="make the source first, then give it a log")
        if not any(port.direction == "out" for port in self.ports):
            raise ModelError(
                f"{component.name} sends nothing", hint="only components with out ports can become a source"
            )
        others = _not_data(system, component.name)
        if others:
            hint = f"remove {others[0]} first; a source has data ports only"
            raise ModelError(f"{component.name} has services or links", hint=hint)
        inner = replace(component, name=system.free_name(f"{component.name}_{self.mode}"), origin=None)
        binds = {port.name: Endpoint(inner.name, port.name) for port in self.ports}
        ports = tuple(PortSpec(port.name, port.direction, port.type, truth=port.truth) for port in self.ports)
        source = Source(component.name, self.mode, ports).with_provider(self.mode, LiveProvider((inner,), binds))
        system.exchange_node(source)


def _not_data(system: System, component: str) -> list[Connection]:
    """Its services and links, which a source cannot have."""
    return [each for each in system.connections_of(component) if not isinstance(each, Wire)]


def offered_as_source(system: System, component: Component, spec: ComponentSpec | None) -> SourceMode | None:
    """The kind of data source that a user probably wants to make of a component; None: probably none at all."""
    if spec is None or spec.category not in ("sensor", "actuator") or _not_data(system, component.name):
        return None
    if not any(port.direction == "out" for port in spec.ports):
        return None
    is_simulator = bool(spec.assembly) or any(port.truth for port in spec.ports)
    return "simulated" if is_simulator else "real"


@dataclass(frozen=True)
class RemoveProvider(SystemEdit):
    """The one that is in use stays: nobody should be switched to another by taking something away."""

    source: str
    mode: SourceMode

    @property
    def label(self) -> str:
        return f"Remove the {self.mode} provider of {self.source}"

    def apply(self, system: System, /) -> None:
        source = system.source(self.source)
        if source.provider(self.mode) is None:
            raise ModelError(f"{self.source} has no {self.mode} provider")
        if source.mode == self.mode:
            hint = "switch it to another provider first" if len(source.modes) > 1 else "add another provider first"
            raise ModelError(f"{self.source} is {self.mode} now", hint=hint)
        system.replace_node(source.with_provider(self.mode, None))


@dataclass(frozen=True)
class SetProviderParameters(SystemEdit):
    """As `SetParameters`, for a component inside a source."""

    source: str
    mode: SourceMode
    component: str
    values: Mapping[str, Value | None]
    gesture: Hashable | None = None

    @property
    def label(self) -> str:
        return f"Set {' and '.join(self.values)} of {self.component}"

    @property
    def merge_key(self) -> Hashable | None:
        if self.gesture is None:
            return None
        return ("provider", self.source, self.mode, self.component, frozenset(self.values), self.gesture)

    def apply(self, system: System, /) -> None:
        source = system.source(self.source)
        provider = source.provider(self.mode)
        if not isinstance(provider, LiveProvider) or provider.component(self.component) is None:
            raise ModelError(f"the {self.mode} provider of {self.source} has no component {self.component}")
        components = tuple(
            replace(each, parameters=changed_parameters(each.parameters, self.values))
            if each.name == self.component
            else each
            for each in provider.components
        )
        system.replace_node(source.with_provider(self.mode, replace(provider, components=components)))


@dataclass(frozen=True)
class Offer:
    """A type of components that could stand behind a source."""

    spec: ComponentSpec
    binds: Mapping[str, str]
    """Port of the source: port of the component."""
    missing: tuple[str, ...]
    """Ports of the source that it has nothing for."""

    def edit(self, system: System, source: Source, mode: SourceMode) -> SetProvider:
        inside = {source.name, *(each.name for each in source.inner_components())}
        name = system.free_name(self.spec.type, also_taken=inside)
        binds = {port: Endpoint(name, inner) for port, inner in self.binds.items()}
        return SetProvider(source.name, mode, LiveProvider((Component(name, self.spec.type),), binds))


def offers_for(source: Source, mode: SourceMode, specs: Specs) -> list[Offer]:
    """Types that have something for the out ports of a source: those that have everything first."""
    found = []
    for type_name in specs.types():
        spec = specs.get(type_name)
        if spec is not None:
            offer = _offer(source, mode, spec)
            if any(port.direction == "out" and port.name in offer.binds for port in source.ports):
                found.append(offer)
    return sorted(found, key=lambda offer: (len(offer.missing), offer.spec.type))


def _offer(source: Source, mode: SourceMode, spec: ComponentSpec) -> Offer:
    """Ports that are called alike first: what is left over then goes to the rest of its type, in order."""
    free = list(spec.ports)
    binds: dict[str, str] = {}
    for choose in (_of_the_same_name, _alike, _first):
        for port in source.ports:
            if port.name in binds:
                continue
            fitting = [each for each in free if (each.direction, each.type) == (port.direction, port.type)]
            if port.truth and mode != "simulated":
                continue
            chosen = choose(port, [each for each in fitting if port.truth or not each.truth])
            if chosen is not None:
                binds[port.name] = chosen.name
                free.remove(chosen)
    needed = [port for port in source.ports if not port.truth or mode == "simulated"]
    ordered = {port.name: binds[port.name] for port in source.ports if port.name in binds}
    return Offer(spec, ordered, tuple(port.name for port in needed if port.name not in binds))


def _of_the_same_name(port: PortSpec, fitting: Iterable[PortSpec]) -> PortSpec | None:
    return next((each for each in fitting if each.name == port.name), None)


def _alike(port: PortSpec, fitting: Iterable[PortSpec]) -> PortSpec | None:
    by_name = {each.name: each for each in fitting}
    alike = get_close_matches(port.name, by_name, n=1, cutoff=0.6)
    return by_name[alike[0]] if alike else None


def _first(port: PortSpec, fitting: Iterable[PortSpec]) -> PortSpec | None:
    return next(iter(fitting), None)
