"""A component with the code that is on the disk now, in a system that is otherwise where it was.

Its host is started anew, the others go back to the start, and all of them come to the same event again: so its state is
what the new code would have made of everything that has happened. Nobody else is restarted.
"""

from __future__ import annotations

import ast
import threading
from pathlib import Path
from typing import Any

from studio.errors import StudioError
from studio.model.files import read_bytes
from studio.runtime.channel.gate import CannotGoBack
from studio.runtime.clock import SECOND_NS, monotonic_ns
from studio.runtime.paced import PacedSession
from studio.runtime.plan import PlannedComponent
from studio.runtime.spawning import LaunchError

BACK_WITHIN_S = 60.0
LOOK_EVERY_S = 0.02


def start_again(session: PacedSession, component: PlannedComponent) -> dict[str, Any]:
    """Returns where the system is then, and whether it is at the same event: other code may publish other things."""
    refuse_unreadable(component)
    host = component.host
    with session.moving() as stepper:
        stepper.ready()
        if stepper.goal is None:  # otherwise its code could not be started the last time, and it stands at the start
            if why := stepper.why_not_from_the_start:
                hint = f"studio ctl restart {component.name}: the new code from here on, with nothing of its state"
                raise CannotGoBack(f"{component.name} cannot be brought back to this event: {why}", hint=hint)
            goal = stepper.last
            stepper.go_to(stepper.first)
            stepper.goal = (goal,)
        _restart(session, host)
        same = stepper.come_again(*stepper.goal)
        return {"component": component.name, "host": host, "position": stepper.position, "same": same}


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


def _restart(session: PacedSession, host: str) -> None:
    before = session.supervisor.restarts(host)
    pause = threading.Event()
    end_ns = monotonic_ns() + int(BACK_WITHIN_S * SECOND_NS)
    with session.beginning_again(host):
        session.supervisor.request_restart(host)
        while not session.supervisor.is_back(host, before):
            if session.supervisor.restarts(host) > before + 1 or monotonic_ns() > end_ns:
                ended = session.supervisor.wards[host].last_exit
                raise LaunchError(f"it does not start with this code: {ended}", hint="correct it, and try again")
            pause.wait(LOOK_EVERY_S)
