"""Two maps of different runs side by side: one held out of a map viewer, or of a recording at any time."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from studio.editor.live.batch import Event
from studio.editor.live.feed import Feed
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.compare import compare_viewer
from studio.editor.panels.compare.compare_time import APART, OWN, SAME
from studio.editor.panels.compare.compare_viewer import CompareViewer
from studio.editor.panels.map.map_viewer import MapViewer
from studio.editor.views.maps.map_difference import Difference, difference_of
from studio.editor.window.main_window import MainWindow
from studio.messages import Float64, Map, encode
from studio.runtime.recording import LogWriter
from tests.waiting import await_true

TOPIC = "/terrain"


@pytest.fixture
def feed(qapp: QApplication) -> Iterator[Feed]:
    made = Feed()
    made.state = {"topics": {TOPIC: {"type": "Map", "count": 3}}, "components": {}, "processes": {}}
    yield made
    made.close()


def heights(value: float) -> Map:
    return Map(resolution_m=0.5, plane_names=("height",), planes=np.full((1, 20, 30), value, np.float32))


def write_log(path: Path, *values: float, noise: float | None = None) -> Path:
    with LogWriter(path) as log:
        if noise is not None:
            log.add_metadata("studio", {"parameters": json.dumps({"terrain_map": {"beam_noise_deg": noise}})})
        other = log.add_topic("/number", Float64)
        log.write(other, encode(Float64(data=1.0)), log_time_ns=10**9, sequence=1, stamp_ns=10**9)
        if values:
            channel = log.add_topic(TOPIC, Map)
            for number, value in enumerate(values, 1):
                at_ns = (number + 1) * 10**9
                log.write(channel, encode(heights(value)), log_time_ns=at_ns, sequence=number, stamp_ns=at_ns)
    return path


def read(viewer: CompareViewer, number: int, log: Path) -> None:
    side = viewer.sides[number]
    side.read(log)
    await_true(
        lambda: QApplication.processEvents() is None and (side.map is not None or side.trouble), "the map is read"
    )


def until(condition: Callable[[], object], what: str) -> None:
    await_true(lambda: QApplication.processEvents() is None and condition(), what)


def value_of(viewer: CompareViewer, number: int) -> float:
    map_ = viewer.sides[number].map
    return round(float(map_.planes[0, 0, 0]), 3) if map_ is not None else math.nan


def test_a_recording_is_compared_with_what_comes_now(feed: Feed, tmp_path: Path) -> None:
    log = write_log(tmp_path / "drive.mcap", 0.1, 0.2)
    viewer = CompareViewer(feed, DARK)
    read(viewer, 0, log)
    assert value_of(viewer, 0) == 0.2, "without anything to go by, the last one"
    viewer.sides[1].topic.choose(TOPIC)
    viewer._take(viewer.sides[1], [Event(TOPIC, 1, 50 * 10**9, heights(0.5))])
    until(lambda: value_of(viewer, 0) == 0.1, "the recording goes to where the run is")
    viewer._take(viewer.sides[1], [Event(TOPIC, 2, 53 * 10**9, heights(0.5))])
    until(lambda: value_of(viewer, 0) == 0.2, "and goes along with it")
    assert viewer.found is not None
    assert viewer.found.mean == pytest.approx(0.3)
    title = viewer.panes.titles[0].text()
    assert "A · Logged" in title and DARK.origins["logged"].fill in title
    assert TOPIC in title and "drive.mcap, after 2.0 s" in title
    viewer.cut.click()
    cut = viewer.change.cut
    viewer.attached()
    assert viewer.sides[0].map is not None, "another run does not take it away"
    assert viewer.sides[1].map is None
    other = CompareViewer(feed, LIGHT)
    other.restore(json.loads(json.dumps(viewer.save())))
    await_true(lambda: QApplication.processEvents() is None and other.sides[0].map is not None, "it is read again")
    recording = other.sides[0].recording
    assert recording is not None and recording.path == log
    assert cut is not None and other.change.cut == cut and other.cut.isChecked()


class TestTime:
    def test_two_recordings_are_gone_through_together(self, feed: Feed, tmp_path: Path) -> None:
        viewer = CompareViewer(feed, DARK)
        viewer.resize(900, 600)
        viewer.show()
        read(viewer, 0, write_log(tmp_path / "a.mcap", 0.1, 0.2, 0.3, 0.4))
        assert not viewer.times.rows[1].isEnabled()
        read(viewer, 1, write_log(tmp_path / "b.mcap", 0.15, 0.35))
        assert (value_of(viewer, 0), value_of(viewer, 1)) == (0.4, 0.35), "the second has ended by then"
        slider = viewer.times.rows[0].slider
        QTest.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(6 + (slider.width() - 12) // 4, 8))
        until(lambda: value_of(viewer, 0) == 0.1 and value_of(viewer, 1) == 0.15, "both are at 1 s")
        until(lambda: viewer.found is not None and round(viewer.found.mean, 3) == 0.05, "so is the difference")
        assert len({row.time.text() for row in viewer.times.rows}) == 1
        assert "a.mcap, after 1.0 s" in viewer.panes.titles[0].text()
        QTest.keyClick(slider, Qt.Key.Key_Right)
        until(lambda: value_of(viewer, 0) == 0.2 and value_of(viewer, 1) == 0.35, "the arrow goes to the next map")

    def test_each_has_its_own_time_or_they_stay_apart(self, feed: Feed, tmp_path: Path) -> None:
        viewer = CompareViewer(feed, LIGHT)
        for number in (0, 1):
            read(viewer, number, write_log(tmp_path / f"{number}.mcap", 0.1, 0.2, 0.3, 0.4))
        viewer.times.choose(OWN)
        viewer.times.rows[1].time.setText("0:01")
        viewer.times.rows[1].time.returnPressed.emit()
        until(lambda: value_of(viewer, 1) == 0.1, "B moves")
        assert value_of(viewer, 0) == 0.4
        viewer.times.choose(APART)
        assert viewer.times.link.text().strip() == "B −3.00 s"
        viewer.times.rows[0].slider.setValue(3000)
        until(lambda: value_of(viewer, 0) == 0.3, "A moves")
        viewer.times.rows[1].slider.setValue(0)
        until(lambda: value_of(viewer, 0) == 0.3 and value_of(viewer, 1) == 0.1, "both stay three seconds apart")
        kept = json.loads(json.dumps(viewer.save()))
        other = CompareViewer(feed, DARK)
        other.restore(kept)
        until(lambda: (value_of(other, 0), value_of(other, 1)) == (0.3, 0.1), "the times are remembered")
        assert other.times.offset_ns == -3 * 10**9
        viewer.times.choose(SAME)
        until(lambda: value_of(viewer, 1) == 0.3, "B comes to where A is")

    def test_a_recording_that_is_not_there_is_remembered_until_it_is_replaced(self, feed: Feed, tmp_path: Path) -> None:
        log = tmp_path / "drive.mcap"
        wanted = {"logs": {"A": str(log)}, "times_ns": {"A": 2 * 10**9}}
        viewer = CompareViewer(feed, LIGHT)
        viewer.restore({"a": TOPIC, **wanted})
        assert {name: viewer.save()[name] for name in wanted} == wanted, "while it is being read"
        until(lambda: viewer.sides[0].trouble, "it cannot be read")
        kept = json.loads(json.dumps(viewer.save()))
        assert {name: kept[name] for name in wanted} == wanted, "its disk may come back"
        write_log(log, 0.1, 0.2, 0.3)
        again = CompareViewer(feed, LIGHT)
        again.restore(kept)
        until(lambda: value_of(again, 0) == 0.2, "it is there again, at its time")
        assert {name: again.save()[name] for name in wanted} == wanted
        read(again, 0, tmp_path / "missing.mcap")
        until(lambda: again.sides[0].trouble, "the other one cannot be read")
        assert again.save()["logs"] == {"A": str(log)}, "what is shown stays"
        viewer.sides[0]._list_logs()
        assert viewer.sides[0].menu.actions()[-1].text() == "As it comes now"
        viewer.sides[0].let_go()
        assert (viewer.save()["logs"], viewer.save()["times_ns"], viewer.facts.text()) == ({}, {}, "")

    def test_the_past_of_a_run_is_compared_and_left_again(self, feed: Feed, tmp_path: Path) -> None:
        feed.state["clock"] = {"kind": "simulation"}
        viewer = CompareViewer(feed, DARK)
        viewer.resize(900, 600)
        viewer.show()
        read(viewer, 0, write_log(tmp_path / "a.mcap", 0.1, 0.2, 0.3, 0.4))
        live = viewer.sides[1]
        live.topic.choose(TOPIC)
        for second in (1, 2, 3):
            viewer._take(live, [Event(TOPIC, second, second * 10**9, heights(second / 10 + 0.05))])
        until(lambda: value_of(viewer, 0) == 0.3, "the recording is at 3 s, too")
        viewer.times.rows[0].slider.setValue(1000)
        until(lambda: (value_of(viewer, 0), value_of(viewer, 1)) == (0.1, 0.15), "both went back")
        assert live.origin == "2.0 s ago"
        viewer._take(live, [Event(TOPIC, 4, 4 * 10**9, heights(0.45))])
        assert value_of(viewer, 1) == 0.15, "who looks back is not taken away"
        viewer.times.rows[1].slider.setValue(viewer.times.rows[1].slider.maximum())
        until(lambda: (value_of(viewer, 0), value_of(viewer, 1)) == (0.4, 0.45), "at the right end is now")
        viewer._take(live, [Event(TOPIC, 5, 5 * 10**9, heights(0.55))])
        until(lambda: value_of(viewer, 1) == 0.55 and live.origin == "", "and it goes on")

    def test_large_maps_are_compared_beside_the_windows_work(self, feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(compare_viewer, "MANY_CELLS", 1)
        threads = []

        def noted(*arguments: object) -> Difference:
            threads.append(threading.current_thread())
            return difference_of(*arguments)  # type: ignore[arg-type]

        monkeypatch.setattr(compare_viewer, "difference_of", noted)
        viewer = CompareViewer(feed, DARK)
        for side, value in zip(viewer.sides, (0.1, 0.4), strict=True):
            viewer._take(side, [Event(TOPIC, 1, 0, heights(value))])
        until(lambda: viewer.found is not None, "it is found")
        assert viewer.found is not None and viewer.found.mean == pytest.approx(0.3)
        assert threads and threading.main_thread() not in threads


def test_the_topic_of_a_recording_is_named_while_nothing_runs(feed: Feed, tmp_path: Path) -> None:
    feed.state = {}
    viewer = CompareViewer(feed, LIGHT)
    read(viewer, 0, write_log(tmp_path / "drive.mcap", 0.1))
    assert viewer.sides[0].topic.currentText() == TOPIC


def test_a_recording_without_a_map_says_so(feed: Feed, tmp_path: Path) -> None:
    viewer = CompareViewer(feed, DARK)
    read(viewer, 1, write_log(tmp_path / "numbers.mcap"))
    assert "there is no map in this log" in viewer.facts.text()
    read(viewer, 1, tmp_path / "nowhere.mcap")
    assert viewer.sides[1].map is None and "nowhere.mcap" in viewer.facts.text()


def test_the_recordings_of_the_project_are_offered(feed: Feed, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    write_log(tmp_path / "logs" / "drive.mcap", 0.1)
    feed._folder = tmp_path
    side = CompareViewer(feed, DARK).sides[0]
    side.menu.aboutToShow.emit()
    assert [entry.text() for entry in side.menu.actions() if entry.text()] == ["drive.mcap", "Choose a log…"]


def test_a_map_that_is_looked_at_is_held_with_one_click(window: MainWindow) -> None:
    viewer = window.viewers.add("map")
    assert isinstance(viewer, MapViewer)
    viewer.topic.choose(TOPIC)
    viewer.compare.click()
    assert not any(other.KIND == "compare" for other in window.viewers.open.values()), "there is no map yet"
    viewer._take_map([Event(TOPIC, 7, 3 * 10**9, heights(0.1).replace(stamp_ns=3 * 10**9))])
    viewer.compare.click()
    compare = next(other for other in window.viewers.open.values() if other.KIND == "compare")
    assert isinstance(compare, CompareViewer)
    assert compare.found is not None and compare.found.mean == 0.0, "a system that stands brings no other map yet"
    name = next(name for name, other in window.viewers.open.items() if other is compare)
    docks = window.docks.manager
    assert docks.findDockWidget(name).dockAreaWidget() is docks.findDockWidget("system").dockAreaWidget(), (
        "three maps and their figures have no room beside the document"
    )
    compare._take(compare.sides[1], [Event(TOPIC, 1, 0, heights(0.3))])
    assert compare.found is not None and compare.found.mean == pytest.approx(0.2)
    assert TOPIC in compare.panes.titles[0].text() and "held, of 3.0 s" in compare.panes.titles[0].text()
    for side in compare.sides:
        side.view.range_dragged.emit(0, -0.5, 0.5)
        assert {each.view.layers[0].scheme.high for each in compare.sides} == {0.5}, "both have the same colours"
    window.viewers.close_all()


@pytest.fixture
def pair(feed: Feed) -> CompareViewer:
    viewer = CompareViewer(feed, LIGHT)
    viewer.resize(1000, 800)
    viewer.show()
    show_pair(viewer)
    until(lambda: viewer.linked._fitted, "it is laid out")
    return viewer


def show_pair(viewer: CompareViewer) -> None:
    for side, value in zip(viewer.sides, (0.1, 0.2), strict=True):
        side.keep(TOPIC, heights(value), "held")


def where(viewer: CompareViewer) -> set[tuple[float, float, float]]:
    return {(*view.centre_m, view.metres_per_pixel) for view in viewer.views()}


def test_both_maps_are_equally_wide_and_one_has_the_legend(pair: CompareViewer) -> None:
    """The words about the difference made A wider than B, and were cut off all the same."""
    a, b = (side.view for side in pair.sides)
    for width in (620, 900, 1400):
        pair.resize(width, 600)
        QApplication.processEvents()
        assert abs(a.width() - b.width()) <= 1
    assert not a._with_legend() and b._with_legend()
    pair.way.setCurrentText("Swipe")
    assert a._with_legend()
    pair.way.setCurrentText("Side by side")
    assert not a._with_legend()


def test_a_narrow_title_keeps_both_ends_of_what_it_says(pair: CompareViewer) -> None:
    """The time of the map was what was cut off."""
    side = pair.sides[0]
    side.origin = "raptor_blocks_world_2026-11-17_19-27-23.mcap, after 12.0 s"
    wide, narrow = (side.title(pair.fontMetrics(), width) for width in (900, 320))
    assert side.origin in wide and TOPIC in wide
    assert "12.0 s" in narrow and "…" in narrow and "raptor" in narrow


def test_whatever_moves_one_view_moves_all(pair: CompareViewer) -> None:
    a, b = (side.view for side in pair.sides)
    first = where(pair)
    assert len(first) == 1
    QTest.keyClick(a, Qt.Key.Key_Right)
    assert len(where(pair)) == 1 and where(pair) != first
    a.zoom_at(QPointF(50, 50), 3.0)
    QTest.keyClick(a, Qt.Key.Key_F)
    assert len(where(pair)) == 1 and a.centre_m == (7.5, 5.0)
    b.zoom_at(QPointF(50, 50), 3.0)
    QTest.mouseDClick(b, Qt.MouseButton.LeftButton, pos=QPoint(200, 100))
    assert len(where(pair)) == 1 and b.centre_m == (7.5, 5.0)


def test_the_pointer_is_at_the_same_place_in_all(pair: CompareViewer) -> None:
    a, b = (side.view for side in pair.sides)
    QTest.mouseMove(a, QPoint(150, 120))
    place = a.pointed_at
    assert place is not None
    for view in (b, pair.change):
        assert view.pointed_at == pytest.approx(place), "read out there too"
    before = pair.change.grab().toImage()
    a.leaveEvent(None)
    assert b.pointed_at is None and pair.change.pointed_at is None
    assert pair.change.grab().toImage() != before, "and drawn"


def test_both_maps_get_colours_that_everybody_can_tell_apart(pair: CompareViewer) -> None:
    a, b = (side.view for side in pair.sides)
    a.legend_clicked.emit(0)
    assert {view.layers[0].scheme.name for view in (a, b)} == {"terrain_safe"}
    pair._limit(b, 0, (-3.0, 3.0))
    again = CompareViewer(pair.feed, DARK)
    again.restore(json.loads(json.dumps(pair.save())))
    show_pair(again)
    assert [side.view.layers[0].scheme for side in again.sides] == [a.layers[0].scheme, b.layers[0].scheme]
    assert again.sides[0].view.layers[0].scheme.high == 3.0
    a.legend_clicked.emit(0)
    assert {view.layers[0].scheme.name for view in (a, b)} == {"terrain"}
    pair.change.legend_clicked.emit(0)
    assert pair.change.layers[0].plane == "difference"


def test_the_view_and_the_border_of_a_swipe_come_back(pair: CompareViewer) -> None:
    a = pair.sides[0].view
    pair.way.setCurrentText("Swipe")
    a.zoom_at(QPointF(50, 50), 2.0)
    QTest.mousePress(a, Qt.MouseButton.LeftButton, pos=QPoint(round(a.width() / 2), 100))
    QTest.mouseMove(a, QPoint(round(a.width() / 4), 100))
    QTest.mouseRelease(a, Qt.MouseButton.LeftButton, pos=QPoint(round(a.width() / 4), 100))
    QTest.keyClick(a, Qt.Key.Key_H)
    again = CompareViewer(pair.feed, DARK)
    again.resize(1000, 800)
    again.restore(json.loads(json.dumps(pair.save())))
    again.show()
    show_pair(again)
    until(lambda: again.linked._fitted, "it is laid out")
    assert where(again) == where(pair) and not again.change.shows_plates
    assert again.sides[0].view.share == a.share == pytest.approx(0.25, abs=0.01)


def test_the_read_out_of_a_swipe_is_of_the_map_that_is_seen_there(pair: CompareViewer) -> None:
    a, b = (side.view for side in pair.sides)
    pair.way.setCurrentText("Swipe")
    world = a.world()
    left, right = ((world.x_of(a._border() + by), world.y_of(a.height() / 2)) for by in (-5, 5))
    assert a.read_out(*left) == a.words_of(a.layers, *left)
    assert a.read_out(*right) == a.words_of(b.layers, *right) != a.words_of(a.layers, *right)


def test_what_the_two_runs_were_made_of_is_told_beside_their_maps(feed: Feed, tmp_path: Path) -> None:
    viewer = CompareViewer(feed, LIGHT)
    read(viewer, 0, write_log(tmp_path / "a.mcap", 1.0, noise=0.1))
    read(viewer, 1, write_log(tmp_path / "b.mcap", 2.0, noise=0.2))
    assert viewer.facts.text() == "Runs differ: terrain_map.beam_noise_deg 0.1 → 0.2"
    assert viewer.facts.toolTip().splitlines()[-1] == "terrain_map.beam_noise_deg 0.1 → 0.2"
    feed.state["components"] = {"terrain_map": {"parameters": {"beam_noise_deg": 0.3}}}
    viewer.sides[1].let_go()
    viewer.refresh()
    assert viewer.facts.text() == "Runs differ: terrain_map.beam_noise_deg 0.1 → 0.3", "also the one that runs"
