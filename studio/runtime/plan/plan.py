"""The plan of a run: what the launcher makes of a System, and what broker and hosts need to know of it.

Plain data that goes through JSON into the run's folder, so every process of a run reads the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from studio.model.geometry.content import GeometryContent
from studio.model.spec import Activation, Delivery, Value
from studio.runtime.base.log_compression import WHEN_RECORDING
from studio.runtime.wire.frames import COMMAND_PREFIX, TIMER_PREFIX, Origin

EVERYBODY = "_all"
"""In the place of a component's name: a command for all that are told of the geometry."""


@dataclass(frozen=True)
class Inlet:
    """One topic wired to one in port."""

    port: str
    topic: str
    delivery: str = "lossless"

    def parsed(self) -> Delivery:
        return Delivery.parse(self.delivery)


@dataclass(frozen=True)
class ParameterLink:
    """A parameter that is kept equal to an output: every event of its topic sets it."""

    parameter: str
    topic: str
    type: str
    """Of the messages, by its short name."""


@dataclass(frozen=True)
class PlannedComponent:
    name: str
    type: str
    place: int
    host: str
    activation: Activation = "event"
    period_ns: int = 0
    parameters: Mapping[str, Value] = field(default_factory=dict)
    inlets: tuple[Inlet, ...] = ()
    outlets: Mapping[str, str] = field(default_factory=dict)
    """Out port -> topic."""
    requires: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Required service -> (component, service) that provides it."""
    origin: int = 0
    entry: str = ""
    """`module:Class` for Python, a command line for anything else."""
    folder: str = ""
    command: bool = False
    """Whether the entry is a program of its own, that speaks the protocol itself."""
    links: tuple[ParameterLink, ...] = ()
    provides: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Service -> the types of its requests and replies, by their short names."""
    accepts: Mapping[str, str] = field(default_factory=dict)
    """In port -> the type of its messages, whether something is wired to it or not."""

    geometry: bool = False
    """Whether it is told of the system's geometry."""
    joints: str = ""
    """The topic that tells it how the joints of the geometry move; empty for none."""

    def data_topics(self) -> Iterable[str]:
        """What others publish for it."""
        topics = (*(inlet.topic for inlet in self.inlets), *(link.topic for link in self.links))
        return dict.fromkeys((*topics, self.joints) if self.joints else topics)

    def only_hears(self, topic: str) -> bool:
        """Whether it takes `topic` for its geometry alone, so that no code of its own runs."""
        wanted = {inlet.topic for inlet in self.inlets} | {link.topic for link in self.links}
        return topic == self.joints and topic not in wanted

    def topics(self) -> Iterable[str]:
        """Everything gated that this component handles."""
        yield from self.data_topics()
        yield TIMER_PREFIX + self.name
        yield COMMAND_PREFIX + self.name
        if self.geometry:
            yield COMMAND_PREFIX + EVERYBODY


@dataclass(frozen=True)
class RecordingPlan:
    """What the recorder writes where."""

    file: str
    topics: tuple[str, ...]
    compression: str = WHEN_RECORDING


RECORDER = "recorder"
"""The recorder's name among the processes of a run."""
LAG = 256
"""Events that mere listeners may be behind in a lockstep that nobody watches: processes work at the same time then."""


