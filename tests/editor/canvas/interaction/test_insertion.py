"""A component that is let go on a wire is put into it: one step of undo, whatever else hangs on the wire."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QMimeData, QPointF, Qt
from PyQt6.QtGui import QDragMoveEvent, QDropEvent
from PyQt6.QtWidgets import QApplication

from studio.editor.canvas.interaction.dragged import MIME
from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.canvas.scene.scene import CanvasScene
from studio.editor.canvas.wires.wire_item import WireItem
from studio.editor.look.theme import LIGHT
from studio.editor.project.session import Session
from studio.model.layout_edits import MoveNodes, PutFrame, PutGroup
from studio.model.parts import Frame, Group
from studio.model.project import Project

SYSTEM = """<system name="small" version="1">
  <component name="signal" type="signal_source"/>
  <component name="sink" type="signal_sink"/>
  <component name="other" type="signal_sink"/>
  <wire from="signal.value" to="sink.value" delivery="latest"/>
  <wire from="signal.value" to="other.value"/>
</system>"""
LAYOUT = """<layout version="1">
  <place of="signal" x="0" y="0"/><place of="sink" x="640" y="0"/><place of="other" x="640" y="320"/>
</layout>"""


@pytest.fixture
def small(tmp_path: Path, qapp: QApplication) -> Iterator[CanvasView]:
    folder = tmp_path / "small"
    Project.create(folder, "small")
    (folder / "system.xml").write_text(SYSTEM)
    (folder / "layout.xml").write_text(LAYOUT)
    session = Session.open(folder)
    view = CanvasView(CanvasScene(session, LIGHT))
    view.resize(1200, 700)
    view.show()
    view.fit()
    yield view
    view.close()
    session.close()


def wires(view: CanvasView) -> set[str]:
    return {f"{wire.start} {wire.end} {wire.delivery or ''}".strip() for wire in view.canvas.session.system.wires}


def wire_to(view: CanvasView, node: str) -> WireItem:
    return next(item for item in view.canvas.wires.values() if item.connection.end.node == node)


def on_branch(view: CanvasView, node: str) -> QPointF:
    """Where only the wire to that card runs."""
    item = wire_to(view, node)
    points = [item.path.pointAtPercent(part / 50) for part in range(50)]
    return next(p for p in points if view.canvas.wires_at(p) == [item] and view.canvas.card_at(p) is None)


def dragged(type_name: str) -> QMimeData:
    data = QMimeData()
    data.setData(MIME, type_name.encode())
    return data


def hold(view: CanvasView, type_name: str, at: QPointF) -> None:
    data = dragged(type_name)
    view.dragMoveEvent(
        QDragMoveEvent(
            view.mapFromScene(at), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0)
        )
    )


def drop(view: CanvasView, type_name: str, at: QPointF) -> None:
    data, where = dragged(type_name), QPointF(view.mapFromScene(at))
    view.dropEvent(QDropEvent(where, Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0)))


def test_what_is_let_go_on_a_wire_is_put_into_it_and_its_delivery_stays_with_who_takes(small: CanvasView) -> None:
    before, at = small.canvas.session.document.texts(), on_branch(small, "sink")
    hold(small, "low_pass", at)
    assert small.pointer_note.isVisible() and "into signal.value → sink.value" in small.pointer_note.text()
    assert wire_to(small, "sink").hovered and not wire_to(small, "other").hovered
    drop(small, "low_pass", at)
    assert not small.pointer_note.isVisible()
    assert wires(small) == {
        "signal.value low_pass.raw", "low_pass.smooth sink.value latest", "signal.value other.value"
    }  # fmt: skip
    assert small.canvas.selected_nodes() == ["low_pass"]
    assert small.canvas.session.document.history.labels == ["Put low_pass into signal.value → sink.value"]
    small.canvas.session.undo()
    assert small.canvas.session.document.texts() == before


def test_on_the_common_part_of_a_net_it_is_put_into_all_of_it(small: CanvasView) -> None:
    trunk = wire_to(small, "sink").course.trunk
    at = next(
        p for part in range(100) if len(small.canvas.wires_at(p := trunk.pointAtPercent(part / 100))) == 2
        and small.canvas.card_at(p) is None
    )  # fmt: skip
    drop(small, "low_pass", at)
    assert wires(small) == {
        "signal.value low_pass.raw", "low_pass.smooth sink.value latest", "low_pass.smooth other.value"
    }  # fmt: skip


def test_what_does_not_fit_says_so_and_stands_beside(small: CanvasView) -> None:
    at = on_branch(small, "other")
    hold(small, "terrain_map", at)
    assert small.pointer_note.text() == "terrain_map does not take and give Float64"
    drop(small, "terrain_map", at)
    assert "terrain_map" in small.canvas.nodes and len(wires(small)) == 2


def test_it_covers_no_card_that_stands_at_the_wire(small: CanvasView) -> None:
    assert small.commands.add("signal_sink", QPointF(408, 120))
    drop(small, "low_pass", on_branch(small, "sink"))
    cards = [item.outline() for item in small.canvas.cards()]
    assert not any(one.intersects(two) for place, one in enumerate(cards) for two in cards[:place])


def test_where_there_is_no_room_what_stands_behind_goes_further_right(small: CanvasView) -> None:
    session = small.canvas.session
    near = {"sink": (240.0, 0.0), "other": (240.0, 320.0)}
    assert session.do(MoveNodes(near)) and session.do(PutFrame(Frame("f", "Sinks", 200, -48, 300, 200)))
    small.fit()
    before = session.document.texts()
    drop(small, "low_pass", on_branch(small, "other"))
    assert not any(item.runs_back for item in small.canvas.wires.values())
    boxes = {name: item.outline() for name, item in small.canvas.nodes.items()}
    assert boxes["signal"].right() < boxes["low_pass"].left() and boxes["low_pass"].right() < boxes["other"].left()
    frame = session.system.layout.frames["f"]
    assert frame.x + frame.width >= boxes["sink"].right()
    session.undo()
    assert session.document.texts() == before


def test_by_keyboard_only_what_fits_the_wire_is_offered(small: CanvasView) -> None:
    small.open_quick_insert()
    assert not small.quick_add.isVisible(), "nothing is selected"
    wire_to(small, "other").setSelected(True)
    small.open_quick_insert()
    offered = [small.quick_add.list.item(row).text() for row in range(small.quick_add.list.count())]
    assert offered == ["c_filter", "low_pass", "New component…"]
    small.quick_add.hide()
    small.quick_add.chosen.emit("low_pass")
    assert "low_pass.smooth other.value" in wires(small) and "signal.value sink.value latest" in wires(small)


def test_a_frame_around_the_sender_alone_does_not_take_in_what_comes_behind_it(small: CanvasView) -> None:
    session = small.canvas.session
    session.do(MoveNodes({"sink": (240.0, 0.0), "other": (240.0, 320.0)}))
    sender = small.canvas.nodes["signal"].outline().adjusted(-24, -40, 24, 24)
    frame = Frame("f", "Sensors", sender.x(), sender.y(), sender.width(), sender.height())
    session.do(PutFrame(frame))
    drop(small, "low_pass", on_branch(small, "other"))
    assert session.system.layout.frames["f"].width == frame.width
    assert not sender.intersects(small.canvas.nodes["low_pass"].outline())


def test_a_folded_group_goes_as_one_and_the_new_card_stands_before_it(small: CanvasView) -> None:
    session = small.canvas.session
    session.do(MoveNodes({"sink": (320.0, 0.0), "other": (240.0, 320.0)}))
    session.do(PutGroup(Group("g1", "Sinks", ("sink", "other"), folded=True)))
    before = small.canvas.positions(["sink", "other"])
    assert small.commands.add("low_pass", QPointF(200, 40), into=[wire_to(small, "sink").connection])
    moved = {x - before[name][0] for name, (x, _) in small.canvas.positions(["sink", "other"]).items()}
    assert len(moved) == 1, "its members keep their places to each other"
    card, group = small.canvas.nodes["low_pass"].outline(), next(iter(small.canvas.groups.cards())).outline()
    assert card.right() < group.left() and card.top() < group.bottom(), "before it, and not below"


def test_between_members_of_a_group_it_belongs_to_the_group(small: CanvasView) -> None:
    session = small.canvas.session
    session.do(PutGroup(Group("g1", "All", ("signal", "sink"))))
    drop(small, "low_pass", on_branch(small, "sink"))
    assert session.system.layout.groups["g1"].members == ("signal", "sink", "low_pass")
    drop(small, "low_pass", on_branch(small, "other"))
    assert "low_pass_2" not in session.system.layout.groups["g1"].members, "one end of that wire is outside"


def test_a_canvas_that_is_made_anew_while_something_is_held_over_a_wire_goes_on(small: CanvasView) -> None:
    hold(small, "low_pass", on_branch(small, "sink"))
    small.canvas.rebuild()
    drop(small, "low_pass", on_branch(small, "sink"))
    assert "low_pass.smooth sink.value latest" in wires(small)
