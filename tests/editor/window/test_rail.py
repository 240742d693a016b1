"""A narrow window has a rail of icons at its left; a wide one has the panels themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.base.settings import Settings
from studio.editor.docking.layouts import BUILD, DEBUG
from studio.editor.window.main_window import MainWindow
from studio.editor.window.rail import WIDTH

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def narrow(window: MainWindow, qtbot: QtBot) -> Iterator[MainWindow]:
    window.settings.left_open = False
    window.resize(1280, 800)
    window.layouts.choose(BUILD)
    QApplication.setActiveWindow(window)  # without a screen nobody makes one active that was hidden before
    qtbot.waitUntil(window.isActiveWindow, timeout=20_000)
    yield window
    window.settings.left_open = False
    window.resize(1280, 800)


def is_shown(window: MainWindow, panel: str) -> bool:
    return window.docks._docks[panel].isVisible()


def test_a_narrow_window_has_a_rail_and_a_wide_one_the_palette(narrow: MainWindow) -> None:
    assert narrow.rail.isVisible() and narrow.rail.width() == WIDTH == 44
    assert not is_shown(narrow, "palette")
    room = narrow.canvas.width()
    narrow.resize(1600, 900)
    QApplication.processEvents()
    assert not narrow.rail.isVisible() and is_shown(narrow, "palette")
    narrow.resize(1280, 800)
    QApplication.processEvents()
    assert narrow.rail.isVisible() and not is_shown(narrow, "palette") and narrow.canvas.width() == room


def test_a_click_opens_a_panel_and_another_folds_it_and_both_are_remembered(narrow: MainWindow) -> None:
    button = narrow.rail.buttons["palette"]
    assert "open it" in button.toolTip() and button.accessibleName() == "Palette, folded"
    QTest.mouseClick(button, LEFT)
    QApplication.processEvents()
    assert is_shown(narrow, "palette") and button.isChecked() and button.accessibleName() == "Palette, open"
    assert 180 <= narrow.palette_panel.width() <= 220
    assert Settings(narrow.settings.file).left_open
    narrow.layouts.reset()
    assert is_shown(narrow, "palette")  # by choice
    QTest.mouseClick(button, LEFT)
    assert not is_shown(narrow, "palette") and not button.isChecked()
    assert not Settings(narrow.settings.file).left_open


def test_another_icon_brings_its_panel_to_the_front(narrow: MainWindow) -> None:
    QTest.mouseClick(narrow.rail.buttons["palette"], LEFT)
    QTest.mouseClick(narrow.rail.buttons["breakpoints"], LEFT)
    assert [name for name, button in narrow.rail.buttons.items() if button.isChecked()] == ["breakpoints"]
    assert is_shown(narrow, "breakpoints") and not is_shown(narrow, "palette")
    QTest.mouseClick(narrow.rail.buttons["breakpoints"], LEFT)
    assert not any(button.isChecked() for button in narrow.rail.buttons.values())
    assert narrow.docks.is_closed("palette") and narrow.docks.is_closed("breakpoints")


def test_the_rail_is_used_by_keyboard(narrow: MainWindow) -> None:
    first, second, *_ = narrow.rail.buttons.values()
    assert first.focusPolicy() & Qt.FocusPolicy.TabFocus
    first.setFocus()
    QTest.keyClick(first, Qt.Key.Key_Down)
    assert second.hasFocus()
    QTest.keyClick(second, Qt.Key.Key_Up)
    assert first.hasFocus()
    QTest.keyClick(first, Qt.Key.Key_Space)
    assert is_shown(narrow, "palette")
    narrow.trigger("view.palette")
    assert not is_shown(narrow, "palette")


def test_the_next_pane_is_the_rail_where_the_palette_is_folded(narrow: MainWindow) -> None:
    narrow.canvas.setFocus()
    seen = []
    for _ in range(4):
        narrow.window_commands.next_pane()
        focus = QApplication.focusWidget()
        seen.append(focus in narrow.rail.buttons.values())
    assert any(seen)


def test_a_project_that_was_left_narrow_is_whole_where_there_is_room(
    narrow: MainWindow, rover: Path, tmp_path: Path
) -> None:
    narrow.files.create(tmp_path / "other")
    narrow.resize(1600, 900)
    narrow.files.open(rover)
    assert is_shown(narrow, "palette")


def test_an_empty_canvas_has_its_palette_open_and_debug_its_stack(narrow: MainWindow, tmp_path: Path) -> None:
    narrow.files.create(tmp_path / "nothing_yet")
    assert is_shown(narrow, "palette")
    narrow.layouts.choose(DEBUG)
    assert is_shown(narrow, "call_stack") and narrow.rail.buttons["call_stack"].isChecked()
    narrow.layouts.choose(BUILD)
