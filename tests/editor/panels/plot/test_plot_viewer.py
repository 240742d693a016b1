"""Plots with real messages: curves, their names and figures, and what is kept of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PyQt6.QtGui import QFontMetricsF
from PyQt6.QtWidgets import QApplication

from studio.editor.live.feed import Changes, Feed
from studio.editor.look.theme import DARK, LIGHT
from studio.editor.panels.plot.plot_viewer import PlotViewer
from studio.editor.views.shared.field_drag import Field
from studio.messages import Float64, PoseTransform, Velocity
from tests.editor.panels.given import event


def test_fields_become_curves_over_the_stamps(feed: Feed) -> None:
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


def test_a_topic_whose_type_changes_says_what_is_missing(feed: Feed) -> None:
    viewer = PlotViewer(feed, LIGHT)
    viewer.add(Field("/arbiter/command", "speed_m_s"))
    viewer._take(viewer.curves[0], [event("/arbiter/command", Float64(data=3.0))])
    viewer.redraw()
    assert "no field speed_m_s" in viewer.facts.text()


def test_infinite_values_do_not_spoil_the_scale(feed: Feed) -> None:
    viewer = PlotViewer(feed, LIGHT)
    viewer.resize(500, 300)
    viewer.add(Field("/a/b", "data"))
    events = [
        event("/a/b", Float64(data=value), i, i) for i, value in enumerate((1.0, float("inf"), 2.0, float("nan"), 3.0))
    ]
    viewer._take(viewer.curves[0], events)
    viewer.redraw()
    viewer.grab()
    low, high = viewer.plot.getPlotItem().vb.viewRange()[1]
    assert -10 < low <= 1.0 and 3.0 <= high < 10


def test_a_narrow_plot_has_short_names_in_its_legend(feed: Feed) -> None:
    """Of five whole names the legend covered half of the curves."""
    viewer = PlotViewer(feed, LIGHT)
    for topic, path in (("/arbiter/command", "speed_m_s"), ("/teleop/command", "speed_m_s"), ("/a/b", "data")):
        viewer.add(Field(topic, path))
    viewer.resize(446, 240)
    viewer.grab()
    seen = [viewer.names.legend.getLabel(curve.item).text for curve in viewer.curves]
    assert seen == ["arbiter speed_m_s", "teleop speed_m_s", "b"]
    viewer.resize(1000, 240)
    viewer.grab()
    assert viewer.names.legend.getLabel(viewer.curves[0].item).text == "/arbiter/command/speed_m_s"


def test_the_scale_fits_new_values_before_they_are_painted(feed: Feed) -> None:
    """Otherwise everything is painted twice: for the values, and for the scale that they need."""
    viewer = PlotViewer(feed, LIGHT)
    viewer.resize(500, 400)
    viewer.show()
    viewer.add(Field("/source/signal", "data"))
    viewer.curves[0].series.add([0.1 * i for i in range(100)], [float(i) for i in range(100)])
    viewer.redraw()
    low, high = viewer.plot.getPlotItem().vb.viewRange()[1]
    assert low <= 0.0
    assert high >= 99.0


def test_names_that_stay_are_not_made_anew_by_another_size_but_by_another_theme(feed: Feed) -> None:
    """A panel that opens is resized several times, and names are slow to make."""
    viewer = PlotViewer(feed, LIGHT)
    viewer.resize(500, 400)
    viewer.show()
    viewer.add(Field("/arbiter/command", "speed_m_s"))
    viewer.add(Field("/arbiter/command", "steering_angle_rad"))
    before = [label for _, label in viewer.names.legend.items]
    viewer.resize(420, 300)
    QApplication.processEvents()
    assert [label for _, label in viewer.names.legend.items] == before
    viewer.show_theme(DARK)
    after = [label for _, label in viewer.names.legend.items]
    assert [label.text for label in after] == [label.text for label in before]
    assert after != before
    assert viewer.names.legend.labelTextColor().name().upper() == DARK.text


def test_the_time_of_the_world_is_the_time_of_day(feed: Feed) -> None:
    viewer = PlotViewer(feed, LIGHT)
    axis = viewer.plot.getAxis("bottom")
    assert axis.tickStrings([-10.0, 0.0, 10.0], 1.0, 10.0) == ["−10 s", "0 s", "10 s"]
    assert viewer.plot.getAxis("left").tickStrings([-0.5, 0.0], 1.0, 0.5) == ["−0.5", "0"]
    strings = axis.tickStrings([1.7e9, 1.7e9 + 90], 1.0, 90.0)
    assert all(len(text) == 8 and text.count(":") == 2 for text in strings) and strings[0] != strings[1]


@pytest.mark.parametrize("first_s", [0.0, 1.7e9])
@pytest.mark.parametrize("span_s", [0.05, 7.0, 95.0, 4000.0, 300_000.0])
@pytest.mark.parametrize("room_px", [120.0, 400.0, 1500.0])
def test_times_below_a_plot_have_room_beside_each_other(
    feed: Feed, first_s: float, span_s: float, room_px: float
) -> None:
    """In a narrow plot of a few seconds they were written over each other."""
    axis = PlotViewer(feed, LIGHT).plot.getAxis("bottom")
    (step, _), (finer, _) = axis.tickSpacing(first_s, first_s + span_s, room_px)
    shown = axis.tickStrings([first_s, first_s + span_s], 1.0, step)
    widest = max(QFontMetricsF(QApplication.font()).horizontalAdvance(text) for text in shown)
    assert finer < step and step * room_px / span_s > widest


def test_what_is_visible_goes_into_a_table(feed: Feed, tmp_path: Path) -> None:
    viewer = PlotViewer(feed, LIGHT)
    viewer.add(Field("/a/b", "data"))
    viewer._take(viewer.curves[0], [event("/a/b", Float64(data=0.1), 1, 7.0)])
    viewer.redraw()
    viewer.export_to(tmp_path / "plot.csv")
    assert (tmp_path / "plot.csv").read_text().splitlines() == ["field,time_s,value", "/a/b/data,7.0,0.1"]


def test_one_field_over_another(feed: Feed) -> None:
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
    axes = [viewer.plot.getAxis(side) for side in ("bottom", "left")]
    assert [axis.labelText for axis in axes] == ["position[0]", "position[1]"]
    assert not viewer.names.legend.isVisible(), "the axes tell what is seen"
    viewer.against.click()
    assert not any(axis.label.isVisible() for axis in axes) and viewer.names.legend.isVisible()


def test_names_leave_most_of_a_low_plot_to_its_curves(feed: Feed) -> None:
    """Ten names lay over all that ten curves showed."""
    viewer = PlotViewer(feed, LIGHT)
    viewer.resize(440, 280)
    for i in range(10):
        viewer.add(Field("/p", f"position[{i}]"))
    viewer.grab()
    names = [label.text for _, label in viewer.names.legend.items]
    assert names[0] == "position[0]" and 3 <= len(names) < 10
    assert names[-1] == f"and {10 - len(names) + 1} more"
    assert viewer.names.legend.boundingRect().height() < viewer.plot.height() * 0.55
    viewer.resize(440, 700)
    viewer.grab()
    assert [label.text for _, label in viewer.names.legend.items] == [f"position[{i}]" for i in range(10)]


def test_one_number_is_called_by_its_topic(feed: Feed) -> None:
    """Three curves were called `data`."""
    viewer = PlotViewer(feed, LIGHT)
    viewer.add(Field("/simulator/front_touch", "data"))
    assert viewer.title == "front_touch"
    beside = PlotViewer(feed, LIGHT)
    beside.add(Field("/log/odd.map", "data"))
    beside.add(Field("/platform/laser", "ranges_m.min"))
    assert beside.title == "odd.map, ranges_m"
    viewer.add(Field("/a/value", "data"))
    viewer.add(Field("/b/value", "data"))
    assert [curve.shown_as for curve in viewer.curves] == ["front_touch", "a value", "b value"]


def test_figures_of_huge_numbers_are_told(feed: Feed) -> None:
    viewer = PlotViewer(feed, LIGHT)
    viewer.add(Field("/a/b", "data"))
    values = (1e300, -1e300, 5e299)
    viewer._take(viewer.curves[0], [event("/a/b", Float64(data=value), n, n) for n, value in enumerate(values, 1)])
    viewer.redraw()
    assert "σ inf" in viewer.facts.text()


def test_the_cursor_of_the_log_is_shown_and_can_be_dragged(feed: Feed, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_curves_are_kept(feed: Feed) -> None:
    viewer = PlotViewer(feed, LIGHT)
    viewer.add(Field("/a", "x"))
    other = PlotViewer(feed, DARK)
    other.restore(viewer.save())
    assert [str(curve.what) for curve in other.curves] == ["/a/x"]
    other.remove_all()
    assert not other.curves and other.empty.isVisibleTo(other)
