"""How many requests of each client are under way: one that floods is told to wait, and the others are served."""

from __future__ import annotations

from collections import Counter

from studio.errors import StudioError

MOST = 64
"""Somebody who waits for answers has one under way, or a few."""


class TooManyRequests(StudioError):
    """A client asks faster than it can be answered."""


class UnderWay:
    def __init__(self) -> None:
        self._counts: Counter[bytes] = Counter()

    def begin(self, client: bytes) -> None:
        """Raises TooManyRequests, and counts nothing then."""
        if self._counts[client] >= MOST:
            raise TooManyRequests(
                f"{MOST} requests are waiting for an answer already", hint="wait for the answers first"
            )
        self._counts[client] += 1

    def end(self, client: bytes) -> None:
        self._counts[client] -= 1
        if self._counts[client] <= 0:
            del self._counts[client]
