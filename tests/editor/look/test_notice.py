"""The bar in which the window asks, and the dialog of a difference."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.look.notice import DifferenceDialog, Notice
from studio.editor.window.main_window import MainWindow


def test_what_comes_and_what_goes_is_told_apart_by_colour_too(window: MainWindow) -> None:
    dialog = DifferenceDialog(window, "On disk, and here", "--- a on disk\n+++ a here\n@@ -1 +1 @@\n-old\n+new\n same")
    dialog.show()
    QApplication.processEvents()
    document = dialog.page.document()
    assert document is not None
    formats = []
    for number in range(document.blockCount()):
        layout = document.findBlockByNumber(number).layout()
        assert layout is not None
        formats.append([each.format.background().color().getRgb() for each in layout.formats()])
    gone, come = formats[3], formats[4]
    assert len(gone) == len(come) == 1 and gone != come and not formats[5]
    dialog.close()


def test_who_has_answered_by_key_is_back_at_the_canvas(window: MainWindow) -> None:
    window.notice.ask("Which?", {"This": lambda: None})
    window.activateWindow()
    window.notice._buttons[0].setFocus()
    QTest.keyClick(window.notice._buttons[0], Qt.Key.Key_Space)
    assert not window.notice.isVisible() and window.focusWidget() is window.canvas


def test_the_next_question_has_the_keyboard_of_the_one_before(window: MainWindow) -> None:
    """Or the next key would go into any field, such as the name of the project."""
    window.notice.ask("Which?", {"This": lambda: None})
    window.notice.ask("And which?", {"That": lambda: None})
    window.activateWindow()
    QApplication.processEvents()
    window.notice._buttons[0].setFocus()
    QTest.keyClick(window.notice._buttons[0], Qt.Key.Key_Space)
    assert window.notice.words.text() == "Which?" and window.focusWidget() is window.notice._buttons[0]
    window.notice.withdraw()


def test_who_asks_for_the_difference_again_has_one_dialog_of_it(window: MainWindow) -> None:
    for text in ("-old\n+new", "-old\n+newer"):
        DifferenceDialog(window, "Asked twice", text).show()
    shown = [each for each in window.findChildren(DifferenceDialog) if each.windowTitle() == "Asked twice"]
    shown = [each for each in shown if each.isVisible()]
    assert [each.page.toPlainText() for each in shown] == ["-old\n+newer"]
    shown[0].close()


def test_in_a_narrow_panel_the_buttons_stand_below_the_words(qtbot: QtBot) -> None:
    notice = Notice()
    qtbot.addWidget(notice)
    notice.ask(
        "terrain_map still runs its old code. " * 3, {"Reload terrain_map": int, "Always reload": int, "No": int}
    )

    def lowest_words() -> int:
        return notice.words.geometry().bottom()

    notice.resize(1200, 60)
    notice._layout.activate()
    assert notice._buttons[0].y() < lowest_words()
    notice.resize(420, 160)
    notice._layout.activate()
    assert notice._buttons[0].y() > lowest_words()
    assert all(button.width() >= button.sizeHint().width() for button in notice._buttons)
