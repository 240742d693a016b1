"""Logs are recorded from a system that runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QInputDialog, QToolBar
from pytestqt.qtbot import QtBot

from studio.editor.log_files.record import RecordButton, RecordDialog, growth_words, recording_words, time_words
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.window.main_window import MainWindow
from studio.model.system_edits import SetParameters
from studio.recordings import recordings_of
from studio.runtime.recording import LogReader
from tests.editor.log_files.given_logs import PATIENCE_MS, TICKING, project


def _is_whole(bar: QToolBar) -> bool:
    """Nothing is behind the arrow at its end."""
    seen = [bar.widgetForAction(action) for action in bar.actions() if action.isVisible()]
    return all(widget is None or widget.isVisible() for widget in seen)


def recording(log: Path) -> dict[str, object]:
    """What a system that is being recorded tells of itself."""
    return {"recording": str(log), "components": {}, "topics": {}, "sources": {}, "processes": {}, "gate": "run"}


class TestRecord:
    def test_what_is_recorded_was_chosen_for_one_project(
        self, one_window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first, second = (project(tmp_path / name, TICKING) for name in ("first", "second"))
        monkeypatch.setattr(RecordDialog, "exec", lambda _: 1)
        monkeypatch.setattr(RecordDialog, "topics", ["/signal/value"])
        monkeypatch.setattr(one_window.logs, "begin", lambda _: None)
        assert one_window.files.open(first)
        one_window.logs.ask_record()
        assert one_window.logs.topics == ["/signal/value"]
        assert one_window.files.open(second)
        assert one_window.logs.topics == [], "of another project"
        assert one_window.files.open(first)
        assert one_window.logs.topics == ["/signal/value"], "it is kept"
        one_window.show_session(None)

    def test_a_recording_that_goes_on_is_not_announced_in_another_project(
        self, one_window: MainWindow, tmp_path: Path
    ) -> None:
        first, second = (project(tmp_path / name, TICKING) for name in ("first", "second"))
        log = tmp_path / "a.mcap"
        log.write_bytes(b"being written")
        assert one_window.files.open(first)
        one_window.live.feed.state = recording(log)
        one_window.logs._look()
        assert one_window.files.open(second)  # and the system is left running
        assert not one_window.notice.asks("recorded") and one_window.logs.report is None
        one_window.show_session(None)

    def test_a_recording_that_goes_on_is_announced_after_its_project_was_read_again(
        self, one_window: MainWindow, tmp_path: Path
    ) -> None:
        log = tmp_path / "a.mcap"
        log.write_bytes(b"being written")
        assert one_window.files.open(project(tmp_path / "first", TICKING))
        feed = one_window.live.feed
        feed.state = recording(log)
        one_window.logs._look()
        assert one_window.files.open(tmp_path / "first")
        feed._forget_state()
        assert one_window.notice.asks("recorded")
        one_window.show_session(None)

    def test_a_bookmark_is_of_the_moment_at_which_it_was_asked_for(
        self, one_window: MainWindow, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        feed, asked = one_window.live.feed, []
        monkeypatch.setattr(feed, "state", {"clock": {"kind": "wall", "base_ns": 5, "at_ns": 0, "rate": 0.0}})

        def typed(*_: object) -> tuple[str, bool]:
            feed.state["clock"]["base_ns"] = 9  # words take their time
            return "the dog", True

        monkeypatch.setattr(QInputDialog, "getText", typed)
        monkeypatch.setattr(feed, "ask", lambda do, *_, **fields: asked.append((do, fields)))
        one_window.logs.ask_bookmark()
        assert asked == [("bookmark", {"text": "the dog", "time_ns": 5})]

    def test_the_dialog_tells_what_keeps_it(self, tmp_path: Path, qtbot: QtBot) -> None:
        file = tmp_path / "new.mcap"
        dialog = RecordDialog(None, DARK, {"/a": "Map", "/b": "Vote"}, [], file)  # type: ignore[arg-type]
        qtbot.addWidget(dialog)
        assert dialog.go.isEnabled() and "free" in dialog.words.text() and dialog.topics == []
        item = dialog.list.item(0)
        assert item is not None
        item.setCheckState(Qt.CheckState.Unchecked)
        assert dialog.topics == ["/b"]
        dialog._check(Qt.CheckState.Unchecked)
        assert not dialog.go.isEnabled() and dialog.words.text() == "Choose a topic"
        dialog._check(Qt.CheckState.Checked)
        file.touch()
        dialog._look()
        assert not dialog.go.isEnabled() and "never overwritten" in dialog.words.text()

    def test_the_button_follows_the_theme_also_while_nothing_happens(self, qtbot: QtBot) -> None:
        button = RecordButton(LIGHT)
        qtbot.addWidget(button)
        button.show_state("paused", {"seconds": 38.4}, None)
        button.show_theme(DARK)
        assert DARK.selection in button.styleSheet() and button.text() == " REC 00:38 held"

    def test_words(self) -> None:
        assert [time_words(seconds) for seconds in (38.4, 3725.0)] == ["00:38", "1:02:05"]
        told = recording_words({"file": "/l/x.mcap", "events": 5, "bytes": 2_500_000, "free_bytes": 9e9, "full": True})
        assert "/l/x.mcap" in told and "2.5 MB" in told and "9.00 GB free" in told and "DISK IS FULL" in told
        growing = {"bytes": 2_500_000, "free_bytes": 9e9, "bytes_per_s": 1_000_000, "left_s": 9000.0}
        assert recording_words(growing).splitlines()[-1] == "9.00 GB free on the disk, which is full in 2 h 30 min"
        assert growth_words(growing) == "Recorded 2.5 MB, 2 h 30 min left, 1.0 MB/s"
        assert growth_words({}) == "", "the recorder has told nothing yet"

    def test_a_running_system_is_recorded(self, one_window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
        window = one_window
        window.show()
        folder = project(tmp_path / "ticking", TICKING)
        assert window.files.open(folder)
        # What is on the canvas runs and is kept with the log, and nobody has saved it.
        assert window.session.do(SetParameters("signal", {"frequency_hz": 0.25}))
        window.trigger("run.start")
        try:
            qtbot.waitUntil(lambda: window.live.control.phase == "running", timeout=PATIENCE_MS)
            running = window.live.feed.state["components"]["signal"]["parameters"]
            assert running["frequency_hz"] == 0.25
            assert window.session.document.is_modified and (folder / "system.xml").read_text() == TICKING
            window.trigger("run.record")
            qtbot.waitUntil(lambda: bool((window.logs.report or {}).get("events")), timeout=PATIENCE_MS)
            assert window.toolbar.record.text().startswith(" REC 00:")
            size = window.size()
            for width in (1280, 1400, 1500, 1600, 1920):
                window.resize(width, 800)
                QTest.qWait(20)
                assert _is_whole(window.toolbar), f"something of the toolbar is out of sight at {width}"
            window.resize(size)
            window.trigger("run.record")
            qtbot.waitUntil(lambda: window.notice.asks("recorded"), timeout=PATIENCE_MS)
            log = next(recordings_of(tmp_path / "ticking").glob("*.mcap"))
            assert not (tmp_path / "ticking" / "logs").exists()
            with LogReader(log) as reader:
                assert b'"frequency_hz" value="0.25"' in reader.attachment("system.xml")
                assert reader.is_finished and reader.topics["/signal/value"].count > 0
            assert window.live.control.phase == "running" and window.toolbar.record.text() == " Record"
        finally:
            window.live.control.stop()
            qtbot.waitUntil(lambda: window.live.control.phase == "stopped", timeout=PATIENCE_MS)
            window.hide()
            window.show_session(None)
