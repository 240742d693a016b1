from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from studio.messages import Map, MessageError
from studio.runtime.component import GeometryError
from studio.runtime.host.component_import import import_module
from studio.runtime.host.profile import load_class, stale
from studio.runtime.trial import Trial

FOLDER = Path(__file__).resolve().parents[2] / "components/traverse_map"
TraverseMap = load_class(FOLDER)
ground = import_module(FOLDER, "ground")

CELL_M = 0.25
Floats = NDArray[np.float64]


def terrain(height: Floats, variance: float = 1e-6, spread: float | Floats = 0.0) -> Map:
    known = np.where(np.isfinite(height), 1.0, np.nan)
    planes = np.stack([height, variance * known, spread * known])
    return Map(
        stamp_ns=7, frame="world", resolution_m=CELL_M, origin_m=(1.0, 2.0),
        plane_names=("height", "variance", "spread"), planes=planes.astype(np.float32),
    )  # fmt: skip


def judged(chart: Map, geometry: str = "raptor", **parameters: float) -> Map:
    with Trial(TraverseMap, geometry=geometry, **parameters) as trial:
        trial.send("terrain", chart)
        (told,) = trial.sent("traverse")
        assert isinstance(told, Map)
        return told


def field(rows: int = 21, columns: int = 21) -> tuple[Floats, Floats]:
    """x and y of the middle of each cell, in metres."""
    y, x = np.mgrid[0:rows, 0:columns] * CELL_M
    return x.astype(np.float64), y.astype(np.float64)


def test_a_floor_is_as_good_as_it_gets() -> None:
    chart = terrain(np.full((21, 21), 3.5))
    told = judged(chart)
    np.testing.assert_array_equal(told.plane("traversability"), 1.0)
    assert (told.stamp_ns, told.frame, told.resolution_m) == (7, "world", CELL_M)
    np.testing.assert_array_equal(told.origin_m, chart.origin_m)
    assert told.plane_names == ("traversability", "slope", "step", "roughness")


@pytest.mark.parametrize("toward_deg", [0.0, 30.0, 90.0, 200.0])
def test_a_ramp_has_its_slope_and_no_step(toward_deg: float) -> None:
    x, y = field()
    along = x * math.cos(math.radians(toward_deg)) + y * math.sin(math.radians(toward_deg))
    told = judged(terrain(along * math.tan(math.radians(10.0))), max_slope_deg=20.0)
    np.testing.assert_allclose(told.plane("slope"), 10.0, atol=0.01)
    np.testing.assert_allclose(told.plane("step"), 0.0, atol=0.001)
    np.testing.assert_allclose(told.plane("roughness"), 0.0, atol=0.001)
    expected = 1.0 - math.tan(math.radians(10.0)) / math.tan(math.radians(20.0))
    np.testing.assert_allclose(told.plane("traversability"), expected, atol=0.01)
    assert (
        judged(terrain(along * math.tan(math.radians(25.0))), max_slope_deg=20.0).plane("traversability").max() == 0.0
    )


def test_a_wall_is_not_passable_and_the_floor_before_it_is() -> None:
    x, _ = field()
    told = judged(terrain(np.where(x >= 2.5, 1.0, 0.0)))
    worth = told.plane("traversability")
    assert (worth[:, 10] == 0.0).all()  # the first cell of the wall
    assert (worth[:, 9] == 1.0).all()
    assert (worth[:, 15] == 1.0).all()  # its top is level again
    assert told.plane("step")[5, 10] == pytest.approx(1.0, abs=0.01)


def test_a_ditch_is_seen_from_its_edge() -> None:
    x, _ = field()
    worth = judged(terrain(np.where((x > 2.0) & (x < 3.0), -0.8, 0.0))).plane("traversability")
    assert (worth[:, 8] == 0.0).all()
    assert (worth[:, 12] == 0.0).all()
    assert worth[5, 4] == 1.0


def test_a_step_that_the_wheels_can_climb_is_worth_less_than_a_floor() -> None:
    x, _ = field()
    curb = terrain(np.where(x >= 2.5, 0.08, 0.0))
    assert 0.0 < judged(curb, max_step_m=0.2, max_roughness_m=0.2).plane("traversability")[5, 10] < 0.8
    assert judged(curb, max_step_m=0.05).plane("traversability")[5, 10] == 0.0


