"""How often the window shows what flows: 30 times a second, or as often as it has time for.

With many panels on a slow machine it would be at nothing else. Its work between two batches, pictures included, is to
be a third of the time at most; figures and pictures then come less often, and clicks count as soon as ever.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from studio.runtime.base.clock import SECOND_NS

FASTEST_NS, SLOWEST_NS = SECOND_NS // 30, SECOND_NS // 10
SHARE = 0.3
_NEW = 0.2
"""How much the last batch counts: a panel that was just opened is no reason for a slower pace."""


class Pace:
    """Told by the window's thread, asked by others."""

    def __init__(self, worked_ns: Callable[[], int] = time.thread_time_ns) -> None:
        """`worked_ns`: how long the thread that asks has had a processor, in all."""
        self.every_ns = FASTEST_NS
        self._worked_ns = worked_ns
        self._at_ns = 0
        self._each_ns = 0.0

    def batch_taken(self) -> None:
        now_ns = self._worked_ns()
        spent_ns, self._at_ns = now_ns - self._at_ns if self._at_ns else 0, now_ns
        self._each_ns += _NEW * (spent_ns - self._each_ns)
        self.every_ns = min(max(FASTEST_NS, round(self._each_ns / SHARE)), SLOWEST_NS)
