"""A second log beside what runs or plays: its curves on a plot and its lanes on the time line, moved in time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QMenu

from studio.editor.live.batch import Event
from studio.editor.live.beside import beside_of
from studio.editor.live.feed import Changes, Feed
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.player.player_viewer import PlayerViewer
from studio.editor.panels.plot.plot_viewer import PlotViewer
from studio.editor.views.plots.logged_series import read_series
from studio.editor.views.shared.field_drag import Field
from studio.editor.views.timeline.timeline_paint import LANE, RULER
from studio.messages import Float64, String, encode
from studio.runtime.recording import LogReader, LogWriter
from tests.waiting import await_true

TOPIC = "/filter/smooth"
DATA = Field(TOPIC, "data")
SECOND_NS = 10**9


@pytest.fixture
def feed(qapp: QApplication) -> Iterator[Feed]:
    made = Feed()
    made.state = {
        "topics": {TOPIC: {"type": "Float64", "count": 11}},
        "components": {},
        "processes": {},
        "clock": {"kind": "simulation", "base_ns": 0, "at_ns": 0, "rate": 0.0},
    }
    yield made
    made.close()


def write_log(path: Path, start_s: float = 100.0, seconds: int = 10) -> Path:
    """A ramp from 0; one value a second."""
    with LogWriter(path) as log:
        ramp, words = log.add_topic(TOPIC, Float64), log.add_topic("/words", String)
        for number in range(seconds + 1):
            at_ns = int((start_s + number) * SECOND_NS)
            log.write(ramp, encode(Float64(float(number))), log_time_ns=at_ns, sequence=number, stamp_ns=at_ns)
            log.write(words, encode(String("hello")), log_time_ns=at_ns, sequence=number, stamp_ns=at_ns)
    return path


def until(condition: Callable[[], object], what: str) -> None:
    await_true(lambda: QApplication.processEvents() is None and condition(), what)


def plot_of(feed: Feed) -> PlotViewer:
    made = PlotViewer(feed, LIGHT)
    made.resize(700, 400)
    made.show()
    return made


@pytest.fixture
def plot(feed: Feed, tmp_path: Path) -> PlotViewer:
    """A run of ten seconds, and beside it a log of ten seconds that began when its clock was at 100 s."""
    made = plot_of(feed)
    made.add(DATA)
    made._take(made.curves[0], [Event(TOPIC, i, i * SECOND_NS, Float64(float(i))) for i in range(11)])
    log = write_log(tmp_path / "before.mcap")
    made.beside.open(log)
    until(lambda: len(made.curves[1].series) == 11 and made.beside.logs.find(log).outline, "the log is read")  # type: ignore[union-attr]
    made.redraw()
    return made


class TestOnAPlot:
    def test_the_fields_that_are_drawn_are_drawn_of_the_log_and_aligned_at_the_start(self, plot: PlotViewer) -> None:
        running, logged = plot.curves
        assert logged.ends() == pytest.approx((0.0, 10.0)) == running.ends()
        pens = [curve.item.opts["pen"] for curve in plot.curves]
        assert pens[0].color() == pens[1].color() and pens[1].style() == Qt.PenStyle.DashLine
        assert plot.names.legend.getLabel(logged.item).text == f"{DATA} · before.mcap"
        plot._tell()
        assert "smooth: 0 … 10" in plot.facts.text() and "smooth · before: 0 … 10" in plot.facts.text()

    def test_the_offset_is_typed(self, plot: PlotViewer) -> None:
        row = next(iter(plot.beside.strip.rows.values()))
        assert row.isVisible()
        row.offset.setFocus()
        row.offset.lineEdit().selectAll()
        QTest.keyClicks(row.offset, "2.5")
        QTest.keyClick(row.offset, Qt.Key.Key_Return)
        assert plot.curves[1].ends() == pytest.approx((2.5, 12.5))
        plot.redraw()
        assert plot.curves[1].item.getData()[0][0] == pytest.approx(2.5)
        QTest.mouseClick(row.clock, Qt.MouseButton.LeftButton)
        assert plot.curves[1].ends() == pytest.approx((100.0, 110.0)), "as its own clock had it"
        assert row.offset.hasFocus() and row.offset.value() == 100.0, "the field tells it, though it was typed into"
        QTest.mouseClick(row.align, Qt.MouseButton.LeftButton)
        assert plot.curves[1].ends() == pytest.approx((0.0, 10.0)) and row.offset.value() == 0.0

    def test_a_log_that_is_taken_away_elsewhere_goes_with_its_curves(self, plot: PlotViewer, tmp_path: Path) -> None:
        log = tmp_path / "before.mcap"
        plot.add(Field(TOPIC, "other"), log)
        plot.beside.logs.remove(log)
        assert [curve.log for curve in plot.curves] == [None] and not plot.beside.strip.rows
        assert not plot.beside.strip.isVisible()
        plot.beside.open(log)
        until(lambda: log in plot.beside.strip.rows, "it is read again")
        assert plot.beside.strip.rows[log].log is plot.beside.logs.find(log), "it is not the one of before"

    def test_the_curve_is_dragged_with_shift(self, plot: PlotViewer) -> None:
        plot.show_all()
        QApplication.processEvents()
        box, viewport = plot.plot.getPlotItem().vb, plot.plot.viewport()
        assert viewport is not None
        begin = plot.plot.mapFromScene(box.mapViewToScene(QPointF(5.0, 5.0)))
        end = plot.plot.mapFromScene(box.mapViewToScene(QPointF(7.0, 5.0)))
        QTest.mousePress(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, begin)
        QTest.mouseMove(viewport, end)
        QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, end)
        ends = plot.curves[1].ends()
        assert ends is not None and ends[0] == pytest.approx(2.0, abs=0.1)
        row = next(iter(plot.beside.strip.rows.values()))
        assert row.offset.value() == pytest.approx(ends[0], abs=0.001)
        QTest.mouseMove(viewport, begin)
        assert plot.curves[1].ends() == ends, "it was let go"

    def test_it_is_remembered_and_taken_away(self, plot: PlotViewer, feed: Feed) -> None:
        path = plot.curves[1].log
        assert path is not None
        beside_of(feed).shift(path, 1_500_000_000)
        kept = json.loads(json.dumps(plot.save()))
        plot.close_viewer()
        assert not beside_of(feed).logs, "nobody looks at it any more"
        other = plot_of(feed)
        other.restore(kept)
        until(lambda: len(other.curves) == 2 and len(other.curves[1].series) == 11, "it is read again")
        until(lambda: other.curves[1].ends() == pytest.approx((1.5, 11.5)), "and where it was")
        other.beside.remove(path)
        assert [curve.log for curve in other.curves] == [None] and not other.beside.strip.isVisible()

    def test_a_new_run_leaves_it_there(self, plot: PlotViewer) -> None:
        plot.attached()
        assert [len(curve.series) for curve in plot.curves] == [0, 11]

    def test_over_each_other_the_run_and_the_log_meet_at_the_same_time(self, plot: PlotViewer) -> None:
        plot.against.click()
        across, up = plot.curves[1].item.getData()
        assert np.array_equal(across, up)

    def test_a_log_without_the_field_says_so(self, feed: Feed, tmp_path: Path) -> None:
        plot = plot_of(feed)
        plot.add(Field("/elsewhere", "data"))
        plot.beside.open(write_log(tmp_path / "before.mcap"))
        until(lambda: "no topic /elsewhere" in plot.curves[1].trouble, "it is told")

    def test_a_topic_that_plays_under_another_name_is_found_by_the_one_that_logs_have(
        self, feed: Feed, tmp_path: Path
    ) -> None:
        feed.state["player"] = {"log": "", "streams": {TOPIC: ["/log/filter.smooth", True]}}
        plot = plot_of(feed)
        plot.add(Field("/log/filter.smooth", "data"))
        plot.beside.open(write_log(tmp_path / "before.mcap"))
        until(lambda: len(plot.curves[1].series) == 11, "it is read")
        kept = json.loads(json.dumps(plot.save()))
        plot.close_viewer()
        feed.state["player"] = None
        other = plot_of(feed)
        other.restore(kept)
        until(lambda: len(other.curves[1].series) == 11, "also later, when nothing plays")

    def test_two_logs_without_a_run_keep_the_clock_of_the_first(self, feed: Feed, tmp_path: Path) -> None:
        feed.state = {}
        plot = plot_of(feed)
        for name, start_s in (("a", 50.0), ("b", 80.0)):
            plot.add(DATA, write_log(tmp_path / f"{name}.mcap", start_s))
        until(lambda: [curve.ends() for curve in plot.curves] == [(50.0, 60.0)] * 2, "both are there")
        plot.redraw()
        (first, last), _ = plot.plot.getPlotItem().vb.viewRange()
        assert first < 50.0 and last > 60.0, "all of it is seen"

    def test_the_menu_offers_the_fields_of_the_log(self, plot: PlotViewer) -> None:
        menu = plot.beside.button.menu()
        assert menu is not None
        menu.aboutToShow.emit()
        logs = [action.menu() for action in menu.actions() if action.menu() is not None]
        assert [action.text() for action in menu.actions() if action.menu() is not None] == [
            "Add a field of before.mcap"
        ]
        topics = logs[0]
        assert topics is not None
        entry = topics.actions()[0].menu()
        assert isinstance(entry, QMenu)
        entry.aboutToShow.emit()
        until(lambda: [action.text() for action in entry.actions()] == ["data"], "its numbers are found")


class TestOnTheTimeLine:
    @pytest.fixture
    def player(self, feed: Feed, tmp_path: Path) -> Iterator[PlayerViewer]:
        """Plays a log of ten seconds."""
        log = write_log(tmp_path / "now.mcap", 500.0)
        feed.state["player"] = {
            "log": str(log), "playing": False, "time_ns": 500 * SECOND_NS, "start_ns": 500 * SECOND_NS,
            "end_ns": 510 * SECOND_NS, "number": 0, "count": 11, "rate": 1.0, "loop": False, "range_ns": None,
            "streams": {TOPIC: [TOPIC, True]}, "stopped": "", "gate": "lockstep",
        }  # fmt: skip
        made = PlayerViewer(feed, DARK)
        made.resize(1200, 320)
        made.show()
        until(lambda: made.timeline.outline is not None, "the log is read")
        beside_of(feed)._follow(Changes(system=True))
        made.beside.logs.add(write_log(tmp_path / "before.mcap"))
        until(lambda: made.timeline.groups and made.timeline.groups[0].placed is not None, "so is the other")
        until(lambda: made.timeline.groups[0].shift_ns == 400 * SECOND_NS, "it begins where the first does")
        yield made
        made.close_viewer()

    def test_a_log_beside_has_a_heading_and_its_streams(self, player: PlayerViewer) -> None:
        line = player.timeline
        assert [(lane.topic if lane else "", group is not None) for lane, group in line.rows] == [
            (TOPIC, False), ("/words", False), ("", True), (TOPIC, True), ("/words", True),
        ]  # fmt: skip
        heading = line.headings[line.groups[0].path]
        assert heading.isVisible() and heading.y() == RULER + 2 * LANE
        assert not player.grab().isNull()

    def test_a_log_that_comes_is_seen_below_many_streams(self, player: PlayerViewer, tmp_path: Path) -> None:
        line = player.timeline
        player.resize(1200, 40 + RULER + 3 * LANE)
        QApplication.processEvents()
        path = write_log(tmp_path / "third.mcap")
        player.beside.logs.add(path)
        until(lambda: line.groups[-1].outline is not None, "it is read")
        assert line.headings[path].isVisible()

    def test_its_lanes_are_dragged_in_time(self, player: PlayerViewer) -> None:
        line = player.timeline
        at = QPoint(int(line._x_of(505 * SECOND_NS)), RULER + 3 * LANE + 8)
        far = int(line._x_of(508 * SECOND_NS))
        QTest.mousePress(line, Qt.MouseButton.LeftButton, pos=at)
        QTest.mouseMove(line, QPoint(far, at.y()))
        QTest.mouseRelease(line, Qt.MouseButton.LeftButton, pos=QPoint(far, at.y()))
        assert line.groups[0].offset_ns / SECOND_NS == pytest.approx(3.0, abs=0.05)
        assert line.now_ns == 500 * SECOND_NS, "what plays stays where it is"
        line.show_all()
        assert line.span_ns[1] / SECOND_NS == pytest.approx(513.0, abs=0.1), "all of both is seen"
        assert player.save()["beside_ns"] == {str(line.groups[0].path): line.groups[0].offset_ns}

    def test_when_the_system_ends_its_player_is_asked_nothing_more(
        self, player: PlayerViewer, feed: Feed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A field that is switched off while it has the focus tells that it was left."""
        asked: list[str] = []
        monkeypatch.setattr(feed, "ask", lambda do, *_, **__: asked.append(do))
        player.activateWindow()
        player.bar.rate.setFocus()
        feed.state = {}
        player.ended()
        assert asked == []

    def test_it_is_closed(self, player: PlayerViewer) -> None:
        line = player.timeline
        row = next(iter(player.beside.rows.values()))
        QTest.mouseClick(row.away, Qt.MouseButton.LeftButton)
        assert not line.groups and not line.headings and len(line.rows) == 2


def test_the_start_of_a_run_is_forgotten_with_the_last_who_looks(feed: Feed, tmp_path: Path) -> None:
    first = plot_of(feed)
    assert beside_of(feed)._base_ns == 0, "the start of the simulation"
    first.close_viewer()
    second = plot_of(feed)
    assert beside_of(feed)._base_ns == 0, "it still runs"
    second.close_viewer()
    feed.state = {}
    log = write_log(tmp_path / "of_another_project.mcap")
    plot_of(feed).add(DATA, log)
    until(lambda: (found := beside_of(feed).find(log)) and found.outline, "it is read")
    found = beside_of(feed).find(log)
    assert found is not None and found.shift_ns == 0, "nothing has run here"


def test_a_log_with_fewer_events_than_its_index_tells_has_only_those(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, events = write_log(tmp_path / "short.mcap"), LogReader.events
    monkeypatch.setattr(LogReader, "events", lambda *words: islice(events(*words), 4))
    read = read_series(log, DATA, None)
    assert read.times_s.tolist() == [100.0, 101.0, 102.0, 103.0] and read.values.tolist() == [0.0, 1.0, 2.0, 3.0]
