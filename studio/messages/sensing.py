"""What sensors and operators send, apart from ranges: inertial units, satellite receivers, joysticks."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from studio.messages.fields import Array, array
from studio.messages.message import Message, message
from studio.messages.rotations import rpy_from_quaternion


@message
class Imu(Message):
    """Orientation (xyzw), angular velocity (rad/s) and linear acceleration (m/s2) of `frame`.

    As in ROS, a covariance whose first element is -1 says that the quantity is not measured.
    """

    TYPE: ClassVar[str] = "Imu"
    SCHEMA_NAME: ClassVar[str] = "sensor_msgs/msg/Imu"

    stamp_ns: int = 0
    frame: str = ""
    orientation: Array[np.float64] = array(np.float64, 4, default=(0, 0, 0, 1))
    orientation_covariance: Array[np.float64] = array(np.float64, 3, 3)
    angular_velocity: Array[np.float64] = array(np.float64, 3)
    angular_velocity_covariance: Array[np.float64] = array(np.float64, 3, 3)
    linear_acceleration: Array[np.float64] = array(np.float64, 3)
    linear_acceleration_covariance: Array[np.float64] = array(np.float64, 3, 3)

    @property
    def has_orientation(self) -> bool:
        return bool(self.orientation_covariance[0, 0] != -1.0)

    @property
    def roll_pitch_yaw_rad(self) -> tuple[float, float, float]:
        return rpy_from_quaternion(self.orientation)


@message
class NavSatFix(Message):
    """A satellite position on WGS 84. Altitude is above the ellipsoid; the covariance (m2) is over east, north, up."""

    TYPE: ClassVar[str] = "NavSatFix"
    SCHEMA_NAME: ClassVar[str] = "sensor_msgs/msg/NavSatFix"
    WIRE: ClassVar[dict[str, str]] = {
        "status": "status.status",
        "service": "status.service",
        "latitude_deg": "latitude",
        "longitude_deg": "longitude",
        "altitude_m": "altitude",
        "covariance_type": "position_covariance_type",
    }

    STATUS_UNKNOWN: ClassVar[int] = -2
    STATUS_NO_FIX: ClassVar[int] = -1
    STATUS_FIX: ClassVar[int] = 0
    STATUS_SBAS_FIX: ClassVar[int] = 1
    STATUS_GBAS_FIX: ClassVar[int] = 2
    SERVICE_GPS: ClassVar[int] = 1
    SERVICE_GLONASS: ClassVar[int] = 2
    SERVICE_COMPASS: ClassVar[int] = 4
    SERVICE_GALILEO: ClassVar[int] = 8
    COVARIANCE_UNKNOWN: ClassVar[int] = 0
    COVARIANCE_APPROXIMATED: ClassVar[int] = 1
    COVARIANCE_DIAGONAL_KNOWN: ClassVar[int] = 2
    COVARIANCE_KNOWN: ClassVar[int] = 3

    stamp_ns: int = 0
    frame: str = ""
    status: int = 0
    service: int = 0
    latitude_deg: float = 0.0
    longitude_deg: float = 0.0
    altitude_m: float = 0.0
    position_covariance: Array[np.float64] = array(np.float64, 3, 3)
    covariance_type: int = 0

    @property
    def has_fix(self) -> bool:
        return self.status >= self.STATUS_FIX


@message
class Joy(Message):
    """A joystick or gamepad: axes from -1 to 1, buttons 0 or 1."""

    TYPE: ClassVar[str] = "Joy"
    SCHEMA_NAME: ClassVar[str] = "sensor_msgs/msg/Joy"

    stamp_ns: int = 0
    frame: str = ""
    axes: Array[np.float32] = array(np.float32, -1)
    buttons: Array[np.int32] = array(np.int32, -1)

    def axis(self, index: int) -> float:
        """One axis; a device that does not have it is at rest."""
        return float(self.axes[index]) if 0 <= index < len(self.axes) else 0.0

    def pressed(self, index: int) -> bool:
        """Whether a button is down; a device that does not have it is at rest."""
        return 0 <= index < len(self.buttons) and bool(self.buttons[index])
