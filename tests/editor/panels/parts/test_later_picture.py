"""A log that was gone back over: what is still shown says that it is of later."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from studio.editor.live.batch import Batch
from studio.editor.live.feed import Changes, Feed
from studio.editor.look.theme import LIGHT
from studio.editor.panels.map.scan_viewer import ScanViewer
from studio.editor.panels.parts.later_picture import later_words
from studio.messages import Range3d
from tests.editor.panels.given import event

SECOND_NS = 10**9


def later(log: str) -> str:
    return f"Shows 01:30. The log is at {log}"


def player(seconds: float, *, playing: bool = False) -> dict[str, Any]:
    """Of a log of two minutes that began at 1000 s."""
    times = {"time_ns": 1000 + seconds, "start_ns": 1000, "end_ns": 1120}
    return {"playing": playing, **{name: int(value * SECOND_NS) for name, value in times.items()}}


@pytest.mark.parametrize(
    ("state", "stamps_s", "words"),
    [
        (player(0), [1010, 1090], later("00:00")),
        (player(90), [1010, 1090], ""),
        (player(0, playing=True), [1090], ""),
        (player(0), [5000], ""),
        (player(0), [], ""),
        (None, [1090], ""),
    ],
)
def test_what_is_of_later_says_so_while_the_log_stands(
    state: dict[str, Any] | None, stamps_s: list[int], words: str
) -> None:
    """One that plays comes there again; stamps beyond the log are those of a clock beside real sources."""
    assert later_words(state, [second * SECOND_NS for second in stamps_s]) == words


@pytest.mark.parametrize(
    ("clock_s", "kind", "rate", "words"),
    [
        (1090, "log", 0.0, ""),
        (1089, "log", 0.0, later("01:29")),
        (1090, "log", 1.0, later("01:29")),
        (1090, "wall", 0.0, later("01:29")),
    ],
)
def test_in_a_free_run_time_stands_behind_the_last_event_of_the_log(
    clock_s: int, kind: str, rate: float, words: str
) -> None:
    """A component that publishes by itself had done so since then, and its picture was said to be of later."""
    clock = {"kind": kind, "base_ns": clock_s * SECOND_NS, "at_ns": 0, "rate": rate}
    assert later_words(player(89), [1090 * SECOND_NS], clock) == words


def test_a_scan_of_later_has_a_plate_until_the_next_one_comes(feed: Feed, qtbot: QtBot) -> None:
    feed.run, feed.state["player"] = "run", player(90)
    viewer = ScanViewer(feed, LIGHT)
    qtbot.addWidget(viewer)
    viewer.show()

    def scan_at(seconds: float) -> None:
        scan = event("/platform/laser", Range3d.from_xyz([[1, 0, 0]]), 1, seconds)
        came = Batch(events={scan.topic: deque([scan])})
        for watch in feed._watches:
            feed._show(watch, came)

    def stand_at(seconds: float) -> None:
        feed.state["player"] = player(seconds)
        feed.changed.emit(Changes())

    scan_at(1090)
    stand_at(90)
    qtbot.wait(600)
    assert not viewer.over.isVisible()
    stand_at(5)
    qtbot.waitUntil(viewer.over.isVisible, timeout=10_000)
    assert viewer.over.text() == later("00:05")
    scan_at(1005)
    stand_at(5)
    qtbot.waitUntil(lambda: not viewer.over.isVisible(), timeout=10_000)


def test_the_plate_goes_when_the_log_plays_however_often_news_come(feed: Feed, qtbot: QtBot) -> None:
    feed.state["player"] = player(5)
    viewer = ScanViewer(feed, LIGHT)
    qtbot.addWidget(viewer)
    viewer.show()
    for watch in feed._watches:
        watch.stamp_ns = 1090 * SECOND_NS
    feed.changed.emit(Changes())
    qtbot.waitUntil(viewer.over.isVisible, timeout=10_000)
    feed.state["player"] = player(5, playing=True)
    for _ in range(20):
        feed.changed.emit(Changes())
        qtbot.wait(100)
    assert not viewer.over.isVisible()


def test_why_a_picture_was_not_saved_stays_to_be_read(feed: Feed, qtbot: QtBot) -> None:
    feed.state["player"] = player(5)
    viewer = ScanViewer(feed, LIGHT)
    qtbot.addWidget(viewer)
    viewer.show()
    viewer.has_saved("the disk is full")
    feed.changed.emit(Changes())
    qtbot.wait(600)
    assert viewer.over.isVisible() and viewer.over.text() == "the disk is full"
