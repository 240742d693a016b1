"""Recorded events in the order of their stamps: the order in which lockstep takes inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.recording import LoggedEvent

WINDOW_NS = SECOND_NS
"""How much later than its stamp an event may have been recorded and still find its place."""
MOST_EVENTS, MOST_BYTES = 4096, 64 << 20
"""How much is held back at most; stamps that have nothing to do with the time of recording must not fill the memory."""


@dataclass(frozen=True)
class Bookmark:
    """A place in this order, to go on from without what lies before it. It holds numbers only, and no events."""

    from_ns: int | None = None
    """Log time from which on the log has to be read again; None: from its start."""
    from_number: int = 0
    """Number of the first event at that time."""
    read: int = 0
    """How many events had been read."""
    held: dict[int, int] = field(default_factory=dict)
    """Those of them that were held back: number -> the stamp that decides."""
    latest: dict[str, int] = field(default_factory=dict)
    """Topic -> its latest stamp."""


def by_stamp(
    events: Iterable[LoggedEvent],
    window_ns: int = WINDOW_NS,
    *,
    after: Bookmark | None = None,
    every: int = 0,
    keep: Callable[[Bookmark], None] | None = None,
) -> Iterator[LoggedEvent]:
    """By stamp, equal ones as recorded; a topic keeps its own order even where its stamps go backwards.

    `after` goes on from a bookmark; `events` are then those from its `from_ns` on. `keep` gets a bookmark before every
    `every`th event.
    """
    after = after or Bookmark()
    heap: list[tuple[int, int, int, LoggedEvent]] = []
    latest = dict(after.latest)
    held_bytes = 0
    given, next_mark = 0, every if keep else -1
    time_ns, first = 0, after.from_number  # the number of the first event that was recorded at this time
    for number, event in enumerate(events, after.from_number):
        if event.log_time_ns != time_ns:
            time_ns, first = event.log_time_ns, number
        if number >= after.read:
            stamp_ns = latest[event.topic] = max(event.stamp_ns, latest.get(event.topic, event.stamp_ns))
            heappush(heap, (stamp_ns, number, first, event))
            held_bytes += len(event.payload)
        else:
            if number in after.held:
                heappush(heap, (after.held[number], number, first, event))
                held_bytes += len(event.payload)
            if number < after.read - 1:
                continue
        due_ns = time_ns - window_ns
        while heap and (heap[0][0] <= due_ns or len(heap) > MOST_EVENTS or held_bytes > MOST_BYTES):
            if given == next_mark and keep is not None:
                next_mark += every
                _, _, from_number, oldest = min(heap, key=lambda entry: entry[1])
                held = {entry[1]: entry[0] for entry in heap}
                keep(Bookmark(oldest.log_time_ns, from_number, number + 1, held, dict(latest)))
            given += 1
            following = heappop(heap)[3]
            held_bytes -= len(following.payload)
            yield following
    while heap:
        yield heappop(heap)[3]
