"""What is on the card of a component or source and where: computed once, then painted many times."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from PyQt6.QtCore import QRectF

from studio.editor.look.fonts import width_of
from studio.editor.look.icons import CATEGORY_ICONS, DEFAULT
from studio.model.gazebo_provider import GAZEBO, Choice, choice_of, choices_of, is_on_gazebo, segments_of
from studio.model.parts import Component, Endpoint, ServiceWire
from studio.model.sources import (
    LiveProvider,
    LogProvider,
    Source,
    SourceMode,
    Specs,
    explain_differences,
)
from studio.model.spec import ComponentSpec, PortSpec
from studio.model.system import Node, System
from studio.model.wiring import ports_of, spec_of

Side = Literal["in", "out", "required", "provided"]

TITLE = 30.0
STATE_ROW = 24.0
SWITCH_ROW = 32.0
ROW = 22.0
BOTTOM = 8.0
MIN_WIDTH, MAX_WIDTH, SOURCE_WIDTH = 176.0, 240.0, 208.0
WEIGHTS: dict[Choice, float] = {"real": 0.28, "logged": 0.33, "simulated": 0.39, GAZEBO: 0.31}
"""Of the segments of a source's switch, by their words."""
STEP = 16.0
TITLE_AT = 36.0
PADDING = 13.0


@dataclass(frozen=True)
class Port:
    """A port as it is drawn: `x`, `y` are its centre on the card."""

    end: Endpoint
    side: Side
    type: str
    x: float
    y: float
    doc: str = ""
    optional: bool = False
    missing: bool = False
    """A wire names it, but the component has no such port."""
    label: str = ""
    """What is written beside it; its name without one."""

    @property
    def is_service(self) -> bool:
        return self.side in ("required", "provided")

    def accessible_name(self) -> str:
        what = {"in": "input", "out": "output"}.get(self.side, f"{self.side} service")
        return f"{self.end.port}, {what} of {self.end.node}, {self.type or 'unknown type'}"

    @property
    def starts(self) -> bool:
        """Connections go from here: an out port, a required service."""
        return self.side in ("out", "required")


@dataclass(frozen=True)
class Card:
    name: str
    icon: str
    corner: str
    """Right of the title: the category."""
    left: str
    right: str
    """Below the title: type and activation, or who provides."""
    width: float
    height: float
    rows_at: float
    ports: tuple[Port, ...]
    mode: SourceMode | None = None
    """Of a source."""
    choice: Choice | None = None
    choices: tuple[Choice, ...] = ()
    """What somebody provides; Gazebo is a segment only where it can be chosen."""
    unknown: bool = False
    differs: tuple[Choice, ...] = ()
    """Those of a source whose provider is not what it promises."""

    @property
    def is_source(self) -> bool:
        return self.mode is not None

    def port(self, name: str, *, service: bool = False) -> Port | None:
        return next((port for port in self.ports if port.end.port == name and port.is_service == service), None)

    def port_at(self, end: Endpoint, *, service: bool = False) -> Port | None:
        return next((port for port in self.ports if port.end == end and port.is_service == service), None)

    def segments(self) -> Iterator[tuple[Choice, float, float]]:
        """Choice, left edge and width of each part of a source's switch."""
        shown = segments_of(self.choices)
        left, room = PADDING, self.width - 2 * PADDING
        whole = sum(WEIGHTS[choice] for choice in shown)
        for choice in shown:
            width = room * WEIGHTS[choice] / whole
            yield choice, left, width
            left += width

    def dot(self, of: Choice) -> QRectF:
        """Where a click means the warning on a segment: at its upper right corner."""
        right = next(left + width for choice, left, width in self.segments() if choice == of)
        return QRectF(right - 13, TITLE - 3, 18, 18)


def card_of(system: System, specs: Specs, node: Node) -> Card:
    if isinstance(node, Source):
        return _source_card(system, specs, node)
    return _component_card(system, specs, node)


def _component_card(system: System, specs: Specs, node: Component) -> Card:
    spec = spec_of(system, specs, node.name)
    left, right = node.type, _activation(node, spec) if spec else "unknown type"
    corner = spec.category if spec else ""
    ins, outs = _data_ports(system, specs, node.name)
    width = _width(node.name, corner, left, right, ins, outs, MIN_WIDTH)
    rows_at = TITLE + STATE_ROW
    height = rows_at + ROW * max(len(ins), len(outs)) + BOTTOM
    ports = [*_placed(ins, outs, width, rows_at, node.name), *_services(system, spec, node.name, width, height)]
    icon = (spec.icon or CATEGORY_ICONS.get(spec.category, DEFAULT)) if spec else "mdi6.help-rhombus-outline"
    return Card(node.name, icon, corner, left, right, width, height, rows_at, tuple(ports), unknown=spec is None)


