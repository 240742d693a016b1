"""What components were told at a closed gate, until it has come: a broker that dies takes along what waits there."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from studio.runtime.wire.frames import COMMAND_PREFIX


class ToldCommand(NamedTuple):
    broker: int
    """Which one was told: how often it had been restarted then."""
    component: str
    command: Mapping[str, Any]


class UndeliveredCommands:
    """Kept by those who change the system and by its supervisor, struck off by whoever moves it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[ToldCommand] = []

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def keep(self, commands: Iterable[ToldCommand]) -> None:
        """Before the broker is told: it may come at once."""
        with self._lock:
            self._waiting += commands

    def drop(self, commands: Iterable[ToldCommand]) -> None:
        """The broker was not told after all."""
        with self._lock:
            for each in commands:
                if each in self._waiting:
                    self._waiting.remove(each)

    def came(self, topics: Iterable[str]) -> None:
        """Events of these topics were delivered. Commands of one component come in the order in which it was told."""
        if not self._waiting:
            return
        with self._lock:
            for topic in topics:
                if topic.startswith(COMMAND_PREFIX):
                    self._strike(topic.removeprefix(COMMAND_PREFIX))

    def _strike(self, component: str) -> None:
        for number, each in enumerate(self._waiting):
            if each.component == component:
                del self._waiting[number]
                return

    def lost(self, broker: int) -> list[ToldCommand]:
        """Those that another broker than this one was told."""
        with self._lock:
            return [each for each in self._waiting if each.broker != broker]

    def clear(self) -> None:
        """The gate is open: all of it has come."""
        with self._lock:
            self._waiting.clear()
