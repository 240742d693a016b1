"""The menu Window: documents one after another, closed as by their cross, and a list of all that is open."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtWidgets import QApplication

from studio.editor.window.main_window import MainWindow
from studio.editor.window.window_menu import bring_up, current, documents


@pytest.fixture
def busy(window: MainWindow, rover: Path) -> MainWindow:
    """With code and a viewer beside the canvas."""
    QApplication.setActiveWindow(window)  # without a screen nobody makes one active that was hidden before
    assert window.code.open_at(rover / "components" / "terrain_map" / "terrain_map.py") is not None
    window.viewers.add("topics")
    QApplication.processEvents()
    return window


def titles(window: MainWindow) -> list[str]:
    menu = window.menus.by_title["Window"]
    menu.aboutToShow.emit()
    return [entry.text() for entry in menu.actions()]


def test_documents_come_one_after_another_and_around(busy: MainWindow) -> None:
    known = documents(busy)
    assert known[0] == "system" and known[1].startswith("code:") and known[2] == "topics.1"
    bring_up(busy, "system")
    seen = []
    for _ in range(3):
        busy.trigger("window.next_document")
        seen.append(current(busy))
    assert seen == [*known[1:], "system"]
    busy.trigger("window.previous_document")
    assert current(busy) == known[-1]


def test_the_document_with_the_keyboard_is_closed_and_the_canvas_never(busy: MainWindow) -> None:
    for name in documents(busy)[1:]:
        bring_up(busy, name)
        busy.trigger("window.close_document")
        assert name not in documents(busy)
    busy.trigger("window.close_document")
    assert busy.has_session and documents(busy) == ["system"]
    assert "stays as long as its project" in busy.status.words.text()


def test_the_menu_lists_what_is_open_and_goes_there(busy: MainWindow) -> None:
    busy.side_panels.show("breakpoints")
    listed = titles(busy)
    assert {"terrain_map.py", "Breakpoints"} <= set(listed) and listed.count("Breakpoints") == 1
    assert titles(busy) == listed, "made anew, not added to"
    bring_up(busy, "system")
    entry = next(each for each in busy.menus.by_title["Window"].actions() if each.text() == "terrain_map.py")
    entry.trigger()
    assert current(busy).startswith("code:")
    titles(busy)
    chosen = [each.text() for each in busy.menus.by_title["Window"].actions() if each.isChecked()]
    assert chosen == ["terrain_map.py"]
    busy.docks.hide("breakpoints")
    assert "Breakpoints" not in titles(busy)


def test_panels_and_layouts_are_in_it(window: MainWindow) -> None:
    listed = titles(window)
    wanted = ("Next document", "Close document", "Next pane", "Palette", "Console", "Layout", "Reset layout")
    assert [text for text in listed if text in wanted] == list(wanted)
