"""Stepping in a system that runs in lockstep: forwards, back, to a place or a time, and on by itself.

What cannot be gone back over (a host that was started again, a call by hand) does not end it: it begins anew from
there, and the way back leads as far as that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.errors import ReplayError
from studio.runtime.broker.gate import CannotGoBack, Delivered
from studio.runtime.plan.plan import LAG
from studio.runtime.stepping.gate_control import GateControl, Piece, Place
from studio.runtime.stepping.history import NOT_PURE, History, Told
from studio.runtime.stepping.kept_checkpoints import Kept, KeptCheckpoints

PIECE_NS = SECOND_NS // 10
"""Of a lockstep that goes on by itself: so often it is known where the system is."""
WAY_NS = SECOND_NS // 20
MOST_BYTES = 512 << 20
RARER = 5
"""A system that runs, or is on a long way, loses a 25th of its time to checkpoints, and takes four in 1 s, at most."""
NEAR_NS = 2 * SECOND_NS
"""Of a long way into what is not known yet, the last part has as many as for one who steps: he is about to."""
MOST_STEPS = 10_000
LOOK_WITHIN_S = 0.2
LOOKED_AT = 64
MOST_EFFECTS = 10_000
"""That follow from one input; a system that feeds itself has no end of them."""

AT_THE_START = "this is the start"
RECORDED = "the run is recorded, and time in a log only goes forwards"
ELSEWHERE = "open the recording of this run at that event: studio step PROJECT --log LOG"


class Reloading(NamedTuple):
    """A component that is to have other code, at the event where the system was."""

    goal: Told | None
    here: Kept | None
    """The checkpoint there; None: all go the whole way from the start."""
    place: Place
    """Where the gate was, and has to be still."""


@dataclass
class Way:
    """A long way that is under way."""

    words: str
    part: float | None = None
    """How much of it is done; None where that is not known."""

    def plain(self) -> dict[str, Any]:
        return {"words": self.words, "part": None if self.part is None else round(self.part, 3)}


class LiveStepper:
    """Used by one thread at a time. Position n is after n events, counted from where the system was at first."""

    def __init__(
        self,
        gate: GateControl,
        until_ns: Callable[[], int | None],
        is_recorded: Callable[[], bool],
        began_with: str = AT_THE_START,
    ) -> None:
        """`began_with`: in words, what was changed here for good."""
        self.gate = gate
        self.position = 0
        self.place = gate.place()
        self.cancelled = threading.Event()
        """Set by others: a long way is given up where it has come to."""
        self.was_stopped = False
        """Whether the last way forwards ended at a breakpoint, or because somebody wanted it to, and not at the end."""
        self.on_trouble: Callable[[StudioError], None] = lambda _: None
        """Told when a component does something else than it did the first time."""
        self._until_ns = until_ns
        self._is_recorded = is_recorded
        self._began_with = began_with
        self.way: Way | None = None
        """Read by others."""
        self._reloading: Reloading | None = None
        self._begin()

    def _begin(self) -> None:
        self._history = History(self.position)
        self._kept = KeptCheckpoints(self.gate, most_bytes=MOST_BYTES)

    # What is known.

    @property
    def last(self) -> Told | None:
        """The event that led here."""
        return self._history.at(self.position)

    @property
    def known(self) -> int:
        """The furthest position that was reached, and still holds."""
        return self._history.end

    @property
    def first(self) -> int:
        """The earliest position that can be gone back to."""
        return self._kept.positions[0] if self._kept else self.position

    @property
    def why_not(self) -> str:
        """Why nothing can be gone back over here; empty if it can."""
        if self._is_recorded():
            return RECORDED
        if self.first < self.position:
            return ""
        return self._kept.refusal.message if self._kept.refusal is not None else self._began_with

    @property
    def is_from_the_start(self) -> bool:
        """Whether all that ever happened can be gone back over."""
        return self._began_with == AT_THE_START

    @property
    def why_not_from_the_start(self) -> str:
        """Why the whole way from the start cannot be gone again; empty if it can."""
        if not self.is_from_the_start:
            return self._began_with
        refusal = self._kept.refusal
        return RECORDED if self._is_recorded() else refusal.message if refusal is not None else ""

    @property
    def first_ns(self) -> int:
        """The earliest time that a seek can go back to."""
        return self._history.time_at(self.first) if self._history.end > self._history.start else self.place.now_ns

    def position_before(self, topics: Collection[str], count: int) -> int:
        """The position before the last `count` events of these topics."""
        return self._history.before(topics, count, self.position)

    def look(self) -> None:
        """Whether all of it still holds: something may have happened that nobody did."""
        self._follow(self.gate.place(timeout_s=LOOK_WITHIN_S))

    # Long ways.

    @contextmanager
    def on_the_way(self, words: str) -> Iterator[None]:
        """Others can read meanwhile what is done, and how far it is."""
        self.way = Way(words)
        try:
            yield
        finally:
            self.way = None

    def tell(self, words: str = "", part: float | None = None) -> None:
        if self.way is not None:
            self.way = Way(words or self.way.words, part)

    def _tell_time(self, start_ns: int, end_ns: int) -> None:
        if end_ns > start_ns:
            self.tell(part=(self.place.now_ns - start_ns) / (end_ns - start_ns))

    @property
    def reloading(self) -> Reloading | None:
        """What was begun, and could not be done because the code did not start; None if the system has moved since."""
        begun = self._reloading
        if begun is not None and _spot(self.gate.place()) != _spot(begun.place):
            self._reloading = begun = None
        return begun

    @reloading.setter
    def reloading(self, begun: Reloading | None) -> None:
        self._reloading = begun

    # Moves.

    def ready(self, since: str = "") -> None:
        """Whoever steps from here can come back to here. `since`: in words, what was changed here for good."""
        self._follow(self.gate.place())
        if since and not self._kept:
            self._began_with = since
        if not self._kept and not self._is_recorded():
            self._kept.refusal = None  # who was away the last time may be back
            self._kept.keep(self.position)

    def forward(self, count: int = 1, topics: Collection[str] | None = None) -> list[Delivered]:
        """Deliver `count` events, or go on until so many of `topics` were delivered. Fewer: the end was reached, a
        breakpoint, or somebody wants it to stop."""
        self.ready()
        self.was_stopped = False
        done: list[Delivered] = []
        left = count
        while left > 0:
            start_ns = monotonic_ns()
            came, place, hit = self.gate.advance(left, topics, until_ns=self._until_ns(), most=LOOKED_AT)
            self._went(came, place, monotonic_ns() - start_ns)
            done += came
            left -= len(came) if topics is None else sum(event.topic in topics for event in came)
            self.was_stopped = left > 0 and (hit or self.cancelled.is_set())
            if not came or self.was_stopped:
                break
        return done

    def finish_effects(self) -> list[Delivered]:
        """Deliver what follows from what was delivered, and nothing new."""
        came, place, _ = self.gate.advance(MOST_EFFECTS, effects_only=True)
        self._went(came, place, 0)
        return came

    def back(self, count: int = 1, topics: Collection[str] | None = None) -> int:
        """Be where the system was `count` events ago, or just before the last `count` of `topics`, at most where it
        can be gone back to; the new position."""
        self._follow(self.gate.place())
        self._refuse_at_the_start()
        target = self.position - count if topics is None else self.position_before(topics, count)
        return self.go_to(max(self.first, target))

    def _refuse_at_the_start(self) -> None:
        if why_not := self.why_not:
            at_start = why_not == AT_THE_START
            raise CannotGoBack(f"cannot go back: {why_not}", hint="" if at_start else ELSEWHERE)

    def go_to(self, position: int) -> int:
        """Be where the system was, or will be, after `position` events; the end may come before."""
        self._follow(self.gate.place())
        if position < self.first:
            why = self._began_with if self._began_with != AT_THE_START else f"the first possible event is {self.first}"
            raise CannotGoBack(f"cannot go to event {position}: {why}", hint=ELSEWHERE)
        self._restore_before(position)
        start = self.position
        while self.position < position and not self.cancelled.is_set():
            if not self._approach(position):
                break
            self.tell(part=(self.position - start) / max(1, position - start))
        return self.position

    def seek(self, time_ns: int) -> int:
        """Go to before the first event at or after a time; back by a checkpoint, forwards flat out."""
        self._follow(self.gate.place())
        if time_ns <= self._history.time_at(self.known):
            return self.go_to(max(self.first, self._history.position_at(time_ns)))
        self._restore_before(self.known)
        start_ns = self.place.now_ns
        while not self.cancelled.is_set():
            self._tell_time(start_ns, time_ns)
            is_far = self.place.now_ns < time_ns - NEAR_NS
            piece = self._way(time_ns - 1, RARER if is_far else 1)
            if not piece.more:
                break
        return self.position

    def come_again(self, event: Told | None) -> bool:
        """The system is at its start, and one of its hosts is a new one: go to that event again, as a way that was
        never gone before. Whether it came: other code may publish other things."""
        before, began = self._kept, self._began_with
        self.position = self.first
        self._begin()
        self.place = self.gate.place()
        self._kept.keep(self.position)
        before.forget_after(-1)  # only now: the gate forgets what it was told with its last checkpoint
        self._began_with = began
        return self.come_to(event)

    def keep_here(self) -> Kept | None:
        """A checkpoint of this very place, with which the journals of all hosts end; None where there can be none."""
        if not self._is_recorded():
            self._kept.keep(self.position, again=True)
        nearest = self._kept.nearest(self.position) if self._kept else None
        return nearest if nearest is not None and nearest.position == self.position else None

    def rejoin(self, numbers: Collection[int]) -> int | None:
        """All go to the last of these checkpoints, the only ones of a new process, which may do something else from
        there on; what was known after it is not. Which it was; None if none of them is kept any more."""
        last = self._kept.last_of(numbers)
        if last is None:
            return None
        self.gate.restore(last.number)
        self.position = last.position
        self.place = self.gate.place()
        self._history.cut(self.position)
        self._kept.forget_others(numbers)
        self._kept.restored()
        return last.number

    def come_to(self, event: Told | None) -> bool:
        """Go on to an event, on a way that was never gone before. Whether it came."""
        if event is None:
            return True
        self.seek(event.stamp_ns)
        while not self.cancelled.is_set():
            came, place, _ = self.gate.advance(1, until_ns=event.stamp_ns, muted=True)
            self._went(came, place, 0)
            if not came or (came[0].topic, came[0].sequence) == (event.topic, event.sequence):
                return bool(came)
        return False

    def go_on(self, rate: float, *, goes_on: bool) -> Piece:
        """Run for a moment; `rate` 0 is flat out. `goes_on`: it ran just before, at the same pace."""
        start_ns = monotonic_ns()
        piece = self.gate.go(
            self._until_ns(), rate=rate, lag=0 if rate else LAG, for_ns=PIECE_NS, goes_on=goes_on
        )  # fmt: skip
        try:
            self._went(piece.came, piece.place, monotonic_ns() - start_ns, RARER)
        except ReplayError as trouble:  # it has happened; the way from here on is a new one
            self.on_trouble(trouble)
        return piece

    def digest(self) -> dict[str, Any]:
        return self.gate.digest()

    # On the way.

    def _restore_before(self, position: int) -> None:
        if not self._kept:
            return
        nearest = self._kept.nearest(position)
        if position < self.position or nearest.position > self.position:
            if self._is_recorded():
                raise CannotGoBack(f"cannot go back: {RECORDED}", hint="stop recording first")
            self.gate.restore(nearest.number)
            self.position = nearest.position
            self.place = self.gate.place()
            self._kept.restored()

    def _approach(self, target: int) -> bool:
        """One piece of the way to a position; False at the end."""
        far = min(target, self.known) - LOOKED_AT
        if far > self.position:
            # In one go up to a time, which is faster than a number of events.
            before_ns = self._history.time_at(far)
            if self._history.time_at(self.position) < before_ns and self._way(before_ns - 1).came:
                if self.position > target:
                    self._restore_before(target)
                    return self._count_to(target)
                return True
        return self._count_to(target)

    def _count_to(self, target: int) -> bool:
        start_ns = monotonic_ns()
        count = min(target - self.position, MOST_STEPS)
        piece = self.gate.go(self._until_ns(), count, lag=LAG, for_ns=WAY_NS, muted=True)
        known = self.known
        self._went(piece.came, piece.place, monotonic_ns() - start_ns)
        if not piece.came and self.position < known:
            text = f"after event {self.position} more events came the first time, but none now"
            self._break_off(self.place, text)
            raise ReplayError(text, hint=NOT_PURE)
        return bool(piece.came)

    def _way(self, until_ns: int, rarer: int = 1) -> Piece:
        start_ns = monotonic_ns()
        end_ns = self._until_ns()
        limit_ns = until_ns if end_ns is None else min(until_ns, end_ns)
        piece = self.gate.go(limit_ns, lag=LAG, for_ns=WAY_NS, muted=True)
        self._went(piece.came, piece.place, monotonic_ns() - start_ns, rarer)
        return piece

    def _went(self, came: Sequence[Told | Delivered], place: Place, busy_ns: int, rarer: int = 1) -> None:
        self._follow(place, came)
        if not self._is_recorded():
            self._kept.worked(self.position, busy_ns, rarer)

    def _follow(self, place: Place, came: Sequence[Told | Delivered] = ()) -> None:
        """The gate tells where it is: whether what is known still holds, and what has come."""
        before, self.place = self.place, place
        if (place.unrepeatable, place.incarnation) != (before.unrepeatable, before.incarnation):
            self.position += len(came)
            self._break_off(before, place.why_not)
            return
        if place.branch != before.branch:
            self._history.cut(self.position)
            self._kept.retain(place.kept)
        start = self.position
        self.position += len(came)
        try:
            self._history.compare_or_add(start, came)
        except ReplayError as trouble:
            self._break_off(place, trouble.message)
            raise

    def _break_off(self, before: Place, why: str) -> None:
        """What was before cannot be had again."""
        if before.incarnation == self.place.incarnation:
            self._kept.forget_after(-1)
        self._began_with = why
        self._begin()


def _spot(place: Place) -> tuple[int, int, int]:
    """Where the system stands, whoever was started there."""
    return place.position, place.now_ns, place.incarnation