def test_what_the_wheels_can_climb_is_taken_from_the_vehicle() -> None:
    """Half a wheel of the Raptor is 16 cm, one of the Pioneer not even 6."""
    x, _ = field()
    curb = terrain(np.where(x >= 2.5, 0.10, 0.0))
    assert judged(curb, "raptor").plane("traversability")[5, 10] > 0.0
    assert judged(curb, "pioneer_3at").plane("traversability")[5, 10] == 0.0


def test_rough_ground_is_rough_and_its_uncertainty_is_not() -> None:
    rough = np.random.default_rng(2).normal(0.0, 0.03, (41, 41))
    told = judged(terrain(rough))
    assert float(np.median(told.plane("roughness"))) == pytest.approx(0.03, abs=0.006)
    assert float(np.median(told.plane("traversability"))) < 0.7
    # The same heights, but the map says that they are known to 3 cm only.
    unsure = judged(terrain(rough, variance=0.03**2))
    assert float(np.median(unsure.plane("roughness"))) < 0.015
    assert float(np.median(unsure.plane("traversability"))) > 0.75


def test_a_wall_inside_one_cell_shows_by_its_spread() -> None:
    spread = np.zeros((21, 21))
    spread[10, 10] = 0.4
    worth = judged(terrain(np.zeros((21, 21)), spread=spread)).plane("traversability")
    assert worth[10, 10] == 0.0
    assert worth[10, 11] == 1.0


def test_what_was_not_seen_is_not_known_and_neither_is_a_single_line() -> None:
    height = np.full((21, 21), np.nan)
    height[5, :] = 0.0  # one line of a scan
    height[10:, 10:] = 0.0
    worth = judged(terrain(height)).plane("traversability")
    assert np.isnan(worth[5]).all()
    assert np.isnan(worth[2, 2])
    assert worth[15, 15] == 1.0
    assert worth[10, 10] == 1.0  # a corner has enough around it


def test_an_obstacle_that_stands_alone_is_known_though_its_slope_is_not() -> None:
    height, spread = np.full((21, 21), np.nan), np.zeros((21, 21))
    height[10, 10], spread[10, 10] = 0.7, 0.3
    told = judged(terrain(height, spread=spread))
    assert told.plane("traversability")[10, 10] == 0.0
    assert np.isnan(told.plane("slope")[10, 10])


def test_nothing_known_gives_nothing_known() -> None:
    assert np.isnan(judged(terrain(np.full((9, 9), np.nan))).planes).all()
    assert judged(terrain(np.zeros((0, 0)))).planes.shape == (4, 0, 0)


def test_compiled_and_plain_give_the_same_bytes() -> None:
    random = np.random.default_rng(3)
    height = random.normal(0.0, 0.2, (17, 23)).astype(np.float32)
    height[random.random(height.shape) < 0.3] = np.nan
    variance = np.full_like(height, 1e-4)
    given = (height, variance, np.abs(height) / 10, CELL_M, 2, 0.16, 0.36)
    np.testing.assert_array_equal(ground.measure(*given), ground.compiled_measure()(*given))


def test_parameters_count_from_the_next_map_on() -> None:
    x, _ = field()
    ramp = terrain(x * 0.3)
    with Trial(TraverseMap, geometry="raptor", max_slope_deg=30.0) as trial:
        trial.send("terrain", ramp)
        trial.set("max_slope_deg", 10.0)
        trial.send("terrain", ramp)
        gentle, strict = trial.sent("traverse")
        assert gentle.plane("traversability")[5, 5] > 0.4
        assert strict.plane("traversability")[5, 5] == 0.0


def test_a_map_of_something_else_and_a_missing_geometry_are_said() -> None:
    other = Map(resolution_m=0.1, plane_names=("occupancy",), planes=np.zeros((1, 3, 3), np.float32))
    with Trial(TraverseMap, geometry="raptor") as trial, pytest.raises(MessageError, match="no plane 'height'"):
        trial.send("terrain", other)
    with Trial(TraverseMap) as trial, pytest.raises(GeometryError, match="no geometry"):
        trial.send("terrain", terrain(np.zeros((5, 5))))
    with Trial(TraverseMap, max_step_m=0.1, max_roughness_m=0.05) as trial:  # who says it all needs none
        trial.send("terrain", terrain(np.zeros((5, 5))))
        assert len(trial.sent("traverse")) == 1


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None
