"""Where an antenna is on the plane that touches Earth at an origin: x to the east, y to the north, z up."""

from __future__ import annotations

import math

from studio.messages import PoseTransform

from .nmea import Course, Heading, Position

EARTH_M, FLATTENING = 6_378_137.0, 1 / 298.257223563
HEADING_RAD, COURSE_RAD = math.radians(0.5), math.radians(3.0)
"""Standard deviations: of a compass of two antennas, and of a direction that is known from moving."""
TILT_RAD = math.radians(3.0)
"""Nothing on the line tells roll and pitch: they are taken for 0."""
MOVING_M_S = 0.3
"""Slower than this a course over ground is noise."""


class LocalPose:
    """Puts position and direction together. Without an origin the first position is it."""

    def __init__(self, origin_deg: tuple[float, ...]) -> None:
        self._origin = origin_deg[:2] if len(origin_deg) >= 2 else ()
        self._floor_m: float | None = None
        self._yaw_rad: float | None = None
        self._deviation_rad = COURSE_RAD

    def turn(self, told: Course | Heading) -> None:
        """A heading that is told is better than one made from moving."""
        if isinstance(told, Heading):
            self._yaw_rad, self._deviation_rad = math.pi / 2 - told.heading_rad, HEADING_RAD
        elif told.valid and told.speed_m_s >= MOVING_M_S and self._deviation_rad != HEADING_RAD:
            self._yaw_rad = math.pi / 2 - told.course_rad

    def at(self, position: Position, stamp_ns: int, frame: str, child_frame: str) -> PoseTransform | None:
        """None without a fix, and as long as nobody knows where it looks."""
        if not position.quality or self._yaw_rad is None:
            return None
        latitude, longitude = self._origin = self._origin or (position.latitude_deg, position.longitude_deg)
        self._floor_m = position.altitude_m if self._floor_m is None else self._floor_m
        north_m, east_m = _metres_per_rad(math.radians(latitude))
        turned = math.radians(math.remainder(position.longitude_deg - longitude, 360.0))
        return PoseTransform.from_xyz_rpy(
            turned * east_m,
            math.radians(position.latitude_deg - latitude) * north_m,
            position.altitude_m - self._floor_m,
            yaw_rad=math.remainder(self._yaw_rad, math.tau),
            stamp_ns=stamp_ns,
            frame=frame,
            child_frame=child_frame,
            attitude_covariance=[[TILT_RAD**2, 0, 0], [0, TILT_RAD**2, 0], [0, 0, self._deviation_rad**2]],
        )


def _metres_per_rad(latitude_rad: float) -> tuple[float, float]:
    """Of latitude and of longitude, on WGS 84."""
    eccentricity2 = FLATTENING * (2 - FLATTENING)
    root = math.sqrt(1 - eccentricity2 * math.sin(latitude_rad) ** 2)
    return EARTH_M * (1 - eccentricity2) / root**3, EARTH_M / root * math.cos(latitude_rad)
