"""Named layouts: chosen by key, kept, renamed, removed, reset; each project has its own."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from studio.editor.layouts import BUILD, BUILT_IN, RUN
from studio.editor.main_window import MainWindow


def is_shown(window: MainWindow, panel: str) -> bool:
    return window.docks._docks[panel].isVisible()


def test_run_shows_console_and_processes_and_build_shows_problems(window: MainWindow) -> None:
    QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert window.layouts.current == RUN and window.status.layout_name.text() == "Layout: Run"
    assert is_shown(window, "console") and is_shown(window, "processes") and not is_shown(window, "problems")
    QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert window.layouts.current == BUILD
    assert is_shown(window, "problems") and not is_shown(window, "console")


def test_an_own_layout_is_kept_renamed_and_removed(window: MainWindow) -> None:
    layouts = window.layouts
    layouts.choose(BUILD)
    window.docks.toggle("palette")
    assert layouts.keep("mine") and not layouts.keep(BUILD)
    layouts.choose(RUN)
    assert is_shown(window, "palette")
    QTest.keyClick(window, Qt.Key.Key_6, Qt.KeyboardModifier.ControlModifier)
    assert layouts.current == "mine" and not is_shown(window, "palette")
    window.docks.toggle("palette")
    layouts.reset()
    assert not is_shown(window, "palette")
    assert layouts.rename("mine", "yours") and not layouts.rename("yours", RUN)
    assert layouts.names() == [*BUILT_IN, "yours"] and layouts.current == "yours"
    layouts.remove("yours")
    assert layouts.names() == list(BUILT_IN) and layouts.current == BUILD and is_shown(window, "palette")


def test_a_project_comes_back_as_it_was_left(window: MainWindow, rover: Path, tmp_path: Path) -> None:
    window.layouts.choose(RUN)
    window.docks.toggle("inspector")
    window.files.create(tmp_path / "other")
    assert window.layouts.current == BUILD and is_shown(window, "inspector")
    window.files.open(rover)
    assert window.layouts.current == RUN and not is_shown(window, "inspector")
    window.layouts.reset()
    assert is_shown(window, "inspector")
