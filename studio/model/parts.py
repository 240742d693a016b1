"""The parts that a system is made of, as frozen values: replaced as a whole, never changed in place.

A part checks itself when it is made, so that no bad name and no text that XML cannot hold gets into a system.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from studio.model.changes import ModelError
from studio.model.origin import Origin
from studio.model.spec import ACTIVATIONS, NAME, Activation, Delivery

PORT_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)?\Z")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPACE = " \t\r\n"
C = TypeVar("C", bound="Connection")


def check_name(name: str, what: str = "name", pattern: re.Pattern[str] = NAME) -> None:
    if not pattern.match(name):
        hint = "a letter, then letters, digits and underscores, e.g. front_laser"
        raise ModelError(f"{name!r} cannot be a {what}", hint=hint)


def as_name(text: str) -> str:
    """What somebody most likely means: `front laser-2` is `front_laser_2`. Empty if nothing of it can be in a name."""
    words = re.sub(r"[\s.-]+", "_", text.lstrip())
    return re.sub(r"^[^A-Za-z]+|[^A-Za-z0-9_]", "", words)


def check_text(text: str, what: str) -> None:
    bad = _NOT_XML.search(text)
    if bad:
        raise ModelError(f"the {what} contains the character {bad.group()!r}, which a file cannot hold")


def check_number(number: float, what: str) -> None:
    if not math.isfinite(number):
        raise ModelError(f"{what} must be a finite number, not {number}")


class Endpoint(NamedTuple):
    """One end of a wire, written `node.port`; the port of a source may itself contain a dot."""

    node: str
    port: str

    @classmethod
    def parse(cls, text: str) -> Endpoint:
        node, _, port = text.partition(".")
        if not NAME.match(node) or not PORT_NAME.match(port):
            raise ModelError(f"{text!r} is not an end of a wire", hint="write component.port, e.g. laser.ranges")
        return cls(node, port)

    def __str__(self) -> str:
        return f"{self.node}.{self.port}"


@dataclass(frozen=True)
class Component:
    name: str
    type: str
    host: str = ""
    """The process it shares with others; alone in its own without one."""
    mode: Activation | None = None
    period_s: float | None = None
    parameter_set: str = ""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """As written, because the type may be unknown; `wiring.parameter_values` gives them typed."""
    parameter_sets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Named sets that this system gives it, beside those of its type."""
    origin: Origin | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_name(self.name, "name of a component")
        check_name(self.type, "component type")
        for optional, what in ((self.host, "host name"), (self.parameter_set, "name of a parameter set")):
            if optional:
                check_name(optional, what)
        if self.mode is not None and self.mode not in ACTIVATIONS:
            raise ModelError(f"{self.mode!r} is not an activation mode", hint="one of " + ", ".join(ACTIVATIONS))
        if self.period_s is not None and not 0 < self.period_s < math.inf:
            raise ModelError(f"the period of {self.name} must be above 0 s, not {self.period_s}", hint="e.g. 0.1")
        for label, values in (("", self.parameters), *self.parameter_sets.items()):
            if values is not self.parameters:
                check_name(label, "name of a parameter set")
            for name, value in values.items():
                check_name(name, "parameter name")
                check_text(value, f"value of {name}")


@dataclass(frozen=True)
class Connection:
    """Something that leads from one end to another. There is at most one of a kind between the same two ends."""

    start: Endpoint
    end: Endpoint

    def __post_init__(self) -> None:
        for node, port in (self.start, self.end):
            check_name(node, "name of a component or source")
            check_name(port, "port name", PORT_NAME)

    @property
    def key(self) -> tuple[Endpoint, Endpoint]:
        return self.start, self.end

    @classmethod
    def between(cls: type[C], start: str, end: str) -> C:
        return cls(Endpoint.parse(start), Endpoint.parse(end))

    def __str__(self) -> str:
        return f"{self.start} → {self.end}"


@dataclass(frozen=True)
class Wire(Connection):
    """From an out port to an in port."""

    delivery: Delivery | None = None
    """Instead of what the in port asks for."""
    origin: Origin | None = field(default=None, compare=False)


@dataclass(frozen=True)
class ServiceWire(Connection):
    """From a required service port to the provided one that answers."""

    origin: Origin | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Link(Connection):
    """Keeps the parameter at `end` equal to the output or parameter at `start`."""

    origin: Origin | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Host:
    name: str
    origin: Origin | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_name(self.name, "name of a host")


@dataclass(frozen=True)
class Recording:
    """Patterns as in a shell (`/platform/*`); what `exclude` matches is left out."""

    topics: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    origin: Origin | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for pattern in self.topics + self.exclude:
            check_text(pattern, "topic pattern")
            if not pattern.startswith("/"):
                raise ModelError(f"the topic pattern {pattern!r} does not start with /", hint="e.g. /platform/*")
        for patterns in (self.topics, self.exclude):
            if len(set(patterns)) < len(patterns):
                raise ModelError("a topic pattern is given twice", hint="keep one")


@dataclass(frozen=True)
class GeometryUse:
    """The model that tells where the system's frames are, by name or file; `joints` is the out port of type
    JointState that tells how its joints move."""

    assembly: str
    joints: Endpoint | None = None
    origin: Origin | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_text(self.assembly, "name of an assembly")
        if not self.assembly.strip():
            raise ModelError("a geometry needs an assembly", hint='e.g. assembly="raptor"')


@dataclass(frozen=True)
class Place:
    """Where a component or source is drawn."""

    of: str
    x: float
    y: float
    origin: Origin | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_name(self.of, "name of a component or source")
        _check_numbers(self.x, self.y)


@dataclass(frozen=True)
class Note:
    id: str
    x: float
    y: float
    width: float
    height: float
    text: str = ""
    origin: Origin | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_name(self.id, "id of a note")
        check_text(self.text, "text of a note")
        _check_numbers(self.x, self.y, self.width, self.height)
        object.__setattr__(self, "text", self.text.strip(_SPACE))


@dataclass(frozen=True)
class Frame:
    """A titled rectangle behind a group of components."""

    id: str
    title: str
    x: float
    y: float
    width: float
    height: float
    origin: Origin | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_name(self.id, "id of a frame")
        check_text(self.title, "title of a frame")
        _check_numbers(self.x, self.y, self.width, self.height)


@dataclass(frozen=True)
class Group:
    """Components and sources that belong together; folded, they are one card."""

    id: str
    title: str
    members: tuple[str, ...]
    folded: bool = False
    origin: Origin | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_name(self.id, "id of a group")
        check_text(self.title, "title of a group")
        for member in self.members:
            check_name(member, "name of a member")


@dataclass(frozen=True)
class View:
    """What the window showed last: the centre in canvas coordinates, and the magnification."""

    x: float = 0.0
    y: float = 0.0
    zoom: float = 1.0
    origin: Origin | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        _check_numbers(self.x, self.y, self.zoom)
        if self.zoom <= 0:
            raise ModelError(f"the zoom must be above 0, not {self.zoom}")


def _check_numbers(*numbers: float) -> None:
    for number in numbers:
        check_number(number, "a place on the canvas")
