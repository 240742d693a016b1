"""What clients may ask of the debugger (docs/protocol.md, section 12)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.runtime.base.turns import Turn, Turns
from studio.runtime.control_plane.of_runtime import Continue, Debug, Freezing, IntoHandler
from studio.runtime.debug.debugger import Debugger
from studio.runtime.debug.host_line import DebugError
from studio.runtime.debug.native import gdb_command, gdb_obstacle
from studio.runtime.plan.plan import PlannedComponent
from studio.runtime.session.session import Session
from studio.runtime.wire.frames import COMMAND_PREFIX, TIMER_PREFIX

LOOK_EVERY_S = 0.02

LOCKSTEP_WAITS = "in lockstep the system still waits for a stopped component; in free run the others go on"

Job = Callable[[], dict[str, Any]]
DebugRequest = Debug | Freezing | Continue | IntoHandler


class DebugRequests:
    def __init__(self, session: Session, debugger: Debugger, turns: Turns) -> None:
        """`turns`: one at a time may move the system."""
        self._session = session
        self._debugger = debugger
        self._turns = turns
        self.on_turn: Callable[[], object] = lambda: None
        """Called when the turn of a request has come, before it moves the system."""

    def job(self, request: DebugRequest) -> Job:
        """Check the request as far as that goes at once; the rest is for another thread."""
        match request:
            case Debug(component=name, on=on):
                component = self._component(name)
                turn = self._debugger.line_up(component.host)
                return (lambda: self._debug(component, turn)) if on else (lambda: self._off(component, turn))
            case Freezing(on=on):
                return lambda: self._freezing(on)
            case Continue(gate=gate):
                return lambda: {"continued": self._debugger.go_on(stays=gate == "pause")}
            case IntoHandler():
                self._debugger.freeze.stay()
                return partial(self._into_handler, self._turns.take())

    def _component(self, name: str) -> PlannedComponent:
        """By its own name, or that of its host."""
        plan = self._session.plan
        found = plan.by_name.get(name) or next(iter(plan.on_host(name)), None)
        if found is None:
            raise DebugError(f"there is no component {name}", hint=did_you_mean(name, plan.by_name))
        return found

    def _debug(self, component: PlannedComponent, turn: Turn) -> dict[str, Any]:
        if component.command:
            with turn:
                return self._debug_native(component)
        session = self._debugger.attach(component.host, turn)
        names = [each.name for each in self._session.plan.on_host(component.host)]
        line = session.line
        told = {
            "host": component.host,
            "socket": str(session.address),
            "adapter": str(session.adapter),
            "components": names,
            "pid": line.pid if line else None,
        }
        return told | ({"cost": self._debugger.cost} if self._debugger.cost else {})

    def _debug_native(self, component: PlannedComponent) -> dict[str, Any]:
        self._debugger.watch_native(component.host)
        pid = self._session.processes()[component.host].pid
        obstacle = gdb_obstacle()
        return {
            "host": component.host,
            "socket": None,
            "adapter": None,
            "components": [component.name],
            "pid": pid,
            "folder": component.folder,
            "command": gdb_command(pid),
            "missing": str(obstacle),
            "remedy": obstacle.remedy,
        }

    def _off(self, component: PlannedComponent, turn: Turn) -> dict[str, Any]:
        self._debugger.detach(component.host, turn)
        return {"host": component.host, "socket": None, "adapter": None}

    def _freezing(self, on: bool) -> dict[str, Any]:
        self._debugger.set_freezing(on)
        in_vain = not on and self._debugger.freeze.in_lockstep()
        return {"freezing": on, **({"note": LOCKSTEP_WAITS} if in_vain else {})}

    def _into_handler(self, turn: Turn) -> dict[str, Any]:
        """The next event is delivered, and stops at the first line of what each Python receiver does with it."""
        session = self._session
        try:
            if self._debugger.freeze.holds_code:
                self._debugger.go_on(stays=True)
            turn.wait()
            if session.mode == "run":
                raise DebugError("the system runs", hint="pause it first: studio ctl pause")
            self.on_turn()
            upcoming = session.upcoming()
            if not upcoming:
                turn.end()
                return {"delivered": [], "stops": []}
            topic, sequence = str(upcoming[0]["topic"]), int(upcoming[0]["sequence"])
            stops = self._prepare(topic)
        except BaseException:
            turn.end()
            raise
        done = threading.Event()

        def step() -> None:
            try:
                session.step(1)
            except StudioError:  # the system ends, or its broker has died: nobody stops there then
                return
            finally:
                done.set()
                for host in {stop["host"] for stop in stops}:
                    if (debugged := self._debugger.session_of(host)) is not None:
                        debugged.set_ours([])
                turn.end()  # last: what is delivered next must not stop there again

        # Beside: whoever asked wants to know where it stands, and the event is done when somebody has continued.
        threading.Thread(target=step, name="into handler", daemon=True).start()
        while not done.wait(LOOK_EVERY_S) and not self._debugger.freeze.holds and not session.stopping:
            continue
        return {"delivered": [[topic, sequence]], "stops": stops}

    def _prepare(self, topic: str) -> list[dict[str, Any]]:
        """Breakpoints of ours in all receivers of `topic`; where they are."""
        plan = self._session.plan
        owner = topic.removeprefix(TIMER_PREFIX).removeprefix(COMMAND_PREFIX)
        receivers = list(plan.receivers.get(topic, ())) or [each for each in plan.components if each.name == owner]
        stops: list[dict[str, Any]] = []
        for host in dict.fromkeys(each.host for each in receivers if not each.command):
            debugged = self._debugger.attach(host)
            line = debugged.line
            places: list[tuple[str, int]] = []
            for component in [each for each in receivers if each.host == host]:
                found = line.evaluate("handlers", topic, component.name) if line is not None else []
                for file, number in found:
                    places.append((str(file), int(number)))
                    stops.append({"host": host, "component": component.name, "file": file, "line": number})
            debugged.set_ours(places)
        return stops
