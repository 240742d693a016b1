"""Values of parameters that are given for one run: in memory only, the project's file stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.model.loaded_project import LoadedProject, changed_text, open_project
from studio.model.parts import Component
from studio.model.registry import Registry
from studio.model.source_making import SetProviderParameters
from studio.model.sources import SOURCE_MODES, LiveProvider
from studio.model.spec import Value
from studio.model.system import System
from studio.model.system_edits import SetParameters, SystemEdit

Set = Callable[[Mapping[str, Value | None]], SystemEdit]
"""Makes the edit that sets parameters of one component."""


@dataclass(frozen=True)
class GivenParameter:
    component: str
    name: str
    text: str
    """Its value, as in an attribute of the file."""


def with_parameters(
    opened: LoadedProject, given: Iterable[GivenParameter], text: bytes | None = None
) -> tuple[LoadedProject, bytes]:
    """The project with these values, and its system as text. Of two values of one parameter the last counts. `text`: of
    a system that is not in its file."""
    for each in given:
        for edit in _edits(opened.system, opened.registry, each):
            edit.apply(opened.system)
    changed = changed_text(opened, text)
    return open_project(opened.folder, changed), changed


def settable_parameters(opened: LoadedProject) -> Iterator[str]:
    """`component.parameter` of all that could be given."""
    for component, _ in _components(opened.system):
        spec = opened.registry.get(component.type)
        yield from (f"{component.name}.{each.name}" for each in (spec.parameters if spec else ()))


def _edits(system: System, registry: Registry, given: GivenParameter) -> list[SystemEdit]:
    """More than one where several providers of a source have a component of that name."""
    known = list(_components(system))
    found = [(registry.require(component.type), edit) for component, edit in known if component.name == given.component]
    if not found:
        hint = did_you_mean(given.component, [component.name for component, _ in known])
        raise StudioError(f"the system has no component {given.component}", hint=hint)
    declared = [(parameter, edit) for spec, edit in found if (parameter := spec.parameter(given.name)) is not None]
    if not declared:
        hint = did_you_mean(given.name, [each.name for spec, _ in found for each in spec.parameters])
        raise StudioError(f"{given.component} has no parameter {given.name}", hint=hint)
    leader = next((link.start for link in system.links if link.end == (given.component, given.name)), None)
    if leader is not None:
        follows = f"{given.component}.{given.name} follows {leader.node}.{leader.port}"
        raise StudioError(follows, hint=f"set {leader.node}.{leader.port}, or take the link away")
    return [edit({given.name: parameter.parse(given.text)}) for parameter, edit in declared]


def _components(system: System) -> Iterator[tuple[Component, Set]]:
    """Those of the graph, and those that stand behind its sources."""
    for component in system.components:
        yield component, partial(SetParameters, component.name)
    for source in system.sources:
        for mode in SOURCE_MODES:
            provider = source.provider(mode)
            for component in provider.components if isinstance(provider, LiveProvider) else ():
                yield component, partial(SetProviderParameters, source.name, mode, component.name)
