"""Parameter sets in the inspector: choose, save, rename, duplicate, delete, and what differs from the chosen one."""

from __future__ import annotations

from PyQt6.QtGui import QAction

from studio.editor.panels.inspector.component_page import ComponentPage
from studio.editor.panels.inspector.parameter_set_row import ParameterSetRow
from studio.editor.window.main_window import MainWindow


def row_of(window: MainWindow, *names: str) -> ParameterSetRow:
    window.canvas.canvas.select(list(names))
    window.inspector.show_selection(names, [])
    window.inspector.refresh()
    page = window.inspector.widget()
    assert isinstance(page, ComponentPage) and page.sets is not None
    return page.sets


def entry(row: ParameterSetRow, begin: str) -> QAction:
    return next(each for each in row.menu().actions() if each.text().startswith(begin))


def name_it(row: ParameterSetRow, name: str, begin: str) -> None:
    row.ask_name = lambda *_: name
    entry(row, begin).trigger()


def offered(row: ParameterSetRow) -> list[str]:
    return [row.box.itemText(index) for index in range(row.box.count())]


def test_the_values_of_now_are_saved_as_a_set_and_one_undo_takes_it_back(window: MainWindow) -> None:
    row = row_of(window, "terrain_map")
    assert not entry(row, "Rename").isEnabled() and not entry(row, "Delete").isEnabled()
    window.inspector._parameter_changed("window", 30, False)
    before = window.session.document.texts()
    name_it(row, "wide", "Save")
    component = window.session.system.component("terrain_map")
    assert (component.parameter_set, component.parameters.get("window")) == ("wide", None)
    assert component.parameter_sets["wide"]["window"] == "30"
    assert offered(row)[-1] == "wide" and row.box.currentText() == "wide"
    assert window.session.document.history.undo_label == "Save the parameter set wide of terrain_map"
    window.session.undo()
    assert window.session.document.texts() == before


def test_what_differs_from_the_set_is_told_and_goes_either_way(window: MainWindow) -> None:
    row = row_of(window, "terrain_map")
    window.inspector._parameter_changed("window", 30, False)
    name_it(row, "wide", "Save")
    assert row.words.isHidden()
    window.inspector._parameter_changed("window", 50, False)
    window.inspector.refresh()
    assert not row.words.isHidden() and row.words.text() == "window differs from wide"
    assert "50" in row.words.toolTip() and "in wide 30" in row.words.toolTip()
    assert "to 30" in window.inspector.fields["window"].bar.toolTip()
    row.back.click()
    assert row.words.isHidden()
    assert "window" not in window.session.system.component("terrain_map").parameters
    window.session.undo()
    row.fill()
    row.save.click()
    assert row.words.isHidden()
    assert window.session.system.component("terrain_map").parameter_sets["wide"]["window"] == "50"


def test_sets_are_renamed_duplicated_and_deleted_and_the_values_stay(window: MainWindow) -> None:
    row = row_of(window, "terrain_map")
    window.inspector._parameter_changed("window", 30, False)
    name_it(row, "wide", "Save")
    name_it(row, "very_wide", "Rename")
    name_it(row, "copy", "Duplicate")
    component = window.session.system.component("terrain_map")
    assert (component.parameter_set, sorted(component.parameter_sets)) == ("copy", ["copy", "very_wide"])
    entry(row, "Delete").trigger()
    component = window.session.system.component("terrain_map")
    assert (component.parameter_set, component.parameters["window"]) == ("", "30")
    for _ in range(4):
        window.session.undo()
    assert not window.session.system.component("terrain_map").parameter_sets


def test_a_name_that_is_taken_or_no_name_is_refused_in_words(window: MainWindow) -> None:
    row = row_of(window, "terrain_map")
    told: list[str] = []
    window.session.refused.connect(told.append)
    name_it(row, "wide", "Save")
    name_it(row, "wide", "Save")
    name_it(row, "9", "Rename")
    assert "There is a set wide already" in told[0]
    assert "cannot be a name of a parameter set" in told[1]


def test_several_components_get_a_set_in_one_step(window: MainWindow) -> None:
    window.canvas.canvas.select(["terrain_map"])
    window.canvas.commands.duplicate()
    (twin,) = window.canvas.canvas.selected_nodes()
    row = row_of(window, "terrain_map", twin)
    name_it(row, "both", "Save")
    assert {window.session.system.component(name).parameter_set for name in ("terrain_map", twin)} == {"both"}
    assert window.session.document.history.undo_label == f"Save the parameter set both of terrain_map and {twin}"
    row.box.setCurrentIndex(0)
    row.box.activated.emit(0)
    assert {window.session.system.component(name).parameter_set for name in ("terrain_map", twin)} == {""}


def test_choosing_sets_keeps_the_row_so_that_the_keyboard_can_go_on(window: MainWindow) -> None:
    row = row_of(window, "terrain_map")
    name_it(row, "wide", "Save")
    window.inspector.refresh()
    page = window.inspector.widget()
    assert isinstance(page, ComponentPage) and page.sets is row


def test_the_row_fits_the_narrowest_panel(window: MainWindow) -> None:
    row = row_of(window, "terrain_map")
    name_it(row, "a_set_with_quite_a_long_name_for_a_narrow_panel", "Save")
    window.inspector._parameter_changed("window", 30, False)
    window.inspector.refresh()
    assert not row.words.isHidden()
    assert row.minimumSizeHint().width() <= 236, "260 less margins and scroll bar"
