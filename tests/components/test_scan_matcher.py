from __future__ import annotations

import logging
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from studio.messages import Odometry, PoseTransform, Range3d, encode
from studio.runtime.host.component_import import import_module
from studio.runtime.host.profile import load_class, stale
from studio.runtime.trial import Trial
from tests.components.room import Pose, Shape, measured

FOLDER = Path(__file__).resolve().parents[2] / "components/scan_matcher"
ScanMatcher = load_class(FOLDER)
HitGrid = import_module(FOLDER, "hit_grid").HitGrid
MotionGuess = import_module(FOLDER, "motion_guess").MotionGuess
Planar = import_module(FOLDER, "planar").Pose
LikelihoodField = import_module(FOLDER, "likelihood_field").LikelihoodField
CELL_M = 0.05
STEP_NS = 100_000_000


def odom(pose: Pose, stamp_ns: int = 0) -> Odometry:
    return Odometry.planar(*pose, stamp_ns=stamp_ns)


def give(trial: Trial, true: Pose, told: Pose, number: int, noise_m: float = 0.0) -> None:  # type: ignore[type-arg]
    stamp_ns = number * STEP_NS
    trial.send("odom", odom(told, stamp_ns), at_s=stamp_ns / 1e9)
    trial.send("scan", measured(true, noise_m=noise_m, seed=number, stamp_ns=stamp_ns))


def found(message: PoseTransform) -> Pose:
    return float(message.position[0]), float(message.position[1]), message.yaw_rad


def assert_near(one: Pose, other: Pose, *, within_m: float = CELL_M, within_rad: float = 0.01) -> None:
    assert math.hypot(one[0] - other[0], one[1] - other[1]) < within_m, f"{one} is not {other}"
    assert abs(math.remainder(one[2] - other[2], math.tau)) < within_rad, f"{one} is not {other}"


@pytest.mark.parametrize(
    "moved",
    [(0.0, 0.0, 0.0), (0.4, 0.0, 0.0), (0.0, -0.4, 0.0), (0.0, 0.0, 0.25), (0.0, 0.0, -0.25), (0.3, 0.3, 0.2),
     (-0.35, 0.25, -0.28)],
)  # fmt: skip
def test_a_motion_that_the_odometry_has_missed_is_found_within_a_cell(moved: Pose) -> None:
    start: Pose = (-1.0, 0.2, 0.4)
    after: Pose = (start[0] + moved[0], start[1] + moved[1], start[2] + moved[2])
    with Trial(ScanMatcher, cell_m=CELL_M, odom_deviation_m=1.0, odom_deviation_rad=1.0) as trial:
        give(trial, start, start, 1)
        give(trial, after, start, 2)  # the wheels have slipped: nothing moved
        assert_near(found(trial.sent("pose")[1]), after, within_rad=0.015)
        assert trial.sent("score")[1].data > 0.6


def drive(steps: int) -> list[Pose]:
    """A circle beside the pillar, turning all the way round."""
    return [
        (1.2 * math.cos(turn) - 0.6, 1.2 * math.sin(turn) + 0.4, math.remainder(turn + math.pi / 2, math.tau))
        for turn in np.linspace(0.0, 2 * math.pi, steps).tolist()
    ]


def drifted(path: list[Pose]) -> list[Pose]:
    """The same by wheels that turn 3 degrees too far in each step, and count 5 % too much."""
    told = [path[0]]
    for before, after in pairwise(path):
        length_m = 1.05 * math.hypot(after[0] - before[0], after[1] - before[1])
        turned = math.remainder(after[2] - before[2], math.tau) + math.radians(3.0)
        x_m, y_m, yaw_rad = told[-1]
        yaw_rad += turned
        told.append((x_m + length_m * math.cos(yaw_rad), y_m + length_m * math.sin(yaw_rad), yaw_rad))
    return told


