"""Groups: cards that belong together, folded into one. Nothing of it is in system.xml."""

from __future__ import annotations

from typing import Any

import pytest
from PyQt6.QtCore import QPointF, Qt
from PyQt6.QtTest import QTest

from studio.editor.canvas.interaction.in_place import NameField
from studio.editor.canvas.interaction.live_frozen import NODE_OPACITY, FrozenLayer
from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.canvas.items.group_items import GroupCard, GroupFrame
from studio.editor.live.standing import StopReason
from studio.editor.live.state import LOOKS, LiveNode
from studio.model.document import SYSTEM_FILE, SystemDocument
from studio.model.layout_edits import PutGroup
from studio.model.parts import Group, Wire
from studio.model.system_edits import RemoveNodes, RenameNode

MEMBERS = ("terrain_map", "traverse_map")


def labels(view: CanvasView) -> list[str]:
    return view.canvas.session.document.history.labels


def make(view: CanvasView, *, folded: bool) -> None:
    assert view.canvas.session.do(PutGroup(Group("g1", "Maps", MEMBERS, folded)))


def double_click(view: CanvasView, at: QPointF) -> None:
    QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.mapFromScene(at))


def test_what_is_selected_becomes_a_group_and_gets_a_name(view: CanvasView) -> None:
    view.canvas.select(MEMBERS)
    view.groups.make()
    field = view.findChild(NameField)
    assert field is not None
    field.setText("Maps")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert labels(view) == ["Group Group", "Name the group Maps"]
    item = next(iter(view.canvas.groups.items.values()))
    assert isinstance(item, GroupFrame)
    assert all(item.outline().contains(view.canvas.nodes[name].outline()) for name in MEMBERS)


def test_a_folded_group_stands_for_its_members_and_has_the_ports_that_leave_it(view: CanvasView) -> None:
    make(view, folded=True)
    scene = view.canvas
    card = scene.groups.items["g1"]
    assert isinstance(card, GroupCard)
    assert not any(scene.nodes[name].isVisible() for name in MEMBERS)
    ends = {str(port.end) for port in card.card.ports}
    assert ends == {"terrain_map.ranges", "terrain_map.pose", "terrain_map.terrain", "terrain_map.model",
                    "traverse_map.traverse"}  # fmt: skip
    for item in scene.wires.values():
        inside = {item.connection.start.node, item.connection.end.node} <= set(MEMBERS)
        assert item.isVisible() != inside
        if item.isVisible() and item.connection.end.node in MEMBERS:
            assert any((card.anchor(port) - item.end).manhattanLength() < 1 for port in card.card.ports)
    assert card.card.left == "2 members" and "2 members" in card.accessible_name()


def test_double_clicks_and_keys_fold_and_unfold(view: CanvasView) -> None:
    make(view, folded=False)
    frame = view.canvas.groups.items["g1"]
    double_click(view, frame.outline().topLeft() + QPointF(40, 10))
    assert labels(view)[-1] == "Fold Maps"
    card = view.canvas.groups.items["g1"]
    assert isinstance(card, GroupCard) and card.isSelected()
    double_click(view, card.outline().center() - QPointF(0, 20))
    assert labels(view)[-1] == "Unfold Maps" and all(view.canvas.nodes[name].isVisible() for name in MEMBERS)
    view.canvas.select(["terrain_map"])
    view.groups.fold()
    assert labels(view)[-1] == "Fold Maps"
    view.groups.dissolve()
    assert not view.canvas.groups.items and view.canvas.nodes["terrain_map"].isVisible()


def test_a_folded_group_is_moved_with_all_that_is_in_it(view: CanvasView, hand: Any) -> None:
    make(view, folded=True)
    card = view.canvas.groups.items["g1"]
    before = view.canvas.positions(MEMBERS)
    grip = card.outline().topLeft() + QPointF(60, 40)
    hand.drag(grip, grip + QPointF(64, 32))
    after = view.canvas.positions(MEMBERS)
    assert {(after[name][0] - before[name][0], after[name][1] - before[name][1]) for name in MEMBERS} == {(64, 32)}
    assert view.canvas.groups.items["g1"].pos() == QPointF(*after["terrain_map"])


def test_wires_are_drawn_to_and_from_a_folded_group(view: CanvasView, hand: Any) -> None:
    make(view, folded=True)
    card = view.canvas.groups.items["g1"]
    assert isinstance(card, GroupCard)
    port = next(port for port in card.card.ports if str(port.end) == "traverse_map.traverse")
    hand.drag(card.anchor(port), hand.port("hazard_detection", "terrain"))
    assert Wire.between("traverse_map.traverse", "hazard_detection.terrain").key in view.canvas.session.system.wires


def test_groups_are_saved_in_the_layout_alone_and_undone(view: CanvasView) -> None:
    session = view.canvas.session
    before = session.document.texts()
    make(view, folded=True)
    session.do(RenameNode("terrain_map", "heights"))
    session.save()
    again = SystemDocument.load(session.folder).system.layout.groups["g1"]
    assert (again.title, again.members, again.folded) == ("Maps", ("heights", "traverse_map"), True)
    session.undo()
    assert session.document.texts()[session.folder / SYSTEM_FILE] == before[session.folder / SYSTEM_FILE]
    session.do(RemoveNodes(("terrain_map",)))
    assert session.system.layout.groups["g1"].members == ("traverse_map",)
    session.do(RemoveNodes(("traverse_map",)))
    assert "g1" not in session.system.layout.groups and not view.canvas.groups.items
    while session.document.undo():
        pass
    assert session.document.texts() == before


