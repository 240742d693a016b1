"""Writes a system as an RtsProfile. What it cannot hold is listed, never dropped in silence."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from studio.model.parameter_sets import readable_set
from studio.model.parts import Component, Endpoint
from studio.model.rts_profile import (
    DEFAULT,
    DELIVERY,
    EXT,
    HOST,
    PORT_TYPE,
    PORT_TYPES,
    RTS,
    VERSION,
    XSI,
    NotMapped,
    ext,
    rts,
)
from studio.model.sources import LiveProvider, Source, Specs
from studio.model.spec import ComponentSpec, format_value
from studio.model.system import System
from studio.model.wiring import effective_delivery, port_at

VENDOR = "Studio"
_KINDS = {"periodic": "PERIODIC", "event": "EVENT_DRIVEN", "trigger": "OTHER"}
_PORT_TYPE = {direction: name for name, direction in PORT_TYPES.items()}
_TYPE = f"{{{XSI}}}type"
_IDS = uuid.UUID("6f1c4b58-98c4-4f9e-8f0a-2a1b3b1de001")
"""Connectors get ids that depend on their ends alone: the same system gives the same file."""


@dataclass
class Exported:
    data: bytes
    not_mapped: list[NotMapped] = field(default_factory=list)


def to_rts_profile(system: System, specs: Specs) -> Exported:
    return _Export(system, specs).done()


class _Export:
    def __init__(self, system: System, specs: Specs) -> None:
        self._system = system
        self._specs = specs
        self._components = {component.name: component for component, _ in _components(system)}
        self._lost: list[NotMapped] = []
        self._root = etree.Element(rts("RtsProfile"), nsmap={"rts": RTS, "rtsExt": EXT, "xsi": XSI})

    def done(self) -> Exported:
        system, root = self._system, self._root
        root.set(rts("id"), f"RTSystem:{VENDOR}:{system.name}:1.0")
        root.set(rts("version"), VERSION)
        root.set(rts("abstract"), system.doc)
        for component, source in _components(system):
            self._component(component, source)
        for wire in system.wires:
            self._wire(wire.start, wire.end, str(effective_delivery(system, self._specs, wire)))
        for service in system.services:
            self._connector("Service", service.start, service.end)
        self._tell_the_rest()
        data = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
        return Exported(bytes(data), self._lost)

    def _component(self, component: Component, source: Source | None) -> None:
        spec = self._specs.get(component.type)
        node = etree.SubElement(self._root, rts("Components"))
        node.set(_TYPE, "rtsExt:component_ext")
        configuration = component.parameter_set or DEFAULT
        for name, value in (
            ("instanceName", component.name), ("pathUri", f"localhost/{component.name}.rtc"),
            ("id", _component_id(component, spec)), ("activeConfigurationSet", configuration),
            ("compositeType", "None"), ("isRequired", "true"),
        ):  # fmt: skip
            node.set(rts(name), value)
        node.set(ext("visible"), "true")
        if spec is None:
            self._lose(component.name, f"its type {component.type} is not known, so it has no ports here")
        self._ports(node, component, spec)
        self._configuration(node, component, configuration, spec)
        self._context(node, component, spec)
        place = self._system.layout.places.get(source.name if source else component.name)
        if place is not None:
            location = etree.SubElement(node, ext("Location"))
            for name, number in (("x", place.x), ("y", place.y), ("width", -1), ("height", -1)):
                location.set(ext(name), str(round(number)))
            location.set(ext("direction"), "RIGHT")
        if component.host:
            _property(node, HOST, component.host)

    @staticmethod
    def _ports(node: etree._Element, component: Component, spec: ComponentSpec | None) -> None:
        for port in spec.ports if spec else ():
            made = etree.SubElement(node, rts("DataPorts"))
            made.set(_TYPE, "rtsExt:dataport_ext")
            made.set(rts("name"), f"{component.name}.{port.name}")
            _property(made, PORT_TYPE, _PORT_TYPE[port.direction])
        for service in spec.services if spec else ():
            made = etree.SubElement(node, rts("ServicePorts"))
            made.set(_TYPE, "rtsExt:serviceport_ext")
            made.set(rts("name"), f"{component.name}.{service.name}")

    @staticmethod
    def _configuration(
        node: etree._Element, component: Component, configuration: str, spec: ComponentSpec | None
    ) -> None:
        """The chosen one with the values of now, then the others that the component has."""
        chosen = readable_set(component, spec, component.parameter_set) if spec else {}
        values = {name: format_value(value) for name, value in chosen.items()}
        sets = {configuration: values | dict(component.parameters)}
        for label, texts in (sets | {k: v for k, v in component.parameter_sets.items() if k not in sets}).items():
            made = etree.SubElement(node, rts("ConfigurationSets"))
            made.set(rts("id"), label)
            for name, text in texts.items():
                data = etree.SubElement(made, rts("ConfigurationData"))
                data.set(rts("name"), name)
                data.set(rts("data"), text)

    @staticmethod
    def _context(node: etree._Element, component: Component, spec: ComponentSpec | None) -> None:
        mode = component.mode or (spec.activations[0] if spec else "event")
        period_s = component.period_s if component.period_s is not None else (spec.period_s if spec else 0.1)
        context = etree.SubElement(node, rts("ExecutionContexts"))
        context.set(_TYPE, "rtsExt:execution_context_ext")
        context.set(rts("id"), "0")
        context.set(rts("kind"), _KINDS[mode])
        context.set(rts("rate"), repr(1 / period_s if mode == "periodic" else 0.0))

    def _wire(self, start: Endpoint, end: Endpoint, delivery: str) -> None:
        node = self._connector("Data", start, end)
        if node is None:
            return
        port = port_at(self._system, self._specs, start)
        node.set(rts("dataType"), port.type if port else "Any")
        node.set(rts("interfaceType"), "corba_cdr")
        node.set(rts("dataflowType"), "push")
        node.set(rts("subscriptionType"), "flush" if delivery == "lossless" else "new")
        _property(node, DELIVERY, delivery)

    def _connector(self, kind: str, start: Endpoint, end: Endpoint) -> etree._Element | None:
        ends = [self._inner(each) for each in (start, end)]
        for outer, inner in zip((start, end), ends, strict=True):
            if inner is None:
                self._lose(f"{start} → {end}", f"{outer} belongs to a source that no component provides now")
                return None
        node = etree.SubElement(self._root, rts(f"{kind}PortConnectors"))
        node.set(_TYPE, f"rtsExt:{kind.lower()}port_connector_ext")
        node.set(rts("connectorId"), str(uuid.uuid5(_IDS, f"{kind} {start} {end}")))
        node.set(rts("name"), f"{start}_{end}".replace(".", "_"))
        for role, inner in zip(("source", "target"), ends, strict=True):
            assert inner is not None
            made = etree.SubElement(node, rts(f"{role}{kind}Port"))
            made.set(_TYPE, "rtsExt:target_port_ext")
            component = self._components[inner.node]
            made.set(rts("portName"), str(inner))
            made.set(rts("instanceName"), inner.node)
            made.set(rts("componentId"), _component_id(component, self._specs.get(component.type)))
        return node

    def _inner(self, end: Endpoint) -> Endpoint | None:
        """The port of a component; of a source, that of the component which stands for it now."""
        node = self._system.nodes.get(end.node)
        if not isinstance(node, Source):
            return end if end.node in self._components else None
        provider = node.provider(node.mode)
        return provider.binds.get(end.port) if isinstance(provider, LiveProvider) else None

    def _tell_the_rest(self) -> None:
        for source in self._system.sources:
            others = [mode for mode in source.modes if mode != source.mode]
            why = f"only its {source.mode} provider is exported"
            self._lose(f"source {source.name}", why + (f", not {' or '.join(others)}" if others else ""))
        for link in self._system.links:
            self._lose(f"link {link}", "an RtsProfile has no links between properties")
        if self._system.recording is not None:
            self._lose("recording", "an RtsProfile has no recording")
        if self._system.geometry is not None:
            self._lose("geometry", "an RtsProfile has none")

    def _lose(self, what: str, why: str) -> None:
        self._lost.append(NotMapped(what, why))


def _components(system: System) -> Iterator[tuple[Component, Source | None]]:
    for node in system.nodes:
        if isinstance(node, Component):
            yield node, None
        elif isinstance(provider := node.provider(node.mode), LiveProvider):
            yield from ((component, node) for component in provider.components)


def _component_id(component: Component, spec: ComponentSpec | None) -> str:
    return f"RTC:{VENDOR}:{spec.category if spec else 'processor'}:{component.type}:1.0"


def _property(node: etree._Element, name: str, value: str) -> None:
    made = etree.SubElement(node, ext("Properties"))
    made.set(ext("name"), name)
    made.set(ext("value"), value)
