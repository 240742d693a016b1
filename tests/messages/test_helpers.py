"""The conveniences of single types."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.messages import (
    Image,
    Imu,
    JointState,
    Joy,
    Map,
    MessageError,
    NavSatFix,
    Odometry,
    PoseTransform,
    Range3d,
    Twist,
    Velocity,
    Vote,
)
from studio.messages.rotations import (
    matrix_from_quaternion,
    matrix_from_rpy,
    quaternion_from_matrix,
    quaternion_from_rpy,
    rpy_from_matrix,
    rpy_from_quaternion,
)

angles = st.floats(-math.pi, math.pi)
metres = st.floats(-1e3, 1e3)


@given(angles, st.floats(-1.57, 1.57), angles)
def test_rotations_survive_every_form(roll_rad: float, pitch_rad: float, yaw_rad: float) -> None:
    matrix = matrix_from_rpy(roll_rad, pitch_rad, yaw_rad)
    assert np.allclose(matrix @ matrix.T, np.eye(3))
    assert np.linalg.det(matrix) == pytest.approx(1.0)
    assert np.allclose(matrix_from_rpy(*rpy_from_matrix(matrix)), matrix)
    quaternion = quaternion_from_matrix(matrix)
    assert quaternion[3] >= 0
    assert np.allclose(matrix_from_quaternion(quaternion), matrix)
    assert np.allclose(matrix_from_quaternion(-3 * quaternion), matrix)


@pytest.mark.parametrize("pitch_rad", [math.pi / 2, -math.pi / 2])
def test_straight_up_and_down_are_rotations_too(pitch_rad: float) -> None:
    matrix = matrix_from_rpy(0.3, pitch_rad, -0.8)
    assert np.allclose(matrix_from_rpy(*rpy_from_matrix(matrix)), matrix, atol=1e-7)


def test_rotations_turn_the_right_way() -> None:
    left = matrix_from_rpy(0, 0, math.pi / 2)
    assert np.allclose(left @ [1, 0, 0], [0, 1, 0])
    nose_down = matrix_from_rpy(0, math.pi / 2, 0)
    assert np.allclose(nose_down @ [1, 0, 0], [0, 0, -1])
    assert np.allclose(quaternion_from_rpy(0, 0, math.pi / 2), [0, 0, math.sqrt(0.5), math.sqrt(0.5)])
    assert rpy_from_quaternion([0, 0, 0, 0]) == (0.0, 0.0, 0.0)


@given(metres, metres, metres, angles, st.floats(-1.5, 1.5), angles)
def test_pose_from_xyz_rpy_and_back(x: float, y: float, z: float, roll: float, pitch: float, yaw: float) -> None:
    pose = PoseTransform.from_xyz_rpy(x, y, z, roll, pitch, yaw)
    assert np.allclose(PoseTransform.from_xyz_rpy(*pose.to_xyz_rpy()).matrix, pose.matrix)
    assert np.allclose((pose @ pose.inverse()).matrix, np.eye(4), atol=1e-9 * (1 + abs(x) + abs(y) + abs(z)))


def test_transforms_chain_frames_and_points() -> None:
    base = PoseTransform.from_xyz_rpy(10, 0, 0, 0, 0, math.pi / 2, frame="map", child_frame="base", stamp_ns=5)
    laser = PoseTransform.from_xyz_rpy(1, 0, 0.5, frame="base", child_frame="laser", stamp_ns=3)
    both = base @ laser
    assert (both.frame, both.child_frame, both.stamp_ns) == ("map", "laser", 5)
    assert np.allclose(both.position, [10, 1, 0.5])
    assert np.allclose(both.apply([2, 0, 0]), [10, 3, 0.5])
    assert np.allclose(both.apply([[2, 0, 0], [0, 0, 0]]), [[10, 3, 0.5], [10, 1, 0.5]])
    back = both.inverse()
    assert (back.frame, back.child_frame) == ("laser", "map")
    assert np.allclose(back.apply(both.apply([1, 2, 3])), [1, 2, 3])
    assert both.yaw_rad == pytest.approx(math.pi / 2)
    with pytest.raises(MessageError, match="perhaps use inverse"):
        laser @ base
    with pytest.raises(MessageError, match="shape"):
        base.apply([1, 2])


def test_attitude_covariance_turns_with_the_frame_and_adds_up() -> None:
    about_x = np.diag([0.04, 0.0, 0.0])
    turn = PoseTransform.from_xyz_rpy(yaw_rad=math.pi / 2, attitude_covariance=np.diag([0, 0, 0.01]))
    wobble = PoseTransform.from_xyz_rpy(attitude_covariance=about_x)
    assert np.allclose((turn @ wobble).attitude_covariance, np.diag([0, 0.04, 0.01]))
    assert np.allclose(wobble.inverse().attitude_covariance, about_x)


def test_attitude_covariance_agrees_with_a_simulation() -> None:
    chance = np.random.default_rng(7)
    first, second = np.diag([1e-4, 4e-4, 9e-4]), np.diag([4e-4, 1e-4, 1e-4])
    a = PoseTransform.from_xyz_rpy(1, 2, 3, 0.4, -0.3, 1.2, attitude_covariance=first)
    b = PoseTransform.from_xyz_rpy(3, 1, 2, -0.7, 0.2, 0.5, attitude_covariance=second)
    exact = (a @ b).rotation
    errors = []
    for _ in range(3000):
        turn_a = matrix_from_rpy(*chance.multivariate_normal([0, 0, 0], first)) @ a.rotation
        turn_b = matrix_from_rpy(*chance.multivariate_normal([0, 0, 0], second)) @ b.rotation
        errors.append(rpy_from_matrix(turn_a @ turn_b @ exact.T))
    assert np.allclose(np.cov(np.array(errors).T), (a @ b).attitude_covariance, atol=8e-5)


def test_a_polar_scan_looks_forward_and_left() -> None:
    scan = Range3d.from_polar([1.0, 2.0, 3.0], -math.pi / 2, math.pi / 2, frame="laser", stamp_ns=9)
    expected = [[0, -1, 0, 1], [2, 0, 0, 2], [0, 3, 0, 3]]
    assert np.allclose(scan.points, expected, atol=1e-6)
    assert (scan.frame, scan.stamp_ns, len(scan)) == ("laser", 9, 3)
    assert np.allclose(scan.ranges_m, [1, 2, 3])
    raised = Range3d.from_polar([2.0], 0.0, 0.0, elevation_rad=math.pi / 6)
    assert np.allclose(raised.points, [[math.sqrt(3), 0, 1, 2]])


def test_beams_without_an_echo_are_left_out_or_kept_as_nan() -> None:
    ranges_m = [0.05, 2.0, math.inf, math.nan, 90.0]
    assert Range3d.from_polar(ranges_m, 0.0, 0.1, minimum_m=0.1, maximum_m=80.0).ranges_m.tolist() == [2.0]
    kept = Range3d.from_polar(ranges_m, 0.0, 0.1, minimum_m=0.1, maximum_m=80.0, keep_missing=True)
    assert np.isfinite(kept.ranges_m).tolist() == [False, True, False, False, False]
    assert np.isnan(kept.points[0]).all()
    assert not kept.is_dense
    with pytest.raises(MessageError, match="one row"):
        Range3d.from_polar([[1.0]], 0.0, 0.1)


def test_points_move_with_a_transform_and_keep_their_ranges() -> None:
    scan = Range3d.from_xyz([[3, 4, 0]], frame="laser")
    assert scan.ranges_m.tolist() == [5.0]
    moved = scan.transformed(PoseTransform.from_xyz_rpy(1, 1, 1, frame="base", child_frame="laser"))
    assert np.allclose(moved.points, [[4, 5, 1, 5]])
    assert moved.frame == "base"
    with pytest.raises(MessageError, match="the points are in 'base'"):
        moved.transformed(PoseTransform(frame="base", child_frame="laser"))


def a_map() -> Map:
    planes = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    return Map(planes=planes, plane_names=["height", "count"], resolution_m=0.5, origin_m=[-1.0, 2.0])


def test_a_map_finds_cells_and_places() -> None:
    grid = a_map()
    assert (grid.rows, grid.columns) == (3, 4)
    assert grid.cell_of(-1.0, 2.0) == (0, 0)
    assert grid.cell_of(0.9, 3.4) == (2, 3)
    assert grid.cell_of(1.0, 2.0) is None
    assert grid.cell_of(-1.01, 2.0) is None
    assert grid.cell_of(-1.0, 3.5) is None
    assert grid.position_of(2, 3) == (0.75, 3.25)
    assert grid.plane("count")[0, 0] == 12
    with pytest.raises(MessageError, match=r"no plane 'hight' \(its planes are: height, count\)"):
        grid.plane("hight")


@given(st.integers(0, 2), st.integers(0, 3))
def test_the_centre_of_a_cell_is_in_the_cell(row: int, column: int) -> None:
    assert a_map().cell_of(*a_map().position_of(row, column)) == (row, column)


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(0, 5)), min_size=1, max_size=20))
def test_many_cells_at_once_agree_with_one_at_a_time(places: list[tuple[float, float]]) -> None:
    rows, columns, inside = a_map().cells_of(places)
    single = [a_map().cell_of(*place) for place in places]
    together = [
        (int(row), int(column)) if yes else None for row, column, yes in zip(rows, columns, inside, strict=True)
    ]
    assert together == single


def test_places_that_are_not_finite_are_outside() -> None:
    assert a_map().cells_of([[math.nan, 2.0], [math.inf, 2.0]])[2].tolist() == [False, False]


def test_a_map_has_a_name_for_every_plane() -> None:
    with pytest.raises(MessageError, match="1 planes and 2 plane_names"):
        Map(planes=np.zeros((1, 2, 2)), plane_names=["a", "b"])
    with pytest.raises(MessageError, match="resolution_m"):
        Map(resolution_m=0.0)


def test_vote_columns_have_the_same_length() -> None:
    with pytest.raises(MessageError, match="curvature_per_m 2, max_speed_m_s 0"):
        Vote(curvature_per_m=[0.1, 0.2])
    column = [1.0, 2.0]
    vote = Vote(curvature_per_m=column, max_speed_m_s=column, vote=column, confidence=column, veto=[True, False])
    assert len(vote) == 2


@pytest.mark.parametrize(
    ("pixels", "encoding"),
    [
        (np.arange(12, dtype=np.uint8).reshape(3, 4), "mono8"),
        (np.arange(36, dtype=np.uint8).reshape(3, 4, 3), "rgb8"),
        (np.arange(48, dtype=np.uint8).reshape(3, 4, 4), "rgba8"),
        (np.arange(12, dtype=np.uint16).reshape(3, 4), "mono16"),
        (np.arange(12, dtype=np.float32).reshape(3, 4), "32FC1"),
        (np.arange(24, dtype=np.float64).reshape(3, 4, 2), "64FC2"),
        (np.arange(12, dtype=">i2").reshape(3, 4), "16SC1"),
        (np.arange(24, dtype=np.uint8).reshape(3, 8)[:, ::2], "mono8"),
    ],
)
def test_pixels_become_an_image_and_back(pixels: np.ndarray, encoding: str) -> None:
    image = Image.from_pixels(pixels, frame="camera")
    assert image.encoding == encoding
    assert (image.height, image.width) == (3, 4)
    assert np.array_equal(image.pixels, pixels)
    assert not image.pixels.flags.writeable


def test_an_encoding_can_be_named_and_has_to_fit() -> None:
    pixels = np.zeros((2, 2, 3), np.uint8)
    assert Image.from_pixels(pixels, "bgr8").encoding == "bgr8"
    with pytest.raises(MessageError, match="'mono8' needs 1 channel"):
        Image.from_pixels(pixels, "mono8")
    with pytest.raises(MessageError, match="'jpeg' is not known"):
        Image.from_pixels(pixels, "jpeg")
    with pytest.raises(MessageError, match="complex128"):
        Image.from_pixels(np.zeros((2, 2), complex))
    with pytest.raises(MessageError, match="shape"):
        Image.from_pixels(np.zeros(3))


def test_rows_may_be_longer_than_their_pixels_and_big_endian() -> None:
    data = np.frombuffer(bytes([0, 1, 0, 2, 99, 99, 0, 3, 0, 4, 99, 99]), np.uint8)
    image = Image(height=2, width=2, encoding="mono16", is_bigendian=1, step=6, data=data)
    assert image.pixels.tolist() == [[1, 2], [3, 4]]
    with pytest.raises(MessageError, match="needs rows of 4 bytes or more, got step 3"):
        _ = image.replace(step=3).pixels
    with pytest.raises(MessageError, match="and 12 bytes"):
        _ = image.replace(height=3).pixels


def test_driving_conveniences() -> None:
    assert Twist.planar(2.0, 0.5) == Twist([2, 0, 0], [0, 0, 0.5])
    assert (Twist.planar(2.0, 0.5).speed_m_s, Twist.planar(2.0, 0.5).yaw_rate_rad_s) == (2.0, 0.5)
    command = Velocity.from_curvature(0.25, 2.0, wheelbase_m=1.6)
    assert command.curvature_per_m(1.6) == pytest.approx(0.25)
    assert command.to_twist(1.6).yaw_rate_rad_s == pytest.approx(0.5)


def test_odometry_knows_its_pose_and_twist() -> None:
    covariance = np.diag([1.0, 2, 3, 4, 5, 6])
    odometry = Odometry.planar(1.0, 2.0, 0.5, 3.0, 0.1, stamp_ns=4).replace(pose_covariance=covariance)
    assert odometry.yaw_rad == pytest.approx(0.5)
    assert odometry.twist == Twist.planar(3.0, 0.1)
    assert odometry.pose.to_xyz_rpy() == pytest.approx((1.0, 2.0, 0.0, 0.0, 0.0, 0.5))
    assert (odometry.pose.frame, odometry.pose.child_frame, odometry.pose.stamp_ns) == ("odom", "base_link", 4)
    assert np.array_equal(odometry.pose.attitude_covariance, np.diag([4.0, 5, 6]))


def test_small_conveniences() -> None:
    pad = Joy(axes=[0.5], buttons=[0, 1])
    assert (pad.axis(0), pad.axis(7)) == (0.5, 0.0)
    assert (pad.pressed(1), pad.pressed(0), pad.pressed(9)) == (True, False, False)
    joints = JointState(names=["elbow"], position=[0.3])
    assert joints.position_of("elbow") == 0.3
    with pytest.raises(KeyError):
        joints.position_of("wrist")
    assert NavSatFix(status=NavSatFix.STATUS_NO_FIX).has_fix is False
    assert NavSatFix().has_fix is True
    blind = Imu(orientation_covariance=np.diag([-1.0, 0, 0]))
    assert (blind.has_orientation, Imu().has_orientation) == (False, True)
    assert Imu(orientation=quaternion_from_rpy(0.1, 0.2, 0.3)).roll_pitch_yaw_rad == pytest.approx((0.1, 0.2, 0.3))
