from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.model.geometry.poses import Pose, distance, inverse
from studio.model.geometry.rotations import (
    GeometryError,
    Rotation,
    angle_of,
    from_axis_angle,
    from_quaternion,
    from_rpy,
    quaternion_of,
    rpy_of,
    unit_axis,
)

ANGLE = st.floats(-math.pi, math.pi)
QUARTER = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    "rotation",
    [
        Rotation("rpy", (0, 0, 90), "degrees"),
        Rotation("rpy", (0, 0, math.pi / 2), "radians"),
        Rotation("quaternion", (0, 0, math.sqrt(0.5), math.sqrt(0.5))),
        Rotation("quaternion", (0, 0, 0.70711, 0.70711)),
        Rotation("axis_angle", (0, 0, 2, 90), "degrees"),
        Rotation("matrix", (0, -1, 0, 1, 0, 0, 0, 0, 1)),
    ],
)
def test_a_quarter_turn_to_the_left_in_every_form(rotation: Rotation) -> None:
    assert np.allclose(rotation.matrix, QUARTER, atol=1e-15)


def test_pitch_down_is_positive() -> None:
    ahead = Rotation("rpy", (0, 12, 0), "degrees").matrix @ [1, 0, 0]
    assert math.degrees(math.asin(ahead[2])) == pytest.approx(-12)


@given(ANGLE, ANGLE | st.sampled_from([math.pi / 2, -math.pi / 2, math.pi / 2 - 1e-9]), ANGLE)
def test_roll_pitch_yaw_come_back_as_the_same_rotation_also_straight_up(r: float, p: float, y: float) -> None:
    matrix = from_rpy(r, p, y)
    assert np.abs(from_rpy(*rpy_of(matrix)) - matrix).max() < 1e-14
    assert np.abs(from_quaternion(*quaternion_of(matrix)) - matrix).max() < 1e-14


@given(st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda axis: math.hypot(*axis) > 1e-3), st.floats(0, math.pi))
def test_the_angle_of_a_rotation(axis: tuple[float, float, float], angle: float) -> None:
    assert angle_of(from_axis_angle(unit_axis(axis), angle)) == pytest.approx(angle, abs=1e-14)


@pytest.mark.parametrize(
    ("rotation", "words"),
    [
        (Rotation("matrix", (1, 0, 0, 0, 1, 0, 0, 0, 1.1)), "not orthogonal"),
        (Rotation("matrix", (-1, 0, 0, 0, 1, 0, 0, 0, 1)), "mirrors"),
        (Rotation("quaternion", (0, 0, 1, 1)), "length 1.41"),
        (Rotation("quaternion", (0, 0, 0, 0)), "length 0"),
        (Rotation("axis_angle", (0, 0, 0, 1), "radians"), "without a direction"),
        (Rotation("rpy", (0, math.nan, 0), "radians"), "nan"),
        (Rotation("rpy", (0, 0), "radians"), "takes 3 numbers"),
    ],
)
def test_what_is_no_rotation_is_refused(rotation: Rotation, words: str) -> None:
    with pytest.raises(GeometryError, match=words):
        _ = rotation.matrix


def test_rounded_numbers_become_a_true_rotation() -> None:
    c = 0.984808
    s = 0.173648
    matrix = Rotation("matrix", (c, 0, s, 0, 1, 0, -s, 0, c)).matrix
    assert np.abs(matrix.T @ matrix - np.eye(3)).max() < 1e-15


def test_poses_invert_and_tell_how_far_they_are_apart() -> None:
    one = Pose((1, 2, 3), Rotation("rpy", (0.1, 0.2, 0.3), "radians"))
    assert np.abs(inverse(one.matrix) @ one.matrix - np.eye(4)).max() < 1e-15
    other = Pose((1, 2, 3.5), Rotation("rpy", (0.1, 0.2, 0.4), "radians"))
    assert distance(one.matrix, other.matrix) == pytest.approx((0.5, 0.1))
