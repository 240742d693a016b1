"""Why an event of a log came about: the critical path that the Causality panel marks, up to the event.

A log without a trace of who handled what has no such path. Then the chain is that of the causes in the events' headers,
which ends at the timer of the first component that works by one.
"""

from __future__ import annotations

from typing import NamedTuple

from studio.messages.handled_trace import Identity
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.causality.paths import Hop
from studio.runtime.causality.story import story_of
from studio.runtime.causality.trace import Input, Trace
from studio.runtime.causality.traced_log import MOST_ROWS, traced
from studio.runtime.recording import LogReader
from studio.runtime.replay.causes import (
    LONGEST,
    Link,
    calls_between,
    chain_of,
    event_in,
    find_event,
)

BEFORE_NS = 120 * SECOND_NS
"""How far back causes are looked for at first: reading the trace of a whole log may take minutes."""
FURTHER = 4
"""So many times as far, if that was not far enough."""
AFTER_NS = 5 * SECOND_NS
"""Hosts report in batches what they handled, after the event."""


class Causes(NamedTuple):
    chain: list[Link]
    """The events that led to one, the first first; it is the last itself."""
    stopped: str = ""
    """Why the first of them may have causes that are not told; empty if it has none."""


class _Read(NamedTuple):
    """The trace before an event, as far as it was needed."""

    trace: Trace
    hops: list[Hop]
    start_ns: int
    is_full: bool
    """There was more of it than is kept."""


def why(log: LogReader, topic: str, sequence: int, most: int = MOST_ROWS) -> Causes:
    """As far as the log goes, with at most so many handlings in memory. Raises ReplayError without such an event."""
    chain: list[Link] = []
    following: Identity = (topic, sequence)
    while True:
        read = _read(log, following, most)
        first = read.hops[0].event if read.hops else following
        missing = _missing(log, read.trace, first)
        chain = [*(_link(log, hop) for hop in read.hops), *chain]
        is_there = missing is not None and missing != following and find_event(log, *missing) is not None
        if missing is None or not is_there or not read.is_full or len(chain) > LONGEST:
            beginning = _beginning(log, read.hops[0]) if read.hops else chain_of(log, *following)
            return Causes([*beginning, *chain], _why_stopped(log, read, missing, most))
        # The rest lies before what fits into memory: the same again, from where this has led.
        made = read.trace.made(first)
        if made is not None and missing != first:
            chain = [_link(log, Hop(Input(missing, "handled"), None, made, first)), *chain]
        following = missing


def _why_stopped(log: LogReader, read: _Read, missing: Identity | None, most: int) -> str:
    if missing is None or (not read.is_full and read.trace.made(missing) is not None):
        return ""  # a timer, of a component that was never given anything
    if find_event(log, *missing) is None:
        return f"{missing[0]}:{missing[1]} is not in the log, so its causes are not known"
    if read.is_full:
        since_s = (read.start_ns - log.start_ns) / SECOND_NS
        return f"more than {most} handlings follow {since_s:.1f} s of the log; earlier events were not read"
    return ""  # it was read from its start


def _read(log: LogReader, event: Identity, most: int) -> _Read:
    at_ns = event_in(log, *event).log_time_ns
    before_ns = BEFORE_NS
    while True:
        start_ns = max(log.start_ns, at_ns - before_ns)
        around = traced(log, start_ns, at_ns + AFTER_NS, most)
        story = story_of(around.trace, event, around.is_sensor, around.is_command)
        hops = _up_to(event, story.critical if story is not None else ())
        is_full = len(around.trace) >= most
        is_whole = _missing(log, around.trace, hops[0].event if hops else event) is None
        if is_whole or is_full or start_ns <= log.start_ns:
            return _Read(around.trace, hops, start_ns, is_full)
        before_ns *= FURTHER


def _missing(log: LogReader, trace: Trace, event: Identity) -> Identity | None:
    """An event that led to this one, perhaps itself, of whose own causes the trace does not tell."""
    made = trace.made(event)
    if made is None:
        known = find_event(log, *event)
        return event if known is None or known.cause_topic else None
    inputs = trace.inputs(made)
    unknown = [each.event for each in inputs if not trace.knows(each.event)]
    if unknown:
        return unknown[0]
    return event if not inputs and not trace.brings(made) else None


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
