"""What a component looks like from outside: ports, services, parameters, activation, entry.

A spec is read from `component.xml` (model.component_xml) or generated from a class (runtime.profile). The editor, the
checks and the launcher know components only through it, so nothing here ever imports component code.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from studio.errors import StudioError

Category = Literal["sensor", "processor", "actuator", "judge"]
Direction = Literal["in", "out"]
ServiceRole = Literal["provided", "required"]
DeliveryKind = Literal["lossless", "latest", "queue"]
Activation = Literal["event", "periodic", "trigger"]
ParameterKind = Literal[
    "bool", "int", "float", "string", "floats", "frame", "file", "world", "vehicle", "device", "topic"
]
Value = bool | int | float | str | tuple[float, ...]

CATEGORIES: tuple[Category, ...] = get_args(Category)
ACTIVATIONS: tuple[Activation, ...] = get_args(Activation)
PARAMETER_KINDS: tuple[ParameterKind, ...] = get_args(ParameterKind)
TEXT_KINDS: tuple[ParameterKind, ...] = ("string", "frame", "file", "world", "vehicle", "device", "topic")
"""Kinds whose values are texts; all but the first name something that a person chooses from a list."""

PROFILE = "component.xml"
"""The file in a component's folder that says all of this."""

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
"""Names of components, ports and parameters: they become topics, attributes and file names."""

_DEPTH = re.compile(r"[0-9]{1,9}\Z")
_INT_LIMIT = 2**63
"""Parameters travel as 64-bit integers; without a limit a number of a thousand digits would break the arithmetic."""


class SpecError(StudioError):
    """A profile, a parameter value or a delivery setting that cannot be right."""


@dataclass(frozen=True)
class Delivery:
    """How an in port receives: every event, only the newest, or at most `depth` waiting ones (the oldest drops out)."""

    kind: DeliveryKind = "lossless"
    depth: int = 0

    def __post_init__(self) -> None:
        if self.kind == "queue" and self.depth < 1:
            raise SpecError(f"queue needs a depth of at least 1, not {self.depth}", hint='e.g. delivery="queue 5"')

    @classmethod
    def parse(cls, text: str) -> Delivery:
        kind, _, depth = text.strip().partition(" ")
        if kind == "lossless" and not depth:
            return cls()
        if kind == "latest" and not depth:
            return cls("latest")
        if kind == "queue" and _DEPTH.match(depth.strip()):
            return cls("queue", int(depth))
        raise SpecError(f"unknown delivery {text!r}", hint='one of "lossless", "latest", "queue 5"')

    def __str__(self) -> str:
        return f"queue {self.depth}" if self.kind == "queue" else self.kind


@dataclass(frozen=True)
class PortSpec:
    name: str
    direction: Direction
    type: str
    delivery: Delivery = Delivery()
    doc: str = ""
    optional: bool = False
    """Of an in port: the component also works when nothing is wired to it."""
    truth: bool = False
    """Of an out port: what only a simulator can know. Judges may see it, nobody else, or they would cheat."""


@dataclass(frozen=True)
class ServicePortSpec:
    name: str
    role: ServiceRole
    request: str
    reply: str
    doc: str = ""

    @property
    def type(self) -> str:
        return f"{self.request} -> {self.reply}"


@dataclass(frozen=True)
class ParameterSpec:
    name: str
    kind: ParameterKind
    default: Value
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[Value, ...] = ()
    unit: str = ""
    doc: str = ""

    def parse(self, text: str) -> Value:
        """The value that `text` (an attribute, a command line word) stands for, checked against range and choices."""
        try:
            value = parse_value(self.kind, text)
        except SpecError as error:
            raise SpecError(f"{self.name}: {error.message}", hint=error.hint) from None
        return self.check(value)

    def check(self, value: object) -> Value:
        """`value` as this parameter stores it; SpecError says what would be right."""
        checked = _coerce(self.kind, value)
        if checked is None:
            raise SpecError(f"{self.name} takes a {self.kind}, not {value!r}", hint=f"e.g. {self.format(self.default)}")
        if self.choices and checked not in self.choices:
            raise SpecError(
                f"{self.name} cannot be {self.format(checked)}",
                hint="one of " + ", ".join(self.format(choice) for choice in self.choices),
            )
        for number in checked if isinstance(checked, tuple) else (checked,):
            self._check_range(number)
        return checked

    def _check_range(self, number: Value | float) -> None:
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            return
        if not math.isfinite(number):
            raise SpecError(f"{self.name} must be finite, not {number}")
        if self.minimum is not None and number < self.minimum:
            raise SpecError(f"{self.name} = {number:g} is below its minimum {self.minimum:g}")
        if self.maximum is not None and number > self.maximum:
            raise SpecError(f"{self.name} = {number:g} is above its maximum {self.maximum:g}")

    @staticmethod
    def format(value: Value) -> str:
        return format_value(value)


