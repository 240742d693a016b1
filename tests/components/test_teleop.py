from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studio.messages import Joy, Vote
from studio.runtime.host.profile import load_class, stale
from studio.runtime.trial import Trial

FOLDER = Path(__file__).resolve().parents[2] / "components/teleop"
Teleop = load_class(FOLDER)


def teleop(model: str = "raptor", **parameters: Any) -> Trial[Any]:
    return Trial(Teleop, geometry=model, **parameters)


def test_the_profile_is_current() -> None:
    assert stale(FOLDER) is None


def test_the_stick_becomes_votes_and_a_command() -> None:
    with teleop(max_speed_m_s=2.0) as trial:
        trial.send("joy", Joy(axes=[0.5, 0.5], buttons=[1]))
        trial.tick()
        (vote,), (command,) = trial.sent("votes"), trial.sent("command")
        sharpest = trial.component.geometry.drive().tightest_arc_per_m
        assert isinstance(vote, Vote)
        assert vote.curvature_per_m[int(np.argmax(vote.vote))] == pytest.approx(sharpest / 2, abs=sharpest / 24)
        assert vote.max_speed_m_s.tolist() == pytest.approx([1.0] * len(vote))
        assert command.speed_m_s == pytest.approx(1.0)
        assert command.steering_angle_rad > 0.1


def test_without_the_button_nothing_is_said_and_letting_go_stops() -> None:
    with teleop() as trial:
        trial.send("joy", Joy(axes=[0.0, 1.0], buttons=[0]))
        trial.tick()
        assert trial.sent("votes") == trial.sent("command") == []
        trial.send("joy", Joy(axes=[0.0, 1.0], buttons=[1]))
        trial.tick()
        trial.send("joy", Joy(axes=[0.0, 1.0], buttons=[0]))
        trial.tick()
        trial.tick()
        assert [command.speed_m_s > 0 for command in trial.sent("command")] == [True, False]
        assert len(trial.sent("votes")) == 1


def test_sticks_that_fall_silent_let_go() -> None:
    with teleop(valid_s=0.3) as trial:
        trial.send("joy", Joy(axes=[0.0, 1.0], buttons=[1]), at_s=1.0)
        for _ in range(8):
            trial.tick()
        assert trial.sent("command")[-1].speed_m_s == 0.0
        assert len(trial.sent("votes")) == 6
        assert trial.component.trouble == "the sticks fell silent"
        trial.send("joy", Joy(axes=[0.0, 1.0], buttons=[1]))
        assert not trial.component.trouble
        trial.send("joy", Joy(axes=[0.0, 1.0], buttons=[0]))
        for _ in range(20):
            trial.tick()
        assert not trial.component.trouble, "whoever lets go has not failed"


def test_a_command_is_not_repeated_and_one_of_speed_zero_comes_well_before_it_has_run_out() -> None:
    """A window that was killed sends nothing more: what it said last must not drive a vehicle beyond 250 ms."""
    with teleop() as trial:
        for at_s in (1.0, 1.05, 1.1):
            trial.send("joy", Joy(axes=[0.0, 1.0], buttons=[1]), at_s=at_s)
        assert [command.stamp_ns for command in trial.sent("command")] == [1_000_000_000, 1_050_000_000, 1_100_000_000]
        for _ in range(20):
            trial.tick()
        *_, stop = trial.sent("command")
        assert len(trial.sent("command")) == 4 and stop.speed_m_s == 0.0
        assert stop.stamp_ns - 1_100_000_000 <= 200_000_000


def test_backwards_is_a_command_but_no_vote_for_speed() -> None:
    with teleop() as trial:
        trial.send("joy", Joy(axes=[0.0, -1.0], buttons=[1]))
        trial.tick()
        assert trial.sent("command")[-1].speed_m_s < 0.0
        assert trial.sent("votes")[-1].max_speed_m_s.max() == 0.0


def test_a_device_without_these_axes_and_a_stick_at_rest_do_not_move_anything() -> None:
    with teleop("pioneer_2dx", enable_button=-1) as trial:
        for joy in (Joy(), Joy(axes=[0.01, -0.02]), Joy(axes=[np.nan, np.nan])):
            trial.send("joy", joy)
            trial.tick()
            assert trial.sent("command")[-1].speed_m_s == 0.0
            assert trial.sent("command")[-1].steering_angle_rad == 0.0
