"""A moment that can be put off, and a thread of its own for what is done when it passes."""

from __future__ import annotations

import threading
from collections.abc import Callable

from studio.runtime.base.clock import SECOND_NS, monotonic_ns


class Expiry:
    """A thread that calls `expired` when the deadline passes without having been put off."""

    def __init__(self, expired: Callable[[], None], name: str) -> None:
        self._expired = expired
        self._until_ns: int | None = None
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._watch, name=name, daemon=True)
        self._thread.pydev_do_not_trace = True  # type: ignore[attr-defined]  # a debugger holds all others, not this one
        self._thread.start()

    def put_off_until(self, moment_ns: int) -> None:
        with self._changed:
            sooner = self._until_ns is None or moment_ns < self._until_ns
            self._until_ns = moment_ns
            if sooner:  # a later one is seen when the thread wakes for the old one: fewer wake-ups
                self._changed.notify()

    def cancel(self) -> None:
        with self._changed:
            self._until_ns = None

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _watch(self) -> None:
        while True:
            with self._changed:
                if self._closed:
                    return
                left_ns = None if self._until_ns is None else self._until_ns - monotonic_ns()
                if left_ns is None or left_ns > 0:
                    self._changed.wait(None if left_ns is None else left_ns / SECOND_NS)
                    continue
                self._until_ns = None
            self._expired()  # not under our lock: it takes the actuator's
