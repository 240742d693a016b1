"""component.xml <-> ComponentSpec: reading checks all that the schema cannot say, writing gives one stable form."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from lxml import etree

from studio.errors import Problem
from studio.model.component_reader import DEFAULT_PERIOD_S, ProfileReader, tidy
from studio.model.spec import (
    NAME,
    CommandEntry,
    ComponentSpec,
    ParameterSpec,
    PortSpec,
    ServicePortSpec,
    SpecError,
    Value,
    format_value,
)
from studio.model.xml_file import line_of, read_xml, unknown_names

_DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>\n'


def read_profile(path: Path) -> ComponentSpec:
    """The component that the file describes; any fault is a StudioError that names file, line and remedy."""
    return _read(path)[0]


def read_profile_with_warnings(path: Path) -> tuple[ComponentSpec, list[Problem]]:
    """As read_profile, and a warning for each name that the schema does not know: newer, or misspelt."""
    spec, root = _read(path)
    return spec, unknown_names(root, "component", path)


def profile_lines(path: Path) -> dict[str, int | None]:
    """The line of each port, service and parameter of a sound profile, for problems found later."""
    root = read_xml(path, "component")
    return {element.get("name", ""): line_of(element) for element in root.iterchildren("port", "service", "parameter")}


def entry_line(path: Path) -> int | None:
    """The line of a sound profile that says what to run."""
    return next((line_of(element) for element in read_xml(path, "component").iterchildren("entry")), None)


def _read(path: Path) -> tuple[ComponentSpec, etree._Element]:
    reader, root = ProfileReader(path), read_xml(path, "component")
    spec, folder = reader.component(root), path.absolute().parent.name
    if spec.type != folder:
        retype = f'write type="{folder}" or ' if NAME.match(folder) else ""
        hint = f"{retype}rename the folder to {spec.type}"
        raise reader.error(root, f'type="{spec.type}" does not match the folder {folder}', hint)
    return spec, root


def parse_profile(data: bytes, file: Path) -> ComponentSpec:
    """As read_profile, from bytes that stand for `file`; the folder's name is not looked at."""
    return ProfileReader(file).component(read_xml(data, "component", file=file))


def write_profile(spec: ComponentSpec) -> bytes:
    """The one canonical form: equal specs give equal bytes, and reading them gives the spec back."""
    try:
        root = _component(spec)
    except ValueError as error:
        hint = "only text that XML can hold: no control characters"
        raise SpecError(f"the profile of {spec.type} cannot be written: {error}", hint=hint) from None
    return _DECLARATION + etree.tostring(root, encoding="UTF-8", xml_declaration=False) + b"\n"


def _component(spec: ComponentSpec) -> etree._Element:
    tags = " ".join(spec.tags)
    root = _element("component", {"type": spec.type, "category": spec.category, "icon": spec.icon, "tags": tags})
    return _fill(root, "", _children(spec), depth=0)


def _children(spec: ComponentSpec) -> Iterator[etree._Element]:
    if tidy(spec.doc):
        yield _fill(_element("doc", {}), spec.doc)
    yield _entry(spec)
    yield _activation(spec)
    if spec.needs_geometry or spec.assembly:
        needed = "true" if spec.needs_geometry else ""
        yield _element("geometry", {"needed": needed, "assembly": spec.assembly})
    yield from map(_port, spec.ports)
    yield from map(_service, spec.services)
    yield from map(_parameter, spec.parameters)
    for name, values in spec.parameter_sets.items():
        yield _parameter_set(spec, name, values)


def _entry(spec: ComponentSpec) -> etree._Element:
    if isinstance(spec.entry, CommandEntry):
        return _element("entry", {"command": shlex.join(spec.entry.command)})
    return _element("entry", {"python": str(spec.entry)})


def _activation(spec: ComponentSpec) -> etree._Element:
    has_period = "periodic" in spec.activations or spec.period_s != DEFAULT_PERIOD_S
    period = format_value(float(spec.period_s)) if has_period else ""
    return _element("activation", {"modes": " ".join(spec.activations), "period_s": period})


def _port(port: PortSpec) -> etree._Element:
    delivery = str(port.delivery) if port.direction == "in" else ""
    attributes = {"name": port.name, "direction": port.direction, "type": port.type, "delivery": delivery}
    attributes["optional"] = "true" if port.optional else ""
    attributes["truth"] = "true" if port.truth else ""
    return _fill(_element("port", attributes), port.doc)


def _service(service: ServicePortSpec) -> etree._Element:
    attributes = {"name": service.name, "role": service.role, "request": service.request, "reply": service.reply}
    return _fill(_element("service", attributes), service.doc)


def _parameter(parameter: ParameterSpec) -> etree._Element:
    element = _element("parameter", {"name": parameter.name, "kind": parameter.kind})
    # Set apart: an empty string is a default like any other, while empty attributes are left out.
    element.set("default", _value(parameter, parameter.default))
    for name, limit in (("minimum", parameter.minimum), ("maximum", parameter.maximum)):
        if limit is not None:
            element.set(name, _limit(parameter, limit))
    if parameter.unit:
        element.set("unit", parameter.unit)
    choices = [_element("choice", {}, value=_value(parameter, choice)) for choice in parameter.choices]
    return _fill(element, parameter.doc, choices)


def _limit(parameter: ParameterSpec, limit: float) -> str:
    whole = parameter.kind == "int" and float(limit).is_integer()
    return format_value(int(limit) if whole else float(limit))


def _parameter_set(spec: ComponentSpec, name: str, values: Mapping[str, Value]) -> etree._Element:
    sets = [_set(spec, name, parameter, value) for parameter, value in values.items()]
    return _fill(_element("parameter-set", {"name": name}), "", sets)


def _set(spec: ComponentSpec, set_name: str, name: str, value: Value) -> etree._Element:
    parameter = spec.parameter(name)
    if parameter is None:
        raise SpecError(f"parameter set {set_name} names {name}, which {spec.type} does not have")
    return _element("set", {"name": name}, value=_value(parameter, value))


def _value(parameter: ParameterSpec, value: Value) -> str:
    """Checked, because that also turns 2 into 2.0 where a float is meant: equal specs must give equal bytes."""
    return format_value(parameter.check(value))


def _element(tag: str, attributes: Mapping[str, str], **always: str) -> etree._Element:
    element = etree.Element(tag)
    for name, text in [*((name, text) for name, text in attributes.items() if text), *always.items()]:
        element.set(name, text)
    return element


def _fill(element: etree._Element, doc: str, children: Iterable[etree._Element] = (), depth: int = 1) -> etree._Element:
    """Give `element` its doc and children, indented for its depth; a doc of one line stays on its element's line."""
    text = tidy(doc)
    element.extend(children)
    if len(element) == 0 and "\n" not in text:
        element.text = text or None
        return element
    outer, inner = "\n" + "  " * depth, "\n" + "  " * (depth + 1)
    lines = "".join(inner + line if line else "\n" for line in text.split("\n")) if text else ""
    element.text = lines + (inner if len(element) else outer)
    for child in element:
        child.tail = outer if child is element[-1] else inner
    return element
