"""What takes the LogPlayer a while: seeks, steps and events on which the system is frozen."""

from __future__ import annotations

from typing import Any

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor
from PyQt6.QtTest import QTest
from pytestqt.qtbot import QtBot

from studio.editor.live.feed import Feed
from studio.editor.look.theme import LIGHT
from studio.editor.panels.player.player_viewer import PlayerViewer
from tests.runtime.replay.played import MS


def test_the_cursor_stays_under_the_hand(viewer: PlayerViewer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer to the first of many seeks took the cursor back to where the hand had been."""
    del viewer.steering.ask  # type: ignore[method-assign]
    asked: list[tuple[Any, dict[str, Any]]] = []
    monkeypatch.setattr(viewer.feed, "ask", lambda _, done, *__, **fields: asked.append((done, fields)))
    timeline, (first, last) = viewer.timeline, viewer.timeline.span_ns

    def arrive(number: int) -> None:
        done, fields = asked[number]
        done({"player": {**viewer.state, "time_ns": fields["time_ns"]}})

    for time_ns in (first + MS, first + 2 * MS, last):
        timeline._seek(time_ns)
        viewer.steering._seek_now()
    assert [fields["time_ns"] for _, fields in asked] == [first + MS, first + 2 * MS, last]
    for number in (0, 1):
        arrive(number)
        assert timeline.now_ns == last and viewer.steering.is_seeking
    arrive(2)
    assert timeline.now_ns == last and not viewer.steering.is_seeking


def test_a_long_way_shows_how_far_it_is_and_is_given_up_or_jumped_over(
    viewer: PlayerViewer, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    """The cursor stood at the goal, nothing else moved for half a minute, and nobody could do anything about it."""
    del viewer.steering.ask  # type: ignore[method-assign]
    asked: list[tuple[Any, dict[str, Any]]] = []
    monkeypatch.setattr(viewer.feed, "ask", lambda _, done, *__, **fields: asked.append((done, fields)))
    state = viewer.feed.state
    state["components"], state["player"]["gate"] = {"filter": {}}, "lockstep"
    viewer._take_state()
    timeline, (first, last), way = viewer.timeline, viewer.timeline.span_ns, viewer.way
    below = timeline.geometry()
    timeline._seek(last)
    viewer.steering._seek_now()
    assert not way.isVisible(), "it may be there in a moment"
    qtbot.waitUntil(way.isVisible, timeout=20_000)
    state["player"] = {**state["player"], "time_ns": (first + last) // 2}
    viewer._take_state()
    assert "00:00" in way.words.text() and way.bar.value() == pytest.approx(500, abs=2)
    assert timeline.geometry() == below and timeline.now_ns == last, "nothing moves under the hand"
    way.cancel.click()
    assert asked[-1][1]["action"] == "give_up" and way.isVisible()
    way.jump.click()
    assert asked[-1][1] == {"action": "jump", "time_ns": last, "timeout_s": None}
    asked[0][0]({"player": state["player"]})  # the seek, which was given up on its way
    assert timeline.now_ns == last and way.isVisible()
    asked[-1][0]({"player": {**state["player"], "time_ns": last}})
    assert timeline.now_ns == last and not way.isVisible() and not viewer.steering.is_seeking


def test_pause_on_a_long_way_is_pause(viewer: PlayerViewer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system stands on its way, the button said Pause, and a click on it let it play."""
    del viewer.steering.ask  # type: ignore[method-assign]
    asked: list[str] = []
    monkeypatch.setattr(viewer.feed, "ask", lambda *_, **fields: asked.append(fields["action"]))
    state = viewer.feed.state
    state["player"] = {**state["player"], "playing": True}
    viewer._take_state()
    viewer.timeline._seek(viewer.timeline.span_ns[1])
    viewer.steering._seek_now()
    state["player"] = {**state["player"], "playing": False}
    viewer._take_state()
    assert viewer.bar.play.accessibleName() == "Pause"
    viewer.bar.play.click()
    assert asked == ["seek", "pause"]


def test_a_step_back_shows_nothing_of_its_way(viewer: PlayerViewer, monkeypatch: pytest.MonkeyPatch) -> None:
    """It leads by a checkpoint: the cursor went seconds back, and on again to just before where it had been."""
    del viewer.steering.ask  # type: ignore[method-assign]
    asked: list[Any] = []
    monkeypatch.setattr(viewer.feed, "ask", lambda _, done, *__, **___: asked.append(done))
    timeline, state = viewer.timeline, viewer.feed.state
    first = state["player"]["time_ns"]
    state["player"] = {**state["player"], "time_ns": first + 500 * MS}
    viewer._take_state()
    viewer.steering.step_back()
    state["player"] = {**state["player"], "time_ns": first + 100 * MS}
    viewer._take_state()
    assert timeline.now_ns == first + 500 * MS
    asked[0]({"player": {**state["player"], "time_ns": first + 490 * MS}})
    assert timeline.now_ns == first + 490 * MS and not viewer.steering.is_seeking


def test_a_log_that_nobody_computes_with_offers_no_jump(
    viewer: PlayerViewer, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    del viewer.steering.ask  # type: ignore[method-assign]
    monkeypatch.setattr(viewer.feed, "ask", lambda *_, **__: None)
    viewer.steering.seek_by(1.0)
    qtbot.waitUntil(viewer.way.isVisible, timeout=20_000)
    assert not viewer.way.jump.isVisible() and viewer.way.cancel.isVisible()
    viewer.ended()
    assert not viewer.way.isVisible()


def test_where_it_cannot_go_back_it_says_why(viewer: PlayerViewer, feed: Feed) -> None:
    assert viewer.bar.back.isEnabled()
    feed.state["stepping"] = {"can_go_back": False, "why_not": "the simulator keeps no checkpoints"}
    viewer._take_state()
    for button in (viewer.bar.back, viewer.bar.previous_of):
        assert not button.isEnabled() and "keeps no checkpoints" in button.toolTip()
    QTest.keyClick(viewer.timeline, Qt.Key.Key_Left)
    assert not viewer.asked and "keeps no checkpoints" in viewer.words.text()  # type: ignore[attr-defined]


def test_steps_go_one_after_the_other(viewer: PlayerViewer, feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    del viewer.steering.ask
    sent: list[tuple[str, object]] = []
    monkeypatch.setattr(feed, "ask", lambda do, done, failed, **fields: sent.append((fields["action"], done)))
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right):
        QTest.keyClick(viewer.timeline, key)
    assert [action for action, _ in sent] == ["back"]
    for _ in range(3):
        done = sent[-1][1]
        assert callable(done)
        done({"player": viewer.state})
    assert [action for action, _ in sent] == ["back", "back", "single"]


def test_frozen_on_an_event_the_cursor_is_ice_and_space_goes_on(
    viewer: PlayerViewer, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    del viewer.steering.ask
    sent: list[tuple[str, dict[str, object]]] = []

    def ask(do: str, done: object, failed: object, **fields: object) -> None:
        sent.append((do, fields))
        if do == "continue" and callable(done):
            done({})

    monkeypatch.setattr(feed, "ask", ask)
    feed.state["debug"] = {"frozen": {"why": "breakpoint"}, "hosts": {}}
    viewer._take_state()
    x = int(viewer.timeline._x_of(viewer.timeline.now_ns))
    image = viewer.timeline.grab().toImage()
    assert image.pixelColor(x, 60) == QColor(LIGHT.frozen) and viewer.bar.play.text() == " Frozen"
    QTest.keyClick(viewer.timeline, Qt.Key.Key_Space)
    assert [do for do, _ in sent] == ["continue"]
    QTest.keyClick(viewer.timeline, Qt.Key.Key_Right)
    assert [do for do, _ in sent[1:]] == ["continue", "player"], "the handler ends before the next event begins"
    assert sent[1][1]["gate"] == "pause" and sent[2][1]["action"] == "single"
    feed.state["debug"] = {"frozen": None, "hosts": {}}
    viewer._take_state()
    assert viewer.timeline.grab().toImage().pixelColor(x, 60) == QColor(LIGHT.accent)
