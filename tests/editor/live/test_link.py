"""A system that is stopped by others has stopped; it was not killed."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

from studio.editor.live.batch import Ended
from studio.editor.live.link import DOUBT_AFTER_NS, Link
from studio.runtime.base.clock import monotonic_ns


def link_to(attachment: Any) -> Link:
    """A link whose thread has ended, so that every look at the system is one of the test's."""
    link = Link(lambda: None)
    link.close()
    link._attachment = attachment
    link._system = SimpleNamespace(is_alive=lambda: True, last_words=lambda: "")  # type: ignore[assignment]
    link._tap = SimpleNamespace(frames=lambda *_: [], close=lambda: None)  # type: ignore[assignment]
    return link


def attachment_whose_folder_is_gone(heard_ns: int) -> Any:
    ended = threading.Event()
    ended.set()
    return SimpleNamespace(said_goodbye=False, ended=ended, heard_ns=heard_ns, close=lambda: None)


def test_a_folder_that_is_gone_before_the_goodbye_is_no_death() -> None:
    attachment = attachment_whose_folder_is_gone(monotonic_ns())
    link = link_to(attachment)
    link._look()
    assert link.take().turns == [], "its goodbye may be on the way"
    attachment.said_goodbye = True
    link._look()
    assert link.take().turns == [Ended(died=False)]


def test_one_that_says_nothing_any_more_has_died() -> None:
    link = link_to(attachment_whose_folder_is_gone(monotonic_ns() - 2 * DOUBT_AFTER_NS))
    link._look()
    assert link.take().turns == [Ended(died=True)]