def test_drifting_wheels_and_noise_do_not_lead_astray_on_a_way_around() -> None:
    path = drive(30)
    told = drifted(path)
    assert math.hypot(told[-1][0] - path[-1][0], told[-1][1] - path[-1][1]) > 1.0
    with Trial(ScanMatcher) as trial:
        for number, (true, wheels) in enumerate(zip(path, told, strict=True), start=1):
            give(trial, true, wheels, number, noise_m=0.01)
        for message, true in zip(trial.sent("pose"), path, strict=True):
            assert_near(found(message), true, within_m=2 * CELL_M, within_rad=0.05)


def test_the_poses_are_those_of_the_laser_in_the_map_at_the_scans_stamp() -> None:
    with Trial(ScanMatcher, frame="hall") as trial:
        give(trial, (0.0, 0.0, 0.0), (7.0, 8.0, 0.5), 3)
        (message,) = trial.sent("pose")
    assert (message.frame, message.child_frame, message.stamp_ns) == ("hall", "laser", 3 * STEP_NS)
    assert found(message) == pytest.approx((7.0, 8.0, 0.5))


def test_the_lasers_place_on_the_robot_counts() -> None:
    with Trial(ScanMatcher, mount_x_m=0.5, mount_yaw_rad=math.pi) as trial:
        give(trial, (0.0, 0.0, 0.0), (1.0, 0.0, math.pi / 2), 1)
        assert found(trial.sent("pose")[0]) == pytest.approx((1.0, 0.5, -math.pi / 2))


def test_two_matchers_agree_to_the_bit() -> None:
    path = drive(7)
    sent = []
    for _ in range(2):
        with Trial(ScanMatcher) as trial:
            for number, (true, wheels) in enumerate(zip(path, drifted(path), strict=True), start=1):
                give(trial, true, wheels, number, noise_m=0.02)
            sent.append([encode(message) for message in trial.sent("pose") + trial.sent("score")])
    assert sent[0] == sent[1]


def test_without_a_search_the_descent_alone_still_finds_a_small_motion() -> None:
    with Trial(ScanMatcher, search_m=0.0, search_rad=0.0) as trial:
        give(trial, (-1.0, 0.2, 0.4), (-1.0, 0.2, 0.4), 1)
        give(trial, (-0.95, 0.22, 0.42), (-1.0, 0.2, 0.4), 2)
        assert_near(found(trial.sent("pose")[1]), (-0.95, 0.22, 0.42))


def corridor(stamp_ns: int) -> Range3d:
    """Two bare walls, one metre to either side: how far along them the robot is cannot be seen."""
    angles = np.linspace(-math.pi / 2, math.pi / 2, 181)
    seen = np.abs(np.sin(angles)) > 0.2
    ranges_m = np.where(seen, 1.0 / np.maximum(np.abs(np.sin(angles)), 0.2), np.nan)
    return Range3d.from_polar(ranges_m, -math.pi / 2, math.pi / 180, stamp_ns=stamp_ns, frame="laser")


def test_along_a_bare_corridor_the_odometry_carries_the_robot_on() -> None:
    with Trial(ScanMatcher) as trial:
        for number in range(1, 9):
            x_m = 0.4 * (number - 1)
            trial.send("odom", odom((x_m, 0.0, 0.0), stamp_ns=number))
            trial.send("scan", corridor(number))
        x_m, y_m, yaw_rad = found(trial.sent("pose")[-1])
    assert x_m == pytest.approx(2.8, abs=0.02)
    assert abs(y_m) < CELL_M
    assert abs(yaw_rad) < 0.02


