"""The window around the canvas: panels follow the selection, the check is live, failures are told."""

from __future__ import annotations

import sys

import pytest
from PyQt6.QtCore import QEvent, QMimeData, QPointF, QSize, Qt
from PyQt6.QtGui import QDropEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QComboBox, QLineEdit, QStyle, QStyleOptionFrame
from pytestqt.qtbot import QtBot

from studio.editor.look.command_palette import MISSED, rank
from studio.editor.look.theme import DARK
from studio.editor.panels.inspector.inspector import Inspector
from studio.editor.window.crash import CrashReporter
from studio.editor.window.main_window import MainWindow
from studio.errors import StudioError
from studio.model.parts import Component


def select(window: MainWindow, *names: str) -> Inspector:
    window.canvas.canvas.select(names)
    window.inspector.refresh()
    return window.inspector


def write(field: QLineEdit, text: str) -> None:
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def test_a_parameter_is_set_reset_and_undone_by_name(window: MainWindow) -> None:
    field = select(window, "terrain_map").fields["cell_m"]
    assert isinstance(field.editor, QLineEdit)
    write(field.editor, "0.5")
    component = window.session.system.component("terrain_map")
    assert component.parameters == {"cell_m": "0.5"}
    assert window.actions_by_id["edit.undo"].text() == "Undo Set cell_m of terrain_map"
    window.inspector.refresh()
    field.bar.click()
    assert window.session.system.component("terrain_map").parameters == {}
    window.session.undo()
    window.session.undo()
    assert not window.session.document.is_modified


def test_a_value_out_of_range_is_refused_at_the_field(window: MainWindow) -> None:
    field = select(window, "terrain_map").fields["cell_m"]
    assert isinstance(field.editor, QLineEdit)
    write(field.editor, "99")
    assert "above its maximum" in field.error.text() and not field.error.isHidden()
    assert window.session.system.component("terrain_map").parameters == {}


def test_a_slide_is_one_step_of_undo(window: MainWindow) -> None:
    slider = select(window, "terrain_map").fields["window"].slider
    assert slider is not None
    for place in (200, 300, 500):
        slider.setValue(place)
    assert window.session.document.history.labels == ["Set window of terrain_map"]


def test_choices_and_switches_have_their_widgets(window: MainWindow) -> None:
    fields = select(window, "terrain_map").fields
    box = fields["fusion"].editor
    assert isinstance(box, QComboBox) and box.count() == 2
    box.activated.emit(1)
    QTest.mouseClick(fields["keep_walls"].editor, Qt.MouseButton.LeftButton)
    assert window.session.system.component("terrain_map").parameters["fusion"] == "variance weighted"


def test_several_components_are_set_together(window: MainWindow) -> None:
    window.canvas.canvas.select(["terrain_map"])
    window.canvas.commands.duplicate()
    field = select(window, "terrain_map", "terrain_map_2").fields["window"]
    assert isinstance(field.editor, QLineEdit)
    write(field.editor, "7")
    both = [window.session.system.component(name) for name in ("terrain_map", "terrain_map_2")]
    assert all(isinstance(one, Component) and one.parameters == {"window": "7"} for one in both)
    assert window.session.document.history.undo_label == "Set window of terrain_map and terrain_map_2"


def test_problems_are_live_and_lead_to_their_place(window: MainWindow, qtbot: QtBot) -> None:
    assert [problem.subject for problem in window.problems.shown] == ["mystery"]
    assert window.canvas.canvas.nodes["mystery"].severity == "error"
    window.canvas.canvas.select(["mystery"])
    window.canvas.commands.delete()
    qtbot.waitUntil(lambda: not window.problems.shown, timeout=10000)
    window.session.undo()
    qtbot.waitUntil(lambda: len(window.problems.shown) == 1, timeout=10000)
    window.canvas.canvas.clearSelection()
    window.problems._activated(0, 0)
    assert window.canvas.canvas.selected_nodes() == ["mystery"]


def test_the_palette_finds_and_adds(window: MainWindow) -> None:
    panel = window.palette_panel
    everything = panel.types()
    panel.field.setText("terr")
    assert "terrain_map" in panel.types() and len(panel.types()) < len(everything)
    QTest.keyClick(panel.field, Qt.Key.Key_Return)
    assert len(window.session.system.nodes) == 9


def test_the_source_switch_of_the_toolbar_switches_all(window: MainWindow) -> None:
    buttons = window.toolbar.switch.buttons
    assert "No source has a real provider" in buttons["real"].toolTip()
    buttons["logged"].click()
    assert window.session.system.source("platform").mode == "logged"
    assert window.band.modes == ["logged"]


