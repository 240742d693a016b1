"""Single steps in both directions: back is a checkpoint and a fast lockstep from there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.errors import ReplayError
from studio.runtime.broker.gate import Delivered
from studio.runtime.stepping.history import NOT_PURE, History
from studio.runtime.stepping.kept_checkpoints import MOST_BYTES, MOST_CHECKPOINTS, Checkpointed, KeptCheckpoints

PIECE_NS = SECOND_NS // 20
FIRST_PIECE, MOST_PIECE = 64, 10_000
LAG = 64
"""Events that those who only listen may be behind, on the way."""
LOOKED_AT = 64
"""Events before the target whose identities are compared with those of the first time."""

Progress = Callable[[int, int], None]
"""How many events of how many."""


class Steppable(Checkpointed, Protocol):
    """A paused system, in process or over processes."""

    def advance(
        self, count: int = 1, topic: str | None = None, until_ns: int | None = None, most: int | None = None
    ) -> list[Delivered]: ...
    def lockstep(
        self, until_ns: int | None = None, count: int | None = None, rate: float = 0.0, lag: int = 0
    ) -> int: ...
    def command(self, component: str, command: Mapping[str, Any]) -> None: ...
    def digest(self) -> dict[str, Any]: ...


class Stepper:
    """Starts where the system is: that is position 0. Position n is after n more events."""

    def __init__(
        self,
        run: Steppable,
        *,
        until_ns: int | None = None,
        most: int = MOST_CHECKPOINTS,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        """`until_ns`: where the log ends; timers would go on for ever."""
        self.position = 0
        self.last: Delivered | None = None
        """The event that led here; None at the start."""
        self.kept = KeptCheckpoints(run, most, most_bytes)
        self._run = run
        self._until_ns = until_ns
        self._history = History()
        self._piece = FIRST_PIECE
        self.kept.keep(0)

    @property
    def refusal(self) -> StudioError | None:
        """Why there are no (more) checkpoints."""
        return self.kept.refusal

    @property
    def known(self) -> int:
        """The furthest position that was ever reached."""
        return self._history.end

    @property
    def checkpoints(self) -> list[int]:
        """Their positions."""
        return self.kept.positions

    def forward(self, count: int = 1, topic: str | None = None, progress: Progress | None = None) -> list[Delivered]:
        """Deliver `count` events, or go on until `count` of `topic` were delivered. Fewer: the end was reached."""
        done: list[Delivered] = []
        left = count
        while left > 0 and (delivered := self._advance(left, topic)):
            done += delivered
            left -= len(delivered) if topic is None else sum(event.topic == topic for event in delivered)
            if progress is not None:
                progress(count - left, count)
        return done

    def back(self, count: int = 1, topic: str | None = None, progress: Progress | None = None) -> int:
        """Be where the system was `count` events ago, or just before the last `count` of `topic`, at most at the
        start; returns how many events that was. Raises CannotGoBack where it would not be the same again."""
        before = self.position
        target = max(0, before - count)
        if topic is not None:
            target = self._history.before(topic, count, before)
        self.go_to(target, progress)
        return before - self.position

    def go_to(self, position: int, progress: Progress | None = None) -> int:
        """Be where the system was, or will be, after `position` events; returns the position: the end may come
        before."""
        if position < 0:
            raise ReplayError(f"there is no event {position}", hint="events are counted from 1; 0 is the start")
        self._start_from_checkpoint(position)
        start = self.position
        while self.position < position and self._approach(position):
            if progress is not None:
                progress(self.position - start, position - start)
        return self.position

    def command(self, component: str, command: Mapping[str, Any]) -> None:
        """Give a command here; it comes again whenever the system comes by. What was known of the time after it is
        forgotten."""
        self.kept.forget_after(self.position)
        self._history.cut(self.position)
        self._run.command(component, command)

    def digest(self) -> dict[str, Any]:
        return self._run.digest()

    # Going.

    def _start_from_checkpoint(self, position: int) -> None:
        """Restore the nearest one, if that is needed or shorter."""
        if not self.kept:
            if position < self.position:
                assert self.refusal is not None, "the first one exists already or was refused"
                raise self.refusal
            return
        # A checkpoint before the target, so that its event is delivered and can be told.
        nearest = self.kept.nearest(max(0, position - 1))
        if position < self.position or nearest.position > self.position:
            self._run.restore(nearest.number)
            self.position, self.last = nearest.position, None
            self.kept.restored()

    def _advance(self, count: int, topic: str | None = None) -> list[Delivered]:
        """One piece of the way, event by event."""
        start_ns = monotonic_ns()
        delivered = self._run.advance(count, topic, self._until_ns, self._piece)
        self._went(delivered, len(delivered), monotonic_ns() - start_ns)
        return delivered

    def _approach(self, target: int) -> bool:
        """One piece of the way to `target`; False at the end."""
        known = min(target, self.known) - LOOKED_AT - self.position
        if known <= 0:
            return bool(self._advance(target - self.position))
        start_ns = monotonic_ns()
        count = self._run.lockstep(self._until_ns, min(known, self._piece), lag=LAG)
        if not count:
            raise ReplayError(
                f"after event {self.position} more events came the first time, but none now", hint=NOT_PURE
            )
        self._went((), count, monotonic_ns() - start_ns)
        return True

    def _went(self, delivered: Sequence[Delivered], count: int, busy_ns: int) -> None:
        self._history.compare_or_add(self.position, delivered)
        self.position += count
        self.last = delivered[-1] if delivered else self.last
        if count:
            likely = count * PIECE_NS // max(1, busy_ns)
            self._piece = min(max(FIRST_PIECE, likely), MOST_PIECE, 4 * self._piece)
        self.kept.worked(self.position, busy_ns)
