"""A body from nothing in the real window, by keys: its parts are added, selected and sized."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QFileDialog, QMenu

from studio.editor.geometry.document import GeometryDocument
from studio.editor.geometry.panels.wheels_dialog import WheelsDialog
from studio.editor.geometry.parts import PANELS
from studio.editor.geometry.selection import JointThing, SensorThing, ShapeThing
from studio.editor.geometry.view.drawing import DARKEST, Draughtsman
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.views.scene.batches import Triangles
from studio.editor.window.main_window import MainWindow
from studio.model.geometry.shapes import Box
from studio.model.geometry.workspace import Workspace


@pytest.fixture
def cart(window: MainWindow, tmp_path: Path) -> Iterator[GeometryDocument]:
    window.show_session(None)
    window.vehicles.create(tmp_path / "cart.xml", "body")
    document = window.vehicles.active
    assert document is not None
    yield document
    window.vehicles.close_all()


def do(document: GeometryDocument, name: str) -> None:
    document.view.commands.by_name[name].trigger()


def test_keys_add_a_box_wheels_and_a_laser(cart: GeometryDocument) -> None:
    do(cart, "box")
    assert cart.selection.current == ShapeThing("cart", 0)
    canvas = cart.view.canvas
    QTest.keyClick(canvas, Qt.Key.Key_E)
    QTest.keyClick(canvas, Qt.Key.Key_X)
    QTest.keyClicks(canvas, "0.6")
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    (box,) = cart.workspace.assembled.model.bodies["cart"].shapes
    assert isinstance(box, Box) and box.size == (0.6, 0.2, 0.2)
    assert box.pose.xyz == (0.2, 0.0, 0.0)  # the face at the rear stays where it was
    do(cart, "wheels")
    (dialog,) = canvas.findChildren(WheelsDialog)
    dialog.accept()
    do(cart, "laser")
    body = cart.workspace.assembled.model.bodies["cart"]
    assert body.drive is not None and len(body.joints) == 4
    assert cart.selection.current == SensorThing("cart", "laser")
    for _ in range(4):
        cart.workspace.undo()
    assert not cart.workspace.assembled.model.bodies["cart"].shapes


def test_numbers_typed_after_a_box_are_its_sizes(cart: GeometryDocument) -> None:
    do(cart, "box")
    canvas, hands, workspace = cart.view.canvas, cart.view.hands, cart.workspace
    assert "length, width, height" in hands.words
    QTest.keyClicks(canvas, "0.6 0.4 ")
    QTest.keyClick(canvas, Qt.Key.Key_Backspace)
    QTest.keyClicks(canvas, " 0.25")
    assert cart.view.stage.preview is not None and len(workspace.history.labels) == 1, "shown, not done"
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    (box,) = workspace.assembled.model.bodies["cart"].shapes
    assert isinstance(box, Box) and box.size == (0.6, 0.4, 0.25) and box.pose.xyz == (0.0, 0.0, 0.0)
    assert hands.entry is None and cart.view.stage.preview is None
    QTest.keyClicks(canvas, "7")
    assert cart.view.stage.preview is None, "numbers are sizes only right after the box was added"


@pytest.mark.parametrize("typed", ["0", "0.1 0", "1 . 2"])
def test_what_are_no_sizes_changes_nothing(cart: GeometryDocument, window: MainWindow, typed: str) -> None:
    do(cart, "cylinder")
    QTest.keyClicks(cart.view.canvas, typed)
    QTest.keyClick(cart.view.canvas, Qt.Key.Key_Return)
    assert len(cart.workspace.history.labels) == 1 and "is not radius, length" in window.status.words.text()
    QTest.keyClick(cart.view.canvas, Qt.Key.Key_Escape)
    assert "Click selects" in window.status.words.text()


def test_another_command_ends_the_typing_of_sizes(cart: GeometryDocument) -> None:
    do(cart, "box")
    QTest.keyClicks(cart.view.canvas, "3 3 3")
    QTest.keyClick(cart.view.canvas, Qt.Key.Key_Escape)
    assert cart.view.stage.preview is None and cart.selection.current == ShapeThing("cart", 0)
    QTest.keyClicks(cart.view.canvas, "3")
    do(cart, "laser")
    QTest.keyClick(cart.view.canvas, Qt.Key.Key_Return)
    assert len(cart.workspace.history.labels) == 2, "the box keeps its size"


@pytest.mark.parametrize("kind", ["assembly", "body", "world"])
def test_a_new_file_is_there_at_once_and_saving_asks_for_its_place(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Literal["assembly", "body", "world"]
) -> None:
    window.show_session(None)
    monkeypatch.setattr(type(window.files), "own_place", lambda _: tmp_path)
    window.files.new_vehicle(kind)
    window.files.new_vehicle(kind)
    assert [each.main.stem for each in opened(window)] == [f"new_{kind}", f"new_{kind}2"]
    document = window.vehicles.active
    assert document is not None and document.workspace.saved_text() is None
    place = tmp_path / f"cart{document.workspace.main.suffix}"
    asked: list[str] = []
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda _, title, at, *__, **___: (asked.append(at), (str(place), ""))[1]
    )
    window.trigger("file.save")
    assert asked and place.is_file() and b'name="cart"' in place.read_bytes()
    assert [each.main.stem for each in opened(window)] == [f"new_{kind}", "cart"]
    window.trigger("file.save")
    assert len(asked) == 1, "now it has a place"
    window.vehicles.close_all()


def opened(window: MainWindow) -> list[Workspace]:
    return [each.workspace for each in window.vehicles.documents.values()]


def test_the_menu_of_the_tools_has_every_part(cart: GeometryDocument) -> None:
    menu = QMenu()
    cart.view.commands.fill_adding(menu)
    words = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert {"Add box", "Add four wheels…", "Add joint", "Add GPS", "Add drive"} <= set(words)
    next(action for action in menu.actions() if action.text() == "Add frame").trigger()
    assert [frame.name for frame in cart.workspace.assembled.model.bodies["cart"].frames] == ["Frame"]


def test_black_faces_are_seen_in_the_dark_theme(cart: GeometryDocument) -> None:
    do(cart, "box")
    stage = cart.view.stage
    for theme, least in ((DARK, DARKEST), (LIGHT, 0)):
        drawing = Draughtsman(theme).draw(stage.description, {}, stage.seen, (stage.centre, 1.0))
        faces = [batch for thing in drawing.scene.things for batch in thing.batches if isinstance(batch, Triangles)]
        assert faces and min(int(each.colours[:, :3].min()) for each in faces) >= least


CRANE = """<body name="Crane" version="1">
  <frame name="Top"/>
  <box name="arm" on="swing" xyz="0.5 0 0" size="1 0.1 0.1"/>
  <joint name="swing" kind="hinge" at="Top" axis="0 0 1" angles="degrees"/>
