from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.messages import Map, PoseTransform, Range3d, Vote
from studio.runtime.host.component_import import import_module
from studio.runtime.host.profile import load_class, stale
from studio.runtime.trial import Trial
from tests.components.kinematic import CELL_M, Drive, Yard, drive

FOLDER = Path(__file__).resolve().parents[2] / "components/path_planner"
PathPlanner = load_class(FOLDER)
search = import_module(FOLDER, "search")
planning = import_module(FOLDER, "planning")
WorldGrid = import_module(FOLDER, "world_grid").WorldGrid

FENCE = [(-30.0, -30.0, 30.0, -29.0), (-30.0, 29.0, 30.0, 30.0), (-30.0, -30.0, -29.0, 30.0), (29.0, -30.0, 30.0, 30.0)]
NEEDS = planning.Needs(half_width_m=1.0, reach_m=8.0, clearance_m=2.5, blocked_below=0.15, tolerance_m=1.0)


def seen(*boxes: tuple[float, float, float, float]) -> Map:
    return Yard(list(boxes), view_m=100.0).look(0.0, 0.0, 0)


def grid_of(chart: Map) -> Any:
    grid = WorldGrid(chart.resolution_m)
    assert grid.take(chart)
    return grid


def asked(chart: Map, goal: tuple[float, float], pose: PoseTransform | None = None, **parameters: Any) -> Trial[Any]:
    trial = Trial(PathPlanner, geometry="raptor", goal_x_m=goal[0], goal_y_m=goal[1], **parameters)
    with trial:
        trial.send("traverse", chart)
        trial.send("pose", pose or PoseTransform(frame="map"))
        trial.tick(1.0)
    return trial


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None


# The search.


def test_distances_are_those_to_the_nearest_blocked_cell() -> None:
    blocked = np.zeros((9, 9), np.bool_)
    blocked[4, 4] = True
    far = search.compiled_distances()(blocked, 100.0)
    assert far[4, 4] == 0.0
    assert far[4, 7] == 3.0
    assert far[1, 1] == pytest.approx(3 * math.sqrt(2.0))
    assert far[2, 3] == pytest.approx(1.0 + math.sqrt(2.0))


def test_costs_to_go_are_those_of_dijkstra() -> None:
    """Against a plain search, over random ground with walls."""
    random = np.random.default_rng(5)
    cost = random.uniform(1.0, 4.0, (30, 40)).astype(np.float32)
    cost[random.random(cost.shape) < 0.25] = np.inf
    cost[0, 0] = cost[29, 39] = 1.0
    goals = np.array([[29, 39]], np.int64)
    go = search.compiled_costs_to_go()(cost, goals, 0, 0, 1e6)
    expected = bellman_ford(cost, (29, 39))
    reached = expected < np.inf
    np.testing.assert_allclose(go[reached], expected[reached], rtol=1e-4)
    assert (go[~reached] >= search.FAR).all()


def bellman_ford(cost: Any, goal: tuple[int, int]) -> Any:
    rows, columns = cost.shape
    go = np.full((rows, columns), np.inf)
    go[goal] = 0.0
    changed = True
    while changed:
        changed = False
        for row in range(rows):
            for column in range(columns):
                for down, right in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)):
                    i, j = row + down, column + right
                    if not (0 <= i < rows and 0 <= j < columns and np.isfinite(cost[row, column] + cost[i, j])):
                        continue
                    if down and right and not np.isfinite(cost[row, j] + cost[i, column]):
                        continue
                    there = go[i, j] + 0.5 * math.hypot(down, right) * float(cost[row, column] + cost[i, j])
                    if there < go[row, column] - 1e-9:
                        go[row, column], changed = there, True
    return go


