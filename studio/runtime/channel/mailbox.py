"""What has arrived at a host and is not handled yet, in channel order, within its budget."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence

from studio.model.spec import Delivery
from studio.runtime.channel.budget import host_budget_bytes


class Limited:
    """A receiver that wants only the last `depth` events of a topic."""

    __slots__ = ("depth", "dropped", "index", "waiting")

    def __init__(self, index: int, depth: int) -> None:
        self.index = index
        self.depth = depth
        self.dropped = 0
        self.waiting: deque[Letter] = deque()


class Route:
    """Where events of one topic go inside this host."""

    gated = False
    """Whether they may be thrown away when too much is waiting: events may, what the machinery says may not."""

    def __init__(self, topic: str, deliveries: Sequence[Delivery] = ()) -> None:
        self.topic = topic
        self.limited = [
            Limited(index, delivery.depth or 1)
            for index, delivery in enumerate(deliveries)
            if delivery.kind != "lossless"
        ]


Letter = tuple[bytes, Route]
"""One frame on its way to the executor. A plain tuple: it is made for every event."""


class Mailbox:
    """Filled by whoever reads the socket (one at a time), emptied by the executor."""

    def __init__(self, budget_bytes: int | None = None) -> None:
        self.budget_bytes = budget_bytes or host_budget_bytes()
        self.arrived_bytes = 0
        self.handled_bytes = 0
        """Each counter has one writer, so their difference needs no lock."""
        self.letters: deque[Letter] = deque()
        self.gated = False
        """The gate waits for whoever handles events: then nothing is dropped, however fast it goes; otherwise a run
        would depend on how far behind those were who only listen."""

    @property
    def waiting_bytes(self) -> int:
        return self.arrived_bytes - self.handled_bytes

    @property
    def over_budget(self) -> bool:
        return self.waiting_bytes > self.budget_bytes

    def put(self, batch: Collection[Letter]) -> None:
        """Add what was read, dropping older events where a receiver wants only the newest ones."""
        for letter in batch:
            frame, route = letter
            self.arrived_bytes += len(frame)
            for limited in route.limited:
                self._limit(limited, letter)
        self.letters.extend(batch)

    def _limit(self, limited: Limited, letter: Letter) -> None:
        waiting = limited.waiting
        waiting.append(letter)
        while len(waiting) > limited.depth and not self.gated:
            try:
                waiting.popleft()
            except IndexError:  # the executor has just taken the last one
                return
            limited.dropped += 1

    def open(self, letter: Letter) -> Sequence[int]:
        """Executor: this letter is handled now; tells for which receivers (index in the route) it was dropped.

        Whoever takes a letter out of a waiting line decides its fate, so every event is handled or counted, never both.
        """
        frame, route = letter
        self.handled_bytes += len(frame)
        dropped = []
        for limited in route.limited:
            try:
                limited.waiting.remove(letter)
            except ValueError:
                dropped.append(limited.index)
        return dropped
