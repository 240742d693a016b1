"""Waiting for what a server tells, from another thread than the one that hears it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from studio.runtime.gazebo.server import GazeboError

T = TypeVar("T")


class Newest(Generic[T]):
    """The last value of a topic."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._value: T | None = None
        self._count = 0
        self._came = threading.Condition()

    def put(self, value: T) -> None:
        with self._came:
            self._value = value
            self._count += 1
            self._came.notify_all()

    def clear(self) -> None:
        with self._came:
            self._value = None

    @property
    def count(self) -> int:
        return self._count

    def get(self, timeout_s: float) -> T:
        return self.wait(lambda value: True, timeout_s)

    def wait(self, fits: Callable[[T], bool], timeout_s: float, *, after: int = 0) -> T:
        """The first value that fits; `after`: only of those that come after so many."""

        def found() -> bool:
            return self._value is not None and self._count > after and fits(self._value)

        with self._came:
            if not self._came.wait_for(found, timeout_s):
                raise GazeboError(f"Gazebo did not report {self._what} within {timeout_s:g} s")
            assert self._value is not None
            return self._value
