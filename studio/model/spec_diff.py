"""Says in words how two specs of one component differ: what its profile says and what its class says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Protocol

from studio.model.spec import CommandEntry, ComponentSpec, Delivery, PythonEntry, Value, format_value


class Named(Protocol):
    @property
    def name(self) -> str: ...


def differences(written: ComponentSpec, declared: ComponentSpec) -> list[str]:
    """One line per difference, empty if the two are equal; `written` is the file's, `declared` the class's."""
    return [
        *_plain_fields(written, declared),
        *_members("port", written.ports, declared.ports),
        *_members("service", written.services, declared.services),
        *_members("parameter", written.parameters, declared.parameters),
        *_sets(written.parameter_sets, declared.parameter_sets),
    ]


def _plain_fields(written: ComponentSpec, declared: ComponentSpec) -> Iterator[str]:
    for name in (
        "type",
        "category",
        "entry",
        "activations",
        "period_s",
        "icon",
        "tags",
        "doc",
        "needs_geometry",
        "assembly",
    ):
        yield from _compare(name, getattr(written, name), getattr(declared, name))


def _members(what: str, written: Sequence[Named], declared: Sequence[Named]) -> Iterator[str]:
    old = {member.name: member for member in written}
    new = {member.name: member for member in declared}
    yield from _missing(what, old, new)
    both = [name for name in new if name in old]
    for name in both:
        yield from _member(f"{what} {name}", old[name], new[name])
    if both != [name for name in old if name in new]:
        yield f"the {what}s are in another order"


def _missing(what: str, old: Mapping[str, object], new: Mapping[str, object]) -> Iterator[str]:
    yield from (f"{what} {name} is not in the file" for name in new if name not in old)
    yield from (f"{what} {name} is not in the class" for name in old if name not in new)


def _member(label: str, old: Named, new: Named) -> Iterator[str]:
    for field in fields(new):  # type: ignore[arg-type]  # ports, services and parameters are all dataclasses
        yield from _compare(f"{label}: {field.name}", getattr(old, field.name), getattr(new, field.name))


def _sets(old: Mapping[str, Mapping[str, Value]], new: Mapping[str, Mapping[str, Value]]) -> Iterator[str]:
    yield from _missing("parameter set", old, new)
    for name in [name for name in new if name in old]:
        label = f"parameter set {name}"
        yield from _missing(f"{label}:", old[name], new[name])
        for parameter in [parameter for parameter in new[name] if parameter in old[name]]:
            yield from _compare(f"{label}: {parameter}", old[name][parameter], new[name][parameter])


def _compare(label: str, old: object, new: object) -> Iterator[str]:
    if old != new:
        yield f"{label} is {_shown(old)} in the file and {_shown(new)} in the class"


def _shown(value: object) -> str:
    match value:
        case None | "" | ():
            return "nothing"
        case str():
            return repr(value if len(value) <= 60 else value[:57] + "...")
        case Delivery() | PythonEntry():
            return str(value)
        case CommandEntry():
            return " ".join(value.command)
        case tuple():
            return " ".join(item if isinstance(item, str) else format_value(item) for item in value)
        case bool() | int() | float():
            return format_value(value)
    return str(value)
