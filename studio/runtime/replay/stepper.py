"""Single steps in both directions: back is a checkpoint and a fast lockstep from there."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from studio.errors import StudioError
from studio.runtime.channel.gate import Delivered
from studio.runtime.clock import SECOND_NS, monotonic_ns
from studio.runtime.replay.errors import ReplayError

MOST_CHECKPOINTS = 32
MOST_BYTES = 1 << 30
FEWEST = 3
"""The first one, one on the way, and the one at hand."""
APART_NS = SECOND_NS // 20
"""Work that lies between two checkpoints at least: going it again is not noticed."""
COST_SHARE = 5
"""Checkpoints that take long are rarer, so that going forwards loses at most a fifth of its speed to them."""
PIECE_NS = SECOND_NS // 20
FIRST_PIECE, MOST_PIECE = 64, 10_000
LAG = 64
"""Events that those who only listen may be behind, on the way."""
LOOKED_AT = 64
"""Events before the target whose identities are compared with those of the first time."""

Progress = Callable[[int, int], None]
"""How many events of how many."""


class Steppable(Protocol):
    """A paused system, in process or over processes."""

    def advance(
        self, count: int = 1, topic: str | None = None, until_ns: int | None = None, most: int | None = None
    ) -> list[Delivered]: ...
    def lockstep(
        self, until_ns: int | None = None, count: int | None = None, rate: float = 0.0, lag: int = 0
    ) -> int: ...
    def command(self, component: str, command: Mapping[str, Any]) -> None: ...
    def checkpoint(self) -> int: ...
    def checkpoint_bytes(self, number: int) -> int: ...
    def restore(self, number: int) -> None: ...
    def forget(self, number: int) -> None: ...
    def digest(self) -> dict[str, Any]: ...


class _Kept(NamedTuple):
    position: int
    number: int
    bytes: int


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
        """`until_ns`: where the log ends; timers would go on for ever. `most`: how many checkpoints are kept, and how
        many bytes of them; never fewer than three."""
        self.position = 0
        self.last: Delivered | None = None
        """The event that led here; None at the start."""
        self._run = run
        self._until_ns = until_ns
        self._most, self._most_bytes = max(FEWEST, most), most_bytes
        self._history = _History()
        self._piece = FIRST_PIECE
        self._busy_ns = 0
        """Time that the system has worked since the last checkpoint."""
        self._cost_ns = 0
        self._kept: list[_Kept] = []
        self.refusal: StudioError | None = None
        """Why there are no (more) checkpoints: a program that cannot take any, a component that cannot be copied."""
        self._keep()

    @property
    def known(self) -> int:
        """The furthest position that was ever reached."""
        return len(self._history)

    @property
    def checkpoints(self) -> list[int]:
        """Their positions."""
        return [kept.position for kept in self._kept]

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
        for kept in [kept for kept in self._kept if kept.position > self.position]:
            self._kept.remove(kept)
            self._run.forget(kept.number)
        self._history.cut(self.position)
        self._run.command(component, command)

    def digest(self) -> dict[str, Any]:
        return self._run.digest()

    # Going.

    def _start_from_checkpoint(self, position: int) -> None:
        """Restore the nearest one, if that is needed or shorter."""
        if not self._kept:
            if position < self.position:
                assert self.refusal is not None, "the first one is there or was refused"
                raise self.refusal
            return
        # A checkpoint before the target, so that its event is delivered and can be told.
        nearest = self._kept[bisect_right(self._kept, max(0, position - 1), key=lambda kept: kept.position) - 1]
        if position < self.position or nearest.position > self.position:
            self._run.restore(nearest.number)
            self.position, self.last, self._busy_ns = nearest.position, None, 0

    def _advance(self, count: int, topic: str | None = None) -> list[Delivered]:
        """One piece of the way, event by event."""
        start_ns = monotonic_ns()
        delivered = self._run.advance(count, topic, self._until_ns, self._piece)
        self._went(delivered, len(delivered), monotonic_ns() - start_ns)
        return delivered

    def _approach(self, target: int) -> bool:
        """One piece of the way to `target`; False at the end."""
        known = min(target, len(self._history)) - LOOKED_AT - self.position
        if known <= 0:
            return bool(self._advance(target - self.position))
        start_ns = monotonic_ns()
        count = self._run.lockstep(self._until_ns, min(known, self._piece), lag=LAG)
        if not count:
            raise ReplayError(f"after event {self.position} came more the first time, and nothing now", hint=_NOT_PURE)
        self._went((), count, monotonic_ns() - start_ns)
        return True

    def _went(self, delivered: Sequence[Delivered], count: int, busy_ns: int) -> None:
        self._history.compare_or_add(self.position, delivered)
        self.position += count
        self.last = delivered[-1] if delivered else self.last
        if count:
            likely = count * PIECE_NS // max(1, busy_ns)
            self._piece = min(max(FIRST_PIECE, likely), MOST_PIECE, 4 * self._piece)
        self._busy_ns += busy_ns
        if self._busy_ns > max(APART_NS, COST_SHARE * self._cost_ns):
            self._keep()

    # Checkpoints.

    def _keep(self) -> None:
        self._busy_ns = 0
        if self.refusal is not None or self.position in self.checkpoints:
            return
        start_ns = monotonic_ns()
        try:
            number = self._run.checkpoint()
        except StudioError as refused:
            self.refusal = refused
            return
        self._kept.append(_Kept(self.position, number, self._run.checkpoint_bytes(number)))
        self._kept.sort()
        self._cost_ns = monotonic_ns() - start_ns
        while len(self._kept) > self._most or (self._bytes() > self._most_bytes and len(self._kept) > FEWEST):
            self._thin_out()

    def _bytes(self) -> int:
        return sum(kept.bytes for kept in self._kept)

    def _thin_out(self) -> None:
        """Give up the one that is missed least: the further back, the wider they may lie apart. The first stays."""
        positions = self.checkpoints

        def missed(index: int) -> float:
            gap = positions[index + 1] - positions[index - 1]
            return gap / (1 + abs(self.position - positions[index]))

        among = [index for index in range(1, len(positions) - 1) if positions[index] != self.position]
        self._run.forget(self._kept.pop(min(among, key=missed)).number)


_NOT_PURE = "a component's outputs depend on more than its inputs: time or randomness of its own, files, threads"


class _History:
    """Which event was delivered at which position, in twelve bytes each."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._topics = array("I")
        self._sequences = array("Q")

    def __len__(self) -> int:
        return len(self._topics)

    def compare_or_add(self, position: int, delivered: Sequence[Delivered]) -> None:
        for number, event in enumerate(delivered, position):
            topic = self._names.setdefault(event.topic, len(self._names))
            if number == len(self):
                self._topics.append(topic)
                self._sequences.append(event.sequence)
            elif (self._topics[number], self._sequences[number]) != (topic, event.sequence):
                was = f"{list(self._names)[self._topics[number]]}:{self._sequences[number]}"
                is_now = f"{event.topic}:{event.sequence}"
                raise ReplayError(f"event {number + 1} was {was} and is {is_now} now", hint=_NOT_PURE)

    def before(self, topic: str, count: int, position: int) -> int:
        """The position before the last `count` events of `topic` up to `position`."""
        wanted = self._names.get(topic)
        found = [number for number in range(position) if self._topics[number] == wanted] if wanted is not None else []
        if not found:
            raise ReplayError(f"no event of {topic} was delivered up to here")
        return found[max(0, len(found) - count)]

    def cut(self, position: int) -> None:
        del self._topics[position:], self._sequences[position:]
