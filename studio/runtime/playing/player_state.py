"""What a view shows of a player."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class PlayerState:
    playing: bool
    time_ns: int
    """Of the log: while it plays the system's clock, otherwise that of the event that was played last."""
    start_ns: int
    end_ns: int
    number: int
    """Events of the log before the next one."""
    count: int
    """Events of the log in all, of the topics that are played."""
    rate: float
    loop: bool
    loops: int
    """How often it has begun again."""
    range_ns: tuple[int, int] | None
    streams: Mapping[str, bool] = field(default_factory=dict)
    """Topic of the system -> whether it is played."""
    condition: str = ""
    """After what it stops by itself, as it was written; empty for nothing."""
    stopped: str | None = None
    """Why it stopped by itself: end, condition or failure."""
    sent: int = 0
    """Events that were sent, in all."""
    actual_rate: float | None = None
    """Times real time, as measured over the last seconds; None while it is paused or has just begun."""
    behind_ns: int = 0
    """How much later than scheduled the last event was sent."""

    @property
    def fraction(self) -> float:
        whole = self.end_ns - self.start_ns
        return min(1.0, max(0.0, (self.time_ns - self.start_ns) / whole)) if whole > 0 else 1.0
