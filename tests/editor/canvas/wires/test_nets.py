"""The wires of one out port share a trunk, part where their ways part, and each is still a wire of its own."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QImage, QPainter

from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.canvas.items.remark_items import FrameItem
from studio.editor.canvas.wires.lane_book import LaneBook
from studio.editor.canvas.wires.nets import Course, bare_lengths, courses_back, courses_right
from studio.editor.canvas.wires.routing import Lane
from studio.editor.canvas.wires.wire_item import WireItem
from studio.model.layout_edits import MoveNodes, PutFrame
from studio.model.parts import Frame, Wire
from studio.model.spec import Delivery
from studio.model.system_edits import Disconnect, SetDelivery

START = QPointF(100, 100)
FAN = [QPointF(700, y) for y in (0, 120, 240, 360)]


def right(ends: list[QPointF], cards: list[QRectF]) -> list[Course]:
    return courses_right(START, ends, cards, 0, lambda _: True)


def test_far_ends_in_a_column_share_a_trunk_and_part_before_it() -> None:
    card = QRectF(300, 60, 176, 90)
    courses = right(FAN, [card])
    assert len({(c.trunk.currentPosition().x(), c.trunk.currentPosition().y()) for c in courses}) == 1
    assert [c.is_lead for c in courses].count(True) == 1
    (dot,) = {(point.x(), point.y()) for c in courses for point in c.junctions}
    assert card.right() < dot[0] < 700
    for course, end in zip(courses, FAN, strict=True):
        points = [course.path().pointAtPercent(step / 300) for step in range(301)]
        assert points[0] == START and points[-1] == end
        assert not any(card.contains(point) for point in points)


def test_a_trunk_does_not_run_along_the_edge_of_a_card() -> None:
    card = QRectF(300, 104, 176, 90)  # so near below the port that a straight trunk would look like its border
    (height,) = {course.lane.y for course in right(FAN, [card]) if course.lane is not None}
    assert min(abs(height - edge) for edge in (card.top(), card.bottom())) >= 10


def test_columns_part_one_after_the_other_and_the_last_wire_only_goes_on() -> None:
    first, last = right([QPointF(500, 300), QPointF(900, 100)], [])
    assert last.is_lead and not first.is_lead
    assert [dot.x() < 500 for dot in last.junctions] == [True]
    assert last.trunk.length() > first.trunk.length() > 0


def test_near_ends_part_at_the_port() -> None:
    for course in right([QPointF(200, 0), QPointF(200, 200)], []):
        assert course.trunk.isEmpty() and not course.junctions


def test_ways_back_share_the_lane_below_and_part_where_they_go_up() -> None:
    ends = [QPointF(-400, 60), QPointF(-100, 40), QPointF(-100, 90)]
    courses = courses_back(START, ends, 300, [])
    assert [c.is_lead for c in courses] == [True, False, False]
    assert len({c.lane.y for c in courses if c.lane}) == 1
    assert len(courses[0].junctions) == 1  # both others leave the lane together
    assert len(courses[2].junctions) == 2  # and part once more, further up
    for course, end in zip(courses, ends, strict=True):
        assert course.path().currentPosition() == end


def test_two_nets_do_not_run_in_one_lane() -> None:
    book = LaneBook()
    book.take("one", Lane(100, 0, 500))
    assert not book.is_free("other", Lane(104, 400, 900))
    assert book.is_free("other", Lane(110, 400, 900)) and book.is_free("other", Lane(100, 500, 900))
    assert book.is_free("one", Lane(100, 0, 900))
    book.keep_only({"other"})
    assert book.is_free("other", Lane(104, 400, 900))


PLACES = st.tuples(st.integers(110, 1500), st.integers(-500, 500))


@given(st.lists(PLACES, min_size=1, max_size=7), st.lists(PLACES, max_size=6))
def test_every_wire_arrives_wherever_cards_stand(ends: list[tuple[int, int]], cards: list[tuple[int, int]]) -> None:
    points = [QPointF(*end) for end in ends]
    courses = right(points, [QRectF(x, y, 176, 84) for x, y in cards])
    for course, end in zip(courses, points, strict=True):
        assert course.path().elementAt(0).x == START.x() and course.path().currentPosition() == end
    shared = [course for course in courses if not course.trunk.isEmpty()]
    assert len(shared) != 1 and sum(course.is_lead for course in shared) == bool(shared)
    assert all(course.is_lead for course in courses if course not in shared)


@pytest.fixture
def fan(view: CanvasView) -> list[WireItem]:
    """Three wires of terrain_map.terrain, to a column far away."""
    places = {"traverse_map": (1000.0, 0.0), "mystery": (1000.0, 280.0), "hazard_detection": (1000.0, 560.0)}
    view.canvas.session.do(MoveNodes({**places, "path_planner": (1400.0, 0.0), "arc_arbiter": (1700.0, 0.0)}))
    view.zoom_to(1.0)
    found = [item for item in view.canvas.wires.values() if str(item.connection.start) == "terrain_map.terrain"]
    assert len(found) == 3 and all(not item.course.trunk.isEmpty() for item in found)
    return found


def on_trunk(item: WireItem) -> QPointF:
    return item.words_at()


def on_branch(item: WireItem) -> QPointF:
    return item.course.branch.pointAtPercent(0.6)


def test_the_trunk_stands_for_all_and_a_branch_for_one(view: CanvasView, hand: Any, fan: list[WireItem]) -> None:
    for item in fan:
        view.centerOn(on_branch(item))
        hand.click(on_branch(item))
        assert view.canvas.selected_connections() == [item.connection]
        assert item.zValue() > 1
    view.centerOn(on_trunk(fan[0]))
    hand.click(on_trunk(fan[0]))
    assert len(view.canvas.selected_connections()) == 3
    hand.click(on_trunk(fan[0]), Qt.KeyboardModifier.ControlModifier)
    assert view.canvas.selected_connections() == []
    assert all(item.zValue() <= 1 for item in fan)


def test_the_pointer_on_one_lights_the_whole_net(view: CanvasView, fan: list[WireItem]) -> None:
    for point in (on_branch(fan[1]), on_trunk(fan[1])):
        view.hover.move(point, view.mapFromScene(point))
        assert all(item.hovered for item in fan)
        assert sum(item.hovered for item in view.canvas.wires.values()) == 3
    view.hover.leave()
    assert not any(item.hovered for item in fan)


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_one_branch_is_deleted_and_the_others_stay(view: CanvasView, fan: list[WireItem], gone: int) -> None:
    view.canvas.clearSelection()
    fan[gone].setSelected(True)
    view.commands.delete()
    rest = [item for item in fan if item is not fan[gone]]
    assert all(item in view.canvas.wires.values() and item.isVisible() for item in rest)
    assert [item.course.is_lead for item in rest].count(True) == 1
    view.canvas.session.undo()
    again = [item for item in view.canvas.wires.values() if str(item.connection.start) == "terrain_map.terrain"]
    assert len(again) == 3 and sum(item.course.is_lead for item in again) == 1


def test_a_wire_left_alone_has_no_trunk(view: CanvasView, fan: list[WireItem]) -> None:
    view.canvas.session.do(Disconnect((fan[0].connection, fan[1].connection)))
    assert fan[2].course.trunk.isEmpty() and not fan[2].course.junctions


def test_the_others_keep_their_trunk_while_one_is_taken_elsewhere(
    view: CanvasView, hand: Any, fan: list[WireItem]
) -> None:
    lead = next(item for item in fan if item.course.is_lead)
    lead.setSelected(True)
    view.centerOn(lead.end)
    hand.press(lead.end)
    hand.move(lead.end + QPointF(30, 40))
    rest = [item for item in fan if item is not lead]
    assert not lead.isVisible() and [item.course.is_lead for item in rest].count(True) == 1
    assert all(item.isVisible() for item in rest)
    view.cancel_gesture()
    assert lead.isVisible() and [item.course.is_lead for item in fan].count(True) == 1


def test_one_branch_has_a_delivery_of_its_own(view: CanvasView, fan: list[WireItem]) -> None:
    wire = fan[0].connection
    assert isinstance(wire, Wire)
    view.canvas.session.do(SetDelivery(wire, Delivery("latest")))
    found = {
        str(item.connection.end): item.connection
        for item in view.canvas.wires.values()
        if item.connection.start == wire.start
    }
    assert [str(end) for end, each in found.items() if getattr(each, "delivery", None)] == [str(wire.end)]


def test_a_card_that_moves_takes_the_whole_net_along(view: CanvasView, fan: list[WireItem]) -> None:
    before = fan[0].course.lane
    view.canvas.nodes["terrain_map"].setPos(288, 400)
    view.canvas.lay_wires_of(["terrain_map"])
    assert fan[0].course.lane != before
    assert len({item.course.lane.y for item in fan if item.course.lane}) == 1
    view.canvas.nodes["mystery"].setPos(100, 900)  # it stands left now: its wire runs back, alone
    view.canvas.lay_wires_of(["mystery"])
    back = [item for item in fan if item.runs_back]
    assert [item.connection.end.node for item in back] == ["mystery"]
    assert sum(item.course.is_lead for item in fan if item not in back) == 1


def painted(view: CanvasView, at: QPointF) -> QImage:
    """What is 20 pixels around a point of the canvas."""
    image = QImage(40, 40, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    view.canvas.render(painter, QRectF(0, 0, 40, 40), QRectF(at.x() - 20, at.y() - 20, 40, 40))
    painter.end()
    return image


def test_a_wire_that_is_wrong_does_not_make_the_trunk_wrong(view: CanvasView, fan: list[WireItem]) -> None:
    lead = next(item for item in fan if item.course.is_lead)
    for item in fan:
        item.wrong = item is lead
    image = painted(view, on_trunk(lead))
    colours = {image.pixelColor(x, 20).name() for x in range(40)}
    assert colours == {QColor(view.canvas.theme.hue("Map")).name()}


def test_where_wires_part_there_is_a_dot(view: CanvasView, fan: list[WireItem]) -> None:
    lead = next(item for item in fan if item.course.is_lead)
    (dot,) = lead.course.junctions
    image = painted(view, dot)
    hue = QColor(view.canvas.theme.hue("Map"))
    assert [image.pixelColor(20, 20 + y).name() for y in (-2, 1)] == [hue.name()] * 2  # a line alone is thinner


def test_wires_do_not_strike_through_the_title_of_a_frame(view: CanvasView, fan: list[WireItem]) -> None:
    lane = fan[0].course.lane
    assert lane is not None
    view.canvas.session.do(PutFrame(Frame("f9", "Everything about the ground", lane.left + 60, lane.y - 14, 400, 200)))
    title = view.canvas.remarks["f9"]
    assert isinstance(title, FrameItem)
    moved = fan[0].course.lane
    assert moved is not None and not title.title_area().contains(QPointF(lane.left + 80, moved.y))
    view.canvas.session.undo()
    assert fan[0].course.lane == lane


def test_wires_that_part_slowly_do_not_cut_each_other() -> None:
    straight, falling = courses = right([QPointF(240, 100), QPointF(620, 300)], [])
    (_, one), (_, other) = bare_lengths(courses)
    assert one == other > 28  # they run beside each other for a while
    level = next(x for x in range(300) if falling.branch.pointAtPercent(x / 300).y() > 104)
    assert other >= falling.branch.length() * level / 300 - 12
    assert straight.branch.currentPosition().y() == 100
    assert bare_lengths(right([QPointF(620, 300)], [])) == [(0.0, 0.0)]
