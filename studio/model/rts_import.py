"""Reads an RtsProfile into a system. What has no place here is listed; what has an unknown type is kept, and shown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path

from lxml import etree

from studio.model.changes import ModelError
from studio.model.files import FileError
from studio.model.parts import Component, Endpoint, Host, ServiceWire, Wire
from studio.model.rts_profile import DEFAULT, DELIVERY, HOST, PATH, NotMapped, direction_of, ext, is_rts_profile, rts
from studio.model.sources import Specs
from studio.model.spec import Activation, ComponentSpec, Delivery, SpecError
from studio.model.system import System
from studio.model.xml_parse import parse_hardened
from studio.model.xml_schema import line_of

_SEQUENCES = ("StartUp", "ShutDown", "Activation", "Deactivation", "Resetting", "Initializing", "Finalizing")
_KNOWN = ("Components", "DataPortConnectors", "ServicePortConnectors")
_DELIVERIES = {"flush": None, "new": "latest", "periodic": "latest"}
"""Subscription types; what goes at once is handled in order, the others may be overtaken."""


@dataclass
class Imported:
    system: System
    not_mapped: list[NotMapped] = field(default_factory=list)


def read_rts_profile(data: bytes, specs: Specs, file: Path | str | None = None) -> Imported:
    root = parse_hardened(data, file)
    if not is_rts_profile(root):
        raise FileError("this is not an RtsProfile", file=file, line=line_of(root), hint="its root is rts:RtsProfile")
    return _Import(root, specs, file).done()


class _Import:
    def __init__(self, root: etree._Element, specs: Specs, file: Path | str | None) -> None:
        self._root = root
        self._specs = specs
        self._file = file
        self._names: dict[tuple[str, str], str] = {}
        """Instance name, and path or nothing -> component. Two name servers may each have one of a name."""
        self._shared: set[str] = set()
        """Instance names that several components have."""
        self._directions: dict[Endpoint, str] = {}
        """What the profile itself says of data ports: `in` or `out`."""
        self._lost: list[NotMapped] = []
        self._system = System(_name(_part(root.get(rts("id"), ""), 2), "system"))
        self._system.set_doc(_text(root.get(rts("abstract"), "")))

    def done(self) -> Imported:
        for node in self._root.iterchildren(rts("Components")):
            self._add(node)
        for node in self._root.iterchildren(rts("DataPortConnectors")):
            self._connect(node, "Data")
        for node in self._root.iterchildren(rts("ServicePortConnectors")):
            self._connect(node, "Service")
        for node in self._root.iterchildren(etree.Element):
            name = etree.QName(node).localname
            if name not in _KNOWN:
                why = "components start and stop together" if name in _SEQUENCES else "not known here"
                self._lose(name, why)
        return Imported(self._system, self._lost)

    # Components.

    def _add(self, node: etree._Element) -> None:
        instance = node.get(rts("instanceName"), "")
        kind = self._type(_part(node.get(rts("id"), ""), 3) or instance)
        name = self._system.free_name(_name(instance, "component"))
        if name != instance:
            self._lose(instance, f"is called {name} here")
        self._remember(instance, node.get(rts("pathUri"), ""), name)
        spec = self._specs.get(kind)
        if spec is None:
            self._lose(name, f"there is no component of type {kind}: it stays as a placeholder")
        if node.get(rts("compositeType"), "None") not in ("", "None") or node.find(rts("Participants")) is not None:
            self._lose(name, "a composite becomes one component; its parts are not imported")
        properties = dict(_properties(node))
        host = _name(properties[HOST], "host") if properties.get(HOST) else ""
        if host and host not in self._system.hosts:
            self._system.add_host(Host(host))
        mode, period_s = self._activation(name, node, spec)
        chosen, parameters, sets = self._parameters(name, node, spec)
        with self._as_far_as_possible(node):
            self._system.add_node(Component(name, kind, host, mode, period_s, chosen, parameters, sets))
        self._place(name, node)
        for port in node.iterchildren(rts("DataPorts")):
            direction = _direction(port)
            if direction:
                written = port.get(rts("name"), "").removeprefix(f"{instance}.")
                self._directions[Endpoint(name, _name(written, "port"))] = direction

    def _remember(self, instance: str, path: str, name: str) -> None:
        if (instance, "") in self._names:
            self._shared.add(instance)
        self._names.setdefault((instance, ""), name)
        self._names[instance, path] = name

    def _type(self, written: str) -> str:
        """As it is called here: `ConsoleIn` is console_in, unless there is one of that very name."""
        plain = _name(written, "component")
        snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower()
        return plain if self._specs.get(plain) is not None else snake

    def _activation(
        self, name: str, node: etree._Element, spec: ComponentSpec | None
    ) -> tuple[Activation | None, float | None]:
        context = node.find(rts("ExecutionContexts"))
        kind = "" if context is None else context.get(rts("kind"), "").lower()
        mode: Activation = "periodic" if "periodic" in kind else "trigger" if kind == "other" else "event"
        if context is None:
            return None, None
        if spec is not None and mode not in spec.activations:
            self._lose(name, f"it cannot run in mode {mode}: it runs in mode {spec.activations[0]}")
            return None, None
        try:
            rate_hz = float(context.get(rts("rate"), "0"))
        except ValueError:
            rate_hz = 0.0
        period_s = 1 / rate_hz if mode == "periodic" and rate_hz > 0 else None
        same = spec is not None and mode == spec.activations[0]
        if same and (period_s is None or abs(period_s - spec.period_s) < 1e-9):  # type: ignore[union-attr]
            return None, None
        return (None if same else mode), period_s

    def _parameters(
        self, name: str, node: etree._Element, spec: ComponentSpec | None
    ) -> tuple[str, dict[str, str], dict[str, dict[str, str]]]:
        """The set that is chosen, what is set by itself, and the sets that the component has beside its type's."""
        active = node.get(rts("activeConfigurationSet"), "") or DEFAULT
        known = spec.parameter_sets if spec is not None else {}
        values: dict[str, str] = {}
        sets: dict[str, dict[str, str]] = {}
        names: dict[str, str] = {}
        """Label -> what the set is called here."""
        for configuration in node.iterchildren(rts("ConfigurationSets")):
            label = configuration.get(rts("id"), "")
            if label.startswith("_"):  # one of the machinery, as __widget__
                continue
            data = {each.get(rts("name"), ""): each.get(rts("data"), "") for each in configuration}
            texts = dict(self._fitting(name, data, spec))
            differ = _beside(texts, spec, label)
            if label == active and (label == DEFAULT or label in known):
                values = differ
            elif label not in known or differ:
                # Under the label of one of its type it is meant in its place, under a name made here it is not.
                made = label if label in known else _name(label, "set")
                made = _free(made, sets if label in known else {*sets, *known})
                sets[made] = texts
                names.setdefault(label, made)
        return (active if active in known else names.get(active, "")), values, sets

    def _fitting(self, name: str, values: dict[str, str], spec: ComponentSpec | None) -> Iterator[tuple[str, str]]:
        for parameter, text in values.items():
            declared = spec.parameter(parameter) if spec is not None else None
            if spec is None:
                if _name(parameter, "x") == parameter:
                    yield parameter, _text(text)
                continue
            if declared is None:
                self._lose(f"{name}.{parameter}", f"{spec.type} has no such parameter")
                continue
            try:
                declared.parse(text)
            except SpecError as error:
                self._lose(f"{name}.{parameter}", str(error))
                continue
            yield parameter, _text(text)

    def _place(self, name: str, node: etree._Element) -> None:
        location = node.find(ext("Location"))
        if location is not None:
            try:
                self._system.place(name, float(location.get(ext("x"), "")), float(location.get(ext("y"), "")))
            except (ValueError, ModelError):
                return  # without a place it is drawn somewhere

    # Connectors.

    def _connect(self, node: etree._Element, kind: str) -> None:
        start, end = (self._end(node.find(rts(f"{role}{kind}Port"))) for role in ("source", "target"))
        if start is None or end is None:
            why = "one of its ends is not in this profile, or several components have its name"
            self._lose(node.get(rts("name"), "connector"), why)
            return
        if kind == "Data":
            directions = [self._direction(each) for each in (start, end)]
            if directions in (["in", "in"], ["out", "out"]):
                self._lose(node.get(rts("name"), "connector"), f"{start} and {end} are both {directions[0]} ports")
                return
            if directions == ["", ""]:
                self._lose(node.get(rts("name"), "connector"), f"no end is marked as the sender: {start} is taken")
            goes_backwards = directions[0] == "in" or directions[1] == "out"
        else:
            goes_backwards = self._calls_backwards(start, end)
        if goes_backwards:
            start, end = end, start
        with self._as_far_as_possible(node):
            if kind == "Service":
                self._system.connect(ServiceWire(start, end))
            else:
                self._system.connect(Wire(start, end, self._delivery(node, end)))

    def _delivery(self, node: etree._Element, end: Endpoint) -> Delivery | None:
        """None where it is what the in port asks for anyway."""
        written = dict(_properties(node)).get(DELIVERY)
        text = written or _DELIVERIES.get(node.get(rts("subscriptionType"), "").lower())
        spec = self._specs.get(self._system.component(end.node).type)
        port = spec.port(end.port) if spec is not None else None
        try:
            wanted = Delivery.parse(text) if text else None
        except SpecError:
            return None
        return None if wanted == (port.delivery if port else Delivery()) else wanted

    def _end(self, port: etree._Element | None) -> Endpoint | None:
        if port is None:
            return None
        instance = port.get(rts("instanceName"), "")
        path = dict(_properties(port)).get(PATH, "")
        component = self._names.get((instance, path)) if path else None
        if component is None and instance not in self._shared:
            component = self._names.get((instance, ""))
        if component is None:
            return None
        return Endpoint(component, _name(port.get(rts("portName"), "").removeprefix(f"{instance}."), "port"))

    def _direction(self, end: Endpoint) -> str:
        """`in`, `out`, or nothing where nobody says: which end is called source tells nothing, as other tools write the
        two ends in any order."""
        spec = self._specs.get(self._system.component(end.node).type)
        port = spec.port(end.port) if spec is not None else None
        return port.direction if port is not None else self._directions.get(end, "")

    def _calls_backwards(self, start: Endpoint, end: Endpoint) -> bool:
        specs = [self._specs.get(self._system.component(each.node).type) for each in (start, end)]
        provider = specs[0].service(start.port) if specs[0] else None
        consumer = specs[1].service(end.port) if specs[1] else None
        return bool((provider and provider.role == "provided") or (consumer and consumer.role == "required"))

    @contextmanager
    def _as_far_as_possible(self, node: etree._Element) -> Iterator[None]:
        """What the system refuses is not brought over, and the rest is."""
        try:
            yield
        except ModelError as error:
            self._lose(node.get(rts("instanceName")) or node.get(rts("name")) or "connector", str(error))

    def _lose(self, what: str, why: str) -> None:
        self._lost.append(NotMapped(what, why))