def test_a_plan_goes_around_what_is_in_the_way_and_keeps_clear_of_it() -> None:
    plan = planning.planned(grid_of(seen((2.0, -6.0, 4.0, 6.0))), (-5.0, 0.0), (10.0, 0.0), NEEDS)
    assert plan.trouble == ""
    assert plan.way[0] == pytest.approx([-5.0, 0.0], abs=CELL_M)
    assert plan.way[-1] == pytest.approx([10.0, 0.0], abs=1.0)
    outside = np.maximum(np.maximum(2.0 - plan.way[:, 0], plan.way[:, 0] - 4.0), np.abs(plan.way[:, 1]) - 6.0)
    assert outside.min() >= NEEDS.half_width_m - CELL_M
    assert 15.0 < plan.way_m < 25.0


def test_a_gap_that_is_too_narrow_is_no_way() -> None:
    wide = planning.planned(
        grid_of(seen((0.0, 2.0, 1.0, 28.0), (0.0, -28.0, 1.0, -2.0))), (-8.0, 0.0), (8.0, 0.0), NEEDS
    )
    narrow = planning.planned(
        grid_of(seen((0.0, 0.8, 1.0, 28.0), (0.0, -28.0, 1.0, -0.8))), (-8.0, 0.0), (8.0, 0.0), NEEDS
    )
    assert wide.way_m < 18.0
    assert narrow.way_m > 50.0


def test_what_a_map_showed_stays_known_when_its_window_moves_on() -> None:
    grid = grid_of(seen((2.0, -6.0, 4.0, 6.0)))
    moved = Map(frame="map", resolution_m=CELL_M, origin_m=(40.0, 40.0), plane_names=("traversability",),
                planes=np.full((1, 8, 8), 1.0, np.float32))  # fmt: skip
    assert grid.take(moved)
    assert grid.traversability[grid.cell_of(3.0, 0.0)] == 0.0
    assert grid.traversability[grid.cell_of(41.0, 41.0)] == 1.0
    assert math.isnan(grid.traversability[grid.cell_of(38.0, 0.0)])


def test_a_map_far_away_is_refused_instead_of_taking_all_memory() -> None:
    grid = grid_of(seen())
    assert not grid.include(1e7, 0.0)


# The component.


def test_votes_lead_around_the_block_and_the_path_is_told() -> None:
    trial = asked(seen((6.0, -6.0, 8.0, 2.0)), (20.0, 0.0))
    (vote,) = trial.sent("votes")
    (path,) = trial.sent("path")
    assert isinstance(vote, Vote) and isinstance(path, Range3d)
    assert vote.curvature_per_m[int(np.argmax(vote.vote))] > 0.02  # past it on the left
    assert not vote.veto.any()
    assert path.frame == "map"
    assert path.ranges_m[0] == pytest.approx(21.0, abs=2.5)
    assert (np.diff(path.ranges_m) < 0.0).all()
    assert path.ranges_m[-1] == 0.0
    assert [status.data for status in trial.sent("status")] == ["on the way"]


def test_a_goal_behind_is_reached_by_turning() -> None:
    vote = asked(seen(), (-15.0, 3.0)).sent("votes")[0]
    assert abs(vote.curvature_per_m[int(np.argmax(vote.vote))]) > 0.15


def test_it_slows_down_before_the_goal_and_stands_there() -> None:
    far, near = asked(seen(), (20.0, 0.0)).sent("votes")[0], asked(seen(), (1.9, 0.0)).sent("votes")[0]
    there = asked(seen(), (0.5, 0.5))
    assert far.max_speed_m_s.max() == 2.0
    assert 0.0 < near.max_speed_m_s.max() < 1.5
    assert there.sent("votes")[0].max_speed_m_s.max() == 0.0
    assert there.sent("status")[0].data == "arrived"


