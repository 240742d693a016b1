from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from studio.messages import Map, PoseTransform, Range3d
from studio.runtime.host.component_import import import_module
from studio.runtime.host.profile import load_class, stale
from studio.runtime.trial import Trial

FOLDER = Path(__file__).resolve().parents[2] / "components/grid_mapper"
GridMapper = load_class(FOLDER)
rays = import_module(FOLDER, "rays")


def scan(*places: tuple[float, float], stamp_ns: int = 1) -> Range3d:
    return Range3d.from_xyz([(x, y, 0.0) for x, y in places], stamp_ns=stamp_ns, frame="laser")


def pose(x_m: float = 0.0, y_m: float = 0.0, yaw_rad: float = 0.0, stamp_ns: int = 1) -> PoseTransform:
    return PoseTransform.from_xyz_rpy(x_m, y_m, yaw_rad=yaw_rad, stamp_ns=stamp_ns, frame="map", child_frame="laser")


def mapped(*pairs: tuple[Range3d, PoseTransform], **parameters: float) -> Map:
    with Trial(GridMapper, **parameters) as trial:
        for each_scan, each_pose in pairs:
            trial.send("pose", each_pose)
            trial.send("scan", each_scan)
        trial.tick()
        (chart,) = trial.sent("map")
        assert isinstance(chart, Map)
        return chart


def occupancy(chart: Map, x_m: float, y_m: float) -> float:
    cell = chart.cell_of(x_m, y_m)
    return float("nan") if cell is None else float(chart.plane("occupancy")[cell])


def test_a_beam_frees_the_cells_on_its_way_and_fills_the_one_where_it_ends() -> None:
    chart = mapped((scan((1.0, 0.0)), pose(0.05, 0.05)), cell_m=0.1, hit=0.7, miss=0.4)
    assert chart.rows == 1
    np.testing.assert_allclose(chart.plane("occupancy")[0], [0.4] * 10 + [0.7], rtol=1e-5)
    assert (chart.frame, chart.stamp_ns, chart.resolution_m) == ("map", 1, 0.1)
    np.testing.assert_allclose(chart.origin_m, [0.0, 0.0], atol=1e-9)


def test_the_pose_turns_and_moves_the_scan() -> None:
    chart = mapped((scan((1.0, 0.0)), pose(2.05, 3.05, math.pi / 2)), cell_m=0.1)
    assert occupancy(chart, 2.05, 4.05) == pytest.approx(0.7)
    assert occupancy(chart, 2.05, 3.55) == pytest.approx(0.4)


def test_what_was_not_seen_is_unknown() -> None:
    chart = mapped((scan((1.0, 0.0), (0.0, 1.0)), pose(0.05, 0.05)), cell_m=0.1)
    assert math.isnan(occupancy(chart, 0.85, 0.85))


@pytest.mark.parametrize("turn", range(0, 360, 7))
def test_beams_in_all_directions_have_no_gaps_and_end_where_they_end(turn: int) -> None:
    end = np.array([[9.3 * math.cos(math.radians(turn)), 9.3 * math.sin(math.radians(turn))]])
    cells = rays.crossed(np.array([0.5, 0.5]), end + 0.5)
    way = np.vstack([cells, np.floor(end + 0.5).astype(int)])
    assert (way[0] == 0).all()
    assert (np.abs(np.diff(way, axis=0)).max(axis=1) == 1).all()
    # No cell is farther from the beam than half its diagonal.
    away = np.abs((way[:, 0]) * math.sin(math.radians(turn)) - (way[:, 1]) * math.cos(math.radians(turn)))
    assert away.max() <= math.sqrt(0.5) + 1e-9


def test_an_echo_at_the_border_of_a_cell_far_out_is_in_the_right_one() -> None:
    # In single precision 1000 km plus a few centimetres is a multiple of 6 cm.
    x_m = 1_000_000.07
    chart = mapped((scan((1.0, 0.0)), pose(x_m)), cell_m=0.05)
    row, column = np.argwhere(chart.plane("occupancy") > 0.5)[0]
    assert chart.position_of(int(row), int(column))[0] == pytest.approx(x_m + 1.0, abs=0.026)


def test_a_cell_counts_once_per_scan_and_an_echo_outweighs_the_beams_that_pass() -> None:
    beams = [(1.0, 0.0)] + [(2.0, 0.001 * n) for n in range(50)]
    chart = mapped((scan(*beams), pose(0.05, 0.05)), cell_m=0.1)
    assert occupancy(chart, 1.05, 0.05) == pytest.approx(0.7)
    assert occupancy(chart, 0.55, 0.05) == pytest.approx(0.4)


