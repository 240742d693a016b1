from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from studio.messages import Map, PoseTransform, Range3d
from studio.model.geometry.assembly import Model
from studio.model.geometry.library import load_model
from studio.runtime.component import GeometryError
from studio.runtime.host.component_import import import_module
from studio.runtime.host.profile import load_class, stale
from studio.runtime.trial import Trial
from tests.components.blocks import Blocks, errors_m, rms, tilted

FOLDER = Path(__file__).resolve().parents[2] / "components/terrain_map"
TerrainMap = load_class(FOLDER)
height_grid = import_module(FOLDER, "height_grid")
fusion = import_module(FOLDER, "fusion")
track = import_module(FOLDER, "pose_track")

LASERS = ("RightLaser:ScanOrigin", "LeftLaser:ScanOrigin")
BLOCKS = Blocks(((8.0, 2.0, 0.0, 11.0, 6.0, 1.2), (7.0, -5.0, 0.0, 9.0, -2.0, 0.4)))
STEP_NS = 26_600_000
IDEAL = {"height_noise_m": 0.002, "certainty_m": 0.0002}
"""Nothing but the ranges is uncertain."""


def points(*places: tuple[float, float, float], stamp_ns: int = 1) -> Range3d:
    return Range3d.from_xyz(places, stamp_ns=stamp_ns, frame="laser")


def pose(
    x_m: float = 0.0, y_m: float = 0.0, z_m: float = 0.0, yaw_rad: float = 0.0, stamp_ns: int = 1
) -> PoseTransform:
    return PoseTransform.from_xyz_rpy(
        x_m, y_m, z_m, yaw_rad=yaw_rad, stamp_ns=stamp_ns, frame="world", child_frame="laser"
    )  # fmt: skip


def mapped(*pairs: tuple[Range3d, PoseTransform], **parameters: float | str) -> Map:
    with Trial(TerrainMap, **parameters) as trial:
        for scan, where in pairs:
            trial.send("pose", where)
            trial.send("ranges", scan)
        trial.tick()
        (chart,) = trial.sent("terrain")
        assert isinstance(chart, Map)
        return chart


def at(chart: Map, x_m: float, y_m: float, plane: str = "height") -> float:
    cell = chart.cell_of(x_m, y_m)
    return math.nan if cell is None else float(chart.plane(plane)[cell])


def drive(trial: Trial, world: Blocks, steps: int = 150, noise: bool = False, attitude_rad: float = 0.0) -> Map:
    """The Raptor drives 8 m through the world, both lasers on. Errors of its attitude are told as they are made."""
    noises_m = {laser.frame: laser.noise_m for laser in trial.component.geometry.sensors("laser").values()}
    random = np.random.default_rng(5)
    covariance = np.diag([attitude_rad**2, attitude_rad**2, 0.0])
    for step in range(steps):
        x_m = 8.0 * step / steps
        slope = math.degrees(math.atan(world.slope[0]))
        true = tilted(x_m, 0.0, float(world.ground(np.array(x_m), np.array(0.0))), -slope)
        roll, pitch = np.degrees(random.normal(0.0, attitude_rad, 2)) if attitude_rad else (0.0, 0.0)
        told = tilted(x_m, 0.0, true[2, 3], pitch - slope, roll_deg=roll)
        stamp_ns = step * STEP_NS
        where = PoseTransform(stamp_ns=stamp_ns, frame="world", child_frame="Raptor", matrix=told)
        trial.send("pose", where.replace(attitude_covariance=covariance))
        for frame in LASERS:
            mount = trial.component.geometry.transform(frame, "Raptor")
            scan = world.scan(
                true @ mount, noise_m=noise * noises_m[frame], random=random, stamp_ns=stamp_ns, frame=frame
            )
            trial.send("ranges", scan)
    trial.tick()
    chart = trial.sent("terrain")[-1]
    assert isinstance(chart, Map)
    return chart


# One point, one cell.


