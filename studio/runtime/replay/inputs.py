"""What a log feeds into a system, and what of the system is computed anew."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from studio.messages import MessageError, String, decode
from studio.runtime.base.errors import ReplayError
from studio.runtime.plan.plan import Plan, PlannedComponent
from studio.runtime.recording import LoggedEvent, LogReader
from studio.runtime.recording.facts.logged_geometry import GEOMETRY_TOPIC, as_at_the_start, follows_log
from studio.runtime.replay.stamp_order import Bookmark, by_stamp
from studio.runtime.wire.frames import COMMAND_PREFIX, INPUT, Event, Kind, Origin

MARK_EVERY, MOST_MARKS = 2048, 256
"""Inputs between two bookmarks, and how many of these are kept; then they get rarer."""
LOOKED_AT = 64
"""Events at either end of a topic that tell whether it is an input."""

OF_A_RUN = (COMMAND_PREFIX, "/_studio/timer/", "/_studio/handled")

END = {"do": "end"}
"""The command that tells a component that there is no more."""

Read = Callable[[str, memoryview], Any]
"""Topic and payload -> message."""


@dataclass(frozen=True)
class Inputs:
    """The inputs of a replay and the plan that takes them: without the components that produced them."""

    plan: Plan
    log: LogReader
    topics: Mapping[str, str]
    """Topic of the log -> topic of the system."""
    left_out: tuple[str, ...]
    """Components whose part the log plays."""
    silent: tuple[str, ...]
    """Topics that somebody listens to, and nobody will send."""
    start_ns: int
    end_ns: int

    def events(self, read: Read | None = None) -> InputEvents:
        """The inputs in the order of their stamps; with `read` their messages are there too, not the payloads alone."""
        return InputEvents(self, read)


class _Mark(NamedTuple):
    """Where the inputs from a position on are found."""

    position: int
    counts: dict[str, int]
    place: Bookmark


class InputEvents:
    """Can be gone through again and again, and from any position on."""

    def __init__(self, inputs: Inputs, read: Read | None) -> None:
        self._inputs = inputs
        self._read = read
        self._marks = [_Mark(0, {}, Bookmark())]
        self._every = MARK_EVERY

    def __iter__(self) -> Iterator[Event]:
        return self.starting_at(0)

    def starting_at(self, position: int) -> Iterator[Event]:
        """From number `position` on, counted from 0. What lies before is read from the nearest bookmark on only."""
        inputs = self._inputs
        mark = self._marks[bisect_right(self._marks, position, key=lambda each: each.position) - 1]
        counts = dict(mark.counts)
        number = mark.position

        def keep(place: Bookmark) -> None:
            self._add_mark(_Mark(number, dict(counts), place))

        logged_events = inputs.log.events(inputs.topics, start_ns=mark.place.from_ns)
        for logged in by_stamp(_placed(logged_events), after=mark.place, every=self._every, keep=keep):
            if is_of_the_machinery(logged):
                continue
            counts[logged.topic] = count = counts.get(logged.topic, 0) + 1
            if number >= position:
                yield self._event(logged, count)
            number += 1

    def _add_mark(self, mark: _Mark) -> None:
        if mark.position <= self._marks[-1].position:
            return
        self._marks.append(mark)
        if len(self._marks) > MOST_MARKS:
            del self._marks[1::2]
            self._every *= 2

    def _event(self, logged: LoggedEvent, count: int) -> Event:
        topic = self._inputs.topics[logged.topic]
        kind = Kind.COMMAND if topic.startswith(COMMAND_PREFIX) else Kind.DATA
        sequence = count if logged.flags is None else logged.sequence  # others number as they please
        message = self._read(topic, logged.payload) if self._read else None
        return Event(
            topic, sequence, logged.stamp_ns, message, logged.payload, kind, None, logged.stamp_ns, INPUT, Origin.LOGGED
        )


def inputs_of(plan: Plan, log: LogReader, mapped: Mapping[str, str]) -> Inputs:
    """`mapped`: the topics of logged sources, with those of the log that feed them."""
    own = {topic for topic in _topics_published(plan) if topic in log.topics and is_input(log, topic)}
    fed = {**{topic: topic for topic in own if topic not in mapped}, **mapped}
    reduced, left_out = _without_producers(as_at_the_start(plan, log), set(fed), log)
    commands = [COMMAND_PREFIX + component.name for component in reduced.components]
    commands += [GEOMETRY_TOPIC] if follows_log(plan, log) else []
    fed |= {topic: topic for topic in commands if topic in log.topics}
    topics = _inverted(fed, log)
    heard = {topic for component in reduced.components for topic in component.data_topics()}
    silent = tuple(sorted(heard - set(fed) - reduced.producers.keys()))
    start_ns, end_ns = _span(log, topics)
    if all(topic.startswith(COMMAND_PREFIX) for topic in fed) and (not tells_inputs(log) or _is_strange(plan, log)):
        raise ReplayError(
            "this log has no inputs for the system", file=log.path, hint=f"it has {', '.join(log.topics)}"
        )
    return Inputs(reduced, log, topics, left_out, silent, start_ns, end_ns)


def is_input(log: LogReader, topic: str) -> bool:
    """Whether events of this topic were published outside a handler."""
    first = islice(log.events([topic]), LOOKED_AT)
    last = islice(log.events([topic], reverse=True), LOOKED_AT)
    return any((event.flags or 0) & INPUT for events in (first, last) for event in events)


def tells_inputs(log: LogReader) -> bool:
    """Whether it is the log of a run, which tells event by event what were inputs.

    One that was brought in from elsewhere has headers of ours, too, but nothing of ours has run there.
    """
    first = next(log.events(), None)
    if first is None or first.flags is None:
        return False
    return any(topic.startswith(OF_A_RUN) for topic in log.topics) or any(is_input(log, topic) for topic in log.topics)


def _topics_published(plan: Plan) -> Iterator[str]:
    for component in plan.components:
        yield from component.outlets.values()


def _inverted(fed: Mapping[str, str], log: LogReader) -> dict[str, str]:
    topics: dict[str, str] = {}
    for topic, logged in fed.items():
        if logged in topics:
            hint = "give each port a topic of its own"
            raise ReplayError(f"{logged} would feed both {topics[logged]} and {topic}", file=log.path, hint=hint)
        topics[logged] = topic
    return topics


def _is_strange(plan: Plan, log: LogReader) -> bool:
    """Whether it is a log of something else: the system would run by its timers alone, and nobody means that."""
    commands = (COMMAND_PREFIX + component.name for component in plan.components)
    return log.topics.keys().isdisjoint({*plan.types, *commands})


def _without_producers(plan: Plan, fed: set[str], log: LogReader) -> tuple[Plan, tuple[str, ...]]:
    """The plan without those who would publish what the log publishes; who does other things too is only muted."""
    providers = {provider for component in plan.components for provider, _ in component.requires.values()}
    kept, left_out = [], []
    for component in plan.components:
        computed = [topic for topic in component.outlets.values() if topic not in fed and _has_events(log, topic)]
        if component.name in providers or computed or not fed & set(component.outlets.values()):
            kept.append(_muted(component, fed))
        else:
            left_out.append(component.name)
    return replace(plan, components=_with_origin(kept, fed)), tuple(left_out)


def _has_events(log: LogReader, topic: str) -> bool:
    return topic in log.topics and log.topics[topic].count > 0


def _muted(component: PlannedComponent, fed: set[str]) -> PlannedComponent:
    return replace(component, outlets={port: topic for port, topic in component.outlets.items() if topic not in fed})


def _with_origin(components: list[PlannedComponent], fed: set[str]) -> tuple[PlannedComponent, ...]:
    """Whatever a logged event can reach is logged itself: by wires, and by service calls in both directions."""
    calls = {(c.name, provider) for c in components for provider, _ in c.requires.values()}
    logged: set[str] = set()
    topics = set(fed)
    grown = True
    while grown:
        reached = {c.name for c in components if not topics.isdisjoint(c.data_topics())}
        reached |= {b for a, b in calls if a in logged} | {a for a, b in calls if b in logged}
        grown = not reached <= logged
        logged |= reached
        topics |= {topic for c in components if c.name in logged for topic in c.outlets.values()}
    return tuple(replace(c, origin=int(Origin.LOGGED)) if c.name in logged else c for c in components)


def _span(log: LogReader, topics: Iterable[str]) -> tuple[int, int]:
    """System time at the start (the recorded one, if the activations are in the log) and at the last event."""
    commands = [topic for topic in log.topics if topic.startswith(COMMAND_PREFIX)]
    activations = [event.stamp_ns for event in islice(log.events(commands), LOOKED_AT) if is_first_activation(event)]
    inputs = [topic for topic in topics if not topic.startswith(COMMAND_PREFIX)]
    firsts = [event.stamp_ns for event in _placed(islice(log.events(inputs), LOOKED_AT))]
    spanning = inputs if not tells_inputs(log) else [name for name in log.topics if _has_stamps(name)]
    lasts = [event.stamp_ns for event in _placed(islice(log.events(spanning, reverse=True), LOOKED_AT))]
    starts = activations or firsts or [log.start_ns]
    return min(starts), max(lasts, default=log.end_ns)


def _has_stamps(topic: str) -> bool:
    """Of what is recorded under /_studio/, only ticks and commands are events of system time."""
    return not topic.startswith("/_studio/") or topic.startswith(("/_studio/timer/", COMMAND_PREFIX))


def _placed(events: Iterable[LoggedEvent]) -> Iterator[LoggedEvent]:
    """Logs of others may have no stamps: then the time of recording has to do."""
    return (
        event if event.stamp_ns or event.flags is not None else event._replace(stamp_ns=event.log_time_ns)
        for event in events
    )


def is_first_activation(event: LoggedEvent) -> bool:
    """Of those at the start of a run; the geometry comes with them."""
    return event.sequence == 1 and (event.topic == GEOMETRY_TOPIC or _command_in(event) == {"do": "activate"})


def is_of_the_machinery(event: LoggedEvent) -> bool:
    """What comes by itself when a log is played too: what was told at the start, and the word at the end."""
    return is_first_activation(event) or _command_in(event) == END


def _command_in(event: LoggedEvent) -> Any:
    if not event.topic.startswith(COMMAND_PREFIX):
        return None
    try:
        return json.loads(decode(String, event.payload).data)
    except (MessageError, ValueError):
        return None
