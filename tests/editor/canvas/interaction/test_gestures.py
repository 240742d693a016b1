"""What hands do on the canvas ends in one edit or none."""

from __future__ import annotations

from typing import Any

import pytest
from PyQt6.QtCore import QMimeData, QPointF, Qt
from PyQt6.QtGui import QDropEvent
from PyQt6.QtTest import QTest

from studio.editor.canvas.interaction.dragged import MIME
from studio.editor.canvas.interaction.view import CanvasView
from studio.model.layout_edits import MoveNodes
from studio.model.parts import ServiceWire, Wire
from studio.model.system_edits import Disconnect, RemoveNodes


def labels(view: CanvasView) -> list[str]:
    return view.canvas.session.document.history.labels


def test_a_wire_is_drawn_from_an_out_port_to_an_in_port(view: CanvasView, hand: Any) -> None:
    hand.drag(hand.port("traverse_map", "traverse"), hand.port("hazard_detection", "terrain"))
    assert labels(view) == ["Connect traverse_map → hazard_detection"]
    assert Wire.between("traverse_map.traverse", "hazard_detection.terrain").key in view.canvas.session.system.wires


def test_after_a_drag_only_what_is_under_the_pointer_is_lit(view: CanvasView, hand: Any) -> None:
    start = hand.port("terrain_map", "terrain")
    hand.move(start)
    assert view.canvas.nodes["terrain_map"].hovered is not None
    assert view.cursor().shape() == Qt.CursorShape.CrossCursor and view.toolTip()
    hand.drag(start, hand.body("arc_arbiter"))
    assert view.canvas.nodes["terrain_map"].hovered is None
    assert view.cursor().shape() == Qt.CursorShape.ArrowCursor and "arc_arbiter" in view.toolTip()
    body = hand.body("traverse_map")
    hand.move(body)
    assert "traverse_map" in view.toolTip()
    hand.drag(body, body + QPointF(0, 320))
    assert "traverse_map" in view.toolTip(), "it is still under the pointer"


def test_a_wire_is_drawn_backwards_too(view: CanvasView, hand: Any) -> None:
    hand.drag(hand.port("hazard_detection", "terrain"), hand.port("traverse_map", "traverse"))
    assert labels(view) == ["Connect traverse_map → hazard_detection"]


def test_ports_that_do_not_fit_say_why_and_refuse(view: CanvasView, hand: Any) -> None:
    hand.press(hand.port("terrain_map", "terrain"))
    hand.move(hand.port("arc_arbiter", "votes"))
    assert view.gesture is not None and "sends Map, but arc_arbiter.votes takes Vote" in view.gesture.message
    assert view.canvas.nodes["modelserver"].fitting is not None
    hand.release(hand.port("arc_arbiter", "votes"))
    assert labels(view) == [] and view.canvas.nodes["modelserver"].fitting is None


def test_what_is_already_connected_says_so(view: CanvasView, hand: Any) -> None:
    hand.press(hand.port("terrain_map", "terrain"))
    hand.move(hand.port("traverse_map", "terrain"))
    assert view.gesture is not None and "already wired" in view.gesture.message
    view.cancel_gesture()


def test_a_service_is_wired_from_required_to_provided(view: CanvasView, hand: Any) -> None:
    wire = ServiceWire.between("terrain_map.model", "modelserver.model")
    view.canvas.session.do(Disconnect((wire,)))
    hand.drag(hand.port("terrain_map", "model", service=True), hand.port("modelserver", "model", service=True))
    assert labels(view)[-1] == "Connect terrain_map → modelserver"


def test_the_end_of_a_wire_is_taken_elsewhere_and_keeps_its_delivery(view: CanvasView, hand: Any) -> None:
    item = next(w for w in view.canvas.wires.values() if str(w.connection.end) == "path_planner.pose")
    item.setSelected(True)
    hand.drag(item.end, hand.port("terrain_map", "pose"))
    assert labels(view) == []  # platform.ins.pose feeds terrain_map.pose already
    wire = next(w for w in view.canvas.wires.values() if str(w.connection.end) == "traverse_map.terrain")
    view.canvas.clearSelection()
    wire.setSelected(True)
    hand.drag(wire.end, hand.port("path_planner", "traverse"))
    assert labels(view) == ["Connect terrain_map → path_planner"]


def test_a_wire_pulled_off_is_removed(view: CanvasView, hand: Any) -> None:
    wire = next(w for w in view.canvas.wires.values() if str(w.connection.end) == "traverse_map.terrain")
    wire.setSelected(True)
    hand.drag(wire.end, QPointF(560, 600))
    assert labels(view) == ["Disconnect terrain_map → traverse_map"]


