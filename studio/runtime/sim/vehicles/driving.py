"""From a command to wheels, and from wheels back to where the vehicle believes to be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from studio.runtime.sim.vehicles.vehicle import Vehicle

COMMAND_HOLDS_NS = 250_000_000
"""A command is obeyed this long; then the vehicle stops, as a real one does."""
ACCELERATION_M_S2 = 2.0
BRAKING_M_S2 = 4.0
TURNING_RAD_S2 = 6.0
"""How fast speeds change where a body does not say it."""
MOST_STEERING_RAD = 1.2
"""Of a vehicle that turns on the spot: beyond this an angle of the bicycle says nothing more."""


@dataclass(frozen=True)
class Motion:
    """What is wanted: forward speed of the origin, and rate of turn; for a steered vehicle the angle of the bicycle."""

    speed_m_s: float = 0.0
    yaw_rate_rad_s: float = 0.0
    steering_rad: float = 0.0


@dataclass(frozen=True)
class Believed:
    """Odometry: what wheels and steering tell, slip included."""

    x_m: float = 0.0
    y_m: float = 0.0
    heading_rad: float = 0.0
    speed_m_s: float = 0.0
    yaw_rate_rad_s: float = 0.0
    wheels_rad: tuple[float, ...] = ()
    """Positions of the drive joints when it was computed."""


AT_REST = Motion()
AT_ORIGIN = Believed()


class Driving:
    """Of one kind of vehicle; keeps no state."""

    def __init__(self, vehicle: Vehicle) -> None:
        self.drive = vehicle.drive
        self.wheels = vehicle.drive_joints
        self.steered = vehicle.steering_joints
        places = {piece: vehicle.place_of(piece)[:2, 3] for piece in (*self.wheels, *self.steered)}
        self.at = {piece: (float(x), float(y)) for piece, (x, y) in places.items()}
        self.steering_of = {wheel: vehicle.pieces[wheel].parent for wheel in self.wheels}
        limits = [vehicle.pieces[piece].joint for piece in self.steered]
        ends = [min(abs(joint.lower or 0.0), abs(joint.upper or 0.0)) for joint in limits if joint]
        self.most_steering_rad = min(ends, default=MOST_STEERING_RAD)
        self.steering_rate_rad_s = min((joint.speed for joint in limits if joint and joint.speed), default=math.inf)
        self.top_speed_m_s = vehicle.drive.speed_max_m_s or math.inf

    @property
    def is_steered(self) -> bool:
        return self.drive.kind == "ackermann"

    def wanted(self, speed_m_s: float, steering_rad: float) -> Motion:
        """Of a Velocity: angle of a bicycle of the vehicle's wheelbase, whatever the vehicle is."""
        speed = _limited(speed_m_s, self.top_speed_m_s)
        steering = _limited(steering_rad, self.most_steering_rad)
        return Motion(speed, speed * math.tan(steering) / self.drive.wheelbase_m, steering)

    def wanted_turning(self, speed_m_s: float, yaw_rate_rad_s: float) -> Motion:
        """Of a Twist, for what turns on the spot. The faster wheel decides whether it is too fast."""
        fastest = abs(speed_m_s) + abs(yaw_rate_rad_s) * self.drive.track_m / 2
        share = min(1.0, self.top_speed_m_s / fastest) if fastest > 0 else 1.0
        return Motion(speed_m_s * share, yaw_rate_rad_s * share)

    def towards(self, now: Motion, wanted: Motion, passed_s: float) -> Motion:
        """As far as the vehicle gets there in this time."""
        slowing = abs(wanted.speed_m_s) < abs(now.speed_m_s) or wanted.speed_m_s * now.speed_m_s < 0
        change = (BRAKING_M_S2 if slowing else ACCELERATION_M_S2) * passed_s
        speed = _moved(now.speed_m_s, wanted.speed_m_s, change)
        if self.is_steered:
            steering = _moved(now.steering_rad, wanted.steering_rad, self.steering_rate_rad_s * passed_s)
            return Motion(speed, speed * math.tan(steering) / self.drive.wheelbase_m, steering)
        return Motion(speed, _moved(now.yaw_rate_rad_s, wanted.yaw_rate_rad_s, TURNING_RAD_S2 * passed_s))

    def servos(self, motion: Motion) -> dict[int, float]:
        """Piece -> position of its steering, or speed of its wheel: all wheels roll about one point."""
        curvature = math.tan(motion.steering_rad) / self.drive.wheelbase_m
        angles = {piece: math.atan2(x * curvature, 1.0 - y * curvature) for piece, (x, y) in self._steered_at()}
        told = dict(angles)
        for wheel in self.wheels:
            x, y = self.at[wheel]
            angle = angles.get(self.steering_of[wheel], 0.0)
            forward, sideways = motion.speed_m_s - motion.yaw_rate_rad_s * y, motion.yaw_rate_rad_s * x
            along = forward * math.cos(angle) + sideways * math.sin(angle) if angle else forward
            told[wheel] = along / self.drive.wheel_radius_m
        return told

    def _steered_at(self) -> list[tuple[int, tuple[float, float]]]:
        return [(piece, self.at[piece]) for piece in self.steered]

    def believe(
        self, before: Believed, wheels_rad: Sequence[float], steerings_rad: Sequence[float], passed_s: float
    ) -> Believed:
        """Where the vehicle believes to be after its wheels have turned on to these positions."""
        now = tuple(wheels_rad)
        if not before.wheels_rad or passed_s <= 0:
            return replace(before, wheels_rad=now)
        radius = self.drive.wheel_radius_m
        rolled = [(new - old) * radius for new, old in zip(now, before.wheels_rad, strict=True)]
        if self.is_steered:
            fixed = [gone for wheel, gone in zip(self.wheels, rolled, strict=True) if self.steering_of[wheel] == 0]
            forward = sum(fixed or rolled) / len(fixed or rolled)
            turned = forward * self._curvature(steerings_rad)
        else:
            left = [gone for wheel, gone in zip(self.wheels, rolled, strict=True) if self.at[wheel][1] > 0]
            right = [gone for wheel, gone in zip(self.wheels, rolled, strict=True) if self.at[wheel][1] <= 0]
            one, other = sum(left) / max(len(left), 1), sum(right) / max(len(right), 1)
            forward, turned = (one + other) / 2, (other - one) / self.drive.track_m
        middle = before.heading_rad + turned / 2
        heading = math.remainder(before.heading_rad + turned, 2 * math.pi)
        return Believed(
            before.x_m + forward * math.cos(middle),
            before.y_m + forward * math.sin(middle),
            heading,
            forward / passed_s,
            turned / passed_s,
            now,
        )

    def _curvature(self, steerings_rad: Sequence[float]) -> float:
        """The mean of what each steered wheel stands for."""
        found = []
        for (_, (x, y)), angle in zip(self._steered_at(), steerings_rad, strict=True):
            slope = math.tan(angle)
            found.append(slope / (x + y * slope) if x + y * slope else 0.0)
        return sum(found) / len(found) if found else 0.0


def _limited(value: float, most: float) -> float:
    return max(-most, min(most, value)) if math.isfinite(value) else 0.0


def _moved(now: float, wanted: float, most: float) -> float:
    return now + _limited(wanted - now, most) if abs(wanted - now) > most else wanted
