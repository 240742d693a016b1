from __future__ import annotations

import math

import numpy as np
import pytest

from studio.messages import MessageError, Vote, arc_poses, candidate_arcs, decode, encode, stopping_speed


def test_candidates_are_symmetric_and_one_goes_straight_ahead() -> None:
    arcs = candidate_arcs(0.25, 9)
    np.testing.assert_allclose(arcs, np.linspace(-0.25, 0.25, 9))
    assert arcs[4] == 0.0
    assert len(candidate_arcs(0.25, 8)) == 9


def test_a_quarter_circle_to_the_left_ends_beside_and_turned() -> None:
    x_m, y_m, yaw_rad = arc_poses([0.5], [math.pi])[0, 0]
    assert (x_m, y_m, yaw_rad) == pytest.approx((2.0, 2.0, math.pi / 2))


def test_straight_arcs_and_very_flat_ones_agree() -> None:
    straight, flat = arc_poses([0.0, 1e-7], [-3.0, 10.0])
    np.testing.assert_allclose(straight, [[-3.0, 0.0, 0.0], [10.0, 0.0, 0.0]])
    np.testing.assert_allclose(flat, straight, atol=1e-5)


def test_whoever_drives_at_the_stopping_speed_stands_just_in_time() -> None:
    for distance_m in (0.5, 3.0, 20.0):
        speed = float(stopping_speed(distance_m, 1.5, 0.3))
        assert speed * 0.3 + speed**2 / (2 * 1.5) == pytest.approx(distance_m)
    assert float(stopping_speed(-1.0, 1.5, 0.3)) == 0.0


def test_a_single_number_holds_for_all_arcs_of_a_vote() -> None:
    vote = Vote.over([-0.1, 0.0, 0.1], vote=[0.0, 1.0, 0.5], veto=[True, False, False], frame="base")
    assert vote.confidence.tolist() == [1.0, 1.0, 1.0]
    assert np.isinf(vote.max_speed_m_s).all()
    assert decode(Vote, bytes(encode(vote))) == vote
    with pytest.raises(MessageError, match="one element per arc"):
        Vote.over([-0.1, 0.0, 0.1], vote=[0.0, 1.0])
