"""Everything that is wrong with a system, with file, line and remedy."""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from studio.errors import Problem, Severity
from studio.model.close_matches import did_you_mean
from studio.model.component_code import module_file
from studio.model.origin import Origin
from studio.model.parameter_sets import set_names, set_values
from studio.model.parts import Component, Connection, Endpoint
from studio.model.sources import SOURCE_MODES, Source, Specs, explain_differences
from studio.model.spec import CommandEntry, ComponentSpec, ParameterSpec, SpecError, Value
from studio.model.system import System
from studio.model.wiring import (
    parameter_values,
    port_at,
    spec_of,
    topics_of,
    why_no_link,
    why_no_service,
    why_no_wire,
)
from studio.model.worlds import why_no_world
from studio.paths import model_roots

C = TypeVar("C", bound=Connection)
MANY_NAMES, MOST_LOOKS = 1000, 20
"""To find a similar name among many takes milliseconds, so only the first findings get such a hint there: with one for
each, a file of some megabytes would keep the check busy for hours."""


def check(system: System, specs: Specs, message_types: Collection[str], folder: Path | None = None) -> list[Problem]:
    """All findings, in the order of the file. `message_types` are the short names that the project knows, `folder` is
    the project's: without it nobody asks whether the files are there that parameters name."""
    checker = _Checker(system, specs, message_types, folder)
    found = list(checker.run())
    return sorted(found, key=lambda problem: (problem.line is None, problem.line or 0))


