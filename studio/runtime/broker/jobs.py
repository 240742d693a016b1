"""Work that other threads hand to the forwarding thread, which alone touches the sockets."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

Job = Callable[[], None]


class Jobs:
    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._jobs: SimpleQueue[tuple[Job, bool]] = SimpleQueue()
        self._small: SimpleQueue[Job] = SimpleQueue()
        self._lock = threading.Lock()
        self._interrupting = 0
        """Jobs that wait and end those before them: all of these, and not the first alone."""

    def submit(self, job: Job, *, interrupt: bool = False) -> None:
        """Have `job` done after those before it; `interrupt` ends a lockstep that goes on by itself."""
        if interrupt:
            with self._lock:
                self._interrupting += 1
        self._jobs.put((job, interrupt))
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
        return self._interrupting > 0

    def do(self) -> None:
        """Forwarding thread: everything that is waiting."""
        self.do_small()
        while not self._jobs.empty():
            job, interrupts = self._jobs.get()
            if interrupts:
                with self._lock:
                    self._interrupting -= 1
            job()

    def do_small(self) -> None:
        while not self._small.empty():
            self._small.get()()
