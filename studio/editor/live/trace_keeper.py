"""Keeps the handled trace of the running system, so that one can ask about events from before a viewer was opened.

Hosts always send it. While nobody looks, the newest batches are only put aside as they come; they are made a graph,
which costs more, when somebody asks.
"""

from __future__ import annotations

from collections import deque

from PyQt6.QtCore import QObject

from studio.editor.live.batch import Event
from studio.editor.live.feed import Changes, Feed
from studio.messages import HandledTrace
from studio.runtime.base.clock import monotonic_ns
from studio.runtime.causality.trace import MOST_ROWS, Trace
from studio.runtime.wire.frames import HANDLED_TOPIC

MOST_ASIDE = 10_000
"""Handlings that are put aside: ten seconds of a busy system, which are made a graph in a moment."""
MOST_STANDS = 1000


class TraceKeeper(QObject):
    def __init__(self, feed: Feed) -> None:
        """Lives as long as the feed; see `keeper_of`."""
        super().__init__(feed)
        self._users = 0
        self._feed = feed
        self._begin()
        feed.attached.connect(self._begin)
        feed.changed.connect(self._look_at_gate)
        feed.watch(HANDLED_TOPIC, self._take, every=True)

    def begin(self) -> None:
        """Somebody wants it; as often as `end` is called."""
        self._users += 1
        if self._users == 1:
            for batch in self._aside:
                self.trace.add(batch)

    def end(self) -> None:
        self._users -= 1
        if not self._users:
            self.trace = Trace(MOST_ROWS)

    def _begin(self) -> None:
        self.trace = Trace(MOST_ROWS)
        self._aside: deque[HandledTrace] = deque()
        self._rows_aside = 0
        self._stands: deque[tuple[int, int]] = deque(maxlen=MOST_STANDS)
        self._stands_since_ns: int | None = None
        self._look_at_gate(Changes(system=True))

    def stood_ns(self, start_ns: int, end_ns: int) -> int:
        """How long the system was paused or frozen within this time, as seen from here: a moment late."""
        spans = [*self._stands]
        if self._stands_since_ns is not None:
            spans.append((self._stands_since_ns, monotonic_ns()))
        return sum(max(0, min(end, end_ns) - max(start, start_ns)) for start, end in spans)

    def _look_at_gate(self, changes: Changes) -> None:
        if not changes.system:
            return
        stands, since_ns = self._feed.state.get("gate") == "pause", self._stands_since_ns
        if stands and since_ns is None:
            self._stands_since_ns = monotonic_ns()
        elif not stands and since_ns is not None:
            self._stands.append((since_ns, monotonic_ns()))
            self._stands_since_ns = None

    def _take(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event.message, HandledTrace):
                self._put_aside(event.message)
                if self._users:
                    self.trace.add(event.message)

    def _put_aside(self, batch: HandledTrace) -> None:
        self._aside.append(batch)
        self._rows_aside += len(batch)
        while self._rows_aside > MOST_ASIDE and len(self._aside) > 1:
            self._rows_aside -= len(self._aside.popleft())


def keeper_of(feed: Feed) -> TraceKeeper:
    """The one of this feed."""
    found: TraceKeeper | None = feed.findChild(TraceKeeper)
    return found if found is not None else TraceKeeper(feed)
