"""The Edit menu acts on what one is looking at: the text that has the focus, or the canvas if it can be seen."""

from __future__ import annotations

import pytest
from PyQt6.QtWidgets import QApplication, QDoubleSpinBox, QPlainTextEdit
from pytestqt.qtbot import QtBot

from studio.editor.window import text_verbs
from studio.editor.window.main_window import MainWindow

CODE = "one\ntwo"


@pytest.fixture
def text(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> QPlainTextEdit:
    found = QPlainTextEdit(CODE)
    monkeypatch.setattr(text_verbs, "focused_text", lambda: found)
    monkeypatch.setattr("studio.editor.window.menus.focused_text", lambda: found)
    window.canvas.canvas.select(["terrain_map"])
    return found


def texts(window: MainWindow) -> object:
    return window.session.document.texts()


def test_nothing_of_the_system_changes_while_a_text_is_edited(window: MainWindow, text: QPlainTextEdit) -> None:
    before = texts(window)
    window.trigger("edit.select_all")
    assert text.textCursor().selectedText().replace("\u2029", "\n") == CODE
    window.trigger("edit.cut")
    assert text.toPlainText() == "" and texts(window) == before
    window.trigger("edit.undo")
    assert text.toPlainText() == CODE
    window.trigger("edit.redo")
    window.trigger("edit.paste")
    assert text.toPlainText() == CODE and texts(window) == before
    text.selectAll()
    window.trigger("edit.delete")
    assert text.toPlainText() == "" and texts(window) == before
    assert "terrain_map" in window.session.system.nodes


def test_code_and_numbers_are_text_too(window: MainWindow, qtbot: QtBot) -> None:
    """The editor of code is no widget of Qt's own, and the focus of a number is not in its field."""
    QApplication.setActiveWindow(window)
    qtbot.waitUntil(window.isActiveWindow, timeout=20_000)
    before = texts(window)
    file = window.session.folder / "notes.py"
    file.write_text("x = 1\n")
    page = window.code.open_at(str(file), 1)
    assert page is not None
    page.editor.setFocus()
    qtbot.waitUntil(lambda: text_verbs.focused_text() is page.editor)
    window.canvas.canvas.select(["terrain_map"])
    for action, expected in (("select_all", "x = 1\n"), ("delete", ""), ("undo", "x = 1\n"), ("redo", "")):
        window.trigger(f"edit.{action}")
        assert page.editor.text() == expected, action
    assert texts(window) == before
    page.editor.undo()
    number = QDoubleSpinBox(window)
    number.show()
    number.setFocus()
    assert text_verbs.focused_text() is number.lineEdit()
    number.deleteLater()


def test_a_text_that_is_only_read_is_not_changed(window: MainWindow, text: QPlainTextEdit) -> None:
    text.setReadOnly(True)
    text.selectAll()
    window.trigger("edit.delete")
    assert text.toPlainText() == CODE and "terrain_map" in window.session.system.nodes


def test_the_menu_tells_what_the_text_can_do(window: MainWindow, text: QPlainTextEdit) -> None:
    menu, undo = window.menus.by_title["Edit"], window.menus.actions["edit.undo"]
    window.canvas.commands.duplicate()
    assert undo.text() != "Undo"
    menu.aboutToShow.emit()
    assert (undo.text(), undo.isEnabled()) == ("Undo", False)
    text.insertPlainText("more")
    menu.aboutToShow.emit()
    assert undo.isEnabled()


def test_what_cannot_be_seen_is_not_deleted(window: MainWindow) -> None:
    window.canvas.canvas.select(["terrain_map"])
    window.viewers.add("topics")
    window.docks.move("topics.1", "tab", beside="system")
    window.docks.show("topics.1")
    window.canvas.clearFocus()
    window.trigger("edit.delete")
    assert "terrain_map" in window.session.system.nodes
    assert window.docks.is_in_front("system")
    window.trigger("edit.delete")
    assert "terrain_map" not in window.session.system.nodes