@pytest.mark.parametrize("step_m", [0.04, 0.1])
def test_short_steps_along_a_bare_corridor_are_not_held_back(step_m: float, caplog: pytest.LogCaptureFixture) -> None:
    """Where the known walls end, new wall is never a reason to stay behind."""
    with caplog.at_level(logging.INFO), Trial(ScanMatcher) as trial:
        for number in range(1, 27):
            trial.send("odom", odom((step_m * (number - 1), 0.0, 0.0), stamp_ns=number))
            trial.send("scan", corridor(number))
        assert found(trial.sent("pose")[-1])[0] == pytest.approx(25 * step_m, abs=0.02)
        assert trial.component.trouble == "", "the odometry is enough"
    if step_m == 0.1:
        assert caplog.text.count("have not shown how far the robot drove") == 1
        assert "for 2.5 of 2.5 m the scans did not show how far the robot drove" in caplog.text


@pytest.mark.parametrize("told", [0.0, 0.4])
def test_a_bare_corridor_without_useful_odometry_is_trouble(told: float, caplog: pytest.LogCaptureFixture) -> None:
    """A box ahead shows the way until it is passed; from there on nothing does. The odometry tells none of the way, or
    the part before it is cut off at each scan: what is missing is only centimetres, but always."""
    with caplog.at_level(logging.WARNING), Trial(ScanMatcher) as trial:
        for number in range(1, 31):
            scan = corridor(number)
            ahead_m = 1.6 - 0.1 * number
            if ahead_m > 0.0:
                box = np.array([[ahead_m, y_m, 0.0, math.hypot(ahead_m, y_m)] for y_m in np.linspace(-0.3, 0.3, 40)])
                scan = scan.replace(points=np.concatenate([scan.points, box.astype(np.float32)]))
            trial.send("odom", odom((told * 0.1 * number, 0.0, 0.0), stamp_ns=number))
            trial.send("scan", scan)
            if ahead_m > 0.2:
                assert trial.component.trouble == ""
        assert trial.component.trouble.startswith("unsure: the scans do not show how far the robot drives")
        assert found(trial.sent("pose")[-1])[0] == pytest.approx(2.9, abs=0.3)
    assert "the pose follows the last motion" in caplog.text
    assert "the odometry is of little use" in caplog.text


def test_odometry_seen_wrong_stays_wrong_where_nothing_shows_the_way() -> None:
    """A pose that follows a guess does not prove it right."""
    with Trial(ScanMatcher) as trial:
        x_m = 0.0
        for number in range(1, 61):
            x_m += 0.05 if number % 2 else 0.15  # too irregular to continue the last motion
            scan = corridor(number)
            if x_m < 1.6:
                box = [[1.8 - x_m, y_m, 0.0, math.hypot(1.8 - x_m, y_m)] for y_m in np.linspace(-0.3, 0.3, 40)]
                scan = scan.replace(points=np.concatenate([scan.points, np.array(box, np.float32)]))
            trial.send("odom", odom((0.6 * x_m, 0.0, 0.0), stamp_ns=number))
            trial.send("scan", scan)
        assert trial.component.trouble.endswith("and the odometry is wrong where they do")


def boxes_along_a_corridor(apart_m: float, first_m: float, size_m: float) -> Shape:
    """Equal boxes on both sides of a corridor that is 2 m wide."""
    left: Shape = [(-30.0, 1.0)]
    for x_m in np.arange(first_m, 22.0, apart_m).tolist():
        left += [(x_m, 1.0), (x_m, 1.0 - size_m), (x_m + size_m, 1.0 - size_m), (x_m + size_m, 1.0)]
    left.append((60.0, 1.0))
    return left + [(x_m, -y_m) for x_m, y_m in reversed(left)]


