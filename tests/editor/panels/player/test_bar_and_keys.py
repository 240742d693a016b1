"""The bar of the LogPlayer and its keys."""

from __future__ import annotations

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QInputDialog, QLineEdit
from pytestqt.qtbot import QtBot

from studio.editor.live.feed import Feed
from studio.editor.look.theme import LIGHT
from studio.editor.panels.player.player_transport import RateDial, seconds_in
from studio.editor.panels.player.player_viewer import PlayerViewer
from studio.editor.panels.player.stop_example import ANY, stop_example
from studio.errors import StudioError
from tests.runtime.replay.played import MS, START, A, B


def test_what_the_machinery_sends_has_words(viewer: PlayerViewer) -> None:
    """At the end of the bar stood /_studio/timer/waypoint_follower."""
    viewer.feed.state["player"] |= {"gate": "lockstep", "number": 1234, "count": 2362}
    viewer.feed.state["stepping"] |= {"last": ["/_studio/timer/follower", 7]}
    viewer._take_state()
    words = viewer.words.text()
    assert words.startswith("event 1\u2009234 of 2\u2009362 · after tick of follower #7")


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
    assert "not a rate" in viewer.words.text() and asked[-1] == ("rate", {"rate": 2.5})
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


def test_n_and_p_go_to_no_other_stream_than_the_chosen_one(viewer: PlayerViewer) -> None:
    asked = viewer.asked  # type: ignore[attr-defined]
    viewer.timeline.choose(B)
    for key in (Qt.Key.Key_N, Qt.Key.Key_P):
        viewer.words.insist("")
        QTest.keyClick(viewer.timeline, key)
        assert not asked and f"{B} is not played: no source is fed by it" in viewer.words.text()
    viewer.timeline.choose(A)
    viewer.state["streams"][A][1] = False
    viewer._show_state()
    QTest.keyClick(viewer.timeline, Qt.Key.Key_N)
    assert not asked and f"{A} is not played: it is switched off" in viewer.words.text()


def test_the_field_of_the_condition_tells_what_is_set(viewer: PlayerViewer, feed: Feed) -> None:
    asked, field = viewer.asked, viewer.bar.condition  # type: ignore[attr-defined]
    field.setText("/rig/a.data > 3")
    field.returnPressed.emit()
    assert asked == [("stop_when", {"condition": "/rig/a.data > 3"})]
    viewer.steering._done({"player": {**viewer.state, "condition": "/rig/a.data > 3"}})
    assert field.text() == "/rig/a.data > 3"
    viewer._show_state()
    assert viewer.words.text().startswith("stops when /rig/a.data > 3"), "also where the field has no room"
    viewer.state["stopped"] = "condition"
    viewer._show_state()
    assert viewer.words.text().startswith("stopped: /rig/a.data > 3")
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


def test_in_a_narrow_dock_the_least_important_goes_first(viewer: PlayerViewer) -> None:
    viewer.resize(620, 240)
    QApplication.processEvents()
    assert not viewer.bar.condition.isVisible() and not viewer.bar.presets.isVisible()
    assert viewer.bar.play.isVisible() and viewer.bar.time.isVisible()
    assert viewer.minimumSizeHint().width() < 500
    viewer.resize(1700, 240)
    QApplication.processEvents()
    assert viewer.bar.condition.isVisible() and viewer.bar.presets.isVisible()


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


def test_the_chosen_stream_is_switched_by_a_key(viewer: PlayerViewer) -> None:
    asked = viewer.asked  # type: ignore[attr-defined]
    viewer.timeline.choose(A)
    QTest.keyClick(viewer.timeline, Qt.Key.Key_E)
    assert asked[-1] == ("enable", {"topic": "/platform/level", "on": False})
    asked.clear()
    viewer.timeline.choose(B)
    QTest.keyClick(viewer.timeline, Qt.Key.Key_E)
    assert not asked, "nothing is fed by it"
