"""The canvas without a mouse, and for people who hear it."""

from __future__ import annotations

from dataclasses import replace

from PyQt6 import sip
from PyQt6.QtCore import QObject, QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QContextMenuEvent, QTextDocument
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QAbstractButton, QApplication

from studio.editor.canvas.interaction.hover import words_about
from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.canvas.scene.live_layer import LiveLayer
from studio.editor.canvas.scene.scene import CanvasScene
from studio.editor.live.state import LOOKS, LiveNode
from studio.editor.look.theme import LIGHT
from studio.editor.project.session import Session
from studio.model.layout_edits import PutGroup
from studio.model.parts import Group


def told(view: CanvasView) -> str:
    return view.accessibleDescription()


def test_the_wires_of_a_card_are_reached_one_after_another(view: CanvasView) -> None:
    view.go_to("traverse_map")
    heard = []
    for _ in range(3):
        view.reach.next_wire()
        assert len(view.canvas.selected_connections()) == 1
        heard.append(told(view))
    assert heard[0] == heard[2] != heard[1]
    assert "Map terrain, from terrain_map to traverse_map, terrain" in heard
    view.commands.delete()
    assert view.canvas.session.document.history.labels[-1].startswith("Disconnect")


def test_notes_frames_and_groups_are_reached_moved_and_resized(view: CanvasView) -> None:
    view.canvas.session.do(PutGroup(Group("g1", "Maps", ("terrain_map", "traverse_map"))))
    heard = set()
    for _ in range(3):
        view.reach.next_remark()
        heard.add(told(view).partition(" ")[0])
    assert heard == {"note:", "frame", "group"}
    while not told(view).startswith("note"):
        view.reach.next_remark()
    layout = view.canvas.session.system.layout
    before = layout.notes["n1"]
    alt, shift = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(view, Qt.Key.Key_Right, alt)
    QTest.keyClick(view, Qt.Key.Key_Right, alt)
    QTest.keyClick(view, Qt.Key.Key_Down, alt | shift)
    after = layout.notes["n1"]
    assert (after.x - before.x, after.height - before.height, after.width) == (32, 16, before.width)
    assert len(view.canvas.session.document.history.labels) == 3


def test_who_wires_by_keyboard_hears_both_ports(view: CanvasView) -> None:
    view.go_to("traverse_map")
    view.start_keyboard_wiring()
    assert told(view).startswith("traverse, output of traverse_map, Map, to ")
    QTest.keyClick(view, Qt.Key.Key_Escape)


class Feed(QObject):
    attached, ended, changed = pyqtSignal(), pyqtSignal(bool), pyqtSignal(object)
    is_attached = False


def test_a_component_that_fails_is_told_and_its_rate_is_in_its_name(view: CanvasView) -> None:
    layer = LiveLayer(view.canvas, Feed())  # type: ignore[arg-type]
    layer.turned.connect(view.reach.announce)
    item = view.canvas.nodes["terrain_map"]
    item.show_live(LiveNode(LOOKS["active"], "10.0 Hz"))
    assert "active, 10.0 hertz, 2 inputs" in item.accessible_name()
    before = item.live
    item.show_live(LiveNode(LOOKS["error"], "terrain_map.py:87"))
    layer._tell(item, before)
    assert told(view) == "terrain_map: Error"
    view.reach.announce("")
    layer._tell(item, item.live)
    assert told(view) == ""


def test_the_menu_key_keeps_the_selection_and_opens_at_it(view: CanvasView) -> None:
    view.zoom_to(1.0)
    view.centerOn(view.canvas.nodes["traverse_map"].outline().center())
    view.canvas.select(["terrain_map"])
    view.canvas.set_focus_node("terrain_map")
    asked: list[QPoint] = []
    view.menu_wanted.connect(asked.append)
    viewport = view.viewport()
    assert viewport is not None
    middle = viewport.rect().center()
    key = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, middle, viewport.mapToGlobal(middle))
    QApplication.sendEvent(viewport, key)
    assert view.canvas.selected_nodes() == ["terrain_map"] and len(asked) == 1
    at = view.mapToScene(viewport.mapFromGlobal(asked[0]))
    assert view.canvas.nodes["terrain_map"].outline().contains(at)
    mouse = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, middle, viewport.mapToGlobal(middle))
    QApplication.sendEvent(viewport, mouse)
    assert view.canvas.selected_nodes() == ["traverse_map"] and asked[1:] == [viewport.mapToGlobal(middle)]


def test_the_words_about_a_card_show_angle_brackets_as_they_are(view: CanvasView) -> None:
    item = view.canvas.nodes["traverse_map"]
    port = item.card.port("terrain")
    assert port is not None
    item.card = replace(item.card, ports=tuple(replace(each, doc="a <map> & more") for each in item.card.ports))
    shown = QTextDocument()
    shown.setHtml(words_about(view.canvas, item.anchor(port)))
    assert "a <map> & more" in shown.toPlainText()


def test_a_wire_begun_from_the_zoom_bar_has_the_keyboard(view: CanvasView) -> None:
    view.go_to("traverse_map")
    button = next(each for each in view.zoom_bar.findChildren(QAbstractButton) if each.isVisible())
    button.setFocus()
    view.start_keyboard_wiring()
    assert view.wiring is not None and view.window().focusWidget() is view  # type: ignore[union-attr]
    view.wiring.give_up()


def test_a_scene_that_outlives_its_view_tells_it_nothing(session: Session, qapp: QApplication) -> None:
    scene = CanvasScene(session, LIGHT)
    view = CanvasView(scene)
    scene.setParent(None)
    sip.delete(view)
    scene.focus_moved.emit()  # an exception in here fails the test
    scene.clearSelection()