@pytest.mark.parametrize(
    ("apart_m", "first_m", "size_m", "step_m", "reach_m", "noise_m"),
    [(0.5, 2.0, 0.2, 0.3, 10.0, 0.005), (1.0, 2.0, 0.1, 0.3, 4.0, 0.03), (1.0, 5.0, 0.1, 0.1, 4.0, 0.03),
     (2.0, 5.0, 0.2, 0.4, 4.0, 0.005)],
)  # fmt: skip
def test_it_says_so_where_boxes_that_look_alike_hide_how_far_the_robot_drives(
    apart_m: float, first_m: float, size_m: float, step_m: float, reach_m: float, noise_m: float,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    """The odometry tells 40 % of the way. Scans fit one box on as well, or the walls are too noisy to tell."""
    shape, near_m = boxes_along_a_corridor(apart_m, first_m, size_m), 1.2 if reach_m > 4.0 else 0.0
    with caplog.at_level(logging.INFO), Trial(ScanMatcher) as trial:
        for number in range(1, round(10.0 / step_m) + 2):
            x_m = step_m * (number - 1)
            scan = measured((x_m, 0.0, 0.0), noise_m=noise_m, seed=number - 1, stamp_ns=number, shapes=(shape,))
            is_seen = (scan.points[:, 3] >= near_m) & (scan.points[:, 3] <= reach_m)
            trial.send("odom", odom((0.4 * x_m, 0.0, 0.0), stamp_ns=number))
            trial.send("scan", scan.replace(points=scan.points[is_seen]))
        is_off = abs(found(trial.sent("pose")[-1])[0] - x_m) > 1.0
    assert is_off, "else this corridor hides nothing"
    assert caplog.text.count("have not shown how far the robot drove") == 1
    assert caplog.text.count("m the scans did not show how far the robot drove") == 1


def seen_within(limit_m: float, pose: Pose, number: int) -> Range3d:
    scan = measured(pose, noise_m=0.01, seed=number, stamp_ns=number * STEP_NS)
    return scan.replace(points=scan.points[np.hypot(scan.points[:, 0], scan.points[:, 1]) < limit_m])


@pytest.mark.parametrize("has_odometry", [True, False])
def test_steps_of_centimetres_are_counted_in_full_though_the_laser_sees_little(has_odometry: bool) -> None:
    """A scanner that sees 3.5 m moves on by 4 cm from scan to scan."""
    path = drive(190)[:70]
    with Trial(ScanMatcher) as trial:
        for number, true in enumerate(path, start=1):
            told = true if has_odometry else path[0]
            trial.send("odom", odom(told, stamp_ns=number * STEP_NS))
            trial.send("scan", seen_within(3.5, true, number))
        assert_near(found(trial.sent("pose")[-1]), path[-1], within_m=2 * CELL_M, within_rad=0.03)


# Logs that are not as the defaults want them.


def test_odometry_that_never_moves_is_none_from_the_first_step_on() -> None:
    """Robots start slowly: by the time that both guesses can be judged, steps may be long."""
    still, motion = Planar(0.0, 0.0, 0.0), MotionGuess()
    for x_m in (0.0, 0.5):
        motion.guess(still)
        motion.learn(still, Planar(x_m, 0.0, 0.0), matched=x_m > 0.0)
    assert motion.guess(still) == Planar(1.0, 0.0, 0.0)
    assert motion.guess(Planar(0.1, 0.0, 0.0)) == Planar(0.6, 0.0, 0.0), "it moves after all"


@pytest.mark.parametrize("steps", [9, 13, 25])
def test_without_any_odometry_long_steps_are_found(steps: int, caplog: pytest.LogCaptureFixture) -> None:
    """Up to 0.9 m and 45 degrees from scan to scan, all of them unknown to the wheels."""
    path = drive(steps)
    with caplog.at_level(logging.WARNING), Trial(ScanMatcher) as trial:
        for number, true in enumerate(path, start=1):
            give(trial, true, path[0], number, noise_m=0.01)
        for message, true in zip(trial.sent("pose"), path, strict=True):
            assert_near(found(message), true, within_m=3 * CELL_M, within_rad=0.06)
    assert "the odometry is of little use" in caplog.text or steps < 10


def square(pose: Pose, stamp_ns: int) -> Range3d:
    """The room as a square of a town: twelve times as large, so that most of it is beyond 20 m."""
    near = measured((pose[0] / 12, pose[1] / 12, pose[2]), stamp_ns=stamp_ns)
    return near.replace(points=near.points * np.float32(12.0))


def test_outdoors_farther_echoes_are_used() -> None:
    with Trial(ScanMatcher) as trial:
        for number in range(1, 21):
            true = (-10.0 + 0.8 * number, 4.0, 0.05 * number)
            told = (-10.0 + 0.88 * number, 4.0, 0.055 * number)  # the wheels count a tenth too much
            trial.send("odom", odom(told, stamp_ns=number))
            trial.send("scan", square(true, number))
        start, last = found(trial.sent("pose")[0]), found(trial.sent("pose")[-1])
        assert math.hypot(last[0] - start[0], last[1] - start[1]) == pytest.approx(0.8 * 19, abs=0.5)
        assert last[2] - start[2] == pytest.approx(0.05 * 19, abs=0.03)
        assert min(score.data for score in trial.sent("score")) > 0.25


def nonsense(stamp_ns: int) -> Range3d:
    """Echoes inside the map that fit it nowhere."""
    ranges_m = np.random.default_rng(stamp_ns).uniform(0.3, 4.0, 181)
    return Range3d.from_polar(ranges_m, -math.pi / 2, math.pi / 180, stamp_ns=stamp_ns, frame="laser")


def test_a_matcher_that_is_lost_says_so_and_when_it_is_not_any_more(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), Trial(ScanMatcher, minimum_score=0.5) as trial:
        for number in range(1, 4):
            give(trial, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), number)
        for number in range(4, 9):
            trial.send("odom", odom((0.0, 0.0, 0.0), stamp_ns=number * STEP_NS))
            trial.send("scan", nonsense(number * STEP_NS))
        assert [record.levelname for record in caplog.records if "lost: 3 scans" in record.message] == ["WARNING"]
        assert trial.component.trouble.startswith("lost: scans do not fit the map"), "the window shows it"
        give(trial, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 9)
        assert [record.levelname for record in caplog.records if record.message == "scans fit again"] == ["NOTICE"]
        assert trial.component.trouble == ""
    assert [record.levelname for record in caplog.records if "5 did not fit" in record.message] == ["WARNING"]


