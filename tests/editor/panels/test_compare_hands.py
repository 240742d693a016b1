"""Two maps of different runs side by side: one held out of a map viewer, or the last one of a recording."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtWidgets import QApplication

from studio.editor.feed import Feed
from studio.editor.live_batch import Event
from studio.editor.main_window import MainWindow
from studio.editor.panels.compare_viewer import CompareViewer
from studio.editor.panels.map_viewer import MapViewer
from studio.editor.theme import DARK, LIGHT
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


def write_log(path: Path, *values: float) -> Path:
    with LogWriter(path) as log:
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


def test_the_last_map_of_a_recording_is_compared_with_what_comes_now(feed: Feed, tmp_path: Path) -> None:
    log = write_log(tmp_path / "drive.mcap", 0.1, 0.2)
    viewer = CompareViewer(feed, DARK)
    read(viewer, 0, log)
    viewer.sides[1].topic.choose(TOPIC)
    viewer._take(viewer.sides[1], [Event(TOPIC, 1, 0, heights(0.5))])
    assert viewer.found is not None
    assert viewer.found.mean == pytest.approx(0.3)
    title = viewer._titles[0].text()
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
    assert other.sides[0].log == log
    assert cut is not None and other.change.cut == cut and other.cut.isChecked()


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
    compare._take(compare.sides[1], [Event(TOPIC, 1, 0, heights(0.3))])
    assert compare.found is not None and compare.found.mean == pytest.approx(0.2)
    assert TOPIC in compare._titles[0].text() and "held, of 3.0 s" in compare._titles[0].text()
    for side in compare.sides:
        side.view.range_dragged.emit(0, -0.5, 0.5)
        assert {each.view.layers[0].scheme.high for each in compare.sides} == {0.5}, "both have the same colours"
    window.viewers.close_all()
