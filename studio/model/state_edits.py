"""What was changed while a system ran, as edits of its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from studio.model.parts import Component
from studio.model.source_edits import ChooseModes, SetProvider
from studio.model.sources import LiveProvider, SourceMode, Specs
from studio.model.spec import ARMED, Activation, ComponentSpec, Value
from studio.model.system import System
from studio.model.system_edits import SetActivation, SetParameters, SystemEdit, changed_parameters
from studio.model.wiring import parameter_values


@dataclass(frozen=True)
class RunningComponent:
    """How a component is while it runs."""

    parameters: Mapping[str, Value]
    activation: Activation
    period_s: float | None = None


@dataclass(frozen=True)
class RunningState:
    components: Mapping[str, RunningComponent]
    sources: Mapping[str, SourceMode] = field(default_factory=dict)


def edits_to(system: System, specs: Specs, state: RunningState) -> Iterator[SystemEdit]:
    """So that the next run begins as this one is. What a link sets is left alone, and who was armed."""
    chosen = {source.name: state.sources.get(source.name, source.mode) for source in system.sources}
    modes = {source.name: chosen[source.name] for source in system.sources if chosen[source.name] != source.mode}
    if modes:
        yield ChooseModes(modes)
    for component in system.components:
        now, spec = state.components.get(component.name), specs.get(component.type)
        if now is not None and spec is not None:
            yield from _of_component(system, component, spec, now)
    for source in system.sources:
        provider = source.provider(chosen[source.name])
        if isinstance(provider, LiveProvider):
            inner = tuple(_as_it_is(system, component, specs, state) for component in provider.components)
            if inner != provider.components:
                yield SetProvider(source.name, chosen[source.name], replace(provider, components=inner))


def _of_component(
    system: System, component: Component, spec: ComponentSpec, now: RunningComponent
) -> Iterator[SystemEdit]:
    values = _changed(system, component, spec, now)
    if values:
        yield SetParameters(component.name, values)
    mode, period_s = _activation(component, spec, now)
    if (mode, period_s) != (component.mode, component.period_s):
        yield SetActivation(component.name, mode, period_s)


def _as_it_is(system: System, component: Component, specs: Specs, state: RunningState) -> Component:
    now, spec = state.components.get(component.name), specs.get(component.type)
    if now is None or spec is None:
        return component
    mode, period_s = _activation(component, spec, now)
    parameters = changed_parameters(component.parameters, _changed(system, component, spec, now))
    return replace(component, parameters=parameters, mode=mode, period_s=period_s)


def _changed(system: System, component: Component, spec: ComponentSpec, now: RunningComponent) -> dict[str, Value]:
    left_alone = {ARMED, *(link.end.port for link in system.links if link.end.node == component.name)}
    written = parameter_values(component, spec)
    return {
        name: value
        for name, value in now.parameters.items()
        if name in written and name not in left_alone and written[name] != value
    }


def _activation(
    component: Component, spec: ComponentSpec, now: RunningComponent
) -> tuple[Activation | None, float | None]:
    """As written, where that means the same."""
    mode = component.mode if now.activation == (component.mode or spec.activations[0]) else now.activation
    written = component.period_s if component.period_s is not None else spec.period_s
    return mode, component.period_s if now.period_s in (None, written) else now.period_s