def test_commands_are_found_by_a_few_letters() -> None:
    assert rank("File: Save", "save") < rank("File: Save as", "as") + 1
    assert rank("View: Arrange automatically", "arr auto") < MISSED
    assert rank("Edit: Undo", "zzz") == MISSED


def test_a_viewer_is_found_by_the_word_that_people_look_for(window: MainWindow) -> None:
    found: dict[str, str | None] = {}
    for typed in ("cause", "why", "joystick", "graph", "replay", "lidar"):
        window.window_commands.open_commands()
        window.commands.field.setText(typed)
        row = window.commands.list.currentItem()
        found[typed] = row.text(0) if row is not None else None
        window.commands.hide()
    assert found == {
        "cause": "Viewer: Causality",
        "why": "Viewer: Causality",
        "joystick": "Viewer: Drive",
        "graph": "Viewer: Plot",
        "replay": "Viewer: LogPlayer",
        "lidar": "Viewer: Laser scan",
    }


def test_the_status_bar_says_what_people_wait_for(window: MainWindow) -> None:
    lines = [("info", "drives"), ("notice", "reached the goal at 1, 2 m"), ("info", "stands")]
    window.live.feed.spoken.emit(
        [{"time_ns": 1, "component": "planner", "level": level, "text": text} for level, text in lines]
    )
    assert window.status.words.plain == "planner reached the goal at 1, 2 m"


def test_the_command_palette_does_what_was_typed(window: MainWindow) -> None:
    window.window_commands.open_commands()
    window.commands.field.setText("arrange")
    QTest.keyClick(window.commands.field, Qt.Key.Key_Return)
    assert window.session.document.history.labels == ["Arrange automatically"]


def test_the_theme_changes_everywhere(window: MainWindow) -> None:
    window.show_theme(DARK)
    assert window.canvas.canvas.theme is DARK and window.inspector.theme is DARK
    assert all(item.theme is DARK for item in window.canvas.canvas.nodes.values())


def test_what_lies_on_the_canvas_has_its_theme(window: MainWindow) -> None:
    window.show_theme(DARK)
    layer = window.freeze._layer
    assert layer is not None and layer.pill.theme is DARK


def test_the_theme_changes_after_a_project_was_closed(window: MainWindow, qapp: QApplication) -> None:
    window.show_session(None)
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    window.show_theme(DARK)
    assert window.welcome.theme is DARK


def test_a_field_is_as_high_with_the_focus_as_without(window: MainWindow) -> None:
    field = window.palette_panel.field
    style = field.style()
    assert style is not None
    heights = []
    for focus in (QStyle.StateFlag.State_None, QStyle.StateFlag.State_HasFocus):
        option = QStyleOptionFrame()
        option.state = QStyle.StateFlag.State_Enabled | focus
        size = style.sizeFromContents(QStyle.ContentsType.CT_LineEdit, option, QSize(100, 20), field)
        heights.append(size.height())
    assert heights[0] == heights[1]


def test_an_error_in_our_own_code_is_reported_and_the_window_goes_on(window: MainWindow, qtbot: QtBot) -> None:
    reporter = CrashReporter(window)
    said: list[str] = []
    reporter.told.connect(said.append)
    try:
        raise ZeroDivisionError("in a map")
    except ZeroDivisionError:
        kind, error, trace = sys.exc_info()
    assert kind is not None and error is not None
    reporter.take(kind, error, trace)
    qtbot.waitUntil(lambda: reporter.dialog is not None and reporter.dialog.isVisible(), timeout=5000)
    assert reporter.dialog is not None
    assert "ZeroDivisionError: in a map" in reporter.dialog.report and "Qt" in reporter.dialog.report
    reporter.dialog.accept()
    reporter.take(StudioError, StudioError("no such thing", hint="look elsewhere"), None)
    assert said == ["no such thing (look elsewhere)"]


def test_the_inspector_never_needs_more_width_than_a_narrow_panel(window: MainWindow) -> None:
    for names in (["terrain_map"], ["platform"], ["mystery"], ["terrain_map", "arc_arbiter"], []):
        page = select(window, *names).widget()
        assert page is not None and page.minimumSizeHint().width() <= 260, names


def test_a_drop_whose_giver_has_gone_says_so(window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing happened, and nobody said why."""
    said: list[str] = []
    monkeypatch.setattr(window.status, "say", lambda words, **_: said.append(words))
    keys, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    nothing = QMimeData()
    window.dropEvent(QDropEvent(QPointF(60, 60), Qt.DropAction.CopyAction, nothing, left, keys))
    assert said == ["The dropped item could not be read: open it from the menu File"]
