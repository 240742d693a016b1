"""How often something comes, as a number and as a course over the last minute."""

from __future__ import annotations

from collections import deque

from studio.runtime.base.clock import SECOND_NS

WINDOW_NS = 3 * SECOND_NS
COURSE_S = 60


class Rate:
    """Counts arrivals by machine time. Written by one thread and read by another: what is read is a moment old."""

    def __init__(self) -> None:
        self._arrivals: deque[int] = deque(maxlen=4000)
        self._seconds: deque[tuple[int, int]] = deque(maxlen=COURSE_S)
        """Which second, and how many came in it."""
        self.count = 0

    def add(self, now_ns: int) -> None:
        self._arrivals.append(now_ns)
        self.count += 1
        second = now_ns // SECOND_NS
        if self._seconds and self._seconds[-1][0] == second:
            self._seconds[-1] = (second, self._seconds[-1][1] + 1)
        else:
            self._seconds.append((second, 1))

    def hz(self, now_ns: int) -> float | None:
        """Of the last three seconds; 0 when nothing comes any more, None before two have come."""
        times = list(self._arrivals)
        if len(times) < 2:
            return None
        recent = [time for time in times if now_ns - time <= WINDOW_NS]
        if len(recent) < 2:
            return 0.0
        return (len(recent) - 1) * SECOND_NS / max(1, max(recent[-1], now_ns - _gap(recent)) - recent[0])

    def course(self, now_ns: int) -> list[int]:
        """How many came in each whole second of the last minute, the newest at the end."""
        counts, now = dict(list(self._seconds)), now_ns // SECOND_NS
        first = max(now - COURSE_S, min(counts, default=now))
        return [counts.get(second, 0) for second in range(first, now)]


def _gap(times: list[int]) -> int:
    """Twice the mean distance: a stream is not late before that."""
    return 2 * (times[-1] - times[0]) // (len(times) - 1)
