"""The gate: decides when the channel delivers, one event at a time. The same for broker and in-process twin."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, Protocol, TypeVar

from studio.runtime.channel.agenda import Agenda


class Named(Protocol):
    @property
    def topic(self) -> str: ...
    @property
    def sequence(self) -> int: ...
    @property
    def stamp_ns(self) -> int: ...


E = TypeVar("E", bound=Named)


class Deliverer(Protocol[E]):
    """Delivers one event and returns, once every receiver has finished, its effects in their order."""

    def deliver(self, event: E) -> Iterable[E]: ...

    def interrupted(self) -> bool:
        """Whether somebody wants the gate to stop going on by itself."""
        ...

    def wait_until(self, stamp_ns: int, rate: float) -> bool:
        """Wait until paced time reaches `stamp_ns`; False if interrupted before."""
        ...


class Gate(Generic[E]):
    def __init__(self, agenda: Agenda[E], deliverer: Deliverer[E]) -> None:
        self.agenda = agenda
        self.deliverer = deliverer
        self.now_ns = 0
        """Virtual time: the stamp of what was delivered last."""
        self.delivered = 0

    def step(self, count: int = 1, topic: str | None = None) -> list[tuple[str, int]]:
        """Deliver exactly `count` events, or go on until `count` events of `topic` were delivered; tells which."""
        done: list[tuple[str, int]] = []
        left = count
        while left > 0:
            event = self.agenda.next()
            if event is None:
                break
            self._deliver(event)
            done.append((event.topic, event.sequence))
            if topic is None or event.topic == topic:
                left -= 1
            if self.deliverer.interrupted():
                break
        return done

    def deliver_first(self, events: Iterable[E]) -> None:
        """Deliver `events` one by one, before all that waits; their effects wait behind it."""
        effects: list[E] = []
        for event in events:
            self.delivered += 1
            effects.extend(self.deliverer.deliver(event))
        self.agenda.effects.extend(effects)

    def lockstep(self, until_ns: int | None = None, count: int | None = None, rate: float = 0.0) -> int:
        """Go on until nothing is left before the limit; `rate` 0 is flat out. Returns how many it delivered."""
        start = self.delivered
        left = -1 if count is None else count
        agenda, effects = self.agenda, self.agenda.effects
        deliver, interrupted = self.deliverer.deliver, self.deliverer.interrupted
        while left:
            if effects:  # what agenda.next() does first, without the call: this loop is the speed of a replay
                event: E | None = effects.popleft()
            elif rate and not self._paced(rate, until_ns):
                break
            else:
                event = agenda.next(until_ns)
            if event is None:
                break
            left -= 1
            self.delivered += 1
            if event.stamp_ns > self.now_ns:
                self.now_ns = event.stamp_ns
            effects.extend(deliver(event))
            if interrupted():
                break
        return self.delivered - start

    def _paced(self, rate: float, until_ns: int | None) -> bool:
        due_ns = self.agenda.next_stamp_ns()
        if due_ns is None or (until_ns is not None and due_ns > until_ns):
            return True
        return self.deliverer.wait_until(due_ns, rate)

    def _deliver(self, event: E) -> None:
        self.delivered += 1
        self.now_ns = max(self.now_ns, event.stamp_ns)
        self.agenda.effects.extend(self.deliverer.deliver(event))
