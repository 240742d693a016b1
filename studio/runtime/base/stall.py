"""A system that claims to run while no event flows says so by itself, with the reason if that is known."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from studio.runtime.base.clock import SECOND_NS

PATIENCE_S = 3.0
PERIODS = 3.0
"""Of the component that ticks most often: so many may pass without an event."""


class StallWatch:
    """Asked now and then, with how many events have passed so far."""

    def __init__(self) -> None:
        self._count = -1
        self._since_ns = 0

    def quiet_s(self, count: int, now_ns: int, *, runs: bool, patience_s: float = PATIENCE_S) -> int:
        """For how long nothing has passed although the system runs; 0 while that is not long."""
        if not runs or count != self._count:
            self._count, self._since_ns = count, now_ns
        passed_s = (now_ns - self._since_ns) / SECOND_NS
        return int(passed_s) if passed_s >= patience_s else 0


def patience_s(components: Mapping[str, Mapping[str, Any]], rate: float) -> float:
    """A system whose fastest timer ticks once a minute is not stalled in between."""
    periods = [
        float(told["period_s"])
        for told in components.values()
        if told["activation"] == "periodic" and told["state"] == "active" and told["period_s"] > 0
    ]
    return max(PATIENCE_S, PERIODS * min(periods, default=0.0) / (rate or 1.0))


def why_stalled(
    components: Mapping[str, Mapping[str, Any]], player: Mapping[str, Any] | None, waits_for: Collection[str]
) -> str:
    """In words; what is nearest to the cause first. `waits_for`: hosts whose answer the gate is waiting for."""
    busy = [name for name, told in components.items() if told["host"] in waits_for or told["state"] == "busy"]
    if busy:
        return f"{_listed(busy)} {_is(busy)} busy with an event"
    for state in ("dead", "gave up", "error", "hung", "restarting", "starting", "inactive", "paused", "created"):
        names = [name for name, told in components.items() if told["state"] == state]
        if names:
            return f"{_listed(names)} {_is(names)} {'in ' if state == 'error' else ''}{state}"
    troubled = [f"{name}: {told['trouble']}" for name, told in components.items() if told.get("trouble")]
    if troubled:
        return troubled[0]
    if player is not None and player.get("stopped") == "end":
        return "the log has ended"
    if player is not None and not player.get("playing"):
        return "the log is paused"
    return "no component sends anything" if components else "there are no components"


def _is(names: Collection[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _listed(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
