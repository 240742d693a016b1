"""The palette: favourites at the top, tags as a filter, tools beside the components, documentation on hover."""

from __future__ import annotations

from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PyQt6.QtGui import QCursor, QDropEvent, QMouseEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QTreeWidgetItem

from studio.editor.base.favourites import Favourites
from studio.editor.base.settings import Settings
from studio.editor.canvas.interaction.dragged import TOOL_MIME
from studio.editor.look.theme import LIGHT
from studio.editor.palette.palette import FAVOURITES, GAZEBO_TITLE, LEAST_WIDTH, TOOLS_TITLE, Palette
from studio.editor.palette.palette_tools import TOOLS, add_source, source_menu
from studio.editor.palette.palette_tree import TOOL, TYPE
from studio.editor.window.main_window import MainWindow
from studio.model.registry import Registry
from studio.paths import component_roots


@pytest.fixture
def panel(tmp_path: Path, qapp: object) -> Palette:
    made = Palette(LIGHT, Favourites(Settings(tmp_path / "editor.ini")))
    made.show_registry(Registry.scan(component_roots(), entry_points=False))
    made.resize(212, 700)
    made.show()
    return made


def row(panel: Palette, name: str) -> QTreeWidgetItem:
    return next(each for each in panel.tree.rows() if each.data(0, TYPE) == name)


def star_of(panel: Palette, name: str) -> QPoint:
    return panel.tree.star_at(row(panel, name)).center()


def test_a_click_on_the_star_makes_a_favourite_that_is_remembered(panel: Palette, tmp_path: Path) -> None:
    wanted: list[str] = []
    panel.wanted.connect(wanted.append)
    assert FAVOURITES not in panel.titles()
    panel.tree.scrollToItem(row(panel, "low_pass"))
    QTest.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=star_of(panel, "low_pass"))
    assert panel.titles()[0] == FAVOURITES and panel.types()[0] == "low_pass"
    assert panel.types().count("low_pass") == 2, "it stays where it was, too"
    assert wanted == []
    again = Palette(LIGHT, Favourites(Settings(tmp_path / "editor.ini")))
    again.show_registry(panel.registry)
    assert again.types()[0] == "low_pass"


def test_the_keyboard_marks_one_after_the_other_and_the_menu_takes_it_back(panel: Palette) -> None:
    panel.tree.setFocus()
    panel.tree.setCurrentItem(row(panel, "signal_source"))
    QTest.keyClick(panel.tree, Qt.Key.Key_Space)
    current = panel.tree.currentItem()
    assert current is not None and current.data(0, TYPE) == "signal_source"
    group = current.parent()
    assert group is not None and group.text(0).startswith("Sensors"), "not the one among the favourites"
    assert panel.favourites.names() == ["signal_source"]
    entries = {each.text().partition("\t")[0]: each for each in panel.row_menu(current).actions()}
    entries["Remove from the favourites"].trigger()
    assert panel.favourites.names() == [] and FAVOURITES not in panel.titles()


def test_a_tag_is_a_word_in_the_search_and_a_menu_has_them_all(panel: Palette) -> None:
    menu = {each.text(): each for each in panel.tags_menu().actions()}
    tag, count = next(text for text in menu if text.startswith("laser")).split("\t")
    menu[f"{tag}\t{count}"].trigger()
    assert panel.field.text() == "#laser"
    assert len(set(panel.types())) == int(count)
    assert all("laser" in panel.registry.require(name).tags for name in panel.types())
    panel.field.setText("#laser #map")
    assert panel.types() and all({"laser", "map"} <= set(panel.registry.require(n).tags) for n in panel.types())
    assert [each.isChecked() for each in panel.tags_menu().actions() if each.text().startswith(("laser", "map"))] == [
        True, True,
    ]  # fmt: skip
    panel.field.setText("#nothing_like_it")
    assert panel.types() == [] and panel.nothing.isVisible()


def in_group(panel: Palette, title: str) -> list[str]:
    group = panel.tree.groups()[panel.titles().index(title)]
    return [group.child(place).text(0) for place in range(group.childCount())]  # type: ignore[union-attr]


def test_the_devices_of_gazebo_stand_below_all_others(panel: Palette) -> None:
    assert panel.titles()[-1] == GAZEBO_TITLE
    assert {"gazebo_camera", "gazebo_drive"} <= set(in_group(panel, GAZEBO_TITLE))
    others = [name for title in panel.titles()[:-1] for name in in_group(panel, title)]
    assert {"hokuyo_urg", "serial_vehicle"} <= set(others)
    assert not [name for name in others if name.startswith("gazebo_")]


def test_what_a_robot_is_tried_with_stands_among_the_tools(panel: Palette) -> None:
    names = in_group(panel, TOOLS_TITLE)
    assert "raptor_simulator" in names and "teleop" in names
    assert names[-len(TOOLS) :] == [tool.title for tool in TOOLS]
    panel.field.setText("note")
    shown = [each.data(0, TOOL) for each in panel.tree.rows() if each.data(0, TOOL)]
    assert shown == ["note"]


def test_the_hover_tells_what_it_does_with_its_ports_and_tags(panel: Palette) -> None:
    told = row(panel, "low_pass").toolTip(0)
    for words in ("Smooths a signal", "raw", "smooth", "Float64", "cutoff_hz", "#signal", "#filter"):
        assert words in told


