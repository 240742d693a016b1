"""Stops of several people at one gate: breakpoints of those who debug, the condition of a player."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studio.runtime.broker.event_stops import EventStops
from studio.runtime.broker.held import Held


class SeveralStops:
    """Everybody is asked of every event, so that everybody's counts are right; the first hit is told."""

    def __init__(self, stops: Mapping[str, EventStops]) -> None:
        self._all = list(stops.values())

    def before(self, event: Held) -> bool:
        found = [each.before(event) for each in self._all]
        return any(found)

    def passes(self, event: Held) -> None:
        for each in self._all:
            each.passes(event)

    def after(self, event: Held) -> bool:
        found = [each.after(event) for each in self._all]
        return any(found)

    def forget(self) -> None:
        for each in self._all:
            each.forget()

    def take(self) -> dict[str, Any]:
        told = [each.take() for each in self._all]
        return next(filter(None, told), {})