def test_certainty_grows_up_to_its_limit_and_what_moved_away_is_forgotten() -> None:
    wall = [(scan((1.0, 0.0), stamp_ns=n), pose(0.05, 0.05, stamp_ns=n)) for n in range(1, 30)]
    assert occupancy(mapped(*wall, cell_m=0.1, certainty=0.97), 1.05, 0.05) == pytest.approx(0.97, abs=1e-4)
    gone = [(scan((2.0, 0.0), stamp_ns=n), pose(0.05, 0.05, stamp_ns=n)) for n in range(30, 60)]
    assert occupancy(mapped(*wall, *gone, cell_m=0.1, certainty=0.97), 1.05, 0.05) == pytest.approx(0.03, abs=1e-4)


def test_a_beam_beyond_the_range_frees_its_way_up_to_there() -> None:
    chart = mapped((scan((5.0, 0.0)), pose(0.05, 0.05)), cell_m=0.1, max_range_m=2.0)
    assert occupancy(chart, 1.95, 0.05) == pytest.approx(0.4)
    assert not (chart.plane("occupancy") > 0.5).any()
    assert chart.columns == 20


def test_echoes_from_the_robot_itself_are_left_out() -> None:
    chart = mapped((scan((0.05, 0.0), (1.0, 0.0)), pose(0.05, 0.05)), cell_m=0.01, min_range_m=0.1)
    assert occupancy(chart, 0.10, 0.05) < 0.5


def test_beams_without_an_echo_are_left_out() -> None:
    points = np.array([[1, 0, 0, 1], [np.nan] * 4, [np.inf, 0, 0, np.inf], [0, -np.inf, 0, np.inf]], np.float32)
    message = Range3d(stamp_ns=1, frame="laser", points=points, is_dense=False)
    assert mapped((message, pose()), cell_m=0.1) == mapped((scan((1.0, 0.0)), pose()), cell_m=0.1)


def test_an_empty_scan_changes_nothing() -> None:
    with Trial(GridMapper) as trial:
        trial.send("pose", pose())
        trial.send("scan", scan())
        trial.tick()
        assert trial.sent("map") == []


def test_a_pose_that_is_not_finite_is_left_out() -> None:
    with Trial(GridMapper) as trial:
        trial.send("pose", pose(math.nan))
        trial.send("scan", scan((1.0, 0.0)))
        trial.tick()
        assert trial.sent("map") == []


def test_a_pose_on_the_moon_does_not_take_all_memory() -> None:
    with Trial(GridMapper) as trial:
        for stamp_ns, x_m in ((1, 0.0), (2, 4e8), (3, 0.0)):
            trial.send("pose", pose(x_m, stamp_ns=stamp_ns))
            trial.send("scan", scan((1.0, 0.0), stamp_ns=stamp_ns))
        trial.tick()
        (chart,) = trial.sent("map")
        assert chart.columns < 100
        assert chart.stamp_ns == 3


def test_scan_and_pose_belong_together_by_their_stamp_in_whatever_order_they_come() -> None:
    with Trial(GridMapper, cell_m=0.1) as trial:
        trial.send("scan", scan((1.0, 0.0), stamp_ns=1))  # has no pose
        trial.send("scan", scan((1.0, 0.0), stamp_ns=2))
        trial.send("pose", pose(10.05, 0.05, stamp_ns=2))
        trial.send("pose", pose(20.05, 0.05, stamp_ns=3))  # has no scan
        trial.send("pose", pose(30.05, 0.05, stamp_ns=4))
        trial.send("scan", scan((1.0, 0.0), stamp_ns=4))
        trial.tick()
        (chart,) = trial.sent("map")
        hits = np.argwhere(chart.plane("occupancy") > 0.5)
        assert [chart.position_of(*map(int, hit))[0] for hit in hits] == pytest.approx([11.05, 31.05])


def test_the_map_is_published_only_when_it_has_changed() -> None:
    with Trial(GridMapper) as trial:
        for number in (1, 2):
            trial.send("pose", pose(stamp_ns=number))
            trial.send("scan", scan((1.0, 0.0), stamp_ns=number))
            trial.tick()
            trial.tick()
        assert [chart.stamp_ns for chart in trial.sent("map")] == [1, 2]


def test_the_grid_grows_without_losing_what_it_has() -> None:
    drive = [(scan((1.0, 0.0), stamp_ns=n), pose(50.05 - 7.0 * n, 3.0 * n, stamp_ns=n)) for n in range(1, 15)]
    chart = mapped(*drive, cell_m=0.1)
    for _, each in drive:
        x_m, y_m = each.position[:2]
        assert occupancy(chart, float(x_m) + 1.0, float(y_m)) > 0.5


def test_a_new_cell_size_starts_a_new_map() -> None:
    with Trial(GridMapper, cell_m=0.1) as trial:
        trial.send("pose", pose())
        trial.send("scan", scan((1.0, 0.0)))
        trial.set("cell_m", 0.2)
        trial.tick()
        assert trial.sent("map") == []
        trial.send("pose", pose(stamp_ns=2))
        trial.send("scan", scan((1.0, 0.0), stamp_ns=2))
        trial.tick()
        assert trial.sent("map")[0].resolution_m == 0.2


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None