def test_a_place_never_seen_is_remembered_where_the_odometry_puts_it() -> None:
    """Behind a door, say: nothing fits there, and without a first scan nothing ever would."""
    with Trial(ScanMatcher) as trial:
        give(trial, (-1.0, 0.2, 0.4), (-1.0, 0.2, 0.4), 1)
        for number, x_m in enumerate((0.0, 0.2, 0.4), start=2):
            give(trial, (x_m, 0.0, 0.0), (100.0 + x_m, 0.1 * number, 0.0), number)
        assert trial.sent("score")[1].data < 0.2
        assert trial.sent("score")[3].data > 0.6
        assert found(trial.sent("pose")[3])[0] == pytest.approx(100.4, abs=0.1)
        assert found(trial.sent("pose")[3])[1] == pytest.approx(0.2, abs=0.1)


# Odometry and scans come when they come.


def test_a_scan_waits_for_the_odometry_and_is_placed_between_its_poses() -> None:
    with Trial(ScanMatcher) as trial:
        trial.send("odom", odom((0.0, 0.0, 3.0), stamp_ns=0))
        trial.send("scan", measured((0.0, 0.0, 0.0), stamp_ns=250))
        assert trial.sent("pose") == []
        trial.send("odom", odom((1.0, 2.0, -3.0), stamp_ns=1000))
        turn = math.remainder(-6.0, math.tau)  # the short way, over pi
        assert found(trial.sent("pose")[0]) == pytest.approx((0.25, 0.5, 3.0 + turn / 4))


