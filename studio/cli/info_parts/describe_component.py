"""A component's profile as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from studio.cli.shared.columns import columns, paragraphs
from studio.model.spec import CommandEntry, ComponentSpec, ParameterSpec, format_value


def component_json(spec: ComponentSpec) -> dict[str, Any]:
    return {
        "component": spec.type,
        "category": spec.category,
        "doc": spec.doc,
        "folder": None if spec.folder is None else str(spec.folder),
        "entry": entry_json(spec),
        "activations": list(spec.activations),
        "period_s": spec.period_s,
        "icon": spec.icon,
        "tags": list(spec.tags),
        "ports": [port_json(spec, port.name) for port in spec.ports],
        "services": [
            {"name": each.name, "role": each.role, "request": each.request, "reply": each.reply, "doc": each.doc}
            for each in spec.services
        ],
        "parameters": [parameter_json(parameter) for parameter in spec.parameters],
        "parameter_sets": {name: dict(values) for name, values in spec.parameter_sets.items()},
    }


def entry_json(spec: ComponentSpec) -> dict[str, Any]:
    if isinstance(spec.entry, CommandEntry):
        return {"command": list(spec.entry.command)}
    return {"python": str(spec.entry)}


def port_json(spec: ComponentSpec, name: str) -> dict[str, Any]:
    port = spec.port(name)
    if port is None:
        raise KeyError(name)
    delivery = str(port.delivery) if port.direction == "in" else None
    return {
        "name": name,
        "direction": port.direction,
        "type": port.type,
        "delivery": delivery,
        "optional": port.optional,
        "doc": port.doc,
    }


def parameter_json(parameter: ParameterSpec) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "kind": parameter.kind,
        "default": parameter.default,
        "minimum": parameter.minimum,
        "maximum": parameter.maximum,
        "choices": list(parameter.choices),
        "unit": parameter.unit,
        "doc": parameter.doc,
    }


def component_text(spec: ComponentSpec) -> Iterator[str]:
    yield f"{spec.type} ({spec.category})"
    yield from paragraphs(spec.doc)
    modes = [f"every {spec.period_s:g} s" if mode == "periodic" else f"on {mode}" for mode in spec.activations]
    yield f"  runs {' or '.join(modes)}; {' '.join(entry_text(spec))}"
    yield f"  {spec.folder}"
    yield from section("ports", [port_row(spec, port.name) for port in spec.ports])
    services = [(each.name, each.role, each.type, each.doc) for each in spec.services]
    yield from section("services", services)
    yield from section("parameters", [parameter_row(parameter) for parameter in spec.parameters])
    sets = [
        (name, ", ".join(f"{key} = {value}" for key, value in v.items())) for name, v in spec.parameter_sets.items()
    ]
    yield from section("parameter sets", sets)


def section(title: str, rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    if rows:
        yield from ("", title)
        yield from columns(rows)


def entry_text(spec: ComponentSpec) -> Iterator[str]:
    if isinstance(spec.entry, CommandEntry):
        yield from ("command", *spec.entry.command)
    else:
        yield from ("Python", str(spec.entry))


def port_row(spec: ComponentSpec, name: str) -> tuple[str, ...]:
    port = port_json(spec, name)
    delivery = (port["delivery"] or "") + (", optional" if port["optional"] else "")
    return name, port["direction"], port["type"], delivery, port["doc"]


def parameter_row(parameter: ParameterSpec) -> tuple[str, ...]:
    default = f"{format_value(parameter.default)} {parameter.unit}".strip()
    return parameter.name, parameter.kind, default, allowed(parameter), parameter.doc


def allowed(parameter: ParameterSpec) -> str:
    if parameter.choices:
        return "one of " + ", ".join(format_value(choice) for choice in parameter.choices)
    if parameter.minimum is None and parameter.maximum is None:
        return ""
    low = "" if parameter.minimum is None else f"{parameter.minimum:g} "
    high = "" if parameter.maximum is None else f" {parameter.maximum:g}"
    return f"{low}to{high}" if low and high else f"at least {low}".strip() if low else f"at most{high}"
