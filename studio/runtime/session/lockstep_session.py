"""A system that is controlled in lockstep, paced by the wall clock or flat out: how simulations run, and logs.

What happens is the same every time, and so it can be paused, stepped, taken back, and run again. Where something comes
in that could not be had again (a real source), or where that is wanted, the same system runs freely like any other.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

from studio.errors import StudioError
from studio.runtime.base.clock import Clock, ClockKind
from studio.runtime.broker.gate import RAN_FREELY, CannotGoBack
from studio.runtime.channel.feeding import FeedThread
from studio.runtime.processes.control import Control, ControlError
from studio.runtime.processes.events import WentOtherwise
from studio.runtime.session import live_change
from studio.runtime.session.session import Session
from studio.runtime.session.switching import GateKind, Target
from studio.runtime.stepping.gate_control import GateControl, Piece
from studio.runtime.stepping.live_stepper import AT_THE_START, LOOK_WITHIN_S, LiveStepper

TRY_AGAIN_S = 0.05
CONDITION = "condition"
RUN, JUDGED = "run", "judged"
"""Limits: how long the run was asked to be, and when its judges have seen enough."""
SWITCHED = "the sources were switched here"
FREE = "the system runs without lockstep, so its events would come in another order"


class LockstepSession(Session):
    """`run` lets it go on in lockstep, one event after the other, until a limit or a pause.

    Once not all that comes in can be had again, since a real source was switched to, the system runs freely (`follow`).
    """

    def __init__(
        self, *arguments: Any, until_ns: int | None = None, pace: float = 1.0, gate: GateKind = "lockstep", **more: Any
    ) -> None:
        super().__init__(*arguments, **more)
        self.limits: dict[str, int] = {} if until_ns is None else {RUN: until_ns}
        """System times at which it ends by itself: of the run, of a log."""
        self.began_ns = 0
        """When the run would have begun by the clock of now: how long it has gone on is counted from there."""
        self.pace = pace
        """Times the wall clock; 0 is flat out."""
        self.wanted: GateKind = gate
        """What was chosen; it is free all the same where nothing is repeatable."""
        self.gate: GateKind = gate
        """Whether the system is controlled in lockstep just now."""
        self.finished = threading.Event()
        """Set when it has come to one of its limits."""
        self.on_end: Callable[[], bool] = lambda: False
        """Called at a limit; whether there is more after all."""
        self.milestone_ns: int | None = None
        """It does not go on beyond this system time by itself before `on_milestone` was asked, however fast it is."""
        self.on_milestone: Callable[[int], int | None] = lambda _: None
        """Called at a milestone, with its time; the next one, or None: there are no more."""
        self.on_condition: Callable[[], None] = lambda: None
        """Called when the condition holds that was set."""
        self.on_new_broker: Callable[[], None] = lambda: None
        """Called when a broker has died and the next one is there, before it goes on."""
        self._pacing = Control(self.folders.run, self._answering)
        self._pacing.on_hit = self.hit
        self._gate = GateControl(self._pacing)
        self._gate.on_came = self.told.came
        self._moving = threading.RLock()
        """One at a time moves the system."""
        self._looking = threading.Lock()
        """Held by whoever only looks at it, as long as that keeps others from moving it."""
        self._stepper: LiveStepper | None = None
        self.pauses = 0
        """How often somebody wanted it to stand."""
        self.given_up = 0
        """How often somebody had something more important to do than what was under way."""
        self._giving_up = threading.Lock()
        self._pacer: threading.Thread | None = None
        self._resting = threading.Event()
        self._goes_by_itself = False
        self._known_broker = 0
        self._begins_again = self._catches_up = ""
        self._began_with = AT_THE_START
        self._born = self.plan

    @property
    def until_ns(self) -> int | None:
        return min(self.limits.values(), default=None)

    def is_at(self, limit: str) -> bool:
        """Whether it is this limit at which it stands."""
        return limit in self.limits and self.limits[limit] == self.until_ns

    @property
    def mode(self) -> str:
        goes_on = self._pacer is not None and not self._resting.is_set() and self._pacer.is_alive()
        return "run" if goes_on else super().mode

    @property
    def rate(self) -> float:
        return self.pace if self.gate == "lockstep" else super().rate

    @property
    def stepper(self) -> LiveStepper | None:
        """How far it is; None before it has started, and after it has run freely."""
        return self._stepper

    # Going on.

    def start(self, mode: str = "pause") -> None:
        self.control.start("pause")
        if mode == "run":
            self.run(self.pace)

    def run(self, rate: float = 1.0) -> None:
        self._rest()
        if self.gate == "free":
            self._begin_anew_with(RAN_FREELY)
            super().run(rate or 1.0)
            return
        super().pause()  # it may have run freely until now
        self.pace = rate
        self.finished.clear()
        with self._moving:
            if self.mode == "run":
                return  # somebody else was faster
            self._ready_stepper().ready()
            # Of its own: one that is just being ended is not to go on with it.
            self._resting = resting = threading.Event()
            self._pacer = threading.Thread(target=self._go_on, args=(resting,), name="pacer", daemon=True)
            self._pacer.start()

    def set_pace(self, rate: float) -> None:
        """Another speed, while it goes on or for the next time."""
        self.pace = rate

    def _go_on(self, resting: threading.Event) -> None:
        try:
            self._go_on_until(resting)
        except StudioError as trouble:  # of a component, on the way back to where a loop begins
            resting.set()
            self.happened(WentOtherwise(str(trouble)))

    def _go_on_until(self, resting: threading.Event) -> None:
        pace, goes_on = self.pace, False
        while not resting.is_set() and not self.stopping:
            try:
                with self._moving:
                    if resting.is_set():
                        return
                    self._greet_new_broker()
                    goes_on, pace = goes_on and pace == self.pace, self.pace
                    piece = self._go_on_for_a_moment(pace, goes_on)
            except ControlError:
                goes_on = False
                resting.wait(TRY_AGAIN_S)  # the broker died; the next one goes on
                continue
            goes_on = True
            if piece.hit or resting.is_set():
                return
            if not piece.more and not self._end_or_wait(resting):
                return

    def _go_on_for_a_moment(self, pace: float, goes_on: bool) -> Piece:
        stepper = self._ready_stepper()
        self._goes_by_itself = True
        try:
            return stepper.go_on(pace, goes_on=goes_on)
        finally:
            self._goes_by_itself = False
            self._remember_time()

    def _limit_ns(self) -> int | None:
        """How far it goes; whoever moves it by hand needs no milestones."""
        if not self._goes_by_itself or self.milestone_ns is None:
            return self.until_ns
        return min([self.milestone_ns, *self.limits.values()])

    def _end_or_wait(self, resting: threading.Event) -> bool:
        """Nothing is left before the limit; whether it goes on all the same."""
        if self._passes_milestone():
            return True
        if self.until_ns is None:
            resting.wait(TRY_AGAIN_S)  # nothing is due: somebody may add something
            return True
        with self._moving:
            if resting.is_set() or self.on_end():
                return True
            self.came_to_end = True  # before it rests: whoever sees it paused sees why
            resting.set()
            self.finished.set()
        return False

    def _passes_milestone(self) -> bool:
        """Whether it was a milestone at which it stood, and there is more behind it."""
        at_ns = self.milestone_ns
        if at_ns is None or (self.until_ns is not None and self.until_ns < at_ns):
            return False
        self.milestone_ns = self.on_milestone(at_ns)
        return self.until_ns is None or self.until_ns > at_ns

    def _greet_new_broker(self) -> None:
        if self.broker_restarts != self._known_broker:
            self._known_broker = self.broker_restarts
            self.on_new_broker()
        live_change.remind(self)

    def _remember_time(self) -> None:
        """For a broker that has to be restarted."""
        if self._stepper is not None:
            self._clock = Clock.starting_at(self._clock_kind, self._stepper.place.now_ns, rate=0.0)

    def hit(self, hit: dict[str, Any]) -> None:
        self._resting.set()  # it does not go on by itself from here
        if hit.get("id") == CONDITION:
            self.on_condition()
        else:
            super().hit({**hit, "ran": self._pacer is threading.current_thread()})

    def set_condition(self, condition: Mapping[str, Any] | None) -> None:
        """Stop after the first event of a topic of which a condition holds."""
        listed = [] if condition is None else [{**condition, "id": CONDITION, "when": "after"}]
        self._supervision.ask("stops", who=CONDITION, list=listed)

    def _rest(self) -> None:
        pacer, self._pacer = self._pacer, None
        if pacer is None or pacer is threading.current_thread():
            return
        self._resting.set()
        while pacer.is_alive():
            self.control.pause()  # interrupts the lockstep
            pacer.join(TRY_AGAIN_S)

    def end_at(self, until_ns: int | None) -> None:
        """Its judges have seen enough at this time; if that is past, it ends where it is."""
        self.limits.pop(JUDGED, None)
        if until_ns is not None:
            self.limits[JUDGED] = until_ns

    def pause(self) -> None:
        self.pauses += 1  # before it stands: whoever lets it go on by himself looks afterwards
        self._rest()
        super().pause()

    # Moves of those who look closely.

    def _ready_stepper(self) -> LiveStepper:
        if self._stepper is None:
            self._stepper = LiveStepper(
                self._gate, self._limit_ns, lambda: self.plan.recording is not None, self._began_with
            )
            self._stepper.on_trouble = lambda trouble: self.happened(WentOtherwise(str(trouble)))
        return self._stepper

    @contextmanager
    def moving(self, asked: int | None = None) -> Iterator[LiveStepper]:
        """The system stands, and is whoever's who has asked for it. Raises where it runs freely.

        `asked`: what `give_up_moving` told him; if something newer was asked for since then, he does not get far.
        """
        if self.gate == "free":
            hint = "run it with --gate lockstep, or open its recording: studio step PROJECT --log LOG"
            raise CannotGoBack(f"cannot go back: {FREE}", hint=hint)
        self._rest()
        with self._moving:
            super().pause()
            self._greet_new_broker()
            self.finished.clear()
            stepper = self._ready_stepper()
            stepper.cancelled.clear()
            if asked is not None and self.is_given_up(asked):
                stepper.cancelled.set()
            try:
                yield stepper
            finally:
                self._remember_time()

    def give_up_moving(self) -> int:
        """A long way that somebody goes is given up: there is something more important to do. Tells how many were."""
        with self._giving_up:
            self.given_up += 1
            asked = self.given_up
        if self._stepper is not None:
            self._stepper.cancelled.set()
        return asked

    def is_given_up(self, asked: int) -> bool:
        """Whether something more important was asked for since then."""
        return self.given_up != asked

    def step(self, count: int = 1, topic: str | None = None) -> list[tuple[str, int]]:
        if self.gate == "free":
            self._rest()
            return super().step(count, topic)
        with self.moving() as stepper:
            came = stepper.forward(count, None if topic is None else {topic})
        return [(event.topic, event.sequence) for event in came]

    def _look(self, stepper: LiveStepper) -> None:
        """While it stands, a host may die or a wire be changed; while somebody moves it, he looks himself."""
        if self.mode == "run" or not self._looking.acquire(blocking=False):
            return
        try:
            if self._moving.acquire(blocking=False):
                try:
                    stepper.look()
                except ControlError:  # the broker is being restarted: later
                    return
                finally:
                    self._moving.release()
        finally:
            self._looking.release()

    @contextmanager
    def beginning_again(self, host: str) -> Iterator[None]:
        """A host that is restarted meanwhile begins as at the start of the run, where the system stands.

        With the parameters of that time: those that were changed since then are changed again by events.
        """
        born = self._born.by_name
        components = [born.get(each.name, each) if each.host == host else each for each in self.plan.components]
        self.save_plan(replace(self.plan, components=tuple(components)))
        self._begins_again = host
        try:
            yield
        finally:
            self._begins_again = ""
            self.save_plan()

    @contextmanager
    def catching_up(self, host: str) -> Iterator[None]:
        """A host that is restarted meanwhile is not activated: it comes to its state by its recorded inputs."""
        self._catches_up = host
        try:
            yield
        finally:
            self._catches_up = ""

    def back(self, name: str) -> bool:
        if name == self._catches_up:
            return True
        if name == self._begins_again:
            return self._tell("begins", name)
        if self._stepper is not None and name in self.plan.hosts:
            self._stepper.reloading = None  # it begins anew here: nobody can go back to what was to be reloaded
        return super().back(name)

    def stepping(self) -> dict[str, Any]:
        """For the snapshot."""
        stepper = self.stepper
        if stepper is None or self.gate == "free":
            why = FREE if self.gate == "free" else "it has not started yet"
            gate = {"last": None, "gate": self.gate, "way": None}
            return {"can_go_back": False, "why_not": why, "position": 0, "first": 0, "whole": False, **gate}
        self._look(stepper)
        why, last, way = stepper.why_not, stepper.last, stepper.way
        return {
            "can_go_back": not why,
            "why_not": why,
            "position": stepper.position,
            "first": stepper.first,
            "whole": not stepper.why_not_from_the_start,
            "last": list(last) if last is not None else None,
            "gate": "lockstep",
            "way": way.plain() if way is not None else None,
        }

    def end_feed(self, feed: FeedThread, name: str) -> None:
        """Inputs that come from there no more."""
        with suppress(ControlError):  # the broker is away, and the next one does not know of it
            self._supervision.ask("unfeed", name=name)
        feed.close()
        self._feeds.remove(feed)

    def upcoming(self) -> list[dict[str, Any]]:
        """What the gate delivers next."""
        if self.mode == "run" or not self._is_left_alone(LOOK_WITHIN_S):
            return []  # while an event is under way, in a debugger perhaps, nobody knows what it leads to
        try:
            return self._gate.upcoming()
        finally:
            self._moving.release()

    def _is_left_alone(self, within_s: float) -> bool:
        """Whether nobody moves it, so that we may, until we let go. Who looks at it is waited for: that is no move."""
        with self._looking:
            return self._moving.acquire(timeout=within_s)

    def upcoming_at_once(self) -> dict[str, Any]:
        """`busy` also while it is on its way: what is kept after an event takes a moment more than the event."""
        told = super().upcoming_at_once()
        is_free = self._is_left_alone(0.0)
        if is_free:
            self._moving.release()
        return {**told, "busy": told["busy"] or not is_free}

    def digest(self) -> dict[str, Any]:
        self._rest()
        with self._moving:
            return self._gate.digest()

    def jump(self, to_ns: int, clock: ClockKind | None = None, anew: Collection[str] = ()) -> dict[str, Any]:
        self._rest()
        from_ns = int(live_change.insist(self, self.status)["now_ns"]) if clock is not None else to_ns
        reply = super().jump(to_ns, clock, anew)
        self.began_ns += to_ns - from_ns
        if RUN in self.limits:
            self.limits[RUN] += to_ns - from_ns  # by another clock as much of the run is left as before
        self.limits.pop(JUDGED, None)  # by a time that is over
        if self.milestone_ns is not None:
            self.milestone_ns = to_ns
        return reply

    def follow(self, target: Target) -> None:
        """Paused, in a new epoch: controlled in another way from here on."""
        self.gate = target.gate
        if self.gate == "free" and self._stepper is not None:
            self._begin_anew_with(SWITCHED)

    def _begin_anew_with(self, what: str) -> None:
        """Nothing of before can be gone back over."""
        self._stepper, self._began_with = None, what

    def close(self) -> None:
        if not self.stopping:
            self._resting.set()
        super().close()
        if self._pacer is not None:
            self._pacer.join(5.0)
        self._pacing.close()