@dataclass(frozen=True)
class PythonEntry:
    module: str
    cls: str

    def __str__(self) -> str:
        return f"{self.module}:{self.cls}"


@dataclass(frozen=True)
class CommandEntry:
    """A program in any language that speaks the wire protocol; words are resolved against the component's folder."""

    command: tuple[str, ...]


Entry = PythonEntry | CommandEntry


@dataclass(frozen=True)
class ComponentSpec:
    type: str
    category: Category
    entry: Entry
    ports: tuple[PortSpec, ...] = ()
    services: tuple[ServicePortSpec, ...] = ()
    parameters: tuple[ParameterSpec, ...] = ()
    parameter_sets: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    activations: tuple[Activation, ...] = ("event",)
    """The modes this component can run in; the first is its default."""
    period_s: float = 0.1
    icon: str = ""
    tags: tuple[str, ...] = ()
    doc: str = ""
    needs_geometry: bool = False
    """It fails in a system that has no geometry."""
    assembly: str = ""
    """The geometry that belongs to it: the vehicle of a simulator. A system that has none yet takes this one."""
    folder: Path | None = field(default=None, compare=False)
    """Where the profile was found, so that entry and README resolve; not part of what the component is."""

    def port(self, name: str) -> PortSpec | None:
        return next((port for port in self.ports if port.name == name), None)

    def service(self, name: str) -> ServicePortSpec | None:
        """A declared one, or `get_<out port>`, which every component in Python has: it gives the port's value."""
        found = next((service for service in self.services if service.name == name), None)
        port = self.port(name.removeprefix(GET)) if found is None and name.startswith(GET) else None
        if port is None or port.direction != "out" or port.truth or not isinstance(self.entry, PythonEntry):
            return found
        return ServicePortSpec(name, "provided", "String", port.type, f"the value of {port.name}")

    def parameter(self, name: str) -> ParameterSpec | None:
        return next((parameter for parameter in self.parameters if parameter.name == name), None)


def parse_value(kind: ParameterKind, text: str) -> Value:
    try:
        match kind:
            case "bool":
                return {"true": True, "false": False}[text.strip()]
            case "int":
                return int(text)
            case "float":
                return float(text)
            case "floats":
                return tuple(float(word) for word in text.replace(",", " ").split())
            case _:
                return text
    except (KeyError, ValueError):
        right = {"bool": "true or false", "int": "e.g. 3", "float": "e.g. 0.25", "floats": "e.g. 0.0 1.5 -2"}[kind]
        raise SpecError(f"{text!r} is not a {kind}", hint=right) from None


GET = "get_"
"""Begins the name of the service that gives the value of an out port: `get_<port>`."""
ARMED = "armed"
"""The parameter by which a person lets an actuator move. It belongs to the moment: no file and no restart keeps it."""
AFTER_STOP, STAYS, RESUMES = "after_stop", "stay", "resume"
"""The parameter of an actuator that says what happens after a safety stop, and what it may say."""
SAFETY_STOP = "safety_stop"
"""The state of an actuator that tells why such a stop holds it; empty while none does."""


def format_value(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return " ".join(repr(float(item)) for item in value)
    return repr(value) if isinstance(value, float) else str(value)


def _coerce(kind: ParameterKind, value: object) -> Value | None:
    match kind, value:
        case "bool", bool():
            return value
        case "int", int() if _is_number(value):
            return value
        case "float", int() | float() if _is_number(value):
            return float(value)
        case "floats", tuple() | list() if all(map(_is_number, value)):
            return tuple(float(item) for item in value)
        case text, str() if text in TEXT_KINDS:
            return value
    return None


def _is_number(value: object) -> bool:
    if isinstance(value, int):
        return not isinstance(value, bool) and -_INT_LIMIT <= value < _INT_LIMIT
    return isinstance(value, float)
