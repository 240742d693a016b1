"""The gate: decides when the channel delivers, one event at a time. The same for broker and in-process twin."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from studio.errors import StudioError
from studio.runtime.base.state_digest import digest_of
from studio.runtime.broker.agenda import Agenda, NotKnownYet, TimersState


class Named(Protocol):
    @property
    def topic(self) -> str: ...
    @property
    def sequence(self) -> int: ...
    @property
    def stamp_ns(self) -> int: ...


E = TypeVar("E", bound=Named)
Asked = TypeVar("Asked", bound=Named, contravariant=True)


class Deliverer(Protocol[E]):
    """Delivers one event and returns, once every receiver has finished, its effects in their order."""

    def deliver(self, event: E) -> Iterable[E]: ...

    def go_ahead(self, until_ns: int | None) -> int:
        """Deliver the next inputs and ticks with all that follows from them, in the same order as one by one.

        Returns how many events that were; 0 if it has no way to be faster."""
        ...

    def interrupted(self) -> bool:
        """Whether somebody wants the gate to stop going on by itself."""
        ...

    def wait_until(self, stamp_ns: int, rate: float) -> bool:
        """Wait until paced time reaches `stamp_ns`; False if interrupted before."""
        ...


class Stops(Protocol[Asked]):
    """Event breakpoints (event_stops): asked for every event that is delivered."""

    def before(self, event: Asked) -> bool: ...

    def passes(self, event: Asked) -> None:
        """Somebody wants exactly this event: it is counted, and delivered in any case."""
        ...

    def after(self, event: Asked) -> bool: ...

    def forget(self) -> None:
        """The system was taken elsewhere."""
        ...


class Delivered(NamedTuple):
    """One event that was delivered, and what its receivers made of it."""

    topic: str
    sequence: int
    stamp_ns: int
    published: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class GateState(Generic[E]):
    """The gate's part of a checkpoint: what is delivered next, and when."""

    effects: tuple[E, ...]
    inputs: tuple[E, ...]
    timers: TimersState
    positions: dict[str, int]
    """Feeder -> how many of its inputs were delivered."""
    now_ns: int
    delivered: int
    told: int
    unrepeatable: int


RAN_FREELY = "the system ran freely since then"
STARTED = "the system was restarted, or its time was changed, since then"
BY_HAND = "a service was called by hand since then"


class CannotGoBack(StudioError):
    """What came since a checkpoint would not come again."""


