"""What the sensors of a body can do, as their data sheets tell it. A sensor looks along x of its frame."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from studio.model.origin import Origin


@dataclass(frozen=True)
class Sensor:
    KIND: ClassVar[str] = ""

    name: str
    frame: str
    """The frame of the body that it measures in."""
    rate_hz: float | None = None
    topic: str = ""
    """Where its data are found in a log or a simulator: `/laser/ranges`."""
    origin: Origin | None = None

    def values(self) -> dict[str, float | int]:
        """What can be compared: every number that is given, by name."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in found.items() if isinstance(value, float | int)}


@dataclass(frozen=True)
class Laser(Sensor):
    KIND: ClassVar[str] = "laser"

    fov_deg: float = 180.0
    """From the first to the last beam, symmetric about x."""
    beams: int = 181
    range_min_m: float = 0.0
    range_max_m: float = 10.0
    noise_m: float = 0.0
    """Standard deviation."""
    bias_m: float | None = None
    """What every range is too long by."""
    resolution_m: float = 0.0
    """Ranges are told in multiples of it; 0: as they are."""
    dropout: float | None = None
    """Share of the beams that give no echo, by chance."""


@dataclass(frozen=True)
class Camera(Sensor):
    """Its frame is the image plane, as in ROS: z into the picture, x to the right, y down."""

    KIND: ClassVar[str] = "camera"

    fov_deg: float = 60.0
    """Horizontal."""
    width_px: int = 640
    height_px: int = 480
    range_min_m: float = 0.05
    range_max_m: float = 100.0
    noise: float = 0.0
    """Standard deviation of a pixel's value, of 1."""


@dataclass(frozen=True)
class Ultrasonic(Sensor):
    KIND: ClassVar[str] = "ultrasonic"

    fov_deg: float = 30.0
    """Full angle of the cone."""
    range_min_m: float = 0.0
    range_max_m: float = 5.0
    noise_m: float = 0.0
    bias_m: float | None = None
    resolution_m: float | None = None
    dropout: float | None = None
    """Share of the pings that are not heard, by chance."""


@dataclass(frozen=True)
class Bumper(Sensor):
    KIND: ClassVar[str] = "bumper"

    shape: str = ""
    """The name of the shape that feels; empty: all that the body bumps with."""


@dataclass(frozen=True)
class Gps(Sensor):
    KIND: ClassVar[str] = "gps"

    noise_m: float = 0.0
    noise_up_m: float = 0.0
    bias_m: float | None = None
    """To the east, and as much to the north."""
    bias_up_m: float | None = None
    resolution_m: float | None = None
    """Of positions: receivers tell so many digits and no more."""
    dropout: float | None = None
    """Share of the measurements without a fix, by chance."""


@dataclass(frozen=True)
class Imu(Sensor):
    KIND: ClassVar[str] = "imu"

    noise_gyro_rad_s: float = 0.0
    noise_accelerometer_m_s2: float = 0.0
    noise_attitude_rad: float | None = None
    """Of the attitude that it computes, about each axis."""
    bias_gyro_rad_s: float | None = None
    bias_accelerometer_m_s2: float | None = None
    """Along each axis."""
    resolution_gyro_rad_s: float | None = None
    resolution_accelerometer_m_s2: float | None = None


ONLY_HERE = {
    "bias_m", "bias_up_m", "dropout", "resolution_m", "noise_attitude_rad", "bias_gyro_rad_s",
    "bias_accelerometer_m_s2", "resolution_gyro_rad_s", "resolution_accelerometer_m_s2",
}  # fmt: skip
"""What bodies can tell and files of other tools cannot: not missed there."""
SENSORS: dict[str, type[Sensor]] = {kind.KIND: kind for kind in (Laser, Camera, Ultrasonic, Bumper, Gps, Imu)}
