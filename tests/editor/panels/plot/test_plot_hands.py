"""What hands do on a plot: a click on a point asks how it came about, one beside it sets the log to that time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from studio.editor.live.batch import Event
from studio.editor.live.feed import Changes, Feed
from studio.editor.look.theme import LIGHT
from studio.editor.panels.plot.plot_viewer import PlotViewer
from studio.editor.views.shared.field_drag import Field
from studio.editor.window.main_window import MainWindow
from studio.messages import Float64

TOPIC = "/filter/smooth"
BAD = (float("nan"), float("inf"), float("-inf"))


@pytest.fixture
def feed(qapp: QApplication) -> Iterator[Feed]:
    made = Feed()
    made.state = {"topics": {TOPIC: {"type": "Float64", "count": 11}}, "components": {}, "processes": {}}
    yield made
    made.close()


@pytest.fixture
def viewer(feed: Feed) -> PlotViewer:
    """A ramp from 0 to 10 in ten seconds; its events have the numbers 100 to 110."""
    made = PlotViewer(feed, LIGHT)
    made.resize(700, 400)
    made.show()
    made.add(Field(TOPIC, "data"))
    made._take(made.curves[0], [Event(TOPIC, 100 + i, i * 10**9, Float64(data=float(i))) for i in range(11)])
    made.follow.setChecked(False)
    made.plot.setXRange(-1, 11, padding=0)
    made.plot.setYRange(-1, 11, padding=0)
    made.redraw()
    made.grab()
    return made


def place(viewer: PlotViewer, time_s: float, value: float) -> QPoint:
    box = viewer.plot.getPlotItem().vb
    return viewer.plot.mapFromScene(box.mapViewToScene(QPointF(time_s, value)))


def click(viewer: PlotViewer, time_s: float, value: float) -> None:
    at = place(viewer, time_s, value)
    QTest.mouseMove(viewer.plot.viewport(), at)
    QTest.mouseClick(viewer.plot.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_a_click_on_a_point_asks_for_the_causes_of_its_event(viewer: PlotViewer) -> None:
    asked: list[tuple[str, int]] = []
    viewer.cause_wanted.connect(lambda topic, number: asked.append((topic, number)))
    click(viewer, 4.03, 4.0)
    assert asked == [(TOPIC, 104)]
    click(viewer, 4.5, 8.0)
    assert len(asked) == 1, "nothing is near"


def test_the_point_below_the_pointer_is_named(viewer: PlotViewer) -> None:
    at = viewer.plot.mapToScene(place(viewer, 7.0, 7.0))
    found = viewer.pointer.point_at(at)
    assert found is not None
    assert found.words.startswith("smooth 7 · event 107")
    viewer.against.setChecked(True)
    assert viewer.pointer.point_at(at) is None, "over another field time is not to be seen"


def test_the_mark_of_a_point_goes_with_the_pointer(viewer: PlotViewer) -> None:
    """It stayed on its point for as long as nobody came back."""
    viewer.plot.scene().sigMouseMoved.emit(viewer.plot.mapToScene(place(viewer, 7.0, 7.0)))
    assert viewer.pointer.mark.is_shown
    QApplication.sendEvent(viewer.plot, QEvent(QEvent.Type.Leave))
    assert not viewer.pointer.mark.is_shown


def test_a_click_beside_the_curves_sets_the_log_to_that_time(
    viewer: PlotViewer, feed: Feed, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, Any]] = []
    monkeypatch.setattr(feed, "ask", lambda do, *_, **fields: asked.append({"do": do, **fields}))
    click(viewer, 3.0, 8.0)
    assert not asked, "no log plays"
    feed.state["player"] = {"time_ns": 5 * 10**9}
    viewer.changed(Changes(system=True))
    assert viewer.log_cursor.isVisible() and viewer.log_cursor.value() == 5.0
    click(viewer, 3.0, 8.0)
    assert [(each["do"], each["action"]) for each in asked] == [("player", "seek")]
    assert asked[0]["time_ns"] == pytest.approx(3e9, abs=0.05e9)


def test_points_that_are_no_numbers_are_never_the_nearest(viewer: PlotViewer) -> None:
    bad = [Event(TOPIC, 200 + i, (11 + i) * 10**9, Float64(data=value)) for i, value in enumerate(BAD)]
    viewer._take(viewer.curves[0], bad)
    viewer.redraw()
    viewer.plot.setXRange(-1, 15, padding=0)
    for second in (11.0, 12.0, 13.0):
        assert viewer.pointer.point_at(viewer.plot.mapToScene(place(viewer, second, 5.0))) is None
    found = viewer.pointer.point_at(viewer.plot.mapToScene(place(viewer, 10.0, 10.0)))
    assert found is not None and found.number == 110


def test_a_plot_over_another_field_comes_back_without_a_time_axis(viewer: PlotViewer, feed: Feed) -> None:
    viewer.add(Field(TOPIC, "stamp_ns"))
    viewer.against.click()
    again = PlotViewer(feed, LIGHT)
    again.restore(viewer.save())
    assert again.against.isChecked() and not again.plot.getAxis("bottom").is_time and not again.follow.isEnabled()


def test_one_curve_of_several_is_removed_and_all_of_them_have_figures(viewer: PlotViewer) -> None:
    for path in ("stamp_ns", "frame"):
        viewer.add(Field(TOPIC, path))
        viewer._take(viewer.curves[-1], [Event(TOPIC, i, i * 10**9, Float64(data=float(i))) for i in range(11)])
    viewer.curves[2].series.add([1.0, 2.0], [3.0, 4.0])
    viewer.redraw()
    viewer._figures_are_old = True
    viewer._tell()
    assert all(f"{path}:" in viewer.facts.text() for path in ("smooth", "stamp_ns", "frame"))
    menu = viewer.less.menu()
    assert menu is not None
    menu.aboutToShow.emit()
    entries = {entry.text(): entry for entry in menu.actions() if entry.text()}
    assert len(entries) == 4
    entries[str(Field(TOPIC, "stamp_ns"))].trigger()
    assert [curve.what.path for curve in viewer.curves] == ["data", "frame"]


def test_plots_share_their_time_also_when_the_first_one_was_closed(window: MainWindow) -> None:
    for _ in range(3):
        window.viewers.add("plot")
    second, third = (window.viewers.open[name] for name in ("plot.2", "plot.3"))
    assert isinstance(second, PlotViewer) and isinstance(third, PlotViewer)
    window.viewers.close("plot.1")
    second.plot.setXRange(3.0, 4.0, padding=0)
    assert third.plot.getPlotItem().vb.viewRange()[0] == pytest.approx([3.0, 4.0])
    third.against.click()
    third.plot.setXRange(-1.0, 1.0, padding=0)
    assert second.plot.getPlotItem().vb.viewRange()[0] == pytest.approx([3.0, 4.0]), "no time runs along its axis"
