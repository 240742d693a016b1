"""Viewers with real messages: what they show, remember, and say when there is nothing sensible."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.editor.feed import Changes, Feed
from studio.editor.live_batch import Event
from studio.editor.main_window import MainWindow
from studio.editor.panels.compare_viewer import CompareViewer
from studio.editor.panels.map_viewer import MapViewer
from studio.editor.panels.plot_viewer import PlotViewer
from studio.editor.panels.scan_viewer import ScanViewer
from studio.editor.panels.topic_choice import LEAST_CHOICE
from studio.editor.panels.topics_viewer import TopicsViewer, bandwidth, in_words
from studio.editor.panels.viewer import Bar, Facts
from studio.editor.panels.votes_viewer import VotesViewer
from studio.editor.session import Session
from studio.editor.theme import DARK, LIGHT
from studio.editor.views.field_drag import Field, fields_in, mime_of
from studio.editor.views.votes_view import FOOT, LEAST_FAN, Chosen, more_words
from studio.messages import Float64, Map, Message, Odometry, PoseTransform, Range3d, Velocity, Vote

TOPICS: dict[str, Any] = {
    "/terrain_map/terrain": {
        "type": "Map",
        "count": 3,
        "bytes": 600,
        "rate_hz": 10.0,
        "latency_us": {"p50": 1500.0},
        "drops": 0,
    },
    "/platform/pose": {"type": "PoseTransform", "count": 90, "bytes": None, "rate_hz": None, "drops": 2},
    "/platform/laser": {"type": "Range3d", "count": 40},
    "/planner/path": {"type": "Range3d", "count": 1},
    "/avoid/votes": {"type": "Vote", "count": 5},
    "/arbiter/command": {"type": "Velocity", "count": 5},
}


@pytest.fixture
def feed(qapp: QApplication) -> Iterator[Feed]:
    """Of a system that is as the snapshot says; the events are given by the tests."""
    made = Feed()
    made.state = {"topics": dict(TOPICS), "components": {}, "processes": {}}
    yield made
    made.close()


def event(topic: str, message: Message, number: int = 1, seconds: float = 0.0) -> Event:
    return Event(topic, number, int(seconds * 1e9), message)


def terrain(rows: int = 20, columns: int = 30, value: float = 0.3) -> Map:
    heights = np.full((rows, columns), value, np.float32)
    spread = np.full((rows, columns), 0.0004, np.float32)
    return Map(
        resolution_m=0.5, origin_m=np.array([10.0, -5.0]), plane_names=("height", "variance"),
        planes=np.stack([heights, spread]),
    )  # fmt: skip


class TestMap:
    def test_it_chooses_topics_by_their_types(self, feed: Feed) -> None:
        viewer = MapViewer(feed, LIGHT)
        assert viewer.topic.topic == "/terrain_map/terrain"
        assert viewer.pose.topic == "/platform/pose"
        assert viewer.planned.topic == "/planner/path"

    def test_a_map_is_painted_and_read_out(self, feed: Feed) -> None:
        viewer = MapViewer(feed, LIGHT)
        viewer.resize(700, 500)
        viewer.show()
        QApplication.processEvents()
        viewer._take_map([event("/terrain_map/terrain", terrain())])
        assert viewer.view.read_out(12.2, -4.9) == "cell 4, 0   x 12.20  y −4.90   +0.30 m ± 0.02"
        assert "outside" in viewer.view.read_out(0.0, 0.0)
        picture = viewer.view.grab().toImage()
        middle = picture.pixelColor(picture.width() // 2, picture.height() // 2)
        assert middle.blue() > middle.red(), "above grade is blue"

    def test_the_plane_and_the_colours_can_be_chosen_and_are_kept(self, feed: Feed) -> None:
        viewer = MapViewer(feed, LIGHT)
        viewer._take_map([event("/terrain_map/terrain", terrain())])
        viewer._choose_plane("variance")
        viewer.colours.setCurrentIndex(viewer.colours.findData("terrain_safe"))
        viewer.follow.setChecked(False)
        kept = viewer.save()
        other = MapViewer(feed, DARK)
        other.restore(kept)
        other._take_map([event("/terrain_map/terrain", terrain())])
        assert other.save() == kept
        assert other.view.layers[0].plane == "variance"
        assert other.view.layers[0].scheme.title == "Terrain, colour-blind safe"

    def test_a_click_on_the_legend_changes_to_colours_for_everybody_and_back(self, feed: Feed) -> None:
        viewer = MapViewer(feed, LIGHT)
        viewer.resize(600, 450)
        viewer.show()
        viewer._take_map([event("/terrain_map/terrain", terrain())])
        for name in ("terrain_safe", "terrain"):
            QTest.mouseClick(
                viewer.view, Qt.MouseButton.LeftButton, pos=viewer.view.legend_rectangle().center().toPoint()
            )
            assert viewer.view.layers[0].scheme.name == name

    def test_earlier_maps_can_be_looked_at(self, feed: Feed) -> None:
        viewer = MapViewer(feed, LIGHT)
        for value in (0.1, 0.2, 0.3):
            viewer._take_map([event("/terrain_map/terrain", terrain(value=value), seconds=value * 10)])
        viewer.past.setValue(0)
        assert viewer.view.note == "The map of 2.0 s ago"
        assert float(viewer.view.layers[0].values[0, 0]) == pytest.approx(0.1)
        viewer._take_map([event("/terrain_map/terrain", terrain(value=0.4), seconds=4.0)])
        assert float(viewer.view.layers[0].values[0, 0]) == pytest.approx(0.1), "the past stays until one comes back"
        viewer.past.setValue(viewer.past.maximum())
        assert float(viewer.view.layers[0].values[0, 0]) == pytest.approx(0.4)
        assert viewer.view.note == ""
        viewer.past.setValue(2)
        viewer._take_map([event("/terrain_map/terrain", terrain(value=0.5), seconds=1.5)])
        assert viewer.past.maximum() == 1, "a log was rewound: what came later is not before it"
        assert float(viewer.view.layers[0].values[0, 0]) == pytest.approx(0.5) and viewer.view.note == ""

    def test_a_map_of_a_real_vehicle_says_so(self, feed: Feed) -> None:
        viewer = MapViewer(feed, LIGHT)
        viewer._take_map([event("/terrain_map/terrain", terrain())])
        before = viewer.view.grab().toImage()
        feed.state["sources"] = {"platform": "real"}
        viewer.changed(Changes(system=True))
        assert viewer.view.is_real and viewer.view.grab().toImage() != before

    def test_an_empty_map_a_growing_one_and_another_type(self, feed: Feed) -> None:
        viewer = MapViewer(feed, LIGHT)
        viewer.show()
        viewer._take_map([event("/terrain_map/terrain", Map(plane_names=("height",), planes=np.zeros((1, 0, 0))))])
        assert viewer.empty.isVisible() and "empty" in viewer.empty._sentence.text()
        viewer._take_map([event("/terrain_map/terrain", terrain(5, 5))])
        viewer._take_map([event("/terrain_map/terrain", terrain(50, 80))])
        assert viewer.view.isVisible() and "80 × 50" in viewer.facts.text()
        viewer._take_map([event("/terrain_map/terrain", Float64(data=1.0))])
        assert viewer.empty.isVisible() and "Float64" in viewer.empty._sentence.text()

    def test_the_vehicle_leaves_a_path_and_the_view_follows_until_a_hand_moves_it(self, feed: Feed) -> None:
        viewer = MapViewer(feed, LIGHT)
        viewer.resize(600, 400)
        viewer.show()
        viewer._take_map([event("/terrain_map/terrain", terrain())])
        for x in (12.0, 13.0, float("nan"), 14.0):
            viewer._take_pose([event("/platform/pose", PoseTransform.from_xyz_rpy(x_m=x, y_m=1.0))])
        assert viewer.view.path.places.tolist() == [[12.0, 1.0], [13.0, 1.0], [14.0, 1.0]]
        assert viewer.view.centre_m == (14.0, 1.0)
        viewer.view.zoom_at(QPointF(10, 10), 2.0)
        assert not viewer.follow.isChecked()
        viewer._take_pose([event("/platform/pose", Odometry(position=(20.0, 2.0, 0.0)))])
        assert viewer.view.pose is not None and viewer.view.centre_m[0] < 20

    def test_the_plan_ends_at_the_goal(self, feed: Feed) -> None:
        viewer = MapViewer(feed, LIGHT)
        viewer._take_path([event("/planner/path", Range3d.from_xyz([[0, 0, 0], [3, 4, 0]]))])
        assert viewer.view.goal_m == (3.0, 4.0)
        viewer._take_path([event("/planner/path", Range3d.from_xyz(np.zeros((0, 3))))])
        assert viewer.view.goal_m is None

    def test_zoom_keeps_the_place_under_the_pointer(self, feed: Feed) -> None:
        view = MapViewer(feed, LIGHT).view
        view.resize(400, 300)
        at = QPointF(310, 40)
        before = view.world().x_of(at.x()), view.world().y_of(at.y())
        view.zoom_at(at, 3.0)
        assert (view.world().x_of(at.x()), view.world().y_of(at.y())) == pytest.approx(before)

    def test_two_clicks_measure(self, feed: Feed) -> None:
        viewer = MapViewer(feed, LIGHT)
        viewer.resize(500, 400)
        viewer.show()
        viewer._take_map([event("/terrain_map/terrain", terrain())])
        viewer.measure.click()
        middle = viewer.view.rect().center()
        QTest.mouseClick(viewer.view, Qt.MouseButton.LeftButton, pos=middle)
        QTest.mouseClick(viewer.view, Qt.MouseButton.LeftButton, pos=middle + middle / 4)
        assert len(viewer.view._measured) == 2
        viewer.measure.click()
        assert not viewer.view._measured

    def test_a_click_is_a_goal_for_whoever_plans(self, feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[dict[str, Any]] = []
        monkeypatch.setattr(feed, "ask", lambda do, done, failed, **fields: asked.append({"do": do, **fields}))
        viewer = MapViewer(feed, LIGHT)
        viewer.resize(500, 400)
        viewer.show()
        viewer._take_map([event("/terrain_map/terrain", terrain())])
        viewer.goal.click()
        middle = viewer.view.rect().center()
        QTest.mouseClick(viewer.view, Qt.MouseButton.LeftButton, pos=middle)
        assert not asked and "no component" in viewer.facts.text()
        goal = {"goal_x_m": 0.0, "goal_y_m": 0.0}
        feed.state["components"] = {
            "judge": {"parameters": goal, "outputs": {}},
            "planner": {"parameters": goal, "outputs": {"path": "/planner/path"}},
        }
        viewer.goal.click()
        QTest.mouseClick(viewer.view, Qt.MouseButton.LeftButton, pos=middle)
        assert [(each["component"], each["name"]) for each in asked] == [
            ("planner", "goal_x_m"),
            ("planner", "goal_y_m"),
        ]
        assert asked[0]["value"] == pytest.approx(viewer.view.centre_m[0], abs=0.2)
        assert not viewer.goal.isChecked(), "one click, one goal"
        feed.state["components"]["driver"] = {"accepts": {"goal": "PoseTransform"}}
        viewer.goal.click()
        QTest.mouseClick(viewer.view, Qt.MouseButton.LeftButton, pos=middle)
        assert asked[-1]["do"] == "send" and asked[-1]["to"] == "driver.goal"
        assert asked[-1]["message"]["matrix"][0][3] == pytest.approx(viewer.view.centre_m[0], abs=0.2)

    def test_layers_lie_over_each_other_and_are_kept(self, feed: Feed) -> None:
        feed.state["topics"]["/traverse/map"] = {"type": "Map", "count": 1}
        viewer = MapViewer(feed, LIGHT)
        viewer.layers.wanted.emit("/traverse/map")
        cost = Map(resolution_m=0.5, plane_names=("cost", "slope"), planes=np.zeros((2, 4, 4)))
        viewer._take_map([event("/terrain_map/terrain", terrain())])
        viewer.layering.take(viewer.stack.choices[1], cost)
        assert [layer.plane for layer in viewer.view.layers] == ["height", "cost"], "the new one is on top"
        assert viewer.view.read_out(10.1, -4.9).endswith("height +0.30 m ± 0.02")
        top = viewer.layers.lines[0]
        top.opacity.setValue(30)
        assert viewer.view.layers[1].opacity == pytest.approx(0.3)
        top.plane.setCurrentText("slope")
        top._choose_plane()
        top.down.click()
        assert [layer.plane for layer in viewer.view.layers] == ["slope", "height"]
        viewer.layers.lines[0].seen.click()
        assert [layer.plane for layer in viewer.view.layers] == ["slope"], "the map of the bar can be hidden, too"
        viewer.layers.boxes["votes"].click()
        assert viewer.watched("/avoid/votes") and viewer.watched("/arbiter/command")
        kept = viewer.save()
        other = MapViewer(feed, DARK)
        other.restore(kept)
        assert other.save() == kept
        assert (other.stack.choices[0].topic, other.stack.choices[0].opacity) == ("/traverse/map", 0.3)
        other.layering.remove(other.stack.choices[0])
        assert other.stack.choices == [other.stack.main]

    def test_the_picture_is_saved(self, feed: Feed, tmp_path: Path) -> None:
        viewer = MapViewer(feed, LIGHT)
        viewer._take_map([event("/terrain_map/terrain", terrain())])
        assert viewer.export_to(tmp_path / "map")
        assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")


class TestPlot:
    def test_fields_become_curves_over_the_stamps(self, feed: Feed) -> None:
        viewer = PlotViewer(feed, LIGHT)
        viewer.add(Field("/arbiter/command", "speed_m_s"))
        viewer.add(Field("/arbiter/command", "speed_m_s"))
        assert len(viewer.curves) == 1, "the same field is not drawn twice"
        for second in range(5):
            viewer._take(viewer.curves[0], [event("/arbiter/command", Velocity(speed_m_s=second), second, second)])
        viewer.redraw()
        times, values = viewer.curves[0].item.getData()
        assert times.tolist() == values.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
        assert "0 … 4, mean 2" in viewer.facts.text()

    def test_a_topic_whose_type_changes_says_what_is_missing(self, feed: Feed) -> None:
        viewer = PlotViewer(feed, LIGHT)
        viewer.add(Field("/arbiter/command", "speed_m_s"))
        viewer._take(viewer.curves[0], [event("/arbiter/command", Float64(data=3.0))])
        viewer.redraw()
        assert "no field speed_m_s" in viewer.facts.text()

    def test_infinite_values_do_not_spoil_the_scale(self, feed: Feed) -> None:
        viewer = PlotViewer(feed, LIGHT)
        viewer.resize(500, 300)
        viewer.add(Field("/a/b", "data"))
        events = [
            event("/a/b", Float64(data=value), i, i)
            for i, value in enumerate((1.0, float("inf"), 2.0, float("nan"), 3.0))
        ]
        viewer._take(viewer.curves[0], events)
        viewer.redraw()
        viewer.grab()
        low, high = viewer.plot.getPlotItem().vb.viewRange()[1]
        assert -10 < low <= 1.0 and 3.0 <= high < 10

    def test_a_narrow_plot_has_short_names_in_its_legend(self, feed: Feed) -> None:
        """Of five whole names the legend covered half of the curves."""
        viewer = PlotViewer(feed, LIGHT)
        for topic, path in (("/arbiter/command", "speed_m_s"), ("/teleop/command", "speed_m_s"), ("/a/b", "data")):
            viewer.add(Field(topic, path))
        viewer.resize(446, 240)
        viewer.grab()
        seen = [viewer.names.legend.getLabel(curve.item).text for curve in viewer.curves]
        assert seen == ["arbiter speed_m_s", "teleop speed_m_s", "data"]
        viewer.resize(1000, 240)
        viewer.grab()
        assert viewer.names.legend.getLabel(viewer.curves[0].item).text == "/arbiter/command/speed_m_s"

    def test_the_time_of_the_world_is_the_time_of_day(self, feed: Feed) -> None:
        viewer = PlotViewer(feed, LIGHT)
        axis = viewer.plot.getAxis("bottom")
        assert axis.tickStrings([-10.0, 0.0, 10.0], 1.0, 10.0) == ["−10 s", "0 s", "10 s"]
        assert viewer.plot.getAxis("left").tickStrings([-0.5, 0.0], 1.0, 0.5) == ["−0.5", "0"]
        strings = axis.tickStrings([1.7e9, 1.7e9 + 90], 1.0, 90.0)
        assert all(len(text) == 8 and text.count(":") == 2 for text in strings) and strings[0] != strings[1]

    def test_what_is_visible_goes_into_a_table(self, feed: Feed, tmp_path: Path) -> None:
        viewer = PlotViewer(feed, LIGHT)
        viewer.add(Field("/a/b", "data"))
        viewer._take(viewer.curves[0], [event("/a/b", Float64(data=0.1), 1, 7.0)])
        viewer.redraw()
        viewer.export_to(tmp_path / "plot.csv")
        assert (tmp_path / "plot.csv").read_text().splitlines() == ["field,time_s,value", "/a/b/data,7.0,0.1"]

    def test_one_field_over_another(self, feed: Feed) -> None:
        viewer = PlotViewer(feed, LIGHT)
        viewer.add(Field("/p", "position[0]"))
        viewer.add(Field("/p", "position[1]"))
        for i in range(3):
            pose = PoseTransform.from_xyz_rpy(x_m=i, y_m=2 * i)
            for curve in viewer.curves:
                viewer._take(curve, [event("/p", pose, i, i)])
        viewer.against.click()
        across, up = viewer.curves[1].item.getData()
        assert across.tolist() == [0.0, 1.0, 2.0] and up.tolist() == [0.0, 2.0, 4.0]

    def test_the_cursor_of_the_log_is_shown_and_can_be_dragged(
        self, feed: Feed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked: list[dict[str, Any]] = []
        monkeypatch.setattr(feed, "ask", lambda do, done, failed, **fields: asked.append({"do": do, **fields}))
        viewer = PlotViewer(feed, LIGHT)
        viewer.changed(Changes())
        assert not viewer.log_cursor.isVisible(), "no log is played"
        feed.state["player"] = {"time_ns": 2_500_000_000}
        viewer.changed(Changes())
        assert viewer.log_cursor.isVisible() and viewer.log_cursor.value() == 2.5
        viewer.log_cursor.setValue(4.0)
        viewer.log_cursor.sigPositionChangeFinished.emit(viewer.log_cursor)
        assert asked == [{"do": "player", "action": "seek", "time_ns": 4_000_000_000}]

    def test_curves_are_kept(self, feed: Feed) -> None:
        viewer = PlotViewer(feed, LIGHT)
        viewer.add(Field("/a", "x"))
        other = PlotViewer(feed, DARK)
        other.restore(viewer.save())
        assert [str(curve.what) for curve in other.curves] == ["/a/x"]
        other.remove_all()
        assert not other.curves and other.empty.isVisibleTo(other)


class TestTopics:
    def test_all_topics_are_listed_with_what_is_known(self, feed: Feed) -> None:
        viewer = TopicsViewer(feed, LIGHT)
        row = viewer._rows["/terrain_map/terrain"]
        assert [row.text(i) for i in range(6)] == ["/terrain_map/terrain", "Map", "10.0 Hz", "2.0 kB/s", "1.50 ms", ""]
        assert viewer._rows["/platform/pose"].text(5) == "2"
        unheard = viewer._rows["/planner/path"]  # what only those know who receive it
        assert [unheard.text(i) for i in range(3, 7)] == ["—", "—", "—", "1"]

    def test_an_open_topic_shows_its_message_and_numbers_can_be_dragged(self, feed: Feed) -> None:
        viewer = TopicsViewer(feed, LIGHT)
        row = viewer._rows["/platform/pose"]
        row.setExpanded(True)
        viewer._open(row)
        assert viewer.watched("/platform/pose") == "/platform/pose"
        viewer._take([event("/platform/pose", PoseTransform.from_xyz_rpy(x_m=1.5, frame="map"))])
        texts = {row.child(i).text(0): row.child(i).text(1) for i in range(row.childCount())}
        assert texts["frame"] == "map" and texts["position"].startswith("1.5")
        position = next(row.child(i) for i in range(row.childCount()) if row.child(i).text(0) == "position")
        assert fields_in(viewer.tree.mimeData([position.child(0)])) == [Field("/platform/pose", "position[0]")]
        wanted: list[object] = []
        viewer.plot_wanted.connect(wanted.append)
        viewer._double_clicked(position.child(0), 0)
        assert wanted == [Field("/platform/pose", "position[0]")]

    def test_words_filter(self, feed: Feed) -> None:
        viewer = TopicsViewer(feed, LIGHT)
        viewer.search.setText("range3d las")
        assert [name for name, row in viewer._rows.items() if not row.isHidden()] == ["/platform/laser"]

    @pytest.mark.parametrize(("width", "seen"), [(300, 1), (446, 1), (618, 2), (1000, 5)])
    def test_a_narrow_panel_leaves_figures_out(self, feed: Feed, width: int, seen: int) -> None:
        """At the right of a panel the rates were cut in two, and one had to scroll for the rest."""
        viewer = TopicsViewer(feed, LIGHT)
        viewer.resize(width, 300)
        viewer.show()
        QApplication.processEvents()
        assert sum(not viewer.tree.isColumnHidden(number) for number in range(2, 7)) == seen
        across = viewer.tree.horizontalScrollBar()
        assert across is not None and across.maximum() == 0
        assert viewer.tree.columnWidth(0) >= 80 and viewer.tree.columnWidth(1) >= 90

    def test_figures_in_words(self) -> None:
        assert bandwidth(0) == "" and bandwidth(950) == "950 B/s" and bandwidth(2.5e6) == "2.5 MB/s"
        assert in_words(np.array([np.nan, np.nan] * 10)) == "20 float64, nothing finite"
        assert in_words(np.arange(12).reshape(3, 4)) == "3 × 4 int64, 0 … 11"


class TestNarrowBars:
    def test_a_topic_gives_way_to_the_buttons_and_keeps_both_ends(self, feed: Feed) -> None:
        """In the dock of a window of 1600 pixels a map had two buttons of eight."""
        feed.state["topics"] = {"/a_component_with_a_long_name/terrain_of_the_day": {"type": "Map", "count": 1}}
        viewer = MapViewer(feed, LIGHT)
        viewer.resize(446, 300)
        viewer.show()
        QApplication.processEvents()
        assert LEAST_CHOICE <= viewer.topic.width() <= 446 * viewer.topic.share
        assert viewer.follow.isVisible() and viewer.goal.isVisible() and viewer.measure.isVisible()
        assert viewer.topic.shown_words().startswith("/a") and viewer.topic.shown_words().endswith("day")
        viewer.resize(1400, 300)
        QApplication.processEvents()
        assert viewer.topic.width() >= viewer.topic.sizeHint().width(), "there is room for all of it"
        assert viewer.topic.shown_words() == viewer.topic.topic

    def test_what_has_no_room_tells_its_words_and_goes_when_it_is_done(self, feed: Feed, qtbot: QtBot) -> None:
        """Behind the dots was a column of pictures that stayed open."""
        viewer = MapViewer(feed, LIGHT)
        qtbot.addWidget(viewer)
        viewer.resize(300, 300)
        viewer.show()
        bar = viewer.topic.parentWidget()
        assert isinstance(bar, Bar)
        qtbot.waitUntil(lambda: viewer.compare in bar.outside)
        assert viewer.compare.text().strip() == "Compare" and not viewer.compare.icon().isNull()
        bar.more.click()
        assert viewer.compare.isVisible()
        viewer.compare.click()
        assert not viewer.compare.isVisible()
        viewer.resize(500, 300)
        qtbot.waitUntil(lambda: viewer.fit not in bar.outside)
        viewer.resize(1200, 300)
        qtbot.waitUntil(lambda: viewer.compare.isVisible())
        assert not viewer.compare.text(), "there is room again"

    def test_the_beginning_of_a_word_is_no_fact(self, feed: Feed) -> None:
        """At the end of a bar stood `2…`."""
        facts = Facts("240 × 240 cells · 0.25 m")
        facts.resize(30, 20)
        blank = Facts("")
        blank.resize(30, 20)
        assert facts.grab().toImage() == blank.grab().toImage()
        facts.resize(90, 20)
        blank.resize(90, 20)
        assert facts.grab().toImage() != blank.grab().toImage()


class TestVotesAndScans:
    def test_how_sure_the_voters_are_of_the_choice_is_told_in_words(self, feed: Feed) -> None:
        arcs = np.linspace(-0.2, 0.2, 5)
        sure = Vote.over(arcs, vote=np.zeros(5), confidence=0.9)
        unsure = Vote.over(arcs, vote=np.zeros(5), confidence=np.array([0.0, 0.0, 0.0, 0.0, 0.1]))
        view = VotesViewer(feed, DARK).view
        view.show_chosen(Chosen(0.2, -1.8))
        none = Vote.over(arcs, vote=np.zeros(5), confidence=0.0)
        assert view.choice_words({"a": sure, "b": unsure, "c": none}) == (
            "chosen arc +0.200 1/m", "−1.8 m/s", "voters are fairly sure (50 %)",
        ), "who has no say does not count"  # fmt: skip
        assert view.choice_words({"b": unsure})[2] == "voters are unsure (10 %)"
        view.show_chosen(Chosen(-0.2, 1.0))
        assert view.choice_words({"b": unsure})[2] == "voters do not know (0 %)"
        assert view.choice_words({"c": none})[2] == ""

    def test_who_may_take_no_arc_has_chosen_none(self, feed: Feed) -> None:
        """The fan showed a thick arc in the middle of all the crosses, with 0.0 m/s beside it."""
        arcs = np.linspace(-0.2, 0.2, 5)
        against = {"a": Vote.over(arcs, vote=np.zeros(5), veto=np.ones(5, bool))}
        view = VotesViewer(feed, DARK).view
        view.show_chosen(Chosen(0.2, 0.0))
        assert view.way_to_go(against) is None
        assert view.choice_words(against) == ("stands: every arc is vetoed",)
        view.show_chosen(Chosen(0.2, 1.0))
        assert view.way_to_go(against) == view.chosen, "it drives all the same"

    def test_a_scan_that_has_not_come_is_named(self, feed: Feed) -> None:
        viewer = ScanViewer(feed, DARK)
        words = viewer.empty._sentence
        assert words.text() == "No scan on /platform/laser yet"
        viewer._take([event("/platform/laser", Range3d.from_xyz([[1, 0, 0]]))])
        assert viewer.facts.text()
        viewer.attached()
        assert viewer.empty.isVisibleTo(viewer) and not viewer.facts.text(), "of another run"

    def test_voters_that_have_no_row_are_counted(self, feed: Feed) -> None:
        viewer = VotesViewer(feed, DARK)
        viewer.resize(500, 500)
        viewer.grab()  # lays it out
        for number in range(8):
            viewer._take_votes([event(f"/v{number}/votes", Vote.over([0.0], vote=[0.5]))])
        assert more_words(8, 8) == "" and not viewer.view.toolTip()
        before = viewer.view.grab().toImage()
        viewer._take_votes([event("/v8/votes", Vote.over([0.0], vote=[0.5]))])
        assert more_words(9, 8) == "+ 1 more" and viewer.view.toolTip() == "Without a row: v8"
        assert viewer.view.grab().toImage() != before

    def test_a_low_panel_cuts_nothing_off(self, feed: Feed) -> None:
        """The words below the rows were cut in half, and of the fan there was a stamp."""
        view = VotesViewer(feed, DARK).view
        for height in (180, 200, 240, 500):
            view.resize(380, height)
            for voters in (1, 4, 8):
                rows = view.rows_for(voters)
                fan = height - rows * view.row - FOOT
                assert rows >= 1 and fan >= LEAST_FAN
        view.resize(380, 214)
        assert view.rows_for(4) == 4, "all of the Raptor, in the place where they open by themselves"

    def test_the_end_of_a_run_is_told_beside_the_fan(self, feed: Feed) -> None:
        viewer = VotesViewer(feed, DARK)
        viewer.resize(446, 260)
        viewer.show()
        viewer._take_votes([event("/avoid/votes", Vote.over([0.0], vote=[0.5]))])
        viewer._ended(died=False)
        assert viewer.over.isVisible() and viewer.over.x() > viewer.width() / 2 + 60

    def test_votes_of_all_voters_and_the_choice(self, feed: Feed) -> None:
        viewer = VotesViewer(feed, DARK)
        viewer.resize(400, 300)
        viewer._take_votes([event("/avoid/votes", Vote.over(np.linspace(-0.2, 0.2, 9), vote=np.linspace(-1, 1, 9)))])
        viewer._take_votes([event("/follow/votes", Vote.over([-0.1, 0.1], vote=[0.0, np.nan], veto=[True, False]))])
        viewer._take_votes([event("/silent/votes", Vote.over([]))])
        viewer._take_command([event("/arbiter/command", Velocity(steering_angle_rad=0.1, speed_m_s=1.0))])
        assert viewer.view.chosen is not None and viewer.view.chosen.speed_m_s == pytest.approx(1.0)
        assert not viewer.grab().isNull()
        assert set(viewer.view.votes) == {"avoid", "follow", "silent"}

    def test_a_scan_with_beams_that_saw_nothing(self, feed: Feed) -> None:
        viewer = ScanViewer(feed, LIGHT)
        assert viewer.topic.topic == "/platform/laser", "the topic that says the most, not the first one"
        scan = Range3d.from_xyz([[1, 0, 0], [np.nan, 0, 0], [0, np.inf, 0]], frame="Laser:Scan")
        viewer._take([event("/platform/laser", scan)])
        assert "3 points · 2 without an echo · Laser:Scan" in viewer.facts.text()
        assert not viewer.grab().isNull()


class TestCompare:
    def test_two_maps_and_their_difference(self, feed: Feed) -> None:
        viewer = CompareViewer(feed, DARK)
        viewer.resize(900, 300)
        a, b = viewer.sides
        viewer._take(a, [event("/a", terrain(value=0.3))])
        assert viewer.empty.isVisibleTo(viewer)
        viewer._take(b, [event("/b", terrain(value=0.33))])
        assert viewer.found is not None and viewer.found.rms == pytest.approx(0.03, abs=1e-6)
        told = viewer.panes.figures.accessibleDescription()
        assert "RMS difference 0.030 m; mean B − A +0.030 m; within ± 0.05 m 100 %; cells in both 600" in told
        a.hold.click()
        viewer._take(a, [event("/a", terrain(value=9.0))])
        assert viewer.found.rms == pytest.approx(0.03, abs=1e-6), "A is held"
        assert not viewer.grab().isNull()

    def test_all_views_move_together(self, feed: Feed) -> None:
        viewer = CompareViewer(feed, LIGHT)
        for side in viewer.sides:
            viewer._take(side, [event("/a", terrain())])
        viewer.sides[1].view.zoom_at(QPointF(5, 5), 3.0)
        assert len({(view.centre_m, view.metres_per_pixel) for view in viewer.views()}) == 1

    def test_a_cut_shows_both_along_one_line(self, feed: Feed) -> None:
        viewer = CompareViewer(feed, LIGHT)
        viewer.resize(900, 600)
        viewer.show()
        for side, value in zip(viewer.sides, (0.3, 0.5), strict=True):
            viewer._take(side, [event("/a", terrain(value=value))])
        viewer.cut.click()
        assert len({view.cut for view in viewer.views()}) == 1 and viewer.panes.profile.isVisible()
        (_, a), (_, b) = viewer.panes.profile.lines
        assert np.nanmax(a) == pytest.approx(0.3) and np.nanmin(b) == pytest.approx(0.5)
        view = viewer.sides[0].view
        assert view.cut is not None
        end = QPointF(*view.world().pixel_of(*view.cut[1])).toPoint()
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=end)
        QTest.mouseMove(view, end + QPoint(0, 30))
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end + QPoint(0, 30))
        cut = viewer.change.cut
        assert cut is not None and cut[1][1] < cut[0][1], "the end was dragged down, in all three"
        viewer.cut.click()
        assert viewer.change.cut is None and not viewer.panes.profile.isVisible()

    def test_one_over_the_other_by_swiping_and_blinking(self, feed: Feed, tmp_path: Path) -> None:
        viewer = CompareViewer(feed, DARK)
        viewer.resize(900, 600)
        viewer.show()
        for side, value in zip(viewer.sides, (-0.5, 0.5), strict=True):
            viewer._take(side, [event("/a", terrain(value=value))])
        view = viewer.sides[0].view
        viewer.way.setCurrentText("Swipe")
        viewer.linked.fit_by_hand()
        QApplication.processEvents()
        picture, y = view.grab().toImage(), view.height() // 2
        left, right = (picture.pixelColor(view.width() // 2 + x, y) for x in (-25, 25))
        assert left.red() > left.blue() and right.blue() > right.red()
        QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(view.width() // 2, 20))
        QTest.mouseMove(view, QPoint(view.width() // 4, 20))
        QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(view.width() // 4, 20))
        assert view.share == pytest.approx(0.25, abs=0.01)
        viewer.way.setCurrentText("Blink")
        shown = [float(view.layers[0].values[0, 0]) for _ in range(2) if viewer._turn_over() is None]
        assert sorted(shown) == [-0.5, 0.5] and not view.over
        assert viewer.save()["way"] == "Blink"
        viewer.way.setCurrentText("Side by side")
        assert viewer.sides[1].view.isVisible() and not viewer._blink.isActive()
        assert viewer.export_to(tmp_path / "compared") and (tmp_path / "compared.png").exists()

    def test_maps_without_a_common_plane_say_so(self, feed: Feed) -> None:
        feed.state["topics"] = {"/a": {"type": "Map"}, "/b": {"type": "Map"}}
        viewer = CompareViewer(feed, LIGHT)
        for side, topic in zip(viewer.sides, ("/b", "/a"), strict=True):
            side.topic.choose(topic)
        other = Map(plane_names=("cost",), planes=np.zeros((1, 2, 2)))
        viewer._take(viewer.sides[0], [event("/a", terrain())])
        viewer._take(viewer.sides[1], [event("/b", other)])
        assert "No plane is in both" in viewer.empty._sentence.text()

    def test_maps_that_nobody_chose_and_that_have_nothing_in_common_become_one(self, feed: Feed) -> None:
        feed.state["topics"] = {"/a": {"type": "Map"}, "/b": {"type": "Map"}}
        viewer = CompareViewer(feed, LIGHT)
        viewer.topics_changed()
        assert [side.topic.topic for side in viewer.sides] == ["/a", "/b"]
        other = Map(plane_names=("cost",), planes=np.zeros((1, 2, 2)))
        viewer._take(viewer.sides[0], [event("/a", terrain())])
        viewer._take(viewer.sides[1], [event("/b", other)])
        assert [side.topic.topic for side in viewer.sides] == ["/a", "/a"], "one can be held, and the other goes on"


def test_fields_travel_by_drag_and_drop() -> None:
    fields = [Field("/a/b", "x.min"), Field("/c", "y[2]")]
    assert fields_in(mime_of(fields)) == fields
    assert fields_in(None) == []


class TestInTheWindow:
    def test_any_number_of_each_and_all_of_them_come_back_with_the_project(self, window: MainWindow) -> None:
        viewers = window.viewers
        for name in ("map", "map", "plot", "votes"):
            window.trigger(f"viewer.{name}")
        assert list(viewers.open) == ["map.1", "map.2", "plot.1", "votes.1"]
        plot = viewers.open["plot.1"]
        assert isinstance(plot, PlotViewer)
        plot.add(Field("/a/b", "data"))
        viewers.close("map.1")
        kept = viewers.save()
        folder = window.session.folder
        window.show_session(None)
        assert not viewers.open
        window.show_session(Session.open(folder))
        assert viewers.save() == kept
        assert not any(window.docks.is_closed(name) for name in viewers.open)

    def test_another_layout_leaves_them_open(self, window: MainWindow) -> None:
        window.trigger("viewer.topics")
        window.trigger("viewer.scan")
        for number in (1, 2, 1):
            window.layouts.choose_number(number)
            assert not any(window.docks.is_closed(name) for name in window.viewers.open)

    def test_both_themes(self, window: MainWindow) -> None:
        for name in ("map", "votes", "scan", "plot", "topics"):
            window.trigger(f"viewer.{name}")
        window.switch_theme()
        window.switch_theme()
        assert not window.grab().isNull()

    def test_what_was_kept_wrongly_is_left_out(self, window: MainWindow) -> None:
        for text in ("", "{", "[1]", '{"viewers": 1}', '{"viewers": [1]}', '{"viewers": [{"kind": "nonsense"}]}',
                     '{"viewers": [{"kind": "map", "settings": 3, "name": 7}]}'):  # fmt: skip
            window.viewers.restore(text)
        assert list(window.viewers.open) == ["7"]
