"""Files as a person handles them in the window: opened, saved, closed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QObject
from PyQt6.QtWidgets import QApplication, QFileDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from studio.editor.window.main_window import MainWindow
from studio.model.document import SystemDocument
from studio.model.source_edits import SetProvider
from studio.model.sources import LogProvider


def test_saving_writes_what_was_edited_and_keeps_the_comment(window: MainWindow) -> None:
    window.canvas.commands.add("low_pass")
    assert window.windowTitle().startswith("system.xml* — rover")
    assert window.files.save()
    assert window.windowTitle().startswith("system.xml — rover")
    text = (window.session.folder / "system.xml").read_text(encoding="utf-8")
    assert 'name="low_pass"' in text and "<!-- the heart -->" in text
    assert "low_pass" in SystemDocument.load(window.session.folder).system.nodes


def test_a_project_opens_as_it_was_left(window: MainWindow) -> None:
    window.canvas.zoom_to(0.9)
    window.canvas.centerOn(500, 200)
    before = window.canvas.middle()
    window.files.save()
    window.files.open(window.session.folder)
    assert abs(window.canvas.zoom - 0.9) < 0.001
    assert abs(window.canvas.middle().x() - before.x()) < 2


def unknown(window: MainWindow) -> set[str]:
    return {name for name, item in window.canvas.canvas.nodes.items() if item.card.unknown}


class TestSaveAs:
    def test_the_whole_project_is_there_and_the_window_goes_on_in_it(self, window: MainWindow, tmp_path: Path) -> None:
        original = window.session.folder
        window.canvas.commands.add("low_pass")
        label = window.session.document.history.undo_label
        assert window.files.save_as(tmp_path / "copy")
        assert window.session.folder == tmp_path / "copy" and window.settings.recent()[0] == tmp_path / "copy"
        assert not window.session.document.is_modified and window.session.document.history.undo_label == label
        profile = window.session.registry.profile("terrain_map")
        assert profile is not None and profile.is_relative_to(tmp_path / "copy"), (
            "its own components, not the original's"
        )
        assert unknown(window) == {"mystery"}
        window.session.undo()
        assert window.files.save() and "low_pass" not in SystemDocument.load(tmp_path / "copy").system.nodes
        assert "low_pass" not in SystemDocument.load(original).system.nodes

    def test_nothing_is_left_to_restore_in_the_original(self, window: MainWindow, tmp_path: Path) -> None:
        original = window.session.folder
        window.canvas.commands.add("low_pass")
        window.files.autosave.keep()
        assert window.files.save_as(tmp_path / "copy")
        window.files.open(original)
        assert not window.notice.isVisible()

    def test_a_log_that_the_copy_does_not_find_is_named(self, window: MainWindow, tmp_path: Path) -> None:
        assert window.session.do(SetProvider("platform", "logged", LogProvider("../data/rig.mcap")))
        assert window.files.save_as(tmp_path / "new" / "copy")
        assert "not found from here: ../data/rig.mcap. Choose the log again" in window.status.words.text()

    def test_one_that_fails_stays_in_the_original(
        self, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told: list[str] = []
        monkeypatch.setattr(window.files, "_complain", lambda title, error: told.append(title))
        original = window.session.folder
        (tmp_path / "taken").mkdir()
        (tmp_path / "taken" / "thesis.txt").write_text("mine")
        assert not window.files.save_as(tmp_path / "taken")
        assert told == ["Not saved"] and window.session.folder == original
        window.canvas.commands.add("low_pass")
        window.files.autosave.keep()
        assert list(window.files.autosave.root.glob("*/*.xml")), "it goes on being kept"

    def test_a_system_that_runs_is_asked_about_first(
        self, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(window.live, "may_close", lambda close: False)
        assert not window.files.save_as(tmp_path / "copy") and not (tmp_path / "copy").exists()


class Paints(QObject):
    """Counts how often a widget is painted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.count = 0
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        self.count += event is not None and event.type() == QEvent.Type.Paint
        return False


def test_another_project_is_on_the_screen_at_once(window: MainWindow, tmp_path: Path) -> None:
    window.files.create(tmp_path / "other")
    QApplication.processEvents()
    paints = Paints(window)
    window.files.open(tmp_path / "rover")
    assert paints.count


def test_a_new_project_is_made_and_opened(window: MainWindow, tmp_path: Path) -> None:
    window.files.create(tmp_path / "fresh")
    assert window.session.name == "fresh" and not window.canvas.canvas.nodes
    assert window.canvas.empty_note.isVisible()


def test_closing_shows_the_welcome_page_with_what_was_open(window: MainWindow, qtbot: QtBot) -> None:
    folder = window.session.folder
    window.files.close()
    assert window.pages.currentWidget() is window.welcome
    assert folder.resolve() in window.settings.recent()
    window.welcome.project_wanted.emit(folder)
    qtbot.waitUntil(lambda: window.has_session and window.canvas.isVisible(), timeout=30_000)
    assert window.session.name == "rover"


def test_a_project_whose_system_runs_is_closed_only_if_that_is_meant(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([False, True])
    monkeypatch.setattr(window.live, "may_close", lambda close: next(answers))
    window.files.close()
    assert window.has_session
    window.files.close()
    assert not window.has_session


def test_a_log_is_opened_from_the_welcome_page(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda _, title, *__: (asked.append(title), ("", ""))[1])
    window.files.close()
    next(each for each in window.welcome.findChildren(QPushButton) if "a log" in each.text()).click()
    assert asked == ["Open or import a log"]


def test_a_project_whose_system_runs_is_left_for_another_only_if_that_is_meant(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again: list[Callable[[], object]] = []
    answers = iter([False, True, False, True])
    monkeypatch.setattr(window.live, "may_close", lambda close: (again.append(close), next(answers))[1])
    window.files.create(tmp_path / "other")
    window.files.open(tmp_path / "rover")
    window.files.ask_leave_and_open(tmp_path / "other")
    assert window.session.name == "rover"
    again[-1]()  # as it is called when the system has stopped
    assert window.session.name == "other"
    window.files.ask_leave_and_create(tmp_path / "fresh")
    assert window.session.name == "other" and not (tmp_path / "fresh").exists()
    again[-1]()
    assert window.session.name == "fresh"


def test_the_console_forgets_what_another_project_said(window: MainWindow, tmp_path: Path) -> None:
    console = window.live_panels.console
    console.add([{"time_ns": 1, "component": "filter", "level": "info", "text": "said before"}])
    window.files.create(tmp_path / "next")
    assert not console.book.said


def test_a_new_project_is_proposed_among_the_users_own_and_not_where_studio_was_started(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Studio is often started in its checkout, by `make run`."""
    proposed: list[Path] = []
    monkeypatch.setattr("studio.editor.window.files.ask_new_folder", lambda _, __, place, ___: proposed.append(place))
    monkeypatch.setattr(type(window.settings), "recent", lambda _: [])
    (tmp_path / "checkout").mkdir()
    monkeypatch.chdir(tmp_path / "checkout")
    window.files.new()
    monkeypatch.setattr(type(window.settings), "recent", lambda _: [tmp_path / "gone" / "rover", tmp_path / "cart"])
    window.files.new()
    assert [place.parent for place in proposed] == [Path.home(), tmp_path]