@pytest.mark.parametrize("away", [0.0, 8.0, 14.0, 20.0, 25.0])
@pytest.mark.parametrize("end", ["start", "end"])
def test_a_click_near_the_end_of_a_wire_only_selects_it(view: CanvasView, hand: Any, end: str, away: float) -> None:
    view.zoom_to(1.0)
    wire = next(w for w in view.canvas.wires.values() if str(w.connection.end) == "traverse_map.terrain")
    view.centerOn(wire.middle)
    at = wire.path.pointAtPercent(wire.path.percentAtLength(away if end == "start" else wire.path.length() - away))
    for _ in range(2):  # the second time it is selected and has handles
        hand.press(at)
        hand.move(at + QPointF(1, 1))
        hand.release(at)
        assert labels(view) == [] and view.gesture is None
    chosen = view.canvas.selected_connections()
    assert [each.start for each in chosen] == ([wire.connection.start] if away > 12 else [])  # nearer it is the port


def test_a_trembling_click_on_the_grip_of_a_note_leaves_its_size(view: CanvasView, hand: Any) -> None:
    view.zoom_to(1.0)
    corner = view.canvas.remarks["n1"].outline().bottomRight() - QPointF(4, 4)
    view.centerOn(corner)
    hand.press(corner)
    hand.move(corner + QPointF(2, 1))
    hand.release(corner)
    assert labels(view) == []


def test_cards_move_together_on_the_grid_and_escape_gives_up(view: CanvasView, hand: Any) -> None:
    view.canvas.select(["terrain_map", "traverse_map"])
    hand.drag(hand.body("terrain_map"), hand.body("terrain_map") + QPointF(50, 37))
    assert labels(view) == ["Move terrain_map and traverse_map"]
    place = view.canvas.session.system.layout.places["traverse_map"]
    assert (place.x, place.y) == (576 + 48, 192 + 32)
    hand.press(hand.body("terrain_map"))
    hand.move(hand.body("terrain_map") + QPointF(80, 0))
    QTest.keyClick(view, Qt.Key.Key_Escape)
    hand.release(hand.body("terrain_map"))
    assert len(labels(view)) == 1 and view.canvas.nodes["terrain_map"].x() == 288 + 48


def test_a_click_moves_nothing(view: CanvasView, hand: Any) -> None:
    hand.click(hand.body("terrain_map"))
    assert labels(view) == [] and view.canvas.selected_nodes() == ["terrain_map"]


def test_a_frame_takes_along_what_lies_inside(view: CanvasView, hand: Any) -> None:
    hand.drag(QPointF(900, -6), QPointF(900, 58))
    assert labels(view) == ["Move path_planner"]
    assert view.canvas.session.system.layout.places["path_planner"].y == 192 + 64
    assert view.canvas.session.system.layout.frames["f1"].y == -16 + 64


def test_a_note_is_resized_at_its_corner(view: CanvasView, hand: Any) -> None:
    hand.click(QPointF(150, 60))  # only the selected one shows its grip
    hand.drag(QPointF(205, 93), QPointF(256, 128))
    note = view.canvas.session.system.layout.notes["n1"]
    assert (note.width, note.height) == (256, 112)


def test_the_rubber_band_selects_what_it_touches(view: CanvasView, hand: Any) -> None:
    hand.drag(QPointF(560, 170), QPointF(780, 300))
    assert view.canvas.selected_nodes() == ["traverse_map"]
    hand.click(hand.body("arc_arbiter"), Qt.KeyboardModifier.ShiftModifier)
    assert view.canvas.selected_nodes() == ["traverse_map", "arc_arbiter"]


def test_the_switch_on_a_source_changes_its_mode(view: CanvasView, hand: Any) -> None:
    item = view.canvas.nodes["platform"]
    middle = {mode: item.pos() + QPointF(left + width / 2, 48) for mode, left, width in item.card.segments()}
    hand.click(middle["real"])  # has no provider
    assert labels(view) == []
    hand.click(middle["logged"])
    assert labels(view) == ["Switch platform to logged"]
    assert view.canvas.nodes["platform"].card.mode == "logged"


