from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.messages import Range3d, Twist
from studio.runtime.host.component_import import import_module
from studio.runtime.host.profile import load_class, stale
from studio.runtime.trial import Trial

FOLDER = Path(__file__).resolve().parents[2] / "components/laser_obstacle_avoid"
LaserObstacleAvoid = load_class(FOLDER)
open_space = import_module(FOLDER, "open_space")


def wall(x_m: float, from_y_m: float, to_y_m: float) -> list[tuple[float, float]]:
    return [(x_m, y) for y in np.arange(from_y_m, to_y_m, 0.02)]


def told(points: list[tuple[float, float]], **parameters: Any) -> Twist:
    """Points as the vehicle sees them from its origin, at the height of its laser."""
    with Trial(LaserObstacleAvoid, geometry="pioneer_2dx", **parameters) as trial:
        xyz = np.array([(x, y, 0.3) for x, y in points]).reshape(-1, 3)
        trial.send("scan", Range3d.from_xyz(xyz, frame="Pioneer2DX"))
        trial.tick()
        (motion,) = trial.sent("motion")
        assert isinstance(motion, Twist)
        return motion


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None


def test_strips_are_free_up_to_the_first_point_in_them() -> None:
    points = np.array([(2.0, 0.1), (1.0, 0.5), (-1.0, 0.0)])
    free = open_space.free_lengths(points, np.array([0.0, math.pi / 2, math.pi]), 0.3, 9.0)
    assert free == pytest.approx([2.0, 9.0, 1.0])


def test_in_the_open_it_drives_straight_on_at_full_speed() -> None:
    motion = told([], max_speed_m_s=0.5)
    assert motion.speed_m_s == pytest.approx(0.5)
    assert motion.yaw_rate_rad_s == pytest.approx(0.0, abs=1e-9)


def test_a_wall_ahead_slows_it_down_and_a_near_one_makes_it_turn_on_the_spot() -> None:
    far, near = told(wall(1.2, -3.0, 3.0)), told(wall(0.45, -3.0, 3.0))
    assert 0.0 < far.speed_m_s < 0.5
    assert near.speed_m_s == 0.0
    assert abs(near.yaw_rate_rad_s) == pytest.approx(1.0)


def test_it_turns_to_the_side_with_more_room() -> None:
    left_closed = [*wall(0.8, -0.3, 1.5), *[(x, 1.0) for x in np.arange(-1.0, 1.0, 0.02)]]
    assert told(left_closed).yaw_rate_rad_s < 0.0
    assert told([(x, -y) for x, y in left_closed]).yaw_rate_rad_s > 0.0


def test_where_the_laser_sits_comes_from_the_geometry() -> None:
    """A point right before the laser is a hand's breadth nearer than one right before the axle."""
    with Trial(LaserObstacleAvoid, geometry="pioneer_2dx") as trial:
        laser = next(iter(trial.component.geometry.sensors("laser").values())).frame
        ahead_m = float(trial.component.geometry.transform(laser, "Pioneer2DX")[0, 3])
        seen = np.array([(x - ahead_m, y, 0.0) for x, y in wall(0.45, -3.0, 3.0)])
        trial.send("scan", Range3d.from_xyz(seen, frame=laser))
        trial.tick()
        assert trial.sent("motion")[-1].speed_m_s == 0.0


def test_without_a_scan_and_with_an_old_one_it_stands() -> None:
    with Trial(LaserObstacleAvoid, geometry="pioneer_2dx", max_age_s=0.3) as trial:
        trial.tick()
        trial.send("scan", Range3d(stamp_ns=1_000_000_000, frame="Pioneer2DX"), at_s=1.0)
        trial.tick()
        trial.tick(1.0)
        assert [motion.speed_m_s > 0 for motion in trial.sent("motion")] == [False, True, False]


def test_once_it_turns_it_keeps_the_side() -> None:
    corner = [*wall(0.5, -2.0, 2.0), *[(x, 0.6) for x in np.arange(-1.0, 0.5, 0.02)],
              *[(x, -0.62) for x in np.arange(-1.0, 0.5, 0.02)]]  # fmt: skip
    with Trial(LaserObstacleAvoid, geometry="pioneer_2dx") as trial:
        for mirrored in (1.0, -1.0, 1.0, -1.0):
            xyz = np.array([(x, y * mirrored, 0.3) for x, y in corner])
            trial.send("scan", Range3d.from_xyz(xyz, frame="Pioneer2DX"))
            trial.tick()
        assert len({np.sign(motion.yaw_rate_rad_s) for motion in trial.sent("motion")}) == 1
