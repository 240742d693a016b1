"""Logs are opened in a project or alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QMimeData, QPointF, Qt, QUrl
from PyQt6.QtGui import QDropEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QFileDialog, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from studio.editor.log_files import controller as controller_module
from studio.editor.log_files.log_facts import LogFacts, mcap_of, read_facts, viewing_project
from studio.editor.log_files.open_dialog import PROJECT, OpenLogDialog
from studio.editor.log_files.topic_mapping import MappingDialog
from studio.editor.look.theme import LIGHT
from studio.editor.window.main_window import MainWindow
from tests.editor.log_files.given_logs import LOGGED, PATIENCE_MS, SOME_FACTS, carmen, mime, project
from tests.runtime.recording.logs import story, write_log
from tests.runtime.replay.played import write_rig

RIG = """<system name="rig" version="1">
  <component name="signal" type="signal_source"/>
  <component name="sink" type="signal_sink"/>
  <wire from="signal.value" to="sink.value"/>
</system>"""


class TestWindow:
    @pytest.fixture
    def mapping(self, one_window: MainWindow, tmp_path: Path) -> Iterator[MainWindow]:
        one_window.show()
        assert one_window.files.open(project(tmp_path / "mapping", LOGGED))
        yield one_window
        one_window.hide()
        one_window.show_session(None)

    def test_only_logs_can_be_dropped(self, mapping: MainWindow, tmp_path: Path) -> None:
        log = carmen(tmp_path)
        controller = mapping.logs
        assert controller.dropped(mime(log)) == log
        assert (
            controller.dropped(mime(log, log)) is None
            and controller.dropped(mime(tmp_path)) is None
            and controller.dropped(None) is None
        )
        assert controller.dropped(mime(tmp_path / "mapping")) is None, "a project is no log"
        (tmp_path / "bag").mkdir()
        (tmp_path / "bag" / "metadata.yaml").touch()
        assert controller.dropped(mime(tmp_path / "bag")) == tmp_path / "bag"

    def test_a_dropped_foreign_log_plays_in_the_project(
        self, mapping: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[str] = []
        monkeypatch.setattr(OpenLogDialog, "exec", lambda dialog: (asked.append(dialog.project.text()), PROJECT)[1])
        runs: list[bool] = []
        monkeypatch.setattr(mapping.live, "run", lambda *_: runs.append(True))
        mapping.logs.open(carmen(tmp_path))
        qtbot.waitUntil(lambda: bool(runs), timeout=PATIENCE_MS)
        assert asked == ["Play it in mapping"]
        logged = mapping.session.system.source("robot").logged
        assert logged is not None and logged.log == "logs/intel.mcap"
        assert set(logged.topics) == {"odom", "laser"}
        dialog = MappingDialog(mapping, LIGHT, mapping.session, read_facts(mapping.session.folder / logged.log))
        box = dialog.boxes["robot", "odom"]
        other = next(row for row in range(box.count()) if box.itemData(row) not in ("", logged.topics["odom"]))
        box.setCurrentIndex(other)
        dialog._apply()
        changed = mapping.session.system.source("robot").logged
        assert changed is not None and changed.topics["odom"] == box.itemData(other)
        dialog.boxes["robot", "laser"].setCurrentIndex(0)
        assert dialog.words.text() == "Nothing feeds robot.laser"
        box.setCurrentIndex(0)
        assert dialog.apply.isEnabled() and dialog.words.text() == "robot plays this log no more"
        dialog._apply()
        assert mapping.session.system.source("robot").logged is None

    def test_the_log_of_a_component_plays_once_that_is_made_a_source(
        self, mapping: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A robot built from the palette has no source: its first recording was refused, and the offer gone."""
        runs: list[bool] = []
        monkeypatch.setattr(mapping.live, "run", lambda *_: runs.append(True))
        folder = project(tmp_path / "rig", RIG)
        assert mapping.files.open(folder)
        facts = LogFacts(tmp_path / "rig.mcap", 1.0, 100, 1000, {"/signal/value": "Float64"})
        mapping.logs._play_here(facts)
        assert mapping.notice.asks("recorded") and not runs
        buttons = mapping.notice.findChildren(QPushButton)
        next(button for button in buttons if button.text() == "Turn it into a source and play").click()
        source = mapping.session.system.source("signal")
        assert source.mode == "logged" and source.logged is not None
        assert dict(source.logged.topics) == {"value": "/signal/value"}
        assert runs
        mapping.session.document.undo()
        mapping.session.document.undo()
        mapping.session.document.undo()
        assert mapping.session.system.component("signal").type == "signal_source"

        mapping.logs._play_here(LogFacts(tmp_path / "other.mcap", 1.0, 100, 1000, {"/other": "Float32"}))
        assert not mapping.notice.asks("recorded"), "nothing here could be such a source"

    def test_a_project_that_is_closed_while_its_log_is_read_plays_nothing(
        self, mapping: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        read: list[Callable[[LogFacts], None]] = []
        monkeypatch.setattr(mapping.logs, "_read_facts", lambda _, then: read.append(then))
        mapping.logs.play_here(tmp_path / "drive.mcap")
        mapping.show_session(None)
        read[0](SOME_FACTS)

    def test_a_foreign_log_chosen_for_a_source_is_mapped_and_starts_nothing(
        self, mapping: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        log = str(carmen(tmp_path))
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (log, ""))
        asked: list[str] = []
        monkeypatch.setattr(OpenLogDialog, "exec", lambda _: (asked.append("where"), 0)[1])
        monkeypatch.setattr(MappingDialog, "open", lambda _: asked.append("mapping"))
        mapping.logs.ask_provider()
        qtbot.waitUntil(lambda: bool(asked), timeout=PATIENCE_MS)
        assert asked == ["mapping"] and not mapping.session.document.is_modified

    def test_of_a_bag_the_file_that_describes_it_can_be_chosen_for_a_source(
        self, mapping: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bag = tmp_path / "bag"
        bag.mkdir()
        (bag / "metadata.yaml").write_text("rosbag2_bagfile_information: {}\n")
        file = write_rig(bag / "bag_0.mcap")
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(bag / "metadata.yaml"), ""))
        asked: list[Path] = []
        monkeypatch.setattr(mapping.logs, "ask_mapping", asked.append)
        mapping.logs.ask_provider()
        assert asked == [file]

    def test_without_a_project_it_opens_by_itself(
        self, one_window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        at_work: list[threading.Thread] = []

        def make(facts: LogFacts) -> Path:
            at_work.append(threading.current_thread())
            return viewing_project(facts, tmp_path / "viewed")

        monkeypatch.setattr(controller_module, "viewing_project", make)
        runs: list[bool] = []
        monkeypatch.setattr(one_window.live, "run_unless_attached", lambda: runs.append(True))
        one_window.logs.open(write_rig(tmp_path / "rig.mcap"))
        qtbot.waitUntil(lambda: bool(runs), timeout=PATIENCE_MS)
        assert one_window.session.system.source("log").mode == "logged"
        assert at_work and threading.main_thread() not in at_work, "many foreign types take a while"
        one_window.show_session(None)

    def test_a_bag_of_one_mcap_file_opens_without_an_import(self, tmp_path: Path) -> None:
        bag = tmp_path / "bag"
        bag.mkdir()
        (bag / "metadata.yaml").write_text("rosbag2_bagfile_information: {}\n")
        file = write_rig(bag / "bag_0.mcap")
        assert mcap_of(bag) == file == mcap_of(file)
        write_rig(bag / "bag_1.mcap")
        assert mcap_of(bag) is None and mcap_of(carmen(tmp_path)) is None

    def test_a_damaged_log_is_offered_to_be_saved(
        self, mapping: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(OpenLogDialog, "exec", lambda dialog: 0)
        log = tmp_path / "drive.mcap"
        write_log(log, story(300), close=False)
        content = bytearray(log.read_bytes())
        content[len(content) // 2] ^= 4
        log.write_bytes(content)
        mapping.logs.open(log)

        def told() -> list[QMessageBox]:
            """Others may have been left by tests before."""
            boxes = mapping.findChildren(QMessageBox)
            return [box for box in boxes if "drive.mcap is damaged: " in box.informativeText()]

        qtbot.waitUntil(lambda: bool(told()), timeout=PATIENCE_MS)
        box = told()[0]
        save = next(button for button in box.buttons() if button.text() == "Save intact part")
        save.click()
        importing = mapping.logs.importing
        assert importing is not None
        qtbot.waitUntil(lambda: importing.report is not None and not importing.is_under_way, timeout=PATIENCE_MS)
        assert "are intact" in importing.words.text()
        assert 100 < read_facts(importing.output).events < 300
        importing.close()


def test_who_drops_a_log_keeps_it(one_window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """File managers propose to move, and delete what was moved."""
    log, opened = tmp_path / "drive.mcap", []
    log.touch()
    monkeypatch.setattr(one_window.logs, "open", opened.append)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(log))])
    either = Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    drop = QDropEvent(QPointF(50, 50), either, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    drop.setDropAction(Qt.DropAction.MoveAction)
    one_window.dropEvent(drop)
    assert drop.isAccepted() and drop.dropAction() is Qt.DropAction.CopyAction
    QTest.qWait(10)
    assert opened == [log]
