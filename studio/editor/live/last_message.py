"""What was published last on a topic that says nothing now: who publishes it remembers, and can be asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from studio.editor.live.batch import Event
from studio.editor.live.feed import Feed
from studio.errors import StudioError
from studio.messages import MessageTypes
from studio.messages.plain_data import from_plain

ASK_WITHIN_S = 3.0


def who_knows(feed: Feed, topic: str) -> tuple[str, str] | None:
    """The component and its out port that has published there; None if there was nothing, or it comes from a log."""
    if not feed.state.get("topics", {}).get(topic, {}).get("count"):
        return None
    for name, told in feed.state.get("components", {}).items():
        for port, published in told.get("outputs", {}).items():
            if published == topic:
                return name, port
    return None


def ask_last(
    feed: Feed, topic: str, show: Callable[[list[Event]], object], failed: Callable[[StudioError], object]
) -> None:
    """Only when somebody wants it: a question is an event of the component, and stands in a recording."""
    known = who_knows(feed, topic)
    if known is None:
        return
    count = int(feed.state["topics"][topic]["count"])

    def done(reply: dict[str, Any]) -> None:
        folder = feed.state.get("folder")
        types = MessageTypes.builtin().with_folder(Path(folder)) if folder else MessageTypes.builtin()
        try:
            message = from_plain(types.get(str(reply["type"])), reply["reply"])
        except StudioError as error:
            failed(error)
            return
        show([Event(topic, count, int(getattr(message, "stamp_ns", 0)), message)])

    component, port = known
    feed.ask("ask", done, failed, timeout_s=ASK_WITHIN_S + 5, component=component, port=port, deadline_s=ASK_WITHIN_S)
