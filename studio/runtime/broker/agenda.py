"""What is delivered next: the order of lockstep (docs/protocol.md, section 11), as a pure function of the inputs.

The same agenda decides in the broker's gate and in the in-process twin, so both give the same order.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, NamedTuple, Protocol, TypeVar

from studio.errors import StudioError
from studio.runtime.channel.rewinding import can_rewind, opened_at


class Stamped(Protocol):
    @property
    def stamp_ns(self) -> int: ...


E = TypeVar("E", bound=Stamped)


class TimersState(NamedTuple):
    """Timers as they were at a checkpoint."""

    heap: tuple[tuple[int, str, int], ...]
    live: dict[str, tuple[int, int]]
    generation: int

    def due(self) -> list[tuple[int, str, int]]:
        """When each timer that goes will tick next, with its period: all of it that anybody can notice."""
        live = self.live
        going = [(due_ns, name) for due_ns, name, number in self.heap if live.get(name, (0, 0))[1] == number]
        return [(due_ns, name, live[name][0]) for due_ns, name in sorted(going)]


class Timers:
    """Periodic ticks by component, earliest first; at equal times by name."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, str, int]] = []
        self._live: dict[str, tuple[int, int]] = {}
        self._generation = 0

    def start(self, component: str, period_ns: int, now_ns: int) -> None:
        """Tick every `period_ns`, the first time one period from now; replaces a timer the component had."""
        self._generation += 1
        self._live[component] = (period_ns, self._generation)
        heapq.heappush(self._heap, (now_ns + period_ns, component, self._generation))

    def stop(self, component: str) -> None:
        self._live.pop(component, None)

    def stop_all(self) -> None:
        self._live.clear()

    def due_ns(self) -> int | None:
        """When the next tick is due."""
        heap = self._heap
        while heap:
            due, component, generation = heap[0]
            if self._live.get(component, (0, 0))[1] == generation:
                return due
            heapq.heappop(heap)
        return None

    def take(self) -> tuple[str, int]:
        """Component and time of the next tick, which is thereby done; the one after it is scheduled."""
        due, component, generation = self._heap[0]
        period_ns = self._live[component][0]
        heapq.heapreplace(self._heap, (due + period_ns, component, generation))
        return component, due

    def skip_to(self, now_ns: int) -> int:
        """Leave out ticks that are overdue by whole periods (a machine that was too slow); returns how many."""
        skipped = 0
        while (due := self.due_ns()) is not None:
            _, component, generation = self._heap[0]
            periods = (now_ns - due) // self._live[component][0]
            if periods <= 0:
                return skipped
            heapq.heapreplace(self._heap, (due + periods * self._live[component][0], component, generation))
            skipped += periods
        return skipped

    def rebase(self, now_ns: int) -> None:
        """Start every period anew from `now_ns`, after the clock has jumped."""
        for component, (period_ns, _) in list(self._live.items()):
            self.start(component, period_ns, now_ns)

    def checkpoint(self) -> TimersState:
        return TimersState(tuple(self._heap), dict(self._live), self._generation)

    def restore(self, state: TimersState) -> None:
        self._heap[:] = state.heap
        self._live = dict(state.live)
        self._generation = state.generation


@dataclass
class Feeder(Generic[E]):
    """Inputs that obey flow control: a player, a script. `refill` is asked for more when nothing waits."""

    name: str
    refill: Callable[[], Iterable[E] | None]
    waiting: deque[E] = field(default_factory=deque)
    ended: bool = False
    taken: int = 0
    """How many inputs were asked for so far."""
    received: int = 0
    """How many inputs came so far."""
    unasked: int = 0
    """How many of those came by themselves, or before the asking began anew."""
    fence: int = 0
    """The last fence that was answered: all that was sent before it is here."""
    rewind: Callable[[int], None] | None = None
    """Has the inputs come again from this position on; None where what was taken cannot be had again."""

    @property
    def position(self) -> int:
        """How many inputs were delivered."""
        return self.received - len(self.waiting)

    @property
    def answered(self) -> int:
        """How many of the inputs that were asked for have come."""
        return self.received - self.unasked

    def go_to(self, position: int) -> None:
        """Go on with input number `position`, counted from 0, whatever was delivered so far."""
        if position == self.position:
            return
        self.ask_again(position)

    def ask_again(self, position: int) -> None:
        """The same, also where it is there already: what waits is sent once more."""
        assert self.rewind is not None, "the caller checks first whether the system can go back"
        self.rewind(position)
        self.waiting.clear()
        self.taken = self.received = position
        self.unasked = 0
        self.ended = False

    def head(self) -> E | None:
        while not self.waiting and not self.ended:
            more = self.refill()
            if more is None:
                self.ended = True
            else:
                self.waiting.extend(more)
        return self.waiting[0] if self.waiting else None


def feeder_of(name: str, events: Iterable[E], batch: int = 64) -> Feeder[E]:
    """A feeder over any iterable, taken lazily. One that can be gone through again can be rewound."""
    source: Iterator[E] = iter(events)

    def refill() -> list[E] | None:
        more = list(islice(source, batch))
        feeder.received += len(more)
        return more or None

    def rewind(position: int) -> None:
        nonlocal source
        source = opened_at(events, position)

    feeder = Feeder(name, refill, rewind=rewind if can_rewind(events) else None)
    return feeder


class NotKnownYet(StudioError):
    """What comes next is not known: a feeder has not answered, and somebody wants the gate to stop waiting for it."""


class Agenda(Generic[E]):
    """Effects first in, first out; then the earlier of next input and next timer."""

    def __init__(self, make_tick: Callable[[str, int], E]) -> None:
        self.effects: deque[E] = deque()
        self.inputs: deque[E] = deque()
        """Inputs nobody controls (sensors), in order of arrival."""
        self.feeders: list[Feeder[E]] = []
        self.timers = Timers()
        self._make_tick = make_tick

    def add_feeder(self, feeder: Feeder[E]) -> None:
        self.feeders.append(feeder)
        self.feeders.sort(key=lambda each: each.name)

    def next(self, until_ns: int | None = None) -> E | None:
        """The next event, taken from the agenda; None when nothing is left up to and including `until_ns`."""
        if self.effects:
            return self.effects.popleft()
        queue = self._earliest_input()
        due_ns = self.timers.due_ns()
        if queue is not None and (due_ns is None or queue[0].stamp_ns <= due_ns):
            if until_ns is not None and queue[0].stamp_ns > until_ns:
                return None
            return queue.popleft()
        if due_ns is None or (until_ns is not None and due_ns > until_ns):
            return None
        return self._make_tick(*self.timers.take())

    def put_back(self, event: E) -> None:
        """It was taken and not delivered: it is the next one again."""
        self.effects.appendleft(event)

    def next_stamp_ns(self) -> int | None:
        """When the next event that is not an effect is due, for pacing; None if there is none."""
        queue = self._earliest_input()
        due_ns = self.timers.due_ns()
        if queue is None:
            return due_ns
        return queue[0].stamp_ns if due_ns is None else min(queue[0].stamp_ns, due_ns)

    def _earliest_input(self) -> deque[E] | None:
        best: deque[E] | None = None
        for feeder in self.feeders:
            head = feeder.head()
            if head is not None and (best is None or head.stamp_ns < best[0].stamp_ns):
                best = feeder.waiting
        # Last, because something may have come in while a feeder was asked.
        if self.inputs and (best is None or self.inputs[0].stamp_ns <= best[0].stamp_ns):
            best = self.inputs
        return best

    def __len__(self) -> int:
        """How many events are held: effects and inputs that have arrived."""
        return len(self.effects) + len(self.inputs)
