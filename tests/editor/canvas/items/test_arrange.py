"""The automatic layout: data flows to the right, nothing overlaps, loops do no harm."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from PyQt6.QtCore import QPointF, QRectF
from PyQt6.QtGui import QPainterPath

from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.canvas.items.arrange import arrange
from studio.editor.canvas.wires.nets import courses_back
from studio.editor.canvas.wires.routing import is_feedback, way_right
from studio.model.layout_edits import MoveNodes

NAMES = [f"n{i}" for i in range(9)]
GRAPHS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=20)


@given(GRAPHS)
def test_nothing_overlaps_whatever_the_wires(wires: list[tuple[str, str]]) -> None:
    sizes = {name: (176.0 + 16 * (i % 4), 62.0 + 22 * (i % 3)) for i, name in enumerate(NAMES)}
    places = arrange(sizes, wires)
    areas = [QRectF(*places[name], *sizes[name]) for name in NAMES]
    assert set(places) == set(NAMES)
    assert not any(a.intersects(b) for i, a in enumerate(areas) for b in areas[:i])


@given(GRAPHS)
def test_without_loops_every_wire_goes_to_the_right(wires: list[tuple[str, str]]) -> None:
    forward = [(a, b) for a, b in wires if a < b]
    places = arrange(dict.fromkeys(NAMES, (176.0, 84.0)), forward)
    assert all(places[a][0] < places[b][0] for a, b in forward)


def test_a_wire_keeps_clear_of_a_card_in_its_way() -> None:
    card = QRectF(200, -40, 176, 80)
    path, lane = way_right(QPointF(100, 0), QPointF(500, 0), [card])
    assert lane is not None
    points = [path.pointAtPercent(step / 200) for step in range(201)]
    assert not any(card.contains(point) for point in points)
    assert points[0] == QPointF(100, 0) and points[-1] == QPointF(500, 0)


def _back(start: QPointF, end: QPointF, below: float, cards: list[QRectF], lane: int = 0) -> QPainterPath:
    return courses_back(start, [end], below, cards, lane)[0].path()


def test_feedback_runs_below_what_it_passes() -> None:
    card = QRectF(0, 0, 400, 120)
    path = _back(QPointF(410, 60), QPointF(-10, 60), card.bottom(), [card])
    assert path.boundingRect().bottom() > card.bottom()
    assert not any(card.adjusted(2, 2, -2, -2).contains(path.pointAtPercent(i / 200)) for i in range(201))


def test_feedback_goes_down_beside_the_cards_that_stand_below_its_ends() -> None:
    cards = [QRectF(380, 200, 120, 80), QRectF(-90, 150, 100, 60)]
    path = _back(QPointF(410, 60), QPointF(-10, 60), 280, cards)
    assert not any(card.contains(path.pointAtPercent(i / 400)) for i in range(401) for card in cards)


def test_ways_back_of_two_ports_do_not_lie_on_each_other() -> None:
    cards = [QRectF(380, 200, 120, 80)]
    paths = [_back(QPointF(410, 60 + 22 * lane), QPointF(-10, 60), 280, cards, lane) for lane in range(3)]
    downs = [path.boundingRect().right() for path in paths]
    depths = [path.boundingRect().bottom() for path in paths]
    assert all(b - a >= 4 for a, b in pairwise(downs)) and all(b - a >= 8 for a, b in pairwise(depths))


def test_wires_that_run_back_cross_no_card_however_far_down_it_stands(view: CanvasView) -> None:
    session = view.canvas.session
    session.do(MoveNodes({"traverse_map": (576.0, 700.0), "modelserver": (288.0, 1100.0)}))
    back = [item for item in view.canvas.wires.values() if is_feedback(item.start, item.end)]
    assert back
    for item in back:
        points = [item.path.pointAtPercent(step / 600) for step in range(601)]
        for node in view.canvas.nodes.values():
            inner = node.outline().adjusted(3, 3, -3, -3)
            assert not any(inner.contains(point) for point in points), node.name
    session.do(MoveNodes({"traverse_map": (576.0, 1500.0)}))
    assert all(item.boundingRect().bottom() > 1500 for item in back)
