"""The short description of a component on the command line, checked before anything is written."""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from studio.cli.outcome import UsageError
from studio.errors import StudioError
from studio.messages import MessageTypes
from studio.model.spec import Category, ParameterKind, SpecError, Value, parse_value
from studio.runtime.component import Component

SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
KINDS: tuple[ParameterKind, ...] = ("bool", "int", "float", "floats")
"""Tried in this order; what fits none of them is text."""


@dataclass(frozen=True)
class Port:
    name: str
    type: str
    keep: str = "all"


@dataclass(frozen=True)
class Setting:
    name: str
    default: Value
    unit: str = ""


@dataclass(frozen=True)
class Description:
    name: str
    inputs: tuple[Port, ...] = ()
    outputs: tuple[Port, ...] = ()
    settings: tuple[Setting, ...] = ()
    category: Category = "processor"
    period_s: float | None = None
    doc: str = ""
    own_types: tuple[str, ...] = ()
    """The message types among those of its ports that come from the project."""

    @property
    def class_name(self) -> str:
        return "".join(word.capitalize() for word in self.name.split("_"))

    @property
    def types(self) -> list[str]:
        return sorted({port.type for port in (*self.inputs, *self.outputs)})


def describe(options: argparse.Namespace, project: Path) -> Description:
    """What the options of `studio new component` say; UsageError tells what would be right."""
    check_component_name(options.name)
    shipped = MessageTypes.builtin()
    types = shipped.with_folder(project)
    inputs = tuple(parse_port(text, "--in", types, may_keep=True) for text in options.inputs)
    outputs = tuple(parse_port(text, "--out", types) for text in options.outputs)
    settings = tuple(parse_setting(text) for text in options.parameters)
    check_member_names([*(port.name for port in (*inputs, *outputs)), *(setting.name for setting in settings)])
    period_s = options.period
    if period_s is not None and not 0 < period_s < float("inf"):
        raise UsageError(f"--period {period_s:g} is not a period", hint="seconds above 0, e.g. --period 0.1")
    if period_s is None and not inputs:
        period_s = Component.period_s  # nothing else would ever make it act
    doc = sentence(options.doc)
    own = tuple(sorted({port.type for port in (*inputs, *outputs)} - set(shipped.names())))
    new = Description(options.name, inputs, outputs, settings, options.category, period_s, doc, own)
    check_class_name(new)
    return new


def check_component_name(name: str) -> None:
    if not SNAKE_CASE.match(name):
        raise UsageError(f"{name!r} cannot be a component's name", hint=f"write it in snake_case: {snake_case(name)}")
    if keyword.iskeyword(name) or name in sys.stdlib_module_names or name == "studio":
        hint = f"a longer name, e.g. {name}_filter"
        raise UsageError(f"{name} is a word or module of Python itself and would hide it", hint=hint)


def check_class_name(new: Description) -> None:
    if new.class_name in new.types:
        hint = f"e.g. {new.name}_reader"
        raise UsageError(f"{new.name} would be the class {new.class_name}, like the message of its port", hint=hint)


def snake_case(name: str) -> str:
    words = re.findall(r"[A-Z]*[a-z0-9]+|[A-Z]+", name)
    return "_".join(word.lower() for word in words).lstrip("0123456789_") or "low_pass"


def parse_port(text: str, option: str, types: MessageTypes, *, may_keep: bool = False) -> Port:
    name, _, rest = text.partition(":")
    type_name, _, keep = rest.partition(":")
    if not type_name or (keep and not may_keep):
        example = "pose:PoseTransform:latest" if may_keep else "terrain:Map"
        raise UsageError(f"{option} {text} is not a port", hint=f"name:type, e.g. {option} {example}")
    if keep not in ("", "all", "latest") and not (keep.isdecimal() and int(keep) > 0):
        raise UsageError(f"{option} {text}: {keep!r} is not what to keep", hint="all, latest, or a number of messages")
    try:
        types.get(type_name)
    except StudioError as error:
        raise UsageError(f"{option} {text}: {error.message}", hint=error.hint) from None
    return Port(name, type_name, keep or "all")


def parse_setting(text: str) -> Setting:
    name, separator, rest = text.partition("=")
    if not separator:
        raise UsageError(f"--parameter {text} has no default", hint=f"e.g. --parameter {name or 'gain'}=1.0")
    number, _, unit = rest.rpartition(":")
    default = number_or_flag(number)
    if number and default is not None:
        return Setting(name, default, unit.strip())
    default = number_or_flag(rest)
    return Setting(name, rest if default is None else default)


def number_or_flag(text: str) -> Value | None:
    for kind in KINDS:
        try:
            value = parse_value(kind, text)
        except SpecError:
            continue
        return value or None if kind == "floats" else value
    return None


def check_member_names(names: Iterable[str]) -> None:
    """Ports and parameters become attributes of one class, beside those of the base class."""
    seen: set[str] = set()
    reserved = {*dir(Component), *Component.__annotations__}
    for name in names:
        if not SNAKE_CASE.match(name):
            raise UsageError(f"{name!r} cannot be the name of a port or parameter", hint="snake_case, e.g. cell_m")
        if keyword.iskeyword(name):
            raise UsageError(f"{name} is a word of Python itself", hint=f"a longer name, e.g. {name}_in")
        if name in reserved:
            raise UsageError(f"{name} belongs to every component already", hint=f"e.g. {name}_in or {name}_value")
        if name in seen:
            raise UsageError(f"there are two ports or parameters named {name}", hint="each needs a name of its own")
        seen.add(name)


def sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if not text or text.endswith((".", "!", "?")) else text + "."
