"""Choosing where data comes from: what is told before, what is asked, and what the band says."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from studio.editor.live.effects import Actuator, actuators_of, effects_of, mix_words
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.inspector.source_page import SourcePage
from studio.editor.project.leaving import LeavingBox
from studio.editor.project.session import Session
from studio.editor.sources import arming as arming_module
from studio.editor.sources import controller as controller_module
from studio.editor.sources.arming import ARM, ArmDialog, Arming
from studio.editor.window.main_window import MainWindow
from studio.errors import StudioError
from studio.model.loaded_project import open_project
from studio.model.source_edits import ChooseModes, SetProvider
from studio.model.sources import explain_differences

ROOT = Path(__file__).resolve().parents[3]
CAR = Actuator("car", "top_speed_m_s", 1.0)


@pytest.fixture
def raptor(one_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
    folder = tmp_path / "raptor"
    shutil.copytree(ROOT / "projects" / "raptor_blocks_world", folder, ignore=shutil.ignore_patterns("logs"))
    one_window.show()
    assert one_window.files.open(folder)
    yield one_window
    one_window.hide()
    one_window.show_session(None)


def test_what_a_choice_stops_and_starts_is_told() -> None:
    opened = open_project(ROOT / "projects" / "raptor_blocks_world")
    told = effects_of(opened.system, opened.registry, {"platform": "real"}, {"platform": "simulated"})
    assert told.stops == ("simulator",)
    assert told.starts == ("left_driver", "right_driver", "ins_driver", "car")
    assert told.clock == "wall time" and "terrain_map" in told.keeps and "simulator" not in told.keeps
    assert [(each.name, each.speed) for each in told.actuators] == [("car", "top_speed_m_s")]
    assert told.rows[:2] == [("Stops", "simulator"), ("Starts", "left_driver, right_driver, ins_driver, car")]
    later = effects_of(opened.system, opened.registry, {"platform": "real"}, {}, runs=False)
    assert later.rows[0][0] == "Run starts" and later.sentence.startswith("Nothing happens now")
    logged = effects_of(opened.system, opened.registry, {"platform": "logged"}, {"platform": "simulated"})
    assert logged.starts == ("the log drive.mcap",) and logged.clock == "time of the log" and not logged.actuators
    assert not effects_of(opened.system, opened.registry, {"platform": "simulated"}, {}).modes


def test_a_mix_has_a_name() -> None:
    assert mix_words({"laser": "logged", "vehicle": "simulated"}) == "laser logged, vehicle simulated"
    assert mix_words({"laser": "logged", "pose": "logged"}) == ""
    assert mix_words(dict.fromkeys("abc", "real") | {"d": "logged"}) == "3 sources real, d logged"


def test_another_project_is_opened_after_one_that_is_real(raptor: MainWindow, rover: Path) -> None:
    """Whose sources have other names: the band is shown anew as soon as the other one has been checked."""
    assert raptor.session.do(ChooseModes({"platform": "real"}))
    assert raptor.band.is_real
    file = rover / "system.xml"
    file.write_text(file.read_text(encoding="utf-8").replace("platform", "undercarriage"), encoding="utf-8")
    assert raptor.files.open(rover)
    assert raptor.session.folder == rover and not raptor.band.is_real


def segment(window: MainWindow, choice: str) -> QPointF:
    card = window.canvas.canvas.nodes["platform"]
    left, width = next((left, width) for each, left, width in card.card.segments() if each == choice)
    return card.pos() + QPointF(left + width / 2, 48)


def press(window: MainWindow, choice: str) -> None:
    window.canvas.look_at(1.0, segment(window, choice))
    QApplication.processEvents()
    at = window.canvas.mapFromScene(segment(window, choice))
    QTest.mouseClick(window.canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_a_source_is_switched_to_gazebo_on_its_card_and_back(raptor: MainWindow) -> None:
    def types() -> list[str]:
        provider = raptor.session.system.source("platform").simulated
        return [component.type for component in provider.components]

    before = raptor.session.document.texts()
    press(raptor, "gazebo")
    assert types() == ["raptor_gazebo"]
    card = raptor.canvas.canvas.nodes["platform"].card
    assert (card.mode, card.choice) == ("simulated", "gazebo")
    assert raptor.session.problems == [] and card.differs == ()
    raptor.session.undo()
    assert raptor.session.document.texts() == before, "one step back, and nothing else has changed"
    raptor.session.redo()
    press(raptor, "simulated")
    assert types() == ["raptor_simulator"]
    press(raptor, "gazebo")
    press(raptor, "logged")
    assert (raptor.session.system.source("platform").mode, types()) == ("logged", ["raptor_gazebo"])
    press(raptor, "simulated")
    assert (raptor.session.system.source("platform").mode, types()) == ("simulated", ["raptor_simulator"])


def test_the_page_of_a_source_has_gazebo_too_and_names_the_server_that_is_connected(
    raptor: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(raptor.gazebo), "server_for_runs", lambda _: "127.0.0.1:11399")
    session = raptor.session

    def page() -> SourcePage:
        return SourcePage(session, session.system.source("platform"), LIGHT, raptor.live.control)

    assert list(page().buttons) == ["real", "logged", "simulated", "gazebo"]
    page().buttons["gazebo"].click()
    provider = session.system.source("platform").simulated
    assert provider.components[0].parameters == {"world": "blocks", "server": "127.0.0.1:11399"}
    assert page().buttons["gazebo"].toolTip() == "A Gazebo server simulates it"
    page().buttons["simulated"].click()
    provider = session.system.source("platform").simulated
    assert provider.components[0].parameters == {"world": "blocks"}, "without the server"


class TestRunning:
    """The picture of a running system is given; what the window then asks and shows is real."""

    @pytest.fixture
    def up(self, raptor: MainWindow, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
        raptor.live.feed.state = {"sources": {"platform": "simulated"}, "components": {}, "topics": {}, "gate": "run"}
        monkeypatch.setattr(type(raptor.live.control), "is_up", property(lambda _: True))
        monkeypatch.setattr(raptor.live.feed, "ask", lambda *_, **__: None)
        return raptor

    def test_another_simulator_is_asked_for_and_told_as_a_restart(
        self, up: MainWindow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[dict[str, Any]] = []
        monkeypatch.setattr(up.live.feed, "ask", lambda verb, *_, **more: asked.append({"verb": verb, **more}))
        press(up, "gazebo")
        card = up.sources.card
        words = [label.text() for label in card.findChildren(QLabel)]
        assert words[0] == "Switch to Gazebo?"
        assert "simulator" in words and "simulator on a Gazebo server" in words
        card.go.click()
        with monkeypatch.context() as attached:
            attached.setattr(type(up.live.feed), "is_attached", property(lambda _: True))
            up.live.edits._follow()
        assert [(each["verb"], each["restart"]) for each in asked] == [("reload", True)]
        assert 'type="raptor_gazebo"' in asked[0]["text"]

    @pytest.fixture(autouse=True)
    def gone(self, raptor: MainWindow) -> Iterator[None]:
        yield
        raptor.live.feed.state = {}

    def test_a_card_that_is_open_follows_the_theme(self, up: MainWindow) -> None:
        """It stayed white in a window that had become dark."""
        (up.session.folder / "logs").mkdir()
        (up.session.folder / "logs" / "drive.mcap").touch()
        up.toolbar.switch.buttons["logged"].click()
        card = up.sources.card
        assert card is not None and card.isVisible()
        up.show_theme(DARK)
        corner = card.grab().toImage().pixelColor(8, 8)
        card.close()
        assert corner.name() == DARK.panel.lower()

    def test_a_card_asks_first_and_escape_changes_nothing(self, up: MainWindow) -> None:
        up.toolbar.switch.buttons["logged"].click()
        assert (
            up.sources.card is None and "logs/drive.mcap does not exist. Nothing was switched" in up.notice.words.text()
        )
        (up.session.folder / "logs").mkdir()
        (up.session.folder / "logs" / "drive.mcap").touch()
        up.toolbar.switch.buttons["logged"].click()
        card = up.sources.card
        assert card is not None and card.isVisible()
        QTest.keyClick(card, Qt.Key.Key_Escape)
        assert up.session.system.source("platform").mode == "simulated"
        up.toolbar.switch.buttons["logged"].click()
        assert up.sources.card is not None and up.sources.card is not card
        QTest.keyClick(up.sources.card.go, Qt.Key.Key_Return)
        assert up.session.system.source("platform").mode == "logged"
        assert up.toolbar.switch.buttons["logged"].accessibleDescription() == "under way"
        up.live.feed.state["sources"] = {"platform": "logged"}
        up.sources._look()
        assert up.toolbar.switch.buttons["logged"].text() == " Logged" and up.band.modes == ["logged"]
        up.session.undo()

    def test_what_runs_counts_and_not_what_was_wished_for(self, up: MainWindow) -> None:
        up.sources._do({"platform": "logged"})
        up.live.edits.failed.emit("the log is missing")
        assert up.band.modes == ["simulated"] and up.toolbar.switch.under_way is None
        up.session.undo()

    @pytest.fixture
    def armed(self, up: MainWindow, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Actuator, ...]]:
        """Somebody presses Arm in every dialog; whom the window then arms is written down."""
        found: list[tuple[Actuator, ...]] = []
        monkeypatch.setattr(controller_module.ArmDialog, "exec", lambda _: ARM)
        monkeypatch.setattr(up.sources.arming, "arm", lambda actuators, _: found.append(actuators))
        return found

    def test_who_chooses_real_and_arms_is_armed_when_it_has_come(
        self, up: MainWindow, armed: list[tuple[Actuator, ...]]
    ) -> None:
        up.toolbar.switch.buttons["real"].click()
        assert not armed, "it is not real yet"
        up.live.feed.state["sources"] = {"platform": "real"}
        up.sources._look()
        assert [[each.name for each in actuators] for actuators in armed] == [["car"]]
        up.session.undo()

    def test_another_choice_on_the_way_to_real_takes_the_arming_back(
        self, up: MainWindow, armed: list[tuple[Actuator, ...]]
    ) -> None:
        up.toolbar.switch.buttons["real"].click()
        up.toolbar.switch.buttons["simulated"].click()
        assert not armed, "simulated was chosen instead, and is there"
        up.live.feed.state["sources"] = {"platform": "real"}
        up.sources._look()
        assert not armed, "nor when the first switch comes through all the same"

    def test_undoing_the_choice_takes_the_arming_back(self, up: MainWindow, armed: list[tuple[Actuator, ...]]) -> None:
        up.toolbar.switch.buttons["real"].click()
        up.session.undo()
        up.session.redo()
        up.live.feed.state["sources"] = {"platform": "real"}
        up.sources._look()
        assert not armed
        up.session.undo()

    def test_a_system_that_ends_while_the_dialog_is_open_leaves_nothing_to_arm(
        self, up: MainWindow, armed: list[tuple[Actuator, ...]], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def end(_: object) -> int:
            monkeypatch.setattr(type(up.live.control), "is_up", property(lambda _: False))
            up.sources._ended()
            return ARM

        monkeypatch.setattr(controller_module.ArmDialog, "exec", end)
        up.toolbar.switch.buttons["real"].click()
        monkeypatch.setattr(type(up.live.control), "is_up", property(lambda _: True))
        up.sources._do({"platform": "simulated"})
        up.live.feed.state["sources"] = {"platform": "simulated"}
        up.sources._look()
        assert not armed
        up.session.undo()

    def test_the_band_of_what_is_real_cannot_be_overlooked(self, up: MainWindow) -> None:
        up.live.feed.state["sources"] = {"platform": "real"}
        car = {"parameters": {"armed": False}, "inputs": {"command": ["/arc_arbiter/command"]}}
        up.live.feed.state["components"] = {"car": car}
        up.live.feed.state["topics"] = {"/arc_arbiter/command": {"rate_hz": 10.0, "count": 5}}
        up.sources.arming._look()
        up.sources._look()
        assert up.band.height() == 26 and up.band.words.text() == "REAL SENSORS · vehicle not armed"
        assert up.band.arm.isVisible() and not up.band.stop.isVisible()
        car["parameters"]["armed"] = True  # type: ignore[index]
        up.sources.arming._look()
        assert up.band.words.text() == "REAL VEHICLE · ARMED · commands from arc_arbiter move Raptor"
        assert up.band.more.text().endswith("10.0 Hz commands") and up.band.stop.isVisible()
        picture = up.band.grab().toImage()
        assert picture.pixelColor(picture.width() // 2, 2).name() == "#ff7a1a"
        car["parameters"]["armed"] = False  # type: ignore[index]
        up.sources.arming._look()

    def test_the_band_tells_a_safety_stop_and_lets_the_vehicle_go_on(
        self, up: MainWindow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[tuple[str, dict[str, Any]]] = []
        monkeypatch.setattr(up.live.feed, "ask", lambda do, *_, **fields: asked.append((do, fields)))
        up.live.feed.state["sources"] = {"platform": "real"}
        car: dict[str, Any] = {"parameters": {"armed": True}, "inputs": {}, "shown": {"safety_stop": ""}}
        up.live.feed.state["components"] = {"car": car}
        up.sources.arming._look()
        up.sources._look()
        assert up.band.stop.isVisible() and not up.band.resume.isVisible()
        car["shown"]["safety_stop"] = "no command for 250 ms"
        up.sources.arming._look()
        assert up.band.words.text() == "REAL VEHICLE · ARMED · STOPPED: no command for 250 ms"
        assert up.band.resume.isVisible() and up.band.stop.isVisible(), "it can still be disarmed"
        QTest.mouseClick(up.band.resume, Qt.MouseButton.LeftButton)
        assert asked == [("command", {"component": "car", "command": {"do": "resume"}})]
        car["shown"]["safety_stop"] = ""
        up.sources.arming._look()
        assert not up.band.resume.isVisible()
        car["parameters"]["armed"], car["shown"]["safety_stop"] = False, "the process of car ended"
        up.sources.arming._look()
        assert up.band.words.text() == "REAL VEHICLE · NOT ARMED · STOPPED: the process of car ended"
        assert up.band.arm.isVisible() and not up.band.resume.isVisible()
        car["shown"]["safety_stop"] = ""
        up.sources.arming._look()

    def test_the_window_shows_a_policy_of_the_system_file(
        self, up: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Before it is armed, while it is, and in the dialog that arms it."""
        platform = next(each for each in up.session.system.sources if each.name == "platform")
        assert platform.real is not None
        assert not any(each.resumes for each in actuators_of(platform, up.session.registry))
        parts = tuple(
            replace(each, parameters={**each.parameters, "after_stop": "resume"}) if each.name == "car" else each
            for each in platform.real.components
        )
        changed = replace(platform, real=replace(platform.real, components=parts))
        (car,) = actuators_of(changed, up.session.registry)
        assert car.resumes
        monkeypatch.setattr(up.sources, "real_actuators", lambda: (car,))
        up.live.feed.state["sources"] = {"platform": "real"}
        up.sources._look()
        assert up.band.words.text().endswith("resumes without you after a safety stop")
        dialog = ArmDialog(None, DARK, "Raptor", (car,), "", runs=True)  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        assert any("resumes without you" in label.text() for label in dialog.findChildren(QLabel))

    def test_the_armed_band_tells_how_old_the_link_and_the_last_command_are(
        self, up: MainWindow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now, feed, arming = [10**12], up.live.feed, up.sources.arming
        monkeypatch.setattr(arming_module, "monotonic_ns", lambda: now[0])
        feed.state["sources"] = {"platform": "real"}
        feed.state["components"] = {"car": {"parameters": {"armed": True}, "inputs": {"command": ["/arbiter/command"]}}}
        told = {"rate_hz": 0.0, "count": 0}
        feed.state["topics"] = {"/arbiter/command": told}
        arming._hear()
        up.sources._look()
        assert up.band.more.text() == "link 0.0 s · no command yet"
        told.update(rate_hz=10.0, count=5)
        arming._hear()
        now[0] += 2_500_000_000
        arming._look_around()
        assert up.band.more.text() == "link 2.5 s · last command 2.5 s ago · 10.0 Hz commands"
        now[0] += 500_000_000
        arming._hear()
        assert up.band.more.text() == "link 0.0 s · last command 3.0 s ago · 10.0 Hz commands"
        feed.state["components"]["car"]["parameters"]["armed"] = False
        arming._look()


class TestArming:
    def test_nothing_is_armed_by_accident(self, qtbot: QtBot) -> None:
        dialog = ArmDialog(None, DARK, "Raptor", (CAR,), "", runs=True)  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        dialog.show()
        assert dialog.cancel.isDefault() and not dialog.arm.isEnabled()
        assert not dialog.name.placeholderText(), "it looked as if the name was typed already"
        dialog.name.setText("raptor")
        assert not dialog.arm.isEnabled()
        for check in dialog.checks:
            check.setChecked(True)
        assert dialog.arm.isEnabled() and dialog.speed.maximum() == 1.0
        dialog.name.setText("Rapto")
        assert not dialog.arm.isEnabled()
        stopped = ArmDialog(None, LIGHT, "Raptor", (CAR,), "", runs=False)  # type: ignore[arg-type]
        qtbot.addWidget(stopped)
        stopped.name.setText("Raptor")
        assert not stopped.arm.isEnabled() and stopped.sensors.isEnabled()

    def test_escape_twice_disarms(self, raptor: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[dict[str, Any]] = []
        arming: Arming = raptor.sources.arming
        monkeypatch.setattr(raptor.live.feed, "ask", lambda do, *_, **fields: asked.append(fields))
        arming.arm((CAR,), 0.5)
        assert asked == [{"component": "car", "name": "top_speed_m_s", "value": 0.5}], (
            "the limit first, then it is armed"
        )
        asked.clear()
        now = [10**12]
        monkeypatch.setattr(arming_module, "monotonic_ns", lambda: now[0])
        raptor.live.feed.state = {"components": {"car": {"parameters": {"armed": True}, "inputs": {}}}, "topics": {}}
        arming._look()
        try:
            QTest.keyClick(raptor.canvas, Qt.Key.Key_Escape)
            now[0] += 10**9
            QTest.keyClick(raptor.canvas, Qt.Key.Key_Escape)
            assert not asked, "too slow"
            now[0] += 10**8
            QTest.keyClick(raptor.canvas, Qt.Key.Key_Escape)
            assert asked == [{"component": "car", "name": "armed", "value": False}]
        finally:
            raptor.live.feed.state = {}
            arming._look()
            QApplication.processEvents()

    @pytest.mark.parametrize("answered", [True, False])
    def test_who_leaves_an_armed_vehicle_disarms_it_or_stays(
        self, raptor: MainWindow, monkeypatch: pytest.MonkeyPatch, answered: bool
    ) -> None:
        asked: list[dict[str, Any]] = []
        boxes: list[LeavingBox] = []

        def ask(do: str, done: Any, failed: Any, **fields: Any) -> None:
            asked.append(fields)
            done({}) if answered else failed(StudioError("Kim holds control of this system"))

        def leave(box: LeavingBox) -> str:
            boxes.append(box)
            return "leave"

        monkeypatch.setattr(LeavingBox, "ask", leave)
        monkeypatch.setattr(raptor.live.feed, "ask", ask)
        monkeypatch.setattr(raptor.live.control, "_phase", "running")
        car = {"parameters": {"armed": True}, "inputs": {}}
        raptor.live.feed.state = {"components": {"car": car}, "topics": {}, "sources": {"platform": "real"}}
        raptor.sources.arming._look()
        try:
            assert raptor.live.may_close(lambda: None) is answered
            assert asked == [{"component": "car", "name": "armed", "value": False}]
            assert "car is ARMED" in boxes[0].text() and boxes[0].defaultButton() is boxes[0].stop
            assert boxes[0].escapeButton() is boxes[0].stay
            if not answered:
                assert "Kim holds control" in raptor.status.words.text()
        finally:
            raptor.live.feed.state = {}
            raptor.sources.arming._look()
            QApplication.processEvents()

    def test_what_is_real_is_named_and_not_left_by_the_enter_key(self, window: MainWindow) -> None:
        box = LeavingBox(window, "rover", real=True, armed=())
        assert "REAL" in box.text() and box.defaultButton() is box.stay
        assert LeavingBox(window, "rover", real=False, armed=()).defaultButton() is not box.stay


def test_logged_without_a_log_asks_for_one(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda _, title, *__: (asked.append(title), ("", ""))[1])
    assert window.session.do(SetProvider("platform", "logged", None))
    button = window.toolbar.switch.buttons["logged"]
    assert button.isEnabled() and "No log is chosen" in button.toolTip()
    button.click()
    assert asked == ["Open or import a log"]


def test_a_provider_that_differs_says_so_and_is_mended_by_a_click(window: MainWindow) -> None:
    session = window.session
    simulated = session.system.source("platform").simulated
    assert simulated is not None
    without = {port: end for port, end in simulated.binds.items() if port != "ins.pose"}
    assert session.do(SetProvider("platform", "simulated", replace(simulated, binds=without)))
    page = SourcePage(session, session.system.source("platform"), LIGHT, window.live.control)
    assert [button.text() for button in page.fixes] == ["Bind ins.pose to sim.pose"]
    assert not page.buttons["real"].isEnabled() and "No real provider" in page.buttons["real"].toolTip()
    page.fixes[0].click()
    assert not explain_differences(session.system.source("platform"), session.registry)
    page.buttons["logged"].click()
    assert session.system.source("platform").mode == "logged"
    page.stop()


def test_the_dot_on_a_segment_of_the_toolbar_opens_the_difference_and_chooses_nothing(window: MainWindow) -> None:
    session = window.session
    button = window.toolbar.switch.buttons["simulated"]
    assert session.do(ChooseModes({"platform": "logged"})) and not button.dot.isVisible()
    break_the_simulator(session)
    assert button.dot.isVisible() and button.dot.geometry().topRight() == button.rect().topRight()
    assert "The dot" in button.toolTip()
    QTest.mouseClick(button.dot, Qt.MouseButton.LeftButton)
    card = window.sources.differences
    assert card is not None and card.isVisible() and session.system.source("platform").mode == "logged"
    card.fixes[0].click()
    assert not button.dot.isVisible()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert session.system.source("platform").mode == "simulated"


def test_the_dot_on_a_segment_is_reached_and_pressed_by_key_and_has_a_name(window: MainWindow) -> None:
    session = window.session
    button = window.toolbar.switch.buttons["simulated"]
    assert session.do(ChooseModes({"platform": "logged"}))
    break_the_simulator(session)
    assert button.dot.accessibleName().startswith("Simulated is not what platform promises: ")
    button.setFocus()
    QTest.keyClick(button, Qt.Key.Key_Tab)
    assert button.dot.hasFocus()
    QTest.keyClick(button.dot, Qt.Key.Key_Space)
    card = window.sources.differences
    assert card is not None and card.isVisible() and session.system.source("platform").mode == "logged"
    card.close()


def break_the_simulator(session: Session) -> None:
    """It provides a port less than the source promises."""
    simulated = session.system.source("platform").simulated
    assert simulated is not None
    without = {port: end for port, end in simulated.binds.items() if port != "ins.pose"}
    assert session.do(SetProvider("platform", "simulated", replace(simulated, binds=without)))
