"""Why an event came about: the chain of its causes, with the time spent in each component and on the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from studio.messages import Handled, HandledTrace, ServiceCall, decode
from studio.messages.handled_trace import Identity
from studio.model.close_matches import did_you_mean
from studio.runtime.base.errors import ReplayError
from studio.runtime.channel.call_frames import ends_of, reply_topic
from studio.runtime.recording import LoggedEvent, LogReader
from studio.runtime.wire.frames import (
    COMMAND_PREFIX,
    ERROR,
    HANDLED_TOPIC,
    REPLY_PREFIX,
    REQUEST_PREFIX,
    TIMER_PREFIX,
    topic_hash,
)

LONGEST = 10_000
"""A chain of causes ends by itself; a damaged log's may not."""


@dataclass(frozen=True)
class Call:
    """A service that was called while an event was handled."""

    request: Identity
    provider: str
    service: str
    error: str = ""
    """Why there was no answer."""
    answered: bool = True


@dataclass(frozen=True)
class Link:
    """One event of the chain, and how it came about."""

    identity: Identity
    stamp_ns: int | None
    """None for an event that was not recorded."""
    component: str
    """Who published it."""
    handling_ns: int | None = None
    """How long that component handled the cause; None if the log has no trace of it."""
    waiting_ns: int | None = None
    """From the publication of the cause until its handling began."""
    kept_ns: int | None = None
    """How long the component had the cause before it made something of it."""
    how: str = ""
    """What the component did with the cause: handled, read or kept; empty if the log does not say."""
    read: tuple[Identity, ...] = ()
    """What else the component looked at."""
    calls: tuple[Call, ...] = ()
    """The services that it called meanwhile."""

    @property
    def topic(self) -> str:
        return self.identity[0]

    @property
    def sequence(self) -> int:
        return self.identity[1]


def _what_there_is(log: LogReader, topic: str) -> str:
    if topic not in log.topics:
        return did_you_mean(topic, [name for name in log.topics if not name.startswith("/_studio/")])
    ends = [next(log.events([topic], reverse=reverse), None) for reverse in (False, True)]
    first_to_last = " to ".join(str(event.sequence) for event in ends if event)
    return f"its events are {first_to_last}" if first_to_last else "it has none"


def chain_of(log: LogReader, topic: str, sequence: int) -> list[Link]:
    """The events that led to one by the causes in their headers, the first first; it is the last itself."""
    event = event_in(log, topic, sequence)
    names = {topic_hash(name): name for name in log.topics}
    steps: list[tuple[LoggedEvent, Handled | None]] = []
    following: LoggedEvent | None = event
    while following is not None and len(steps) < LONGEST:
        steps.append((following, _handling(log, following)))
        following = _cause(log, following, names)
    return list(_links(log, steps[::-1]))


def event_in(log: LogReader, topic: str, sequence: int) -> LoggedEvent:
    """Raises ReplayError, with what there is, if the log does not have it."""
    event = find_event(log, topic, sequence)
    if event is None:
        what = f"there is no event {sequence} of {topic} in this log"
        raise ReplayError(what, file=log.path, hint=_what_there_is(log, topic))
    return event


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
    if (
        HANDLED_TOPIC not in log.topics
        or not event.cause_topic
        or event.topic.startswith((REQUEST_PREFIX, REPLY_PREFIX))
    ):
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


def _links(log: LogReader, steps: list[tuple[LoggedEvent, Handled | None]]) -> Iterator[Link]:
    before: tuple[LoggedEvent, Handled | None] | None = None
    for event, handled in steps:
        component = handled.component if handled else publisher_of(event.topic)
        spent = handled.end_ns - handled.start_ns if handled else None
        waiting = _waiting_ns(before, event, handled) if before else None
        called = tuple(calls_between(log, component, before[0], event)) if before else ()
        read = handled.read if handled else ()
        how = "handled" if handled else ""
        identity = event.topic, event.sequence
        yield Link(identity, event.stamp_ns, component, spent, waiting, how=how, read=read, calls=called)
        before = event, handled


def calls_between(log: LogReader, component: str, cause: LoggedEvent, effect: LoggedEvent) -> Iterator[Call]:
    """The calls that a component made while it handled `cause` and published `effect`, which may be such a call."""
    made = [
        event
        for topic in log.topics
        if topic.startswith(REQUEST_PREFIX) and ends_of(topic)[0] == component and topic != effect.topic
        for event in log.events([topic], start_ns=cause.log_time_ns, end_ns=effect.log_time_ns + 1)
        if _is_caused(event, cause) and not (event.flags or 0) & ERROR
    ]
    for request in made:
        call = decode(ServiceCall, request.payload)
        reply = reply_to(log, request)
        error = decode(ServiceCall, reply.payload).error if reply is not None else ""
        yield Call((request.topic, request.sequence), call.provider, call.service, error, reply is not None)


def reply_to(log: LogReader, request: LoggedEvent) -> LoggedEvent | None:
    """What the caller went on with: the reply, or its own word that it has waited in vain."""
    topics = [topic for topic in (request.topic, reply_topic(*ends_of(request.topic))) if topic in log.topics]
    following = (event for event in log.events(topics, start_ns=request.log_time_ns) if _is_caused(event, request))
    first = next(following, None)
    if first is None or first.topic == request.topic:
        return first
    # A reply may have been on its way when the caller gave up.
    withdrawn = next((event for event in following if event.topic == request.topic), None)
    return withdrawn or first


def _is_caused(event: LoggedEvent, cause: LoggedEvent) -> bool:
    return event.cause_sequence == cause.sequence and event.cause_topic == topic_hash(cause.topic)


def _waiting_ns(before: tuple[LoggedEvent, Handled | None], event: LoggedEvent, handled: Handled | None) -> int | None:
    """By the traces of both handlings; of what nobody published by handling something, by the times of sending."""
    cause, cause_handled = before
    if handled is None or cause.topic.startswith(REQUEST_PREFIX):  # a request carries the stamp of its cause
        return None
    if cause_handled is not None:
        return max(0, handled.start_ns - cause_handled.end_ns)
    if cause.sent_ns is not None and event.sent_ns is not None and event.sent_ns != event.stamp_ns:
        return max(0, event.sent_ns - cause.sent_ns - (handled.end_ns - handled.start_ns))
    return None  # in lockstep what was sent carries its stamp instead


def publisher_of(topic: str) -> str:
    """By its name: the component (or source) of data and calls, the machinery for ticks and commands."""
    if topic.startswith(TIMER_PREFIX):
        return "timer"
    if topic.startswith(COMMAND_PREFIX):
        return "command"
    if topic.startswith((REQUEST_PREFIX, REPLY_PREFIX)):
        caller, provider = ends_of(topic)
        return caller if topic.startswith(REQUEST_PREFIX) else provider
    return topic.strip("/").split("/")[0]
