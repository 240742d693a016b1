"""The maps of a run, the newest last, as many as fit into some memory. No Qt in here."""

from __future__ import annotations

from bisect import bisect_left
from collections import deque

from studio.messages import Map

MOST_BYTES = 96 << 20


class MapHistory:
    """In the order of time. Time that jumps back begins anew there: a log was rewound."""

    def __init__(self) -> None:
        self._maps: deque[Map] = deque()
        self._times_ns: deque[int] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._maps)

    def __getitem__(self, place: int) -> Map:
        return self._maps[place]

    def time_ns(self, place: int) -> int:
        return self._times_ns[place]

    def nearest(self, at_ns: int) -> int:
        """The place of the map that came nearest to a time."""
        after = min(bisect_left(self._times_ns, at_ns), len(self._times_ns) - 1)
        before = max(after - 1, 0)
        return min((after, before), key=lambda place: abs(self._times_ns[place] - at_ns))

    def add(self, newest: Map, at_ns: int | None = None) -> int:
        """The oldest go when there is no room, and by so many places all others are nearer to the beginning; the
        newest stays however large it is."""
        dropped = 0
        time_ns = newest.stamp_ns if at_ns is None else at_ns
        while self._times_ns and self._times_ns[-1] > time_ns:
            self._times_ns.pop()
            self._bytes -= self._maps.pop().planes.nbytes
        self._maps.append(newest)
        self._times_ns.append(time_ns)
        self._bytes += newest.planes.nbytes
        while self._bytes > MOST_BYTES and len(self._maps) > 1:
            self._times_ns.popleft()
            self._bytes -= self._maps.popleft().planes.nbytes
            dropped += 1
        return dropped

    def clear(self) -> None:
        self._maps.clear()
        self._times_ns.clear()
        self._bytes = 0
