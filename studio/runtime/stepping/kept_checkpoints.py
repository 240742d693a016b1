"""The checkpoints that are kept for going back: close together near the place at hand, wider the further away."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection
from typing import NamedTuple, Protocol

from studio.errors import StudioError
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.broker.system_checkpoints import HELD_WORDS

MOST_CHECKPOINTS = 32
MOST_BYTES = 1 << 30
FEWEST = 3
"""The first one, one on the way, and the one at hand."""
APART_NS = SECOND_NS // 20
"""Work that lies between two checkpoints at least: going it again is not noticed."""
COST_SHARE = 5
"""Checkpoints that take long are rarer, so that going forwards loses at most a fifth of its speed to them."""


class Checkpointed(Protocol):
    """A paused system that can be brought back to where it was."""

    def checkpoint(self) -> int: ...
    def checkpoint_bytes(self, number: int) -> int: ...
    def restore(self, number: int) -> None: ...
    def forget(self, number: int) -> None: ...


class Kept(NamedTuple):
    position: int
    number: int
    bytes: int


class KeptCheckpoints:
    def __init__(self, run: Checkpointed, most: int = MOST_CHECKPOINTS, most_bytes: int = MOST_BYTES) -> None:
        """`most`: how many are kept, and how many bytes of them; never fewer than three."""
        self.most, self.most_bytes = max(FEWEST, most), most_bytes
        self.refusal: StudioError | None = None
        """Why there are no (more) checkpoints: a program that cannot take any, a component that cannot be copied."""
        self._run = run
        self._kept: list[Kept] = []
        self._busy_ns = 0
        """Time that the system has worked since the last one."""
        self._cost_ns = 0

    def __bool__(self) -> bool:
        return bool(self._kept)

    @property
    def positions(self) -> list[int]:
        return [kept.position for kept in self._kept]

    @property
    def bytes(self) -> int:
        return sum(kept.bytes for kept in self._kept)

    def nearest(self, position: int) -> Kept:
        """The last one at or before a position; the first one if there is none."""
        return self._kept[max(0, bisect_right(self._kept, position, key=lambda kept: kept.position) - 1)]

    def last_of(self, numbers: Collection[int]) -> Kept | None:
        return next((kept for kept in reversed(self._kept) if kept.number in numbers), None)

    def worked(self, position: int, busy_ns: int, rarer: int = 1) -> None:
        """The system has worked for so long and is at `position` now; keeps one if it is time for it.

        `rarer`: how many times fewer than for one who steps.
        """
        self._busy_ns += busy_ns
        if self._busy_ns > rarer * max(APART_NS, COST_SHARE * self._cost_ns):
            self.keep(position)

    def keep(self, position: int, *, again: bool = False) -> None:
        """`again`: also where there is one, which the new one replaces."""
        self._busy_ns = 0
        before = [kept for kept in self._kept if kept.position == position]
        if self.refusal is not None or (before and not again):
            return
        start_ns = monotonic_ns()
        try:
            number = self._run.checkpoint()
        except StudioError as refused:
            if HELD_WORDS not in refused.message:
                self.refusal = refused
            return
        self._forget(before)
        self._kept.append(Kept(position, number, self._run.checkpoint_bytes(number)))
        self._kept.sort()
        self._cost_ns = monotonic_ns() - start_ns
        while len(self._kept) > self.most or (self.bytes > self.most_bytes and len(self._kept) > FEWEST):
            self._thin_out(position)

    def restored(self) -> None:
        """The system is at one of them: it has not worked since."""
        self._busy_ns = 0

    def forget_after(self, position: int) -> None:
        self._forget([kept for kept in self._kept if kept.position > position])

    def forget_others(self, numbers: Collection[int]) -> None:
        self._forget([kept for kept in self._kept if kept.number not in numbers])

    def _forget(self, gone: list[Kept]) -> None:
        for kept in gone:
            self._kept.remove(kept)
            self._run.forget(kept.number)

    def retain(self, numbers: Collection[int]) -> None:
        """All others are gone already."""
        self._kept = [kept for kept in self._kept if kept.number in numbers]

    def _thin_out(self, here: int) -> None:
        """Give up the one that is missed least: the further back, the wider they may lie apart. The first stays."""
        positions = self.positions

        def missed(index: int) -> float:
            gap = positions[index + 1] - positions[index - 1]
            return gap / (1 + abs(here - positions[index]))

        among = [index for index in range(1, len(positions) - 1) if positions[index] != here]
        self._run.forget(self._kept.pop(min(among, key=missed)).number)
