"""The provider of a source that simulates by a Gazebo server: as the simulated one, with another simulator in it."""

from __future__ import annotations

from dataclasses import replace

from studio.model.changes import ModelError
from studio.model.parts import Component
from studio.model.sources import LiveProvider, Source, Specs
from studio.model.spec import ComponentSpec

GAZEBO, SIMULATOR = "gazebo", "simulator"
"""Tags of components."""


def is_on_gazebo(source: Source, specs: Specs) -> bool:
    """Whether its simulated provider has a component that uses a Gazebo server."""
    components = source.simulated.components if source.simulated else ()
    return any(GAZEBO in _tags(component, specs) for component in components)


def gazebo_provider(source: Source, specs: Specs) -> LiveProvider:
    """Its simulated provider, each simulator replaced by one of the same vehicle on a Gazebo server. Names, wires and
    the parameters that both have stay."""
    if source.simulated is None:
        raise ModelError(f"the source {source.name} has no simulated provider", hint="add one: <simulated>")
    used = {(end.node, end.port) for end in source.simulated.binds.values()}
    components = tuple(
        _on_gazebo(component, {port for node, port in used if node == component.name}, specs)
        if SIMULATOR in _tags(component, specs) and GAZEBO not in _tags(component, specs)
        else component
        for component in source.simulated.components
    )
    found = replace(source.simulated, components=components)
    if not any(GAZEBO in _tags(component, specs) for component in components):
        raise ModelError(f"the simulated provider of {source.name} has no simulator", hint="see docs/guide/gazebo.md")
    return found


def _on_gazebo(component: Component, used: set[str], specs: Specs) -> Component:
    spec = specs.get(component.type)
    assert spec is not None
    for name in sorted(specs.types()):
        other = specs.get(name)
        if other is not None and {GAZEBO, SIMULATOR} <= set(other.tags) and _is_alike(spec, other, used):
            known = {parameter.name for parameter in other.parameters}
            kept = {key: value for key, value in component.parameters.items() if key in known}
            return replace(component, type=other.type, parameters=kept)
    raise ModelError(
        f"no component does what {component.type} does with a Gazebo server",
        hint="write one: class MyGazebo(GazeboService), see docs/guide/gazebo.md",
    )


def _is_alike(spec: ComponentSpec, other: ComponentSpec, used: set[str]) -> bool:
    """Of the same vehicles: the ports that are used are there, with the same types."""

    def shape(of: ComponentSpec, name: str) -> tuple[str, str] | None:
        port = of.port(name)
        return None if port is None else (port.direction, port.type)

    return spec.assembly == other.assembly and all(shape(spec, name) == shape(other, name) for name in used)


def _tags(component: Component, specs: Specs) -> tuple[str, ...]:
    spec = specs.get(component.type)
    return spec.tags if spec is not None else ()
