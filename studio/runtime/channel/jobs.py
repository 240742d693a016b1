"""Work that other threads hand to the forwarding thread, which alone touches the sockets."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

Job = Callable[[], None]


class Jobs:
    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._small: SimpleQueue[Job] = SimpleQueue()
        self._interrupt = threading.Event()

    def submit(self, job: Job, *, interrupt: bool = False) -> None:
        """Have `job` done after those before it; `interrupt` ends a lockstep that goes on by itself."""
        if interrupt:
            self._interrupt.set()
        self._jobs.put(job)
        self._wake()

    def insert(self, job: Job) -> None:
        """Have a small job done at once, between two events or while one is being waited for."""
        self._small.put(job)
        self._wake()

    @property
    def waiting(self) -> bool:
        return not (self._jobs.empty() and self._small.empty())

    @property
    def interrupted(self) -> bool:
        return self._interrupt.is_set()

    def do(self) -> None:
        """Forwarding thread: everything that is waiting."""
        self.do_small()
        while not self._jobs.empty():
            self._jobs.get()()
            self._interrupt.clear()

    def do_small(self) -> None:
        while not self._small.empty():
            self._small.get()()