def test_a_component_dropped_stands_where_it_was_dropped(view: CanvasView) -> None:
    data = QMimeData()
    data.setData(MIME, b"terrain_map")
    at = QPointF(view.mapFromScene(QPointF(400, 500)))
    drop = QDropEvent(at, Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    view.dropEvent(drop)
    assert labels(view) == ["Add terrain_map_2"]
    assert view.canvas.nodes["terrain_map_2"].outline().contains(QPointF(400, 500))


def test_a_wire_dropped_on_the_ground_offers_what_fits_and_connects_it(view: CanvasView, hand: Any) -> None:
    hand.drag(hand.port("traverse_map", "traverse"), QPointF(760, 500))
    assert view.quick_add.isVisible()
    offered = view.quick_add.types()
    assert {"behaviour", "planner", "traverse_map"} <= set(offered)
    assert "arbiter" not in offered and "low_pass" not in offered
    view.quick_add.field.setText("behav")
    QTest.keyClick(view.quick_add.field, Qt.Key.Key_Return)
    assert labels(view) == ["Add behaviour"]
    assert Wire.between("traverse_map.traverse", "behaviour.terrain").key in view.canvas.session.system.wires


def test_the_pointer_keeps_its_place_when_zooming(view: CanvasView) -> None:
    view.zoom_to(0.8)
    at = QPointF(300, 200)
    before = view.mapToScene(at.toPoint())
    view.zoom_by(1.5, at)
    after = view.mapToScene(at.toPoint())
    assert abs(after.x() - before.x()) < 2 and abs(after.y() - before.y()) < 2


@pytest.mark.parametrize("way", ["undo", "delete"])
def test_a_card_that_goes_while_it_is_dragged_ends_the_drag(view: CanvasView, hand: Any, way: str) -> None:
    view.canvas.select(["traverse_map"])
    view.commands.duplicate()
    new = "traverse_map_2"
    view.canvas.session.do(MoveNodes({new: (400, 500)}))
    view.canvas.session.do(RemoveNodes((new,)))
    view.canvas.session.undo()
    at = hand.body(new)
    hand.press(at)
    hand.move(at + QPointF(40, 0))
    assert view.gesture is not None
    if way == "undo":
        view.canvas.session.undo()
        view.canvas.session.undo()
    else:
        view.commands.delete()
    hand.move(at + QPointF(80, 0))
    hand.release(at + QPointF(80, 0))
    assert view.gesture is None and new not in view.canvas.nodes


def test_an_undo_of_a_move_while_the_card_is_dragged_leaves_it_where_the_undo_put_it(
    view: CanvasView, hand: Any
) -> None:
    hand.drag(hand.body("terrain_map"), hand.body("terrain_map") + QPointF(64, 0))
    at = hand.body("terrain_map")
    hand.press(at)
    hand.move(at + QPointF(0, 64))
    view.canvas.session.undo()
    hand.move(at + QPointF(0, 96))
    hand.release(at + QPointF(0, 96))
    place = view.canvas.session.system.layout.places["terrain_map"]
    item = view.canvas.nodes["terrain_map"]
    assert labels(view) == [] and (item.x(), item.y()) == (place.x, place.y)


def test_a_card_that_goes_before_the_hand_has_moved_is_not_dragged(view: CanvasView, hand: Any) -> None:
    at = hand.body("traverse_map")
    hand.press(at)
    view.commands.delete()
    hand.move(at + QPointF(80, 0))
    hand.release(at + QPointF(80, 0))
    assert view.gesture is None and labels(view) == ["Remove traverse_map"]


def test_partners_that_go_end_the_wiring_by_keyboard(view: CanvasView) -> None:
    view.canvas.set_focus_node("traverse_map")
    view.start_keyboard_wiring()
    assert view.wiring is not None
    view.canvas.session.do(RemoveNodes(tuple(name for name in view.canvas.nodes if name != "traverse_map")))
    assert view.wiring is None and view.gesture is None
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.canvas.nodes["traverse_map"].fitting is None


def test_a_click_on_one_of_many_that_are_selected_means_that_one(view: CanvasView, hand: Any) -> None:
    view.commands.select_all()
    hand.click(hand.body("terrain_map"))
    assert view.canvas.selected_nodes() == ["terrain_map"] and not view.canvas.selected_connections()


def test_a_drag_on_one_of_many_that_are_selected_takes_all_of_them(view: CanvasView, hand: Any) -> None:
    view.canvas.select(["terrain_map", "traverse_map"])
    at = hand.body("terrain_map")
    hand.drag(at, at + QPointF(64, 0))
    assert labels(view) == ["Move terrain_map and traverse_map"]
    assert view.canvas.selected_nodes() == ["terrain_map", "traverse_map"]