def test_who_joins_a_group_leaves_the_other(view: CanvasView) -> None:
    make(view, folded=False)
    view.canvas.session.do(PutGroup(Group("g2", "Other", ("traverse_map", "path_planner"))))
    groups = view.canvas.session.system.layout.groups
    assert groups["g1"].members == ("terrain_map",) and groups["g2"].members == ("traverse_map", "path_planner")


def test_a_group_that_is_whole_is_copied_with_its_members(view: CanvasView) -> None:
    make(view, folded=True)
    view.canvas.select(["terrain_map"])  # stands behind the card of the group
    assert view.canvas.selected_nodes() == list(MEMBERS)
    view.commands.duplicate()
    groups = list(view.canvas.session.system.layout.groups)
    assert [group.members for group in groups] == [MEMBERS, ("terrain_map_2", "traverse_map_2")]


def test_going_to_a_member_shows_the_group_it_is_in(view: CanvasView) -> None:
    make(view, folded=True)
    view.go_to("traverse_map")
    assert view.canvas.groups.items["g1"].isSelected()
    view.walk("right")
    assert view.canvas.focus_node not in MEMBERS


@pytest.mark.parametrize("folded", [True, False])
def test_a_selected_group_stays_selected_when_everything_is_drawn_anew(view: CanvasView, folded: bool) -> None:
    make(view, folded=folded)
    scene = view.canvas
    told: list[list[str]] = []
    scene.selectionChanged.connect(lambda: told.append(scene.selected_nodes()))
    scene.groups.items["g1"].setSelected(True)
    scene.rebuild()
    assert scene.groups.items["g1"].isSelected()
    assert scene.selected_nodes() == list(MEMBERS) == told[-1]
    assert not any(scene.nodes[name].isSelected() for name in MEMBERS)


def test_a_group_that_is_gone_is_no_longer_selected(view: CanvasView) -> None:
    told: list[list[str]] = []
    view.canvas.selectionChanged.connect(lambda: told.append(view.canvas.selected_nodes()))
    view.canvas.select(["terrain_map", "traverse_map"])
    view.groups.make()
    assert told[-1] == ["terrain_map", "traverse_map"]
    view.canvas.session.undo()
    assert told[-1] == view.canvas.selected_nodes() == []


def test_a_folded_group_shows_the_state_that_matters_most(view: CanvasView) -> None:
    make(view, folded=True)
    card = view.canvas.groups.items["g1"]
    assert isinstance(card, GroupCard)
    for states, shown, words in (
        (("active", "active"), "active", "2 of 2"),
        (("active", "paused"), "paused", "1 of 2"),
        (("error", "paused"), "error", "1 of 2"),
    ):
        for name, state in zip(MEMBERS, states, strict=True):
            view.canvas.nodes[name].show_live(LiveNode(LOOKS[state]))
        view.canvas.groups.show_again(MEMBERS)
        assert card._stripe() == view.canvas.theme.tone(LOOKS[shown].tone)
        assert card.live == LiveNode(LOOKS[shown], words)
        assert f"{LOOKS[shown].word.lower()}, {words}" in card.accessible_name()
    view.canvas.session.do(PutGroup(Group("g1", "Cards", MEMBERS, True)))  # its card is another one now
    again = view.canvas.groups.items["g1"]
    assert isinstance(again, GroupCard) and again.live == LiveNode(LOOKS["error"], "1 of 2")


def test_what_is_frozen_fades_folded_groups_as_well(view: CanvasView) -> None:
    layer = FrozenLayer(view)
    make(view, folded=True)
    at = StopReason(
        "breakpoint", host="h", component="arc_arbiter", file="x", line=3, topic="/platform/ins.pose", sequence=1
    )
    layer.show_stand(at, {"components": {}, "debug": {}})
    assert {card.opacity() for card in view.canvas.cards()} == {NODE_OPACITY}
    view.canvas.session.do(PutGroup(Group("g1", "Cards", MEMBERS, True)))
    assert {card.opacity() for card in view.canvas.cards()} == {NODE_OPACITY}
    layer.show_stand(None, {})
    assert {card.opacity() for card in view.canvas.cards()} == {1.0}


@pytest.mark.parametrize("way", ["align", "distribute", "arrange"])
def test_a_folded_group_is_placed_as_one(view: CanvasView, way: str) -> None:
    make(view, folded=True)
    scene = view.canvas
    between = scene.nodes[MEMBERS[1]].pos() - scene.nodes[MEMBERS[0]].pos()
    if way == "arrange":
        view.commands.arrange()
    else:
        scene.select([*MEMBERS, "modelserver", "arc_arbiter"])
        view.commands.align("left") if way == "align" else view.commands.distribute(across=True)
    assert (
        labels(view)[-1]
        == {
            "align": "Align 3 cards",
            "distribute": "Spread 3 cards",
            "arrange": "Arrange automatically",
        }[way]
    )
    assert scene.nodes[MEMBERS[1]].pos() - scene.nodes[MEMBERS[0]].pos() == between
    if way == "align":
        assert {scene.card_for(name).x() for name in (*MEMBERS, "modelserver", "arc_arbiter")} == {  # type: ignore[union-attr]
            scene.nodes["modelserver"].x()
        }
    if way == "arrange":
        cards = list(scene.cards())
        assert not any(a.outline().intersects(b.outline()) for a in cards for b in cards if a is not b)
