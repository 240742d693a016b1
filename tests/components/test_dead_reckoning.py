from __future__ import annotations

import math
from pathlib import Path

import pytest

from studio.messages import Odometry
from studio.runtime.host.profile import load_class, stale
from studio.runtime.trial import Trial

FOLDER = Path(__file__).resolve().parents[2] / "components/dead_reckoning"
DeadReckoning = load_class(FOLDER)


def odom(x_m: float, y_m: float, yaw_rad: float, stamp_ns: int = 0) -> Odometry:
    return Odometry.planar(x_m, y_m, yaw_rad, stamp_ns=stamp_ns)


def told(message: Odometry) -> tuple[float, float, float]:
    return float(message.position[0]), float(message.position[1]), message.yaw_rad


def test_without_restarts_the_path_is_the_odometry() -> None:
    poses = [(1.0, 2.0, 0.3), (1.5, 2.1, 0.9), (1.4, 2.6, -3.0), (0.0, 0.0, 3.1)]
    with Trial(DeadReckoning) as trial:
        for pose in poses:
            trial.send("odom", odom(*pose))
        for message, pose in zip(trial.sent("chained"), poses, strict=True):
            assert told(message) == pytest.approx(pose)


def test_a_jump_to_a_restart_is_left_out_and_the_steps_after_it_go_on_from_where_the_path_was() -> None:
    with Trial(DeadReckoning) as trial:
        trial.send("odom", odom(0.0, 0.0, 0.0))
        trial.send("odom", odom(2.0, 0.0, 0.0))
        trial.send("restarts", odom(5.0, 5.0, math.pi / 2, stamp_ns=7))
        trial.send("odom", odom(5.0, 5.0, math.pi / 2, stamp_ns=8))
        trial.send("odom", odom(5.0, 6.0, math.pi / 2 + 0.1))  # one metre ahead, as seen from the corrected pose
        assert [told(message) for message in trial.sent("chained")][-1] == pytest.approx((3.0, 0.0, 0.1))


def test_at_a_restart_the_path_is_told_with_the_stamp_of_the_restart() -> None:
    with Trial(DeadReckoning) as trial:
        trial.send("odom", odom(0.0, 0.0, 0.0))
        trial.send("odom", odom(2.0, 1.0, 0.5))
        trial.send("restarts", odom(9.0, 9.0, 0.0, stamp_ns=7))
        trial.send("odom", odom(9.0, 9.0, 0.0, stamp_ns=12))
        (message,) = trial.sent("at_restart")
        assert told(message) == pytest.approx((2.0, 1.0, 0.5))
        assert message.stamp_ns == 7


def test_a_pose_near_a_restart_is_none() -> None:
    with Trial(DeadReckoning) as trial:
        trial.send("odom", odom(0.0, 0.0, 0.0))
        trial.send("restarts", odom(1.0, 0.0, 0.0))
        trial.send("odom", odom(1.0 + 1e-9, 0.0, 0.0))
        assert trial.sent("at_restart") == []
        assert told(trial.sent("chained")[-1]) == pytest.approx((1.0, 0.0, 0.0))


def test_a_restart_that_was_never_repeated_is_over_with_the_next_one() -> None:
    with Trial(DeadReckoning) as trial:
        trial.send("odom", odom(9.0, 0.0, 0.0))
        trial.send("restarts", odom(0.0, 0.0, 0.0))
        trial.send("odom", odom(0.0, 0.0, 0.0))
        trial.send("restarts", odom(3.0, 3.0, 0.0, stamp_ns=1))
        trial.send("restarts", odom(4.0, 4.0, 0.0, stamp_ns=2))
        trial.send("odom", odom(4.0, 4.0, 0.0, stamp_ns=3))
        trial.send("odom", odom(3.0, 3.0, 0.0, stamp_ns=4))  # a step of the wheels now, and no restart
        assert [message.stamp_ns for message in trial.sent("at_restart")] == [0, 2]
        assert told(trial.sent("chained")[-1]) == pytest.approx((8.0, -1.0, 0.0))


def test_in_a_log_as_recorded_restarts_are_poses_of_the_odometry() -> None:
    with Trial(DeadReckoning) as trial:
        trial.send("odom", odom(0.0, 0.0, 0.0, stamp_ns=1))
        trial.send("restarts", odom(0.0, 0.0, 0.0, stamp_ns=1))
        trial.send("odom", odom(0.0, 0.0, 0.0, stamp_ns=1))  # it stands, so this is no jump
        trial.send("restarts", odom(1.0, 0.0, 0.1, stamp_ns=2))
        trial.send("odom", odom(2.0, 0.0, 0.2, stamp_ns=3))
        trial.send("restarts", odom(3.0, 0.0, 0.3, stamp_ns=4))
        trial.send("restarts", odom(4.0, 0.0, 0.4, stamp_ns=5))  # without odometry in between
        assert [message.stamp_ns for message in trial.sent("at_restart")] == [1, 2, 4]
        assert [told(message) for message in trial.sent("at_restart")] == [
            pytest.approx((0.0, 0.0, 0.0)),
            pytest.approx((1.0, 0.0, 0.1)),
            pytest.approx((3.0, 0.0, 0.3)),
        ]
        assert told(trial.sent("chained")[-1]) == pytest.approx((2.0, 0.0, 0.2))


def test_a_clock_jump_starts_a_new_path() -> None:
    with Trial(DeadReckoning) as trial:
        trial.send("odom", odom(0.0, 0.0, 0.0))
        trial.send("restarts", odom(8.0, 8.0, 0.0))
        trial.component.on_clock_jump()
        trial.send("odom", odom(8.0, 8.0, 0.0))
        assert told(trial.sent("chained")[-1]) == pytest.approx((8.0, 8.0, 0.0))
        assert trial.sent("at_restart") == []


def test_a_long_way_of_small_steps_is_not_stretched() -> None:
    with Trial(DeadReckoning) as trial:
        for number in range(5_001):
            angle_rad = number * 2 * math.pi / 1000
            trial.send(
                "odom", odom(math.sin(angle_rad), 1.0 - math.cos(angle_rad), math.remainder(angle_rad, math.tau))
            )
        assert told(trial.sent("chained")[-1]) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None