def test_documentation_cannot_break_the_hover(panel: Palette, tmp_path: Path) -> None:
    folder = tmp_path / "components" / "odd"
    folder.mkdir(parents=True)
    (folder / "component.xml").write_text(
        '<component type="odd" category="judge"><doc>Warns if a &lt; b &amp; c</doc>'
        '<entry python="odd:Odd"/><activation modes="event"/></component>'
    )
    panel.show_registry(Registry.scan([folder.parent], entry_points=False))
    assert "a &lt; b &amp; c" in row(panel, "odd").toolTip(0)
    assert panel.titles() == ["Judges", TOOLS_TITLE], "one without an icon of its own has that of its category"


def test_a_group_that_was_folded_stays_folded_and_a_search_opens_it(panel: Palette) -> None:
    group = next(each for each in panel.tree.groups() if each.text(0).startswith("Processors"))
    panel.tree.collapseItem(group)
    panel.show_registry(panel.registry)
    group = next(each for each in panel.tree.groups() if each.text(0).startswith("Processors"))
    assert not group.isExpanded()
    panel.field.setText("low")
    assert all(each.isExpanded() for each in panel.tree.groups())
    panel.field.clear()
    assert [each.isExpanded() for each in panel.tree.groups() if each.text(0).startswith("Processors")] == [False]


def test_favourites_stand_first_in_quick_add(window: MainWindow) -> None:
    window.palette_panel.favourites.toggle("traverse_map")
    try:
        window.canvas.open_quick_add()
        first = window.canvas.quick_add.list.item(0)
        assert first is not None and first.text() == "traverse_map"
        window.canvas.quick_add.field.setText("#nothing_like_it")
        (only,) = (window.canvas.quick_add.list.item(row) for row in range(window.canvas.quick_add.list.count()))
        assert only is not None and only.text().startswith("New component")
    finally:
        window.canvas.quick_add.hide()
        window.palette_panel.favourites.toggle("traverse_map")


def drop(window: MainWindow, tool: str, at: QPoint) -> QPointF:
    data = QMimeData()
    data.setData(TOOL_MIME, tool.encode())
    event = QDropEvent(
        QPointF(at), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    told: list[QPointF] = []
    window.canvas.tool_dropped.connect(lambda _, where: told.append(where))
    window.canvas.dropEvent(event)
    QTest.qWait(1)
    return told[0]


def test_a_note_and_a_frame_are_put_where_they_were_dropped(window: MainWindow) -> None:
    layout = window.session.system.layout
    before = {note.id for note in layout.notes}
    where = drop(window, "note", QPoint(200, 150))
    [note] = [each for each in layout.notes if each.id not in before]
    assert abs(note.x + 104 - where.x()) <= 16 and abs(note.y + 40 - where.y()) <= 16
    window.canvas.canvas.select(["terrain_map"])
    frames = {frame.id for frame in layout.frames}
    where = drop(window, "frame", QPoint(260, 200))
    [frame] = [each for each in layout.frames if each.id not in frames]
    assert abs(frame.x + 160 - where.x()) <= 16, "at the pointer, whatever is selected"


def test_a_source_is_made_of_the_component_that_provides_it_in_one_step(window: MainWindow) -> None:
    before = window.session.document.texts()
    entries = source_menu(window, None).actions()
    assert "raptor_simulator" in [each.text() for each in entries]
    spec = window.session.registry.require("raptor_simulator")
    assert add_source(window, spec, QPointF(0, 0))
    source = window.session.system.source("raptor_simulator")
    assert source.mode == "simulated" and {port.name for port in source.ports} == {port.name for port in spec.ports}
    assert window.session.document.history.undo_label == "Add the source raptor_simulator"
    window.session.undo()
    assert window.session.document.texts() == before


def test_a_row_stays_under_the_pointer_while_favourites_grow_above_it(panel: Palette) -> None:
    panel.resize(212, 300)
    panel.tree.scrollToItem(row(panel, "low_pass"), panel.tree.ScrollHint.PositionAtCenter)
    before = panel.tree.visualItemRect(row(panel, "low_pass")).top()
    panel.tree.hovered = row(panel, "low_pass")
    panel.favourites.toggle("low_pass")
    [_, below] = [each for each in panel.tree.rows() if each.data(0, TYPE) == "low_pass"]
    assert panel.tree.visualItemRect(below).top() == before


def test_a_movement_that_comes_after_a_drag_marks_no_row(panel: Palette) -> None:
    """The star stayed at a row while the pointer was on the canvas."""
    tree = panel.tree
    viewport = tree.viewport()
    assert viewport is not None
    at = tree.visualItemRect(tree.rows()[0]).center()

    def move() -> None:
        none, plain = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
        tree.mouseMoveEvent(QMouseEvent(QEvent.Type.MouseMove, QPointF(at), QPointF(at), none, none, plain))

    QCursor.setPos(viewport.mapToGlobal(at))
    move()
    assert tree.hovered is tree.rows()[0]
    QCursor.setPos(panel.mapToGlobal(QPoint(panel.width() + 40, 10)))
    move()
    assert tree.hovered is None


def test_it_is_never_so_narrow_that_names_cannot_be_told_apart(window: MainWindow) -> None:
    window.docks.show("palette")
    window.docks.set_columns(60, 260)
    QApplication.processEvents()
    assert window.palette_panel.width() >= LEAST_WIDTH - 4, "but for the frame"
    window.layouts.reset()
