from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.messages import PoseTransform, Range3d, Vote
from studio.runtime.host.component_import import import_module
from studio.runtime.host.profile import load_class, stale
from studio.runtime.trial import Trial

FOLDER = Path(__file__).resolve().parents[2] / "components/waypoint_follower"
WaypointFollower = load_class(FOLDER)
pursuit = import_module(FOLDER, "pursuit")


def pose(x_m: float = 0.0, y_m: float = 0.0, yaw_rad: float = 0.0, frame: str = "map") -> PoseTransform:
    return PoseTransform.from_xyz_rpy(x_m, y_m, yaw_rad=yaw_rad, frame=frame)


def follower(**parameters: Any) -> Trial[Any]:
    return Trial(WaypointFollower, geometry="raptor", **parameters)


def favourite(vote: Vote) -> float:
    return float(vote.curvature_per_m[int(np.argmax(vote.vote))])


def at(trial: Trial[Any], *place: float) -> Vote:
    trial.send("pose", pose(*place))
    trial.tick()
    vote = trial.sent("votes")[-1]
    assert isinstance(vote, Vote)
    return vote


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None


def test_the_arc_to_a_place_goes_through_it() -> None:
    curvature = pursuit.curvature_to(np.array([3.0, 1.0]), 0.0, 0.0, 0.0)
    assert abs(np.hypot(3.0, 1.0 - 1.0 / curvature) - 1.0 / curvature) < 1e-9
    assert pursuit.curvature_to(np.array([-3.0, 1.0]), 0.0, 0.0, 0.0) == math.inf
    assert pursuit.curvature_to(np.array([-3.0, -1.0]), 0.0, 0.0, 0.0) == -math.inf


def test_the_place_ahead_is_on_the_way_and_never_beyond_its_end() -> None:
    way = np.array([[0.0, 0.0], [10.0, 0.0], [10.0, 10.0]])
    place, left_m = pursuit.place_ahead(way, 8.0, 1.0, 4.0)
    assert place == pytest.approx([10.0, 2.0])
    assert left_m == pytest.approx(12.0)
    assert pursuit.place_ahead(way, 9.0, 12.0, 5.0)[0] == pytest.approx([10.0, 10.0])


def test_it_votes_towards_the_waypoint_and_takes_the_next_one_when_it_is_reached() -> None:
    with follower(waypoints_m=(10.0, 0.0, 10.0, 10.0)) as trial:
        assert favourite(at(trial, 0.0, 0.0)) == pytest.approx(0.0, abs=0.02)
        assert favourite(at(trial, 0.0, 2.0)) < 0.0
        assert favourite(at(trial, 9.5, 0.0)) > 0.1
        assert [status.data for status in trial.sent("status")] == ["waypoint 1 of 2", "waypoint 2 of 2"]


def test_it_stands_at_the_last_waypoint() -> None:
    with follower(waypoints_m=(5.0, 0.0), tolerance_m=0.5) as trial:
        assert at(trial, 0.0, 0.0).max_speed_m_s.max() > 1.0
        assert at(trial, 4.8, 0.0).max_speed_m_s.max() == 0.0
        assert trial.sent("status")[-1].data == "reached the last of 1 waypoints"


def test_new_waypoints_start_from_the_first() -> None:
    with follower(waypoints_m=(0.0, 0.0)) as trial:
        assert at(trial, 0.0, 0.0).max_speed_m_s.max() == 0.0
        trial.set("waypoints_m", (0.0, 10.0))
        assert favourite(at(trial, 0.0, 0.0)) > 0.15


def test_a_path_is_followed_instead() -> None:
    places = np.array([(x, 3.0, 0.0) for x in np.linspace(0.0, 20.0, 41)])
    with follower(waypoints_m=(0.0, -10.0)) as trial:
        trial.send("path", Range3d.from_xyz(places, frame="map"))
        assert favourite(at(trial, 0.0, 0.0)) > 0.05
        trial.send("path", Range3d.from_xyz(places, frame="odom"))
        trial.tick()
        assert "not followed" in trial.sent("status")[-1].data


def test_without_a_way_and_without_a_pose_it_says_nothing() -> None:
    with follower(waypoints_m=()) as trial:
        trial.tick()
        trial.send("pose", pose())
        trial.tick()
        assert trial.sent("votes") == []
