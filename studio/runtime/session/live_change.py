"""Changing a system while it runs: another plan, another epoch. It is paused meanwhile, and goes on whatever happens.

The broker may die in the middle of it. What it has not answered is then asked of the next one, when the hosts have
found it: every one of these requests may come twice.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from studio.runtime.base.clock import SECOND_NS, ClockKind, monotonic_ns
from studio.runtime.plan.plan import EVERYBODY, Plan
from studio.runtime.plan.plan_change import PlanChange, plan_change
from studio.runtime.processes.control import ControlError
from studio.runtime.processes.spawning import LaunchError
from studio.runtime.processes.undelivered_commands import ToldCommand
from studio.runtime.session.switching import runs_on

if TYPE_CHECKING:
    from studio.runtime.session.session import Session

BACK_WITHIN_S = 60.0
LOOK_EVERY_S = 0.02

T = TypeVar("T")


def change(session: Session, plan: Plan, *, restart: bool = False) -> PlanChange:
    """See Session.change."""
    wanted = plan_change(session.plan, plan, restart=restart, obedient=session.obedient_programs())
    if not wanted:
        return wanted
    rate = session.rate
    with paused(session, lambda: session.run(rate)):
        complaints = _follow(session, wanted)
    if complaints:
        raise LaunchError("; ".join(complaints.values()))
    return wanted


@contextmanager
def paused(session: Session, go_on: Callable[[], object], *, switches: bool = False) -> Iterator[None]:
    """The system is paused meanwhile; if it ran, `go_on` lets it run again, whatever happened.

    `switches`: data comes from elsewhere afterwards, so a system that stands at the end of its log goes on as well.
    """
    ran = session.mode == "run"  # first: one that comes to its end says so before it stands
    came_to_end, switched = session.came_to_end, False
    insist(session, session.pause)
    try:
        yield
        switched = switches
    finally:
        if runs_on(ran=ran, came_to_end=came_to_end, switched=switched):
            if not session.stopping:
                insist(session, go_on)
        else:
            session.came_to_end = came_to_end


def deliver_commands(session: Session) -> None:
    """Paused: what components have been told comes now, past all that waits: they are active when this returns."""

    insist(session, lambda: _reminded(session, lambda: session.control.ask("deliver_commands", timeout_s=None)))
    session.told.clear()


def _follow(session: Session, change: PlanChange) -> dict[str, str]:
    """Paused: everybody takes the new plan. Tells what hosts complain about."""
    with session.supervisor.nothing_restarts():  # or one that leaves, and has just died, would begin without a place
        session.plan = change.after
        session.save_plan()
        leaving = {host: session.hosts.pop(host) for host in change.leaving}
        for host in leaving:
            session.supervisor.release(host)
    _await_hosts(session, change.coming)  # who has not found the broker would not hear it, and be waited for
    replan = insist(session, lambda: session.control.ask("replan", timeout_s=None), change.coming)
    session.see_off(change.before, leaving)
    missing = _start_hosts(session, change)
    for component, command in (*((name, {"do": "activate"}) for name in change.joining), *change.commands()):
        planned = session.plan.by_name.get(component)
        if planned is None or planned.host not in missing:
            _tell(session, component, command)
    return {**replan["complaints"], **missing}


def _start_hosts(session: Session, change: PlanChange) -> dict[str, str]:
    """Those that are new, and those that have to begin again. One that does not start keeps nothing from the others."""
    complaints = {}
    for host in change.coming:
        session.supervisor.bring(host)
    for host in change.restarted:
        try:
            session.restart_host(host)
        except LaunchError as failure:
            complaints[host] = failure.message
    for host in change.coming:
        try:
            session.await_back(host, -1)
        except LaunchError as failure:
            complaints[host] = failure.message
    return complaints


def _tell(session: Session, component: str, command: Mapping[str, Any]) -> None:
    """A command that waits at the closed gate, kept until it has come."""

    def ask() -> None:
        told = [ToldCommand(session.broker_restarts, component, command)]
        session.told.keep(told)
        try:
            session.command(component, command)
        except ControlError:
            session.told.drop(told)
            raise

    insist(session, ask)


def remind(session: Session) -> None:
    """The gate is about to open: what waited at that of a broker which has died meanwhile is told to the next one.

    Otherwise a component that had joined would never become active, and nobody would say why nothing happens.
    """
    lost = session.told.lost(session.broker_restarts)
    if lost:
        _await_hosts(session, ())
    for each in lost:
        if each.component in session.plan.by_name or each.component == EVERYBODY:
            _tell(session, each.component, each.command)
        session.told.drop([each])  # only now: if it cannot be told, it is still to be


def _reminded(session: Session, ask: Callable[[], T]) -> T:
    """What `ask` gives, of a broker that knows what waits: one that was there only after it was looked up is asked
    again."""
    while True:
        remind(session)
        reply = ask()
        if not session.told.lost(session.broker_restarts):
            return reply


def jump(session: Session, to_ns: int, clock: ClockKind | None = None, anew: Collection[str] = ()) -> dict[str, Any]:
    """See Session.jump. A broker that died may have begun the epoch already: the next one begins another."""

    def ask() -> dict[str, Any]:
        session.epoch += 1
        kind = clock.name.lower() if clock is not None else None
        fields = {"to_ns": to_ns, "epoch": session.epoch, "clock": kind, "anew": sorted(anew)}
        return session.control.ask("jump", **fields, timeout_s=None)

    reply = insist(session, lambda: _reminded(session, ask))
    session.told.clear()  # what waited has come before the new epoch
    session.epoch = int(reply["epoch"])
    return reply


def insist(session: Session, ask: Callable[[], T], absent: Collection[str] = ()) -> T:
    """What `ask` gives; once more if the broker died before it had answered. `absent`: hosts that are yet to come."""
    while True:
        before = session.broker_restarts
        try:
            return ask()
        except ControlError:
            if session.stopping or (session.broker_restarts == before and session.broker.poll() is None):
                raise
            _await_broker(session, before)
            _await_hosts(session, absent)


def _await_broker(session: Session, before: int) -> None:
    """Until there is another one."""
    _await(session, lambda: "the broker" if session.broker_restarts == before else "")


def _await_hosts(session: Session, absent: Collection[str]) -> None:
    """Until all hosts that are alive, but for those that are yet to come, have found the broker."""
    _await(session, lambda: ", ".join(sorted(_expected(session, absent) - set(session.ready()))))
    for host in absent:
        with suppress(ControlError):  # one that still has the plan of before does not know them, nor wait for them
            session.control.ask("gone", host=host)


def _await(session: Session, missing: Callable[[], str]) -> None:
    pause = threading.Event()
    end_ns = monotonic_ns() + round(BACK_WITHIN_S * SECOND_NS)
    while names := missing():
        if session.stopping or monotonic_ns() > end_ns:
            raise LaunchError(f"not back after the broker died: {names}", hint="studio stop, then studio run")
        pause.wait(LOOK_EVERY_S)


def _expected(session: Session, absent: Collection[str]) -> set[str]:
    return {host for host in session.plan.greeted if host not in absent and host not in session.exits}
