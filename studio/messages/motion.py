"""Where a vehicle is, how it moves and how it is told to move."""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np

from studio.messages.fields import Array, Texts, array, float32, texts
from studio.messages.message import Message, bare_message, message
from studio.messages.pose_transform import PoseTransform
from studio.messages.rotations import quaternion_from_rpy, rpy_from_quaternion


@bare_message
class Twist(Message):
    """Linear (m/s) and angular (rad/s) velocity along and about x, y, z."""

    TYPE: ClassVar[str] = "Twist"
    SCHEMA_NAME: ClassVar[str] = "geometry_msgs/msg/Twist"

    linear: Array[np.float64] = array(np.float64, 3)
    angular: Array[np.float64] = array(np.float64, 3)

    @classmethod
    def planar(cls, speed_m_s: float, yaw_rate_rad_s: float) -> Self:
        """The motion of a vehicle that drives forward and turns."""
        return cls(linear=(speed_m_s, 0.0, 0.0), angular=(0.0, 0.0, yaw_rate_rad_s))

    @property
    def speed_m_s(self) -> float:
        return float(self.linear[0])

    @property
    def yaw_rate_rad_s(self) -> float:
        return float(self.angular[2])


@message
class Velocity(Message):
    """A driving command: steering angle and speed. Left and forward are positive."""

    TYPE: ClassVar[str] = "Velocity"
    SCHEMA_NAME: ClassVar[str] = "ackermann_msgs/msg/AckermannDriveStamped"
    WIRE: ClassVar[dict[str, str]] = {
        "steering_angle_rad": "drive.steering_angle",
        "steering_rate_rad_s": "drive.steering_angle_velocity",
        "speed_m_s": "drive.speed",
        "acceleration_m_s2": "drive.acceleration",
        "jerk_m_s3": "drive.jerk",
    }

    stamp_ns: int = 0
    frame: str = ""
    steering_angle_rad: float = float32()
    steering_rate_rad_s: float = float32()
    speed_m_s: float = float32()
    acceleration_m_s2: float = float32()
    jerk_m_s3: float = float32()

    @classmethod
    def from_curvature(
        cls, curvature_per_m: float, speed_m_s: float, wheelbase_m: float, *, stamp_ns: int = 0, frame: str = ""
    ) -> Self:
        """The command that drives an arc of this curvature (1/radius, left positive)."""
        angle_rad = math.atan(curvature_per_m * wheelbase_m)
        return cls(stamp_ns=stamp_ns, frame=frame, steering_angle_rad=angle_rad, speed_m_s=speed_m_s)

    def curvature_per_m(self, wheelbase_m: float) -> float:
        return math.tan(self.steering_angle_rad) / wheelbase_m

    def to_twist(self, wheelbase_m: float) -> Twist:
        return Twist.planar(self.speed_m_s, self.speed_m_s * self.curvature_per_m(wheelbase_m))


@message
class Odometry(Message):
    """Pose of `child_frame` in `frame`, and its velocity in `child_frame`.

    Covariances are over x, y, z and the rotations about them.
    """

    TYPE: ClassVar[str] = "Odometry"
    SCHEMA_NAME: ClassVar[str] = "nav_msgs/msg/Odometry"
    WIRE: ClassVar[dict[str, str]] = {
        "child_frame": "child_frame_id",
        "position": "pose.pose.position",
        "orientation": "pose.pose.orientation",
        "pose_covariance": "pose.covariance",
        "linear": "twist.twist.linear",
        "angular": "twist.twist.angular",
        "twist_covariance": "twist.covariance",
    }

    stamp_ns: int = 0
    frame: str = ""
    child_frame: str = ""
    position: Array[np.float64] = array(np.float64, 3)
    orientation: Array[np.float64] = array(np.float64, 4, default=(0, 0, 0, 1))
    pose_covariance: Array[np.float64] = array(np.float64, 6, 6)
    linear: Array[np.float64] = array(np.float64, 3)
    angular: Array[np.float64] = array(np.float64, 3)
    twist_covariance: Array[np.float64] = array(np.float64, 6, 6)

    @classmethod
    def planar(
        cls,
        x_m: float,
        y_m: float,
        yaw_rad: float,
        speed_m_s: float = 0.0,
        yaw_rate_rad_s: float = 0.0,
        *,
        stamp_ns: int = 0,
        frame: str = "odom",
        child_frame: str = "base_link",
    ) -> Self:
        """The odometry of a vehicle on flat ground."""
        return cls(
            stamp_ns=stamp_ns,
            frame=frame,
            child_frame=child_frame,
            position=(x_m, y_m, 0.0),
            orientation=quaternion_from_rpy(0.0, 0.0, yaw_rad),
            linear=(speed_m_s, 0.0, 0.0),
            angular=(0.0, 0.0, yaw_rate_rad_s),
        )

    @property
    def yaw_rad(self) -> float:
        return rpy_from_quaternion(self.orientation)[2]

    @property
    def twist(self) -> Twist:
        return Twist(self.linear, self.angular)

    @property
    def pose(self) -> PoseTransform:
        """The same pose as a transform, with the attitude part of the covariance."""
        return PoseTransform.from_quaternion(
            self.position,
            self.orientation,
            stamp_ns=self.stamp_ns,
            frame=self.frame,
            child_frame=self.child_frame,
            attitude_covariance=self.pose_covariance[3:, 3:],
        )


@message
class JointState(Message):
    """Joints by name: position (rad or m), velocity (rad/s or m/s), effort (Nm or N). Empty: not measured."""

    TYPE: ClassVar[str] = "JointState"
    SCHEMA_NAME: ClassVar[str] = "sensor_msgs/msg/JointState"
    WIRE: ClassVar[dict[str, str]] = {"names": "name"}

    stamp_ns: int = 0
    frame: str = ""
    names: Texts = texts()
    position: Array[np.float64] = array(np.float64, -1)
    velocity: Array[np.float64] = array(np.float64, -1)
    effort: Array[np.float64] = array(np.float64, -1)

    def position_of(self, name: str) -> float:
        """Position of one joint; KeyError when it is not in the message."""
        try:
            return float(self.position[self.names.index(name)])
        except (ValueError, IndexError):
            raise KeyError(name) from None
