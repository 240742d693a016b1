"""What changes between two plans of a running system, and what of it can be done while it runs (SEMANTICS 19)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.plan.plan import EVERYBODY, Plan, PlannedComponent, geometry_command, is_same_code


class CannotChange(StudioError):
    """A change that a running system cannot follow."""


@dataclass(frozen=True)
class PlanChange:
    """From `before` to `after`, in terms of what has to be done."""

    before: Plan
    after: Plan
    restarted: frozenset[str] = frozenset()
    """Hosts that go on only after a restart."""

    @property
    def leaving(self) -> list[str]:
        """Hosts that end."""
        return [host for host in self.before.hosts if host not in self.after.hosts]

    @property
    def coming(self) -> list[str]:
        """Hosts that are started."""
        return [host for host in self.after.hosts if host not in self.before.hosts]

    @property
    def joining(self) -> list[str]:
        """New components in hosts that run already: they are to be activated."""
        return [
            component.name
            for component in self.after.components
            if component.host in self.before.hosts
            and component.host not in self.restarted
            and not _is_here(component, self.before)
        ]

    def commands(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Parameters and modes of those who stay, as commands, and the geometry."""
        for component, known in self._staying():
            for name, value in component.parameters.items():
                if known.parameters.get(name) != value:
                    yield component.name, {"do": "set", "name": name, "value": value}
            if (component.activation, component.period_ns) != (known.activation, known.period_ns):
                period_s = component.period_ns / SECOND_NS
                yield component.name, {"do": "mode", "activation": component.activation, "period_s": period_s}
            if component.command and component.origin != known.origin:
                yield component.name, {"do": "origin", "origin": int(component.origin)}
        if self.after.geometry is not None and self.after.geometry != self.before.geometry:
            yield EVERYBODY, geometry_command(self.after.geometry)

    def _staying(self) -> Iterator[tuple[PlannedComponent, PlannedComponent]]:
        for component in self.after.components:
            if _is_here(component, self.before) and component.host not in self.restarted:
                yield component, self.before.by_name[component.name]

    def __bool__(self) -> bool:
        before, after = self.before, self.after
        parts = ("components", "geometry", "links")
        return any(getattr(before, part) != getattr(after, part) for part in parts)


def plan_change(before: Plan, after: Plan, *, restart: bool = False, obedient: Collection[str] = ()) -> PlanChange:
    """Raises CannotChange for what needs a restart, unless `restart` allows to restart the hosts concerned.

    `obedient`: programs that can be told where their data comes from now (docs/protocol.md, section 7).
    """
    following = after.following(before)
    stuck = dict(_stuck(before, following, obedient))
    if stuck and not restart:
        why = "; ".join(dict.fromkeys(stuck.values()))
        raise CannotChange(f"cannot be changed while it runs: {why}", hint=f"restart {', '.join(stuck)}")
    return PlanChange(before, following, frozenset(stuck))


def keeping_tuned(plan: Plan, written: Plan, running: Plan) -> Plan:
    """`plan`, with what was tuned while it ran: what the file says as before (`written`) is no reason to undo that."""

    def tuned(component: PlannedComponent) -> PlannedComponent:
        before, now = written.by_name.get(component.name), running.by_name.get(component.name)
        if before is None or now is None or now.type != component.type:
            return component
        parameters = {
            name: now.parameters.get(name, value) if before.parameters.get(name) == value else value
            for name, value in component.parameters.items()
        }
        kept = replace(component, parameters=parameters)
        if (before.activation, before.period_ns) == (component.activation, component.period_ns):
            kept = replace(kept, activation=now.activation, period_ns=now.period_ns)
        return kept

    return replace(plan, components=tuple(tuned(component) for component in plan.components))


def _stuck(before: Plan, after: Plan, obedient: Collection[str]) -> Iterator[tuple[str, str]]:
    """Hosts that have to be restarted, and why."""
    for component in after.components:
        known = before.by_name.get(component.name)
        if known is None or known.host != component.host:
            continue
        if not is_same_code(known, component):
            yield component.host, f"{component.name} is of another type now"
        elif known.command and _told_at_start(known) != _told_at_start(component):
            yield component.host, f"{component.name} is a program and learns its wires at its start"
        elif known.command and known.origin != component.origin and component.name not in obedient:
            yield component.host, f"{component.name} is a program and learns at its start where its data comes from"


def _told_at_start(component: PlannedComponent) -> PlannedComponent:
    """What only the environment of a program tells it; the rest it gets by commands too."""
    return replace(component, activation="event", period_ns=0, parameters={}, origin=0)


def _is_here(component: PlannedComponent, plan: Plan) -> bool:
    known = plan.by_name.get(component.name)
    return known is not None and known.host == component.host
