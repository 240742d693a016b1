"""How fast a log really plays: components, a disk or a picture may not keep up with the rate that was asked for."""

from __future__ import annotations

import threading
from collections import deque

from studio.runtime.base.clock import SECOND_NS

OVER_NS = 3 * SECOND_NS
LEAST_NS = SECOND_NS
"""Over a shorter time the measurement jumps from event to event."""
REACHED = 0.9
"""Of the rate that was asked for: less is worth a word."""


class ActualRate:
    """Looked at now and then, from any thread, with how far the log is."""

    def __init__(self) -> None:
        self._seen: deque[tuple[int, int]] = deque()
        """When it was looked at, and the time of the log then."""
        self._rate = 0.0
        self._lock = threading.Lock()

    def measured(self, now_ns: int, position_ns: int, rate: float, *, playing: bool) -> float | None:
        """Times real time, over the last seconds; None while it is paused, has just begun, or was taken elsewhere."""
        with self._lock:
            last = self._seen[-1] if self._seen else None
            if last is not None and (rate != self._rate or self._has_jumped(last, now_ns, position_ns, rate)):
                self._seen.clear()
            self._rate = rate
            if not playing:
                self._seen.clear()
                return None
            self._seen.append((now_ns, position_ns))
            while len(self._seen) > 2 and now_ns - self._seen[1][0] >= OVER_NS:
                self._seen.popleft()
            since_ns, from_ns = self._seen[0]
            passed_ns = now_ns - since_ns
            return (position_ns - from_ns) / passed_ns if passed_ns >= LEAST_NS else None

    def _has_jumped(self, last: tuple[int, int], now_ns: int, position_ns: int, rate: float) -> bool:
        passed_ns, gone_ns = now_ns - last[0], position_ns - last[1]
        return gone_ns < 0 or gone_ns > 2 * rate * passed_ns + SECOND_NS


def too_slow(actual: float | None, rate: float) -> bool:
    """Whether the rate that was asked for is not reached; as fast as possible is always reached."""
    return actual is not None and rate != float("inf") and actual < REACHED * rate