@dataclass(frozen=True)
class Plan:
    components: tuple[PlannedComponent, ...]
    seed: int = 0
    project: str = ""
    """The project's folder, for its own components and message types; empty for none."""
    types: Mapping[str, str] = field(default_factory=dict)
    """Topic -> short name of its message type."""
    recording: RecordingPlan | None = None
    indices: Mapping[str, int] = field(default_factory=dict)
    """Of hosts and recorder, where they are given: a plan that replaces another while it runs."""
    links: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """`component.parameter` -> those that are kept equal to it."""
    by_hand: tuple[str, ...] = ()
    """Components that somebody has sent made-up data to, or from: what follows from them is not real."""

    geometry: GeometryContent | None = None
    """Where the frames are: at the start, and since it was last changed for those who come later."""
    assembly: str = ""
    """The model that the geometry is made of, as the system names it."""
    system: str = ""
    """The text of the system where it is not that of the project's file: it was edited and not saved."""

    @cached_property
    def hosts(self) -> dict[str, int]:
        """Host name -> index, in order of first appearance."""
        names = dict.fromkeys(c.host for c in self.components)
        return {name: self.indices.get(name, index) for index, name in enumerate(names)}

    @property
    def recorder_index(self) -> int:
        """The recorder releases shared payloads as hosts do, but the gate does not wait for it."""
        return self.indices.get(RECORDER, len(self.hosts))

    def following(self, before: Plan) -> Plan:
        """The same as a change of `before`: who runs already keeps the index that others know it by."""
        kept = {**before.hosts, RECORDER: before.recorder_index}
        free = (index for index in count() if index not in kept.values())
        indices = {name: kept[name] if name in kept else next(free) for name in (*self.hosts, RECORDER)}
        recording = before.recording
        if recording is not None and self.recording is not None:
            topics = dict.fromkeys((*recording.topics, *self.recording.topics))
            recording = replace(recording, topics=tuple(topics))
        types = {**before.types, **self.types}
        following = replace(self, seed=before.seed, recording=recording, types=types, indices=indices)
        return following.with_made_up_data(before.by_hand)

    def with_made_up_data(self, components: Iterable[str]) -> Plan:
        """The same, where somebody sends data by hand that these components handle, or publish, as if it were real."""
        here = [name for name in dict.fromkeys((*self.by_hand, *components)) if name in self.by_name]
        if not here:
            return self
        origins = {c.name: max(c.origin, Origin.SIMULATED) if c.name in here else c.origin for c in self.components}
        return replace(self, by_hand=tuple(here), components=with_origins(self.components, origins))

    @cached_property
    def greeted(self) -> frozenset[str]:
        """The processes that the barrier waits for."""
        return frozenset({*self.hosts, RECORDER} if self.recording else self.hosts)

    @cached_property
    def recorded(self) -> frozenset[str]:
        """Topics of the gate that the recorder hears."""
        if self.recording is None:
            return frozenset()
        names = [component.name for component in self.components]
        own = (prefix + name for prefix in (TIMER_PREFIX, COMMAND_PREFIX) for name in names)
        return frozenset((*self.recording.topics, *own))

    def receiving(self, topic: str) -> tuple[int, ...]:
        """Indices of the processes that read the payloads of `topic`, each of them in full."""
        indices = {self.hosts[component.host] for component in self.receivers.get(topic, ())}
        if self.recording is not None and topic in self.recording.topics:
            indices.add(self.recorder_index)
        return tuple(sorted(indices))

    @cached_property
    def by_name(self) -> dict[str, PlannedComponent]:
        return {component.name: component for component in self.components}

    @cached_property
    def receivers(self) -> dict[str, tuple[PlannedComponent, ...]]:
        """Topic -> the components that handle it, in order of place."""
        found: dict[str, list[PlannedComponent]] = {}
        for component in self.components:
            for topic in component.topics():
                found.setdefault(topic, []).append(component)
        return {topic: tuple(components) for topic, components in found.items()}

    @cached_property
    def producers(self) -> dict[str, PlannedComponent]:
        """Topic -> the component that publishes it."""
        return {topic: component for component in self.components for topic in component.outlets.values()}

    def linked(self, component: str, command: Mapping[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """A command, and those that follow from it: setting a parameter sets what is linked to it."""
        found = [(component, dict(command))]
        if command.get("do") != "set":
            return found
        seen = [f"{component}.{command.get('name')}"]
        for end in seen:  # grows while it is gone through
            seen.extend(each for each in self.links.get(end, ()) if each not in seen)
        for end in seen[1:]:
            name, _, parameter = end.partition(".")
            found.append((name, {**command, "name": parameter}))
        return found

    def on_host(self, host: str) -> list[PlannedComponent]:
        return [component for component in self.components if component.host == host]

    @cached_property
    def reach(self) -> dict[str, frozenset[str]]:
        """Component -> every component that its service calls can reach, directly or through others."""
        calls = {c.name: {provider for provider, _ in c.requires.values()} for c in self.components}
        reached: dict[str, frozenset[str]] = {}
        for name in calls:
            seen: set[str] = set()
            todo = list(calls[name])
            while todo:
                provider = todo.pop()
                if provider not in seen:
                    seen.add(provider)
                    todo.extend(calls.get(provider, ()))
            reached[name] = frozenset(seen)
        return reached

    def can_answer(self, topic: str) -> frozenset[str]:
        """The hosts in which an event of `topic` may have effects; the others only take it in."""
        return frozenset(c.host for c in self._minding(topic) if c.name in self._speakers)

    @cached_property
    def _speakers(self) -> frozenset[str]:
        """Who publishes, calls or is called."""
        called = self._called
        return frozenset(c.name for c in self.components if c.outlets or c.requires or c.name in called)

    @cached_property
    def _called(self) -> frozenset[str]:
        return frozenset(provider for c in self.components for provider, _ in c.requires.values())

    def _minding(self, topic: str) -> list[PlannedComponent]:
        """The receivers of `topic` in which something may follow from it at once.

        Not so where it only moves joints, unless somebody may call the component and so see that they have moved.
        """
        return [c for c in self.receivers.get(topic, ()) if c.name in self._called or not c.only_hears(topic)]

    def one_by_one(self, topic: str) -> bool:
        """Whether the receivers of `topic` must take turns: service calls of one can reach what another touches."""
        seen: set[str] = set()
        touched = [self.reach[c.name] | {c.name} for c in self._minding(topic)]
        for components in touched:
            if seen & components:
                return True
            seen |= components
        return False

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)))

    @classmethod
    def load(cls, path: Path) -> Plan:
        data = json.loads(path.read_text())
        recording = data["recording"]
        if recording is not None:
            recording = RecordingPlan(recording["file"], tuple(recording["topics"]), recording["compression"])
        components = tuple(_component(each) for each in data["components"])
        links = {start: tuple(ends) for start, ends in data["links"].items()}
        geometry = None if data["geometry"] is None else GeometryContent.of_json(data["geometry"])
        return cls(
            components, data["seed"], data["project"], data["types"], recording, data["indices"], links,
            tuple(data["by_hand"]), geometry, data["assembly"], data["system"],
        )  # fmt: skip


