"""A running system, as everybody sees it who has started one: its processes, its gate and its clock.

A session has the same face as the in-process twin: start, step, lockstep, run, pause, command, stop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from studio.model.geometry.content import GeometryContent
from studio.runtime.base.clock import Clock, ClockKind, monotonic_ns
from studio.runtime.broker.gate import Delivered
from studio.runtime.channel.feeding import FeedThread
from studio.runtime.channel.rewinding import can_rewind
from studio.runtime.plan.plan import EVERYBODY, Plan, geometry_command
from studio.runtime.plan.plan_change import PlanChange
from studio.runtime.processes.control import Control
from studio.runtime.processes.supervised_run import SupervisedRun
from studio.runtime.processes.supervision import RestartPolicy
from studio.runtime.session import live_change
from studio.runtime.stepping.gate_control import GateControl
from studio.runtime.wire.frames import Event

FIRST_REPORT_WITHIN_S = 5.0


class Session(SupervisedRun):
    """A running system. Closing it ends every process and removes every trace."""

    def __init__(
        self,
        plan: Plan,
        *,
        clock: ClockKind = ClockKind.WALL,
        start_ns: int | None = None,
        policy: RestartPolicy | None = None,
    ) -> None:
        """With a `policy` hosts and recorder that die are restarted; without one only the broker is, always."""
        super().__init__(plan, clock=clock, start_ns=start_ns, policy=policy)
        self.muted: Callable[[], AbstractContextManager[None]] = nullcontext
        """While it lasts no debugger stops anybody, and who was held is let go; the gate stays closed."""
        self.on_hit: Callable[[dict[str, Any]], None] = lambda _: None
        """Called by whoever has the gate deliver, when an event breakpoint has stopped it."""
        self.control.on_hit = self.hit
        self.played: Callable[[], Mapping[str, int]] = dict
        """Topic -> how many events of it the player of a log has sent, while there is one."""
        self.on_step: Callable[[list[tuple[str, int]]], None] = lambda _: None
        """Hears what the closed gate of a free system has delivered, one by one."""
        self.came_to_end = False
        """It is paused because its log has ended, and not because somebody asked for it."""
        self._rate = 1.0
        self._opens = False
        self._at_gate = threading.RLock()
        """Held while the gate is opened or closed, so that `mode` is what was done last."""
        self.paused_ns = 0
        """CLOCK_MONOTONIC at which it was last paused while it ran."""
        self._feeds: list[FeedThread] = []
        self._checkpoint_bytes: dict[int, int] = {}

    def hit(self, hit: dict[str, Any]) -> None:
        """The gate stands at an event breakpoint."""
        self.on_hit(hit)

    def set_stops(self, **fields: Any) -> None:
        """Event breakpoints for the gate (event_breaks), or whether it heeds them."""
        self._supervision.ask("stops", **fields)

    @property
    def goes(self) -> bool:
        """Whether it runs or is about to: a breakpoint may stop the first event before the gate is known to be open."""
        return self._opens or self.mode == "run"

    @property
    def rate(self) -> float:
        """Of the clock, as it was last set going."""
        return self._rate

    def start(self, mode: str = "pause") -> None:
        self.control.start("pause")
        if mode == "run":
            self.run()

    def step(self, count: int = 1, topic: str | None = None) -> list[tuple[str, int]]:
        self._mode = "pause"
        live_change.remind(self)
        with self._at_gate:
            delivered = self.control.step(count, topic)
            self._mode = "pause"
        self.told.came(name for name, _ in delivered)
        self.on_step(delivered)
        return delivered

    def lockstep(self, until_ns: int | None = None, count: int | None = None, rate: float = 0.0, lag: int = 0) -> int:
        """`lag`: how many events those who only listen may be behind while it goes on; the order is the same."""
        self._mode = "pause"
        live_change.remind(self)
        if not self.told:
            return self.control.lockstep(until_ns, count, rate, lag)
        came = GateControl(self.control).go(until_ns, count, rate=rate, lag=lag).came  # the same, and tells what came
        self.told.came(event.topic for event in came)
        return len(came)

    def run(self, rate: float = 1.0) -> None:
        self.came_to_end = False
        live_change.remind(self)
        with self._at_gate:
            self._opens, self._rate = True, rate
            try:
                base_ns, at_ns = self.control.run(rate)
                self._clock = Clock(self._clock_kind, base_ns, at_ns, rate)
                self._mode = "run"
            finally:
                self._opens = False
        live_change.remind(self)  # the broker that opened may have come after the one that was reminded
        self.told.clear()

    def run_by_person(self, rate: float) -> None:
        """Run it, with the leave of somebody who looks at it: what the pause has stopped goes on, real or not."""
        paused_ns = self.paused_ns if self._mode == "pause" else None
        self.run(rate)
        if paused_ns is not None:
            self.safety.permit(paused_ns)

    def pause(self) -> None:
        self.came_to_end = False
        if self._mode == "run":
            self.paused_ns = monotonic_ns()
        self._mode = "pause"  # also for a broker that dies meanwhile
        with self._at_gate:
            self.control.pause()
            self._mode = "pause"  # it may just have been opened

    def status(self) -> dict[str, Any]:
        """Of the broker, also while somebody waits for a step or a pause."""
        return self._supervision.status()

    def command(self, component: str, command: Mapping[str, Any]) -> None:
        for name, each in self.plan.linked(component, command):
            self._supervision.command(name, each)

    def tell_geometry(self, content: GeometryContent) -> None:
        """Another geometry from here on, at one place of the stream; also for those who are started later."""
        self.plan = replace(self.plan, geometry=content)
        self.save_plan()
        self.command(EVERYBODY, geometry_command(content))

    def command_at_once(self, component: str, command: Mapping[str, Any], timeout_s: float) -> None:
        """The same, but past all that waits at a closed gate; returns when it has been handled there."""
        control = Control(self.folders.run, self._answering)  # it may take long, and nobody else is to wait
        try:
            control.ask("command", component=component, command=dict(command), at_once=True, timeout_s=timeout_s)
        finally:
            control.close()

    def obedient_programs(self) -> set[str]:
        """Components in other languages that say of themselves that they obey what is done by hand."""
        programs = [component for component in self.plan.components if component.command]
        alive = [each.host for each in programs if each.host in self.hosts and each.host not in self.exits]
        self.observer.await_reports(alive, 0, FIRST_REPORT_WITHIN_S)
        return {each.name for each in programs if self.observer.component(each.name).get("by_hand")}

    def end_hearers(self) -> list[str]:
        """Components that have something to do when a log has ended, in order of place."""
        alive = [host for host in self.hosts if host not in self.exits]
        self.observer.await_reports(alive, 0, FIRST_REPORT_WITHIN_S)
        return [name for name in self.plan.by_name if self.observer.component(name).get("hears_end")]

    def feed(
        self, name: str, events: Iterable[Event], topics: Iterable[str], thread: type[FeedThread] = FeedThread
    ) -> FeedThread:
        """Inputs on `topics` from a log or a script, taken when their time has come."""
        self._supervision.ask("feed", name=name, topics=list(topics), rewindable=can_rewind(events))
        self._feeds.append(thread(self.folders.run, name, events))
        return self._feeds[-1]

    def upcoming(self) -> list[dict[str, Any]]:
        """What the gate delivers next, as far as it is known."""
        events: list[dict[str, Any]] = self.control.ask("upcoming", timeout_s=None)["events"]
        return events

    def upcoming_at_once(self) -> dict[str, Any]:
        """The same, also while an event is being handled, which may lead to others before these: then it is `busy`."""
        reply = self._supervision.ask("coming")
        return {name: reply[name] for name in ("events", "busy", "held")}

    def advance(
        self, count: int = 1, topic: str | None = None, until_ns: int | None = None, most: int | None = None
    ) -> list[Delivered]:
        self._mode = "pause"
        live_change.remind(self)
        delivered = self.control.advance(count, topic, until_ns, most)
        self.told.came(event.topic for event in delivered)
        return delivered

    def checkpoint(self) -> int:
        self._mode = "pause"
        number, self._checkpoint_bytes[number] = self.control.checkpoint()
        return number

    def checkpoint_bytes(self, number: int) -> int:
        return self._checkpoint_bytes[number]

    def restore(self, number: int) -> None:
        self._mode = "pause"
        self.control.restore(number)

    def forget(self, number: int) -> None:
        self._checkpoint_bytes.pop(number, None)
        self.control.forget(number)

    def digest(self) -> dict[str, Any]:
        self._mode = "pause"
        return self.control.digest()

    def change(self, plan: Plan, *, restart: bool = False) -> PlanChange:
        """Make another plan of the running one: who is in both goes on as it is. Paused meanwhile, for a moment.

        Raises CannotChange, and changes nothing, where a host would have to be restarted and `restart` is not set.
        """
        return live_change.change(self, plan, restart=restart)

    def jump(self, to_ns: int, clock: ClockKind | None = None, anew: Collection[str] = ()) -> dict[str, Any]:
        """Pause, and begin a new epoch at another time, by another clock if one is given. The broker's reply.

        `anew`: components that begin in it as at the start of the run.
        """
        self._mode = "pause"
        reply = live_change.jump(self, to_ns, clock, anew)
        self.plan = replace(self.plan, by_hand=())  # what was made up belongs to the epoch that is over
        self._clock_kind = self._clock_kind if clock is None else clock
        self._clock = Clock.starting_at(self._clock_kind, to_ns, rate=0.0)
        return reply

    def begin_anew(self, components: Collection[str]) -> int:
        """These begin as at the start of the run, and all others hear of a clock jump. Returns the epoch."""
        rate = self.rate
        with live_change.paused(self, lambda: self.run(rate)):
            return int(self.jump(self.status()["now_ns"], anew=components)["epoch"])

    def stop(self) -> None:
        self.close()

    def _close_connections(self) -> None:
        for feed in self._feeds:
            feed.close()
        super()._close_connections()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
