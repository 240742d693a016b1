"""Why an event of a log came about: the critical path that the Causality panel marks, up to the event.

A log without a trace of who handled what has no such path. Then the chain is that of the causes in the events' headers,
which ends at the timer of the first component that works by one.
"""

from __future__ import annotations

from studio.messages.handled_trace import Identity
from studio.runtime.causality.paths import Hop
from studio.runtime.causality.story import story_of
from studio.runtime.causality.traced_log import traced
from studio.runtime.clock import SECOND_NS
from studio.runtime.recording import LogReader
from studio.runtime.replay.causes import Link, calls_between, chain_of, event_in, find_event

BEFORE_NS = 120 * SECOND_NS
"""How far back causes are looked for: reading the trace of a whole log may take minutes."""
AFTER_NS = 5 * SECOND_NS
"""Hosts report in batches what they handled, after the event."""


def why(log: LogReader, topic: str, sequence: int) -> list[Link]:
    """The events that led to one, the first first; it is the last itself. Raises ReplayError without such an event."""
    event = event_in(log, topic, sequence)
    around = traced(log, event.log_time_ns - BEFORE_NS, event.log_time_ns + AFTER_NS)
    story = story_of(around.trace, (topic, sequence), around.is_sensor, around.is_command)
    hops = _up_to((topic, sequence), story.critical if story is not None else ())
    if not hops:
        return chain_of(log, topic, sequence)
    return [*_beginning(log, hops[0]), *(_link(log, hop) for hop in hops)]


def _up_to(event: Identity, hops: tuple[Hop, ...]) -> list[Hop]:
    """A critical path may lead on to a command; empty if it only begins with the event."""
    for place, hop in enumerate(hops):
        if hop.published == event:
            return list(hops[: place + 1])
    return []


def _beginning(log: LogReader, first: Hop) -> list[Link]:
    """What the first event came from: the timer of a sensor, mostly."""
    if find_event(log, *first.event) is not None:
        return chain_of(log, *first.event)
    source = first.source
    component = source.component if source is not None else first.event[0].strip("/").split("/")[0]
    return [Link(first.event, None, component)]


def _link(log: LogReader, hop: Hop) -> Link:
    cause, event = find_event(log, *hop.event), find_event(log, *hop.published)
    own = {hop.event, (hop.target.topic, hop.target.sequence)}
    return Link(
        hop.published,
        event.stamp_ns if event is not None else None,
        hop.target.component,
        handling_ns=hop.handling_ns,
        waiting_ns=hop.way_ns,
        kept_ns=hop.kept_ns or None,
        how=hop.input.how,
        read=tuple(each for each in hop.target.read if each not in own),
        calls=tuple(calls_between(log, hop.target.component, cause, event)) if cause and event else (),
    )