def is_same_code(one: PlannedComponent, other: PlannedComponent) -> bool:
    """Whether what runs as the one can go on as the other."""
    return (one.type, one.entry, one.folder) == (other.type, other.entry, other.folder)


def geometry_command(content: GeometryContent) -> dict[str, Any]:
    """The event that tells the geometry. It is latched: the plan keeps the last one for those who come later."""
    return {"do": "geometry", **content.json()}


def with_origins(components: tuple[PlannedComponent, ...], origins: Mapping[str, int]) -> tuple[PlannedComponent, ...]:
    """Everybody publishes with the least trusted origin upstream; `origins`: what each has by itself."""
    found = dict(origins)
    producers = {topic: component.name for component in components for topic in component.outlets.values()}
    upstream = {
        component.name: {producers[topic] for topic in component.data_topics() if topic in producers}
        for component in components
    }
    for component in components:
        for provider, _ in component.requires.values():  # requests carry data one way, replies the other
            upstream[component.name].add(provider)
            upstream[provider].add(component.name)
    changed = True
    while changed:
        changed = False
        for name, sources in upstream.items():
            worst = max([found[name], *(found[source] for source in sources)])
            changed = changed or worst != found[name]
            found[name] = worst
    return tuple(replace(component, origin=int(found[component.name])) for component in components)


def _component(data: dict[str, Any]) -> PlannedComponent:
    data["inlets"] = tuple(Inlet(**inlet) for inlet in data["inlets"])
    data["links"] = tuple(ParameterLink(**link) for link in data["links"])
    data["requires"] = {name: (provider, service) for name, (provider, service) in data["requires"].items()}
    data["provides"] = {name: (request, reply) for name, (request, reply) in data["provides"].items()}
    data["parameters"] = {name: tuple(v) if isinstance(v, list) else v for name, v in data["parameters"].items()}
    return PlannedComponent(**data)
