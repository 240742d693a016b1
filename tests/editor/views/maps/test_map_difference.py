"""Maps compared cell by cell, also when their windows lie apart."""

from __future__ import annotations

import numpy as np
import pytest

from studio.editor.views.maps.map_difference import difference_of, on_cells_of
from studio.messages import Map


def map_of(values: np.ndarray, origin: tuple[float, float] = (0.0, 0.0), size: float = 0.5) -> Map:
    return Map(
        resolution_m=size, origin_m=np.array(origin), plane_names=("height",), planes=values[None].astype(np.float32)
    )


def test_equal_maps_have_no_difference() -> None:
    values = np.random.default_rng(1).normal(size=(7, 9))
    found = difference_of(map_of(values), map_of(values), "height", "height", 0.01)
    assert (found.rms, found.mean, found.within, found.both, found.only_a, found.only_b) == (0.0, 0.0, 1.0, 63, 0, 0)


def test_figures_are_those_of_the_cells_that_both_know() -> None:
    a, b = np.zeros((2, 3)), np.array([[0.1, -0.3, np.nan], [np.nan, 0.0, 0.02]])
    a[1, 2] = np.nan
    found = difference_of(map_of(a), map_of(b), "height", "height", 0.15)
    assert found.both == 3 and found.only_a == 2 and found.only_b == 1
    assert found.rms == pytest.approx(np.sqrt((0.1**2 + 0.3**2) / 3))
    assert found.mean == pytest.approx(-0.2 / 3)
    assert found.within == pytest.approx(2 / 3)


def test_a_window_that_has_moved_is_laid_over() -> None:
    world = np.arange(400.0).reshape(20, 20)
    a, b = map_of(world[0:10, 0:10]), map_of(world[4:16, 6:18], (3.0, 2.0))
    found = difference_of(a, b, "height", "height", 0.1)
    assert found.both == 6 * 4 and found.rms == 0.0
    assert found.only_a == 100 - 24 and found.only_b == 144 - 24


@pytest.mark.parametrize("origin", [(0.1, 0.3), (-1e4 + 0.1, 5e3)])
def test_grids_that_are_equal_but_for_rounding_meet_cell_by_cell(origin: tuple[float, float]) -> None:
    values = np.random.default_rng(2).normal(size=(30, 40))
    near = (origin[0] + 1e-10, origin[1] - 1e-10)
    taken = on_cells_of(map_of(values, origin, 0.1), map_of(values, near, 0.1), "height")
    assert np.array_equal(taken, values.astype(np.float32))


def test_a_coarser_map_is_asked_at_the_centres_of_the_finer_one() -> None:
    coarse = map_of(np.array([[1.0, 2.0], [3.0, 4.0]]), size=1.0)
    fine = map_of(np.zeros((4, 4)))
    assert on_cells_of(fine, coarse, "height").tolist() == [[1, 1, 2, 2]] * 2 + [[3, 3, 4, 4]] * 2


def test_maps_apart_have_nothing_in_common() -> None:
    found = difference_of(map_of(np.zeros((2, 2))), map_of(np.zeros((2, 2)), (50.0, 0.0)), "height", "height", 1.0)
    assert found.both == 0 and np.isnan(found.rms) and found.only_a == found.only_b == 4
