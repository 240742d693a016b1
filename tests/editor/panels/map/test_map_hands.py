"""What hands do on a map: drag the ends of a legend, and plates."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, QRectF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QWidget

from studio.editor.live.batch import Event
from studio.editor.live.feed import Changes, Feed
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.map.map_viewer import MapViewer
from studio.editor.views.maps import map_history
from studio.editor.views.shared.map_colours import COLOUR_PREFERENCES, SCHEMES
from studio.editor.views.shared.plates import legend_bar
from studio.messages import Map, PoseTransform

TERRAIN = Map(
    resolution_m=0.5, plane_names=("height",), planes=np.linspace(-2.0, 2.0, 600, dtype=np.float32).reshape(1, 20, 30)
)


@pytest.fixture
def feed(qapp: QApplication) -> Iterator[Feed]:
    made = Feed()
    made.state = {"topics": {"/terrain": {"type": "Map", "count": 3}}, "components": {}, "processes": {}}
    yield made
    made.close()


def shown_map(feed: Feed) -> MapViewer:
    viewer = MapViewer(feed, LIGHT)
    viewer.resize(600, 450)
    viewer.show()
    show_terrain(viewer)
    viewer.view.grab()
    return viewer


def show_terrain(viewer: MapViewer) -> None:
    viewer._take_map([Event("/terrain", 1, 0, TERRAIN)])


def drag(widget: QWidget, start: QPoint, end: QPoint) -> None:
    QTest.mousePress(widget, Qt.MouseButton.LeftButton, pos=start)
    for share in (0.3, 0.7, 1.0):
        QTest.mouseMove(widget, start + (end - start) * share)
    QTest.mouseRelease(widget, Qt.MouseButton.LeftButton, pos=end)


def test_an_end_of_the_legend_is_dragged_and_a_double_click_resets_the_range(feed: Feed) -> None:
    viewer = shown_map(feed)
    where, scheme = viewer.view.legend_rectangle(), viewer.view.layers[0].scheme
    bar = legend_bar(where)
    top, bottom = (QPoint(round(bar.center().x()), round(y)) for y in (bar.top(), bar.bottom()))
    drag(viewer.view, top, top + QPoint(0, round(bar.height() / 4)))
    narrower = viewer.view.layers[0].scheme
    assert narrower.low == scheme.low
    assert narrower.high == pytest.approx(scheme.high / 2, abs=0.05)
    drag(viewer.view, bottom, bottom + QPoint(0, 20))
    assert viewer.view.layers[0].scheme.low < scheme.low
    assert viewer.view.layers[0].scheme.grade == 0.0
    other = MapViewer(feed, DARK)
    other.restore(json.loads(json.dumps(viewer.save())))
    show_terrain(other)
    assert other.view.layers[0].scheme == viewer.view.layers[0].scheme, "it is kept"
    QTest.mouseDClick(viewer.view, Qt.MouseButton.LeftButton, pos=top + QPoint(0, 30))
    assert viewer.view.layers[0].scheme == scheme
    assert viewer.view.plates.shifts == {}, "the legend itself has not moved"


def test_plates_are_dragged_stay_within_and_go_back_by_a_double_click(feed: Feed) -> None:
    viewer = shown_map(feed)
    view = viewer.view
    before, centre = view.plates.where("scale"), view.centre_m
    start = before.center().toPoint()
    drag(view, start, start + QPoint(60, -100))
    view.grab()
    assert view.plates.where("scale").topLeft() == before.topLeft() + QPointF(60, -100)
    assert view.centre_m == centre, "the map has not moved with it"
    legend = view.legend_rectangle().center().toPoint()
    drag(view, legend, legend + QPoint(5000, 5000))
    assert QRectF(view.rect()).contains(view.legend_rectangle())
    assert view.layers[0].scheme.name == "terrain", "a drag is no click"
    other = MapViewer(feed, DARK)
    other.restore(json.loads(json.dumps(viewer.save())))
    assert other.view.plates.shifts.keys() == {"scale", "legend 0"}
    view.grab()
    QTest.mouseDClick(view, Qt.MouseButton.LeftButton, pos=view.plates.where("scale").center().toPoint())
    view.grab()
    assert view.plates.where("scale") == before


def test_hands_on_a_map_without_numbers_and_one_that_vanishes_meanwhile(feed: Feed) -> None:
    viewer = shown_map(feed)
    nothing = TERRAIN.replace(planes=np.full((1, 20, 30), np.nan, np.float32))
    viewer._take_map([Event("/terrain", 2, 0, nothing)])
    bar = legend_bar(viewer.view.legend_rectangle())
    top = QPoint(round(bar.center().x()), round(bar.top()))
    drag(viewer.view, top, top + QPoint(0, 5000))
    scheme = viewer.view.layers[0].scheme
    assert scheme.low < scheme.high, "however far one drags"
    QTest.mousePress(viewer.view, Qt.MouseButton.LeftButton, pos=top)
    viewer._forget()
    QTest.mouseMove(viewer.view, top + QPoint(0, 30))
    QTest.mouseRelease(viewer.view, Qt.MouseButton.LeftButton, pos=top)
    assert viewer.view.layers == []
    viewer.restore({"plates": {"scale": [float("nan"), 1], "legend 0": "no", "x": [3, 4]}, "layers": "nonsense"})
    assert viewer.view.plates.shifts == {"x": (3.0, 4.0)}


def test_the_last_picture_of_a_run_that_has_ended_says_so(feed: Feed) -> None:
    viewer = shown_map(feed)
    assert viewer.view.notes == ()
    viewer.ended()
    assert viewer.view.notes == ("The run is over",) and viewer.shown is not None
    viewer.attached()
    show_terrain(viewer)
    assert viewer.view.notes == ()


def test_who_needs_other_colours_has_them_in_every_map(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(COLOUR_PREFERENCES, "need_safe", True)
    viewer = shown_map(feed)
    assert viewer.view.layers[0].scheme.name == SCHEMES["terrain"].safe


def pose_at(viewer: MapViewer, x_m: float) -> None:
    viewer._take_pose([Event("/pose", 1, 0, PoseTransform.from_xyz_rpy(x_m=x_m, y_m=5.0))])


@pytest.mark.parametrize("hand", ["F", "double-click", "button"])
def test_who_asks_for_the_whole_map_keeps_it_while_the_vehicle_moves_on(feed: Feed, hand: str) -> None:
    viewer = shown_map(feed)
    pose_at(viewer, 5.0)
    assert viewer.follow.isChecked() and viewer.view.centre_m == (5.0, 5.0)
    if hand == "F":
        QTest.keyClick(viewer.view, Qt.Key.Key_F)
    elif hand == "double-click":
        QTest.mouseDClick(viewer.view, Qt.MouseButton.LeftButton, pos=QPoint(200, 200))
    else:
        viewer.fit.click()
    whole = viewer.view.centre_m
    pose_at(viewer, 5.2)
    assert viewer.view.centre_m == whole == (7.5, 5.0) and not viewer.follow.isChecked()


def test_a_goal_is_told_and_seen_and_measuring_ends_choosing_one(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "ask", lambda *_, **__: None)
    viewer = shown_map(feed)
    viewer.measure.click()
    viewer.goal.click()
    assert viewer.goal.isChecked() and not viewer.measure.isChecked(), "a click means one thing"
    viewer.measure.click()
    assert viewer.measure.isChecked() and not viewer.goal.isChecked() and not viewer.view.picks
    viewer.goal.click()
    QTest.mouseClick(viewer.view, Qt.MouseButton.LeftButton, pos=QPoint(200, 200))
    assert "no component has an in port goal" in viewer.facts.text() and viewer.view.goal_m is None
    feed.state["components"] = {"planner": {"accepts": {"goal": PoseTransform.TYPE}, "parameters": {}}}
    viewer.view.show_plan([(1.0, 1.0), (9.0, 9.0)])
    viewer.goal.click()
    QTest.mouseClick(viewer.view, Qt.MouseButton.LeftButton, pos=QPoint(200, 200))
    show_terrain(viewer)
    viewer.view.show_plan([(2.0, 1.0), (9.0, 9.0)])  # the planner has not turned to it yet
    assert viewer.facts.text().startswith("planner goes to x"), "the next map does not wipe it away"
    world = viewer.view.world()
    assert viewer.view.goal_m == pytest.approx((world.x_of(200), world.y_of(200)), abs=0.1)
    assert viewer.view.notes[0].startswith("planner goes to x"), "on the map too: a narrow bar has no room for words"
    viewer.view.show_plan([(2.0, 1.0), (3.0, 3.0)])
    assert viewer.view.goal_m == (3.0, 3.0), "what is planned counts"


def test_a_map_of_the_past_stays_when_the_oldest_are_forgotten(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_history, "MOST_BYTES", 5 * TERRAIN.planes.nbytes)
    viewer = shown_map(feed)

    def take(number: int) -> None:
        message = TERRAIN.replace(planes=np.full((1, 20, 30), number, np.float32))
        viewer._take_map([Event("/terrain", number, number * 10**9, message)])

    def seen() -> tuple[float, float]:
        assert viewer.shown is not None
        return float(viewer.shown.planes[0, 0, 0]), float(viewer.view.layers[0].map.planes[0, 0, 0])

    for number in range(1, 6):
        take(number)
    viewer.past.slider.setValue(2)
    assert seen() == (3.0, 3.0) and viewer.view.notes == ("The map of 2.0 s ago",)
    take(6)
    assert seen() == (3.0, 3.0) and viewer.past.slider.value() == 1 and viewer.view.notes == ("The map of 3.0 s ago",)
    take(7)
    take(8)
    assert seen() == (4.0, 4.0), "there is no room for it any more"
    assert "no longer kept" in viewer.facts.text() and viewer.view.notes[0] == "The map of 4.0 s ago"


def test_a_map_that_came_while_it_was_hidden_fits_when_it_is_seen(feed: Feed) -> None:
    viewer = MapViewer(feed, LIGHT)
    show_terrain(viewer)
    viewer.resize(900, 700)
    viewer.show()
    viewer.view.grab()
    ideal = max(15.0 / viewer.view.width(), 10.0 / viewer.view.height()) * 1.06
    assert viewer.view.metres_per_pixel == pytest.approx(ideal, rel=0.01)


def test_the_view_that_somebody_has_chosen_comes_back_and_so_do_hidden_plates(feed: Feed) -> None:
    viewer = shown_map(feed)
    viewer.view.zoom_at(QPointF(100, 100), 2.0)
    QTest.keyClick(viewer.view, Qt.Key.Key_H)
    again = MapViewer(feed, DARK)
    again.restore(json.loads(json.dumps(viewer.save())))
    again.resize(600, 450)
    again.show()
    again.attached()
    show_terrain(again)
    again.view.grab()
    assert again.view.centre_m == viewer.view.centre_m
    assert again.view.metres_per_pixel == viewer.view.metres_per_pixel and not again.view.shows_plates
    far = TERRAIN.replace(origin_m=np.array([1000.0, 0.0]))
    again.attached()
    again._take_map([Event("/terrain", 1, 0, far)])
    assert again.view.centre_m[0] == pytest.approx(1007.5), "of another place nothing would be seen in it"


def test_the_bar_tells_the_rate_and_leads_to_the_scene(feed: Feed) -> None:
    viewer = shown_map(feed)
    feed.state["topics"]["/terrain"]["rate_hz"] = 10.0
    viewer.changed(Changes(topics={"/terrain"}))
    assert viewer.facts.text() == "30 × 20 cells · 0.50 m · 10.0 Hz"
    wanted: list[bool] = []
    viewer.scene_wanted.connect(lambda: wanted.append(True))
    viewer.scene.click()
    assert wanted


def test_what_nobody_may_overlook_is_seen_without_the_other_plates_and_over_them(feed: Feed) -> None:
    """`H` hid that a map was an old one, or of a real vehicle; so did a legend that was dragged there."""
    viewer = shown_map(feed)
    origin = viewer.theme.origins["real"]
    viewer.view.is_real = True
    drag(viewer.view, viewer.view.legend_rectangle().topLeft().toPoint() + QPoint(8, 8), QPoint(16, 16))
    for _ in range(2):
        seen = viewer.view.grab().toImage()
        assert seen.pixelColor(14, 14).name() == origin.fill.lower()
        QTest.keyClick(viewer.view, Qt.Key.Key_H)


def test_long_notes_have_rows_of_their_own_and_end_within_the_picture(feed: Feed) -> None:
    viewer = shown_map(feed)
    viewer.resize(260, 450)
    plain = viewer.view.grab().toImage()
    viewer.view.notes = ("The map of 29.4 s ago", "The map that was looked at is no longer kept: this is the oldest")
    viewer.view.shows_plates = False
    noted = viewer.view.grab().toImage()

    def differs(x: int, y: int) -> bool:
        return bool(plain.pixel(x, y) != noted.pixel(x, y))

    below = 12 + 24 + 4 + 2
    assert any(differs(x, below) for x in range(14, 240)), "the second is in a row of its own"
    assert not any(differs(x, below) for x in range(249, 260)), "and ends before the edge"


def test_keys_mean_the_map_after_a_click_on_its_bar(feed: Feed) -> None:
    viewer = shown_map(feed)
    viewer.activateWindow()
    QTest.mouseClick(viewer.fit, Qt.MouseButton.LeftButton)
    assert viewer.focusProxy() is viewer.view