def _properties(node: etree._Element) -> Iterator[tuple[str, str]]:
    """Those of RTSystemEditor are in the name space `rts_ext`; older and other tools have used others."""
    for each in node.iterchildren(etree.Element):
        if etree.QName(each).localname == "Properties":
            values = {etree.QName(name).localname: str(value) for name, value in each.attrib.items()}
            yield values.get("name", ""), values.get("value", "")


def _part(identity: str, place: int) -> str:
    """Of `RTC:Vendor:Category:Name:1.0`; the name also of `RTC:Vendor.Category.Name:1.0`, as older profiles have it."""
    parts = identity.split(":")
    if len(parts) == 3 and "." in parts[1]:
        return parts[1].rpartition(".")[2]
    return parts[place] if len(parts) > place else ""


def _direction(port: etree._Element) -> str:
    """Of a data port, as its property `port.port_type` has it."""
    for name, value in _properties(port):
        if name.rpartition(".")[2] == "port_type":
            return direction_of(value)
    return ""


def _name(written: str, otherwise: str) -> str:
    """What may be a name here."""
    made = re.sub(r"[^A-Za-z0-9_]+", "_", written).strip("_")
    return made if made[:1].isalpha() else f"{otherwise}_{made}".rstrip("_")


def _free(wanted: str, taken: Collection[str]) -> str:
    numbered = (f"{wanted}_{number}" for number in count(2))
    return next(name for name in chain([wanted], numbered) if name not in taken)


def _beside(texts: dict[str, str], spec: ComponentSpec | None, label: str) -> dict[str, str]:
    """What the type's set of that name does not say; everything, if it has none."""
    said = spec.parameter_sets.get(label, {}) if spec is not None else {}
    parameters = {each.name: each for each in spec.parameters} if spec is not None else {}
    return {
        name: text for name, text in texts.items() if name not in said or parameters[name].parse(text) != said[name]
    }


def _text(written: str) -> str:
    return re.sub("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]", "", written)
