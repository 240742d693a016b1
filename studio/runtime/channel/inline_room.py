"""How much of large payloads may go inline, when shared memory has no room for them.

The broker keeps frames for a receiver that does not read, and counts frames, not bytes: payloads of megabytes would
fill the memory of the machine. So a fence is sent behind them, a slot that is released by all who have read so far.
Until it comes back no more than `most_bytes` are sent; what goes beyond is dropped by the producer, and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from studio.runtime.channel.pool import Pool


class InlineRoom:
    """Of one sender. `sweep` sends the sweep of a ticket, behind all that was sent before."""

    def __init__(self, pool: Pool, most_bytes: int, sweep: Callable[[int], None]) -> None:
        self._pool = pool
        self._most = most_bytes
        self._sweep = sweep
        self._before = 0
        """Bytes that were sent before the fence, and that somebody may not have read yet."""
        self._since = 0
        """Bytes that were sent after it."""
        self._receivers: set[int] = set()
        """Of what was sent after it."""
        self._fence: int | None = None

    def admits(self, length: int) -> bool:
        """Whether so much more may be sent; one payload may always be under way, however large it is."""
        if self._fence is not None and self._pool.is_fence_passed():
            self._before, self._fence = 0, None
        waiting = self._before + self._since
        if waiting and waiting + length > self._most:
            if self._fence is None:
                self._raise_fence()  # what is under way is less than half, but too much beside this one
            else:
                self._sweep(self._fence)  # again, as a gate that is being closed drops it
            return False
        self._since += length
        return True

    def sent(self, receivers: Sequence[int]) -> None:
        """What was admitted is on its way to `receivers`: when it is half of all that may be, a fence follows."""
        self._receivers.update(receivers)
        if self._fence is None and 2 * self._since >= self._most:
            self._raise_fence()

    def _raise_fence(self) -> None:
        """For everybody to whom something was sent since the last one: any of them may be one that does not read."""
        self._fence = self._pool.raise_fence(sorted(self._receivers))
        self._before, self._since = self._since, 0
        self._receivers.clear()
        if self._fence is not None:
            self._sweep(self._fence)
        else:  # there is no memory even for a fence: nobody can tell who has read what
            self._before = 0
