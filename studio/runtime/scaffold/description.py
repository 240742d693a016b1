"""The short description of a new component, and what is wrong with it before anything is written."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from studio.errors import StudioError
from studio.messages import MessageTypes
from studio.model.spec import Category, ParameterKind, SpecError, Value, parse_value
from studio.runtime.component import Component

SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*\Z")
KINDS: tuple[ParameterKind, ...] = ("bool", "int", "float", "floats")
"""Tried in this order; what fits none of them is text."""


class DescriptionError(StudioError):
    """A component cannot be made from this description."""


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


def described(
    name: str,
    inputs: Iterable[Port],
    outputs: Iterable[Port],
    settings: Iterable[Setting],
    *,
    category: Category,
    period_s: float | None,
    doc: str,
) -> Description:
    """A description that can be made; DescriptionError says what is wrong with it."""
    inputs, outputs, settings = tuple(inputs), tuple(outputs), tuple(settings)
    check_component_name(name)
    check_member_names([*(port.name for port in (*inputs, *outputs)), *(setting.name for setting in settings)])
    if period_s is not None and not 0 < period_s < float("inf"):
        raise DescriptionError(f"{period_s:g} s is not a period", hint="seconds above 0, e.g. 0.1")
    if period_s is None and not inputs:
        period_s = Component.period_s  # nothing else would ever make it act
    shipped = set(MessageTypes.builtin().names())
    own = tuple(sorted({port.type for port in (*inputs, *outputs)} - shipped))
    new = Description(name, inputs, outputs, settings, category, period_s, sentence(doc), own)
    check_class_name(new)
    return new


def check_component_name(name: str) -> None:
    if not SNAKE_CASE.match(name):
        hint = f"write it in snake_case: {snake_case(name)}"
        raise DescriptionError(f"{name!r} cannot be a component's name", hint=hint)
    if keyword.iskeyword(name) or name in sys.stdlib_module_names or name == "studio":
        hint = f"a longer name, e.g. {name}_filter"
        raise DescriptionError(f"{name} is a keyword or module of Python and would hide it", hint=hint)


def check_class_name(new: Description) -> None:
    if new.class_name in new.types:
        hint = f"e.g. {new.name}_reader"
        message = f"{new.name} would be the class {new.class_name}, like the message of its port"
        raise DescriptionError(message, hint=hint)


def snake_case(name: str) -> str:
    words = re.findall(r"[A-Z]*[a-z0-9]+|[A-Z]+", name)
    return "_".join(word.lower() for word in words).lstrip("0123456789_") or "low_pass"


def setting_of(name: str, text: str, unit: str = "") -> Setting:
    """The default decides the kind: 2.0 float, 3 int, true bool, 1,2,3 floats, else text."""
    default = number_or_flag(text)
    return Setting(name, text if default is None else default, unit)


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
    for name in names:
        check_member_name(name)
        if name in seen:
            raise DescriptionError(f"there are two ports or parameters named {name}", hint="each needs its own name")
        seen.add(name)


def check_member_name(name: str) -> None:
    if not SNAKE_CASE.match(name):
        raise DescriptionError(f"{name!r} cannot be the name of a port or parameter", hint="snake_case, e.g. cell_m")
    if keyword.iskeyword(name):
        raise DescriptionError(f"{name} is a keyword of Python", hint=f"a longer name, e.g. {name}_in")
    if name in {*dir(Component), *Component.__annotations__}:
        raise DescriptionError(
            f"{name} is a name that every component has already", hint=f"e.g. {name}_in or {name}_value"
        )


def sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if not text or text.endswith((".", "!", "?")) else text + "."
