from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from studio.messages import Map, PoseTransform, Range3d, Vote, arc_poses, stopping_speed
from studio.runtime.host.component_import import import_module
from studio.runtime.host.profile import load_class, stale
from studio.runtime.trial import Trial

FOLDER = Path(__file__).resolve().parents[2] / "components/hazard_detection"
HazardDetection = load_class(FOLDER)
corridor = import_module(FOLDER, "corridor")
near_field = import_module(FOLDER, "near_field")

CELL_M = 0.25
Floats = NDArray[np.float64]


def chart(*blocked: tuple[float, float, float, float], unknown: tuple[float, float, float, float] | None = None) -> Map:
    """20 m x 20 m about the origin, free but for rectangles from x, y to x, y."""
    worth = np.ones((80, 80), np.float32)
    y, x = np.mgrid[0:80, 0:80] * CELL_M - 10.0 + CELL_M / 2
    for x0, y0, x1, y1 in blocked:
        worth[(x > x0) & (x < x1) & (y > y0) & (y < y1)] = 0.0
    if unknown is not None:
        x0, y0, x1, y1 = unknown
        worth[(x > x0) & (x < x1) & (y > y0) & (y < y1)] = np.nan
    return Map(
        frame="world", resolution_m=CELL_M, origin_m=(-10.0, -10.0), plane_names=("traversability",), planes=worth[None]
    )


def pose(x_m: float = 0.0, y_m: float = 0.0, yaw_deg: float = 0.0, stamp_ns: int = 0) -> PoseTransform:
    return PoseTransform.from_xyz_rpy(
        x_m, y_m, yaw_rad=math.radians(yaw_deg), stamp_ns=stamp_ns, frame="world", child_frame="Raptor"
    )


def voted(traverse: Map, where: PoseTransform, **parameters: float) -> Vote:
    with Trial(HazardDetection, geometry="raptor", **parameters) as trial:
        trial.send("pose", where)
        trial.send("traverse", traverse)
        trial.tick()
        (vote,) = trial.sent("votes")
        assert isinstance(vote, Vote)
        return vote


def ahead(vote: Vote) -> int:
    return len(vote) // 2


# The way along an arc.


@pytest.mark.parametrize("box", [(2.4, 0.5, 0.75, 0.7), (0.25, 0.25, 0.24, 0.24)], ids=["Raptor", "Pioneer"])
def test_the_free_way_is_that_of_a_rectangle_driven_in_small_steps(box: tuple[float, float, float, float]) -> None:
    random = np.random.default_rng(1)
    outline = corridor.Rectangle(*box)
    limit = 0.3 if box[0] > 1.0 else 5.0
    met = 0
    for _ in range(150):
        curvature = random.uniform(0.2, 1.0) * limit * random.choice([-1.0, 1.0])
        place = np.array([[random.uniform(-box[1], 2.0 * box[0]), random.uniform(-2.0, 2.0) * box[0]]])
        if outline.holds(place)[0]:
            continue
        (way,) = corridor.free_way(place, np.array([curvature]), outline, 0.0)
        steps = np.arange(0.0, 2.0 * math.pi / abs(curvature), 0.01)
        x, y, yaw = arc_poses([curvature], steps)[0].T
        off = np.stack([place[0, 0] - x, place[0, 1] - y])
        turned = np.stack([np.cos(yaw) * off[0] + np.sin(yaw) * off[1], np.cos(yaw) * off[1] - np.sin(yaw) * off[0]])
        inside = corridor.Rectangle(*box).holds(turned.T)
        grazed = corridor.Rectangle(*(side + 0.01 for side in box)).holds(turned.T)
        if inside.any():
            met += 1
            assert way <= steps[inside.argmax()] + 1e-9
        if math.isfinite(way):
            assert way >= steps[grazed.argmax()] - 0.011
            assert grazed.any()
    assert met > 20


def test_what_is_within_the_margin_does_not_hold_the_vehicle_for_ever() -> None:
    outline = corridor.Rectangle(2.0, 0.5, 0.7, 0.7)
    beside, before = np.array([[1.0, 0.8]]), np.array([[2.1, 0.0]])
    arcs = np.array([-0.2, 0.0, 0.2])
    right, straight, left = corridor.free_way(beside, arcs, outline, 0.3)
    assert right > 20.0  # a full circle later
    assert straight == math.inf
    assert left < 0.5
    assert corridor.free_way(before, arcs, outline, 0.3)[1] == 0.0
    assert corridor.free_way(np.array([[1.0, 0.0]]), arcs, outline, 0.3).tolist() == [math.inf] * 3  # itself
    assert corridor.free_way(np.zeros((0, 2)), arcs, outline, 0.3).tolist() == [math.inf] * 3


