"""A project's system as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from studio.cli.info_parts.describe_component import section
from studio.cli.shared.columns import paragraphs
from studio.cli.shared.outcome import problem_json, summary_of
from studio.model.loaded_project import LoadedProject
from studio.model.parts import Component, Connection, Wire
from studio.model.sources import LiveProvider, Source
from studio.model.wiring import effective_delivery, port_at, topics_of


def project_json(opened: LoadedProject) -> dict[str, Any]:
    system = opened.system
    return {
        "project": system.name,
        "folder": str(opened.folder),
        "doc": system.doc,
        "components": [component_json(opened, component) for component in system.components],
        "sources": [source_json(opened, source) for source in system.sources],
        "hosts": [host.name for host in system.hosts],
        "wires": [wire_json(opened, wire) for wire in system.wires],
        "services": [ends_json(wire) for wire in system.services],
        "links": [ends_json(link) for link in system.links],
        "topics": {topic: {"type": kind, "producer": who} for topic, kind, who in topics_of(system, opened.registry)},
        "geometry": geometry_json(opened),
        "recording": recording_json(opened),
        "problems": [problem_json(problem) for problem in opened.problems],
    }


def component_json(opened: LoadedProject, component: Component) -> dict[str, Any]:
    spec = opened.registry.get(component.type)
    return {
        "name": component.name,
        "type": component.type,
        "known": spec is not None,
        "category": spec.category if spec else None,
        "host": component.host or component.name,
        "mode": component.mode or (spec.activations[0] if spec else None),
        "period_s": component.period_s or (spec.period_s if spec else None),
        "parameter_set": component.parameter_set or None,
        "parameters": dict(component.parameters),
    }


def source_json(opened: LoadedProject, source: Source) -> dict[str, Any]:
    ports = [{"name": port.name, "direction": port.direction, "type": port.type} for port in source.ports]
    providers = {mode: provider_json(opened, source, mode) for mode in source.modes}
    return {"name": source.name, "mode": source.mode, "ports": ports, "providers": providers}


def provider_json(opened: LoadedProject, source: Source, mode: Any) -> dict[str, Any]:
    provider = source.provider(mode)
    if isinstance(provider, LiveProvider):
        return {"components": [component_json(opened, component) for component in provider.components]}
    return {"log": provider.log if provider else None}


def wire_json(opened: LoadedProject, wire: Wire) -> dict[str, Any]:
    out = port_at(opened.system, opened.registry, wire.start)
    delivery = effective_delivery(opened.system, opened.registry, wire)
    return {**ends_json(wire), "type": out.type if out else None, "delivery": str(delivery)}


def ends_json(connection: Connection) -> dict[str, Any]:
    return {"from": str(connection.start), "to": str(connection.end)}


def recording_json(opened: LoadedProject) -> dict[str, Any] | None:
    recording = opened.system.recording
    return {"topics": list(recording.topics), "exclude": list(recording.exclude)} if recording else None


def geometry_json(opened: LoadedProject) -> dict[str, Any] | None:
    geometry = opened.system.geometry
    joints = str(geometry.joints) if geometry and geometry.joints else None
    return {"assembly": geometry.assembly, "joints": joints} if geometry else None


def project_text(opened: LoadedProject) -> Iterator[str]:
    """From the same values as the JSON, so that the two never tell different things."""
    told = project_json(opened)
    yield f"{told['project']}: {opened.size()}"
    yield from paragraphs(told["doc"])
    yield f"  {opened.folder}"
    yield from section("components", [component_row(each) for each in told["components"]])
    yield from section("sources", [source_row(each) for each in told["sources"]])
    yield from section("wires", [wire_row(each) for each in told["wires"]])
    yield from section("services", list(ends_rows(told["services"])))
    yield from section("links", list(ends_rows(told["links"])))
    if geometry := told["geometry"]:
        moves = f"joints from {geometry['joints']}" if geometry["joints"] else ""
        yield from section("geometry", [(geometry["assembly"], moves)])
    yield from section("topics", [(topic, each["type"]) for topic, each in told["topics"].items()])
    if told["recording"]:
        yield from section("recorded", [recording_row(told["recording"])])
    yield ""
    yield summary_of(opened.problems) + (f": studio check {opened.folder}" if opened.problems else "")


def component_row(component: dict[str, Any]) -> tuple[str, ...]:
    when = f"every {component['period_s']:g} s" if component["mode"] == "periodic" else f"on {component['mode']}"
    kind = component["type"] if component["known"] else f"{component['type']} (unknown)"
    shared = component["host"] != component["name"]
    settings = ", ".join(f"{name} = {value}" for name, value in component["parameters"].items())
    host = f"host {component['host']}" if shared else ""
    return component["name"], kind, when if component["mode"] else "", host, settings


def source_row(source: dict[str, Any]) -> tuple[str, ...]:
    modes = ", ".join(f"{mode} (chosen)" if mode == source["mode"] else mode for mode in source["providers"])
    ports = ", ".join(f"{port['direction']} {port['name']}" for port in source["ports"])
    return source["name"], modes, ports


def wire_row(wire: dict[str, Any]) -> tuple[str, ...]:
    return wire["from"], "→", wire["to"], wire["type"] or "?", wire["delivery"]


def ends_rows(connections: Iterable[dict[str, Any]]) -> Iterator[tuple[str, ...]]:
    yield from ((each["from"], "→", each["to"]) for each in connections)


def recording_row(recording: dict[str, Any]) -> tuple[str, ...]:
    without = f"without {', '.join(recording['exclude'])}" if recording["exclude"] else ""
    return ", ".join(recording["topics"]), without