</body>
"""
POST = '<body name="Post" version="1">\n  <box name="post" xyz="0 0.8 0" size="0.1 0.1 1"/>\n</body>\n'
YARD = """<assembly name="yard" version="1">
  <body name="Crane" file="crane.xml" xyz="0 0 0"/>
  <body name="Post" file="post.xml" xyz="0 0 0"/>
</assembly>
"""


def test_limits_are_found_by_moving_the_joint_until_it_touches(window: MainWindow, tmp_path: Path) -> None:
    window.show_session(None)
    for name, text in (("crane", CRANE), ("post", POST), ("yard", YARD)):
        (tmp_path / f"{name}.xml").write_text(text)
    window.files.open_any(tmp_path / "yard.xml")
    document = window.vehicles.active
    assert document is not None
    document.selection.choose(JointThing("Crane", "swing"))
    properties: Any = document.part(next(each for each in PANELS if each.name == "geometry_properties"))
    properties.form.named["Find limits"].click()
    joint = document.workspace.assembled.model.bodies["Crane"].joint("swing")
    assert joint is not None and joint.lower is None
    assert joint.upper is not None and 80 < math.degrees(joint.upper) < 84
    assert b'upper="8' in document.workspace.text(tmp_path / "crane.xml")
    assert "Crane:arm and Post:post" in window.status.words.text()
    window.vehicles.close_all()
