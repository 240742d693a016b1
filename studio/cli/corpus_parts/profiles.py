"""Tries an RtsProfile: every connector is a wire in the direction of its ports, or told; and it comes back the same."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from studio.cli.corpus_parts.outcome import Outcome, WrongError
from studio.model.files import read_bytes
from studio.model.registry import Registry
from studio.model.rts_export import to_rts_profile
from studio.model.rts_import import read_rts_profile
from studio.model.rts_profile import PORT_TYPES, ext, rts
from studio.model.system import System
from studio.model.system_xml import read_system, write_system
from studio.model.xml_parse import parse_hardened
from studio.paths import component_roots


def try_profile(path: Path) -> Outcome:
    data = read_bytes(path)
    registry = Registry.scan(component_roots(path.parent))
    found = read_rts_profile(data, registry, path)
    root = parse_hardened(data, path)
    written = len(root.findall(rts("DataPortConnectors"))) + len(root.findall(rts("ServicePortConnectors")))
    wires = len(list(found.system.wires)) + len(list(found.system.services))
    if wires + len(found.not_mapped) < written:
        raise WrongError(f"of {written} connectors {wires} are wires, and not all others are listed")
    for wire in found.system.wires:
        _check_direction(root, str(wire.start), str(wire.end))
    text = write_system(found.system)
    if write_system(read_system(text)) != text:
        raise WrongError("the project that Studio wrote from it gives another system")
    again = read_rts_profile(to_rts_profile(found.system, registry).data, registry)
    if _shape(again.system) != _shape(found.system):
        raise WrongError("written as an RtsProfile and read again, components or wires differ")
    return Outcome("ok", compared=wires, notes=[str(each) for each in found.not_mapped])


def _check_direction(root: etree._Element, start: str, end: str) -> None:
    """By the names of ports that needed no change; of the others the file says nothing here."""
    for name, forbidden in ((start, "in"), (end, "out")):
        for port in root.iterfind(f"{rts('Components')}/{rts('DataPorts')}"):
            if port.get(rts("name")) != name:
                continue
            for each in port.iterfind(ext("Properties")):
                if PORT_TYPES.get(each.get(ext("value"), "")) == forbidden:
                    raise WrongError(f"the wire {start} -> {end} goes against the ports: {name} is an {forbidden} port")


def _shape(system: System) -> tuple[object, ...]:
    components = sorted((each.name, each.type, each.host) for each in system.components)
    return components, sorted((wire.start, wire.end) for wire in system.wires)
