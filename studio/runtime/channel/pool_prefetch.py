"""Gets memory for shared payloads before it is needed, beside the thread that publishes.

The system takes milliseconds to hand out a few megabytes, and a receiver that stands still makes a pool grow with every
payload: whoever publishes must not wait for that.
"""

from __future__ import annotations

import threading

from studio.runtime.channel.pool import Pool


class PoolPrefetch:
    """Of one pool. Its thread begins when it is asked for the first time: most senders have nothing large to send."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._asked = threading.Event()
        self._closed = False
        self._thread: threading.Thread | None = None

    def ask(self) -> None:
        self._asked.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="shared memory", daemon=True)
            self._thread.pydev_do_not_trace = True  # type: ignore[attr-defined]  # nobody debugs this
            self._thread.start()

    def _work(self) -> None:
        while True:
            self._asked.wait()
            self._asked.clear()
            if self._closed:  # looked at after the clearing, or a close in between would never be heard
                return
            self._pool.grow_ahead()

    def close(self) -> None:
        self._closed = True
        self._asked.set()
        if self._thread is not None:
            self._thread.join()
