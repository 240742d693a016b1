"""What all messages have in common."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

from studio.messages import (
    Float64,
    Image,
    JointState,
    Joy,
    Message,
    MessageError,
    Odometry,
    Range3d,
    String,
    Twist,
    Velocity,
)


def test_lists_become_arrays_of_the_right_kind() -> None:
    twist = Twist(linear=[1, 2, 3])
    assert twist.linear.dtype == np.float64
    assert twist.linear.tolist() == [1.0, 2.0, 3.0]
    assert Joy(buttons=[]).buttons.dtype == np.int32
    assert Range3d(points=[]).points.shape == (0, 4)
    assert Range3d(points=np.zeros((2, 4))).points.dtype == np.float32


def test_strided_and_foreign_endian_arrays_are_straightened() -> None:
    every_other = np.arange(6.0)[::2]
    assert Twist(every_other).linear.flags.c_contiguous
    assert Twist(np.array([1, 2, 3], ">f8")).linear.dtype.isnative


def test_a_message_takes_no_copy_and_no_write_access_of_a_fitting_array() -> None:
    points = np.zeros((5, 4), np.float32)
    scan = Range3d(points=points)
    assert np.shares_memory(scan.points, points)
    assert not scan.points.flags.writeable
    assert points.flags.writeable


def test_messages_cannot_be_changed_but_replaced() -> None:
    twist = Twist([1, 0, 0])
    with pytest.raises(dataclasses.FrozenInstanceError):
        twist.linear = np.zeros(3)  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        twist.linear[0] = 5
    assert twist.replace(angular=[0, 0, 1]) == Twist([1, 0, 0], [0, 0, 1])
    with pytest.raises(MessageError, match="its fields are linear, angular"):
        twist.replace(speed=1)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Twist([1, 2]), r"Twist.linear needs float64 of shape \(3,\), got shape \(2,\)"),
        (lambda: Range3d(points=[[1, 2, 3]]), r"Range3d.points needs float32 of shape \(N, 4\), got shape \(1, 3\)"),
        (lambda: Range3d(points=[[1, 2, 3, 4], [5]]), "rows of different lengths"),
        (lambda: Joy(buttons=[1.5]), "Joy.buttons needs int32"),
        (lambda: Joy(buttons=[2**40]), "-2147483648 to 2147483647, got 1099511627776"),
        (lambda: Image(data=[-1]), "Image.data needs uint8"),
        (lambda: Twist("abc"), "Twist.linear needs float64"),
        (lambda: Float64("abc"), "Float64.data"),  # type: ignore[arg-type]
        (lambda: String(5), "String.data needs a string, got int"),  # type: ignore[arg-type]
        (lambda: Image(height=1.5), "Image.height"),  # type: ignore[arg-type]
        (lambda: JointState(names="elbow"), "JointState.names needs a list of strings"),
        (lambda: JointState(names=[1]), "needs a string, got int"),  # type: ignore[list-item]
        (lambda: JointState(names=5), "JointState.names"),  # type: ignore[arg-type]
        (lambda: Velocity(speed_m_s=1e300), "Velocity.speed_m_s"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_field_and_the_remedy(make: object, complaint: str) -> None:
    with pytest.raises(MessageError, match=complaint):
        make()  # type: ignore[operator]


def test_numpy_scalars_become_python_numbers() -> None:
    assert type(Float64(np.float32(0.5)).data) is float  # type: ignore[arg-type]
    assert type(Image(height=np.int64(3)).height) is int  # type: ignore[arg-type]


def test_equality_is_by_content() -> None:
    assert Twist([1, 2, 3]) == Twist([1, 2, 3])
    assert Twist([1, 2, 3]) != Twist([1, 2, 4])
    assert Float64(1.0) != String("1.0")
    assert JointState(names=["a"]) != JointState(names=["a", "b"])
    assert Joy(axes=[1]) != Joy(axes=[1, 1])
    assert Float64(1.0) != 1.0


def test_nan_equals_nan_so_that_a_log_can_equal_what_was_sent() -> None:
    assert Twist([float("nan"), 0, 0]) == Twist([float("nan"), 0, 0])
    assert Float64(float("nan")) == Float64(float("nan"))
    assert Float64(float("nan")) != Float64(0.0)


def test_messages_are_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(Twist())


def test_single_precision_is_rounded_at_once() -> None:
    assert Velocity(speed_m_s=0.1).speed_m_s == float(np.float32(0.1))


def test_representation_stays_short() -> None:
    scan = Range3d(frame="laser", points=np.zeros((361, 4), np.float32))
    assert repr(scan) == "Range3d(stamp_ns=0, frame='laser', points=float32(361, 4), is_dense=True)"
    assert repr(Twist([1, 0, 0.5])) == "Twist(linear=[1. , 0. , 0.5], angular=[0., 0., 0.])"
    assert len(repr(String("x" * 1000))) < 100
    assert len(repr(JointState(names=[str(i) for i in range(500)]))) < 150


def test_defaults_are_not_shared_in_a_way_that_shows() -> None:
    one, other = Odometry(), Odometry()
    assert not one.pose_covariance.flags.writeable
    assert one == other


def test_a_subclass_verifies_what_concerns_several_fields() -> None:
    class Never(Message):
        def verify(self) -> None:
            raise MessageError("never")

    with pytest.raises(MessageError, match="never"):
        Never()


def test_starting_a_component_does_not_load_rosbags() -> None:
    program = (
        "import sys; from studio.messages import *\n"
        "for kind in MessageTypes.builtin(): decode(kind, encode(kind()))\n"
        "sys.exit(any(name.startswith('rosbags') for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
