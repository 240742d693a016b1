"""Which event was delivered at which position: what stepping back is found by, and compared with."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Protocol

from studio.runtime.base.errors import ReplayError

NOT_PURE = "a component's outputs depend on more than its inputs: its own time or random numbers, files, threads"


class Told(NamedTuple):
    """An event that was delivered."""

    topic: str
    sequence: int
    stamp_ns: int


class _Event(Protocol):
    @property
    def topic(self) -> str: ...
    @property
    def sequence(self) -> int: ...
    @property
    def stamp_ns(self) -> int: ...


class History:
    """Twenty bytes for each event. Position n is after n events; nothing is known of those before `start`."""

    def __init__(self, start: int = 0) -> None:
        self.start = start
        self._names: dict[str, int] = {}
        self._topics = array("I")
        self._sequences = array("Q")
        self._times = array("q")
        """Virtual time after each event: it never goes back, as stamps of effects may."""

    @property
    def end(self) -> int:
        """The furthest position that is known."""
        return self.start + len(self._topics)

    def at(self, position: int) -> Told | None:
        """The event that led there."""
        index = position - self.start - 1
        if not 0 <= index < len(self._topics):
            return None
        return Told(list(self._names)[self._topics[index]], self._sequences[index], self._times[index])

    def compare_or_add(self, position: int, delivered: Sequence[_Event]) -> None:
        """These came after `position`; raises where something else came there the first time."""
        for number, event in enumerate(delivered, position - self.start):
            topic = self._names.setdefault(event.topic, len(self._names))
            if number == len(self._topics):
                self._topics.append(topic)
                self._sequences.append(event.sequence)
                before_ns = self._times[-1] if self._times else event.stamp_ns
                self._times.append(max(before_ns, event.stamp_ns))
            elif (self._topics[number], self._sequences[number]) != (topic, event.sequence):
                was = f"{list(self._names)[self._topics[number]]}:{self._sequences[number]}"
                is_now = f"{event.topic}:{event.sequence}"
                raise ReplayError(f"event {number + self.start + 1} was {was} and is {is_now} now", hint=NOT_PURE)

    def before(self, topics: str | Collection[str], count: int, position: int) -> int:
        """The position before the last `count` events of these topics up to `position`."""
        names = {topics} if isinstance(topics, str) else topics
        wanted = {self._names[name] for name in names if name in self._names}
        found, index, left = -1, position - self.start - 1, count
        while left and index >= 0:
            if self._topics[index] in wanted:
                found, left = index, left - 1
            index -= 1
        if found < 0:
            raise ReplayError(f"no event of {_list(names)} has been delivered so far")
        return self.start + found

    def time_at(self, position: int) -> int:
        """Virtual time there; that of the first known event before it, 0 if nothing is known."""
        index = min(position - self.start, len(self._times)) - 1
        return self._times[max(0, index)] if self._times else 0

    def position_at(self, time_ns: int) -> int:
        """The position before the first event at or after a time; the furthest one if there is none yet."""
        return self.start + bisect_left(self._times, time_ns)

    def cut(self, position: int) -> None:
        """Nothing is known of what comes after `position`."""
        at = max(0, position - self.start)
        del self._topics[at:], self._sequences[at:], self._times[at:]


def _list(names: Iterable[str]) -> str:
    shown = sorted(names)
    return ", ".join(shown[:3]) + (", ..." if len(shown) > 3 else "")
