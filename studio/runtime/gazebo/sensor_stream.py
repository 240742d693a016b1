"""What one sensor of a server sends, and when the next of it is due."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.gazebo.conversions import time_ns

INEXACT_NS = 4_000_000


class SensorStream:
    """Filled by the thread of the client, read by the component.

    A server measures in the first step at which a period has passed, and makes up for what that was too late.
    """

    def __init__(self, port: str, topic: str, kind: str, rate_hz: float, *, is_exact: bool = True) -> None:
        self.port, self.topic, self.kind = port, topic, kind
        """Port of the component, topic and short type of the server."""
        self.period_ns = round(SECOND_NS / rate_hz)
        self.is_exact = is_exact
        """Not an inertial unit: it measures from what the physics told it some step before, and stamps it with that."""
        self.last_ns: int | None = None
        """Of the server's clock."""
        self.misses = 0
        """Steps of the server that it is late."""
        self.end: Callable[[], None] = lambda: None
        self._late_ns = 0
        self._came: list[tuple[int, Any]] = []
        self._changed = threading.Condition()

    @property
    def due_ns(self) -> int | None:
        """By the server's clock; None as long as nothing has come."""
        if self.last_ns is None:
            return None
        return self.last_ns + self.period_ns + (-self._late_ns if self.is_exact else INEXACT_NS)

    def put(self, message: Any) -> None:
        at_ns = time_ns(message)
        with self._changed:
            if self.last_ns is not None:
                late_ns = max(0, at_ns - self.last_ns + self._late_ns - self.period_ns)
                self._late_ns = late_ns if late_ns < self.period_ns else 0
            self.last_ns = at_ns
            self._came.append((at_ns, message))
            self._changed.notify_all()

    def take(self) -> list[tuple[int, Any]]:
        """All that has come, with the server's time."""
        with self._changed:
            came, self._came = self._came, []
        return came

    def forget(self) -> None:
        """The server has another clock now."""
        with self._changed:
            self.last_ns, self._late_ns, self._came = None, 0, []

    def wait(self, at_ns: int, within_s: float) -> bool:
        """Whether what is due at this time has come within so many seconds."""
        until_ns = monotonic_ns() + int(within_s * SECOND_NS)

        def has_come() -> bool:
            due_ns = self.due_ns
            return due_ns is not None and due_ns > at_ns

        with self._changed:
            while not has_come():
                left_s = (until_ns - monotonic_ns()) / SECOND_NS
                if left_s <= 0:
                    return False
                self._changed.wait(left_s)
        return True
