"""What clients may do to the gate of a running system: run, pause, step, and where it is in lockstep, go back."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import Any

from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.base.turns import Turn, Turns
from studio.runtime.broker.gate import CannotGoBack
from studio.runtime.control_plane import of_runtime as asked
from studio.runtime.debug.freeze import Freeze
from studio.runtime.plan.plan import PlannedComponent
from studio.runtime.playing.lockstep_player import LockstepPlayer
from studio.runtime.playing.logged_sources import Player
from studio.runtime.server.live_reload import LiveReload
from studio.runtime.session.lockstep_session import FREE, LockstepSession
from studio.runtime.session.session import Session
from studio.runtime.session.start_again import refuse_unreadable, start_again
from studio.runtime.session.switching import GateKind
from studio.runtime.stepping.live_stepper import ELSEWHERE

Job = Callable[[], dict[str, Any]]

BY_ITSELF = "this lockstep runs without pauses"


class GateRefused(StudioError):
    """A request to the gate that cannot be carried out."""


class GateRequests:
    def __init__(
        self,
        session: Session,
        turns: Turns,
        *,
        by_itself: bool = False,
        live_reload: LiveReload | None = None,
        player: Callable[[], Player | None] = lambda: None,
    ) -> None:
        """`turns`: one at a time may change the system; `by_itself`: nobody may do anything to it at all."""
        self._session = session
        self._turns = turns
        self._by_itself = by_itself
        self._live_reload = live_reload
        self._player = player
        self.freeze: Freeze | None = None
        """Who knows whether a debugger holds somebody."""
        self.on_turn: Callable[[], object] = lambda: None
        """Called when the turn of a request has come, before it moves the system."""
        self.let_code_go: Callable[[], object] = lambda: None
        """Code that stands at a line goes on to the end of its event, and the gate stays closed."""
        self.verbs: dict[type[asked.RuntimeRequest], Callable[[Any], Job]] = {
            asked.SetGate: self._open_or_close,
            asked.Step: lambda step: self._stepping_job(self._step, step),
            asked.Back: lambda back: self._stepping_job(partial(self._back, self._rate), back),
            asked.GoTo: self._go_to,
            asked.Held: lambda _: self._held,
            asked.Digest: lambda _: lambda: {"digest": self._session.digest()},
            asked.Again: self._again,
            asked.Cancel: lambda _: self._cancel,
        }

    @property
    def in_lockstep(self) -> bool:
        """Whether everything waits for every handler just now."""
        session = self._session
        return self._by_itself or (isinstance(session, LockstepSession) and session.gate == "lockstep")

    def stepping(self) -> dict[str, Any]:
        """For the snapshot: where the system is, and whether it can go back from there."""
        session = self._session
        if isinstance(session, LockstepSession):
            return session.stepping()
        gate, why = ("lockstep", BY_ITSELF) if self._by_itself else ("free", FREE)
        where = {"position": 0, "first": 0, "whole": False, "last": None, "way": None}
        return {"can_go_back": False, "why_not": why, "gate": gate, **where}

    def job(self, request: asked.RuntimeRequest) -> Job:
        """Check the request as far as that goes at once; the rest is for another thread."""
        if self._by_itself:
            raise GateRefused(BY_ITSELF, hint="run it without --gate lockstep, or with --gate lockstep and no --for")
        return self.verbs[type(request)](request)

    def _stepping_job(self, move: Callable[[int, str | None, Turn], dict[str, Any]], events: asked.Events) -> Job:
        if events.topic is not None and events.topic not in self._session.plan.types:
            hint = did_you_mean(events.topic, self._session.plan.types)
            raise GateRefused(f"there is no topic {events.topic}", hint=hint)
        self._stay()
        return self._in_turn(lambda turn: move(events.count, events.topic, turn))

    def _in_turn(self, job: Callable[[Turn], dict[str, Any]]) -> Job:
        """It lines up now, when the request comes; `job` waits for its turn when it has prepared what it can."""
        turn = self._turns.take()

        def run() -> dict[str, Any]:
            try:
                return job(turn)
            finally:
                turn.end()

        return run

    def _await(self, turn: Turn) -> None:
        turn.wait()
        self.on_turn()

    def _stay(self) -> None:
        """Somebody moves the system: that a debugger lets somebody go does not open the gate any more."""
        if self.freeze is not None:
            self.freeze.stay()

    # Open or closed.

    def _open_or_close(self, gate: asked.SetGate) -> Job:
        mode, kind, times = gate.mode, gate.kind, gate.rate
        if mode is None and kind is None:
            raise GateRefused("mode is missing", hint="mode: run or pause; kind: lockstep or free")
        if mode is not None:
            self._stay()

        def job(turn: Turn) -> dict[str, Any]:
            self._give_up_moving()
            self._await(turn)
            if kind is not None:
                self._choose(kind)
            if mode == "pause":
                self._session.pause()
            elif mode is not None:
                self.run(times)
            return {"gate": mode or self._session.mode, "kind": self.stepping()["gate"]}

        return self._in_turn(job)

    def opens_with_code(self, rate: float | None = None) -> bool:
        """Code stands in a frozen system: whether the gate opens when that has gone on."""
        return self.freeze is not None and self.freeze.goes_on_later(self._wanted(rate))

    def _wanted(self, rate: float | None) -> float:
        session = self._session
        return (session.rate if isinstance(session, LockstepSession) else 1.0) if rate is None else rate

    def run(self, rate: float | None = None) -> None:
        """`rate`: None for that of before."""
        player = self._player()
        if self.opens_with_code(rate):
            return
        if player is not None and (isinstance(player, LockstepPlayer) or _has_ended(player)):
            if rate is not None:
                player.set_rate(rate)
            player.play()
        else:
            self._session.run_by_person(self._wanted(rate))

    def _choose(self, kind: GateKind) -> None:
        session = self._session
        if not isinstance(session, LockstepSession) or self._live_reload is None:
            if kind != "free":
                raise GateRefused("this system runs freely", hint="run it with --gate lockstep or --gate auto")
            return
        self._live_reload.choose_gate(kind)

    # Steps.

    def _step(self, count: int, topic: str | None, turn: Turn) -> dict[str, Any]:
        if self._is_held():  # its event has to end first; breakpoints on the way stop it all the same
            self.let_code_go()
        self._await(turn)
        delivered = self._session.step(count, topic)
        return {"delivered": delivered, "position": self.stepping()["position"]}

    @property
    def _rate(self) -> float | None:
        """At which a system that was stopped goes on when that is continued; None: it was paused or stepped."""
        return self.freeze.rate if self.freeze is not None else None

    def _back(self, rate: float | None, count: int, topic: str | None, turn: Turn) -> dict[str, Any]:
        session = self._paced()
        topics = None if topic is None else {topic}
        freeze = self.freeze
        if freeze is None or not self._is_held():
            with self._muted():
                self._await(turn)
                with session.moving() as stepper, stepper.on_the_way("Going back"):
                    return {"position": stepper.back(count, topics), "delivered": []}
        # Inside an event: it is finished with breakpoints off, and then the one before it is delivered once more.
        with freeze.muted():
            self._await(turn)
            with session.moving() as stepper:
                is_of_it = stepper.last is not None and stepper.last.topic == topic
                stepper.back(count + (1 if topics is None or is_of_it else 0), topics)
        with freeze.stops_at(rate):  # code that stops in it goes on as the system did
            delivered = session.step(1)
        return {"position": session.stepping()["position"], "delivered": delivered}

    def _go_to(self, place: asked.GoTo) -> Job:
        position, time_ns = place.position, place.time_ns
        if (position is None) == (time_ns is None):
            raise GateRefused("go where?", hint="give a position or a time_ns")
        words = f"Going to event {position}" if position is not None else f"Going to {(time_ns or 0) / SECOND_NS:g} s"

        def job(turn: Turn) -> dict[str, Any]:
            session = self._paced()
            session.give_up_moving()
            with self._muted():
                self._await(turn)
                with session.moving() as stepper, stepper.on_the_way(words):
                    stepper.ready()
                    found = stepper.go_to(position) if position is not None else stepper.seek(time_ns or 0)
                    return {"position": found, "cancelled": stepper.cancelled.is_set()}

        return self._in_turn(job)

    def _held(self) -> dict[str, Any]:
        session = self._session
        if session.mode == "run":
            return {"events": [], "busy": False, "held": 0}
        known = session.upcoming_at_once()
        if not known["busy"] and (events := session.upcoming()):
            return {**known, "events": events}
        return session.upcoming_at_once()  # an event may have been begun since, and be held by a debugger

    # A component with other code.

    def _again(self, again: asked.Again) -> Job:
        known = self._session.plan.by_name
        component = known.get(again.component)
        if component is None:
            raise GateRefused(f"there is no component {again.component}", hint=did_you_mean(again.component, known))
        refuse_unreadable(component)  # before anything moves: code that is stopped at a line stays there

        turn = self._turns.take()

        def job() -> dict[str, Any]:
            within = False
            rate = self._rate
            try:
                reply, within = self._start_again(component, turn)
            finally:
                if not within:
                    turn.end()
            if within:  # by another thread: a breakpoint may hold the event, and the reply must not wait for that
                threading.Thread(
                    target=self._deliver_again, args=(turn, rate), name="deliver again", daemon=True
                ).start()
            return reply

        return job

    def _start_again(self, component: PlannedComponent, turn: Turn) -> tuple[dict[str, Any], bool]:
        """The reply, and whether the event is to be delivered again within which code stood."""
        session = self._session
        within = self._is_held()
        with self._muted():
            self._await(turn)
            reply = start_again(session, component)
            within = within and bool(reply["same"])
            if within and isinstance(session, LockstepSession):
                with session.moving() as stepper:
                    stepper.back(1)
        return reply, within

    def _deliver_again(self, turn: Turn, rate: float | None) -> None:
        """The event that code stood within, for the new code to stand there. It is part of the same turn."""
        assert self.freeze is not None, "code was stopped there"
        with turn, suppress(StudioError), self.freeze.stops_at(rate):
            self._session.step(1)

    # All.

    def _cancel(self) -> dict[str, Any]:
        """A long way is given up: the system stays where that has led."""
        self._give_up_moving()
        return {}

    def _is_held(self) -> bool:
        """Some code stands within an event."""
        return self.freeze is not None and self.freeze.holds_code

    def _muted(self) -> AbstractContextManager[None]:
        """The way back leads through events that have been handled before: no breakpoint stops in those."""
        return self.freeze.muted() if self.freeze is not None else nullcontext()

    def _paced(self) -> LockstepSession:
        if not isinstance(self._session, LockstepSession):
            raise CannotGoBack(f"cannot go back: {FREE}", hint=ELSEWHERE)
        return self._session

    def _give_up_moving(self) -> None:
        if isinstance(self._session, LockstepSession):
            self._session.give_up_moving()


def _has_ended(player: Player) -> bool:
    """Whether nothing else comes than this log, and it is over: whoever lets the system run wants it from its start."""
    return player.pauses_at_end and player.state().stopped == "end"