def test_a_reached_goal_is_a_notice_which_the_window_says(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        asked(seen(), (0.5, 0.5))
    assert [(each.levelname, each.message) for each in caplog.records if each.name == "PathPlanner"] == [
        ("NOTICE", "reached the goal at 0.5, 0.5 m")
    ]


@pytest.mark.parametrize(
    ("boxes", "goal", "why"),
    [
        ([(8.0, -4.0, 14.0, 4.0)], (11.0, 0.0), "the goal is in an obstacle, or too near to one"),
        ([(-1.0, -1.0, 1.0, 1.0)], (11.0, 0.0), "the vehicle is inside an obstacle"),
        ([(5.0, -5.0, 15.0, -4.0), (5.0, 4.0, 15.0, 5.0), (5.0, -5.0, 6.0, 5.0), (14.0, -5.0, 15.0, 5.0)],
         (10.0, 0.0), "there is no way to the goal"),
    ],
)  # fmt: skip
def test_where_there_is_no_way_it_says_why_and_stays(
    boxes: list[Any], goal: tuple[float, float], why: str, caplog: pytest.LogCaptureFixture
) -> None:
    trial = asked(seen(*boxes), goal)
    assert trial.sent("status")[-1].data == why
    assert trial.sent("votes")[-1].max_speed_m_s.max() == 0.0
    assert "the vehicle stays" in caplog.text


def test_a_new_goal_is_planned_at_once() -> None:
    with Trial(PathPlanner, geometry="raptor", goal_x_m=0.0, goal_y_m=0.0) as trial:
        trial.send("traverse", seen())
        trial.send("pose", PoseTransform(frame="map"))
        trial.tick()
        trial.set("goal_x_m", 12.0)
        trial.tick()
        assert [status.data for status in trial.sent("status")] == ["arrived", "on the way"]


def test_after_a_jump_of_time_the_map_and_the_pose_of_before_count_no_more() -> None:
    """It stood at the goal, and is put back: the pose that is still here would have it arrive a second time."""
    trial = asked(seen(), (0.5, 0.0))
    assert trial.sent("status")[-1].data == "arrived"
    votes = len(trial.sent("votes"))
    trial.component.on_clock_jump()
    trial.tick(1.0)
    trial.send("traverse", seen().replace(stamp_ns=trial.now_ns))
    trial.tick(1.0)
    assert len(trial.sent("status")) == 1 and len(trial.sent("votes")) == votes
    trial.send("pose", PoseTransform.from_xyz_rpy(-9.0, frame="map", stamp_ns=trial.now_ns))
    trial.tick(1.0)
    assert trial.sent("status")[-1].data == "on the way"


def test_the_frame_of_the_pose_has_to_be_that_of_the_map() -> None:
    trial = asked(seen(), (11.0, 0.0), PoseTransform(frame="odom"))
    assert trial.sent("votes")[-1].max_speed_m_s.max() == 0.0
    assert "odom" in trial.sent("status")[-1].data


# Planner, follower, avoidance and arbiter together, without physics.


def around_a_wall(seconds: float = 60.0) -> Drive:
    wall = [(0.0, -10.0, 1.0, 4.0)]
    return drive(Yard([*FENCE, *wall]), (-8.0, -2.0, 0.3), (8.0, -1.0), seconds=seconds)


def test_together_they_drive_around_a_wall_that_is_seen_only_on_the_way() -> None:
    told = around_a_wall()
    assert told.arrived_s is not None
    assert told.hits == 0
    assert told.path_m < 35.0
    assert told.statuses == ["on the way", "arrived"]


def test_the_same_drive_again_is_the_same_to_the_bit() -> None:
    assert around_a_wall(2.0).places == around_a_wall(2.0).places


@pytest.mark.soak
def test_a_dead_end_that_is_seen_too_late_is_left_again() -> None:
    """A pocket whose end is out of sight: the way out is backwards."""
    pocket = [(2.0, 3.0, 14.0, 4.0), (2.0, -4.0, 14.0, -3.0), (13.0, -4.0, 14.0, 4.0)]
    told = drive(Yard([*FENCE, *pocket], view_m=6.0), (-8.0, 0.0, 0.0), (20.0, 0.0), seconds=150.0)
    assert told.hits == 0
    assert told.arrived_s is not None
