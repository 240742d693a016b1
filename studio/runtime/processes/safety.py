"""Safety stops that a run sees from outside its actuators: who commands them died, hangs or is in trouble.

An actuator notices by itself when commands fail to come. It does not notice a commander that was killed and is back in
time, nor one that told it to stand because its own inputs had failed: both would drive on with nobody's leave. So the
run tells every actuator that such a component leads to, by a command of the channel, and the actuator stays stopped
until a person lets it go on.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from queue import SimpleQueue
from typing import Any, Protocol

from studio.model.spec import ARMED
from studio.runtime.base.clock import ClockKind
from studio.runtime.plan.plan import Plan
from studio.runtime.processes.control import Control, ControlError

ANSWERS_WITHIN_S = 1.0
TRY_AGAIN_S = 0.05
TRIES = 100


class Watched(Protocol):
    """The run whose actuators these are."""

    @property
    def plan(self) -> Plan: ...

    @property
    def clock_kind(self) -> ClockKind: ...

    @property
    def stopping(self) -> bool: ...

    def component_report(self, name: str) -> Mapping[str, Any]:
        """What its host last said of a component."""

    def another_control(self) -> Control:
        """A line of its own to the broker: whoever waits here keeps nobody else waiting."""


def led_to(plan: Plan, names: Collection[str]) -> frozenset[str]:
    """Components that something of `names` reaches: by wires, links and services, directly or through others."""
    reached, todo = set(names), list(names)
    while todo:
        component = plan.by_name[todo.pop()]
        hearers = [each.name for topic in component.outlets.values() for each in plan.receivers.get(topic, ())]
        callers = [each.name for each in plan.components if component.name in {to for to, _ in each.requires.values()}]
        new = {*hearers, *callers} - reached
        reached |= new
        todo += new
    return frozenset(reached - set(names))


class SafetyStops:
    """Tells the actuators of a run. What it sends is sent by a thread of its own: nobody waits for a broker here."""

    def __init__(self, run: Watched) -> None:
        self._run = run
        self._were_armed: dict[str, set[str]] = {}
        """Host that has died -> its actuators that were armed."""
        self._troubles: dict[str, str] = {}
        self._ended = threading.Event()
        self._jobs: SimpleQueue[tuple[str, dict[str, Any]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._tell, name="safety stops", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ended.set()
        self._jobs.put(None)
        self._thread.join()

    # What happens to those who command.

    def lost(self, host: str) -> None:
        """The process of a host has ended."""
        names = [component.name for component in self._run.plan.on_host(host)]
        armed = {name for name in names if self._parameters(name).get(ARMED)}
        if armed:
            self._were_armed.setdefault(host, set()).update(armed)
        self._stop_behind(names, f"the process of {', '.join(names)} ended")

    def hung(self, host: str) -> None:
        names = [component.name for component in self._run.plan.on_host(host)]
        self._stop_behind(names, f"the process of {', '.join(names)} hangs")

    def back(self, host: str) -> None:
        """A process that was started again: its actuators are disarmed, and say why."""
        for name in self._were_armed.pop(host, ()):
            why = f"the process of {name} ended"
            self._put(name, {"do": "safety-stop", "why": why, "was_armed": True})

    def reported(self, report: Mapping[str, Any]) -> None:
        """A host has spoken: a component that cannot do its work any more leaves nobody driving."""
        for name, told in report.get("components", {}).items():
            trouble = str(told.get("trouble", ""))
            if trouble and not self._troubles.get(name) and not self._is_actuator(name):
                self._stop_behind([name], f"{name}: {trouble}")
            self._troubles[name] = trouble

    # People.

    def still(self, actuator: str) -> list[str]:
        """Troubles of those who lead to it, as they last said: what would make it drive on is not to be trusted."""
        plan, troubles = self._run.plan, dict(self._troubles)
        return [
            f"{name}: {trouble}"
            for name, trouble in sorted(troubles.items())
            if trouble and name in plan.by_name and not self._is_actuator(name) and actuator in led_to(plan, [name])
        ]

    def permit(self, since_ns: int) -> None:
        """A person lets a paused system run: that lifts the stops that the pause has caused, and no others."""
        for name in self._run.plan.by_name:
            if self._is_actuator(name):
                self._put(name, {"do": "resume", "since_ns": since_ns})

    # The thread, and what it is given.

    def _stop_behind(self, names: Collection[str], why: str) -> None:
        plan = self._run.plan
        known = [name for name in names if name in plan.by_name]
        for name in led_to(plan, known):
            if self._is_actuator(name):
                self._put(name, {"do": "safety-stop", "why": why})

    def _is_actuator(self, name: str) -> bool:
        """Programs in other languages see to it themselves."""
        planned = self._run.plan.by_name.get(name)
        return planned is not None and not planned.command and ARMED in self._parameters(name)

    def _parameters(self, name: str) -> Mapping[str, Any]:
        parameters: Mapping[str, Any] = self._run.component_report(name).get("parameters", {})
        return parameters

    def _put(self, name: str, command: dict[str, Any]) -> None:
        if self._run.clock_kind is ClockKind.WALL:  # by no other clock anything real can be moved
            self._jobs.put((name, command))

    def _tell(self) -> None:
        control: Control | None = None
        while (job := self._jobs.get()) is not None:
            control = control or self._run.another_control()
            self._send(control, *job)
        if control is not None:
            control.close()

    def _send(self, control: Control, name: str, command: dict[str, Any]) -> None:
        """Until a broker has taken it: one that is away is replaced. Twice does no harm."""
        for _ in range(TRIES):
            if self._run.stopping or name not in self._run.plan.by_name:
                return
            try:
                control.ask("command", component=name, command=command, timeout_s=ANSWERS_WITHIN_S)
                return
            except ControlError:
                self._ended.wait(TRY_AGAIN_S)