class Gate(Generic[E]):
    def __init__(self, agenda: Agenda[E], deliverer: Deliverer[E]) -> None:
        self.agenda = agenda
        self.deliverer = deliverer
        self.now_ns = 0
        """Virtual time: the stamp of what was delivered last."""
        self.delivered = 0
        self.checkpoints: dict[int, GateState[E]] = {}
        self._journal: list[tuple[int, E]] = []
        """Commands from outside since the first checkpoint, each with the number of events delivered before it."""
        self._told = 0
        """How many of them are in the agenda or delivered: all, unless the system went back."""
        self.on_repeat: Callable[[E], None] = lambda _: None
        """Hears of a command that comes again."""
        self.stops: Stops[E] | None = None
        """Where it is to stop by itself; None costs nothing."""
        self.unrepeatable = 0
        """How often something happened that would not happen again."""
        self.why_not = ""
        """What that was last."""
        self.branch = 0
        """How often what was to come has been replaced by something else."""
        self.book: list[tuple[str, int, int]] | None = None
        """Topic, sequence and stamp of all that a lockstep delivers, while somebody wants to know."""

    def step(self, count: int = 1, topic: str | None = None) -> list[tuple[str, int]]:
        """Deliver exactly `count` events, or go on until `count` events of `topic` were delivered; tells which."""
        return [(event.topic, event.sequence) for event in self.advance(count, topic)]

    def advance(
        self,
        count: int = 1,
        topic: str | Collection[str] | None = None,
        until_ns: int | None = None,
        most: int | None = None,
        *,
        effects_only: bool = False,
    ) -> list[Delivered]:
        """The same, and tells more; `until_ns` and `most`, how many in all, may end it before that.

        `topic` may be several; `effects_only`: what follows from what was delivered, and nothing new.
        """
        wanted = {topic} if isinstance(topic, str) else topic
        done: list[Delivered] = []
        left = count
        while left > 0 and len(done) != most:
            self._repeat_commands()
            if effects_only and not self.agenda.effects:
                break
            try:
                event = self.agenda.next(until_ns)
            except NotKnownYet:
                break
            if event is None:
                break
            if self.stops is not None:
                if count == 1 and topic is None:
                    self.stops.passes(event)
                elif self.stops.before(event):
                    self.agenda.put_back(event)
                    break
            effects = self._deliver(event)
            published = tuple((effect.topic, effect.sequence) for effect in effects)
            done.append(Delivered(event.topic, event.sequence, event.stamp_ns, published))
            if wanted is None or event.topic in wanted:
                left -= 1
            if self.deliverer.interrupted() or (self.stops is not None and self.stops.after(event)):
                break
        return done

    def deliver_first(self, events: Iterable[E], why: str = STARTED) -> None:
        """Deliver `events` one by one, before all that waits; their effects wait behind it."""
        self.note_unrepeatable(why)
        effects: list[E] = []
        for event in events:
            self.delivered += 1
            effects.extend(self.deliverer.deliver(event))
        self.agenda.effects.extend(effects)

    def let_look(self, event: E, otherwise: str) -> None:
        """Deliver what changes nothing, past all that waits, as if it had not been; unless something comes of it."""
        effects = list(self.deliverer.deliver(event))
        if effects:
            self.note_unrepeatable(otherwise)
            self.delivered += 1
            self.agenda.effects.extend(effects)

    def lockstep(self, until_ns: int | None = None, count: int | None = None, rate: float = 0.0) -> int:
        """Go on until nothing is left before the limit; `rate` 0 is flat out. Returns how many it delivered."""
        start = self.delivered
        end = None if count is None else start + count
        while (due := self._repeat_commands()) is not None and (end is None or due < end):
            if not self._go_on(until_ns, due - self.delivered, rate) or self.delivered < due:
                return self.delivered - start
        self._go_on(until_ns, None if end is None else end - self.delivered, rate)
        return self.delivered - start

    def _go_on(self, until_ns: int | None, count: int | None, rate: float) -> bool:
        """False if a breakpoint has stopped it."""
        left = -1 if count is None else count
        stops = self.stops
        agenda, effects, book = self.agenda, self.agenda.effects, self.book
        deliver, interrupted = self.deliverer.deliver, self.deliverer.interrupted
        while left:
            if effects:  # what agenda.next() does first, without the call: this loop is the speed of a replay
                event: E | None = effects.popleft()
            elif rate and not self._paced(rate, until_ns):
                break
            elif left < 0 and not rate and stops is None and (done := self.deliverer.go_ahead(until_ns)):
                self.delivered += done
                if interrupted():
                    break
                continue
            else:
                try:
                    event = agenda.next(until_ns)
                except NotKnownYet:
                    break
            if event is None:
                break
            if stops is not None and stops.before(event):
                agenda.put_back(event)
                return False
            left -= 1
            self.delivered += 1
            if event.stamp_ns > self.now_ns:
                self.now_ns = event.stamp_ns
            effects.extend(deliver(event))
            if book is not None:
                book.append((event.topic, event.sequence, event.stamp_ns))
            if stops is not None and stops.after(event):
                return False
            if interrupted():
                break
        return True

    def _paced(self, rate: float, until_ns: int | None) -> bool:
        try:
            due_ns = self.agenda.next_stamp_ns()
        except NotKnownYet:
            return False
        if due_ns is None or (until_ns is not None and due_ns > until_ns):
            return True
        return self.deliverer.wait_until(due_ns, rate)

    def _deliver(self, event: E) -> list[E]:
        self.delivered += 1
        self.now_ns = max(self.now_ns, event.stamp_ns)
        effects = list(self.deliverer.deliver(event))
        self.agenda.effects.extend(effects)
        return effects

    # From outside.

    def admit(self, command: E) -> None:
        """A command from outside. It is remembered, so that after going back it comes again at the same place."""
        self.forget_future()
        if self.checkpoints:
            self._journal.append((self.delivered, command))
            self._told += 1
        self.agenda.inputs.append(command)

    def note_unrepeatable(self, what: str) -> None:
        """Something happened that would not happen again: an input of a real source, a time of running freely."""
        self.unrepeatable += 1
        self.why_not = what

    def forget_future(self) -> None:
        """What comes now comes instead of what came the last time: the checkpoints after it hold no longer."""
        self.branch += 1
        del self._journal[self._told :]
        for number, state in list(self.checkpoints.items()):
            if (state.delivered, state.told) > (self.delivered, self._told):
                del self.checkpoints[number]

    def _repeat_commands(self) -> int | None:
        """Put those that are due into the agenda again; returns how many will be delivered before the next one."""
        while self._told < len(self._journal):
            at, command = self._journal[self._told]
            if at > self.delivered:
                return at
            self._told += 1
            self.on_repeat(command)
            self.agenda.inputs.append(command)
        return None

    # Checkpoints.

    def checkpoint(self, number: int, keep: Callable[[E], E]) -> GateState[E]:
        """Remember under `number` what is to come. `keep` makes of an event what can be delivered at any time."""
        agenda = self.agenda
        self.checkpoints[number] = state = GateState(
            tuple(map(keep, agenda.effects)),
            tuple(map(keep, agenda.inputs)),
            agenda.timers.checkpoint(),
            {feeder.name: feeder.position for feeder in agenda.feeders},
            self.now_ns,
            self.delivered,
            self._told,
            self.unrepeatable,
        )
        return state

    def refuse_impossible(self, number: int) -> None:
        """Whether the way from checkpoint `number` to here could be gone again; raises CannotGoBack if not."""
        state = self.checkpoints.get(number)
        if state is None:
            kept = ", ".join(map(str, self.checkpoints)) or "none"
            raise CannotGoBack(f"there is no checkpoint {number}", hint=f"there are: {kept}")
        if state.unrepeatable != self.unrepeatable:
            hint = "open the recording of this run at that event"
            raise CannotGoBack(f"cannot go back: {self.why_not}", hint=hint)
        for feeder in self.agenda.feeders:
            if feeder.rewind is None and feeder.position != state.positions[feeder.name]:
                hint = "open the recording of this run at that event"
                raise CannotGoBack(f"cannot go back: {feeder.name} cannot repeat its inputs", hint=hint)

    def restore(self, number: int) -> None:
        """Be where checkpoint `number` was; its possibility has been looked at."""
        state, agenda = self.checkpoints[number], self.agenda
        for feeder in agenda.feeders:
            feeder.go_to(state.positions[feeder.name])
        agenda.effects.clear()
        agenda.effects.extend(state.effects)
        agenda.inputs.clear()
        agenda.inputs.extend(state.inputs)
        agenda.timers.restore(state.timers)
        self.now_ns, self.delivered, self._told = state.now_ns, state.delivered, state.told
        if self.stops is not None:
            self.stops.forget()

    def forget(self, number: int) -> None:
        self.checkpoints.pop(number, None)
        if not self.checkpoints:
            self._journal.clear()
            self._told = 0

    def digest(self, content: Callable[[E], bytes]) -> str:
        """Of what is to come; `content` gives the bytes of an event."""
        self._repeat_commands()
        agenda = self.agenda
        waiting = [
            [(event.topic, event.sequence, event.stamp_ns, content(event)) for event in events]
            for events in (agenda.effects, agenda.inputs)
        ]
        positions = {feeder.name: feeder.position for feeder in agenda.feeders}
        return digest_of((waiting, agenda.timers.checkpoint().due(), positions, self.now_ns, self.delivered))
