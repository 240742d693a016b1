"""Files as a person handles them in the window: opened, saved, changed by others."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from studio.editor.main_window import MainWindow
from studio.editor.notice import difference
from studio.model.document import SystemDocument
from studio.model.parts import Component
from studio.model.system_edits import AddNode


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


def test_save_as_goes_on_in_the_new_folder(window: MainWindow, tmp_path: Path) -> None:
    assert window.files.save_as(tmp_path / "copy")
    assert window.session.folder == tmp_path / "copy"
    assert window.settings.recent()[0] == tmp_path / "copy"


def test_what_others_wrote_is_read_again_if_nothing_was_edited(window: MainWindow, qtbot: QtBot) -> None:
    file = window.session.folder / "system.xml"
    file.write_text(file.read_text(encoding="utf-8").replace('name="rover"', 'name="ranger"'), encoding="utf-8")
    qtbot.waitUntil(lambda: window.session.name == "ranger", timeout=10000)


def test_what_others_wrote_is_not_lost_when_both_edited(window: MainWindow, qtbot: QtBot) -> None:
    window.session.do(AddNode(Component("mine", "low_pass")))
    file = window.session.folder / "system.xml"
    theirs = file.read_text(encoding="utf-8").replace('name="rover"', 'name="ranger"')
    file.write_text(theirs, encoding="utf-8")
    qtbot.waitUntil(window.notice.isVisible, timeout=10000)
    assert not window.files.save()
    assert file.read_text(encoding="utf-8") == theirs
    assert 'name="mine"' in difference(window.session.document.texts())
    keep = next(button for button in window.notice.findChildren(QPushButton) if button.text() == "Keep mine")
    keep.click()
    assert 'name="mine"' in file.read_text(encoding="utf-8") and not window.notice.isVisible()


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


def test_what_a_window_that_died_had_not_saved_is_offered_again(window: MainWindow) -> None:
    folder = window.session.folder
    saved = (folder / "system.xml").read_bytes()
    window.session.do(AddNode(Component("rescued", "low_pass")))
    window.files.autosave.keep()
    assert (folder / "system.xml").read_bytes() == saved
    window.files.autosave.follow(None)  # as if the process had ended here
    window.files.open(folder)
    assert window.notice.isVisible() and "rescued" not in window.session.system.nodes
    window.session.do(AddNode(Component("other", "low_pass")))
    window.files.autosave.keep()  # must not overwrite what is offered
    window.session.undo()
    restore = next(button for button in window.notice.findChildren(QPushButton) if button.text() == "Restore")
    restore.click()
    assert "rescued" in window.session.system.nodes and "other" not in window.session.system.nodes
    assert not list(window.files.autosave.root.glob("*/*.xml"))


def test_nothing_is_kept_of_what_was_saved_or_given_up(window: MainWindow) -> None:
    window.canvas.commands.add("low_pass")
    window.files.autosave.keep()
    assert list(window.files.autosave.root.glob("*/*.xml"))
    window.files.save()
    assert not list(window.files.autosave.root.glob("*/*.xml"))
    window.canvas.commands.add("low_pass")
    window.files.autosave.keep()
    window.files.ask_leave_and_open(window.session.folder)
    assert not window.notice.isVisible()
    assert not list(window.files.autosave.root.glob("*/*.xml"))
