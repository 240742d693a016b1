"""Plots with one time axis: they follow together, are let go together, and do not move each other for ever."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from studio.editor.panels.plot.plot_viewer import PlotViewer
from studio.editor.views.plots.plot_curve import Curve
from studio.editor.views.plots.series import Series
from studio.editor.views.shared.field_drag import Field
from studio.editor.window.main_window import MainWindow
from studio.errors import StudioError


@pytest.fixture
def plots(window: MainWindow) -> tuple[PlotViewer, PlotViewer]:
    made = [window.viewers.add("plot") for _ in range(2)]
    for number, plot in enumerate(made):
        assert isinstance(plot, PlotViewer)
        plot.add(Field("/a", f"x{number}"))
        fill(plot, 20.0 + number)
    return made[0], made[1]  # type: ignore[return-value]


def fill(plot: PlotViewer, until_s: float) -> None:
    times = np.arange(0.0, until_s, 0.1).tolist()
    plot.curves[0].series.clear()
    plot.curves[0].series.add(times, times)


def shown(plot: PlotViewer) -> tuple[float, float]:
    first, last = plot.plot.getPlotItem().vb.viewRange()[0]
    return round(first, 1), round(last, 1)


def test_all_follow_the_newest_of_all_and_come_to_rest(plots: tuple[PlotViewer, PlotViewer], qtbot: QtBot) -> None:
    for plot in plots:
        plot.redraw()
    qtbot.wait(300)
    assert shown(plots[0]) == shown(plots[1]) == (0.0, 20.9), "not the time before"
    drawn = []
    for plot in plots:
        plot._timer.timeout.connect(lambda: drawn.append(1))
    qtbot.wait(400)
    assert not drawn, "nothing has come, so nothing is drawn"


def test_what_is_shown_grows_until_it_moves(plots: tuple[PlotViewer, PlotViewer]) -> None:
    """At the beginning of a run most of a plot was the time before it."""
    for until_s, expected in ((1.0, (-4.1, 0.9)), (12.0, (0.0, 11.9)), (50.0, (19.9, 49.9))):
        for plot in plots:
            fill(plot, until_s)
            plot.redraw()
        assert shown(plots[0]) == expected


def test_one_that_is_let_go_lets_all_go(plots: tuple[PlotViewer, PlotViewer]) -> None:
    first, second = plots
    first.redraw()
    first.plot.setXRange(5.0, 15.0, padding=0)
    first.plot.getPlotItem().vb.sigRangeChangedManually.emit([True, False])
    fill(second, 50.0)
    second.redraw()
    assert shown(first) == shown(second) == (5.0, 15.0)
    assert not first.follow.isChecked() and not second.follow.isChecked()


def test_following_goes_on_with_what_is_shown(plots: tuple[PlotViewer, PlotViewer]) -> None:
    first, second = plots
    first.plot.setXRange(5.0, 10.0, padding=0)
    first._let_go()
    second.follow.click()
    for plot in plots:
        plot.redraw()
    assert shown(first) == shown(second) == (15.9, 20.9)
    kept = first.save()
    assert (kept["follow"], round(kept["span_s"], 3)) == (True, 5.0)


def test_the_others_keep_their_time_when_the_first_is_closed(
    plots: tuple[PlotViewer, PlotViewer], window: MainWindow
) -> None:
    second = plots[1]
    plots[0]._let_go()
    window.viewers.close("plot.1")
    assert second.time.plots == [second]
    second.follow.click()
    second.redraw()
    assert shown(second)[1] == 20.9


def test_one_field_over_another(plots: tuple[PlotViewer, PlotViewer], tmp_path: Path) -> None:
    plot = plots[0]
    plot.add(Field("/a", "up"))
    plot.add(Field("/a", "third"))
    many = np.linspace(0.0, 20.0, 250_000)
    for curve, values in zip(plot.curves, (many, many * 2, many * 1e6), strict=True):
        curve.series.clear()
        curve.series.add(many.tolist(), values.tolist())
    plot.against.click()
    across, up = plot.curves[1].item.getData()
    assert len(across) < 100_001 and np.allclose(up, across * 2)
    assert plot.curves[2].item.getData()[0] is None or not len(plot.curves[2].item.getData()[0])
    assert "one of 3 points of 250" in plot.facts.text()
    plot.plot.setXRange(0.0, 1.0, padding=0)
    plot.export_to(tmp_path / "xy.csv")
    rows = (tmp_path / "xy.csv").read_text().splitlines()
    assert rows[0] == "/a/x0,/a/up" and len(rows) == 1 + int((many <= 1.0).sum())


def test_a_table_that_cannot_be_written_is_told(plots: tuple[PlotViewer, PlotViewer], tmp_path: Path) -> None:
    plots[0].export_to(tmp_path / "nowhere" / "plot.csv")
    assert "cannot be written" in plots[0].facts.text()


def test_settings_that_make_no_sense_are_passed_over(plots: tuple[PlotViewer, PlotViewer]) -> None:
    plots[0].restore({"fields": None, "span_s": "long", "follow": None})
    assert len(plots[0].curves) == 1


def test_a_log_that_is_rewound_within_a_batch_leaves_times_in_order() -> None:
    series = Series()
    series.add([1.0, 2.0, 3.0, 4.0, 5.0, 2.0, 2.5, 6.0], [float(i) for i in range(8)], list(range(8)))
    assert series.times.tolist() == [1.0, 2.0, 2.5, 6.0] and series.numbers.tolist() == [0, 5, 6, 7]


def test_figures_are_of_what_is_visible() -> None:
    series = Series()
    series.add([0.0, 1.0, 2.0, 3.0], [100.0, 1.0, 2.0, -100.0])
    assert series.values[series.within(0.5, 2.5)].tolist() == [1.0, 2.0]


def test_a_log_beside_moves_no_plot_that_follows(plots: tuple[PlotViewer, PlotViewer]) -> None:
    first, second = plots
    second.remove_all()
    second.beside._have_read(Curve(Field("/a", "x")), StudioError("cannot be read"))
    assert first.follow.isChecked() and second.follow.isChecked()
