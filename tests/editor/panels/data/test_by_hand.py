"""Sending messages, calling services and driving by hand, with what the window asks of the runtime written down."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PyQt6 import sip
from PyQt6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PyQt6.QtGui import QFocusEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from studio.editor.live.feed import Feed
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.data.message_form import FormError, MessageForm
from studio.editor.panels.data.publish_viewer import CALL, PublishViewer
from studio.editor.panels.data.teleop_viewer import TeleopViewer
from studio.editor.panels.parts.bar import Bar
from studio.editor.views.data.stick import KNOB_PX
from studio.messages import Float64, Imu, Joy, MessageTypes
from studio.messages.plain_data import as_plain, from_plain
from studio.runtime.client.attach import AttachError


class Asked(list[dict[str, Any]]):
    """Requests; `answer` and `refuse` give the reply to the last one."""

    def __call__(self, do: str, done: Any = None, failed: Any = None, **fields: Any) -> None:
        self.append({"do": do, **fields})
        self.done, self.failed = done, failed

    def refuse(self, message: str, hint: str = "", kind: str = "") -> None:
        error = AttachError(message, hint=hint)
        error.kind = kind
        self.failed(error)


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def feed(qapp: QApplication, asked: Asked, monkeypatch: pytest.MonkeyPatch) -> Iterator[Feed]:
    made = Feed()
    made.state = {
        "components": {
            "teleop": {
                "accepts": {"joy": "Joy"}, "state": "active", "origin": "simulated",
                "parameters": {"steering_axis": 2, "speed_axis": 0, "enable_button": 1, "max_speed_m_s": 2.0},
                "services": {"get_votes": ["String", "Vote"]},
            },
            "car": {"accepts": {"command": "Velocity"}, "state": "active", "origin": "real", "services": {}},
        },
        "topics": {"/car/speed": {"type": "Float64"}},
        "processes": {},
        "gate": "run",
    }  # fmt: skip
    monkeypatch.setattr(made, "ask", asked)
    yield made
    made.close()


class TestForm:
    def test_every_type_has_a_form_that_says_what_it_says_by_itself(self, qapp: QApplication) -> None:
        for kind in MessageTypes.builtin():
            form = MessageForm()
            form.show_type(kind)
            assert json.dumps(as_plain(from_plain(kind, form.values()))) == json.dumps(as_plain(kind())), kind.TYPE

    def test_what_is_no_value_is_marked_and_named(self, qapp: QApplication) -> None:
        form = MessageForm()
        form.show_type(Joy)
        axes = next(row.editor for row in form.rows if row.path == ("axes",))
        assert isinstance(axes, QLineEdit)
        axes.setText("[0.5, ")
        with pytest.raises(FormError, match="axes"):
            form.values()
        assert axes.property("wrong")
        axes.setText("[0.5]")
        assert form.values()["axes"] == [0.5] and not axes.property("wrong")

    @pytest.mark.parametrize(("text", "value"), [("nan", "nan"), ("-inf", "-inf"), (".5", "0.5"), ("+1", "1.0")])
    def test_numbers_as_people_write_them(self, qapp: QApplication, text: str, value: str) -> None:
        form = MessageForm()
        form.show_type(Float64)
        editor = form.rows[0].editor
        assert isinstance(editor, QLineEdit)
        editor.setText(text)
        assert str(form.values()["data"]) == value

    def test_values_find_their_rows(self, qapp: QApplication) -> None:
        form = MessageForm()
        form.show_type(Imu)
        form.show_values({"frame": "imu", "angular_velocity": [1.0, 2.0, 3.0], "nonsense": 3})
        found = form.values()
        assert found["frame"] == "imu" and found["angular_velocity"] == [1.0, 2.0, 3.0]


class TestPublish:
    def test_its_form_lies_on_the_panel(self, feed: Feed) -> None:
        """It was a slab in the colour of the window."""
        viewer = PublishViewer(feed, LIGHT)
        page, viewport = viewer.form.widget(), viewer.form.viewport()
        assert page is not None and not page.autoFillBackground()
        assert viewport is not None and not viewport.autoFillBackground()

    def test_in_ports_and_topics_are_offered_and_what_is_typed_is_sent(self, feed: Feed, asked: Asked) -> None:
        viewer = PublishViewer(feed, LIGHT)
        offered = [viewer.target.itemText(i) for i in range(viewer.target.count())]
        assert offered == ["car.command", "teleop.joy", "/car/speed"]
        viewer.target.setCurrentText("teleop.joy")
        viewer.form.show_values({"axes": [0.2, 0.5], "buttons": [1]})
        viewer.once.click()
        sent = asked[-1]
        assert (sent["do"], sent["to"], sent["real"]) == ("send", "teleop.joy", False)
        assert sent["message"]["axes"] == pytest.approx([0.2, 0.5]) and sent["message"]["buttons"] == [1]
        asked.done({"to": "teleop.joy", "effect": "now", "simulated": []})
        assert "teleop.joy: sent, takes effect now" in viewer.answer.text()

    def test_form_and_json_are_the_same_message(self, feed: Feed, asked: Asked) -> None:
        viewer = PublishViewer(feed, DARK)
        viewer.target.setCurrentText("/car/speed")
        viewer.form.show_values({"data": 1.5})
        viewer.as_json.click()
        assert json.loads(viewer.text.toPlainText()) == {"data": 1.5}
        viewer.text.setPlainText("{")
        viewer.once.click()
        words = "This is not JSON: expecting property name enclosed in double quotes in line 1, column 2"
        assert not asked and viewer.answer.text() == words
        viewer.as_json.click()
        assert viewer.answer.text() == words
        assert viewer.as_json.isChecked(), "what cannot be read is not thrown away"
        viewer.text.setPlainText('{"data": 2.5}')
        viewer.as_json.click()
        assert viewer.form.values() == {"data": 2.5}
        viewer.as_json.click()
        viewer.text.setPlainText("{")
        viewer.once.click()
        viewer.target.setCurrentText("teleop.joy")
        assert not viewer.answer.text(), "what was wrong with another message"

    def test_at_a_rate_until_it_is_refused(self, feed: Feed, asked: Asked, qtbot: QtBot) -> None:
        viewer = PublishViewer(feed, LIGHT)
        qtbot.addWidget(viewer)
        viewer.target.setCurrentText("/car/speed")
        viewer.rate.setValue(50)
        viewer.repeat.click()
        qtbot.wait(60)
        assert len(asked) == 1, "the next one waits for an answer"
        asked.done({"to": "/car/speed", "effect": "now", "simulated": ["car"]})
        assert "counts as simulated" in viewer.answer.text()
        qtbot.waitUntil(lambda: len(asked) == 2, timeout=5000)
        asked.refuse("car refuses it: it is not armed", "arm it")
        assert viewer.answer.text() == "Refused: car refuses it: it is not armed (arm it)"
        assert viewer.answer.property("role") == "error" and not viewer.repeat.isChecked()

    def test_at_a_rate_half_a_number_is_never_sent(self, feed: Feed, asked: Asked, qtbot: QtBot) -> None:
        """Who typed −0.5 had 0 sent on the way, and the sending ended at the sign."""
        viewer = PublishViewer(feed, LIGHT)
        qtbot.addWidget(viewer)
        viewer.target.setCurrentText("/car/speed")
        viewer.repeat.click()
        assert viewer.repeat.text() == "Stop"
        editor = viewer.form.rows[0].editor
        assert isinstance(editor, QLineEdit)
        editor.setText("-")
        asked.done({"to": "car.speed", "effect": "now"})
        assert viewer.answer.text().endswith("Press Enter to send the new values")
        viewer._again()
        assert asked[-1]["message"] == {"data": 0.0} and viewer.repeat.isChecked()
        editor.setText("-0.5")
        QTest.keyClick(editor, Qt.Key.Key_Return)
        assert asked[-1]["message"] == {"data": -0.5}
        viewer.repeat.click()
        assert viewer.repeat.text() == "Send at"

    def test_a_late_answer_does_not_hide_what_is_wrong_now(self, feed: Feed, asked: Asked) -> None:
        viewer = PublishViewer(feed, LIGHT)
        viewer.target.setCurrentText("/car/speed")
        viewer.once.click()
        assert viewer.answer.text() == "/car/speed: on its way…"
        editor = viewer.form.rows[0].editor
        assert isinstance(editor, QLineEdit)
        editor.setText("fast")
        viewer.once.click()
        asked.done({"to": "car.speed", "effect": "now"})
        assert viewer.answer.text() == "data: fast is not a value (e.g. 0.0)"

    def test_a_narrow_panel_shows_to_whom_it_goes(self, feed: Feed, qtbot: QtBot) -> None:
        viewer = PublishViewer(feed, LIGHT)
        qtbot.addWidget(viewer)
        viewer.resize(260, 400)
        viewer.show()
        bar = viewer.deed.parentWidget()
        assert isinstance(bar, Bar)
        qtbot.waitUntil(lambda: bool(bar.outside))
        assert viewer.target not in bar.outside and viewer.target.width() >= 90

    def test_somebody_else_has_control_and_it_can_be_taken(self, feed: Feed, asked: Asked) -> None:
        viewer = PublishViewer(feed, LIGHT)
        viewer.once.click()
        asked.refuse("Ann holds control of this system", kind="ControlHeld")
        assert viewer.take_over.isVisibleTo(viewer)
        viewer.take_over.click()
        assert asked[-1] == {"do": "take", "force": True}
        asked.done({})
        assert asked[-1]["do"] == "send"

    def test_real_only_where_something_is_real_and_only_by_choice(self, feed: Feed, asked: Asked) -> None:
        feed.state["sources"] = {"platform": "simulated"}
        viewer = PublishViewer(feed, LIGHT)
        assert not viewer.real.isVisibleTo(viewer)
        feed.state["sources"] = {"platform": "real"}
        viewer.target.setCurrentText("teleop.joy")
        assert viewer.real.isVisibleTo(viewer) and not viewer.real.isChecked()
        viewer.real.setChecked(True)
        viewer.once.click()
        assert asked[-1]["real"] is True

    def test_services_are_called(self, feed: Feed, asked: Asked) -> None:
        viewer = PublishViewer(feed, LIGHT)
        viewer.deed.setCurrentText(CALL)
        viewer._offer()
        assert viewer.target.currentText() == "teleop.get_votes" and viewer.type_name == "String"
        viewer.once.click()
        assert (asked[-1]["component"], asked[-1]["service"]) == ("teleop", "get_votes")
        asked.done({"type": "Vote", "reply": {"vote": [1.0]}, "seconds": 0.012})
        assert viewer.answer.text() == "Vote after 12 ms: (1)", "in words; what came over the wire is in the tooltip"

    def test_what_was_typed_is_kept_also_while_nothing_runs(self, feed: Feed) -> None:
        viewer = PublishViewer(feed, LIGHT)
        viewer.target.setCurrentText("/car/speed")
        viewer.form.show_values({"data": 4.0})
        kept, state = viewer.save(), feed.state
        feed.state = {}
        other = PublishViewer(feed, LIGHT)
        other.restore(kept)
        assert other.save()["target"] == "/car/speed" and other.empty.isVisibleTo(other)
        feed.state = state
        other.topics_changed()
        assert other.target.currentText() == "/car/speed" and other.form.values() == {"data": 4.0}


class TestDriving:
    @pytest.fixture
    def viewer(self, feed: Feed, qtbot: QtBot) -> TeleopViewer:
        made = TeleopViewer(feed, LIGHT)
        qtbot.addWidget(made)
        made.resize(420, 360)
        made.show()
        made.most.setValue(50)
        return made

    def test_keys_drive_only_while_space_is_held(self, viewer: TeleopViewer, asked: Asked) -> None:
        QTest.keyPress(viewer.stick, Qt.Key.Key_Up)
        assert not viewer.stick.is_held and viewer.joy()["axes"] == [0.0, 0.0, 0.0]
        QTest.keyPress(viewer.stick, Qt.Key.Key_Space)
        QTest.keyPress(viewer.stick, Qt.Key.Key_A)
        assert viewer.joy() == {"axes": [0.5, 0.0, 1.0], "buttons": [0, 1]}
        assert asked[0]["do"] == "send" and asked[0]["to"] == "teleop.joy" and asked[0]["real"] is False
        assert viewer.words.text() == "Driving forward at 1.0 m/s, steering 100 % to the left"
        QTest.keyRelease(viewer.stick, Qt.Key.Key_Space)
        assert asked[-1]["message"] == {"axes": [0.0, 0.0, 0.0], "buttons": [0, 0]}, "let go: at once"
        assert not viewer._timer.isActive()

    def test_the_keys_are_for_the_stick_when_the_panel_opens(self, viewer: TeleopViewer) -> None:
        """They were for Hold, and Space pressed it."""
        viewer.setFocus()
        assert viewer.focusWidget() is viewer.stick

    def test_what_is_chosen_behind_the_end_of_a_narrow_bar_counts(
        self, viewer: TeleopViewer, feed: Feed, asked: Asked, qtbot: QtBot
    ) -> None:
        feed.state["sources"] = {"platform": "real"}
        viewer.topics_changed()
        viewer.resize(220, 360)
        bar = viewer.target.parentWidget()
        assert isinstance(bar, Bar)
        qtbot.waitUntil(lambda: viewer.real in bar.outside)
        viewer.real.setChecked(True)
        QTest.keyPress(viewer.stick, Qt.Key.Key_Up)
        QTest.keyPress(viewer.stick, Qt.Key.Key_Space)
        assert asked[-1]["real"] is True

    def test_the_mouse_pulls_the_stick_and_letting_go_stops(self, viewer: TeleopViewer, asked: Asked) -> None:
        middle = viewer.stick.rect().center()
        QTest.mousePress(viewer.stick, Qt.MouseButton.LeftButton, pos=middle - QPoint(0, 500))
        left, ahead = viewer.stick.position
        assert ahead == pytest.approx(1.0, abs=0.01) and left == pytest.approx(0.0, abs=0.02)
        QTest.mouseRelease(viewer.stick, Qt.MouseButton.LeftButton, pos=middle)
        assert asked[-1]["message"]["buttons"] == [0, 0]

    @pytest.mark.parametrize("leave", ["focus", "window", "hidden", "closed", "escape"])
    def test_whatever_takes_the_hand_away_stops(self, viewer: TeleopViewer, asked: Asked, leave: str) -> None:
        QTest.keyPress(viewer.stick, Qt.Key.Key_Space)
        QTest.keyPress(viewer.stick, Qt.Key.Key_W)
        ways: dict[str, Callable[[], object]] = {
            "focus": lambda: QApplication.sendEvent(viewer.stick, QFocusEvent(QEvent.Type.FocusOut)),
            "window": lambda: QApplication.sendEvent(viewer.stick, QEvent(QEvent.Type.WindowDeactivate)),
            "hidden": viewer.hide,
            "closed": viewer.close_viewer,
            "escape": lambda: QTest.keyClick(viewer.stick, Qt.Key.Key_Escape),
        }
        ways[leave]()
        assert not viewer.stick.is_held
        assert asked[-1]["message"] == {"axes": [0.0, 0.0, 0.0], "buttons": [0, 0]}

    def test_a_word_that_was_overtaken_is_said_again(self, viewer: TeleopViewer, asked: Asked) -> None:
        QTest.keyPress(viewer.stick, Qt.Key.Key_Space)
        late = asked.done
        QTest.keyRelease(viewer.stick, Qt.Key.Key_Space)
        count = len(asked)
        late({})
        assert len(asked) == count + 1 and asked[-1]["message"]["buttons"] == [0, 0]

    def test_it_says_who_drives_on_and_holds_the_vehicle(self, viewer: TeleopViewer, feed: Feed, asked: Asked) -> None:
        """'Let go, and it stops' was said while other behaviours drove on."""
        viewer._tell()
        assert viewer.words.toolTip().startswith("It stops when you release the stick. ")
        for voter in ("teleop", "planner", "avoidance"):
            feed.state["topics"][f"/{voter}/votes"] = {"type": "Vote", "rate_hz": 10.0}
        viewer._tell()
        assert viewer.words.text() == "When you release the stick, 2 behaviours drive on; Hold keeps it stopped", (
            "no half sentence"
        )
        viewer.resize(1200, 400)
        assert viewer.words.text().startswith(
            "When you release the stick, 2 behaviours drive on; Hold keeps it stopped. Hold Space"
        )
        assert viewer.words.toolTip().endswith("Other behaviours: planner, avoidance")
        viewer.hold.click()
        assert asked[-1]["message"] == {"axes": [0.0, 0.0, 0.0], "buttons": [0, 1]} and viewer._timer.isActive()
        assert viewer.words.text().startswith("Holding")
        QTest.keyPress(viewer.stick, Qt.Key.Key_Space)
        QTest.keyRelease(viewer.stick, Qt.Key.Key_Space)
        assert viewer._timer.isActive() and viewer.joy()["buttons"] == [0, 1], "after driving it is held again"
        viewer.hold.click()
        assert asked[-1]["message"]["buttons"] == [0, 0] and not viewer._timer.isActive()
        QTest.mouseClick(viewer.hold, Qt.MouseButton.LeftButton)
        assert viewer.hold.isChecked() and viewer.focusWidget() is viewer.stick, "the next keys drive"
        asked.refuse("Ann holds control of this system", kind="ControlHeld")
        assert not viewer.hold.isChecked() and viewer.words.text().startswith("Refused: Ann")

    def test_it_does_not_drive_a_system_that_stands(self, viewer: TeleopViewer, feed: Feed, asked: Asked) -> None:
        feed.state["gate"] = "pause"
        QTest.keyPress(viewer.stick, Qt.Key.Key_Space)
        assert not asked and "is paused" in viewer.words.text()

    def test_what_was_on_its_way_when_it_was_paused_is_not_refused(
        self, viewer: TeleopViewer, feed: Feed, asked: Asked
    ) -> None:
        """It stood there in red, also when the system went on."""
        QTest.keyPress(viewer.stick, Qt.Key.Key_Space)
        feed.state["gate"] = "pause"
        asked.refuse("teleop.joy did not answer within 3 s")
        feed.state["gate"] = "run"
        QTest.keyRelease(viewer.stick, Qt.Key.Key_Space)
        assert not viewer.words.text().startswith("Refused")

    def test_a_narrow_panel_tells_how_fast_and_how(self, viewer: TeleopViewer) -> None:
        viewer.resize(260, 400)
        QApplication.processEvents()
        words = viewer.words
        assert words.text() == "Space and arrow keys: ≤ 1.0 m/s" and not viewer.share.text()
        assert words.fontMetrics().horizontalAdvance(words.text()) <= words.width()

    def test_two_keys_at_once_stay_in_the_circle(self, viewer: TeleopViewer) -> None:
        for key in (Qt.Key.Key_Space, Qt.Key.Key_S, Qt.Key.Key_D):
            QTest.keyPress(viewer.stick, key)
        middle, radius = viewer.stick._circle()
        corner = middle + QPointF(radius + KNOB_PX, radius + KNOB_PX) * 0.98
        picture = viewer.stick.grab().toImage()
        assert picture.pixelColor(corner.toPoint()).name().upper() == LIGHT.canvas.upper()

    def test_the_knob_stays_within_the_rim_and_off_the_words(self, viewer: TeleopViewer) -> None:
        """Who drove ahead could not read which key that was."""
        at_rest = viewer.stick.grab().toImage()
        middle, radius = viewer.stick._circle()
        words = QRect(round(middle.x()) - 60, 0, 120, round(middle.y() - radius - KNOB_PX) - 5)
        assert words.height() > 15
        for key in (Qt.Key.Key_Space, Qt.Key.Key_W):
            QTest.keyPress(viewer.stick, key)
        assert viewer.stick.grab().toImage().copy(words) == at_rest.copy(words)

    def test_it_says_which_way_it_drives(self, viewer: TeleopViewer) -> None:
        """To the right was told as −43% to the left."""
        for key in (Qt.Key.Key_Space, Qt.Key.Key_S, Qt.Key.Key_D):
            QTest.keyPress(viewer.stick, key)
        assert "back at " in viewer.words.text() and "to the right" in viewer.words.text()
        assert not set("+-−") & set(viewer.words.text())
        QTest.keyRelease(viewer.stick, Qt.Key.Key_D)
        assert viewer.words.text().endswith(", straight")
        QTest.keyRelease(viewer.stick, Qt.Key.Key_S)
        assert viewer.words.text() == "Standing, straight"

    def test_a_refusal_is_told_and_ends_the_driving(self, viewer: TeleopViewer, asked: Asked) -> None:
        QTest.keyPress(viewer.stick, Qt.Key.Key_Space)
        asked.refuse("Ann holds control of this system", kind="ControlHeld")
        assert viewer.words.text().startswith("Refused: Ann") and viewer.take_over.isVisible()
        assert not viewer._timer.isActive()

    def test_without_anybody_to_drive_it_says_so(self, feed: Feed) -> None:
        del feed.state["components"]["teleop"]
        viewer = TeleopViewer(feed, DARK)
        assert viewer.empty.isVisibleTo(viewer)
        assert not viewer.grab().isNull()

    def test_a_reply_that_comes_after_it_was_closed_finds_nobody(self, feed: Feed, asked: Asked) -> None:
        """The window told of a crash: the fields of the panel were gone."""
        viewer = TeleopViewer(feed, LIGHT)
        QTest.keyPress(viewer.stick, Qt.Key.Key_Space)
        viewer.close_viewer()
        sip.delete(viewer)
        asked.done({})
        asked.refuse("Ann holds control of this system")