def test_of_scans_with_one_stamp_each_has_its_own_odometry() -> None:
    """Logs whose stamps went backwards have such: they were lifted."""
    with Trial(ScanMatcher) as trial:
        trial.send("scan", measured((0.0, 0.0, 0.0), stamp_ns=5))
        trial.send("scan", measured((0.2, 0.0, 0.6), stamp_ns=5))
        trial.send("odom", odom((0.0, 0.0, 0.0), stamp_ns=5))
        assert len(trial.sent("pose")) == 1
        trial.send("odom", odom((0.2, 0.0, 0.6), stamp_ns=5))
        assert_near(found(trial.sent("pose")[1]), (0.2, 0.0, 0.6), within_rad=0.02)
        trial.send("scan", measured((0.2, 0.0, 0.6), stamp_ns=5))  # one more, and no odometry of its own
        assert len(trial.sent("pose")) == 2
        trial.send("odom", odom((2.0, 0.0, 0.6), stamp_ns=6))
        assert_near(found(trial.sent("pose")[2]), (0.2, 0.0, 0.6), within_rad=0.02)


def test_a_scan_from_before_the_odometry_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), Trial(ScanMatcher) as trial:
        trial.send("scan", measured((0.0, 0.0, 0.0), stamp_ns=5))
        trial.send("odom", odom((0.0, 0.0, 0.0), stamp_ns=10))
        assert trial.sent("pose") == []
    assert "1 without odometry" in caplog.text


def test_odometry_that_is_not_finite_is_left_out() -> None:
    with Trial(ScanMatcher) as trial:
        trial.send("odom", odom((math.nan, 0.0, 0.0), stamp_ns=1))
        trial.send("scan", measured((0.0, 0.0, 0.0), stamp_ns=1))
        assert trial.sent("pose") == []


# Scans that tell nothing.


def nothing_seen(stamp_ns: int) -> Range3d:
    points = np.array([[np.nan] * 4, [np.inf, np.inf, 0.0, np.inf]] * 50, np.float32)
    return Range3d(points=points, is_dense=False, stamp_ns=stamp_ns, frame="laser")


@pytest.mark.parametrize("poor", [Range3d(stamp_ns=2, frame="laser"), nothing_seen(2)])
def test_with_a_scan_that_tells_nothing_the_odometry_counts(poor: Range3d) -> None:
    with Trial(ScanMatcher) as trial:
        trial.send("odom", odom((0.0, 0.0, 0.0), stamp_ns=1))
        trial.send("scan", measured((0.0, 0.0, 0.0), stamp_ns=1))
        trial.send("odom", odom((0.5, 0.1, 0.2), stamp_ns=2))
        trial.send("scan", poor)
        assert found(trial.sent("pose")[1]) == pytest.approx((0.5, 0.1, 0.2))
        assert trial.sent("score")[1].data == 0.0


def test_a_matcher_that_starts_with_an_empty_scan_starts_with_the_next() -> None:
    with Trial(ScanMatcher) as trial:
        trial.send("odom", odom((0.0, 0.0, 0.0), stamp_ns=1))
        trial.send("scan", nothing_seen(1))
        give(trial, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1)
        give(trial, (0.3, 0.0, 0.1), (0.0, 0.0, 0.0), 2)
        assert_near(found(trial.sent("pose")[2]), (0.3, 0.0, 0.1), within_rad=0.015)


def test_in_another_world_the_odometry_counts_and_nothing_is_remembered() -> None:
    elsewhere = Range3d.from_polar(np.linspace(0.3, 0.5, 181), -1.57, 0.0174, stamp_ns=2, frame="laser")
    with Trial(ScanMatcher, minimum_score=0.5) as trial:
        trial.send("odom", odom((0.0, 0.0, 0.0), stamp_ns=1))
        trial.send("scan", measured((0.0, 0.0, 0.0), stamp_ns=1))
        trial.send("odom", odom((1.0, 0.0, 0.0), stamp_ns=2))
        trial.send("scan", elsewhere)
        assert found(trial.sent("pose")[1]) == pytest.approx((1.0, 0.0, 0.0))
        assert trial.sent("score")[1].data < 0.5


