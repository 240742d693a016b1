"""Requests that move a system are carried out one at a time, in the order in which they came.

A lock would not do: several threads wait for it, and the one that came last may get it first. Somebody who steps and
then lets the system run would find it paused.
"""

from __future__ import annotations

import threading
from collections import deque
from types import TracebackType


class Turns:
    """Any thread may line up."""

    def __init__(self) -> None:
        self._line: deque[Turn] = deque()
        self._moved = threading.Condition()

    def take(self) -> Turn:
        """A place at the end of the line. It has to be ended, or nobody behind it gets their turn."""
        turn = Turn(self._line, self._moved)
        with self._moved:
            self._line.append(turn)
        return turn


class Turn:
    """A place in the line; used as a context it waits for its turn, and ends with it."""

    def __init__(self, line: deque[Turn], moved: threading.Condition) -> None:
        self._line = line
        self._moved = moved

    def wait(self) -> None:
        """Returns when everybody who came before is done, or when it was ended."""
        with self._moved:
            self._moved.wait_for(lambda: self not in self._line or self._line[0] is self)

    def end(self) -> None:
        """Also while it still waits; again: nothing happens."""
        with self._moved:
            if self in self._line:
                self._line.remove(self)
                self._moved.notify_all()

    def __enter__(self) -> Turn:
        self.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
