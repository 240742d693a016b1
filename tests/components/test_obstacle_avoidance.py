from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.messages import Map, PoseTransform, Vote
from studio.runtime.host.component_import import import_module
from studio.runtime.host.profile import load_class, stale
from studio.runtime.trial import Trial

FOLDER = Path(__file__).resolve().parents[2] / "components/obstacle_avoidance"
ObstacleAvoidance = load_class(FOLDER)
free_way = import_module(FOLDER, "free_way")
CELL_M = 0.25
HALF_M = 15.0


def chart(
    *boxes: tuple[float, float, float, float], unknown: bool = False, stamp_ns: int = 0, frame: str = "map"
) -> Map:
    """Ground that can be driven, but for boxes from x, y to x, y; or ground that nobody has seen."""
    count = round(2 * HALF_M / CELL_M)
    axis = -HALF_M + (np.arange(count) + 0.5) * CELL_M
    x, y = np.meshgrid(axis, axis)
    plane = np.full((count, count), np.nan if unknown else 1.0, np.float32)
    for x0, y0, x1, y1 in boxes:
        plane[(x > x0) & (x < x1) & (y > y0) & (y < y1)] = 0.0
    return Map(
        stamp_ns=stamp_ns, frame=frame, resolution_m=CELL_M, origin_m=(-HALF_M, -HALF_M),
        plane_names=("traversability",), planes=plane[None],
    )  # fmt: skip


def voted(ground: Map, pose: PoseTransform | None = None, model: str = "raptor", **parameters: Any) -> Vote:
    with Trial(ObstacleAvoidance, geometry=model, **parameters) as trial:
        trial.send("traverse", ground)
        trial.send("pose", pose or PoseTransform(frame="map"))
        trial.tick()
        (vote,) = trial.sent("votes")
        assert isinstance(vote, Vote)
        return vote


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None


def test_on_open_ground_every_arc_is_as_good_as_the_other() -> None:
    vote = voted(chart())
    assert not vote.veto.any()
    assert vote.vote.tolist() == pytest.approx([1.0] * len(vote))
    assert vote.max_speed_m_s.min() > 1.5


def test_a_wall_close_ahead_forbids_all_arcs_into_it_and_nothing_else() -> None:
    """The front of the Raptor is 2.45 m ahead of its origin."""
    vote = voted(chart((3.0, 1.3, 3.5, 15.0)))
    assert vote.veto[-1]
    assert not vote.veto[: len(vote) // 2 + 1].any()  # to the right and straight ahead
    assert voted(chart((3.2, -15.0, 3.7, 15.0))).veto.all()


def test_a_wall_far_ahead_slows_down_so_that_it_can_stop() -> None:
    near = voted(chart((6.0, -15.0, 6.5, 15.0)))
    far = voted(chart((9.0, -15.0, 9.5, 15.0)))
    straight = len(near) // 2
    assert not near.veto[straight]
    assert 0.0 < near.max_speed_m_s[straight] < far.max_speed_m_s[straight]
    stops_after_m = near.max_speed_m_s[straight] * 0.5 + near.max_speed_m_s[straight] ** 2 / 2.0
    assert stops_after_m <= 6.0 - 2.45


def test_the_side_with_more_room_gets_more_votes() -> None:
    vote = voted(chart((4.0, 1.0, 12.0, 1.5)))
    assert vote.vote[: len(vote) // 2].mean() > vote.vote[len(vote) // 2 + 1 :].mean()


def test_the_pose_decides_what_is_ahead() -> None:
    ground = chart((3.0, -3.0, 3.5, 3.0))
    away = PoseTransform.from_xyz_rpy(0.0, 0.0, yaw_rad=math.pi, frame="map")
    assert voted(ground).veto[len(voted(ground)) // 2]
    assert not voted(ground, away).veto.any()


def test_the_pose_may_be_that_of_a_sensor() -> None:
    """The lasers sit in front: a wall that is close to them is closer to the bumper than to the origin."""
    ground = chart((3.2, -3.0, 3.7, 3.0))
    imu = PoseTransform.from_xyz_rpy(0.9, 0.0, 0.7, frame="map", child_frame="Raptor:Cabin")
    assert voted(ground, imu).veto.tolist() == voted(ground).veto.tolist()


def test_what_nobody_has_seen_is_driven_slowly() -> None:
    vote = voted(chart(unknown=True), unknown_speed_m_s=0.4)
    assert not vote.veto.any()
    assert vote.max_speed_m_s.tolist() == pytest.approx([0.4] * len(vote))


def test_the_cells_under_the_vehicle_do_not_keep_it_from_driving() -> None:
    assert not voted(chart((0.5, -0.3, 1.0, 0.3))).veto.any()


def test_an_old_map_or_another_frame_forbids_everything(caplog: pytest.LogCaptureFixture) -> None:
    with Trial(ObstacleAvoidance, geometry="raptor", max_age_s=1.0) as trial:
        trial.send("traverse", chart(stamp_ns=0), at_s=0.0)
        trial.send("pose", PoseTransform(frame="map", stamp_ns=3_000_000_000), at_s=3.0)
        trial.tick()
        assert trial.sent("votes")[-1].veto.all()
        assert "the map is more than 1 s old" in caplog.text
        trial.send("traverse", chart(stamp_ns=3_000_000_000, frame="odom"))
        trial.tick()
        assert trial.sent("votes")[-1].veto.all()
        assert "the map is in odom, the pose in map" in caplog.text


def test_before_map_and_pose_it_says_nothing() -> None:
    with Trial(ObstacleAvoidance, geometry="raptor") as trial:
        trial.send("traverse", chart())
        trial.tick()
        assert trial.sent("votes") == []


def test_a_small_vehicle_fits_where_a_large_one_does_not() -> None:
    gate = chart((2.0, 0.75, 4.0, 8.0), (2.0, -8.0, 4.0, -0.75))
    small = voted(gate, model="pioneer_3at", reach_m=5.0)
    assert not small.veto[len(small) // 2]
    assert voted(gate, PoseTransform.from_xyz_rpy(-1.2, frame="map")).veto.all()


def test_nothing_slips_between_the_places_that_are_looked_at() -> None:
    """A single cell anywhere ahead stops the straight arc at its distance."""
    room = free_way.Room(2.45, 0.5, 0.75, 0.75)
    sweep = free_way.Sweep(np.array([0.0]), room, 0.0, 8.0, CELL_M)
    for x_m in np.arange(3.2, 9.0, 0.11):
        for y_m in (-0.6, -0.1, 0.3, 0.6):
            ground = chart((x_m, y_m, x_m + CELL_M, y_m + CELL_M))
            first_m = float(np.min(ground_x(ground)))
            free_m = float(sweep.free_m(sweep.found(ground, 0.15, 0.0, 0.0, 0.0))[0])
            assert free_m <= first_m - room.front_m + 1e-9
            assert free_m >= first_m - room.front_m - 2 * CELL_M - 1e-9


def ground_x(ground: Map) -> np.ndarray[Any, Any]:
    """Where the blocked cells begin, along x."""
    columns = np.nonzero(ground.plane("traversability") == 0.0)[1]
    return np.asarray(ground.origin_m[0] + columns * CELL_M)