def test_points_become_heights_in_the_cell_below_them() -> None:
    chart = mapped((points((1.0, 0.0, -0.5), (1.0, 2.0, 0.25)), pose(0.1, 0.1, 1.0)), cell_m=0.25, window_m=10.0)
    assert (at(chart, 1.1, 0.1), at(chart, 1.1, 2.1)) == pytest.approx((0.5, 1.25))
    assert np.isfinite(chart.plane("height")).sum() == 2
    assert (chart.frame, chart.stamp_ns, chart.rows, chart.columns) == ("world", 1, 40, 40)
    assert chart.plane_names == ("height", "variance", "spread")


def test_the_pose_turns_the_points() -> None:
    chart = mapped((points((2.0, 0.0, 0.0)), pose(1.0, 1.0, 0.0, math.pi / 2)), window_m=10.0)
    assert at(chart, 1.1, 3.1) == pytest.approx(0.0, abs=1e-6) or at(chart, 0.9, 3.1) == pytest.approx(0.0, abs=1e-6)


def test_an_exact_point_counts_more_than_an_uncertain_one() -> None:
    """Two points in one cell: one seen steeply from near, one from far away at an attitude that is not well known."""
    sure = (points((0.0, 0.0, -1.0)), pose(5.1, 0.1, 1.0))
    far = points((5.0, 0.0, -1.0), stamp_ns=2)
    vague = pose(0.1, 0.1, 1.4, stamp_ns=2).replace(attitude_covariance=np.diag([0.0, 0.01, 0.0]))
    chart = mapped(sure, (far, vague), window_m=40.0)
    assert at(chart, 5.1, 0.1) == pytest.approx(0.0, abs=0.01)
    plain = mapped(sure, (far, vague), window_m=40.0, fusion="mean")
    assert at(plain, 5.1, 0.1) == pytest.approx(0.2, abs=1e-6)


def test_the_variance_is_that_of_range_beam_and_attitude() -> None:
    """A beam 3 m forward and 4 m down: of its error along the beam 0.8 is height, of that across it 0.6."""
    where = pose(0.1, 0.1).replace(attitude_covariance=np.diag([0.5, 0.0004, 0.7]))
    noise = {"range_noise_m": 0.05, "beam_noise_deg": 1.0, "height_noise_m": 0.02}
    chart = mapped((points((3.0, 0.0, -4.0)), where), **noise)
    expected = (0.8 * 0.05) ** 2 + (0.6 * 5.0 * math.radians(1.0)) ** 2 + 0.0004 * 3.0**2 + 0.02**2
    assert at(chart, 3.1, 0.1, "variance") == pytest.approx(expected, rel=1e-5)


def test_certainty_grows_with_every_look_up_to_its_limit() -> None:
    looks = [(points((0.0, 0.0, -1.0), stamp_ns=n), pose(stamp_ns=n)) for n in range(1, 101)]
    sigma = [
        math.sqrt(at(mapped(*looks[:n], certainty_m=0.002, height_noise_m=0.01), 0.1, 0.1, "variance"))
        for n in (1, 4, 100)
    ]
    assert sigma == pytest.approx([0.01, 0.005, 0.002], rel=1e-3)


def test_what_has_moved_away_is_forgotten() -> None:
    crate = [(points((0.0, 0.0, -0.2), stamp_ns=n), pose(0.1, 0.1, 1.0, stamp_ns=n)) for n in range(1, 200)]
    floor = [(points((0.0, 0.0, -1.0), stamp_ns=n), pose(0.1, 0.1, 1.0, stamp_ns=n)) for n in range(200, 400)]
    assert at(mapped(*crate, *floor, certainty_m=0.002, height_noise_m=0.01), 0.1, 0.1) == pytest.approx(0.0, abs=0.01)


def test_the_spread_tells_a_wall_from_noise() -> None:
    random = np.random.default_rng(0)
    wall = points(*[(2.0, 0.0, z) for z in np.linspace(-0.9, 0.9, 50)])
    assert at(mapped((wall, pose(0.1, 0.1, 1.0))), 2.1, 0.1, "spread") == pytest.approx(0.53, abs=0.03)
    floor = points(*[(2.0, 0.0, -1.0 + error) for error in random.normal(0.0, 0.03, 50)])
    chart = mapped((floor, pose(0.1, 0.1, 1.0)), height_noise_m=0.03)
    assert at(chart, 2.1, 0.1, "spread") < 0.015
    assert at(mapped((floor, pose(0.1, 0.1, 1.0)), fusion="mean"), 2.1, 0.1, "spread") == pytest.approx(0.03, abs=0.01)


