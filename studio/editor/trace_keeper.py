"""Keeps the handled trace of the running system while some viewer may want it: it costs a little, so not always."""

from __future__ import annotations

from PyQt6.QtCore import QObject

from studio.editor.feed import Feed, Watch
from studio.editor.live_batch import Event
from studio.messages import HandledTrace
from studio.runtime.causality.trace import MOST_ROWS, Trace
from studio.runtime.channel.frames import HANDLED_TOPIC


class TraceKeeper(QObject):
    def __init__(self, feed: Feed) -> None:
        """Lives as long as the feed; see `keeper_of`."""
        super().__init__(feed)
        self._feed = feed
        self.trace = Trace(MOST_ROWS)
        self._users = 0
        self._watch: Watch | None = None
        feed.attached.connect(self._begin)

    def begin(self) -> None:
        """Somebody wants it; as often as `end` is called."""
        self._users += 1
        if self._watch is None:
            self._begin()
            self._watch = self._feed.watch(HANDLED_TOPIC, self._take, every=True)

    def end(self) -> None:
        self._users -= 1
        if not self._users and self._watch is not None:
            self._watch.close()
            self._watch = None
            self._begin()

    def _begin(self) -> None:
        self.trace = Trace(MOST_ROWS)

    def _take(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event.message, HandledTrace):
                self.trace.add(event.message)


def keeper_of(feed: Feed) -> TraceKeeper:
    """The one of this feed."""
    found: TraceKeeper | None = feed.findChild(TraceKeeper)
    return found if found is not None else TraceKeeper(feed)
