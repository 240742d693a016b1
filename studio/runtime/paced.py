"""A system that goes on in lockstep by itself, paced by the wall clock or flat out: how simulations run.

What happens is the same every time, and yet it can be paused, stepped and steered like any other run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from studio.runtime.channel.gate import Delivered
from studio.runtime.control import Control, ControlError
from studio.runtime.launcher import Session
from studio.runtime.plan import LAG

TRY_AGAIN_S = 0.05


class PacedSession(Session):
    """`run` lets it go on in lockstep, one event after the other, until `until_ns` or a pause.

    `is_repeatable` tells whether all that comes in can be had again; once it cannot, since a real source was switched
    to, the system runs freely like any other.
    """

    def __init__(self, *arguments: Any, until_ns: int | None = None, pace: float = 1.0, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._until_ns = until_ns
        self.pace = pace
        """Times the wall clock; 0 is flat out."""
        self.is_repeatable: Callable[[], bool] = lambda: True
        self.finished = threading.Event()
        """Set when the time is over that it was to run."""
        self._pacing = Control(self.folders.run, self._answering)
        self._pacing.on_hit = self.hit
        self._pacer: threading.Thread | None = None
        self._resting = threading.Event()

    @property
    def mode(self) -> str:
        return "run" if self._pacer is not None else super().mode

    def start(self, mode: str = "pause") -> None:
        self.control.start("pause")
        if mode == "run":
            self.run(self.pace)

    def run(self, rate: float = 1.0) -> None:
        if not self.is_repeatable():
            self._rest()
            super().run(rate)
        elif self._pacer is None:
            self.pace = rate
            self._resting.clear()
            self._pacer = threading.Thread(target=self._go_on, name="pacer", daemon=True)
            self._pacer.start()

    def hit(self, hit: dict[str, Any]) -> None:
        self._resting.set()  # it does not go on by itself from here
        super().hit(hit)

    def _go_on(self) -> None:
        while not self._resting.is_set() and not self.stopping:
            try:
                self._pacing.lockstep(self._until_ns, None, self.pace, 0 if self.pace else LAG)
            except ControlError:
                self._resting.wait(TRY_AGAIN_S)  # the broker died; the next one goes on
                continue
            if self._resting.is_set():
                return
            if self._until_ns is not None and self._is_over():
                self.finished.set()
                return
            self._resting.wait(TRY_AGAIN_S)  # nothing is due: somebody may add something

    def _is_over(self) -> bool:
        """Whether it stopped because nothing is left before the end; otherwise something interrupted it."""
        try:
            return self._pacing.lockstep(self._until_ns, 1, 0.0) == 0
        except ControlError:
            return False

    def _rest(self) -> None:
        pacer, self._pacer = self._pacer, None
        if pacer is None:
            return
        self._resting.set()
        while pacer.is_alive():
            self.control.pause()  # interrupts the lockstep
            pacer.join(TRY_AGAIN_S)

    def end_at(self, until_ns: int | None) -> None:
        """Another end than it was started with; if that is past, it ends where it is."""
        goes_on = self._pacer is not None
        self._rest()
        self._until_ns = until_ns
        if goes_on:
            self.run(self.pace)

    def pause(self) -> None:
        self._rest()
        super().pause()

    def step(self, count: int = 1, topic: str | None = None) -> list[tuple[str, int]]:
        self._rest()
        return super().step(count, topic)

    def lockstep(self, until_ns: int | None = None, count: int | None = None, rate: float = 0.0, lag: int = 0) -> int:
        self._rest()
        return super().lockstep(until_ns, count, rate, lag)

    def advance(
        self, count: int = 1, topic: str | None = None, until_ns: int | None = None, most: int | None = None
    ) -> list[Delivered]:
        self._rest()
        return super().advance(count, topic, until_ns, most)

    def checkpoint(self) -> int:
        self._rest()
        return super().checkpoint()

    def restore(self, number: int) -> None:
        self._rest()
        super().restore(number)

    def jump(self, to_ns: int, clock: Any = None) -> dict[str, Any]:
        self._rest()
        return super().jump(to_ns, clock)

    def close(self) -> None:
        if not self.stopping:
            self._resting.set()
        super().close()
        if self._pacer is not None:
            self._pacer.join(5.0)
        self._pacing.close()
