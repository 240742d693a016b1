"""One event's story: all that led to it and that it led to, and the way through it that mattered most."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from studio.messages import Handled
from studio.messages.handled_trace import Identity
from studio.runtime.causality.paths import Hop, effects_of, longest, onward, paths_to
from studio.runtime.causality.trace import Trace

Tells = Callable[[str], bool]
"""Of a topic."""


@dataclass(frozen=True)
class Story:
    event: Identity
    hops: tuple[Hop, ...]
    """All, in the order in which they began."""
    critical: tuple[Hop, ...]
    """From a sensor through the event to a command, as far as that is known."""
    own: Handled | None = None
    """Where the event itself was published."""
    left_out: int = 0
    """Effects that were too many."""

    @property
    def topics(self) -> tuple[str, ...]:
        """Of the critical path."""
        events = [hop.event for hop in self.critical] + [hop.published for hop in self.critical[-1:]]
        return tuple(topic for topic, _ in events)

    @property
    def start_ns(self) -> int:
        return min((began(hop) for hop in self.hops), default=self.own.start_ns if self.own else 0)

    @property
    def end_ns(self) -> int:
        return max((hop.target.end_ns for hop in self.hops), default=self.own.end_ns if self.own else 0)

    @property
    def latency_ns(self) -> int:
        """Along the critical path."""
        return self.critical[-1].target.end_ns - began(self.critical[0]) if self.critical else 0

    @property
    def components(self) -> list[str]:
        """In the order of the critical path, then as they come."""
        ordered = [row for hop in (*self.critical, *self.hops) for row in (hop.source, hop.target) if row is not None]
        own = [self.own] if self.own is not None else []
        return list(dict.fromkeys(row.component for row in (*ordered, *own)))


def began(hop: Hop) -> int:
    """When its event was there."""
    return hop.source.end_ns if hop.source is not None else hop.arrival.start_ns


def story_of(
    trace: Trace, event: Identity, is_sensor: Tells, is_command: Tells, topics: tuple[str, ...] = ()
) -> Story | None:
    """`topics`: take this path for the critical one if it leads through the event. None if the trace is silent."""
    if not trace.knows(event):
        return None
    before = paths_to(trace, event)
    effects, left_out = effects_of(trace, event)
    after = [] if is_command(event[0]) else onward(effects, event, is_command)
    chosen = _chosen(trace, event, after, is_sensor, topics)
    hops = {_key(hop): hop for hop in (*(hop for path in before for hop in path.hops), *effects, *chosen)}
    ordered = tuple(sorted(hops.values(), key=began))
    return Story(event, ordered, chosen, trace.made(event), left_out)


def _chosen(
    trace: Trace, event: Identity, after: list[Hop], is_sensor: Tells, topics: tuple[str, ...]
) -> tuple[Hop, ...]:
    end = after[-1].published if after else event
    through = [path for path in paths_to(trace, end) if event in path.events]
    wanted = [path for path in through if path.topics == topics]
    path = wanted[0] if wanted else longest(through, is_sensor)
    if path is not None:
        return path.hops
    before = longest(paths_to(trace, event), is_sensor)  # what came after knew of it by a newer event of its topic
    return (*(before.hops if before is not None else ()), *after)


def _key(hop: Hop) -> tuple[Identity, int, Identity]:
    return hop.event, id(hop.target), hop.published


def rows_of(hops: Iterable[Hop]) -> list[Handled]:
    """Every handling once."""
    rows = [row for hop in hops for row in (hop.source, hop.input.stored, hop.target) if row is not None]
    return list({id(row): row for row in rows}.values())
