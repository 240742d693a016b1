"""Which simulator stands behind a source: the embedded one, or a Gazebo server.

Both are the simulated provider of the source: the same names, ports and wires, with another component in it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final, Literal

from studio.model.changes import ModelError
from studio.model.parts import Component
from studio.model.source_edits import ChooseModes, SetProvider
from studio.model.sources import SOURCE_MODES, LiveProvider, Source, SourceMode, Specs
from studio.model.spec import ComponentSpec
from studio.model.system_edits import Compound, SystemEdit

GAZEBO: Final = "gazebo"
SIMULATOR: Final = "simulator"
"""Tags of components."""
SERVER = "server"
"""The parameter that names a server that runs already."""
Choice = SourceMode | Literal["gazebo"]
"""What a person chooses for a source: one of its modes, or that a Gazebo server simulates it."""


def mode_of_choice(choice: Choice) -> SourceMode:
    """Data of a Gazebo server is simulated, too."""
    return "simulated" if choice == "gazebo" else choice


def is_on_gazebo(source: Source, specs: Specs) -> bool:
    """Whether its simulated provider has a component that uses a Gazebo server."""
    components = source.simulated.components if source.simulated else ()
    return any(GAZEBO in _tags(component, specs) for component in components)


def choice_of(source: Source, specs: Specs) -> Choice:
    """What it has now."""
    return GAZEBO if source.mode == "simulated" and is_on_gazebo(source, specs) else source.mode


def choices_of(source: Source, specs: Specs) -> tuple[Choice, ...]:
    """What it can have: Gazebo where a component does there what its simulator does, and the other way round."""
    found: list[Choice] = [mode for mode in SOURCE_MODES if source.provider(mode) is not None]
    if is_on_gazebo(source, specs):
        if not _can(source, specs, to_gazebo=False):
            found.remove("simulated")
        return (*found, GAZEBO)
    return (*found, GAZEBO) if _can(source, specs, to_gazebo=True) else tuple(found)


def segments_of(choices: Collection[Choice]) -> list[Choice]:
    """What a switch shows: each mode, whether it can be chosen or not, and Gazebo only where it can."""
    shown: list[Choice] = list(SOURCE_MODES)
    return [*shown, GAZEBO] if GAZEBO in choices else shown


def choose(source: Source, choice: Choice, specs: Specs, server: str = "") -> SystemEdit:
    """What brings the source to this choice, as one edit. `server`: of a Gazebo server that runs already."""
    chosen = ChooseModes({source.name: mode_of_choice(choice)})
    if choice == GAZEBO:
        provider = gazebo_provider(source, specs, server)
    elif choice == "simulated" and is_on_gazebo(source, specs):
        provider = embedded_provider(source, specs)
    else:
        return chosen
    word = "Gazebo" if choice == GAZEBO else "the embedded simulator"
    return Compound(f"Switch {source.name} to {word}", (SetProvider(source.name, "simulated", provider), chosen))


def gazebo_provider(source: Source, specs: Specs, server: str = "") -> LiveProvider:
    """Its simulated provider, each simulator replaced by one of the same vehicle on a Gazebo server. Names, wires and
    the parameters that both have stay. `server`: of one that runs already; empty: each run starts one."""
    found = _exchanged(source, specs, to_gazebo=True)
    components = tuple(
        replace(each, parameters=_at(each.parameters, server)) if GAZEBO in _tags(each, specs) else each
        for each in found.components
    )
    return replace(found, components=components)


def embedded_provider(source: Source, specs: Specs) -> LiveProvider:
    """The other way round."""
    return _exchanged(source, specs, to_gazebo=False)


def _can(source: Source, specs: Specs, *, to_gazebo: bool) -> bool:
    try:
        _exchanged(source, specs, to_gazebo=to_gazebo)
    except ModelError:
        return False
    return True


def _at(parameters: Mapping[str, str], server: str) -> dict[str, str]:
    kept = {name: value for name, value in parameters.items() if name != SERVER}
    return kept | ({SERVER: server} if server else {})


def _exchanged(source: Source, specs: Specs, *, to_gazebo: bool) -> LiveProvider:
    if source.simulated is None:
        raise ModelError(f"the source {source.name} has no simulated provider", hint="add one: <simulated>")
    used = {(end.node, end.port) for end in source.simulated.binds.values()}
    components = tuple(
        _twin(component, {port for node, port in used if node == component.name}, specs, to_gazebo=to_gazebo)
        if _is_simulator(component, specs) and (GAZEBO in _tags(component, specs)) != to_gazebo
        else component
        for component in source.simulated.components
    )
    if not any(_is_simulator(component, specs) for component in components):
        raise ModelError(f"the simulated provider of {source.name} has no simulator", hint="see docs/guide/gazebo.md")
    return replace(source.simulated, components=components)


def _twin(component: Component, used: set[str], specs: Specs, *, to_gazebo: bool) -> Component:
    spec = specs.get(component.type)
    assert spec is not None
    for name in sorted(specs.types()):
        other = specs.get(name)
        is_fit = other is not None and SIMULATOR in other.tags and (GAZEBO in other.tags) == to_gazebo
        if other is not None and is_fit and _is_alike(spec, other, used):
            known = {parameter.name for parameter in other.parameters}
            kept = {key: value for key, value in component.parameters.items() if key in known}
            return replace(component, type=other.type, parameters=kept)
    if not to_gazebo:
        raise ModelError(f"no component can replace {component.type} does without a Gazebo server")
    raise ModelError(
        f"no component can replace {component.type} does with a Gazebo server",
        hint="write one: class MyGazebo(GazeboService), see docs/guide/gazebo.md",
    )


def _is_alike(spec: ComponentSpec, other: ComponentSpec, used: set[str]) -> bool:
    """Of the same vehicles: the ports that are used are there, with the same types."""

    def shape(of: ComponentSpec, name: str) -> tuple[str, str] | None:
        port = of.port(name)
        return None if port is None else (port.direction, port.type)

    return spec.assembly == other.assembly and all(shape(spec, name) == shape(other, name) for name in used)


def _is_simulator(component: Component, specs: Specs) -> bool:
    return SIMULATOR in _tags(component, specs)


def _tags(component: Component, specs: Specs) -> tuple[str, ...]:
    spec = specs.get(component.type)
    return spec.tags if spec is not None else ()
