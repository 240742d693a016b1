"""Edits of sources: what they offer, who provides it, which provider runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from studio.model.changes import ModelError
from studio.model.sources import LiveProvider, LogProvider, SourceMode
from studio.model.spec import PortSpec
from studio.model.system import System
from studio.model.system_edits import SystemEdit, shown

V = TypeVar("V")


@dataclass(frozen=True)
class ChooseModes(SystemEdit):
    """Which provider runs, for one source or for several at once."""

    modes: Mapping[str, SourceMode]

    @property
    def label(self) -> str:
        chosen = set(self.modes.values())
        return f"Switch {shown(self.modes)} to {chosen.pop()}" if len(chosen) == 1 else f"Switch {shown(self.modes)}"

    def apply(self, system: System, /) -> None:
        for name, mode in self.modes.items():
            source = system.source(name)
            if source.provider(mode) is None:
                hint = "it has " + (", ".join(source.modes) or "no provider at all")
                raise ModelError(f"{name} has no {mode} provider", hint=hint)
            system.replace_node(replace(source, mode=mode))


@dataclass(frozen=True)
class SetProvider(SystemEdit):
    """Give a source a provider, change it, or take it away with None."""

    source: str
    mode: SourceMode
    provider: LiveProvider | LogProvider | None

    @property
    def label(self) -> str:
        return f"Change the {self.mode} provider of {self.source}"

    def apply(self, system: System, /) -> None:
        source = system.source(self.source)
        old, provider = source.provider(self.mode), self.provider
        if old is not None and provider is not None:
            provider = replace(provider, origin=old.origin)
        system.replace_node(source.with_provider(self.mode, provider))


@dataclass(frozen=True)
class MapTopics(SystemEdit):
    """Which topic of the log feeds each out port."""

    source: str
    topics: Mapping[str, str]

    @property
    def label(self) -> str:
        return f"Map the log of {self.source}"

    def apply(self, system: System, /) -> None:
        source = system.source(self.source)
        if source.logged is None:
            raise ModelError(f"{self.source} has no log", hint="give it a logged provider first")
        system.replace_node(replace(source, logged=replace(source.logged, topics=dict(self.topics))))


@dataclass(frozen=True)
class AddSourcePort(SystemEdit):
    source: str
    port: PortSpec

    @property
    def label(self) -> str:
        return f"Add port {self.port.name} to {self.source}"

    def apply(self, system: System, /) -> None:
        source = system.source(self.source)
        system.replace_node(replace(source, ports=(*source.ports, self.port)))


@dataclass(frozen=True)
class RemoveSourcePort(SystemEdit):
    """With its wires and what is bound to it."""

    source: str
    port: str

    @property
    def label(self) -> str:
        return f"Remove port {self.port} of {self.source}"

    def apply(self, system: System, /) -> None:
        for wire in system.wires_of(self.source):
            if (self.source, self.port) in wire.key:
                system.disconnect(wire)
        source = system.source(self.source)
        source = replace(source, ports=tuple(port for port in source.ports if port.name != self.port))
        for mode, provider in source.live_providers():
            source = source.with_provider(mode, replace(provider, binds=_without(provider.binds, self.port)))
        if source.logged is not None:
            source = replace(source, logged=replace(source.logged, topics=_without(source.logged.topics, self.port)))
        system.replace_node(source)


@dataclass(frozen=True)
class RenameSourcePort(SystemEdit):
    source: str
    old: str
    new: str

    @property
    def label(self) -> str:
        return f"Rename port {self.old} of {self.source} to {self.new}"

    def apply(self, system: System, /) -> None:
        system.rename_source_port(self.source, self.old, self.new)


def _without(mapping: Mapping[str, V], key: str) -> dict[str, V]:
    return {name: value for name, value in mapping.items() if name != key}