def test_compiled_and_plain_give_the_same_bytes() -> None:
    random = np.random.default_rng(1)
    cloud = np.column_stack([random.uniform(-6.0, 6.0, (200, 3)), random.uniform(0.5, 9.0, 200)])
    cloud[::17] = np.nan
    noise = height_grid.Noise(0.03, 0.002, 0.01, 0.001).numbers(np.diag([1e-4, 2e-4, 0.0]))
    sensor, body = tilted(0.3, 0.2, 1.0, 12.0, 30.0)[:3], np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.5])
    one, other = np.zeros((40, 40, 5)), np.zeros((40, 40, 5))
    assert fusion.fuse(one, -20, -20, 0.25, cloud, sensor, body, noise) == fusion.compiled_fuse()(
        other, -20, -20, 0.25, cloud, sensor, body, noise
    )
    np.testing.assert_array_equal(one, other)
    assert 0 < (one[..., 0] > 0).sum() < 200


# What is left out.


def test_points_that_are_not_finite_are_left_out() -> None:
    odd = np.array(
        [[1, 0, -1, 1.4], [np.nan] * 4, [np.inf, 0, 0, np.inf], [0, 1, np.nan, 1], [1, 1, -1, np.nan], [0, 0, 0, 0]],
        np.float32,
    )
    message = Range3d(stamp_ns=1, frame="laser", points=odd, is_dense=False)
    only = Range3d(stamp_ns=1, frame="laser", points=odd[:1])
    assert mapped((message, pose(z_m=1.0))) == mapped((only, pose(z_m=1.0)))


def test_an_empty_scan_changes_nothing_and_is_not_published() -> None:
    with Trial(TerrainMap) as trial:
        trial.send("pose", pose())
        trial.send("ranges", points())
        trial.tick()
        assert trial.sent("terrain") == []


def test_what_is_overhead_is_left_out_also_when_the_vehicle_is_tilted() -> None:
    bridge = points((4.0, 0.0, 3.0), (6.0, 0.0, 0.0))
    assert np.isfinite(mapped((bridge, pose()), ceiling_m=2.5).plane("height")).sum() == 1
    # Nose up by 30 degrees: ground that rises with the vehicle is as high as the bridge was, and is no bridge.
    nose_up = PoseTransform(stamp_ns=1, frame="world", child_frame="laser", matrix=tilted(0, 0, 0, -30.0))
    assert at(mapped((points((6.0, 0.0, 0.0)), nose_up), ceiling_m=2.5), 5.2, 0.0) == pytest.approx(3.0)


def test_points_beyond_the_range_are_left_out() -> None:
    chart = mapped((points((5.0, 0.0, 0.0), (9.0, 0.0, 0.0)), pose()), max_range_m=8.0)
    assert np.isfinite(chart.plane("height")).sum() == 1


# Poses.


def test_a_scan_waits_for_the_pose_after_it_and_is_laid_between_the_two() -> None:
    with Trial(TerrainMap, window_m=20.0) as trial:
        trial.send("pose", pose(0.0, 0.0, 1.0, 0.0, stamp_ns=0))
        trial.send("ranges", points((1.05, 0.0, -1.0), stamp_ns=50_000_000))
        trial.tick()
        assert trial.sent("terrain") == []
        trial.send("pose", pose(1.0, 0.0, 1.0, math.pi / 2, stamp_ns=100_000_000))
        trial.tick()
        (chart,) = trial.sent("terrain")
        # Half way, and half turned.
        assert at(chart, 0.5 + 1.05 * math.sqrt(0.5), 1.05 * math.sqrt(0.5)) == pytest.approx(0.0, abs=1e-6)


