"""Ways from sensors to an event, with the time that each took in components and between them; and how that varies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from studio.messages import Handled
from studio.messages.handled_trace import Identity
from studio.runtime.causality.trace import Input, Trace

LONGEST = 100
MOST_PATHS = 200
"""To one event: a system whose behaviours all see all sensors has a few dozen."""


@dataclass(frozen=True)
class Hop:
    """From one event to the next: an event that a component could know when it published another."""

    input: Input
    source: Handled | None
    """Where it was published, if that is known."""
    target: Handled
    published: Identity

    @property
    def event(self) -> Identity:
        return self.input.event

    @property
    def arrival(self) -> Handled:
        """The handling in which the component got it."""
        return self.input.stored or self.target

    @property
    def way_ns(self) -> int | None:
        """From its publication until the component began to handle it."""
        return max(0, self.arrival.start_ns - self.source.end_ns) if self.source is not None else None

    @property
    def kept_ns(self) -> int:
        """How long the component had it before it made something of it: until its timer, mostly."""
        stored = self.input.stored
        return max(0, self.target.start_ns - stored.end_ns) if stored is not None else 0

    @property
    def handling_ns(self) -> int:
        stored = self.input.stored
        before = stored.end_ns - stored.start_ns if stored is not None else 0
        return before + self.target.end_ns - self.target.start_ns


@dataclass(frozen=True)
class Path:
    """From an event that no other had led to, to one that was asked for."""

    hops: tuple[Hop, ...]
    end: Identity

    @property
    def events(self) -> tuple[Identity, ...]:
        return (*(hop.event for hop in self.hops), self.end)

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(topic for topic, _ in self.events)

    @property
    def start_ns(self) -> int:
        first = self.hops[0]
        return first.source.end_ns if first.source is not None else first.arrival.start_ns

    @property
    def latency_ns(self) -> int:
        return self.hops[-1].target.end_ns - self.start_ns


def paths_to(trace: Trace, event: Identity) -> list[Path]:
    """Every way on which an event came about, in which no component comes twice."""
    found: list[Path] = []
    _follow(trace, event, event, (), frozenset(), found)
    return found


def _follow(
    trace: Trace, event: Identity, end: Identity, hops: tuple[Hop, ...], seen: frozenset[str], found: list[Path]
) -> None:
    made = trace.made(event)
    if len(found) >= MOST_PATHS:
        return
    inputs = trace.inputs(made) if made is not None and made.component not in seen and len(hops) < LONGEST else []
    inputs = [each for each in inputs if trace.knows(each.event)]
    if made is None or not inputs:
        if hops:
            found.append(Path(hops, end))
        return
    for each in inputs:
        hop = Hop(each, trace.made(each.event), made, event)
        _follow(trace, each.event, end, (hop, *hops), seen | {made.component}, found)


def longest(paths: Sequence[Path], is_sensor: Callable[[str], bool] = lambda topic: True) -> Path | None:
    """The critical one: nothing in it could be left out, and nothing else took as long."""
    wanted = [path for path in paths if is_sensor(path.topics[0])] or paths
    return max(wanted, key=lambda path: path.latency_ns, default=None)


# ---- effects


def effects_of(trace: Trace, event: Identity, most: int = 300) -> tuple[list[Hop], int]:
    """All that followed from an event, nearest first; and how many more there would be."""
    hops: list[Hop] = []
    todo, seen, left_out = [event], {event}, 0
    while todo:
        each = todo.pop(0)
        for use, row in trace.uses(each):
            if len(hops) >= most:
                left_out += 1
                continue
            for published in row.published:
                hops.append(Hop(use, trace.made(each), row, published))
                if published not in seen:
                    seen.add(published)
                    todo.append(published)
    return hops, left_out


def onward(hops: Sequence[Hop], event: Identity, is_command: Callable[[str], bool]) -> list[Hop]:
    """From an event to the command that it led to first; empty if it led to none."""
    came_by: dict[Identity, Hop] = {}
    for hop in hops:
        came_by.setdefault(hop.published, hop)
    ends = [hop for hop in came_by.values() if is_command(hop.published[0])]
    if not ends:
        return []
    way = [min(ends, key=lambda hop: hop.target.end_ns)]
    while way[-1].event != event and len(way) < LONGEST:
        way.append(came_by[way[-1].event])
    return way[::-1]


# ---- latencies


@dataclass(frozen=True)
class Latencies:
    """How long it took along one sequence of topics, each time."""

    topics: tuple[str, ...]
    sequences: tuple[int, ...]
    """Of the events at its end."""
    times_ns: tuple[int, ...]

    def quantile_ms(self, share: float) -> float:
        return float(np.quantile(self.times_ns, share)) / 1e6

    @property
    def words(self) -> str:
        return path_words(self.topics)


class LatencyBook:
    """The latencies of all paths to one topic, brought up to date while the trace grows."""

    def __init__(self, trace: Trace, end_topic: str) -> None:
        self.trace, self.end_topic = trace, end_topic
        self._found: dict[tuple[str, ...], dict[int, int]] = {}
        """Topics -> number of the event at the end -> nanoseconds."""
        self._last = 0

    def update(self, before_ns: int | None = None) -> None:
        """Take in what is new, of events that were published before a moment: of later ones not all is known yet."""
        if self.trace.newest.get(self.end_topic, 0) < self._last:  # a log was rewound: its events count anew
            self._found.clear()
            self._last = 0
        for event in self.trace.events_of(self.end_topic, after=self._last):
            published_ns = self.trace.published_ns(event)
            if before_ns is not None and published_ns is not None and published_ns > before_ns:
                break
            self._last = event[1]
            for path in paths_to(self.trace, event):
                self._found.setdefault(path.topics, {})[event[1]] = path.latency_ns

    def all(self) -> list[Latencies]:
        """Of every sequence of topics that leads to the topic, the slowest first."""
        made = [Latencies(topics, tuple(each), tuple(each.values())) for topics, each in self._found.items()]
        return sorted(made, key=lambda each: (-each.quantile_ms(0.5), each.topics))


def path_words(topics: Sequence[str]) -> str:
    """`platform.laser_left → terrain_map → arc_arbiter.command`: who passes it on; at both ends also the port."""
    parts = [topic.strip("/").split("/") for topic in topics]
    last = len(parts) - 1
    return " → ".join(".".join(part) if place in (0, last) else part[0] for place, part in enumerate(parts))
