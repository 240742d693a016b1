"""Commands of the canvas, by menu, key or palette: each is one step of undo."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.canvas.interaction.commands import fitting_connection
from studio.editor.canvas.interaction.in_place import NameField, TextField
from studio.editor.canvas.interaction.insertion import way_into
from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.canvas.scene.export import export_png, export_svg
from studio.model.layout_edits import MoveNodes, PutFrame, PutNote
from studio.model.parts import Frame, GeometryUse, Note, Wire
from studio.model.source_edits import SetProvider
from studio.model.sources import Source
from studio.model.spec import Delivery
from studio.model.system_edits import Connect, SetDelivery


def labels(view: CanvasView) -> list[str]:
    return view.canvas.session.document.history.labels


def test_delete_takes_cards_wires_and_notes_in_one_step(view: CanvasView) -> None:
    before = view.canvas.session.document.texts()
    view.commands.select_all()
    view.commands.delete()
    assert len(labels(view)) == 1
    assert not view.canvas.nodes and not view.canvas.wires and not view.canvas.remarks
    view.canvas.session.undo()
    assert view.canvas.session.document.texts() == before
    assert len(view.canvas.nodes) == 8 and len(view.canvas.wires) == 12


def test_copy_and_paste_keep_the_wires_between_the_copies(view: CanvasView) -> None:
    view.canvas.select(["terrain_map", "traverse_map"])
    view.commands.copy()
    view.commands.paste()
    assert view.canvas.selected_nodes() == ["terrain_map_2", "traverse_map_2"]
    assert [str(w) for w in view.canvas.session.system.wires_of("traverse_map_2")] == [
        "terrain_map_2.terrain → traverse_map_2.terrain"
    ]


def test_what_is_pasted_is_seen(view: CanvasView) -> None:
    view.canvas.select(["terrain_map"])
    view.commands.copy()
    view.centerOn(view.canvas.nodes["terrain_map"].pos() + QPointF(5000, 3000))
    view.commands.paste()
    pasted = view.canvas.nodes["terrain_map_2"]
    assert view.visible_rect().contains(pasted.outline())
    assert pasted.pos().x() % 16 == view.canvas.nodes["terrain_map"].pos().x() % 16


def test_notes_and_frames_are_cut_pasted_and_duplicated_too(view: CanvasView) -> None:
    layout = view.canvas.session.system.layout
    note, frame = layout.notes["n1"], layout.frames["f1"]
    view.commands.select_all()
    view.commands.cut()
    assert not view.canvas.nodes and not view.canvas.remarks
    view.commands.paste()
    assert [(each.text, each.x) for each in layout.notes] == [(note.text, note.x + 32)]
    assert [(each.title, each.width) for each in layout.frames] == [(frame.title, frame.width)]
    assert {item.value.id for item in view.canvas.selected_remarks()} == set(view.canvas.remarks)
    view.canvas.clearSelection()
    next(item for item in view.canvas.remarks.values() if item.value.id in layout.notes).setSelected(True)
    view.commands.duplicate()
    assert labels(view)[-1] == "Duplicate a remark" and len(layout.notes) == 2


def test_pasting_nonsense_is_refused_in_words(view: CanvasView, qapp: object) -> None:
    from PyQt6.QtWidgets import QApplication

    said: list[str] = []
    view.canvas.session.refused.connect(said.append)
    clipboard = QApplication.clipboard()
    assert clipboard is not None
    clipboard.setText("hello")
    view.commands.paste()
    assert len(said) == 1 and labels(view) == []


def test_duplicates_lie_beside_their_originals(view: CanvasView) -> None:
    view.canvas.select(["arc_arbiter"])
    view.commands.duplicate()
    first, second = view.canvas.nodes["arc_arbiter"], view.canvas.nodes["arc_arbiter_2"]
    assert (second.x() - first.x(), second.y() - first.y()) == (32, 32)


def test_a_name_is_edited_in_place_and_wires_follow(view: CanvasView) -> None:
    view.canvas.select(["terrain_map"])
    view.commands.rename()
    field = view.findChild(NameField)
    assert field is not None and field.text() == "terrain_map"
    field.setText("heights")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert labels(view) == ["Rename terrain_map to heights"]
    assert "heights" in view.canvas.nodes and len(view.canvas.session.system.wires_of("heights")) == 6


def test_a_bad_name_is_refused_and_nothing_changes(view: CanvasView) -> None:
    said: list[str] = []
    view.canvas.session.refused.connect(said.append)
    view.commands._renamed("terrain_map", "no good")
    assert "cannot be a name" in said[0] and labels(view) == []


def test_notes_are_written_in_place(view: CanvasView) -> None:
    view.commands.add_note()
    field = view.findChild(TextField)
    assert field is not None
    field.setPlainText("Mind the step")
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert [note.text for note in view.canvas.session.system.layout.notes][-1] == "Mind the step"


def test_a_frame_goes_around_the_selection(view: CanvasView) -> None:
    view.canvas.select(["terrain_map", "traverse_map"])
    view.commands.add_frame()
    frame = list(view.canvas.session.system.layout.frames)[-1]
    area = view.canvas.remarks[frame.id].outline()
    assert all(area.contains(view.canvas.nodes[name].outline()) for name in ("terrain_map", "traverse_map"))


@pytest.mark.parametrize("edge", ["left", "right", "top", "bottom", "centre", "middle"])
def test_cards_are_aligned(view: CanvasView, edge: str) -> None:
    names = ["modelserver", "traverse_map", "arc_arbiter"]
    view.canvas.select(names)
    view.commands.align(edge)
    areas = [view.canvas.nodes[name].outline() for name in names]
    values = {
        "left": [a.left() for a in areas], "right": [a.right() for a in areas], "top": [a.top() for a in areas],
        "bottom": [a.bottom() for a in areas], "centre": [a.center().x() for a in areas],
        "middle": [a.center().y() for a in areas],
    }[edge]  # fmt: skip
    assert max(values) - min(values) < 0.01


def test_cards_are_spread_evenly(view: CanvasView) -> None:
    names = ["platform", "terrain_map", "arc_arbiter"]
    view.canvas.select(names)
    view.commands.distribute(across=True)
    a, b, c = (view.canvas.nodes[name].outline() for name in names)
    assert b.left() - a.right() == pytest.approx(c.left() - b.right())


def test_arranging_is_one_step_and_overlaps_nothing(view: CanvasView) -> None:
    view.commands.arrange()
    assert labels(view) == ["Arrange automatically"]
    areas = [item.outline() for item in view.canvas.nodes.values()]
    assert not any(a.intersects(b) for i, a in enumerate(areas) for b in areas[:i])


def test_alt_and_arrows_move_and_are_one_step(view: CanvasView) -> None:
    view.canvas.select(["terrain_map"])
    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert view.canvas.nodes["terrain_map"].x() == 288 + 48
    assert labels(view) == ["Move terrain_map"]


def test_cards_and_notes_move_together_and_are_one_step(view: CanvasView) -> None:
    session = view.canvas.session
    session.do(PutNote(Note("n2", 0, 0, 100, 100, "Two")))
    before, texts, history = session.system.layout.notes["n1"], session.document.texts(), len(labels(view))
    view.canvas.select(["terrain_map"])
    for key in ("n1", "n2"):
        view.canvas.remarks[key].setSelected(True)
    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert labels(view)[history:] == ["Move selection"]
    assert view.canvas.nodes["terrain_map"].x() == 288 + 48 and session.system.layout.notes["n1"].x == before.x + 48
    for _ in range(2):
        QTest.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier)
    assert labels(view)[history:] == ["Move selection", "Resize selection"]
    assert session.system.layout.notes["n1"].height == before.height + 32
    session.undo()
    session.undo()
    assert session.document.texts() == texts


def test_a_frame_moved_by_keyboard_takes_its_cards_along_and_gathers_none_on_its_way(view: CanvasView) -> None:
    session, scene = view.canvas.session, view.canvas
    area = scene.nodes["terrain_map"].outline().adjusted(-4, -4, 400, 400)
    session.do(PutFrame(Frame("f9", "Maps", area.x(), area.y(), area.width(), area.height())))
    other = scene.nodes["traverse_map"].outline()
    session.do(MoveNodes({"traverse_map": (area.right() - other.width() + 10, area.y() + 200)}))  # it sticks out by 10
    assert not scene.remarks["f9"].outline().contains(scene.nodes["traverse_map"].outline())
    before = scene.positions(["terrain_map", "traverse_map"])
    history = len(labels(view))
    scene.clearSelection()
    scene.remarks["f9"].setSelected(True)
    for _ in range(4):
        QTest.keyClick(view, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
        QTest.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    after = scene.positions(before)
    assert scene.remarks["f9"].y() == area.y() + 64
    assert after["terrain_map"] == (before["terrain_map"][0] + 64, before["terrain_map"][1] + 64)
    assert after["traverse_map"] == before["traverse_map"]
    assert labels(view)[history:] == ["Move selection"]


def test_arrows_walk_along_the_wires_and_say_where(view: CanvasView) -> None:
    view.canvas.set_focus_node("platform")
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.canvas.focus_node == "terrain_map"
    assert view.accessibleDescription() == "terrain_map, processor, 2 inputs, 1 output"
    QTest.keyClick(view, Qt.Key.Key_Left)
    assert view.canvas.focus_node == "platform"
    QTest.keyClick(view, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    assert view.canvas.focus_node != "platform"


def test_wiring_by_keyboard(view: CanvasView) -> None:
    view.canvas.set_focus_node("traverse_map")
    view.start_keyboard_wiring()
    assert view.wiring is not None
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert len(labels(view)) == 1 and labels(view)[0].startswith("Connect traverse_map →")
    assert view.wiring is None and view.gesture is None
    view.start_keyboard_wiring()
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert view.gesture is None and len(labels(view)) == 1


def test_pictures_of_the_canvas_are_written(view: CanvasView, tmp_path: Path) -> None:
    view.canvas.select(["terrain_map"])
    export_svg(view.canvas, tmp_path / "a.svg")
    export_png(view.canvas, tmp_path / "a.png")
    assert "terrain_map" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert view.canvas.selected_nodes() == ["terrain_map"]


def test_what_does_not_fit_stays_faded_while_the_keyboard_chooses(view: CanvasView) -> None:
    view.canvas.select(["traverse_map"])
    view.start_keyboard_wiring()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right):
        QTest.keyClick(view, key)
        assert all(card.fitting is not None for card in view.canvas.cards())
        assert all(wire.faded for wire in view.canvas.wires.values())
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert all(card.fitting is None for card in view.canvas.cards())


def test_what_is_changed_stays_selected(view: CanvasView) -> None:
    session = view.canvas.session
    wire, note = next(iter(session.system.wires)), session.system.layout.notes["n1"]
    item = view.canvas.wire_of(wire)
    assert item is not None
    item.setSelected(True)
    view.canvas.remarks["n1"].setSelected(True)
    session.do(SetDelivery(wire, Delivery("latest")))
    session.do(PutNote(replace(note, text="Mind the gap")))
    assert [each.key for each in view.canvas.selected_connections()] == [wire.key]
    assert [each.value.id for each in view.canvas.selected_remarks()] == ["n1"]


def test_going_to_a_wire_selects_and_shows_it(view: CanvasView) -> None:
    wire = next(iter(view.canvas.session.system.wires))
    view.zoom_to(2.0)
    view.go_to_wire(wire)
    assert view.canvas.selected_connections() == [wire] and not view.canvas.selected_nodes()
    item = view.canvas.wire_of(wire)
    assert item is not None and view.visible_rect().contains(item.middle)


def test_a_source_shows_the_origin_that_runs(view: CanvasView) -> None:
    assert view.canvas.nodes["platform"].card.mode == "simulated"
    view.canvas.show_running({"platform": "logged"})
    card = view.canvas.nodes["platform"].card
    assert card.mode == "logged" and card.right == "blocks.mcap"
    view.canvas.rebuild()
    assert view.canvas.nodes["platform"].card.mode == "logged"
    view.canvas.show_running({})
    assert view.canvas.nodes["platform"].card.mode == "simulated"


def test_wires_begin_at_the_edge_of_a_card_that_another_provider_made_wider(view: CanvasView) -> None:
    """They kept the place of before, 30 pixels beside it, until somebody moved the card."""
    scene = view.canvas
    source = scene.session.system.node("platform")
    assert isinstance(source, Source) and source.logged is not None
    long = replace(source.logged, log="logs/a_log_with_a_name_that_needs_a_wider_card_than_the_others.mcap")
    assert scene.session.do(SetProvider("platform", "logged", long))
    widths = set()
    for modes in ({"platform": "logged"}, {"platform": "simulated"}, {}):
        scene.show_running(modes)
        card = scene.nodes["platform"]
        widths.add(card.card.width)
        for wire in scene.session.system.wires:
            item = scene.wire_of(wire)
            if wire.start.node == "platform" and item is not None:
                assert item.path.pointAtPercent(0.0).x() == pytest.approx(card.outline().right(), abs=1.0)
    assert len(widths) > 1, "the cards are as wide, so nothing was tried"


def test_a_note_is_put_where_it_covers_nothing(view: CanvasView) -> None:
    view.zoom_to(1.0)
    view.centerOn(view.canvas.nodes["traverse_map"].outline().center())
    for _ in range(4):
        view.commands.add_note()
    assert len(labels(view)) == 4
    areas = [remark.outline() for remark in view.canvas.remarks.values() if remark.value.id != "f1"]
    cards = [card.outline() for card in view.canvas.cards()]
    assert len(areas) == 5 and all(view.visible_rect().contains(area) for area in areas[1:])
    assert not any(area.intersects(card) for area in areas[1:] for card in cards)
    assert not any(one.intersects(other) for place, one in enumerate(areas) for other in areas[:place])


def test_a_component_without_a_place_is_put_where_it_covers_nothing(view: CanvasView) -> None:
    """A card of some height lay over the next one; where all is full it goes out of sight."""
    view.zoom_to(1.0)
    view.centerOn(view.canvas.nodes["traverse_map"].outline().center())
    for _ in range(12):
        view.commands.add("raptor_simulator")
    cards = [card.outline() for card in view.canvas.cards()]
    added = [name for name in view.canvas.nodes if name.startswith("raptor_simulator")]
    assert len(added) == 12
    for name in added:
        area = view.canvas.nodes[name].outline()
        assert sum(area.intersects(card) for card in cards) == 1, f"{name} covers another"


def test_a_component_without_a_place_leaves_room_for_wires(view: CanvasView) -> None:
    """It stood two pixels beside another one: the codes of their ports covered each other."""
    view.zoom_to(1.0)
    beside = view.canvas.nodes["traverse_map"].outline()
    view.centerOn(beside.right() + 100, beside.center().y())
    view.commands.add("low_pass")
    added = view.canvas.nodes["low_pass"].outline().adjusted(-40, 0, 40, 0)
    others = [card for card in view.canvas.cards() if card.name != "low_pass"]
    assert [card.name for card in others if card.outline().intersects(added)] == []


def test_escape_in_a_note_gives_the_keys_back_to_the_canvas(view: CanvasView, qtbot: QtBot) -> None:
    QApplication.setActiveWindow(view)
    qtbot.waitUntil(view.isActiveWindow, timeout=20_000)
    view.commands.add_note()
    field = view.findChild(TextField)
    assert field is not None
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is view


def test_who_shows_the_selection_is_told_of_a_new_name(view: CanvasView) -> None:
    view.canvas.select(["terrain_map"])
    told: list[list[str]] = []
    view.canvas.selectionChanged.connect(lambda: told.append(view.canvas.selected_nodes()))
    view.commands._renamed("terrain_map", "ground")
    assert told == [["ground"]]
    view.canvas.session.undo()
    assert told[-1] == ["terrain_map"]


def test_arranging_some_cards_covers_none_of_the_others(view: CanvasView) -> None:
    """They would stand in a row, and there stands somebody else already."""
    some = ["traverse_map", "path_planner"]
    view.canvas.session.do(
        MoveNodes({"traverse_map": (576.0, 192.0), "path_planner": (576.0, 400.0), "hazard_detection": (848.0, 176.0)})
    )
    view.canvas.select(some)
    view.commands.arrange()
    moved = [view.canvas.nodes[name].outline() for name in some]
    others = [node.outline() for name, node in view.canvas.nodes.items() if name not in some]
    assert not any(area.intersects(other) for area in moved for other in others)
    assert moved[0].right() < moved[1].left()


def test_enter_takes_a_name_and_leaves_the_focus_on_the_canvas(view: CanvasView, qtbot: QtBot) -> None:
    QApplication.setActiveWindow(view)
    qtbot.waitUntil(view.isActiveWindow, timeout=20_000)
    asked: list[bool] = []
    view.inspect.connect(lambda: asked.append(True))
    for name in ("ground", "ground"):  # the second time it stays as it is
        view.commands.rename_node(next(old for old in ("terrain_map", "ground") if old in view.canvas.nodes))
        field = view.findChild(NameField)
        assert field is not None
        field.setText(name)
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert not asked and QApplication.focusWidget() is view
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert "ground" in view.canvas.nodes


def test_a_simulator_brings_its_geometry_in_the_same_step(view: CanvasView) -> None:
    session = view.canvas.session
    before = session.document.texts()
    assert session.system.geometry is None
    view.commands.add("pioneer_2dx_simulator")
    assert session.system.geometry == GeometryUse("pioneer_2dx")
    session.undo()
    assert session.document.texts() == before
    session.redo()
    view.commands.add("raptor_simulator")
    assert session.system.geometry == GeometryUse("pioneer_2dx"), "the one that is there stays"


def test_quick_add_neither_offers_nor_makes_a_wire_of_ground_truth(view: CanvasView) -> None:
    session = view.canvas.session
    view.commands.add("grid_mapper")
    view.commands.add("pioneer_2dx_simulator")
    card = view.canvas.nodes["grid_mapper"]
    pose = next(port for port in card.card.ports if port.end.port == "pose")
    simulator = session.registry.require("pioneer_2dx_simulator")
    assert fitting_connection(session, pose, "new", simulator) is None, "its only pose is ground truth"
    truth = next(port for port in view.canvas.nodes["pioneer_2dx_simulator"].card.ports if port.end.port == "true_pose")
    assert fitting_connection(session, truth, "new", session.registry.require("grid_mapper")) is None
    judge = fitting_connection(session, truth, "new", session.registry.require("driving_judge"))
    assert judge is not None and judge.end.node == "new"
    view.open_quick_add(port=truth)
    assert [view.quick_add.list.item(row).text() for row in range(view.quick_add.list.count())] == [
        "driving_judge",
        "New component…",
    ]
    view.quick_add.hide()


def test_nothing_but_a_judge_is_put_into_a_wire_of_ground_truth(view: CanvasView) -> None:
    session = view.canvas.session
    view.commands.add("pioneer_2dx_simulator")
    view.commands.add("driving_judge")
    wire = Wire.between("pioneer_2dx_simulator.true_pose", "driving_judge.pose")
    assert session.do(Connect(wire))
    through = [spec.type for spec in session.registry.specs() if way_into(session, (wire,), spec)]
    assert through == []
