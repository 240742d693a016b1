from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.messages import Velocity, Vote, candidate_arcs
from studio.runtime.host.component_import import import_module
from studio.runtime.host.profile import load_class, stale
from studio.runtime.trial import Trial

FOLDER = Path(__file__).resolve().parents[2] / "components/arc_arbiter"
ArcArbiter = load_class(FOLDER)
arbitration = import_module(FOLDER, "arbitration")
Trail = import_module(FOLDER, "trail").Trail

LIMIT = 0.235
ARCS = candidate_arcs(LIMIT)


def hill(at_per_m: float, **columns: Any) -> Vote:
    return Vote.over(ARCS, vote=2.0 * np.exp(-(((ARCS - at_per_m) / 0.06) ** 2)) - 1.0, **columns)


def arbiter(**parameters: Any) -> Trial[Any]:
    return Trial(ArcArbiter, geometry="raptor", **parameters)


def ticked(trial: Trial[Any], count: int = 1, **votes: Vote) -> Velocity:
    """Every tick each behaviour votes again."""
    for _ in range(count):
        for name, vote in votes.items():
            trial.send("votes", vote, topic=f"/{name}/votes")
        trial.tick()
    command = trial.sent("command")[-1]
    assert isinstance(command, Velocity)
    return command


def curvature(trial: Trial[Any], command: Velocity) -> float:
    return command.curvature_per_m(trial.component.geometry.drive().wheelbase_m)


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None


def test_two_behaviours_meet_where_both_are_content() -> None:
    left, right = hill(0.1, confidence=0.5), hill(-0.1, confidence=0.5)
    ballot = arbitration.counted({"a": left, "b": right}, ARCS)
    assert ballot.score == pytest.approx(ballot.score[::-1])
    more = arbitration.counted({"a": left, "b": right.replace(confidence=np.full(len(ARCS), 0.1))}, ARCS)
    assert ARCS[arbitration.best(more, 0.0, 0.0)] > 0.05


def test_a_veto_counts_whatever_the_votes() -> None:
    forbidden = Vote.over(ARCS, confidence=0.0, veto=ARCS > 0.0)
    with arbiter() as trial:
        command = ticked(trial, 30, planner=hill(0.15), hazard=forbidden)
        assert curvature(trial, command) <= 0.0
        assert command.speed_m_s > 0.0


def test_the_lowest_speed_counts_and_speed_grows_slowly() -> None:
    with arbiter(acceleration_m_s2=1.0) as trial:
        first = ticked(trial, 2, planner=hill(0.0, max_speed_m_s=5.0), hazard=Vote.over(ARCS, max_speed_m_s=0.7))
        assert 0.0 < first.speed_m_s <= 0.11
        later = ticked(trial, 20, planner=hill(0.0, max_speed_m_s=5.0), hazard=Vote.over(ARCS, max_speed_m_s=0.7))
        assert later.speed_m_s == pytest.approx(0.7)
        assert ticked(trial, 1, planner=hill(0.0), hazard=Vote.over(ARCS, max_speed_m_s=0.0)).speed_m_s == 0.0


def test_sharp_turns_are_driven_slower() -> None:
    with arbiter(max_speed_m_s=5.0, lateral_m_s2=1.0) as trial:
        command = ticked(trial, 80, planner=hill(LIMIT))
        assert command.speed_m_s == pytest.approx((1.0 / abs(curvature(trial, command))) ** 0.5, rel=1e-3)
        assert command.speed_m_s**2 * LIMIT < 1.05


def test_other_arcs_than_ours_are_interpolated_and_vetoes_reach_their_neighbours() -> None:
    coarse = Vote.over([-0.2, 0.0, 0.2], vote=[-1.0, 1.0, 0.0], veto=[True, False, False], max_speed_m_s=[1, 2, 3])
    ballot = arbitration.counted({"a": coarse}, np.array([-0.3, -0.1, 0.0, 0.1, 0.3]))
    assert ballot.score.tolist() == pytest.approx([-1.0, 0.0, 1.0, 0.5, 0.0])
    assert ballot.vetoed.tolist() == [True, True, False, False, False]
    assert ballot.speed_m_s.tolist() == [1.0, 1.0, 2.0, 2.0, 3.0]


