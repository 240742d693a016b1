"""Which components tick: follows the life-cycle commands that pass the gate and keeps the timers accordingly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from msgspec import Meta, Struct

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.base.typed_json import typed
from studio.runtime.broker.agenda import Timers
from studio.runtime.plan.plan import Plan

SHORTEST_S = 1e-4
"""A component that is told to tick more often would leave no time to the others."""
LONGEST_S = 1e6


class Mode(Struct, frozen=True):
    """The part of a `mode` command that concerns the timers."""

    activation: str
    period_s: Annotated[float, Meta(ge=SHORTEST_S, le=LONGEST_S)] | None = None


class TickingState(NamedTuple):
    """Who ticks, as it was at a checkpoint; the timers themselves are the agenda's."""

    active: frozenset[str]
    periods_ns: dict[str, int]
    periodic: frozenset[str]


class Ticking:
    """Decides by what was delivered and never by when, so that ticks are the same in every lockstep run."""

    def __init__(self, plan: Plan, timers: Timers) -> None:
        self._timers = timers
        self._active: set[str] = set()
        self._periods_ns = {c.name: c.period_ns for c in plan.components}
        self._periodic = {c.name for c in plan.components if c.activation == "periodic"}

    def take(self, plan: Plan) -> None:
        """Another plan: new components tick from their activation on, those that are gone no more."""
        for component in self._periods_ns.keys() - plan.by_name.keys():
            self._timers.stop(component)
            del self._periods_ns[component]
            self._active.discard(component)
            self._periodic.discard(component)
        for planned in plan.components:
            if planned.name not in self._periods_ns:
                self._periods_ns[planned.name] = planned.period_ns
                if planned.activation == "periodic":
                    self._periodic.add(planned.name)

    def observe(self, component: str, command: Mapping[str, Any], stamp_ns: int) -> None:
        """`command` is being delivered to `component` at `stamp_ns`; raises Malformed for a mode that cannot be."""
        match command:
            case {"do": "activate"}:
                if component not in self._active:
                    self._active.add(component)
                    self._restart(component, stamp_ns)
            case {"do": "deactivate" | "reset" | "finalize"}:
                self._active.discard(component)
                self._timers.stop(component)
            case {"do": "mode"}:
                self._set_mode(component, typed(Mode, dict(command)), stamp_ns)

    def _set_mode(self, component: str, mode: Mode, stamp_ns: int) -> None:
        if mode.period_s is not None:
            self._periods_ns[component] = round(mode.period_s * SECOND_NS)
        if mode.activation == "periodic":
            self._periodic.add(component)
        else:
            self._periodic.discard(component)
        self._restart(component, stamp_ns)

    def _restart(self, component: str, stamp_ns: int) -> None:
        period_ns = self._periods_ns.get(component, 0)
        if component in self._periodic and component in self._active and period_ns > 0:
            self._timers.start(component, period_ns, stamp_ns)
        else:
            self._timers.stop(component)

    def checkpoint(self) -> TickingState:
        return TickingState(frozenset(self._active), dict(self._periods_ns), frozenset(self._periodic))

    def restore(self, state: TickingState) -> None:
        self._active, self._periodic = set(state.active), set(state.periodic)
        self._periods_ns = dict(state.periods_ns)
