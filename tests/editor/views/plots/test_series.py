"""Growing curves: nothing that can be seen is left out of what is drawn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.editor.views.plots import series as series_module
from studio.editor.views.plots.series import Series, Statistics


def filled(values: list[float]) -> Series:
    made = Series()
    made.add([i / 100 for i in range(len(values))], values)
    return made


@given(st.lists(st.floats(-1e6, 1e6) | st.just(float("nan")), min_size=50, max_size=400), st.integers(2, 11))
def test_what_is_drawn_has_the_extremes_of_every_column(values: list[float], pixels: int) -> None:
    series = filled(values)
    last = (len(values) - 1) / 100
    times, drawn = series.drawn(0.0, last, pixels)
    assert (np.diff(times) >= 0).all()
    column_of = np.floor(series.times * (pixels / last)).astype(int)
    drawn_column = np.floor(times * (pixels / last)).astype(int)
    for column in range(pixels):
        there = np.asarray(values)[column_of == column]
        finite = there[~np.isnan(there)]
        if finite.size:
            shown = drawn[drawn_column == column]
            assert np.nanmin(shown) == finite.min()
            assert np.nanmax(shown) == finite.max()


def test_a_gap_of_nan_stays_a_gap() -> None:
    series = filled([1.0] * 500 + [float("nan")] * 500 + [2.0] * 500)
    _, drawn = series.drawn(0.0, 15.0, 30)
    assert np.isnan(drawn).any()


def test_few_points_are_drawn_as_they_are() -> None:
    series = filled([1.0, 2.0, 3.0])
    times, values = series.drawn(-1.0, 1.0, 100)
    assert values.tolist() == [1.0, 2.0, 3.0] and len(times) == 3


def test_time_that_jumps_back_replaces_what_came_after() -> None:
    series = filled([1.0] * 10)
    series.add([0.05], [9.0])
    assert len(series) == 6 and series.values[-1] == 9.0
    series.add([0.01, 0.02], [7.0, 7.0])
    assert series.times.tolist() == [0.0, 0.01, 0.02]


def test_the_older_half_goes_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series_module, "MOST", 100)
    series = Series()
    for number in range(500):
        series.add([float(number)], [float(number)])
    assert 50 <= len(series) <= 100
    assert series.values[-1] == 499.0
    assert (np.diff(series.times) == 1).all()


def test_statistics_leave_out_what_is_not_finite() -> None:
    told = Statistics.of(np.array([1.0, np.nan, 3.0, np.inf]))
    assert (told.count, told.least, told.most, told.mean, told.deviation) == (2, 1.0, 3.0, 2.0, 1.0)
    assert Statistics.of(np.array([np.nan])).count == 0
