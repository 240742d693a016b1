from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from studio.messages import PoseTransform, String
from studio.runtime.host.profile import load_class, stale
from studio.runtime.sim.worlds.made_worlds import block, ground
from studio.runtime.sim.worlds.world import World
from studio.runtime.sim.worlds.world_writing import world_sdf
from studio.runtime.trial import Trial

FOLDER = Path(__file__).resolve().parents[2] / "components/driving_judge"
DrivingJudge = load_class(FOLDER)


def driven(trial: Trial[Any], *places: tuple[float, float], every_s: float = 1.0) -> dict[str, Any]:
    """One place after the other, starting now."""
    for x_m, y_m in places:
        at_s = trial.now_ns / 1e9 + every_s
        trial.send("true_pose", PoseTransform.from_xyz_rpy(x_m, y_m, stamp_ns=round(at_s * 1e9)), at_s=at_s)
    trial.tick()
    told: dict[str, Any] = json.loads(trial.sent("outcome")[-1].data)
    return told


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None


def test_it_tells_the_way_and_when_the_goal_was_reached() -> None:
    with Trial(DrivingJudge, goal_x_m=6.0, goal_y_m=0.0, goal_tolerance_m=1.0, linger_s=1.0) as judge:
        before = driven(judge, (0.0, 0.0), (3.0, 0.0))
        assert before["goal_reached"] is False
        assert before["seconds_to_goal"] is None
        assert before["goal_distance_m"] == 3.0
        there = driven(judge, (3.0, 2.0), (6.0, 0.5))
        assert there["goal_reached"] is True
        assert there["seconds_to_goal"] == pytest.approx(3.2, abs=0.01)
        assert there["path_m"] == pytest.approx(5.0 + 3.354, abs=0.01)
        assert there["over_at_ns"] == pytest.approx(5.2e9, abs=1e6)  # one second later
        assert before["over_at_ns"] is None


def test_collisions_are_counted_and_the_planner_is_quoted() -> None:
    with Trial(DrivingJudge, goal_x_m=9.0) as judge:
        judge.send("collision", String('{"shape": "bumper", "with": "block_3", "speed_m_s": 0.4}'))
        judge.send("status", String("there is no way to the goal"))
        told = driven(judge, (0.0, 0.0))
        assert told["collisions"] == 1
        assert told["status"] == "there is no way to the goal"


def test_a_goal_inside_something_is_told_before_anything_moves(caplog: pytest.LogCaptureFixture) -> None:
    yard = World("yard", [ground(), block("shed", 9.0, 0.0, (2.0, 2.0, 2.0))])
    with Trial(DrivingJudge, goal_x_m=9.0, goal_y_m=0.5) as judge:
        judge.send("true_world", String(world_sdf(yard).decode()))
        assert driven(judge, (0.0, 0.0))["trouble"] == "the goal at (9, 0.5) is inside shed"
        assert "the goal at (9, 0.5) is inside shed: choose another one" in caplog.text
        judge.set("goal_x_m", 5.0)
        assert "trouble" not in driven(judge, (0.0, 0.0))
        judge.send("true_world", String("<sdf"))
        assert "cannot be read" in caplog.text


def test_trembling_is_no_way() -> None:
    with Trial(DrivingJudge, goal_x_m=9.0) as judge:
        told = driven(judge, *[(0.005 * (index % 2), 0.0) for index in range(100)], every_s=0.05)
        assert told["path_m"] == 0.0


def test_who_wanders_has_no_goal_and_is_never_done() -> None:
    with Trial(DrivingJudge, has_goal=False) as judge:
        told = driven(judge, (0.0, 0.0), (1.0, 0.0))
        assert (told["goal_reached"], told["goal_distance_m"], told["over_at_ns"]) == (None, None, None)
        assert told["path_m"] == 1.0


def test_before_the_first_pose_it_says_nothing() -> None:
    with Trial(DrivingJudge) as judge:
        judge.tick()
        assert judge.sent("outcome") == []