def test_a_turn_between_two_poses_is_even() -> None:
    before = PoseTransform.from_xyz_rpy(1.0, 2.0, 3.0, 0.1, 0.2, 3.0, stamp_ns=0)
    after = PoseTransform.from_xyz_rpy(2.0, 2.0, 3.0, 0.1, 0.2, -3.0, stamp_ns=100)  # over the back
    middle = track.between(before, after, 25).matrix
    assert middle[:3, 3] == pytest.approx([1.25, 2.0, 3.0])
    np.testing.assert_allclose(middle[:3, :3] @ middle[:3, :3].T, np.eye(3), atol=1e-12)
    forth = np.arccos((np.trace(before.rotation.T @ middle[:3, :3]) - 1) / 2)
    whole = np.arccos((np.trace(before.rotation.T @ after.rotation) - 1) / 2)
    assert forth == pytest.approx(whole / 4)


@pytest.mark.parametrize("stamps", [(100, 200), (0, 10_000_000_000)], ids=["older than all", "in a long gap"])
def test_a_scan_without_a_pose_is_left_out(stamps: tuple[int, int]) -> None:
    with Trial(TerrainMap) as trial:
        trial.send("ranges", points((1.0, 0.0, 0.0), stamp_ns=50))
        for stamp_ns in stamps:
            trial.send("pose", pose(stamp_ns=stamp_ns))
        trial.tick()
        assert trial.sent("terrain") == []


def test_without_any_pose_scans_do_not_pile_up() -> None:
    with Trial(TerrainMap) as trial:
        for number in range(2000):
            trial.send("ranges", points((1.0, 0.0, 0.0), stamp_ns=number))
        assert len(trial.component._scans) == 256
        trial.tick()
        assert trial.sent("terrain") == []


@pytest.mark.parametrize("x_m", [math.nan, math.inf, 1e300])
def test_a_pose_that_is_nonsense_is_left_out(x_m: float) -> None:
    with Trial(TerrainMap) as trial:
        trial.send("pose", pose(x_m))
        trial.send("ranges", points((1.0, 0.0, 0.0)))
        trial.tick()
        assert trial.sent("terrain") == []


@pytest.mark.parametrize("odd", [math.nan, math.inf, 1e300])
def test_a_covariance_that_is_nonsense_spoils_no_cell(odd: float) -> None:
    good = (points((1.0, 0.0, 0.0), stamp_ns=2), pose(stamp_ns=2))
    bad = pose(stamp_ns=1).replace(attitude_covariance=np.diag([odd, odd, odd]))
    assert mapped((points((1.0, 0.0, 0.0)), bad), good) == mapped(good)
    # Negative, as rounding makes it: then it is none.
    negative = pose(stamp_ns=2).replace(attitude_covariance=np.diag([-9.0, -9.0, 0.0]))
    assert mapped((good[0], negative)) == mapped(good)


def test_far_from_the_origin_points_are_in_the_right_cell() -> None:
    x_m = 6_000_000.06  # in single precision multiples of half a metre
    chart = mapped((points((1.0, 0.0, 0.0)), pose(x_m)), cell_m=0.05, window_m=10.0)
    row, column = np.argwhere(np.isfinite(chart.plane("height")))[0]
    assert chart.position_of(int(row), int(column))[0] == pytest.approx(x_m + 1.0, abs=0.026)


# The window.


def test_the_window_follows_by_whole_cells_and_keeps_what_it_has() -> None:
    with Trial(TerrainMap, cell_m=0.25, window_m=10.0) as trial:
        for number in range(40):
            trial.send("pose", pose(0.3 * number, -0.2 * number, 0.01 * number, stamp_ns=number))
            trial.send("ranges", points((2.0, 0.0, 0.0), stamp_ns=number))
        trial.tick()
        (chart,) = trial.sent("terrain")
        assert (chart.rows, chart.columns) == (40, 40)
        np.testing.assert_array_equal(chart.origin_m % 0.25, [0.0, 0.0])
        middle = chart.origin_m + 5.0
        assert np.abs(middle - [11.7, -7.8]).max() <= 1.25
        for number in range(32, 40):  # seen while the window moved on
            assert at(chart, 0.3 * number + 2.0, -0.2 * number) == pytest.approx(0.01 * number, abs=0.02)
        assert math.isnan(at(chart, 2.0, 0.0))  # left behind


