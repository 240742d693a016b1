"""Recorded events in the order of their stamps: the order in which lockstep takes inputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush

from studio.runtime.clock import SECOND_NS
from studio.runtime.recording import LoggedEvent

WINDOW_NS = SECOND_NS
"""How much later than its stamp an event may have been recorded and still find its place."""
MOST_EVENTS, MOST_BYTES = 4096, 64 << 20
"""How much is held back at most; stamps that have nothing to do with the time of recording must not fill the memory."""


def by_stamp(events: Iterable[LoggedEvent], window_ns: int = WINDOW_NS) -> Iterator[LoggedEvent]:
    """By stamp, equal ones as recorded; a topic keeps its own order even where its stamps go backwards."""
    heap: list[tuple[int, int, LoggedEvent]] = []
    latest: dict[str, int] = {}
    held_bytes = 0
    for number, event in enumerate(events):
        stamp_ns = latest[event.topic] = max(event.stamp_ns, latest.get(event.topic, event.stamp_ns))
        heappush(heap, (stamp_ns, number, event))
        held_bytes += len(event.payload)
        due_ns = event.log_time_ns - window_ns
        while heap and (heap[0][0] <= due_ns or len(heap) > MOST_EVENTS or held_bytes > MOST_BYTES):
            following = heappop(heap)[2]
            held_bytes -= len(following.payload)
            yield following
    while heap:
        yield heappop(heap)[2]
