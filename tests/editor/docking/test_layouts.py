"""Named layouts: chosen by key, kept, renamed, removed, reset; each project has its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QWidget
from PyQt6Ads import TitleBarButton
from pytestqt.qtbot import QtBot

from studio.editor.base.settings import Settings
from studio.editor.docking.layouts import BUILD, BUILT_IN, COMPARE, DEBUG, LOG, RUN
from studio.editor.window.app import furnish_and_open, make_window, show_first_page, start_watched
from studio.editor.window.main_window import MainWindow


def is_shown(window: MainWindow, panel: str) -> bool:
    return window.docks._docks[panel].isVisible()


def test_run_shows_console_and_processes_and_build_shows_problems(window: MainWindow) -> None:
    window.resize(1440, 900)
    QTest.keyClick(window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert window.layouts.current == RUN and window.status.layout_name.text() == "Layout: Run"
    assert is_shown(window, "console") and is_shown(window, "processes") and not is_shown(window, "problems")
    window.resize(1280, 800)
    window.layouts.reset()
    assert is_shown(window, "console") and not is_shown(window, "processes")  # there is room for one set of tabs
    QTest.keyClick(window, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert window.layouts.current == BUILD
    assert is_shown(window, "problems") and not is_shown(window, "console")


def test_another_layout_leaves_no_empty_areas(window: MainWindow) -> None:
    """They were styled and painted once more before they went, which took longer than to move the panels."""
    for name in (DEBUG, BUILD):
        window.layouts.choose(name)
        known = {dock.dockAreaWidget() for dock in window.docks._docks.values()}
        areas = [each for each in QApplication.allWidgets() if each.inherits("ads::CDockAreaWidget")]
        assert len(areas) == len(known), f"empty areas are left in {name}"


def test_who_opens_a_project_to_watch_it_run_has_no_palette_unless_panels_stand_as_somebody_left_them(
    window: MainWindow, rover: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    monkeypatch.setattr(window.live, "run_unless_attached", lambda: started.append(window.layouts.current))
    window.resize(1440, 900)
    window.settings.forget(f"{window.layouts._project(rover)}/state")
    start_watched(window, rover)
    assert window.layouts.current == RUN and is_shown(window, "console") and not is_shown(window, "palette")
    window.layouts.choose(BUILD)
    window.files.create(tmp_path / "other")  # how the first was left is remembered
    window.files.open(rover)
    start_watched(window, rover)
    assert window.layouts.current == BUILD and is_shown(window, "palette") and started == [RUN, BUILD]


def test_an_own_layout_is_kept_renamed_and_removed(window: MainWindow) -> None:
    layouts = window.layouts
    window.settings.left_open = True
    layouts.choose(BUILD)
    window.docks.toggle("palette")
    assert layouts.keep("mine") and not layouts.keep(BUILD)
    layouts.choose(RUN)
    assert is_shown(window, "palette")
    QTest.keyClick(window, Qt.Key.Key_8, Qt.KeyboardModifier.ControlModifier)
    assert layouts.current == "mine" and not is_shown(window, "palette")
    window.docks.toggle("palette")
    layouts.reset()
    assert not is_shown(window, "palette")
    assert layouts.rename("mine", "yours") and not layouts.rename("yours", RUN)
    assert layouts.names() == [*BUILT_IN, "yours"] and layouts.current == "yours"
    layouts.remove("yours")
    assert layouts.names() == list(BUILT_IN) and layouts.current == BUILD and is_shown(window, "palette")
    window.settings.left_open = False


def test_a_viewer_that_was_alone_beside_the_canvas_goes_behind_it(window: MainWindow) -> None:
    window.docks.add_viewer("alone", "Alone", QWidget(), "right", beside="system", close=lambda: None)
    window.docks.move("alone", "tab", beside="system")
    assert is_shown(window, "alone")
    window.docks.remove("alone")


def places(window: MainWindow, panels: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """Where each of them is in the window: left, top, width, height."""
    QApplication.processEvents()
    found = {name: window.docks.content(name) for name in panels}
    assert all(content.isVisible() for content in found.values()), "one lies behind another"
    corners = {name: (content.mapTo(window, content.rect().topLeft()), content) for name, content in found.items()}
    return {
        name: (corner.x(), corner.y(), content.width(), content.height()) for name, (corner, content) in corners.items()
    }


@pytest.mark.parametrize(("width", "height"), [(1280, 778), (1920, 1000)])
def test_viewers_beside_the_canvas_stand_there_again_after_another_layout(
    window: MainWindow, width: int, height: int
) -> None:
    window.resize(width, height)
    panels = ("system", "scan.1", "plot.1")
    for kind in ("scan", "plot"):
        window.viewers.add(kind)
    window.docks.move("scan.1", "right", beside="system")
    window.docks.move("plot.1", "bottom", beside="scan.1")
    before = places(window, panels)
    for key in (Qt.Key.Key_5, Qt.Key.Key_1):
        QTest.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)
        QApplication.processEvents()
    assert window.layouts.current == BUILD
    after = places(window, panels)
    for name in panels:  # the splitters round their shares
        assert after[name] == pytest.approx(before[name], abs=4), name
    window.resize(1920, 1000)
    wide = places(window, panels)
    assert wide["scan.1"][0] > wide["system"][0] + wide["system"][2] - 1 and wide["plot.1"][1] > wide["scan.1"][1]
    window.layouts.choose(DEBUG)
    window.viewers.close("plot.1")
    window.layouts.choose(BUILD)
    assert is_shown(window, "scan.1") and is_shown(window, "system")
    window.layouts.reset()


def test_a_layout_whose_viewer_was_closed_is_made_anew(window: MainWindow) -> None:
    for _ in range(2):
        window.layouts.choose(LOG)
        assert is_shown(window, "player.1")
        window.layouts.choose(BUILD)
        window.viewers.close("player.1")


def test_how_a_layout_was_left_in_one_project_is_nothing_to_another(window: MainWindow, tmp_path: Path) -> None:
    window.layouts.choose(RUN)
    window.docks.hide("inspector")
    window.layouts.choose(BUILD)
    window.layouts.choose(RUN)
    assert not is_shown(window, "inspector")
    window.layouts.choose(BUILD)
    window.files.create(tmp_path / "other")
    window.layouts.choose(RUN)
    assert is_shown(window, "inspector")


def test_a_project_comes_back_as_it_was_left(window: MainWindow, rover: Path, tmp_path: Path) -> None:
    window.layouts.choose(RUN)
    window.docks.toggle("inspector")
    window.files.create(tmp_path / "other")
    assert window.layouts.current == BUILD and is_shown(window, "inspector")
    window.files.open(rover)
    assert window.layouts.current == RUN and not is_shown(window, "inspector")
    window.layouts.reset()
    assert is_shown(window, "inspector")


def test_panels_stand_where_they_were_left_also_if_they_come_in_slices(
    rover: Path, tmp_path: Path, qapp: QApplication, qtbot: QtBot
) -> None:
    settings = Settings(tmp_path / "editor.ini")
    first, at_once, in_slices = windows = [make_window(qapp, settings) for _ in range(3)]
    show_first_page(first, None)
    assert first.files.open(rover)
    first.layouts.choose(RUN)
    first.viewers.add("states")
    first.docks.toggle("palette")
    first.close()
    show_first_page(at_once, None)
    assert at_once.files.open(rover)
    told: list[str] = []
    furnish_and_open(in_slices, rover, then=lambda: told.append("opened"))
    show_first_page(in_slices, rover)
    qtbot.waitUntil(lambda: bool(told), timeout=60_000)
    QApplication.processEvents()
    assert in_slices.layouts.current == RUN and not is_shown(in_slices, "palette") and is_shown(in_slices, "states.1")
    assert in_slices.docks.save() == at_once.docks.save()
    for window in windows:
        window.close()
        window.deleteLater()


class ShownWindows(QObject):
    """Every window that comes onto the screen."""

    def __init__(self) -> None:
        super().__init__()
        self.titles: list[str] = []

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        is_shown = event is not None and event.type() == QEvent.Type.Show
        if is_shown and isinstance(watched, QWidget) and watched.isWindow():
            self.titles.append(f"{type(watched).__name__} {watched.windowTitle()}")
        return False


def test_no_window_appears_while_layouts_are_chosen_and_open_panels_stay_open(
    window: MainWindow, rover: Path, qapp: QApplication
) -> None:
    window.resize(1600, 900)
    window.files.open(rover)
    for kind in ("states", "topics", "message", "votes"):
        window.viewers.add(kind)
    shown = ShownWindows()
    qapp.installEventFilter(shown)
    for name in (RUN, DEBUG, LOG, COMPARE, BUILD, DEBUG, RUN):
        assert window.layouts.choose(name)
        QApplication.processEvents()
        assert window.layouts.current == name
        assert not [viewer for viewer in window.viewers.open if window.docks.is_closed(viewer)]
    window.docks.move("states.1", "right", beside="system")
    window.docks.hide("topics.1")
    window.docks.move("topics.1", "tab", beside="inspector")
    assert is_shown(window, "states.1") and is_shown(window, "topics.1")
    qapp.removeEventFilter(shown)
    assert shown.titles == []
    window.layouts.choose(BUILD)


def test_the_keyboard_stays_where_it_is_while_layouts_are_chosen(
    window: MainWindow, rover: Path, qapp: QApplication
) -> None:
    window.files.open(rover)
    window.canvas.setFocus()
    for name in (RUN, BUILD):
        window.layouts.choose(name)
        assert window.focusWidget() is window.canvas


def test_a_tab_that_comes_over_the_canvas_gets_the_keyboard_and_no_field_elsewhere(
    window: MainWindow, rover: Path, qtbot: QtBot
) -> None:
    window.files.open(rover)
    window.viewers.add("compare")  # a tab of the document
    window.docks.show("system")
    QApplication.setActiveWindow(window)
    window.activateWindow()
    window.canvas.setFocus()
    qtbot.waitUntil(window.canvas.hasFocus)
    window.docks.show("compare.1")
    compare = window.viewers.open["compare.1"]

    def is_there() -> bool:
        held = QApplication.focusWidget()
        return held is not None and (held is compare or compare.isAncestorOf(held))

    qtbot.waitUntil(is_there)


def test_the_maps_are_in_front_in_compare_whatever_else_is_open(window: MainWindow, rover: Path) -> None:
    window.resize(1280, 800)
    window.files.open(rover)
    for kind in ("map", "votes", "plot"):
        window.viewers.add(kind)
    assert window.code.open_at(rover / "components" / "terrain_map" / "terrain_map.py") is not None
    for _ in range(2):
        for other in (BUILD, DEBUG):
            assert window.layouts.choose(COMPARE)
            QApplication.processEvents()
            assert window.docks.is_in_front("compare.1"), other
            assert not [viewer for viewer in window.viewers.open if window.docks.is_closed(viewer)]
            window.layouts.choose(other)
    window.layouts.choose(BUILD)


def test_tabs_keep_their_names_where_there_is_no_room_for_all(window: MainWindow, rover: Path, qtbot: QtBot) -> None:
    window.resize(1280, 800)
    window.files.open(rover)
    for kind in ("map", "votes", "plot", "scan", "compare"):
        window.viewers.add(kind)
    window.layouts.choose(DEBUG)
    area = window.docks._docks["system"].dockAreaWidget()
    assert area is not None
    bar = area.titleBar().tabBar()
    tabs = [bar.tab(number) for number in range(bar.count()) if bar.isTabOpen(number)]
    assert len(tabs) > 6 and not any(tab.isTitleElided() for tab in tabs)
    menu = area.titleBarButton(TitleBarButton.TitleBarButtonTabsMenu)
    qtbot.waitUntil(menu.isVisible)
    window.resize(1900, 900)
    qtbot.waitUntil(lambda: not menu.isVisible())
    window.layouts.choose(BUILD)