def test_a_jump_far_away_and_back_starts_with_nothing() -> None:
    grid = height_grid.HeightGrid(8, 1.0)
    grid.follow(0.0, 0.0)
    grid.cells[:] = 1.0
    grid.follow(3e8, -3e8)
    assert not grid.cells.any()
    assert grid.first == (300_000_000 - 4, -300_000_000 - 4)


@pytest.mark.parametrize("move", [(3, 0), (0, -3), (-2, 5), (7, 7), (8, 0), (-9, 3)])
def test_no_cell_is_moved_to_a_wrong_place(move: tuple[int, int]) -> None:
    grid = height_grid.HeightGrid(8, 1.0)
    grid.follow(0.0, 0.0)
    names = np.arange(1.0, 65.0).reshape(8, 8)
    grid.cells[:] = names[..., None]
    grid.follow(*move)
    for row in range(8):
        for column in range(8):
            old_row, old_column = row + move[1], column + move[0]
            known = 0 <= old_row < 8 and 0 <= old_column < 8
            assert grid.cells[row, column, 0] == (names[old_row, old_column] if known else 0.0)


# Parameters, time and checkpoints.


@pytest.mark.parametrize(("name", "value"), [("cell_m", 0.5), ("window_m", 30.0), ("fusion", "mean")])
def test_some_parameters_start_a_new_map(name: str, value: float | str) -> None:
    with Trial(TerrainMap) as trial:
        trial.send("pose", pose())
        trial.send("ranges", points((1.0, 0.0, 0.0)))
        trial.set(name, value)
        trial.tick()
        assert trial.sent("terrain") == []
        trial.send("ranges", points((3.0, 0.0, 0.0)))
        trial.tick()
        assert np.isfinite(trial.sent("terrain")[0].plane("height")).sum() == 1


def test_other_parameters_keep_it() -> None:
    with Trial(TerrainMap) as trial:
        trial.send("pose", pose())
        trial.send("ranges", points((1.0, 0.0, 0.0)))
        trial.set("range_noise_m", 0.3)
        trial.tick()
        assert len(trial.sent("terrain")) == 1


def test_a_clock_jump_starts_a_new_map() -> None:
    with Trial(TerrainMap) as trial:
        trial.send("pose", pose())
        trial.send("ranges", points((1.0, 0.0, 0.0)))
        trial.component.on_clock_jump()
        trial.tick()
        assert trial.sent("terrain") == []


def test_it_goes_on_from_a_checkpoint_with_the_same_bytes() -> None:
    def scans(first: int, last: int, trial: Trial) -> None:
        for number in range(first, last):
            trial.send("pose", pose(0.1 * number, 0.0, 1.0, 0.1 * number, stamp_ns=10 * number))
            trial.send("ranges", points((2.0, 0.1 * number, -1.0), stamp_ns=10 * number + 5))

    with Trial(TerrainMap) as trial:
        scans(0, 20, trial)
        saved = trial.component.save_state()
        scans(20, 60, trial)
        trial.tick()
        trial.component.load_state(saved)
        scans(20, 60, trial)
        trial.tick()
        first, second = trial.sent("terrain")
        assert first == second


# With the geometry of the Raptor.


def test_several_lasers_on_one_port_are_told_apart_by_their_frames() -> None:
    with Trial(TerrainMap, geometry="raptor") as trial:
        chart = drive(trial, Blocks(), steps=1)
        seen = np.argwhere(np.isfinite(chart.plane("height")))
        x_m = np.array([chart.position_of(int(row), int(column))[0] for row, column in seen])
        # On level ground they look at two lines: 20 degrees down, 3 m ahead of the laser, and 12 degrees, 5 m ahead.
        for line in (5.5, 7.8):
            assert ((x_m > line - 0.5) & (x_m < line + 0.5)).sum() > 20


def test_without_noise_the_map_is_true_to_a_centimetre() -> None:
    with Trial(TerrainMap, geometry="raptor") as trial:
        chart = drive(trial, BLOCKS)
    off = errors_m(chart, BLOCKS)
    assert len(off) > 3000
    assert rms(off) < 0.01
    low, high = BLOCKS.heights(chart)
    face = (high > low) & np.isfinite(chart.plane("height"))
    assert float(np.median(chart.plane("spread")[face])) > 0.05


