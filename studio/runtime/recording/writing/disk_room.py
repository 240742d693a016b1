"""How fast a log grows, and for how long there is room on the disk."""

from __future__ import annotations

from collections import deque

from studio.runtime.base.clock import SECOND_NS

OVER_NS = 10 * SECOND_NS
"""Chunks are written in bursts; over less time the figures would jump."""
LONGEST_S = 365 * 24 * 3600.0


class DiskRoom:
    def __init__(self) -> None:
        self._seen: deque[tuple[int, int]] = deque()
        """When it was looked at, and the size of the log then."""

    def look(self, now_ns: int, size: int) -> float:
        """Bytes per second over the last seconds."""
        self._seen.append((now_ns, size))
        while len(self._seen) > 2 and now_ns - self._seen[1][0] >= OVER_NS:
            self._seen.popleft()
        first_ns, before = self._seen[0]
        return (size - before) * SECOND_NS / (now_ns - first_ns) if now_ns > first_ns else 0.0


def seconds_left(free_bytes: int | None, reserve_bytes: int, bytes_per_s: float) -> float | None:
    """Until the disk is full down to the reserve; None where that is not known, or more than a year away."""
    if free_bytes is None or bytes_per_s <= 0:
        return None
    left_s = max(0, free_bytes - reserve_bytes) / bytes_per_s
    return left_s if left_s < LONGEST_S else None


def duration_words(seconds: float) -> str:
    """Two units are enough to plan with."""
    minutes, rest_s = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes >= 10 else f"{minutes} min {rest_s} s" if minutes else f"{rest_s} s"
