"""Reads the elements of a component.xml into a ComponentSpec; faults are told with file, line and remedy."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from lxml import etree

from studio.model.close_matches import did_you_mean
from studio.model.spec import (
    Activation,
    Category,
    CommandEntry,
    ComponentSpec,
    Delivery,
    Direction,
    Entry,
    ParameterKind,
    ParameterSpec,
    PortSpec,
    PythonEntry,
    ServicePortSpec,
    ServiceRole,
    SpecError,
    Value,
    parse_value,
)
from studio.model.xml_file import line_of

DEFAULT_PERIOD_S = 0.1
"""Of a component that gives no period because it is not meant to run periodically."""


@dataclass(frozen=True)
class ProfileReader:
    """Reads the elements of one file, which have passed the schema, and says where in it something is wrong."""

    file: Path

    def error(self, element: etree._Element, message: str, hint: str = "") -> SpecError:
        return SpecError(message, file=self.file, line=line_of(element), hint=hint)

    @contextmanager
    def at(self, element: etree._Element) -> Iterator[None]:
        """Gives errors of the spec classes, which know of no file, the place of `element`."""
        try:
            yield
        except SpecError as error:
            if error.file is not None:
                raise
            raise self.error(element, error.message, error.hint) from None

    def component(self, root: etree._Element) -> ComponentSpec:
        parameters = tuple(self.parameter(element) for element in root.iterchildren("parameter"))
        self.check_unique(root.iterchildren("port", "service", "parameter"), "port, service or parameter")
        activations, period_s = self.activation(root)
        doc, geometry = self.single(root, "doc"), self.single(root, "geometry")
        return ComponentSpec(
            type=_word(root, "type"),
            category=cast(Category, _word(root, "category")),
            entry=self.entry(root),
            ports=tuple(self.port(element) for element in root.iterchildren("port")),
            services=tuple(_service(element) for element in root.iterchildren("service")),
            parameters=parameters,
            parameter_sets=self.parameter_sets(root, {parameter.name: parameter for parameter in parameters}),
            activations=activations,
            period_s=period_s,
            icon=root.get("icon", ""),
            tags=tuple(root.get("tags", "").split()),
            doc="" if doc is None else text_of(doc),
            needs_geometry=geometry is not None and _word(geometry, "needed") == "true",
            assembly="" if geometry is None else _word(geometry, "assembly"),
            folder=self.file.absolute().parent,
        )

    def single(self, root: etree._Element, tag: str) -> etree._Element | None:
        elements = list(root.iterchildren(tag))
        if len(elements) > 1:
            raise self.error(
                elements[1], f"a second <{tag}>", f"the first one is in line {line_of(elements[0])}; keep one"
            )
        return elements[0] if elements else None

    def check_unique(self, elements: Iterable[etree._Element], what: str) -> None:
        seen: dict[str, int | None] = {}
        for element in elements:
            name = _word(element, "name")
            if name in seen:
                message = f"{name} is already the name of a {what} in line {seen[name]}"
                raise self.error(element, message, "give one of them another name")
            seen[name] = line_of(element)

    def entry(self, root: etree._Element) -> Entry:
        element = self.single(root, "entry")
        if element is None:
            raise self.error(
                root, "<entry> is missing: there is nothing to run", 'e.g. <entry python="low_pass:LowPass"/>'
            )
        python, command = element.get("python"), element.get("command")
        if (python is None) == (command is None):
            raise self.error(element, "<entry> needs either python or command", 'e.g. python="low_pass:LowPass"')
        if command is not None:
            return self.command(element, command)
        module, _, name = _word(element, "python").partition(":")
        return PythonEntry(module, name)

    def command(self, element: etree._Element, text: str) -> CommandEntry:
        try:
            words = tuple(shlex.split(text))
        except ValueError as error:
            raise self.error(element, f"command={text!r} cannot be split: {error}", "quote it as in a shell") from None
        if not words or not words[0]:
            raise self.error(element, "command is empty", 'e.g. command="./c_filter --fast"')
        return CommandEntry(words)

    def activation(self, root: etree._Element) -> tuple[tuple[Activation, ...], float]:
        element = self.single(root, "activation")
        if element is None:
            return ("event",), DEFAULT_PERIOD_S
        modes = cast(tuple[Activation, ...], tuple(_word(element, "modes").split()))
        if len(set(modes)) < len(modes):
            raise self.error(element, "a mode is given twice", "each mode once, the default first")
        period_s = self.number(element, "period_s")
        if period_s is None and "periodic" in modes:
            raise self.error(element, "a periodic component needs a period", 'e.g. period_s="0.1"')
        if period_s is not None and period_s <= 0:
            raise self.error(element, f"period_s must be above 0, not {period_s:g}", 'e.g. period_s="0.1"')
        return modes, DEFAULT_PERIOD_S if period_s is None else period_s

    def port(self, element: etree._Element) -> PortSpec:
        direction = cast(Direction, _word(element, "direction"))
        delivery = element.get("delivery")
        if delivery is not None and direction == "out":
            raise self.error(
                element, "an out port cannot have a delivery", "set the delivery of the in port that receives"
            )
        optional = _word(element, "optional") == "true"
        if optional and direction == "out":
            raise self.error(element, "an out port is always optional", 'remove optional="true"')
        truth = _word(element, "truth") == "true"
        if truth and direction == "in":
            raise self.error(element, "ground truth comes out of a simulator", 'remove truth="true"')
        with self.at(element):
            parsed = Delivery() if delivery is None else Delivery.parse(delivery)
        name, kind = _word(element, "name"), _word(element, "type")
        return PortSpec(name, direction, kind, parsed, text_of(element), optional, truth)

    def parameter(self, element: etree._Element) -> ParameterSpec:
        kind = cast(ParameterKind, _word(element, "kind"))
        minimum, maximum = self.range(element, kind)
        choices = list(element.iterchildren("choice"))
        spec = ParameterSpec(
            name=_word(element, "name"),
            kind=kind,
            default=self.value(element, "default", kind),
            minimum=minimum,
            maximum=maximum,
            choices=tuple(self.value(choice, "value", kind) for choice in choices),
            unit=element.get("unit", ""),
            doc=text_of(element),
        )
        self.check_values(element, choices, spec)
        return spec

    def range(self, element: etree._Element, kind: ParameterKind) -> tuple[float | None, float | None]:
        minimum, maximum = self.number(element, "minimum"), self.number(element, "maximum")
        if (minimum, maximum) != (None, None) and kind not in ("int", "float", "floats"):
            raise self.error(element, f"a {kind} has no minimum or maximum", "only int, float and floats have a range")
        if minimum is not None and maximum is not None and minimum > maximum:
            raise self.error(element, f"minimum {minimum:g} is above maximum {maximum:g}", "swap them")
        return minimum, maximum

    def number(self, element: etree._Element, attribute: str) -> float | None:
        text = element.get(attribute)
        if text is None:
            return None
        with self.at(element):
            value = parse_value("float", text)
        if not isinstance(value, float) or not math.isfinite(value):
            raise self.error(element, f"{attribute}={text!r} is not a finite number", f'e.g. {attribute}="0.25"')
        return value

    def value(self, element: etree._Element, attribute: str, kind: ParameterKind) -> Value:
        with self.at(element):
            return parse_value(kind, element.get(attribute, ""))

    def check_values(self, element: etree._Element, choices: list[etree._Element], spec: ParameterSpec) -> None:
        for index, (place, value) in enumerate(zip(choices, spec.choices, strict=True)):
            if value in spec.choices[:index]:
                raise self.error(place, f"choice {spec.format(value)!r} is given twice", "remove one")
            with self.at(place):
                spec.check(value)
        with self.at(element):
            spec.check(spec.default)

    def parameter_sets(
        self, root: etree._Element, parameters: Mapping[str, ParameterSpec]
    ) -> dict[str, dict[str, Value]]:
        elements = list(root.iterchildren("parameter-set"))
        self.check_unique(elements, "parameter set")
        return {_word(element, "name"): self.parameter_set(element, parameters) for element in elements}

    def parameter_set(self, element: etree._Element, parameters: Mapping[str, ParameterSpec]) -> dict[str, Value]:
        self.check_unique(element.iterchildren("set"), "value of this set")
        return dict(self.set_value(child, parameters) for child in element.iterchildren("set"))

    def set_value(self, element: etree._Element, parameters: Mapping[str, ParameterSpec]) -> tuple[str, Value]:
        name = _word(element, "name")
        if name not in parameters:
            raise self.error(element, f"there is no parameter {name!r} to set", did_you_mean(name, parameters))
        with self.at(element):
            return name, parameters[name].parse(element.get("value", ""))


def _service(element: etree._Element) -> ServicePortSpec:
    return ServicePortSpec(
        _word(element, "name"),
        cast(ServiceRole, _word(element, "role")),
        _word(element, "request"),
        _word(element, "reply"),
        text_of(element),
    )


def _word(element: etree._Element, attribute: str) -> str:
    """An attribute whose presence and form the schema has checked, leaving blanks around it aside."""
    return element.get(attribute, "").strip()


def text_of(element: etree._Element) -> str:
    """The documentation in an element: its own text, also around children, in the form that `tidy` gives."""
    return tidy("".join([element.text or "", *(child.tail or "" for child in element)]))


def tidy(text: str) -> str:
    """Text without the indentation of its surroundings: the one form of a doc, whether from a file or a docstring."""
    first, *rest = (line.rstrip() for line in text.expandtabs().split("\n"))
    margin = min((len(line) - len(line.lstrip(" ")) for line in rest if line), default=0)
    return "\n".join([first.lstrip(" "), *(line[margin:] for line in rest)]).strip()
