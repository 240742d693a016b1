"""The automatic layout: data flows to the right, nothing overlaps, loops do no harm."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PyQt6.QtCore import QPointF, QRectF

from studio.editor.canvas.arrange import arrange
from studio.editor.canvas.routing import data_path

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
    path = data_path(QPointF(100, 0), QPointF(500, 0), [card])
    points = [path.pointAtPercent(step / 200) for step in range(201)]
    assert not any(card.contains(point) for point in points)
    assert points[0] == QPointF(100, 0) and points[-1] == QPointF(500, 0)


def test_feedback_runs_below_what_it_passes() -> None:
    card = QRectF(0, 0, 400, 120)
    path = data_path(QPointF(410, 60), QPointF(-10, 60), [card])
    assert path.boundingRect().bottom() > card.bottom()
    assert not any(card.adjusted(2, 2, -2, -2).contains(path.pointAtPercent(i / 200)) for i in range(201))