# With a map.


def test_on_free_ground_nothing_is_forbidden() -> None:
    vote = voted(chart(), pose())
    assert not vote.veto.any()
    assert (vote.confidence == 0.0).all()
    assert len(vote) == 25
    assert vote.frame == "Raptor"
    # As far as it sees it may go as fast as it can still stop.
    assert vote.max_speed_m_s[ahead(vote)] == pytest.approx(float(stopping_speed(8.0 - 2.75, 1.5, 0.3)), abs=0.25)


def test_a_wall_right_ahead_forbids_what_leads_there_and_slows_the_rest() -> None:
    vote = voted(chart((3.0, -1.0, 4.0, 1.0)), pose())
    middle = ahead(vote)
    assert vote.veto[middle]
    assert vote.max_speed_m_s[middle] < 1.0
    far = voted(chart((6.0, -1.0, 7.0, 1.0)), pose())
    assert not far.veto.any()
    expected = float(stopping_speed(6.125 - 2.75, 1.5, 0.3))
    assert far.max_speed_m_s[ahead(far)] == pytest.approx(expected, abs=0.1)


def test_a_block_on_the_left_forbids_left_turns_only() -> None:
    vote = voted(chart((2.5, 1.2, 5.0, 3.0)), pose())
    assert vote.veto[-1]
    assert not vote.veto[: len(vote) // 2].any()


def test_the_vehicle_looks_where_it_stands_and_heads() -> None:
    traverse = chart((-5.0, 3.0, 5.0, 4.0))  # a wall across y
    assert not voted(traverse, pose()).veto[12]
    assert voted(traverse, pose(yaw_deg=90.0)).veto[12]
    assert not voted(traverse, pose(0.0, 0.0, -90.0)).veto.any()


def test_the_pose_may_be_that_of_any_frame_of_the_vehicle() -> None:
    traverse = chart((3.2, -5.0, 4.0, 5.0))
    with Trial(HazardDetection, geometry="raptor") as trial:
        imu = trial.component.geometry.transform("Imu", "Raptor")
        trial.send("pose", PoseTransform(frame="world", child_frame="Imu", matrix=pose().matrix @ imu))
        trial.send("traverse", traverse)
        trial.tick()
        (vote,) = trial.sent("votes")
    assert vote == voted(traverse, pose()).replace(stamp_ns=vote.stamp_ns)


def test_unknown_land_is_entered_slowly_and_a_small_hole_is_none() -> None:
    before = voted(chart(unknown=(3.0, -10.0, 10.0, 10.0)), pose(), unknown_speed_m_s=0.5)
    assert not before.veto.any()
    assert 0.5 <= before.max_speed_m_s[ahead(before)] < 1.2
    hole = voted(chart(unknown=(4.0, 0.0, 4.25, 0.25)), pose(), unknown_speed_m_s=0.5)
    assert hole.max_speed_m_s[ahead(hole)] > 2.0


def test_beyond_the_map_nothing_is_known() -> None:
    vote = voted(chart(), pose(9.9, 0.0), unknown_speed_m_s=0.5)
    assert vote.max_speed_m_s.max() == pytest.approx(0.5)
    far = voted(chart(), pose(500.0, 0.0), unknown_speed_m_s=0.5)
    assert far.max_speed_m_s.max() == pytest.approx(0.5)


# With scans.


def scan(*places: tuple[float, float, float], frame: str = "Laser:ScanOrigin") -> Range3d:
    return Range3d.from_xyz(places, frame=frame)


def test_a_scan_alone_is_enough_for_a_pioneer() -> None:
    with Trial(HazardDetection, geometry="pioneer_3at", max_slope_deg=0.0, margin_m=0.05) as trial:
        wall = [(0.6, y, 0.0) for y in np.linspace(-1.0, 1.0, 50)]
        trial.send("ranges", scan(*wall))
        trial.tick()
        trial.send("ranges", scan((3.0, 0.0, 0.0), (math.nan, math.nan, math.nan)))
        trial.tick()
        near, far = trial.sent("votes")
        assert near.veto[ahead(near)]
        assert not far.veto.any()


def test_ground_and_what_is_overhead_are_no_hazards() -> None:
    sensor = np.eye(4)
    sensor[2, 3] = 1.0
    seen = np.array([[3.0, 0.0, -1.0], [3.0, 1.0, -0.5], [3.0, 2.0, 3.0], [3.0, 3.0, 0.0], [99.0, 0.0, 0.0]])
    level = near_field.of_scan(seen, sensor, 8.0, 0.16, 0.0, 2.2)
    assert level.tolist() == [[3.0, 1.0], [3.0, 3.0]]
    # On ground that may rise by 20 degrees, half a metre three metres ahead is a slope.
    rising = near_field.of_scan(seen, sensor, 8.0, 0.16, math.tan(math.radians(20.0)), 2.2)
    assert rising.tolist() == []


def test_several_lasers_count_each_with_its_newest_scan() -> None:
    with Trial(HazardDetection, geometry="raptor", max_slope_deg=0.0) as trial:
        trial.send("ranges", scan((0.8, 0.4, 0.0), frame="RightLaser:ScanOrigin"))
        trial.send("ranges", scan((9.0, 0.0, 0.0), frame="LeftLaser:ScanOrigin"))
        trial.tick()
        trial.send("ranges", scan((9.0, 0.0, 0.0), frame="RightLaser:ScanOrigin"))
        trial.tick()
        first, second = trial.sent("votes")
        assert first.veto[ahead(first)]
        assert not second.veto.any()


# Blind.


def test_before_anything_was_seen_the_vehicle_stands() -> None:
    with Trial(HazardDetection, geometry="raptor") as trial:
        trial.tick()
        trial.send("pose", pose())
        trial.tick()
        for vote in trial.sent("votes"):
            assert vote.veto.all()
            assert (vote.max_speed_m_s == 0.0).all()


def test_an_old_pose_and_old_scans_make_it_blind() -> None:
    with Trial(HazardDetection, geometry="raptor", valid_s=1.0) as trial:
        trial.send("pose", pose())
        trial.send("traverse", chart())
        trial.tick(0.5)
        trial.tick(1.0)
        trial.send("pose", pose(stamp_ns=trial.now_ns))
        trial.tick()
        assert [bool(vote.veto.all()) for vote in trial.sent("votes")] == [False, True, False]
    with Trial(HazardDetection, geometry="raptor", valid_s=1.0) as trial:
        trial.send("ranges", scan((9.0, 0.0, 0.0), frame="LeftLaser:ScanOrigin"))
        trial.tick()
        trial.tick(2.0)
        assert [bool(vote.veto.all()) for vote in trial.sent("votes")] == [False, True]


def test_a_map_without_a_pose_is_not_replaced_by_scans() -> None:
    """Who has a map relies on it: with half of what it needs the vehicle stands."""
    with Trial(HazardDetection, geometry="raptor") as trial:
        trial.send("traverse", chart())
        trial.send("ranges", scan((9.0, 0.0, 0.0), frame="LeftLaser:ScanOrigin"))
        trial.tick()
        assert trial.sent("votes")[0].veto.all()


def test_a_clock_jump_forgets_all() -> None:
    with Trial(HazardDetection, geometry="raptor") as trial:
        trial.send("ranges", scan((9.0, 0.0, 0.0), frame="LeftLaser:ScanOrigin"))
        trial.component.on_clock_jump()
        trial.tick()
        trial.send("traverse", chart())
        trial.send("pose", pose(stamp_ns=trial.now_ns))
        trial.component.on_clock_jump()
        trial.tick()
        assert [bool(vote.veto.all()) for vote in trial.sent("votes")] == [True, True]


@pytest.mark.parametrize(
    "where",
    [
        pose(math.nan),
        pose(1e300),
        pose().replace(frame="odom"),
        PoseTransform.from_xyz_rpy(pitch_rad=-math.pi / 2, frame="world", child_frame="Raptor"),
    ],
    ids=["not a number", "beyond all maps", "in another frame than the map", "standing on its tail"],
)
def test_with_a_pose_that_is_of_no_use_the_vehicle_stands(where: PoseTransform) -> None:
    assert voted(chart(), where).veto.all()


def test_it_goes_on_from_a_checkpoint_with_the_same_votes() -> None:
    with Trial(HazardDetection, geometry="raptor", max_slope_deg=0.0) as trial:
        trial.send("ranges", scan((2.0, 0.4, 0.0), frame="RightLaser:ScanOrigin"))
        saved = trial.component.save_state()
        trial.tick(0.1)
        trial.send("ranges", scan((0.5, 0.0, 0.0), frame="RightLaser:ScanOrigin"))
        trial.component.load_state(saved)
        trial.tick(0.0)
        first, second = trial.sent("votes")
        assert first == second


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None