def test_a_clock_jump_starts_a_new_map() -> None:
    with Trial(ScanMatcher) as trial:
        give(trial, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 5)
        trial.component.on_clock_jump()
        give(trial, (1.0, 0.0, 0.0), (9.0, 9.0, 1.0), 1)
        assert found(trial.sent("pose")[1]) == pytest.approx((9.0, 9.0, 1.0))


def test_guesses_that_are_far_off_make_it_unsure_also_where_scans_fit(caplog: pytest.LogCaptureFixture) -> None:
    """Without odometry, from one end of the room to the other and back: another building may fit as well elsewhere."""
    with caplog.at_level(logging.WARNING), Trial(ScanMatcher) as trial:
        for number in range(1, 10):
            give(trial, (0.4 * (-1) ** number, 0.0, 0.0), (0.0, 0.0, 0.0), number)
        assert trial.component.trouble.startswith("unsure: the guesses from scan to scan are wrong by more than")
        for number in range(10, 30):
            give(trial, (-0.4, 0.0, 0.0), (0.0, 0.0, 0.0), number)
        assert trial.component.trouble == ""
    assert caplog.text.count("unsure: the guesses") == 1


def test_after_a_clock_jump_it_is_not_lost_any_more() -> None:
    with Trial(ScanMatcher, minimum_score=0.5) as trial:
        give(trial, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1)
        for number in range(2, 5):
            trial.send("odom", odom((0.0, 0.0, 0.0), stamp_ns=number * STEP_NS))
            trial.send("scan", nonsense(number * STEP_NS))
        assert trial.component.trouble
        trial.component.on_clock_jump()
        assert trial.component.trouble == ""


# The parts.


def test_a_hit_grid_grows_in_all_directions_and_keeps_what_it_has() -> None:
    grid, places = HitGrid(0.1), [(0.05, 0.05), (-40.05, 3.05), (60.05, -70.05), (0.15, 90.05)]
    for place in places:
        grid.add(np.array([place]))
    for place in places:
        window, corner = grid.window(np.array(place) - 0.11, np.array(place) + 0.11)
        rows, columns = np.nonzero(window)
        centres = corner + (np.stack([columns, rows], axis=1) + 0.5) * 0.1
        assert place in [tuple(centre) for centre in centres.round(9).tolist()]


def test_a_hit_on_the_moon_does_not_take_all_memory() -> None:
    grid = HitGrid(0.05)
    grid.add(np.array([[0.0, 0.0]]))
    grid.add(np.array([[4e8, 0.0]]))
    assert grid.window(np.array([-0.1, -0.1]), np.array([0.1, 0.1]))[0].sum() == 1


def test_a_likelihood_field_falls_off_like_a_gaussian_and_its_slopes_are_those_of_its_values() -> None:
    hit = np.zeros((41, 41), np.bool_)
    hit[20, 20] = True
    field = LikelihoodField(hit, np.array([0.0, 0.0]), 0.05, 0.2)
    centre = np.array([[20.5 * 0.05, 20.5 * 0.05]])
    for shift in ([0.0, 0.0], [0.2, 0.0], [0.0, -0.3], [0.15, 0.2]):
        value, _, _ = field.at(centre + shift)
        assert value[0] == pytest.approx(math.exp(-0.5 * (np.hypot(*shift) / 0.2) ** 2), abs=1e-6)
    place, small = centre + np.array([0.123, -0.071]), 1e-4
    _, slope_x, slope_y = field.at(place)
    for slope, way in ((slope_x, [small, 0.0]), (slope_y, [0.0, small])):
        difference = field.at(place + way)[0] - field.at(place - way)[0]
        assert slope[0] == pytest.approx(difference[0] / (2 * small), rel=1e-3)


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None
