"""Sources: ports whose data comes from the real robot, from a log or from a simulation, whichever is chosen.

Consumers see `/<source>/<port>` and nothing of the provider behind it. That holds as long as every provider offers the
same ports with the same types; `explain_differences` says in words where one does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Protocol, get_args

from studio.model.changes import ModelError
from studio.model.close_matches import did_you_mean
from studio.model.origin import Origin
from studio.model.parts import PORT_NAME, Component, Endpoint, check_name, check_text
from studio.model.spec import ComponentSpec, PortSpec

SourceMode = Literal["real", "logged", "simulated"]
SOURCE_MODES: tuple[SourceMode, ...] = get_args(SourceMode)


class Specs(Protocol):
    """What the model needs of a registry of components."""

    def get(self, type_name: str, /) -> ComponentSpec | None: ...

    def types(self) -> Iterable[str]: ...

    def profile(self, type_name: str, /) -> Path | None:
        """The component.xml of a type, sound or not."""


@dataclass(frozen=True)
class LiveProvider:
    """Components that stand behind the ports of a source: drivers of the real robot, or a simulator."""

    components: tuple[Component, ...] = ()
    binds: Mapping[str, Endpoint] = field(default_factory=dict)
    """Port of the source: port of one of the components."""
    origin: Origin | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        names = [component.name for component in self.components]
        _refuse_twice(names, "component")
        for port in self.binds:
            check_name(port, "port name", PORT_NAME)

    def component(self, name: str) -> Component | None:
        return next((component for component in self.components if component.name == name), None)


@dataclass(frozen=True)
class LogProvider:
    """A log played back, with the topic in it that feeds each out port."""

    log: str
    topics: Mapping[str, str] = field(default_factory=dict)
    origin: Origin | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_text(self.log, "name of a log")
        for port, topic in self.topics.items():
            check_name(port, "port name", PORT_NAME)
            check_text(topic, "topic")


@dataclass(frozen=True)
class Source:
    name: str
    mode: SourceMode
    ports: tuple[PortSpec, ...] = ()
    real: LiveProvider | None = None
    logged: LogProvider | None = None
    simulated: LiveProvider | None = None
    origin: Origin | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_name(self.name, "name of a source")
        if self.mode not in SOURCE_MODES:
            raise ModelError(f"{self.mode!r} is not a mode of a source", hint="one of " + ", ".join(SOURCE_MODES))
        for port in self.ports:
            check_name(port.name, "port name", PORT_NAME)
            check_name(port.type, "message type")
        _refuse_twice([port.name for port in self.ports], "port")

    def port(self, name: str) -> PortSpec | None:
        return next((port for port in self.ports if port.name == name), None)

    def provider(self, mode: SourceMode) -> LiveProvider | LogProvider | None:
        return {"real": self.real, "logged": self.logged, "simulated": self.simulated}[mode]

    @property
    def modes(self) -> tuple[SourceMode, ...]:
        """The modes that have a provider."""
        return tuple(mode for mode in SOURCE_MODES if self.provider(mode) is not None)

    def with_provider(self, mode: SourceMode, provider: LiveProvider | LogProvider | None) -> Source:
        if provider is not None and isinstance(provider, LogProvider) != (mode == "logged"):
            raise ModelError(f"this cannot be the {mode} provider of {self.name}")
        return replace(self, **{mode: provider})  # type: ignore[arg-type]  # the line above is the check

    def live_providers(self) -> Iterator[tuple[SourceMode, LiveProvider]]:
        for mode in SOURCE_MODES:
            provider = self.provider(mode)
            if isinstance(provider, LiveProvider):
                yield mode, provider

    def inner_components(self) -> Iterator[Component]:
        for _, provider in self.live_providers():
            yield from provider.components


@dataclass(frozen=True)
class Difference:
    """One way in which a provider is not what its source promises."""

    mode: SourceMode
    message: str
    hint: str = ""
    line: int | None = None
    snippet: str = ""
    """The hint as a line of the file."""


def explain_differences(source: Source, specs: Specs) -> list[Difference]:
    """Every difference between what the source promises and what its providers offer; none if they are exchangeable."""
    found: list[Difference] = []
    for mode, provider in source.live_providers():
        found += _strange_binds(source, mode, provider.binds, provider.origin)
        found += _bound_twice(mode, provider)
        for port in source.ports:
            found += _live_difference(source, mode, provider, port, specs)
    if source.logged is not None:
        found += _strange_binds(source, "logged", source.logged.topics, source.logged.origin)
        found += _log_differences(source, source.logged)
    return found


def suggest_topics(source: Source, log_topics: Mapping[str, str]) -> dict[str, str]:
    """A mapping from out ports to topics of a log (topic: message type), by name and type, for the ports that fit.

    Of topics that fit equally well none is chosen: a left laser in place of the right one would be found out late.
    """
    chosen: dict[str, str] = {}
    for port in source.ports:
        words = f"{source.name}/{port.name}".replace(".", "/").split("/")
        common = {topic: _common_words(topic, words) for topic, kind in log_topics.items() if kind == port.type}
        most = max(common.values(), default=0)
        best = [topic for topic, count in common.items() if count == most]
        if port.direction == "out" and len(best) == 1 and (most or len(common) == 1):
            chosen[port.name] = best[0]
    return chosen


def _common_words(topic: str, words: list[str]) -> int:
    return len(set(topic.strip("/").split("/")) & set(words))


def _strange_binds(
    source: Source, mode: SourceMode, binds: Iterable[str], origin: Origin | None
) -> Iterator[Difference]:
    known = [port.name for port in source.ports]
    for name in binds:
        if name not in known:
            message = f"{mode} offers a port {name} that {source.name} does not have"
            yield Difference(mode, message, did_you_mean(name, known), _line(origin, name))


def _bound_twice(mode: SourceMode, provider: LiveProvider) -> Iterator[Difference]:
    first: dict[Endpoint, str] = {}
    for port, inner in provider.binds.items():
        if first.setdefault(inner, port) != port:
            line = _line(provider.origin, port)
            message = f"{mode} binds {inner} to both {first[inner]} and {port}"
            yield Difference(mode, message, "a port of the component serves only one port of the source", line)


def _live_difference(
    source: Source, mode: SourceMode, provider: LiveProvider, port: PortSpec, specs: Specs
) -> Iterator[Difference]:
    line = _line(provider.origin, port.name)
    inner = provider.binds.get(port.name)
    if inner is None:
        if not port.truth or mode == "simulated":
            hint, snippet = _bind_hint(provider, port, specs)
            yield Difference(mode, _lacks(source, mode, port), hint, line, snippet)
        return
    component = provider.component(inner.node)
    if component is None:
        hint = did_you_mean(inner.node, [component.name for component in provider.components])
        yield Difference(mode, f"{mode} binds {port.name} to {inner}, but has no component {inner.node}", hint, line)
        return
    spec = specs.get(component.type)
    if spec is None:
        return  # the unknown type is reported on its own
    offered = spec.port(inner.port)
    if offered is None:
        hint = did_you_mean(inner.port, [port.name for port in spec.ports])
        yield Difference(mode, f"{mode} binds {port.name} to {inner}, but {spec.type} has no such port", hint, line)
    elif (offered.direction, offered.type) != (port.direction, port.type):
        promise = f"{source.name}.{port.name} is an {_shape(port)}"
        message = f"{promise}, but {mode} has {inner} behind it, which is an {_shape(offered)}"
        yield Difference(mode, message, "all providers must offer the same ports with the same types", line)
    elif offered.truth and not port.truth:
        message = f"{mode} has {inner} behind {source.name}.{port.name}, which is ground truth"
        snippet = f'<port name="{port.name}" ... truth="true"/>'
        yield Difference(mode, message, f"mark {port.name} as ground truth", line, snippet)


def _log_differences(source: Source, provider: LogProvider) -> Iterator[Difference]:
    """A port without a topic is none: the log that is played fills it in, by name and type, or says that it cannot."""
    line = provider.origin.line if provider.origin else None
    if not provider.log:
        yield Difference("logged", f"{source.name} has no log to play", 'e.g. log="logs/drive.mcap"', line)


def _line(origin: Origin | None, port: str) -> int | None:
    return origin.line_in("bind", port) if origin else None


def _lacks(source: Source, mode: SourceMode, port: PortSpec) -> str:
    others = []
    for other in source.modes:
        provider = source.provider(other)
        if isinstance(provider, LiveProvider) and port.name in provider.binds:
            others.append(f"{other} uses {provider.binds[port.name]}")
        elif isinstance(provider, LogProvider) and port.name in provider.topics:
            others.append(f"{other} uses topic {provider.topics[port.name]}")
    return f"{mode} lacks the {_shape(port)} {source.name}.{port.name}" + (f"; {', '.join(others)}" if others else "")


def _bind_hint(provider: LiveProvider, port: PortSpec, specs: Specs) -> tuple[str, str]:
    """In words and as a line of the file: the port to bind, if a component of the provider has one of this type."""
    for component in provider.components:
        spec = specs.get(component.type)
        for offered in spec.ports if spec else ():
            if (offered.direction, offered.type) == (port.direction, port.type):
                inner = f"{component.name}.{offered.name}"
                return f"bind it to {inner}", f'<bind port="{port.name}" to="{inner}"/>'
    return f"add a component that has an {port.direction} port of type {port.type}, and bind it", ""


def _shape(port: PortSpec) -> str:
    return f"{port.direction} port of type {port.type}"


def _refuse_twice(names: list[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ModelError(f"there are two {what}s called {name}", hint="give one of them another name")
        seen.add(name)
