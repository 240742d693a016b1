"""The maps of a run, the newest last, as many as fit into some memory. No Qt in here."""

from __future__ import annotations

from collections import deque

from studio.messages import Map

MOST_BYTES = 96 << 20


class MapHistory:
    def __init__(self) -> None:
        self._maps: deque[Map] = deque()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._maps)

    def __getitem__(self, place: int) -> Map:
        return self._maps[place]

    def add(self, newest: Map) -> None:
        """The oldest go when there is no room; the newest stays however large it is."""
        self._maps.append(newest)
        self._bytes += newest.planes.nbytes
        while self._bytes > MOST_BYTES and len(self._maps) > 1:
            self._bytes -= self._maps.popleft().planes.nbytes

    def clear(self) -> None:
        self._maps.clear()
        self._bytes = 0