def _source_card(system: System, specs: Specs, node: Source) -> Card:
    parts = len({port.name.partition(".")[0] for port in node.ports if "." in port.name})
    corner = f"source · {parts} parts" if parts > 1 else "source"
    ins, outs = _data_ports(system, specs, node.name)
    left, right = "provided by", _provider_words(node.provider(node.mode))
    # In ports of a source have rows of their own below: what comes in is a command, not what the row beside it sends.
    rows = len(outs) + len(ins)
    choices = choices_of(node, specs)
    least = MAX_WIDTH if GAZEBO in choices else SOURCE_WIDTH
    width = _width(node.name, corner, left, right, [*ins, *outs], [], least)
    rows_at = TITLE + SWITCH_ROW + STATE_ROW
    height = rows_at + ROW * rows + BOTTOM
    ports = [
        *_placed([], outs, width, rows_at, node.name),
        *_placed(ins, [], width, rows_at + ROW * len(outs), node.name),
    ]
    differences: set[Choice] = {difference.mode for difference in explain_differences(node, specs)}
    if "simulated" in differences and is_on_gazebo(node, specs):
        differences = {*differences - {"simulated"}, GAZEBO}
    return Card(
        node.name, "mdi6.car", corner, left, right, width, height, rows_at, tuple(ports), node.mode,
        choice_of(node, specs), choices, differs=tuple(each for each in WEIGHTS if each in differences),
    )  # fmt: skip


def _provider_words(provider: LiveProvider | LogProvider | None) -> str:
    if provider is None:
        return "nobody"
    if isinstance(provider, LogProvider):
        return provider.log.rpartition("/")[2] or "no log"
    names = [component.name for component in provider.components]
    return ", ".join(names) if len(names) < 3 else f"{len(names)} components"


def _activation(node: Component, spec: ComponentSpec) -> str:
    mode = node.mode or spec.activations[0]
    if mode == "periodic":
        return period_words(node.period_s or spec.period_s)
    return {"event": "on event", "trigger": "on trigger"}[mode]


def period_words(period_s: float) -> str:
    return f"{1 / period_s:.4g} Hz" if period_s <= 1 else f"every {period_s:g} s"


def _data_ports(system: System, specs: Specs, name: str) -> tuple[list[PortSpec], list[PortSpec]]:
    """In and out ports, with those that only wires know at the end."""
    known = ports_of(system, specs, name)
    ins = [port for port in known if port.direction == "in"]
    outs = [port for port in known if port.direction == "out"]
    for wire in system.wires_of(name):
        for end, side, ports in ((wire.start, "out", outs), (wire.end, "in", ins)):
            if end.node == name and all(port.name != end.port for port in ports):
                ports.append(PortSpec(end.port, side, "", doc="the component has no such port"))  # type: ignore[arg-type]
    return ins, outs


def _placed(ins: list[PortSpec], outs: list[PortSpec], width: float, rows_at: float, node: str) -> Iterator[Port]:
    for x, ports in ((0.0, ins), (width, outs)):
        for row, port in enumerate(ports):
            yield Port(
                Endpoint(node, port.name), port.direction, port.type, x, rows_at + ROW * row + ROW / 2,
                port.doc, port.optional, missing=not port.type,
            )  # fmt: skip


def _services(system: System, spec: ComponentSpec | None, node: str, width: float, height: float) -> Iterator[Port]:
    known = {(service.name, service.role): service for service in spec.services} if spec else {}
    named: dict[tuple[str, str], str] = {key: service.type for key, service in known.items()}
    for wire in system.connections_of(node):
        if isinstance(wire, ServiceWire):
            for end, role in ((wire.start, "required"), (wire.end, "provided")):
                if end.node == node:
                    named.setdefault((end.port, role), "")
    for role, y in (("required", 0.0), ("provided", height)):
        names = [name for name, of in named if of == role]
        for place, name in enumerate(names, 1):
            x = width * place / (len(names) + 1)
            service = known.get((name, role))  # type: ignore[arg-type]
            kind = named[name, role]
            yield Port(Endpoint(node, name), role, kind, x, y, service.doc if service else "", missing=not kind)  # type: ignore[arg-type]


def _width(
    name: str, corner: str, left: str, right: str, ins: list[PortSpec], outs: list[PortSpec], least: float
) -> float:
    """The longest label decides, in steps, so that cards of a column are mostly equally wide."""
    needs = [
        TITLE_AT + width_of(name, 13, 600) + (14 + width_of(corner, 11) if corner else 0) + PADDING,
        PADDING + width_of(left, 11) + 16 + width_of(right, 11) + PADDING,
    ]
    for row in range(max(len(ins), len(outs))):
        labels = [width_of(ports[row].name, 11.5) for ports in (ins, outs) if row < len(ports)]
        needs.append(2 * PADDING + sum(labels) + 16 * (len(labels) - 1))
    return min(MAX_WIDTH, max(least, math.ceil(max(needs) / STEP) * STEP))
