"""Why an event came about: the chain of its causes, with the time spent in each component and on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from studio.messages import Handled, HandledTrace, decode
from studio.messages.handled_trace import Identity
from studio.runtime.channel.frames import COMMAND_PREFIX, HANDLED_TOPIC, TIMER_PREFIX, topic_hash
from studio.runtime.recording import LoggedEvent, LogReader
from studio.runtime.replay.errors import ReplayError

LONGEST = 10_000
"""A chain of causes ends by itself; a damaged log's may not."""


@dataclass(frozen=True)
class Link:
    """One event of the chain, and how it came about."""

    event: LoggedEvent
    component: str
    """Who published it."""
    handling_ns: int | None = None
    """How long that component handled the cause; None if the log has no trace of it."""
    waiting_ns: int | None = None
    """From the publication of the cause until its handling began."""
    read: tuple[Identity, ...] = ()
    """What else the component looked at."""

    @property
    def identity(self) -> Identity:
        return self.event.topic, self.event.sequence


def chain_of(log: LogReader, topic: str, sequence: int) -> list[Link]:
    """The events that led to one, the first first; it is the last itself."""
    event = find_event(log, topic, sequence)
    if event is None:
        raise ReplayError(f"there is no event {sequence} of {topic} in this log", file=log.path)
    names = {topic_hash(name): name for name in log.topics}
    steps: list[tuple[LoggedEvent, Handled | None]] = []
    following: LoggedEvent | None = event
    while following is not None and len(steps) < LONGEST:
        steps.append((following, _handling(log, following)))
        following = _cause(log, following, names)
    return list(_links(steps[::-1]))


def find_event(log: LogReader, topic: str, sequence: int) -> LoggedEvent | None:
    """Where it stands if nothing is missing, else wherever it is."""
    if topic not in log.topics or sequence < 1:
        return None
    if sequence <= log.topics[topic].count:
        event = log.nth(topic, sequence - 1)
        if event.sequence == sequence:
            return event
    return next((event for event in log.events([topic]) if event.sequence == sequence), None)


def _cause(log: LogReader, event: LoggedEvent, names: dict[int, str]) -> LoggedEvent | None:
    topic = names.get(event.cause_topic or 0)
    return find_event(log, topic, event.cause_sequence or 0) if topic is not None else None


def _handling(log: LogReader, event: LoggedEvent) -> Handled | None:
    """The line of the trace that tells of the event's publication; it was recorded after the event."""
    if HANDLED_TOPIC not in log.topics or not event.cause_topic:
        return None
    for batch in log.events([HANDLED_TOPIC], start_ns=event.log_time_ns):
        found = _published_in(decode(HandledTrace, batch.payload), event.topic, event.sequence)
        if found is not None:
            return found
    return None


def _published_in(trace: HandledTrace, topic: str, sequence: int) -> Handled | None:
    if topic not in trace.names:
        return None
    number = trace.names.index(topic)
    places = np.flatnonzero((trace.published_topic == number) & (trace.published_sequence == sequence))
    if not len(places):
        return None
    row = int(np.searchsorted(np.cumsum(trace.published_count), places[0], "right"))
    return next(handled for at, handled in enumerate(trace) if at == row)


def _links(steps: list[tuple[LoggedEvent, Handled | None]]) -> Iterator[Link]:
    before: tuple[LoggedEvent, Handled | None] | None = None
    for event, handled in steps:
        component = handled.component if handled else publisher_of(event.topic)
        spent = handled.end_ns - handled.start_ns if handled else None
        waiting = _waiting_ns(before, event, handled) if before else None
        yield Link(event, component, spent, waiting, handled.read if handled else ())
        before = event, handled


def _waiting_ns(before: tuple[LoggedEvent, Handled | None], event: LoggedEvent, handled: Handled | None) -> int | None:
    """In a run by the times of sending; in lockstep these are stamps, and the traces of both handlings have to tell."""
    cause, cause_handled = before
    if handled is None:
        return None
    if cause.sent_ns is not None and event.sent_ns is not None and event.sent_ns != event.stamp_ns:
        return max(0, event.sent_ns - cause.sent_ns - (handled.end_ns - handled.start_ns))
    return max(0, handled.start_ns - cause_handled.end_ns) if cause_handled else None


def publisher_of(topic: str) -> str:
    """By its name: the component (or source) of data, the machinery for ticks and commands."""
    if topic.startswith(TIMER_PREFIX):
        return "timer"
    if topic.startswith(COMMAND_PREFIX):
        return "command"
    return topic.strip("/").split("/")[0]
