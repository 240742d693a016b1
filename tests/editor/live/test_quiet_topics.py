"""A topic that falls silent while the system goes on: its picture stays, and says for how long there was no news."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from studio.editor.live.batch import Batch, Event
from studio.editor.live.feed import Changes, Feed
from studio.editor.live.quiet_topics import quiet_words
from studio.editor.look.theme import LIGHT
from studio.editor.panels.map.map_viewer import MapViewer
from studio.editor.panels.map.scan_viewer import ScanViewer
from studio.editor.panels.map.votes_viewer import VotesViewer
from studio.editor.panels.parts.viewer import Viewer
from studio.messages import PoseTransform, Range3d, Velocity, Vote
from tests.editor.panels.given import event, terrain

SCAN = event("/platform/laser", Range3d.from_xyz([[1, 0, 0]]))
MAP, POSE = event("/terrain_map/terrain", terrain()), event("/platform/pose", PoseTransform())
VOTES, COMMAND = event("/avoid/votes", Vote.over([0.1, 0.0])), event("/arbiter/command", Velocity())


def state(gate: str = "run", **quiet_s: int) -> dict[str, Any]:
    return {"gate": gate, "topics": {f"/{name}": {"quiet_s": seconds} for name, seconds in quiet_s.items()}}


@pytest.mark.parametrize(
    ("told", "all_of", "words"),
    [
        (state(a=0, b=0), False, ""),
        (state(a=4, b=7), False, "No message for 4 s"),
        (state(a=0, b=150), False, "No message on /b for 2 min"),
        (state(a=0, b=150), True, ""),
        (state(a=7, b=7201), True, "No message for 7 s"),
        (state("pause", a=4, b=7), False, ""),
        (state(a=4), False, "No message on /a for 4 s"),
        ({}, False, ""),
    ],
)
def test_how_long_there_was_no_news_in_words(told: dict[str, Any], all_of: bool, words: str) -> None:
    assert quiet_words(told, ["/a", "/b"], all_of=all_of) == words


def come(feed: Feed, *events: Event) -> None:
    batch = Batch(events={each.topic: deque([each]) for each in events}, counts={each.topic: 1 for each in events})
    for watch in list(feed._watches):
        feed._show(watch, batch)


def fall_silent(feed: Feed, seconds: int, *topics: str) -> None:
    for topic in topics:
        feed.state["topics"][topic] = {**feed.state["topics"][topic], "quiet_s": seconds}
    feed.changed.emit(Changes(topics=set(topics)))


@pytest.fixture
def seen(feed: Feed, qtbot: QtBot, request: pytest.FixtureRequest) -> Viewer:
    feed.run = "run"
    feed.state["gate"] = "run"
    viewer: Viewer = request.param(feed, LIGHT)
    qtbot.addWidget(viewer)
    viewer.show()
    return viewer


@pytest.mark.parametrize("seen", [ScanViewer], indirect=True)
def test_the_plate_is_there_while_nothing_comes_and_goes_with_the_next_event(feed: Feed, seen: Viewer) -> None:
    fall_silent(feed, 9, SCAN.topic)
    assert not seen.over.isVisible(), "nothing of it has been shown"
    come(feed, SCAN)
    fall_silent(feed, 4, SCAN.topic)
    assert seen.over.isVisible() and seen.over.text() == "No message for 4 s"
    fall_silent(feed, 5, SCAN.topic)
    assert seen.over.text() == "No message for 5 s"
    feed.state["gate"] = "pause"
    feed.changed.emit(Changes(system=True))
    assert not seen.over.isVisible(), "who pauses knows that nothing comes"
    feed.state["gate"] = "run"
    fall_silent(feed, 0, SCAN.topic)
    assert not seen.over.isVisible()


@pytest.mark.parametrize("seen", [MapViewer], indirect=True)
def test_a_map_says_which_of_its_topics_is_silent(feed: Feed, seen: Viewer) -> None:
    come(feed, MAP, POSE)
    fall_silent(feed, 4, POSE.topic)
    assert seen.over.text() == "No message on /platform/pose for 4 s", "the vehicle may be elsewhere by now"
    fall_silent(feed, 6, MAP.topic)
    assert seen.over.text() == "No message for 4 s"


@pytest.mark.parametrize("seen", [VotesViewer], indirect=True)
def test_one_voter_who_is_silent_is_only_grey_but_a_choice_that_is_none_any_more_is_told(
    feed: Feed, seen: Viewer
) -> None:
    other = event("/planner/votes", Vote.over([0.1, 0.0]))
    feed.state["topics"][other.topic] = {"type": "Vote", "count": 5}
    seen.topics_changed()
    come(feed, VOTES, COMMAND, other)
    fall_silent(feed, 4, VOTES.topic)
    assert not seen.over.isVisible()
    fall_silent(feed, 6, COMMAND.topic)
    assert seen.over.text() == "No message on /arbiter/command for 6 s", "what is drawn as the choice is none any more"
    fall_silent(feed, 5, other.topic)
    assert seen.over.text() == "No message for 4 s"


@pytest.mark.parametrize("seen", [ScanViewer], indirect=True)
def test_in_a_narrow_viewer_the_plate_has_several_lines(feed: Feed, seen: Viewer) -> None:
    seen.resize(900, 300)
    seen.over.show_at(
        40, words="/platform/laser no longer carries a Range3d. Restart the system to see its new messages"
    )
    low = seen.over.height()
    seen.resize(260, 300)
    assert seen.over.width() <= 260 and seen.over.height() >= 2 * low - 8
    seen.resize(900, 300)
    assert seen.over.height() == low
