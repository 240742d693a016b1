"""A component with the code that is on the disk now, in a system that is otherwise where it was.

Its state becomes what the new code would have made of everything that has happened. Three ways lead there, the shortest
that is possible is taken (docs/design/step-back.md): its process handles its recorded inputs again, and only from its
first other output on the others compute too; or all others go back to the start and come to the same event again; or,
where nothing can be gone back over, it begins anew where the system is. Nobody else is restarted.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from studio.errors import StudioError
from studio.model.files import read_bytes
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.broker.gate import CannotGoBack
from studio.runtime.plan.plan import PlannedComponent
from studio.runtime.processes.spawning import LaunchError
from studio.runtime.session.lockstep_session import FREE, LockstepSession
from studio.runtime.session.session import Session
from studio.runtime.stepping.live_stepper import LiveStepper, Reloading

BACK_WITHIN_S = 60.0
PIECE_MS = 100
"""So often it tells how far it is, and looks whether it was given up."""


def start_again(session: Session, component: PlannedComponent) -> dict[str, Any]:
    """Where the system is then, and whether it is at the same event: other code may publish other things.

    `same` is None where it could not be brought back there, for the reason in `why`; `restarted` is the reason why its
    process was replaced, and empty where it was kept.
    """
    if not isinstance(session, LockstepSession) or session.gate == "free":
        return _begin_anew(session, component, FREE)
    with session.moving() as stepper, stepper.on_the_way(f"Reloading {component.name}"):
        begun = stepper.reloading or _begin(session, stepper, component)
        if isinstance(begun, str):
            return {**_begin_anew(session, component, begun), "position": stepper.position}
        stepper.reloading = begun  # until it is there: its code may not start, and be corrected
        same, restarted = None, "its inputs are not known"
        with session.supervisor.trying(component.host):
            if begun.here is not None:
                restarted = _take_the_code(session, stepper, component.host)
                same = _catch_up(stepper, component, begun)
            if same is None:
                restarted = restarted or "its outputs differ from the first event on"
                same = _go_the_whole_way(session, stepper, component, begun)
        stepper.reloading = None
        told = {"component": component.name, "host": component.host, "position": stepper.position, "same": same}
        return {**told, "why": "", "restarted": restarted, "cancelled": stepper.cancelled.is_set()}


def _begin(session: LockstepSession, stepper: LiveStepper, component: PlannedComponent) -> Reloading | str:
    """From where it is brought back to this event; a reason why that cannot be done."""
    stepper.ready()
    here = stepper.keep_here()
    if here is not None and session.folders.journal(component.host) is not None:
        return Reloading(stepper.last, here, stepper.place)
    return stepper.why_not_from_the_start or Reloading(stepper.last, None, stepper.place)


def _begin_anew(session: Session, component: PlannedComponent, why: str) -> dict[str, Any]:
    session.restart_host(component.host)
    told = {"component": component.name, "host": component.host, "position": 0, "same": None}
    return {**told, "why": why, "restarted": why}


def _take_the_code(session: LockstepSession, stepper: LiveStepper, host: str) -> str:
    """Its process does so itself where only bodies of functions have changed, and goes no further back than to the
    first call of one of these; otherwise a new one goes the way from its beginning. The reason for that."""
    try:
        stepper.gate.exchange(host)
    except CannotGoBack as refused:
        with session.catching_up(host):
            _restart(session, host)
        return refused.message
    return ""


def _catch_up(stepper: LiveStepper, component: PlannedComponent, begun: Reloading) -> bool | None:
    """By the recorded inputs of its host; None: its outputs differ from the first event on."""
    host, name = component.host, component.name
    stepper.tell(f"Reloading {name}: replaying its inputs")
    try:
        caught = stepper.gate.catch_up(host, PIECE_MS)
        while not caught.ended:
            stepper.tell(part=caught.done / max(1, caught.total))
            caught = stepper.gate.catch_up(host, 0 if stepper.cancelled.is_set() else PIECE_MS)
    except CannotGoBack as trouble:
        raise LaunchError(f"{name} cannot handle its recorded inputs with this code: {trouble.message}") from None
    assert begun.here is not None, "the caller checks first"
    reached = stepper.rejoin(caught.checkpoints)
    if reached is None or reached == begun.here.number:
        return None if reached is None else True
    if stepper.cancelled.is_set():
        return False
    stepper.tell(f"Reloading {name}: recomputing from event {stepper.position}, its outputs differ", 0.0)
    return stepper.come_to(begun.goal)


def _go_the_whole_way(
    session: LockstepSession, stepper: LiveStepper, component: PlannedComponent, begun: Reloading
) -> bool:
    """All others compute again, too, from the start on."""
    stepper.tell(f"Reloading {component.name}: recomputing from the start", 0.0)
    stepper.go_to(stepper.first)
    stepper.reloading = Reloading(begun.goal, None, stepper.place)
    with session.beginning_again(component.host):
        _restart(session, component.host)
    return stepper.come_again(begun.goal)


def refuse_unreadable(component: PlannedComponent) -> None:
    """Code with a mistake in its syntax does not even begin: what runs goes on."""
    file = Path(component.folder).joinpath(*component.entry.partition(":")[0].split(".")).with_suffix(".py")
    if component.command or not file.is_file():
        return
    try:
        ast.parse(read_bytes(file), str(file))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise StudioError(f"{error}", file=file, line=line, hint="nothing was restarted") from None


def _restart(session: LockstepSession, host: str) -> None:
    end_ns = monotonic_ns() + int(BACK_WITHIN_S * SECOND_NS)
    before = session.supervisor.request_restart(host)
    while not session.supervisor.is_back(host, before):
        if session.supervisor.gave_up(host) or monotonic_ns() > end_ns:
            ended = session.supervisor.wards[host].last_exit
            raise LaunchError(f"the component does not start with this code: {ended}", hint="correct it, and try again")
