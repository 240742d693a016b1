"""Named sets of parameter values: those that a component's type brings along, and those that a system gives to it.

A set of the system belongs to one component and goes before one of the same name that its type has. What a component
runs with is its defaults, then the set that is chosen, then what is set by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from studio.model.changes import ModelError
from studio.model.close_matches import did_you_mean
from studio.model.parts import Component
from studio.model.spec import ComponentSpec, SpecError, Value
from studio.model.system import System
from studio.model.system_edits import SystemEdit


def set_names(component: Component, spec: ComponentSpec) -> list[str]:
    """All that it can choose from: its type's first."""
    return list(dict.fromkeys([*spec.parameter_sets, *component.parameter_sets]))


def set_values(component: Component, spec: ComponentSpec, name: str) -> dict[str, Value]:
    """What a set says; nothing for no name. SpecError if there is no such set, or a value in it is wrong."""
    if not name:
        return {}
    own = component.parameter_sets.get(name)
    if own is not None:
        return {parameter: _parsed(spec, name, parameter, text) for parameter, text in own.items()}
    if name not in spec.parameter_sets:
        hint = did_you_mean(name, set_names(component, spec))
        raise SpecError(f"{spec.type} has no parameter set {name}", hint=hint)
    return dict(spec.parameter_sets[name])


def readable_set(component: Component, spec: ComponentSpec, name: str) -> dict[str, Value]:
    """As `set_values`, without what cannot be read: the check tells of that."""
    found: dict[str, Value] = {}
    for parameter, text in component.parameter_sets.get(name, {}).items():
        try:
            found[parameter] = _parsed(spec, name, parameter, text)
        except SpecError:
            continue
    return found if name in component.parameter_sets else dict(spec.parameter_sets.get(name, {}))


def _parsed(spec: ComponentSpec, name: str, parameter: str, text: str) -> Value:
    declared = spec.parameter(parameter)
    if declared is None:
        hint = did_you_mean(parameter, [known.name for known in spec.parameters])
        raise SpecError(f"the parameter set {name}: {spec.type} has no parameter {parameter}", hint=hint)
    try:
        return declared.parse(text)
    except SpecError as error:
        raise SpecError(f"the parameter set {name}: {error.message}", hint=error.hint) from None


def texts_to_save(component: Component, spec: ComponentSpec) -> dict[str, str]:
    """What a set has to say so that the component has the values of now: those that somebody has given, and those of
    the chosen set that are not the default. A text that cannot be read is left where it is."""
    chosen = readable_set(component, spec, component.parameter_set)
    found: dict[str, str] = {}
    for parameter in spec.parameters:
        text = component.parameters.get(parameter.name)
        try:
            value = parameter.parse(text) if text is not None else chosen.get(parameter.name, parameter.default)
        except SpecError:
            continue
        if text is not None or value != parameter.default:
            found[parameter.name] = text if text is not None else parameter.format(value)
    return found


def differing(component: Component, spec: ComponentSpec) -> list[str]:
    """Parameters that are set by themselves to something else than the chosen set says."""
    chosen = readable_set(component, spec, component.parameter_set)
    found = []
    for name, text in component.parameters.items():
        parameter = spec.parameter(name)
        try:
            same = parameter is not None and parameter.parse(text) == chosen.get(name, parameter.default)
        except SpecError:
            same = False
        if not same:
            found.append(name)
    return found


@dataclass(frozen=True)
class SaveParameterSet(SystemEdit):
    """Put values under a name, new or not, and take them from there from now on."""

    component: str
    name: str
    values: Mapping[str, str]

    @property
    def label(self) -> str:
        return f"Save the parameter set {self.name} of {self.component}"

    def apply(self, system: System, /) -> None:
        component = system.component(self.component)
        sets = {**component.parameter_sets, self.name: dict(self.values)}
        left = {name: text for name, text in component.parameters.items() if name not in self.values}
        system.replace_node(replace(component, parameter_set=self.name, parameter_sets=sets, parameters=left))


@dataclass(frozen=True)
class DuplicateParameterSet(SystemEdit):
    """The same values under another name, which is chosen; what is set by itself stays so."""

    component: str
    old: str
    new: str
    values: Mapping[str, str]
    """Of the old one: it may be one that the type brings along."""

    @property
    def label(self) -> str:
        return f"Duplicate the parameter set {self.old} of {self.component}"

    def apply(self, system: System, /) -> None:
        component = system.component(self.component)
        _refuse_taken(component, self.new)
        sets = {**component.parameter_sets, self.new: dict(self.values)}
        system.replace_node(replace(component, parameter_set=self.new, parameter_sets=sets))


@dataclass(frozen=True)
class RenameParameterSet(SystemEdit):
    component: str
    old: str
    new: str

    @property
    def label(self) -> str:
        return f"Rename the parameter set {self.old} of {self.component} to {self.new}"

    def apply(self, system: System, /) -> None:
        component = system.component(self.component)
        _require_own(component, self.old)
        _refuse_taken(component, self.new)
        sets = {(self.new if name == self.old else name): each for name, each in component.parameter_sets.items()}
        chosen = self.new if component.parameter_set == self.old else component.parameter_set
        system.replace_node(replace(component, parameter_set=chosen, parameter_sets=sets))


@dataclass(frozen=True)
class RemoveParameterSet(SystemEdit):
    """The component keeps its values: those of the set it used are set by themselves from now on."""

    component: str
    name: str

    @property
    def label(self) -> str:
        return f"Delete the parameter set {self.name} of {self.component}"

    def apply(self, system: System, /) -> None:
        component = system.component(self.component)
        _require_own(component, self.name)
        sets = {name: each for name, each in component.parameter_sets.items() if name != self.name}
        if component.parameter_set != self.name:
            system.replace_node(replace(component, parameter_sets=sets))
            return
        kept = {**component.parameter_sets[self.name], **component.parameters}
        system.replace_node(replace(component, parameter_set="", parameter_sets=sets, parameters=kept))


def free_set_name(components: Iterable[tuple[Component, ComponentSpec]], wanted: str) -> str:
    """`wanted`, or with a number behind it that makes it one that none of these components has."""
    taken = {name for component, spec in components for name in set_names(component, spec)}
    count, name = 2, wanted
    while name in taken:
        name, count = f"{wanted}_{count}", count + 1
    return name


def _require_own(component: Component, name: str) -> None:
    if name not in component.parameter_sets:
        hint = did_you_mean(name, list(component.parameter_sets)) or "one of its type cannot be changed: duplicate it"
        raise ModelError(f"{component.name} has no parameter set {name} of its own", hint=hint)


def _refuse_taken(component: Component, name: str) -> None:
    if name in component.parameter_sets:
        raise ModelError(f"{component.name} has a parameter set {name} already", hint="choose another name")
