"""What must hold after sources were switched: one function from what was chosen to the state that follows.

docs/design/switching.md has it as a table. Plain values: `logged_sources` carries it out, a model test walks it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from studio.model.sources import SourceMode
from studio.runtime.base.clock import ClockKind

GateKind = Literal["lockstep", "free"]


@dataclass(frozen=True)
class Target:
    """How the system is controlled and timed from a switch on."""

    gate: GateKind
    clock: ClockKind

    @property
    def restamps(self) -> bool:
        """Whether logged events get new stamps, because something lives in the time of the world."""
        return self.clock is ClockKind.WALL

    @property
    def log_leads(self) -> bool:
        """Whether time is that of the log, so that the system stands where the log ends."""
        return self.clock is ClockKind.LOG


def is_repeatable(modes: Collection[SourceMode]) -> bool:
    """Whether all input can be had again: from a log, or from a simulator."""
    return set(modes) <= {"simulated"} or set(modes) <= {"logged"}


def target_of(modes: Collection[SourceMode], asked: GateKind) -> Target:
    """`modes`: of all sources that have ports; `asked`: the gate that was chosen, which a real source overrides."""
    gate: GateKind = "lockstep" if asked == "lockstep" and is_repeatable(modes) else "free"
    if modes and set(modes) <= {"logged"}:
        return Target(gate, ClockKind.LOG)
    return Target(gate, ClockKind.SIMULATION if gate == "lockstep" else ClockKind.WALL)


def begins_at_ns(target: Target, before: ClockKind, *, now_ns: int, world_ns: int, log_ns: int) -> int:
    """The system time at which the new epoch begins.

    `now_ns`: system time before the switch; `world_ns`: that of the world; `log_ns`: where the log goes on.
    """
    match target.clock:
        case ClockKind.WALL:
            return world_ns
        case ClockKind.LOG:
            return log_ns
    return now_ns if before is ClockKind.SIMULATION else 0


def runs_on(*, ran: bool, came_to_end: bool, switched: bool) -> bool:
    """Whether the gate is open afterwards: as before. A log's end closed the gate, and nobody asked for that."""
    return ran or (came_to_end and switched)
