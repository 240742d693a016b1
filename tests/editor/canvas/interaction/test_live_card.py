"""The card beside the pointer on a wire that flows: nothing on it is cut, and it does not hide what it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PyQt6.QtCore import QPoint, QPointF, QRect, QSize, Qt
from PyQt6.QtGui import QFontMetricsF
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel, QWidget

from studio.editor.canvas.interaction.live_card import FIRST, FREES, PINS, WIDTH, LiveCard
from studio.editor.canvas.interaction.view import CanvasView
from studio.editor.canvas.items.beside import place_beside, points_on
from studio.editor.canvas.scene.scene import CanvasScene
from studio.editor.canvas.wires.wire_item import WireItem
from studio.editor.live.batch import Event
from studio.editor.live.feed import Feed
from studio.editor.look.theme import LIGHT
from studio.editor.project.session import Session
from studio.editor.views.data.value_rows import ValueRows, rows_of
from studio.model.wiring import topic_of

POSE = "/platform/ins.pose"
FAR: Any = {
    "child_frame": "a_frame_with_a_name_that_is_much_longer_than_a_card_is_wide",
    "position": (-123456.789, 0.000123456, 98765.4321, -0.5),
}


@pytest.fixture
def feed(qapp: QApplication) -> Iterator[Feed]:
    made = Feed()
    late = {"p50": 12_345_678.0, "p99": 23_456_789.0}
    told = {"type": "PoseTransform", "count": 9, "rate_hz": 12_345.6, "latency_us": late, "drops": 999_999}
    made.state = {"topics": {POSE: told}, "components": {}, "processes": {}, "gate": "run"}
    yield made
    made.close()


@pytest.fixture
def shown(view: CanvasView, feed: Feed) -> Callable[[WireItem, QPointF], LiveCard]:
    """The card, with the pointer at rest on a point of a wire."""
    view.show_live(feed)

    def rest(wire: WireItem, point: QPointF) -> LiveCard:
        card = view.hover.card
        assert card is not None
        view.hover.move(point, view.mapFromScene(point))
        card._timer.stop()
        card._open()
        return card

    return rest


def wire_to(view: CanvasView, end: str) -> WireItem:
    return next(item for item in view.canvas.wires.values() if str(item.connection.end) == end)


def show(card: LiveCard, message: Any) -> None:
    assert card._topic is not None
    card._topic._show([Event(POSE, 1_234_567, 1, message)])
    for _ in range(3):
        card._topic._tick()
    QApplication.sendPostedEvents()
    QApplication.processEvents()


def test_no_figure_is_cut_and_the_card_has_room_for_all_of_it(
    view: CanvasView, shown: Callable[[WireItem, QPointF], LiveCard]
) -> None:
    wire = wire_to(view, "terrain_map.pose")
    card = shown(wire, wire.path.pointAtPercent(0.4))
    assert card.isVisible() and card.width() == WIDTH
    show(card, FAR)
    for label in card.findChildren(QLabel):
        place = QRect(label.mapTo(card, QPoint(0, 0)), label.size())
        assert card.rect().contains(place), label.text()
        known = QFontMetricsF(label.font())
        for line in label.text().splitlines() if not label.wordWrap() else []:
            assert known.horizontalAdvance(line) <= label.width() + 1, line
        assert label.height() >= known.lineSpacing() * len(label.text().splitlines())
    assert card._topic is not None
    figures = card._topic.value.text().replace(",", " ").replace("(", " ").replace(")", " ").split()
    assert {"−1.235e+05", "0.0001235", "9.877e+04"} <= set(figures)


def test_the_card_never_lies_on_its_wire(view: CanvasView, shown: Callable[[WireItem, QPointF], LiveCard]) -> None:
    for wire in [item for item in view.canvas.wires.values() if item.message_type]:
        for share in (0.1, 0.35, 0.5, 0.65, 0.9):
            point = wire.path.pointAtPercent(share)
            if view.canvas.node_at(point) is not None or view.canvas.wire_at(point) is not wire:
                continue
            card = shown(wire, point)
            covered = [at for at in points_on(wire.path, view.viewportTransform()) if card.geometry().contains(at)]
            assert not covered, (wire.connection, share)
            card.leave()


def test_beside_a_small_canvas_it_stands_over_a_panel_and_goes_with_the_canvas(
    session: Session, feed: Feed, qapp: QApplication
) -> None:
    window = QWidget()
    window.resize(1200, 800)
    view = CanvasView(CanvasScene(session, LIGHT))
    view.setParent(window)
    view.setGeometry(300, 200, 330, 260)
    view.show_live(feed)
    window.show()
    wire = wire_to(view, "traverse_map.terrain")
    view.look_at(1.0, wire.middle)
    card = view.hover.card
    assert card is not None
    view.hover.move(wire.middle, view.mapFromScene(wire.middle))
    card._open()
    lines = [view.mapTo(window, at) for at in points_on(wire.path, view.viewportTransform())]
    place = QRect(card.mapTo(window, QPoint(0, 0)), card.size())
    assert card.isVisible() and window.rect().contains(place) and not any(place.contains(at) for at in lines)
    assert card.parentWidget() is window
    view.hide()
    assert not card.isVisible() and card.parentWidget() is view
    window.close()
    window.deleteLater()


def test_space_pins_the_card_and_lets_it_go(view: CanvasView, shown: Callable[[WireItem, QPointF], LiveCard]) -> None:
    wire = wire_to(view, "traverse_map.terrain")
    view.clearFocus()
    card = shown(wire, wire.middle)
    assert card.hint.text() == FIRST
    card.leave()
    QApplication.setActiveWindow(view)
    view.setFocus()
    card = shown(wire, wire.middle)
    assert card.hint.text() == PINS
    QTest.keyClick(view, Qt.Key.Key_Space)
    view.hover.leave()
    assert card.isVisible() and card.hint.text() == FREES
    QTest.keyClick(view, Qt.Key.Key_Space)
    assert not card.isVisible()


def test_near_an_edge_it_stands_where_the_pointer_is_not() -> None:
    size, view = QSize(286, 240), QRect(0, 0, 600, 400)
    line = [QPoint(x, 200) for x in range(600)]
    for at in (QPoint(300, 200), QPoint(590, 200), QPoint(4, 200), QPoint(300, 10), QPoint(595, 395)):
        place = place_beside(at, size, [view], [])
        assert view.contains(place) and not place.contains(at)
    # A line right through a view that is too low: as little of it as can be; outside of it, if there is room.
    low, window = QRect(0, 0, 600, 250), QRect(-200, -300, 1000, 900)
    assert not place_beside(QPoint(300, 125), size, [low], [line]).contains(QPoint(300, 125))
    beyond = place_beside(QPoint(300, 200), size, [low, window], [line])
    assert window.contains(beyond) and not any(beyond.contains(point) for point in line)


def test_rows_end_between_values() -> None:
    line = "position x 0.1234, y −12.5, z 1.25, orientation w 1, x 0, y 0, z 0"
    assert rows_of(line, 2, lambda row: len(row) <= 30) == ["position x 0.1234, y −12.5,", "z 1.25, orientation w 1, …"]
    assert rows_of("data 1.5", 2, lambda row: len(row) <= 30) == ["data 1.5"]
    assert rows_of("a_name_that_is_long 0.25", 2, lambda row: len(row) <= 20) == ["a_name_that_is_long", "0.25"]


def test_it_grows_with_its_values_and_does_not_jump_back(qapp: QApplication) -> None:
    rows = ValueRows()
    rows.resize(120, 20)
    rows.show_lines(["x 1.25, y 2.5, z 3.75, and much more behind it"])
    tall = rows.minimumHeight()
    rows.show_lines(["x 1"])
    assert rows.text() == "x 1" and rows.minimumHeight() == tall


def test_before_the_first_value_it_tells_how_many_events_there_were(
    view: CanvasView, feed: Feed, shown: Callable[[WireItem, QPointF], LiveCard]
) -> None:
    """After a step "no event yet" was said, though events had come before the pointer did."""
    wire = wire_to(view, "terrain_map.pose")
    feed.state["topics"][topic_of(wire.connection.start)] = feed.state["topics"][POSE]
    card = shown(wire, wire.path.pointAtPercent(0.4))
    assert card._topic is not None and card._topic.value.text() == "9 events so far; waiting for the next one"
    feed.state["gate"] = "pause"
    card._topic._show_figures()
    assert card._topic.value.text() == "9 events so far; step or continue\nto see the next one"
    for line in card._topic.value.text().splitlines():
        assert QFontMetricsF(card._topic.value.font()).horizontalAdvance(line) <= card._topic.value.width()
    feed.state["topics"][topic_of(wire.connection.start)]["count"] = 0
    card._topic._show_figures()
    assert card._topic.value.text() == "no event yet"
