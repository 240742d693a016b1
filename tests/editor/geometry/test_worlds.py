"""Worlds in the real window: opened, drawn into by mouse and keys, changed by forms and text, saved, and simulated."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QInputDialog, QLabel, QMenu

from studio.editor.geometry import driving
from studio.editor.geometry.document import GeometryDocument
from studio.editor.geometry.driving import open_world, starts_of, write_drive_project
from studio.editor.geometry.parts import PANELS
from studio.editor.geometry.selection import BodyThing, FrameThing, ShapeThing, VehicleThing
from studio.editor.geometry.thing_edits import duplicate, remove_all
from studio.editor.geometry.view.handled import handled
from studio.editor.look.open_dialog import model_kind, sort_of
from studio.editor.window.main_window import MainWindow
from studio.model.geometry.library import load_model
from studio.model.geometry.obstacles import wall_size
from studio.model.geometry.world import PLACES, WorldModel
from studio.model.text_changes import text_changes
from studio.paths import model_roots
from studio.runtime.sim.worlds.world import World
from studio.runtime.sim.worlds.world_sdf import parse_world, read_world


@pytest.fixture
def blocks(tmp_path: Path) -> Path:
    shutil.copytree(model_roots()[0] / "worlds", tmp_path / "worlds")
    return tmp_path / "worlds" / "blocks.sdf"


@pytest.fixture
def alone(window: MainWindow) -> Iterator[MainWindow]:
    window.show_session(None)
    yield window
    window.vehicles.close_all()


@pytest.fixture
def world(alone: MainWindow, blocks: Path) -> GeometryDocument:
    alone.files.open_any(blocks)
    document = alone.vehicles.active
    assert document is not None and document.workspace.is_world
    document.view.fit()
    return document


def at(document: GeometryDocument, x: float, y: float) -> QPoint:
    """Where a point of the ground is in the view."""
    canvas = document.view.canvas
    (place,), _ = canvas.camera.project(np.array([[x, y, 0.0]]), canvas.width(), canvas.height())
    return QPointF(*place).toPoint()


def click(document: GeometryDocument, x: float, y: float) -> None:
    canvas, place = document.view.canvas, at(document, x, y)
    QTest.mouseMove(canvas, place)
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place)


def do(document: GeometryDocument, name: str) -> None:
    document.view.commands.by_name[name].trigger()


def model(document: GeometryDocument, name: str) -> WorldModel:
    part = document.workspace.world().parts()[name]
    assert isinstance(part, WorldModel)
    return part


def panel(document: GeometryDocument, name: str) -> Any:
    return document.part(next(each for each in PANELS if each.name == name))


def added(document: GeometryDocument) -> int:
    found = text_changes(document.workspace.saved_text(), document.workspace.text())
    assert found.removed == 0
    return found.added


def test_it_is_a_document_like_any_other(alone: MainWindow, world: GeometryDocument, blocks: Path) -> None:
    before = blocks.read_bytes()
    assert sort_of(blocks) == "vehicle" and model_kind(blocks) == "world"
    assert panel(world, "geometry_tree").names()[:3] == ["blocks", "ground", "fence_south"]
    tree = panel(world, "geometry_tree")
    assert {"start", "goal"} < set(tree.names())
    world.selection.choose(BodyThing("shed"))
    assert world.do_all(*_removed(world))
    alone.trigger("file.save")
    assert b"shed" not in blocks.read_bytes()
    alone.trigger("edit.undo")
    alone.trigger("file.save")
    assert blocks.read_bytes() == before
    assert alone.settings.recents.all()[0].path == str(blocks)


def _removed(document: GeometryDocument) -> Any:
    made = remove_all(document.workspace, document.selection.selected)
    return made.label, made.edits


def test_a_click_places_an_obstacle_on_the_ground(world: GeometryDocument) -> None:
    for kind in ("box", "cylinder", "sphere"):
        do(world, kind)
        click(world, 8.0, -8.0)
        assert world.selection.current == BodyThing(kind)
        x, y, z = model(world, kind).pose.xyz
        assert abs(x - 8) < 0.6 and abs(y + 8) < 0.6 and z == 0.5
        world.workspace.undo()
    do(world, "box")
    QTest.keyClick(world.view.canvas, Qt.Key.Key_Escape)
    click(world, 8.0, -8.0)
    assert not world.workspace.is_modified  # Escape gave it up


def test_a_wall_follows_the_clicks_and_enter_ends_it(world: GeometryDocument) -> None:
    canvas = world.view.canvas
    do(world, "wall")
    for corner in ((-20.0, -20.0), (-10.0, -20.0), (-10.0, -28.0), (-20.0, -28.0)):
        click(world, *corner)
    QTest.keyClick(canvas, Qt.Key.Key_Backspace)
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    wall = model(world, "wall2")
    assert len(wall.shapes) == 2 and wall_size(wall) is not None
    assert world.view.hands.tool == "wall"  # the next one follows
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert world.view.hands.tool == "select"
    form = panel(world, "geometry_properties").form
    assert form is not None
    form.named["Height"].changed.emit(2.5)
    changed = wall_size(model(world, "wall2"))
    assert changed is not None and changed.height_m == 2.5
    assert world.settings.text("geometry/wall_height_m") == "2.5"
    world.settings.set_text("geometry/wall_height_m", "")


def test_a_click_on_the_first_corner_closes_the_wall(world: GeometryDocument) -> None:
    do(world, "wall")
    for corner in ((-20.0, -20.0), (-10.0, -20.0), (-10.0, -28.0), (-20.0, -20.0)):
        click(world, *corner)
    assert len(model(world, "wall2").shapes) == 3


def test_keys_move_turn_and_size_what_is_selected(world: GeometryDocument) -> None:
    canvas = world.view.canvas
    world.selection.choose(BodyThing("crates"))
    before = model(world, "crates")

    def type_in(*keys: Qt.Key | str) -> None:
        for key in keys:
            QTest.keyClicks(canvas, key) if isinstance(key, str) else QTest.keyClick(canvas, key)
        QTest.keyClick(canvas, Qt.Key.Key_Return)

    world.view.hands.choose_axes("world")
    type_in(Qt.Key.Key_G, Qt.Key.Key_X, "3")
    assert model(world, "crates").pose.xyz == (2.0, 6.0, 0.7)
    type_in(Qt.Key.Key_E, Qt.Key.Key_Z, "2")
    crates = model(world, "crates")
    assert crates.shapes[0].shape.size == (1.6, 1.6, 2.0)  # type: ignore[attr-defined]
    assert crates.pose.xyz == (2.0, 6.0, 1.0)  # it stands where it stood
    assert crates.pose.rotation == before.pose.rotation
    world.workspace.undo()
    world.workspace.undo()
    assert not world.workspace.is_modified
    world.selection.choose(FrameThing(PLACES, "start"))
    type_in(Qt.Key.Key_G, Qt.Key.Key_Y, "-5")
    assert world.workspace.world().parts()["start"].pose.xyz == (28.0, -5.0, 0.0)


def test_a_shape_of_several_is_moved_and_sized_in_its_model(world: GeometryDocument) -> None:
    do(world, "wall")
    for corner in ((-20.0, -20.0), (-10.0, -20.0), (-10.0, -28.0)):
        click(world, *corner)
    QTest.keyClick(world.view.canvas, Qt.Key.Key_Return)
    QTest.keyClick(world.view.canvas, Qt.Key.Key_Escape)
    side = ShapeThing("wall2", 0)
    world.selection.choose(side)
    held = handled(world.view.stage, side)
    assert held is not None
    there = held.pose.copy()
    there[2, 3] += 1.0
    world.do_all("Lift", [held.edit(there)])
    first, second = model(world, "wall2").shapes
    assert first.shape.pose.xyz[2] == 1.5 and second.shape.pose.xyz[2] == 0.5
    made = duplicate(world.workspace, side)
    world.do_all(made.label, made.edits)
    assert len(model(world, "wall2").shapes) == 3


def test_forms_change_surface_and_size(world: GeometryDocument) -> None:
    world.selection.choose(BodyThing("shed"))
    form = panel(world, "geometry_properties").form
    form.named["Friction"].changed.emit(0.3)
    form.named["Length, width, height"].changed.emit((4.0, 5.0, 3.5))
    shed = model(world, "shed")
    assert shed.shapes[0].friction == 0.3 and shed.pose.xyz == (-10.0, -6.0, 1.75)
    assert next(each for each in simulated(world).solids if each.name == "shed").friction == 0.3
    form.named["Name"].setText("cabin")
    form.named["Name"].setModified(True)
    form.named["Name"].editingFinished.emit()
    assert world.selection.current == BodyThing("cabin")
    world.selection.choose(VehicleThing())
    panel(world, "geometry_properties").form.named["Gravity in m/s²"].changed.emit((0.0, 0.0, -1.62))
    assert world.workspace.world().gravity_m_s2 == (0.0, 0.0, -1.62)


def simulated(document: GeometryDocument) -> World:
    return parse_world(document.workspace.text(), document.workspace.main)


def test_the_text_changes_the_world_and_tells_what_the_simulator_refuses(world: GeometryDocument) -> None:
    page = panel(world, "geometry_xml")
    text = world.workspace.text()
    page.editor.setText(text.replace(b"10.0 -6.0 1.25", b"11.0 -6.0 1.25").decode())
    assert page.flush() and model(world, "shed").pose.xyz[0] == -11.0
    page.editor.setText(text.replace(b"<size>4.0 5.0 2.5</size>", b"<size>4.0 5.0</size>", 1).decode())
    assert not page.flush() and "takes 3 numbers" in page.words.text()
    page.discard.click()
    page.editor.setText(text.replace(b"    <model name=", b'    <actor name="one"/>\n    <model name=', 1).decode())
    assert page.flush()
    (problem,) = world.workspace.problems()
    assert "<actor> in <world> is not supported" in problem.message and problem.line is not None


def test_a_robot_is_a_place_with_its_name(world: GeometryDocument, monkeypatch: pytest.MonkeyPatch) -> None:
    do(world, "robot")
    menus = [each for each in world.view.canvas.findChildren(QMenu) if each.isVisible()]
    names = [action.text() for action in menus[-1].actions()]
    assert "raptor" in names and "camera_head" not in names  # which cannot drive
    next(action for action in menus[-1].actions() if action.text() == "raptor").trigger()
    menus[-1].hide()
    click(world, 8.0, -8.0)
    assert world.selection.current == BodyThing("start_raptor")
    assert added(world) == 3
    assert len(world.workspace.assembled.model.bodies["start_raptor"].shapes) > 10


def test_the_world_is_simulated_as_it_is_in_the_window(
    alone: MainWindow, world: GeometryDocument, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    do(world, "box")
    click(world, 8.0, -8.0)
    started: list[Any] = []
    monkeypatch.setattr(QInputDialog, "getItem", lambda *_: ("raptor", True))
    monkeypatch.setattr(driving.Driving, "start", lambda _, *what: started.append(what))
    alone.trigger("geometry.drive")
    ((starts, stem, name, drawn),) = started
    component = write_drive_project(starts, stem, name, drawn)
    project = component.parent.parent
    driven = read_world(project / "models" / "worlds" / f"{name}.sdf")
    assert "box" in [solid.name for solid in driven.solids]
    assert 'name="start" value="28.0 0.0 3.141592654"' in (project / "system.xml").read_text()


def test_several_robots_start_where_the_world_says(world: GeometryDocument, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    text = world.workspace.text()
    places = b'    <frame name="start_raptor"/>\n    <frame name="start_pioneer_2dx"><pose>5 0 0 0 0 1</pose></frame>\n'
    first = b'    <model name="ground">'
    assert not world.workspace.write_text(text.replace(first, places + first))
    starts = starts_of(world.workspace)
    assert [(each.name, each.place) for each in starts] == [
        ("raptor", (0.0, 0.0, 0.0)), ("pioneer_2dx", (5.0, 0.0, 1.0))
    ]  # fmt: skip
    project = write_drive_project(starts, "blocks", "blocks", open_world(world.workspace)).parent.parent
    both = load_model("drive_blocks", [project / "models"])
    assert {name.partition("_")[0] for name in both.bodies} == {"raptor", "pioneer"}
    system = (project / "system.xml").read_text()
    assert 'to="simulator.raptor_command"' in system and 'to="simulator.pioneer_2dx_command"' in system


def test_a_terrain_is_drawn_from_its_image(alone: MainWindow, blocks: Path, qtbot: Any) -> None:
    alone.files.open_any(blocks.with_name("slopes.sdf"))
    document = alone.vehicles.active
    assert document is not None
    stage = document.view.stage
    qtbot.waitUntil(lambda: bool(stage.description.bodies["hills"].solids), timeout=20000)
    points = stage.description.bodies["hills"].solids[0].faces.points
    assert np.ptp(points[..., 0]) == pytest.approx(80.0) and np.ptp(points[..., 2]) == pytest.approx(3.69, abs=0.1)


def test_a_new_world_has_ground_and_a_start(alone: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "worlds" / "yard.sdf"
    alone.vehicles.create(path, "world")
    document = alone.vehicles.active
    assert document is not None and document.workspace.problems() == []
    do(document, "box")
    click(document, 2.0, 0.0)
    alone.trigger("file.save")
    made = read_world(path)
    assert [solid.kind for solid in made.solids] == ["plane", "box"] and "start" in made.places


def test_the_text_goes_to_the_line_that_was_edited_elsewhere(world: GeometryDocument) -> None:
    page = panel(world, "geometry_xml")
    page.editor.go_to(1)
    do(world, "box")
    click(world, 8.0, -8.0)
    text = world.workspace.text().splitlines()
    line = next(number for number, each in enumerate(text, 1) if b'<model name="box">' in each)
    assert page.editor.line == line


def test_an_included_model_is_drawn_picked_as_one_and_moved(world: GeometryDocument, blocks: Path) -> None:
    folder = blocks.parent / "crate"
    folder.mkdir()
    box = '<visual name="{0}"><pose>0 0 {1} 0 0 0</pose><geometry><box><size>1 1 1</size></box></geometry></visual>'
    shapes = box.format("lower", 0.5) + box.format("upper", 1.5)
    text = f'<sdf version="1.7"><model name="crate"><link name="l">{shapes}</link></model></sdf>'
    (folder / "model.sdf").write_text(text)
    include = b"  <include><uri>model://crate</uri><pose>-2 -2 0 0 0 0</pose></include>\n  </world>"
    world.workspace.write_text(world.workspace.text().replace(b"  </world>", include, 1), world.workspace.main)
    click(world, -2.0, -2.0)
    assert world.selection.current == BodyThing("crate")
    page = panel(world, "geometry_properties")
    assert any("drawn as model.sdf has it" in each.text() for each in page.findChildren(QLabel))
    world.view.setFocus()
    for key in (Qt.Key.Key_G, Qt.Key.Key_X, Qt.Key.Key_1, Qt.Key.Key_Return):
        QTest.keyClick(world.view.canvas, key)
    assert world.workspace.world().parts()["crate"].pose.xyz == (-1.0, -2.0, 0.0)


NESTED = b"""<sdf version="1.9"><world name="w"><model name="gate"><static>true</static>
<link name="a"><visual name="c"><geometry><box><size>1 1 1</size></box></geometry></visual>
<visual name="d"><pose>0 3 0 0 0 0</pose><geometry><box><size>1 1 1</size></box></geometry></visual></link>
<model name="inner"><pose>0 1.5 0 0 0 0</pose><link name="b"><visual name="e">
<geometry><box><size>1 1 1</size></box></geometry></visual></link></model></model></world></sdf>
"""


def test_a_click_on_a_model_in_a_model_selects_the_outer_one(alone: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "nested.sdf"
    path.write_bytes(NESTED)
    alone.files.open_any(path)
    document = alone.vehicles.active
    assert document is not None
    document.view.fit()
    for x in (0.0, 0.2):
        click(document, x, 1.5)
        assert document.selection.current == BodyThing("gate")
    panel(document, "geometry_properties")
    QTest.keyClicks(document.view.canvas, "gx1")
    assert document.view.stage.preview is not None
    QTest.keyClick(document.view.canvas, Qt.Key.Key_Return)
    text = document.workspace.text()
    assert b"<pose>1 0 0 0 0 0</pose>" in text and b'<model name="inner"><pose>0 1.5 0 0 0 0</pose>' in text
