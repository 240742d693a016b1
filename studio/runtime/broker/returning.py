"""A broker that goes on for one that died: what is asked of its gate waits until the hosts have found it.

Otherwise a marker or an event would be sent to hosts that do not hear it yet, and waited for without end.
"""

from __future__ import annotations

from collections.abc import Callable, Set

from studio.runtime.base.clock import SECOND_NS, monotonic_ns

PATIENCE_NS = 5 * SECOND_NS
"""Who has not greeted by then is not there; whoever greets later is welcome."""


class Returning:
    def __init__(self, missing: Callable[[], Set[str]], give_up: Callable[[Set[str]], None]) -> None:
        """`missing`: those who are alive and not back; `give_up`: do without them."""
        self._missing = missing
        self._give_up = give_up
        self._end_ns = monotonic_ns() + PATIENCE_NS
        self._waiting: list[Callable[[], None]] = []
        self._over = False

    def submit(self, job: Callable[[], None]) -> None:
        """`job` is submitted now, or when they are back."""
        self._waiting.append(job)
        self.look()

    def look(self) -> None:
        if not self._over:
            missing = self._missing()
            if missing and monotonic_ns() < self._end_ns:
                return
            self._give_up(missing)
            self._over = True
        while self._waiting:
            self._waiting.pop(0)()