class _Checker:
    def __init__(
        self, system: System, specs: Specs, message_types: Collection[str], folder: Path | None = None
    ) -> None:
        self.system, self.folder = system, folder
        self.specs = specs
        self.message_types = set(message_types)
        self._looks = 0

    def run(self) -> Iterator[Problem]:
        for component in self.system.components:
            yield from self.component(component)
        for source in self.system.sources:
            yield from self.source(source)
        yield from self.names()
        yield from self.message_types_of_profiles()
        for wire in self.system.wires:
            yield from self.connection(wire, "wire", self.why(why_no_wire, wire))
        for service in self.system.services:
            yield from self.connection(service, "service wire", self.why(why_no_service, service))
        for link in self.system.links:
            yield from self.connection(link, "link", self.why(why_no_link, link))
        yield from self.ends_used_twice()
        yield from self.unwired_ports()
        yield from self.unanswered_services()
        yield from self.shared_hosts()
        yield from self.producers()
        yield from self.recording()

    # ---- components

    def component(self, component: Component, inside: str = "") -> Iterator[Problem]:
        subject = f"{inside}.{component.name}" if inside else component.name
        spec = self.specs.get(component.type)
        if spec is None:
            yield self.problem(*self.no_spec(component), subject)
        else:
            yield from self.activation(component, spec, subject)
            yield from self.parameters(component, spec, subject)
            yield from self.named(component, spec, subject)
        if component.host and component.host not in self.system.hosts:
            hint = self.similar(component.host, self.system.hosts.keys(), len(self.system.hosts))
            snippet = "" if hint else f'<host name="{component.host}"/>'
            message = f"the host {component.host} of {component.name} is not declared"
            yield self.problem(message, component.origin, hint or "declare it", subject, "warning", snippet)

    def no_spec(self, component: Component) -> tuple[str, Origin | None, str]:
        profile = self.specs.profile(component.type)
        if profile is None:
            message = f"{component.name} is of an unknown type {component.type}"
            return message, component.origin, did_you_mean(component.type, self.specs.types())
        message = f"{component.name} is of type {component.type}, whose profile is broken"
        is_generated = module_file(profile.parent, component.type) is not None
        remedy = f"write it again: studio profile {profile.parent}" if is_generated else f"correct {profile}"
        return message, component.origin, f"see above; {remedy}"

    def activation(self, component: Component, spec: ComponentSpec, subject: str) -> Iterator[Problem]:
        if component.mode is not None and component.mode not in spec.activations:
            message = f"{component.name} cannot run in mode {component.mode}"
            yield self.problem(message, component.origin, "one of " + ", ".join(spec.activations), subject)
        elif component.period_s is not None and (component.mode or spec.activations[0]) != "periodic":
            message = f"the period of {component.name} has no effect"
            yield self.problem(message, component.origin, 'add mode="periodic" or remove it', subject, "warning")

    def parameters(self, component: Component, spec: ComponentSpec, subject: str) -> Iterator[Problem]:
        known_sets = set_names(component, spec)
        if component.parameter_set and component.parameter_set not in known_sets:
            hint = did_you_mean(component.parameter_set, known_sets) or f"{spec.type} has none"
            message = f"{spec.type} has no parameter set {component.parameter_set}"
            yield self.problem(message, component.origin, hint, subject)
        for name in component.parameter_sets:
            line = component.origin.line_in("parameter-set", name) if component.origin else None
            try:
                set_values(component, spec, name)
            except SpecError as error:
                yield self.at(line, f"{component.name}: {error.message}", error.hint, subject)
        for name, text in component.parameters.items():
            parameter = spec.parameter(name)
            line = component.origin.line_in("parameter", name) if component.origin else None
            if parameter is None:
                hint = did_you_mean(name, [known.name for known in spec.parameters]) or f"{spec.type} has none"
                yield self.at(line, f"{spec.type} has no parameter {name}", hint, f"{subject}.{name}")
                continue
            try:
                parameter.parse(text)
            except SpecError as error:
                yield self.at(line, f"{component.name}: {error.message}", error.hint, f"{subject}.{name}")

    def named(self, component: Component, spec: ComponentSpec, subject: str) -> Iterator[Problem]:
        """What parameters name has to be there, also where a default or a parameter set names it."""
        try:
            values = parameter_values(component, spec)
        except SpecError:
            return  # one of them cannot be read, which is told by `parameters`
        for parameter in spec.parameters:
            wrong = self.why_not(parameter, values[parameter.name])
            if wrong is not None:
                message, hint, severity = wrong
                line = component.origin.line_in("parameter", parameter.name) if component.origin else None
                place = f"{subject}.{parameter.name}"
                yield self.at(line, f"{place}: {message}", hint, place, severity)

    def why_not(self, parameter: ParameterSpec, value: Value) -> tuple[str, str, Severity] | None:
        if parameter.kind == "world" and self.folder is not None:
            wrong = why_no_world(str(value), model_roots(self.folder), self.folder)
            return (*wrong, "error") if wrong is not None else None
        if parameter.kind == "topic" and value and value not in self.topics:
            hint = self.similar(str(value), self.topics, len(self.topics))
            return f"no component publishes {value}", hint, "warning"
        return None

    # ---- sources

    def source(self, source: Source) -> Iterator[Problem]:
        if source.provider(source.mode) is None:
            has = "it has " + ", ".join(source.modes) if source.modes else "it has no provider"
            message = f"the source {source.name} is set to {source.mode}, but has no {source.mode} provider"
            yield self.problem(message, source.origin, has, source.name)
        for port in source.ports:
            if port.type not in self.message_types:
                line = source.origin.line_in("port", port.name) if source.origin else None
                message = f"{source.name}.{port.name} is of an unknown message type {port.type}"
                hint = did_you_mean(port.type, sorted(self.message_types))
                yield self.at(line, message, hint, f"{source.name}.{port.name}")
        for difference in explain_differences(source, self.specs):
            subject = f"{source.name}.{difference.mode}"
            snippet = difference.snippet
            yield self.at(difference.line, difference.message, difference.hint, subject, snippet=snippet)
        for _, provider in source.live_providers():
            for component in provider.components:
                yield from self.component(component, inside=source.name)

    def names(self) -> Iterator[Problem]:
        """A file can name a component inside a source like one outside; in a running system both would be one."""
        owner = dict.fromkeys(self.system.nodes.keys(), "")
        for source in self.system.sources:
            for component in source.inner_components():
                if owner.setdefault(component.name, source.name) != source.name:
                    where = f"in the source {owner[component.name]}" if owner[component.name] else "in the system"
                    message = f"the name {component.name} in the source {source.name} is also used {where}"
                    hint = f"e.g. {self.system.free_name(component.name)}"
                    yield self.problem(message, component.origin, hint, f"{source.name}.{component.name}")

    # ---- connections

    def why(self, reason: Callable[[System, Specs, C], str | None], connection: C) -> str | None:
        missing = next((end.node for end in connection.key if end.node not in self.system.nodes), None)
        if missing is not None and not self.may_look(len(self.system.nodes)):
            return f"there is no component or source {missing}"
        return reason(self.system, self.specs, connection)

    def connection(self, connection: Connection, what: str, reason: str | None) -> Iterator[Problem]:
        if reason is None or self.is_about_unknown_type(connection):
            return
        message, _, hint = reason.partition("; ")
        origin = getattr(connection, "origin", None)
        yield self.problem(f"{what} {connection.start} → {connection.end}: {message}", origin, hint, str(connection))

    def is_about_unknown_type(self, connection: Connection) -> bool:
        """The unknown type is one finding; a finding for each wire of it would hide what matters."""
        nodes = [self.system.nodes.get(end.node) for end in connection.key]
        if None in nodes:
            return False
        return any(isinstance(node, Component) and self.specs.get(node.type) is None for node in nodes)

    def ends_used_twice(self) -> Iterator[Problem]:
        for table, side, what in (
            (self.system.services, "start", "is answered twice"),
            (self.system.links, "end", "is linked to two things"),
        ):
            seen = set()
            for connection in table:
                end = getattr(connection, side)
                if end in seen:
                    yield self.problem(f"{end} {what}", connection.origin, "keep one", str(end))
                seen.add(end)

    def unwired_ports(self) -> Iterator[Problem]:
        wired = {wire.end for wire in self.system.wires}
        # A wire that misses its port is one finding; that the port goes without it would be the same once more.
        missed = {end.node for end in wired if port_at(self.system, self.specs, end) is None}
        for component in self.system.components:
            spec = spec_of(self.system, self.specs, component.name)
            for port in spec.ports if spec and component.name not in missed else ():
                end = Endpoint(component.name, port.name)
                if port.direction == "in" and not port.optional and end not in wired:
                    hint, snippet = f"wire an out port of type {port.type} to it", f'<wire from="..." to="{end}"/>'
                    message = f"nothing is wired to {end}"
                    yield self.problem(message, component.origin, hint, str(end), "warning", snippet)

    def unanswered_services(self) -> Iterator[Problem]:
        answered = {wire.start for wire in self.system.services}
        for component in self.system.components:
            spec = spec_of(self.system, self.specs, component.name)
            for service in spec.services if spec else ():
                if service.role == "required" and (component.name, service.name) not in answered:
                    end = f"{component.name}.{service.name}"
                    hint, snippet = "wire it to a component that provides it", f'<service from="{end}" to="..."/>'
                    message = f"no component answers the service {end} ({service.type})"
                    yield self.problem(message, component.origin, hint, end, "warning", snippet)

    # ---- the whole

    def message_types_of_profiles(self) -> Iterator[Problem]:
        for name, component in {component.type: component for component in self.system.components}.items():
            spec = self.specs.get(name)
            for port in spec.ports if spec else ():
                if port.type not in self.message_types:
                    message = f"the port {port.name} of {name} is of an unknown message type {port.type}"
                    hint = did_you_mean(port.type, sorted(self.message_types))
                    yield self.problem(message, component.origin, hint, f"{component.name}.{port.name}")

    def shared_hosts(self) -> Iterator[Problem]:
        for component in self.system.components:
            spec = self.specs.get(component.type)
            if component.host and spec is not None and isinstance(spec.entry, CommandEntry):
                message = f"{component.name} is a program of its own and cannot run in the host {component.host}"
                yield self.problem(message, component.origin, f'remove host="{component.host}"', component.name)

    def producers(self) -> Iterator[Problem]:
        reported: set[str] = set()
        for mode in SOURCE_MODES:
            first: dict[str, str] = {}
            for topic, _, producer in topics_of(self.system, self.specs, mode):
                other = first.setdefault(topic, producer)
                if other != producer and topic not in reported:
                    reported.add(topic)
                    message = f"{topic} has two producers in mode {mode}: {other} and {producer}"
                    yield self.at(None, message, "rename one of the components", topic)

    def recording(self) -> Iterator[Problem]:
        recording = self.system.recording
        if recording is None:
            return
        in_order = sorted(self.topics)
        for pattern in (*recording.topics, *recording.exclude):
            if not any(fnmatchcase(topic, pattern) for topic in _with_start_of(pattern, in_order)):
                line = recording.origin.line_in("pattern", pattern) if recording.origin else None
                message = f"the recording pattern {pattern} matches no topic"
                hint = self.similar(pattern, self.topics, len(self.topics))
                yield self.at(line, message, hint, pattern, "warning")

    # ---- findings

    @cached_property
    def topics(self) -> dict[str, None]:
        """In the order of the file."""
        return dict.fromkeys(topic for topic, _, _ in topics_of(self.system, self.specs))

    def may_look(self, names: int) -> bool:
        """Whether to look for a similar one among so many names."""
        self._looks += names > MANY_NAMES
        return self._looks <= MOST_LOOKS

    def similar(self, word: str, known: Iterable[str], count: int) -> str:
        return did_you_mean(word, known) if self.may_look(count) else ""

    def problem(
        self,
        message: str,
        origin: Origin | None,
        hint: str,
        subject: str,
        severity: Severity = "error",
        snippet: str = "",
    ) -> Problem:
        return self.at(origin.line if origin else None, message, hint, subject, severity, snippet)

    def at(
        self,
        line: int | None,
        message: str,
        hint: str,
        subject: str,
        severity: Severity = "error",
        snippet: str = "",
    ) -> Problem:
        return Problem(message, severity, self.system.file, line, hint, subject, snippet)


def _with_start_of(pattern: str, in_order: Sequence[str]) -> Sequence[str]:
    """Those that begin as the pattern does before its first wildcard."""
    start = re.split(r"[*?\[]", pattern, maxsplit=1)[0]
    return in_order[bisect_left(in_order, start) : bisect_left(in_order, start + chr(sys.maxunicode))]
