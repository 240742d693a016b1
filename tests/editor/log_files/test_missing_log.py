"""Logged without a log: what is missing is said, and what one can do about it is offered."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from studio.editor.log_files.missing_log import NO_LOG, missing_log, recent_recordings
from studio.editor.log_files.topic_mapping import MappingDialog
from studio.editor.window.main_window import MainWindow
from studio.model.loaded_project import open_project
from tests.runtime.replay.played import write_rig

SYSTEM = """<system name="rig" version="1">
  <source name="rig" mode="logged">
    <port name="a" direction="out" type="Float64"/>
    <simulated>
      <component name="signal" type="signal_source" mode="periodic" period_s="0.02"/>
      <bind port="a" to="signal.value"/>
    </simulated>
    <logged log="logs/drive.mcap"/>
  </source>
</system>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "rig"
    (made / "logs").mkdir(parents=True)
    (made / "system.xml").write_text(SYSTEM)
    return made


@pytest.fixture
def opened(folder: Path, one_window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    one_window.show()
    assert one_window.files.open(folder)
    started: list[list[str]] = []
    monkeypatch.setattr(one_window.live.control, "start", lambda _, words, text=None: started.append(list(words)))
    one_window.started = started  # type: ignore[attr-defined]
    return one_window


def choices(window: MainWindow) -> dict[str, QPushButton]:
    return {button.text(): button for button in window.notice._buttons}


def test_the_first_source_whose_log_is_not_there(folder: Path) -> None:
    system = open_project(folder).system
    assert missing_log(system, folder) == ("rig", folder / "logs" / "drive.mcap")
    write_rig(folder / "logs" / "drive.mcap")
    assert missing_log(system, folder) is None


def test_recordings_are_offered_newest_first(folder: Path) -> None:
    for age, name in enumerate(("c", "a", "b")):
        path = folder / "logs" / f"{name}.mcap"
        path.touch()
        os.utime(path, (1000 - age, 1000 - age))
    assert [path.name for path in recent_recordings(folder)] == ["c.mcap", "a.mcap"]


def test_run_says_what_is_missing_instead_of_failing(
    opened: MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said only that the system does not start."""
    (folder / "logs" / "other.mcap").touch()
    opened.live.run()
    assert opened.started == []  # type: ignore[attr-defined]
    assert opened.notice.words.text() == (
        "Choose a recording to play for rig. Nothing was started. (logs/drive.mcap does not exist.)"
    )
    assert list(choices(opened)) == ["Play other.mcap", "Choose a log…", "Record it in simulation", "Close"]
    asked: list[str] = []
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *words, **_: (asked.append(words[1]), ("", ""))[1])
    choices(opened)["Choose a log…"].click()
    assert asked == ["Choose a log for the sources"]
    opened.notice.withdraw()


def test_it_is_recorded_into_the_very_log_that_is_missing(opened: MainWindow, folder: Path) -> None:
    opened.live.run()
    choices(opened)["Record it in simulation"].click()
    assert opened.session.system.source("rig").mode == "simulated"
    (words,) = opened.started  # type: ignore[attr-defined]
    assert words[:2] == ["--record", str(folder / "logs" / "drive.mcap")]


def test_a_simulation_is_offered_only_where_all_of_it_can_be_simulated(opened: MainWindow, folder: Path) -> None:
    """Only one of two sources was, and the other one looked for its log again."""
    other = """  <source name="other" mode="logged">
    <port name="b" direction="out" type="Float64"/>
    <logged log="logs/drive.mcap"/>
  </source>
</system>"""
    (folder / "system.xml").write_text(SYSTEM.replace("</system>", other))
    assert opened.files.open(folder)
    opened.live.run()
    assert list(choices(opened)) == ["Choose a log…", "Close"]
    opened.notice.withdraw()


def test_choosing_logged_says_so_before_anybody_runs_it(opened: MainWindow) -> None:
    opened.session.choose_modes({"rig": "simulated"})
    opened.notice.withdraw()
    opened.toolbar.switch.buttons["logged"].click()
    assert opened.session.system.source("rig").mode == "logged"
    assert opened.notice.words.text() == "No log to play: logs/drive.mcap does not exist."
    opened.notice.withdraw()


def test_the_question_goes_when_the_choice_is_undone(opened: MainWindow) -> None:
    """It went on to ask for a log above a system that was simulated again."""
    opened.session.choose_modes({"rig": "simulated"})
    opened.toolbar.switch.buttons["logged"].click()
    assert opened.notice.asks(NO_LOG)
    opened.session.undo()
    assert opened.session.system.source("rig").mode == "simulated"
    assert not opened.notice.asks(NO_LOG)


def test_the_question_goes_when_a_log_was_chosen(opened: MainWindow, folder: Path, qtbot: QtBot) -> None:
    """It went on to say that nothing was switched."""
    opened.live.run()
    assert opened.notice.asks(NO_LOG)
    write_rig(folder / "logs" / "other.mcap")
    opened.logs.ask_mapping(folder / "logs" / "other.mcap")
    qtbot.waitUntil(lambda: opened.findChild(MappingDialog) is not None)
    dialog = opened.findChild(MappingDialog)
    assert dialog is not None
    dialog.apply.click()
    logged = opened.session.system.source("rig").logged
    assert logged is not None and logged.log == "logs/other.mcap" and not opened.notice.asks(NO_LOG)
    dialog.deleteLater()
