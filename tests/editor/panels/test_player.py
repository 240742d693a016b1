"""The LogPlayer on a real log: what it shows, what its hands and keys ask for, and what it remembers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QColor
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QInputDialog, QLineEdit
from pytestqt.qtbot import QtBot

from studio.editor.feed import Feed
from studio.editor.panels.player_transport import RateDial, seconds_in
from studio.editor.panels.player_viewer import PlayerViewer
from studio.editor.panels.stop_example import ANY, stop_example
from studio.editor.theme import DARK, LIGHT
from studio.editor.views import log_outline
from studio.editor.views.log_bookmarks import Mark, file_of, read_marks
from studio.editor.views.log_outline import read_gaps, time_of_event
from studio.errors import StudioError
from studio.messages import Float64
from studio.runtime.recording import LogReader
from tests.runtime.replay.played import MS, START, A, B, write_rig
from tests.runtime.replay.small_systems import write_foreign


@pytest.fixture
def feed(qapp: QApplication) -> Iterator[Feed]:
    made = Feed()
    made.state = {"topics": {}, "components": {}, "processes": {}}
    yield made
    made.close()


@pytest.fixture
def viewer(feed: Feed, tmp_path: Path, qtbot: QtBot) -> PlayerViewer:
    """On a real log of three streams, one of which is played; what is asked is written down."""
    path = tmp_path / "rig.mcap"
    write_rig(path)
    with LogReader(path) as log:
        first, last = log.start_ns, log.end_ns
    feed.state["player"] = {
        "log": str(path), "playing": False, "time_ns": first, "start_ns": first, "end_ns": last, "number": 0,
        "count": 100, "rate": 1.0, "loop": False, "range_ns": None, "streams": {A: ["/platform/level", True]},
        "condition": "", "stopped": None,
    }  # fmt: skip
    feed.state["stepping"] = {"can_go_back": True, "why_not": ""}
    made = PlayerViewer(feed, LIGHT)
    made.resize(1500, 240)
    qtbot.addWidget(made)
    qtbot.waitUntil(lambda: made.timeline.outline is not None, timeout=20_000)
    made.asked = []  # type: ignore[attr-defined]
    made.steering.ask = lambda action, **fields: made.asked.append((action, fields))  # type: ignore[attr-defined,method-assign]
    made.show()
    return made


def test_the_time_line_has_every_stream_and_how_dense_it_is(viewer: PlayerViewer) -> None:
    outline = viewer.timeline.outline
    assert outline is not None
    lanes = {lane.topic: lane for lane in outline.lanes}
    assert lanes[A].count == 100 and lanes[A].enabled and lanes[A].type == "Float64"
    assert lanes[A].density.sum() == pytest.approx(100, abs=1)
    assert not lanes[B].enabled and lanes[B].played_as == ""
    assert "event 0 of 100" in viewer.bar.facts.text() and viewer.timeline.words == "1 of 3 streams play"
    tip = viewer.timeline._tip(QPointF(60, 40 + 23 * [lane.topic for lane in outline.lanes].index(B) + 5))
    assert B in tip and "50 events" in tip and "is not played" in tip
    for theme in (DARK, LIGHT):
        viewer.show_theme(theme)
        assert not viewer.grab().isNull()


def test_scrubbing_seeks_and_the_box_switches_a_stream(viewer: PlayerViewer, qtbot: QtBot) -> None:
    timeline, asked = viewer.timeline, viewer.asked  # type: ignore[attr-defined]
    first, last = timeline.span_ns
    middle = QPoint(int(timeline._x_of((first + last) / 2)), 60)
    QTest.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=middle)
    qtbot.waitUntil(lambda: bool(asked), timeout=5000)
    action, fields = asked[-1]
    assert action == "seek" and fields["time_ns"] == pytest.approx((first + last) / 2, abs=(last - first) * 0.01)
    outline = timeline.outline
    assert outline is not None
    row = [lane.topic for lane in outline.lanes].index(A)
    QTest.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=QPoint(17, 40 + 23 * row + 11))
    assert asked[-1] == ("enable", {"topic": "/platform/level", "on": False})


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


def test_what_the_machinery_sends_has_words(viewer: PlayerViewer) -> None:
    """At the end of the bar stood /_studio/timer/waypoint_follower."""
    viewer.feed.state["player"] |= {"gate": "lockstep", "number": 1234, "count": 2362}
    viewer.feed.state["stepping"] |= {"last": ["/_studio/timer/follower", 7]}
    viewer._take_state()
    words = viewer.bar.facts.text()
    assert words.startswith("event 1\u2009234 of 2\u2009362 · after tick of follower #7")


def test_with_shift_a_pixel_is_an_event(viewer: PlayerViewer, qtbot: QtBot) -> None:
    timeline = viewer.timeline
    start_ns = timeline.now_ns
    timeline._from = (700.0, start_ns)
    assert timeline._fine(710.0) - start_ns == pytest.approx(10 * 10 * MS, rel=0.02), "events come every 10 ms"


def test_keys_as_on_a_tape_and_in_rosbag2(viewer: PlayerViewer) -> None:
    asked = viewer.asked  # type: ignore[attr-defined]
    shift = Qt.KeyboardModifier.ShiftModifier
    for key in (
        Qt.Key.Key_Space, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_N, Qt.Key.Key_P, Qt.Key.Key_BracketLeft,
        Qt.Key.Key_Up, Qt.Key.Key_L, Qt.Key.Key_End,
    ):  # fmt: skip
        QTest.keyClick(viewer.timeline, key)
    assert [action for action, _ in asked] == [
        "play", "single", "back", "next_of", "previous_of", "range", "rate", "loop", "seek",
    ]  # fmt: skip
    assert asked[3][1] == asked[4][1] == {"topic": "/platform/level"} and asked[6][1] == {"rate": 1.1}
    asked.clear()
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
        QTest.keyClick(viewer.timeline, key, shift)
    assert asked == [("seek_by", {"seconds": -1.0}), ("seek_by", {"seconds": 1.0})]


def test_a_button_gives_the_panel_the_keys(viewer: PlayerViewer, qtbot: QtBot) -> None:
    """A tool button takes no focus itself: Home after a click on Play went wherever the keys had been before."""
    elsewhere = QLineEdit(viewer)
    elsewhere.show()
    viewer.activateWindow()
    elsewhere.setFocus()
    qtbot.waitUntil(elsewhere.hasFocus)
    viewer.bar.play.click()
    assert viewer.timeline.hasFocus()


def test_where_it_cannot_go_back_it_says_why(viewer: PlayerViewer, feed: Feed) -> None:
    assert viewer.bar.back.isEnabled()
    feed.state["stepping"] = {"can_go_back": False, "why_not": "the simulator keeps no checkpoints"}
    viewer._take_state()
    for button in (viewer.bar.back, viewer.bar.previous_of):
        assert not button.isEnabled() and "keeps no checkpoints" in button.toolTip()
    QTest.keyClick(viewer.timeline, Qt.Key.Key_Left)
    assert not viewer.asked and "keeps no checkpoints" in viewer.bar.facts.text()  # type: ignore[attr-defined]


def test_typed_times_numbers_and_rates(viewer: PlayerViewer, qtbot: QtBot) -> None:
    asked, outline = viewer.asked, viewer.timeline.outline  # type: ignore[attr-defined]
    assert outline is not None
    viewer.bar.time.setText("0:00.5")
    viewer.bar.time.returnPressed.emit()
    assert asked[-1] == ("seek", {"time_ns": outline.start_ns + 500_000_000})
    viewer.bar.number.setText("42")
    viewer.bar.number.returnPressed.emit()
    qtbot.waitUntil(lambda: len(asked) == 2, timeout=5000)
    assert asked[-1] == ("seek", {"time_ns": START + 420 * MS}), "42 events were before it"
    viewer.bar.presets.buttons[None].click()
    assert asked[-1] == ("rate", {"rate": None})
    viewer.bar.rate.setText("2.5")
    viewer.bar.rate.returnPressed.emit()
    assert asked[-1] == ("rate", {"rate": 2.5})
    viewer.bar.rate.setText("fast")
    viewer.bar.rate.returnPressed.emit()
    viewer._take_state()  # the next piece of news does not wipe it away
    assert "no rate" in viewer.bar.facts.text() and asked[-1] == ("rate", {"rate": 2.5})
    assert [seconds_in(text) for text in ("79.5", "1:19.5", "1:00:01", "soon", "inf")] == [
        79.5,
        79.5,
        3601.0,
        None,
        None,
    ]


def test_the_dial_turns_by_powers(qtbot: QtBot) -> None:
    dial = RateDial(LIGHT)
    qtbot.addWidget(dial)
    told: list[float] = []
    dial.turned.connect(told.append)
    dial.show()
    QTest.mousePress(dial, Qt.MouseButton.LeftButton, pos=QPoint(16, 16))
    QTest.mouseMove(dial, QPoint(16, -44))
    QTest.mouseRelease(dial, Qt.MouseButton.LeftButton, pos=QPoint(16, -44))
    assert told and told[-1] == pytest.approx(10.0)
    QTest.mouseDClick(dial, Qt.MouseButton.LeftButton)
    assert told[-1] == 1.0


def test_the_wheel_zooms_where_it_stands(viewer: PlayerViewer) -> None:
    timeline = viewer.timeline
    whole = timeline.span_ns
    timeline.show_span(whole[0] + 1000, whole[0] + 5_000_000)
    assert timeline.span_ns[1] - timeline.span_ns[0] < (whole[1] - whole[0]) / 10
    timeline.show_now(whole[1], None)
    assert timeline.span_ns[0] == whole[1], "the view turns the page when the cursor leaves it"
    timeline.show_all()
    assert timeline.span_ns == whole


def test_bookmarks_are_kept_beside_the_log(viewer: PlayerViewer, tmp_path: Path) -> None:
    log = tmp_path / "rig.mcap"
    before = log.read_bytes()
    viewer.timeline.now_ns = START + 300 * MS
    viewer.marks.add("stairs")
    viewer.timeline.now_ns = START + 100 * MS
    viewer.marks.add("door")
    assert [mark.text for mark in viewer.timeline.marks] == ["door", "stairs"]
    viewer.marks.rename(viewer.timeline.marks[0], "the door")
    viewer.marks.remove(viewer.timeline.marks[1])
    assert read_marks(log) == [Mark(START + 100 * MS, "the door")] and log.read_bytes() == before
    x = viewer.timeline._x_of(START + 100 * MS)
    QTest.mouseClick(viewer.timeline, Qt.MouseButton.LeftButton, pos=QPoint(int(x) + 20, 28))
    assert viewer.timeline.now_ns == START + 100 * MS, "a click on it goes there"
    file_of(log).write_text("not a list")
    with pytest.raises(Exception, match="cannot be read"):
        read_marks(log)


def test_the_range_is_dragged_by_its_flags(viewer: PlayerViewer) -> None:
    timeline, asked = viewer.timeline, viewer.asked  # type: ignore[attr-defined]
    timeline.show_now(timeline.now_ns, (START + 200 * MS, START + 800 * MS))
    x, to = int(timeline._x_of(START + 200 * MS)) + 5, int(timeline._x_of(START + 400 * MS))
    QTest.mousePress(timeline, Qt.MouseButton.LeftButton, pos=QPoint(x, 8))
    QTest.mouseMove(timeline, QPoint(to, 8))
    QTest.mouseRelease(timeline, Qt.MouseButton.LeftButton, pos=QPoint(to, 8))
    action, fields = asked[-1]
    assert action == "range" and fields["end_ns"] == START + 800 * MS
    assert fields["start_ns"] == pytest.approx(START + 400 * MS, abs=2 * MS)


def test_a_flag_that_is_dragged_over_the_other_becomes_it_and_an_empty_range_is_none(viewer: PlayerViewer) -> None:
    timeline, asked = viewer.timeline, viewer.asked  # type: ignore[attr-defined]
    timeline.show_now(timeline.now_ns, (START + 200 * MS, START + 400 * MS))

    def drag(start_ns: int, end_ns: int) -> None:
        x, to = int(timeline._x_of(start_ns)) + 5, round(timeline._x_of(end_ns))
        QTest.mousePress(timeline, Qt.MouseButton.LeftButton, pos=QPoint(x, 8))
        QTest.mouseMove(timeline, QPoint(to, 8))
        QTest.mouseRelease(timeline, Qt.MouseButton.LeftButton, pos=QPoint(to, 8))

    drag(START + 200 * MS, START + 800 * MS)
    action, fields = asked[-1]
    assert action == "range" and fields["start_ns"] == START + 400 * MS
    assert fields["end_ns"] == pytest.approx(START + 800 * MS, abs=2 * MS)
    asked.clear()
    timeline.show_now(timeline.now_ns, (timeline.span_ns[0], START + 400 * MS))
    QTest.mousePress(timeline, Qt.MouseButton.LeftButton, pos=QPoint(int(timeline._x_of(START + 400 * MS)) - 5, 8))
    QTest.mouseMove(timeline, QPoint(timeline.list_width - 20, 8))
    QTest.mouseRelease(timeline, Qt.MouseButton.LeftButton, pos=QPoint(timeline.list_width - 20, 8))
    assert not asked and timeline.range_ns == (timeline.span_ns[0], START + 400 * MS), "nothing would be between them"


def test_a_behind_b_moves_the_other_end(viewer: PlayerViewer) -> None:
    asked, state = viewer.asked, viewer.state  # type: ignore[attr-defined]
    first, last = state["start_ns"], state["end_ns"]
    middle = (first + last) // 2
    state.update(range_ns=[first, first + (last - first) // 4], time_ns=middle)
    QTest.keyClick(viewer.timeline, Qt.Key.Key_BracketLeft)
    assert asked == [("range", {"start_ns": middle, "end_ns": last})]
    state.update(range_ns=[last - (last - first) // 4, last])
    QTest.keyClick(viewer.timeline, Qt.Key.Key_BracketRight)
    assert asked[1:] == [("range", {"start_ns": first, "end_ns": middle})]
    state.update(time_ns=last)
    QTest.keyClick(viewer.timeline, Qt.Key.Key_BracketLeft)
    assert len(asked) == 2 and "nothing would be between" in viewer.bar.facts.text()


def test_a_bookmark_is_where_it_was_asked_for_and_not_where_the_words_ended(
    viewer: PlayerViewer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def typed(*_: object, **__: object) -> tuple[str, bool]:
        viewer.timeline.show_now(START + 700 * MS, None)  # the log plays on while one types
        return "here", True

    monkeypatch.setattr(QInputDialog, "getText", typed)
    viewer.timeline.show_now(START + 200 * MS, None)
    QTest.keyClick(viewer.timeline, Qt.Key.Key_B)
    assert viewer.timeline.marks == [Mark(START + 200 * MS, "here")]


def test_n_and_p_go_to_no_other_stream_than_the_chosen_one(viewer: PlayerViewer) -> None:
    asked = viewer.asked  # type: ignore[attr-defined]
    viewer.timeline.choose(B)
    for key in (Qt.Key.Key_N, Qt.Key.Key_P):
        viewer.bar.facts.insist("")
        QTest.keyClick(viewer.timeline, key)
        assert not asked and f"{B} is not played: no source is fed by it" in viewer.bar.facts.text()
    viewer.timeline.choose(A)
    viewer.state["streams"][A][1] = False
    viewer._show_state()
    QTest.keyClick(viewer.timeline, Qt.Key.Key_N)
    assert not asked and f"{A} is not played: it is switched off" in viewer.bar.facts.text()


def test_the_field_of_the_condition_tells_what_is_set(viewer: PlayerViewer, feed: Feed) -> None:
    asked, field = viewer.asked, viewer.bar.condition  # type: ignore[attr-defined]
    field.setText("/rig/a.data > 3")
    field.returnPressed.emit()
    assert asked == [("stop_when", {"condition": "/rig/a.data > 3"})]
    viewer.steering._done({"player": {**viewer.state, "condition": "/rig/a.data > 3"}})
    assert field.text() == "/rig/a.data > 3"
    viewer._show_state()
    assert viewer.bar.facts.text().startswith("stops when /rig/a.data > 3"), "also where the field has no room"
    viewer.state["stopped"] = "condition"
    viewer._show_state()
    assert viewer.bar.facts.text().startswith("stopped: /rig/a.data > 3")
    field.clear()
    assert asked[1:] == [("stop_when", {"condition": ""})], "the cross in the field takes it away"
    viewer.steering._done({"player": {**viewer.state, "condition": ""}})
    field.setText("/rig/a.data >")
    field.returnPressed.emit()
    viewer.steering._refused(StudioError("no condition"))
    viewer.timeline.setFocus()
    viewer._take_state()
    assert field.text() == "", "another player, or one that refused it, has none"
    feed.state["player"]["condition"] = "/rig/a.data < 1"
    viewer._take_state()
    assert field.text() == "/rig/a.data < 1", "set by anybody"


def test_another_log_than_the_one_that_plays_is_not_shown(viewer: PlayerViewer, tmp_path: Path) -> None:
    outline = viewer.timeline.outline
    assert outline is not None
    viewer._path = str(tmp_path / "other.mcap")
    viewer.timeline.show_outline(None)
    viewer._show_outline(outline.path, outline, "")
    assert viewer.timeline.outline is None, "it was read too late"
    viewer._say_empty("Reading other.mcap …", choices=False)
    viewer._show_outline(outline.path, None, "it is damaged")
    assert "damaged" not in viewer.empty._sentence.text()


def test_a_closer_look_tells_more(tmp_path: Path, viewer: PlayerViewer, qtbot: QtBot) -> None:
    outline, timeline = viewer.timeline.outline, viewer.timeline
    assert outline is not None
    timeline.show_span(START + 100 * MS, START + 200 * MS)
    qtbot.waitUntil(lambda: outline.close_ns is not None, timeout=20_000)
    low, high = outline.close_ns or (0, 0)
    lane = next(lane for lane in outline.lanes if lane.topic == A)
    assert low <= START + 100 * MS and high >= START + 200 * MS and lane.close is not None
    assert lane.close.max() == 1 and lane.close.sum() == pytest.approx((high - low) / (10 * MS), abs=1)
    assert np.count_nonzero(lane.close) < len(lane.close) / 20, "single events, with nothing between them"
    timeline.show_all()
    qtbot.waitUntil(lambda: outline.close_ns is None, timeout=20_000)


def test_a_log_that_is_too_long_for_gaps_says_so(viewer: PlayerViewer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert viewer.timeline.outline is not None and "gaps" not in viewer.timeline.words
    monkeypatch.setattr(log_outline, "MOST_LOOKED_AT", 10)
    viewer._show_outline(Path(viewer._path), log_outline.read_outline(Path(viewer._path)), "")
    assert viewer.timeline.words.endswith("too long to look for gaps")


def test_how_it_was_played_comes_back_with_the_layout(viewer: PlayerViewer, feed: Feed, qtbot: QtBot) -> None:
    fresh = dict(viewer.state)
    left = {
        "rate": None,
        "loop": True,
        "range_ns": [START + 100 * MS, START + 300 * MS],
        "condition": "/rig/a.data > 3",
    }
    viewer.steering._done({"player": {**fresh, **left, "streams": {A: ["/platform/level", False]}}})
    kept = json.loads(json.dumps(viewer.save()))
    asked: list[dict[str, Any]] = []

    def ask(do: str, done: Any, failed: Any, *, timeout_s: float | None, **fields: Any) -> None:
        asked.append(fields)
        if fields["action"] == "stop_when":
            failed(StudioError("no such field"))
        else:
            done({"player": {**feed.state["player"], **left}})

    feed.ask = ask  # type: ignore[method-assign,assignment]
    feed.state["player"] = {}
    again = PlayerViewer(feed, LIGHT)
    qtbot.addWidget(again)
    again.restore(kept)
    feed.state["player"], feed.is_ours = fresh, True
    again.attached()
    assert asked == [
        {"action": "rate", "rate": None}, {"action": "loop", "on": True},
        {"action": "range", "start_ns": START + 100 * MS, "end_ns": START + 300 * MS},
        {"action": "stop_when", "condition": "/rig/a.data > 3"},
        {"action": "enable", "topic": "/platform/level", "on": False},
    ]  # fmt: skip
    again._take_state()
    assert len(asked) == 5, "once, and then it is as people have it"
    asked.clear()
    again.ended()
    again.memory.kept = kept["playing"]
    feed.state["player"] = {**fresh, "rate": 2.0, "log": "/elsewhere/other.mcap"}
    again.attached()
    assert asked == [{"action": "loop", "on": True}], "a rate that was chosen stays, and the range is of another log"


def test_a_system_that_somebody_else_has_started_plays_on_as_it_does(
    viewer: PlayerViewer, feed: Feed, qtbot: QtBot
) -> None:
    fresh, feed.state["player"] = dict(viewer.state), {}
    asked: list[dict[str, Any]] = []
    feed.ask = lambda *_, timeout_s, **fields: asked.append(fields)  # type: ignore[method-assign,assignment]
    again = PlayerViewer(feed, LIGHT)
    qtbot.addWidget(again)
    again.restore({"playing": {"played": Path(fresh["log"]).name, "rate": 4.0, "loop": True, "off": []}})
    feed.state["player"] = fresh
    again.attached()
    assert not asked and again.memory.kept["rate"] == 1.0, "it is only noted how it plays"


def test_gaps_and_numbers_of_events_are_found(tmp_path: Path) -> None:
    times = [*range(0, 1000, 100), *range(4000, 5000, 100)]
    path = write_foreign(tmp_path / "holes.mcap", {A: [(START + at * MS, Float64(1.0)) for at in times]})
    gap = read_gaps(path)[A][0]
    assert (gap.start_ns, gap.end_ns) == (START + 900 * MS, START + 4000 * MS) and gap.words == "gap 3.1 s"
    assert time_of_event(path, [A], 0) == START and time_of_event(path, [A], 10) == START + 4000 * MS


def test_in_a_narrow_dock_the_least_important_goes_first(viewer: PlayerViewer) -> None:
    viewer.resize(620, 240)
    QApplication.processEvents()
    assert not viewer.bar.condition.isVisible() and not viewer.bar.presets.isVisible()
    assert viewer.bar.play.isVisible() and viewer.bar.time.isVisible()
    assert viewer.minimumSizeHint().width() < 500
    viewer.resize(1700, 240)
    QApplication.processEvents()
    assert viewer.bar.condition.isVisible() and viewer.bar.presets.isVisible()


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


def test_the_example_of_a_condition_is_of_what_plays() -> None:
    topics = {"/robot/odom": {"type": "Odometry"}, "/robot/laser": {"type": "Range3d"}, "/x": {"type": "Text"}}
    assert stop_example(["/robot/odom", "/robot/laser"], topics) == "/robot/laser/ranges_m.min < 0.8"
    assert stop_example(["/robot/odom", "/gone"], topics) == "/robot/odom/linear[0] > 1"
    assert stop_example(["/x"], topics) == ANY


def test_what_has_no_room_is_in_the_menu_at_the_end(viewer: PlayerViewer, monkeypatch: pytest.MonkeyPatch) -> None:
    bar, asked = viewer.bar, viewer.asked  # type: ignore[attr-defined]
    assert bar.more.isVisible() == bool(bar.hidden_widgets)
    viewer.resize(620, 240)
    QApplication.processEvents()
    menu = bar.more.menu()
    assert bar.more.isVisible() and bar.condition in bar.hidden_widgets and menu is not None
    menu.aboutToShow.emit()
    entries = {action.text(): action for action in menu.actions()}
    entries["Pause, and back to the beginning"].trigger()
    assert [action for action, _ in asked] == ["pause", "seek"]
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("/platform/level.data > 3", True))
    entries["Stop when…"].trigger()
    assert asked[-1] == ("stop_when", {"condition": "/platform/level.data > 3"})
    assert bar.condition.text() == "/platform/level.data > 3", "it is there when the bar is wide again"
    rates = bar.times.menu()
    assert rates is not None
    next(action for action in rates.actions() if action.text() == "10 ×").trigger()
    assert asked[-1] == ("rate", {"rate": 10.0})


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


def test_the_chosen_stream_is_switched_by_a_key(viewer: PlayerViewer) -> None:
    asked = viewer.asked  # type: ignore[attr-defined]
    viewer.timeline.choose(A)
    QTest.keyClick(viewer.timeline, Qt.Key.Key_E)
    assert asked[-1] == ("enable", {"topic": "/platform/level", "on": False})
    asked.clear()
    viewer.timeline.choose(B)
    QTest.keyClick(viewer.timeline, Qt.Key.Key_E)
    assert not asked, "nothing is fed by it"


def test_the_part_that_is_looked_at_and_the_stream_come_back_with_the_layout(
    viewer: PlayerViewer, feed: Feed, qtbot: QtBot
) -> None:
    settled: list[bool] = []
    viewer.settled.connect(lambda: settled.append(True))
    first, last = viewer.timeline.span_ns
    viewer.timeline.show_span(first + (last - first) // 4, last - (last - first) // 4)
    viewer.timeline.choose(B)
    assert settled
    again = PlayerViewer(feed, LIGHT)
    qtbot.addWidget(again)
    again.restore(viewer.save())
    assert again.save() == viewer.save(), "nothing is lost while the log is still being read"
    qtbot.waitUntil(lambda: again.timeline.outline is not None, timeout=20_000)
    assert again.timeline.span_ns == viewer.timeline.span_ns and again.timeline.chosen == B
