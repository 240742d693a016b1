"""system.xml beside the canvas: both ways live, one history, faults underlined while one types."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QFontDatabase, QImage
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from studio.editor.look.fonts import use_ligatures
from studio.editor.system_text.page import SystemTextPage
from studio.editor.window.main_window import MainWindow
from studio.editor.window.window_menu import documents
from studio.model.system_text import WriteText


@pytest.fixture
def page(window: MainWindow) -> Iterator[SystemTextPage]:
    window.system_text.open()
    found = window.system_text.page
    assert found is not None
    yield found
    window.system_text.close()


def text_of(window: MainWindow) -> str:
    return window.session.document.system_text().decode()


def put_in(page: SystemTextPage, old: str, new: str) -> None:
    """As keys would: over a selection, and the hand rests."""
    editor = page.editor
    before = editor.text()
    assert before.count(old) == 1
    start = len(before[: before.index(old)].encode())
    editor.SendScintilla(editor.SCI_SETSEL, start, start + len(old.encode()))
    editor.replaceSelectedText(new)
    page.flush()


def test_what_is_typed_is_on_the_canvas_and_undo_takes_it_back(window: MainWindow, page: SystemTextPage) -> None:
    before = text_of(window)
    assert page.editor.text() == before
    line = '  <component name="typed" type="low_pass"/>\n'
    put_in(page, "</system>", f"  <!-- a word -->\n{line}</system>")
    assert "typed" in window.canvas.canvas.nodes
    assert "<!-- a word -->" in text_of(window)
    page.editor.setFocus()
    QTest.keyClick(page.editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert "typed" not in window.canvas.canvas.nodes
    assert page.editor.text() == before == text_of(window)
    QTest.keyClick(page.editor, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert "typed" in window.canvas.canvas.nodes and line in page.editor.text()


def test_what_is_drawn_is_in_the_text_and_the_cursor_stays(window: MainWindow, page: SystemTextPage) -> None:
    put_in(page, "</system>", "  <!-- kept -->\n</system>")
    page.editor.setCursorPosition(1, 4)
    window.canvas.commands.add("low_pass")
    assert 'type="low_pass"' in page.editor.text() and "<!-- kept -->" in page.editor.text()
    assert page.editor.getCursorPosition() == (1, 4)
    window.session.undo()
    assert 'type="low_pass"' not in page.editor.text() and "<!-- kept -->" in page.editor.text()


def test_a_fault_is_underlined_and_the_canvas_keeps_the_last_valid_system(
    window: MainWindow, page: SystemTextPage
) -> None:
    before, faults = text_of(window), page.editor.underlined
    put_in(page, "</system>", "<component/>\n</system>")
    assert any("needs an attribute" in words for words in page.editor.underlined.values())
    assert text_of(window) == before and page.is_pending
    assert "last valid system" in page.words.text()
    QTest.keyClick(page.editor, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    page.flush()
    assert page.editor.text() == before, "what was never in the system is undone in the text alone"
    assert page.editor.underlined == faults


def test_what_the_check_finds_is_underlined_in_its_line(window: MainWindow, page: SystemTextPage) -> None:
    window.canvas.commands.add("low_pass")  # from here on lines of the text are others than those of the file
    put_in(page, "</system>", '<wire from="nobody.value" to="low_pass.raw"/>\n</system>')
    (line,) = (line for line, words in page.editor.underlined.items() if "no component or source nobody" in words)
    assert page.editor.text(line - 1).startswith('<wire from="nobody.value"')
    page.editor.setCursorPosition(line - 1, 3)
    page.editor.cursorPositionChanged.emit(line - 1, 3)  # comes with the next picture, and here nothing is painted
    assert page.words.text().startswith(f"Line {line}: "), "the words are in sight however long the line is"


def test_a_canvas_that_changed_meanwhile_is_not_overwritten_unasked(window: MainWindow, page: SystemTextPage) -> None:
    put_in(page, "</system>", "</systm>")
    window.canvas.commands.add("low_pass")
    assert page.editor.text().endswith("</systm>\n")
    put_in(page, "</systm>", "<!-- mine --></system>")
    assert "low_pass" in window.canvas.canvas.nodes, "nothing is lost without a question"
    assert page.use.isVisibleTo(page) and page.discard.isVisibleTo(page)
    page.discard.click()
    assert 'type="low_pass"' in page.editor.text()


def test_a_text_that_is_as_it_was_follows_the_canvas_again(window: MainWindow, page: SystemTextPage) -> None:
    put_in(page, "</system>", "</systm>")
    window.canvas.commands.add("low_pass")
    put_in(page, "</systm>", "</system>")
    assert 'type="low_pass"' in page.editor.text()


def test_without_faults_text_and_canvas_are_in_step(window: MainWindow, page: SystemTextPage) -> None:
    put_in(page, 'type="not_installed"', 'type="low_pass"')
    assert not page.is_pending and page.editor.text() == text_of(window)


def test_lines_that_the_saved_file_does_not_have_get_a_plus(window: MainWindow, page: SystemTextPage) -> None:
    assert not page.editor.added
    window.canvas.commands.add("low_pass")
    (line,) = page.editor.added
    assert 'type="low_pass"' in page.editor.text(line - 1)
    assert page.words.text().endswith("1 line added, nothing else changed")
    window.session.save()
    assert not page.editor.added and page.words.text().endswith("no changes")


def test_another_project_takes_its_text_along(window: MainWindow, page: SystemTextPage) -> None:
    window.project.show(None)
    QApplication.processEvents()
    assert window.system_text.page is None and not window.docks.has("system_text")


def test_closing_the_tab_takes_what_was_typed_last_and_asks_about_what_has_errors(
    window: MainWindow, page: SystemTextPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers, asked = [False, True], []
    monkeypatch.setattr(
        "studio.editor.window.files.is_sure", lambda _, question, *__: (asked.append(question), answers.pop(0))[1]
    )
    page.editor.setText(page.editor.text().replace("</system>", "</systm>"))
    window.docks._docks["system_text"].closeRequested.emit()
    assert window.system_text.page is page and page.is_pending, "the user stays"
    window.docks._docks["system_text"].closeRequested.emit()
    assert window.system_text.page is None and len(asked) == 2
    window.system_text.open()
    again = window.system_text.page
    assert again is not None
    again.editor.setText(again.editor.text().replace("</system>", "<!-- the last word --></system>"))
    window.docks._docks["system_text"].closeRequested.emit()
    assert window.system_text.page is None and "<!-- the last word -->" in text_of(window)


def test_the_text_is_a_document_that_the_keyboard_reaches(window: MainWindow, page: SystemTextPage) -> None:
    assert "system_text" in documents(window)


def test_ligatures_follow_the_preference_of_code(window: MainWindow) -> None:
    """`<!--` was drawn as an arrow."""
    window.session.do(
        WriteText(text_of(window).replace("<system", "<!-- a -->\n<system", 1).encode(), window.session.system)
    )

    def painted() -> QImage:
        window.system_text.close()
        window.system_text.open()
        assert window.system_text.page is not None
        return window.system_text.page.editor.grab().toImage()

    plain = painted()
    try:
        use_ligatures(True)
        window.show_theme(window.theme)
        joined = painted()
    finally:
        use_ligatures(False)
        window.show_theme(window.theme)
    assert painted() == plain
    if "JetBrains Mono" in QFontDatabase.families():
        assert joined != plain
