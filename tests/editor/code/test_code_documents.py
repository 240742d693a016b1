"""Code as documents of the window: edited, saved, searched, with breakpoints in the margin."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QPoint, Qt
from PyQt6.QtGui import QHelpEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QPushButton, QToolTip
from pytestqt.qtbot import QtBot

from studio.editor.code.attachments import NOT_RUNNING
from studio.editor.code.code_editor import HERE, HERE_GROUND, WAITING, WAITING_ASKS
from studio.editor.code.code_page import CodePage
from studio.editor.code.lexers import lexer_for
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.window.main_window import MainWindow

CODE = "def handle(scan):\r\n    total = 0\r\n    for point in scan:\r\n        total += point\r\n    return total\r\n"


@pytest.fixture
def page(window: MainWindow, tmp_path: Path) -> CodePage:
    file = tmp_path / "thing.py"
    file.write_bytes(CODE.encode())
    made = window.code.open_at(file, 2)
    assert made is not None
    QApplication.setActiveWindow(window)
    return made


def test_code_is_edited_saved_and_keeps_its_line_ends(window: MainWindow, page: CodePage) -> None:
    page.editor.insertAt("    more = 1\r\n", 1, 0)
    assert page.is_modified and page.title == "thing.py •" and "not saved" in page.place.text()
    QTest.keyClick(page.editor, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert (
        not page.is_modified
        and page.file.path.read_bytes() == CODE.replace("    total = 0", "    more = 1\r\n    total = 0").encode()
    )
    assert not window.session.document.is_modified and "Saved thing.py" in window.status.words.text()
    page.editor.undo()
    assert page.is_modified and "more" not in page.editor.text()
    page.editor.setModified(False)


def test_a_question_below_the_code_does_not_cover_the_line_that_is_edited(
    window: MainWindow, page: CodePage, qtbot: QtBot
) -> None:
    editor = page.editor
    editor.setText("value = 1\n" * 300)
    editor.setModified(False)
    rows = editor.height() // editor.textHeight(0)
    editor.setFirstVisibleLine(100)
    editor.setCursorPosition(100 + rows - 1, 0)
    height = editor.height()
    page.notice.ask("It still runs its old code. Reload it?", {"Reload": lambda: None})
    qtbot.waitUntil(lambda: editor.height() < height)
    cursor = editor.line_y(editor.line)
    assert 0 <= cursor <= editor.height() - editor.textHeight(0)
    first = editor.firstVisibleLine()
    page.notice.withdraw()
    editor.setCursorPosition(first + 2, 0)
    page.notice.ask("It still runs its old code. Reload it?", {"Reload": lambda: None})
    qtbot.waitUntil(lambda: editor.height() < height)
    assert editor.firstVisibleLine() == first, "nothing moves where nothing is covered"


def test_a_click_in_the_margin_sets_a_breakpoint_that_moves_with_its_line(window: MainWindow, page: CodePage) -> None:
    book, viewport = window.debug.book, page.editor.viewport()
    assert viewport is not None
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPoint(8, page.editor.line_y(4) + 6))
    assert [point.line for point in book.of_file(page.key)] == [4]
    assert page.editor.markersAtLine(3) == 1 << WAITING, "hollow: nobody has confirmed it"
    assert page.editor.tip_of(4) == f"Stops here\nNot yet: {NOT_RUNNING}"
    at = QPoint(8, page.editor.line_y(4) + 6)
    QApplication.sendEvent(viewport, QHelpEvent(QEvent.Type.ToolTip, at, viewport.mapToGlobal(at)))
    assert QToolTip.text() == page.editor.tip_of(4)
    QToolTip.hideText()
    page.editor.insertAt("    first = 1\r\n", 1, 0)
    assert [point.line for point in book.of_file(page.key)] == [5]
    page.editor.setCursorPosition(4, 0)
    QTest.keyClick(page.editor, Qt.Key.Key_F9)
    assert book.of_file(page.key) == [] and not page.editor.markersAtLine(4)
    form = page.edit_point(2, "log")
    form.log.setText("total {total}")
    form.accept()
    assert book.asked_of(page.key) == [{"line": 2, "logMessage": "total {total}"}]
    assert "Remove breakpoint" in [entry.text() for entry in page.point_menu(2).actions()]
    page.editor.setModified(False)
    book.clear()


def test_keys_in_the_form_of_a_breakpoint_never_come_to_the_code_behind_it(
    window: MainWindow, page: CodePage, qtbot: QtBot
) -> None:
    window.show()
    window.activateWindow()
    form = page.edit_point(4)
    qtbot.waitUntil(form.condition.hasFocus)

    def press(key: Qt.Key) -> None:
        focus = QApplication.focusWidget()
        assert focus is not None
        QTest.keyClick(focus, key)

    order = []
    for _ in range(6):
        press(Qt.Key.Key_Tab)
        order.append(QApplication.focusWidget())
    assert order[:2] == [form.hits, form.log] and order[-2] is form.condition, "round and round"
    for key in (Qt.Key.Key_F9, Qt.Key.Key_Down, Qt.Key.Key_PageDown, Qt.Key.Key_Insert):
        press(key)
    form.condition.setFocus()
    QTest.keyClicks(form.condition, "tot")
    assert form.condition.offered == ["total"] and "There is no tot here" in form.words.text()
    press(Qt.Key.Key_Tab)
    assert form.condition.text() == "total" and form.condition.hasFocus() and not form.condition.offered
    QTest.keyClicks(form.condition, " >")
    assert "Syntax error" in form.words.text() and not form.done.isEnabled()
    press(Qt.Key.Key_Return)
    assert form.isVisible(), "what cannot be read is not set"
    QTest.keyClicks(form.condition, " 3")
    press(Qt.Key.Key_Return)
    assert not form.isVisible() and page.editor.hasFocus()
    assert window.debug.book.asked_of(page.key) == [{"line": 4, "condition": "total > 3"}]
    press(Qt.Key.Key_Escape)
    form = page.edit_point(4)
    form.condition.clear()
    press(Qt.Key.Key_Escape)
    assert not form.isVisible() and window.debug.book.asked_of(page.key) == [{"line": 4, "condition": "total > 3"}]
    assert page.editor.text() == CODE and not page.is_modified
    window.debug.book.clear()


def test_a_condition_on_a_name_that_is_not_there_warns_first_and_then_says_why_it_never_stops(
    window: MainWindow, page: CodePage
) -> None:
    """It was set silently, and the system ran on."""
    book = window.debug.book
    form = page.edit_point(4)
    form.condition.setText("tot > 3")
    form.accept()
    assert not book.all() and "Return again sets it" in form.words.text()
    QApplication.processEvents()
    assert form.words.height() >= form.words.heightForWidth(form.words.width()), "both lines can be read"
    form.accept()
    assert book.asked_of(page.key) == [{"line": 4, "condition": "tot > 3"}]
    assert "There is no tot here: did you mean total?" in page.editor.tip_of(4)
    assert page.editor.markersAtLine(3) == 1 << WAITING_ASKS
    book.clear()


def test_f9_is_for_the_code_in_front_whichever_file_was_opened_last(
    window: MainWindow, page: CodePage, tmp_path: Path
) -> None:
    other = tmp_path / "other.py"
    other.write_text("first = 1\nsecond = 2\n")
    assert window.code.open_at(other, 2) is not None
    window.docks.show(f"code:{page.key}")  # as a click on its tab does, which leaves the keyboard where it was
    page.editor.setCursorPosition(3, 0)
    window.centralWidget().setFocus()
    window.trigger("debug.breakpoint")
    assert [point.key for point in window.debug.book.all()] == [f"{page.key}:4"]
    window.debug.book.clear()


def test_breakpoints_and_files_come_back_with_their_project(window: MainWindow, page: CodePage, rover: Path) -> None:
    window.debug.book.toggle(page.key, 3)
    window.show_session(None)
    assert window.code.pages == {} and window.debug.book.all() == []
    assert window.files.open(rover)
    assert list(window.code.pages) == [page.key]
    assert [point.line for point in window.debug.book.of_file(page.key)] == [3]
    window.debug.book.clear()


def test_find_and_replace_in_one_step_that_can_be_undone(page: CodePage) -> None:
    QTest.keyClick(page.editor, Qt.Key.Key_H, Qt.KeyboardModifier.ControlModifier)
    finder = page.finder
    assert finder.isVisible()
    QTest.keyClicks(finder.field, "total")
    assert finder.words.text() == "3 found" and page.editor.selectedText() == "total"
    finder.new.setText("sum_m")
    finder.replace_all()
    assert page.editor.text().count("sum_m") == 3 and "total" not in page.editor.text()
    page.editor.undo()
    assert page.editor.text() == CODE
    QTest.keyClick(finder, Qt.Key.Key_Escape)
    assert finder.isHidden()
    QTest.keyClick(page.editor, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
    finder.line.setText("5")
    QTest.keyClick(finder.line, Qt.Key.Key_Return)
    assert page.editor.line == 5


def test_a_file_that_somebody_else_wrote_is_read_again_or_asked_about(page: CodePage, qtbot: QtBot) -> None:
    page.file.path.write_text("other = 1\n")
    qtbot.waitUntil(lambda: page.editor.text() == "other = 1\n", timeout=20_000)
    assert not page.is_modified
    page.editor.append("mine = 2\n")
    page.file.path.write_text("theirs = 3\n")
    qtbot.waitUntil(page.notice.isVisible, timeout=20_000)
    assert not page.save() and page.file.path.read_text() == "theirs = 3\n"
    keep = next(button for button in page.notice._buttons if button.text() == "Keep mine")
    keep.click()
    assert page.file.path.read_text() == "other = 1\nmine = 2\n" and page.notice.isHidden()


def test_what_is_offered_after_saving_moves_neither_the_code_nor_run_test(page: CodePage) -> None:
    """The next click set a breakpoint two lines away, or reloaded instead of testing."""
    run_test = QPushButton("Run test")
    page.offer(run_test)

    def places() -> tuple[QPoint, QPoint]:
        QApplication.processEvents()
        line = QPoint(0, page.editor.line_y(4))
        return page.editor.mapTo(page, line), run_test.mapTo(page, QPoint())

    before = places()
    page.offer_reload("thing_with_a_long_name")
    page.notice.ask("thing still runs its old code.", {"Reload": lambda: None, "Not now": lambda: None})
    assert places() == before and page.reload.isVisible() and page.notice.isVisible()
    assert page.reload.geometry().right() < run_test.geometry().left()
    page.offer_reload("")
    page.notice.withdraw()
    assert places() == before and not page.reload.isVisible()


def test_the_line_where_code_stands_has_an_arrow_and_values(page: CodePage) -> None:
    editor = page.editor
    editor.show_here(4)
    editor.show_values({2: ("total 0", "muted"), 4: ("stopped here", "frozen")})
    assert editor.markersAtLine(3) == 1 << HERE | 1 << HERE_GROUND
    before = editor.grab().toImage()
    editor.show_values({})
    assert editor.grab().toImage() != before, "values are painted"
    editor.show_here(0)
    assert not editor.markersAtLine(3)
    assert editor.expression_at(editor.positionFromLineIndex(3, 9)) == "total"


def test_colours_follow_the_theme_and_the_kind_of_file(page: CodePage) -> None:
    for name in ("a.py", "a.cpp", "a.xml", "a.json", "Makefile"):
        for theme in (DARK, LIGHT):
            lexer = lexer_for(Path(name), theme, page)
            assert lexer is not None and lexer.paper(0).name().upper() == theme.code
    assert lexer_for(Path("a.txt"), DARK, page) is None
    page.show_theme(DARK)
    lexer = page.editor.lexer()
    assert lexer is not None and lexer.color(5).name().upper() == DARK.accent, "keywords"