def test_it_stands_until_all_required_behaviours_are_heard_and_when_one_falls_silent() -> None:
    with arbiter(required="planner hazard", valid_s=0.3) as trial:
        assert ticked(trial, 3, planner=hill(0.0)).speed_m_s == 0.0
        assert not trial.component.trouble, "it has not driven yet"
        assert ticked(trial, 3, planner=hill(0.0), hazard=Vote.over(ARCS)).speed_m_s > 0.0
        assert ticked(trial, 5, planner=hill(0.0)).speed_m_s == 0.0
        assert trial.component.trouble == "no votes from hazard"
        assert ticked(trial, 3, planner=hill(0.0), hazard=Vote.over(ARCS)).speed_m_s > 0.0
        assert not trial.component.trouble


def test_votes_that_nobody_needs_may_fall_silent() -> None:
    with arbiter(valid_s=0.3) as trial:
        ticked(trial, 3, planner=hill(0.0), teleop=hill(0.2, confidence=10.0))
        command = ticked(trial, 8, planner=hill(0.0))
        assert curvature(trial, command) == pytest.approx(0.0, abs=0.03)
        assert command.speed_m_s > 0.0


def test_without_any_votes_and_with_damaged_ones_it_stands() -> None:
    with arbiter() as trial:
        trial.tick()
        assert trial.sent("command")[-1].speed_m_s == 0.0
        broken = Vote.over(ARCS, vote=np.nan, confidence=np.nan, max_speed_m_s=np.nan)
        assert ticked(trial, 3, broken=broken, empty=Vote()).speed_m_s == 0.0


def test_where_nothing_is_allowed_it_waits_then_drives_back_its_own_way() -> None:
    blocked = Vote.over(ARCS, veto=True)
    with arbiter(retreat_m=2.0, retreat_after_s=0.5, retreat_speed_m_s=0.5) as trial:
        ticked(trial, 40, planner=hill(0.2))
        bend = curvature(trial, trial.sent("command")[-1])
        assert ticked(trial, 3, hazard=blocked).speed_m_s == 0.0
        back = ticked(trial, 6, hazard=blocked)
        assert back.speed_m_s == pytest.approx(-0.5)
        assert curvature(trial, back) == pytest.approx(bend)
        commands = [ticked(trial, 1, hazard=blocked).speed_m_s for _ in range(200)]
        assert commands[-1] == 0.0  # the way back is used up
        assert 0 < sum(speed < 0 for speed in commands) <= 40


def test_without_leave_to_retreat_it_waits() -> None:
    with arbiter() as trial:
        ticked(trial, 20, planner=hill(0.0))
        assert all(ticked(trial, 1, hazard=Vote.over(ARCS, veto=True)).speed_m_s == 0.0 for _ in range(50))


def test_a_trail_is_driven_back_in_reverse_order_and_has_an_end() -> None:
    trail = Trail(3.0)
    for curvature_per_m in (0.1, 0.2, 0.3, 0.4):
        trail.drove(curvature_per_m, 1.0)
    assert trail.length_m == pytest.approx(3.0)
    assert [trail.back(0.5) for _ in range(7)] == [0.4, 0.4, 0.3, 0.3, 0.2, 0.2, None]


def test_the_same_votes_give_the_same_commands() -> None:
    def run() -> list[Velocity]:
        with arbiter() as trial:
            random = np.random.default_rng(3)
            for _ in range(50):
                ticked(trial, 1, a=Vote.over(ARCS, vote=random.normal(size=len(ARCS))), b=hill(0.1))
            return trial.sent("command")

    assert run() == run()
