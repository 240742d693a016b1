"""Bookmarks in logs: moments of a run with a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from studio.messages import Bookmark, MessageError, decode
from studio.runtime.recording.format.chunk import LoggedEvent

BOOKMARK_TOPIC = "/_studio/bookmark"


def read_bookmarks(events: Iterable[LoggedEvent]) -> Iterator[tuple[int, Bookmark]]:
    """Log time and bookmark of events on their topic."""
    for event in events:
        with suppress(MessageError):  # a log of others may have such a topic, too
            yield event.log_time_ns, decode(Bookmark, event.payload)
