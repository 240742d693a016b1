"""Flow control of a player: how far the hosts of a running system are behind what was sent to them.

Every so often the player puts a SYNC marker behind what it has sent. It comes back from the broker, and every host
acknowledges it when it has handled all before it (docs/protocol.md, section 4). A few of them may be on their way; then
the player waits. What hosts make of the events for other hosts is covered too, a few markers later.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass

from studio.runtime.base.clock import SECOND_NS, monotonic_ns

EVERY_EVENTS = 256
EVERY_BYTES = 4 << 20
OUTSTANDING = 8
"""Markers on their way. Each comes after a batch of up to 256 events or about 2 MB, so that there are below 4096 events
and about 48 MB in all at most, far below what a receiver may have waiting."""
ASK_AGAIN_NS = SECOND_NS
"""A host that was started anew never saw the old markers; it answers a new one."""
BROKER = -1
"""Stands for the broker among those that have to answer."""


@dataclass
class _Sync:
    number: int
    missing: set[int]
    sent: int


class Flow:
    def __init__(self, hosts: Callable[[], Collection[int]]) -> None:
        """`hosts` tells the indices of those that are alive."""
        self._hosts = hosts
        self._number = 0
        self._syncs: deque[_Sync] = deque()
        self._events = 0
        self._bytes = 0
        self._sent = 0
        self._asked_ns = 0
        self.passed = 0
        """How many events have passed the broker for sure, of those that were sent since the gate was opened."""

    def note(self, size: int, count: int = 1) -> bool:
        """Events were sent; whether it is time for a marker."""
        self._sent += count
        self._events += count
        self._bytes += size
        return self._events >= EVERY_EVENTS or self._bytes >= EVERY_BYTES

    def mark(self) -> int:
        """The number of the marker that is being sent."""
        self._number += 1
        self._events = self._bytes = 0
        self._asked_ns = monotonic_ns()
        self._syncs.append(_Sync(self._number, {BROKER, *self._hosts()}, self._sent))
        return self._number

    def answered(self, number: int, who: int) -> None:
        """Who answers a marker has done so with all before it, seen or not."""
        for sync in self._syncs:
            if sync.number <= number:
                sync.missing.discard(who)
                if who == BROKER:
                    self.passed = max(self.passed, sync.sent)
        self._forget_complete()

    def _forget_complete(self) -> None:
        while self._syncs and not self._syncs[0].missing:
            self._syncs.popleft()

    @property
    def is_open(self) -> bool:
        return len(self._syncs) < OUTSTANDING

    @property
    def is_idle(self) -> bool:
        """Whether everybody has handled everything."""
        return not self._syncs

    def ask_again(self) -> int | None:
        """While waiting: strike off the dead; the number of a marker to send once more, if it is time for it."""
        alive = {BROKER, *self._hosts()}
        for sync in self._syncs:
            sync.missing &= alive
        self._forget_complete()
        if self.is_idle or monotonic_ns() - self._asked_ns < ASK_AGAIN_NS:
            return None
        self._asked_ns = monotonic_ns()
        self._number += 1
        return self._number

    def reset(self) -> None:
        """The gate was closed: markers that are on their way will not be answered."""
        self._syncs.clear()
        self._events = self._bytes = self._sent = self.passed = 0
