"""Timer ticks while the gate is open; a closed gate takes them from its agenda, when their time has come."""

from __future__ import annotations

import zmq

from studio.runtime.base.clock import monotonic_ns
from studio.runtime.broker.forwarder import Forwarder

LONGEST_MS = 50.0


class Metronome:
    def __init__(self, forwarder: Forwarder, push: zmq.Socket[bytes]) -> None:
        self.skipped = 0
        """Ticks that nobody could send in time."""
        self._forwarder = forwarder
        self._push = push

    def beat(self) -> float:
        """Send the ticks that are due; returns how many milliseconds may pass until the next."""
        forwarder = self._forwarder
        if forwarder.mode != "run":
            return LONGEST_MS
        if not forwarder.lock.acquire(blocking=False):
            return 1.0  # the gate is just being opened or closed
        try:
            if forwarder.mode != "run":
                return LONGEST_MS
            clock, timers = forwarder.clock, forwarder.agenda.timers
            now_ns = clock.now_ns()
            self.skipped += timers.skip_to(now_ns)
            while (due_ns := timers.due_ns()) is not None and due_ns <= now_ns:
                self._push.send(forwarder.make_tick(*timers.take()).frame)
            moment_ns = clock.moment_of(due_ns) if due_ns is not None else None
        finally:
            forwarder.lock.release()
        return LONGEST_MS if moment_ns is None else min(LONGEST_MS, max(0.0, (moment_ns - monotonic_ns()) / 1e6))
