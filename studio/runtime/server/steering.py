"""What clients may do to a running system: every request becomes a job that replies when it has taken effect."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.model.sources import Specs
from studio.model.spec import ARMED, SAFETY_STOP
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.turns import Turns
from studio.runtime.broker.ticking import LONGEST_S, SHORTEST_S
from studio.runtime.control_plane import of_runtime as asked
from studio.runtime.control_plane.of_runtime import LogLine
from studio.runtime.control_plane.request import Request
from studio.runtime.plan.plan import PlannedComponent
from studio.runtime.playing.logged_sources import Player
from studio.runtime.processes.reports import ComponentReport
from studio.runtime.processes.supervision import Condition
from studio.runtime.server.gate_requests import GateRequests
from studio.runtime.server.hand_requests import HandRequests
from studio.runtime.server.live_reload import LiveReload
from studio.runtime.server.player_requests import ACTIONS, player_job, player_state
from studio.runtime.server.recording_requests import recording_job
from studio.runtime.session.session import Session

EFFECT_WITHIN_S = 3.0
"""How long a component may take to obey; it may be busy with a long handler."""
LOOK_EVERY_S = 0.02

Job = Callable[[], dict[str, Any]]

LEADS_TO = {
    "activate": "active",
    "deactivate": "inactive",
    "pause": "paused",
    "wakeup": "active",
    "reset": "inactive",
}
"""Command -> the state that shows that it was obeyed."""


RESUME = "resume"
"""A person lets an actuator go on that a safety stop holds."""


class Refused(StudioError):
    """A request that cannot be carried out."""


class Steering:
    def __init__(
        self,
        session: Session,
        specs: Specs,
        *,
        lockstep: bool = False,
        live_reload: LiveReload | None = None,
        player: Callable[[], Player | None] = lambda: None,
    ) -> None:
        """`live_reload`: makes other plans, without it the system stays as it is; `player`: plays a log."""
        self._session = session
        self._live_reload = live_reload
        self._specs = specs
        self._lockstep = lockstep
        self._player = player
        self.turns = Turns()
        """One at a time at the gate: what it does may wait for ever."""
        hand = HandRequests(session, self.turns, lockstep=lockstep)
        self.gate = GateRequests(session, self.turns, by_itself=lockstep, live_reload=live_reload, player=player)
        self._verbs: dict[type[Request], Callable[[Any], Job]] = {
            asked.Command: self._command,
            asked.SetParameter: self._set,
            asked.SetMode: self._mode,
            asked.Restart: self._restart,
            asked.GetSystem: lambda _: self._text,
            asked.Reload: lambda new: self._reshape(
                lambda live_reload: live_reload.reload(restart=new.restart, text=new.text)
            ),
            asked.Switch: lambda to: self._reshape(lambda live_reload: live_reload.switch(to.sources, to.mode)),
            asked.Reset: lambda _: self._reshape(lambda live_reload: live_reload.reset()),
            asked.Call: hand.call,
            asked.AskPort: hand.ask,
            asked.Send: hand.send,
            asked.Record: self._recording,
            asked.Bookmark: self._recording,
            **dict.fromkeys(self.gate.verbs, self.gate.job),
            **dict.fromkeys(ACTIONS, self._play),
        }
        """What makes a job of each request."""

    @property
    def sources(self) -> dict[str, str]:
        """The chosen provider of every source."""
        return dict(self._live_reload.modes) if self._live_reload else {}

    @property
    def player(self) -> dict[str, Any] | None:
        """How the player of the log is; None while no log is played."""
        return player_state(self._player())

    def job(self, request: Request) -> Job:
        """Check the request as far as that goes at once; the rest is for another thread."""
        return self._verbs[type(request)](request)

    def _play(self, action: asked.PlayerAction) -> Job:
        """Playing and pausing have their turn as the gate has; a seek is given up for whatever comes after it."""
        job = player_job(self._player(), action, self._muted)
        if not isinstance(action, asked.Play | asked.Pause):
            return job
        if isinstance(action, asked.Pause) and self.gate.freeze is not None:
            self.gate.freeze.stay()
        turn = self.turns.take()

        def in_turn() -> dict[str, Any]:
            with turn:
                return job()

        return in_turn

    def _muted(self) -> AbstractContextManager[None]:
        return self.gate.freeze.muted() if self.gate.freeze is not None else nullcontext()

    def _component(self, name: str) -> PlannedComponent:
        found = self._session.plan.by_name.get(name)
        if found is None:
            raise Refused(f"there is no component {name}", hint=did_you_mean(name, self._session.plan.by_name))
        return found

    # Components.

    def _command(self, request: asked.Command) -> Job:
        component, command = self._component(request.component), request.command
        wanted = LEADS_TO.get(str(command.get("do")))
        if command.get("do") == RESUME:
            return lambda: self._resume(component)
        if wanted is None and command.get("do") != "trigger":
            known = [*LEADS_TO, "trigger", RESUME]
            raise Refused(
                f"no component has the command {command.get('do')!r}", hint=did_you_mean(str(command.get("do")), known)
            )
        if component.command or wanted is None:
            return lambda: self._send(component, command, lambda _: True)
        return lambda: self._send(component, command, lambda told: told.get("state") == wanted)

    def _resume(self, component: PlannedComponent) -> dict[str, Any]:
        """Not while the reason holds: it would drive on with old data, and be stopped again."""
        stopped = self._session.component_report(component.name).get("shown", {}).get(SAFETY_STOP)
        if stopped and (still := self._session.safety.still(component.name)):
            hint = f"resume it after that is solved; to drive anyway: studio ctl arm {component.name}"
            raise Refused(f"{component.name} stays stopped: {'; '.join(still)}", hint=hint)
        return self._send(component, {"do": RESUME}, lambda told: not told["shown"].get(SAFETY_STOP))

    def _set(self, request: asked.SetParameter) -> Job:
        component, name, value = self._component(request.component), request.name, request.value
        spec = self._specs.get(component.type)
        parameter = None if spec is None else next((each for each in spec.parameters if each.name == name), None)
        if parameter is None:
            known = [each.name for each in spec.parameters] if spec else []
            raise Refused(f"{component.name} has no parameter {name}", hint=did_you_mean(name, known))
        checked = parameter.parse(value) if isinstance(value, str) else parameter.check(_plain(value))
        plain = list(checked) if isinstance(checked, tuple) else checked
        command = {"do": "set", "name": name, "value": plain}

        def job() -> dict[str, Any]:
            reply = self._send(component, command, lambda told: told.get("parameters", {name: plain})[name] == plain)
            if name != ARMED:
                for each, follows in self._session.plan.linked(component.name, command):
                    self._session.remember(each, parameters={follows["name"]: checked})
            return {**reply, "value": plain}

        return job

    def _mode(self, request: asked.SetMode) -> Job:
        component, activation, period_s = self._component(request.component), request.activation, request.period_s
        spec = self._specs.get(component.type)
        if spec is not None and activation not in spec.activations:
            can = ", ".join(spec.activations)
            raise Refused(f"{component.name} cannot run in mode {activation}", hint=f"it can: {can}")
        command: dict[str, Any] = {"do": "mode", "activation": activation}
        changes: dict[str, Any] = {"activation": activation}
        if period_s is not None:
            if not SHORTEST_S <= period_s <= LONGEST_S:
                raise Refused(f"a period of {period_s} s is not possible", hint="e.g. 0.1")
            command["period_s"] = period_s
            changes["period_ns"] = round(period_s * SECOND_NS)

        def job() -> dict[str, Any]:
            reply = self._send(component, command, lambda told: told.get("activation", activation) == activation)
            self._session.remember(component.name, **changes)
            return reply

        return job

    def _send(
        self, component: PlannedComponent, command: dict[str, Any], obeyed: Callable[[ComponentReport], bool]
    ) -> dict[str, Any]:
        """Put the command into the channel and wait until the component shows that it has obeyed."""
        session = self._session
        condition = session.supervisor.condition(component.host)
        if condition not in (Condition.RUNNING, Condition.HUNG):
            hint = f"studio ctl restart {component.name}"
            raise Refused(f"{component.name} is not ready: its process is {condition.value}", hint=hint)
        refusals: list[str] = []

        def listen(line: LogLine) -> None:
            if line["component"] == component.name and line.get("refusal"):
                refusals.append(line["text"])

        session.observer.listeners.append(listen)
        try:
            sent_ns = monotonic_ns()
            session.command(component.name, command)
            if session.mode != "run":
                return {"effect": "when the system goes on"}
            self._await(component, sent_ns, obeyed, refusals)
        finally:
            session.observer.listeners.remove(listen)
        return {"effect": "now"}

    def _await(
        self,
        component: PlannedComponent,
        sent_ns: int,
        obeyed: Callable[[ComponentReport], bool],
        refusals: list[str],
    ) -> None:
        observer = self._session.observer
        pause = threading.Event()
        has_obeyed = False
        while monotonic_ns() - sent_ns < EFFECT_WITHIN_S * SECOND_NS:
            if refusals:
                raise Refused(refusals[0])
            if has_obeyed:
                return
            told = observer.component(component.name)
            # A refusal is said before the report, and comes on another connection: it is waited for one look longer.
            has_obeyed = observer.heard_ns.get(component.host, 0) > sent_ns and obeyed(told)
            pause.wait(LOOK_EVERY_S)
        state = observer.component(component.name).get("state", "silent")
        hint = f"it is {state}; the command will be handled later"
        raise Refused(f"{component.name} did not respond within {EFFECT_WITHIN_S:g} s", hint=hint)

    # The system as a whole.

    def _reshape(self, change: Callable[[LiveReload], dict[str, Any]]) -> Job:
        live_reload = self._live_reload
        if live_reload is None or self._lockstep:
            raise Refused("this system cannot be changed while it runs", hint="stop it and run it again")
        turn = self.turns.take()

        def job() -> dict[str, Any]:
            with turn:
                return change(live_reload)

        return job

    def _recording(self, request: asked.Record | asked.Bookmark) -> Job:
        if self._lockstep and isinstance(request, asked.Record):
            raise Refused("this system cannot be changed while it runs", hint="run it with --record")
        job = recording_job(self._session, request)
        turn = self.turns.take()

        def guarded() -> dict[str, Any]:
            with turn:
                return job()

        return guarded

    def _text(self) -> dict[str, Any]:
        if self._live_reload is None:
            raise Refused("this system has no project")
        return self._live_reload.followed()

    # Processes.

    def _restart(self, request: asked.Restart) -> Job:
        session, name = self._session, request.name
        host = session.plan.by_name[name].host if name in session.plan.by_name else name
        if host not in session.plan.hosts:
            known = [*session.plan.by_name, *session.plan.hosts]
            raise Refused(f"there is no component or host {name}", hint=did_you_mean(name, known))

        def job() -> dict[str, Any]:
            session.restart_host(host)
            return {"host": host, "components": [component.name for component in session.plan.on_host(host)]}

        return job


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