def test_on_a_slope_too() -> None:
    hill = Blocks(slope=(0.15, -0.05))
    with Trial(TerrainMap, geometry="raptor") as trial:
        off = errors_m(drive(trial, hill), hill)
    assert rms(off) < 0.02


def raptor_with_a_bad_laser(noise_m: float) -> Model:
    """The right one, which looks farther ahead, measures badly, and its data say so."""
    model = load_model("raptor")
    good = model.bodies["RightLaser"]
    bad = replace(good, sensors=[replace(sensor, noise_m=noise_m) for sensor in good.sensors])
    return replace(model, bodies={**model.bodies, "RightLaser": bad})


def test_with_noise_the_weighted_map_is_better_than_the_plain_mean() -> None:
    off = {}
    for kind in ("variance", "mean"):
        with Trial(TerrainMap, geometry=raptor_with_a_bad_laser(0.3), fusion=kind, **IDEAL) as trial:
            chart = drive(trial, BLOCKS, noise=True)
            off[kind] = errors_m(chart, BLOCKS, blur_m=1.0, x_m=(8.5, 13.0))
    assert rms(off["variance"]) < rms(off["mean"])
    # Behind blocks only one laser has seen the ground and there is nothing to weigh; most cells both have seen.
    assert np.median(off["variance"]) < 0.5 * np.median(off["mean"])


def test_the_variance_tells_how_wrong_the_map_is() -> None:
    """On level ground, with an attitude that wavers: the errors are as large as the map says that they are."""
    with Trial(TerrainMap, geometry="raptor", standing_noise_m=0.0) as trial:
        chart = drive(trial, Blocks(), noise=True, attitude_rad=math.radians(0.5))
    said = math.sqrt(float(np.nanmean(chart.plane("variance"))))
    assert said == pytest.approx(rms(errors_m(chart, Blocks())), rel=0.5)


def test_the_ground_below_the_vehicle_is_known_without_being_seen() -> None:
    with Trial(TerrainMap, geometry="raptor") as trial:
        chart = drive(trial, Blocks(slope=(0.1, 0.0)), steps=1)
        for x_m, y_m in ((0.0, 0.0), (2.2, 0.6), (-0.3, -0.6)):
            assert at(chart, x_m, y_m) == pytest.approx(0.1 * x_m, abs=0.03)
    with Trial(TerrainMap, geometry="raptor", standing_noise_m=0.0) as trial:
        assert math.isnan(at(drive(trial, Blocks(), steps=1), 0.0, 0.0))


def test_the_noise_of_a_range_is_what_the_geometry_tells_of_the_sensor() -> None:
    with Trial(TerrainMap, geometry="raptor") as trial:
        assert (
            trial.component._range_noise(LASERS[0]) == trial.component.geometry.sensor("RightLaser.scan").noise_m > 0.0
        )
        trial.set("range_noise_m", 0.04)
        assert trial.component._range_noise(LASERS[0]) == 0.04


def test_a_scan_in_a_frame_that_nobody_knows_is_an_error_with_its_name() -> None:
    with Trial(TerrainMap, geometry="raptor") as trial:
        trial.send("pose", PoseTransform(stamp_ns=1, frame="world", child_frame="Raptor"))
        with pytest.raises(GeometryError, match="laser"):
            trial.send("ranges", points((1.0, 0.0, 0.0)))


def test_the_same_component_maps_for_the_pioneer() -> None:
    wall = Blocks(((2.0, -3.0, 0.0, 2.5, 3.0, 1.0),))
    with Trial(TerrainMap, geometry="pioneer_3at", cell_m=0.1, window_m=10.0) as trial:
        mount = trial.component.geometry.transform("Laser:ScanOrigin", "Pioneer3AT")
        trial.send("pose", PoseTransform(stamp_ns=1, frame="world", child_frame="Pioneer3AT"))
        trial.send("ranges", wall.scan(mount, stamp_ns=1, frame="Laser:ScanOrigin"))
        trial.tick()
        (chart,) = trial.sent("terrain")
        assert at(chart, 2.05, 0.05) == pytest.approx(mount[2, 3], abs=1e-5)
        assert at(chart, 0.0, 0.0) == pytest.approx(0.0, abs=1e-6)


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None
