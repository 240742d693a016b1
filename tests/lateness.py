"""How late this machine is: what a thread sleeps longer than it wanted is no fault of those whom a clock judges."""

from __future__ import annotations

import threading
import time
from collections import deque

SLEEP_NS = 2_000_000


class Lateness:
    """A thread that only sleeps, and writes down how much later than it wanted it woke each time."""

    def __init__(self) -> None:
        self._woke: deque[tuple[int, int]] = deque(maxlen=100_000)
        """When, and how late."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sleep, daemon=True)

    def __enter__(self) -> Lateness:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _sleep(self) -> None:
        while not self._ended.is_set():
            before_ns = time.monotonic_ns()
            time.sleep(SLEEP_NS / 1e9)
            now_ns = time.monotonic_ns()
            self._woke.append((now_ns, now_ns - before_ns - SLEEP_NS))

    def assert_within(self, promised_s: float, from_ns: int, to_ns: int, hands: int) -> float:
        """That no more time has passed than was promised and this machine was late; how many ms it was.

        `hands`: how many threads and processes had to act one after the other, each of which may have waited as long
        as ours for a processor.
        """
        if to_ns > time.monotonic_ns() - 2 * SLEEP_NS:  # the thread may not have woken yet
            time.sleep(4 * SLEEP_NS / 1e9)
        late_ns = max(0, *(late for at_ns, late in list(self._woke) if from_ns <= at_ns and at_ns - late <= to_ns), 0)
        took_ms, most_ms = (to_ns - from_ns) / 1e6, promised_s * 1e3 + hands * late_ns / 1e6
        words = f"{took_ms:.1f} ms; promised are {promised_s * 1e3:g}, and the machine was {late_ns / 1e6:.1f} ms late"
        assert took_ms <= most_ms, words
        return took_ms
