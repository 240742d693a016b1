"""Messages of Gazebo, classic and later, as Studio's own, in the frames of the assembly. Each function takes one apart.

Known traps: a server counts the attitude of an inertial unit from how it stood when it was made, and mirrors positions
on Earth at the origin of the world.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.messages import Image, Imu, JointState, NavSatFix, Odometry, PoseTransform, Range3d
from studio.messages.message import Message
from studio.messages.rotations import matrix_from_quaternion, quaternion_from_matrix
from studio.model.geometry.sensors import Gps, Laser, Ultrasonic
from studio.model.geometry.sensors import Imu as ImuSensor
from studio.runtime.gazebo.own_shapes import OwnShapes
from studio.runtime.gazebo.schema import SchemaError
from studio.runtime.gazebo.told import ns_of
from studio.runtime.sim.vehicles.driving import Motion
from studio.runtime.sim.vehicles.vehicle import Mount

Convert = Callable[[Any, int], Message]
"""From a message of the server and the stamp that it is to have."""
STRAIGHT = np.eye(3)
PIXELS = {1: ("mono8", 1), 2: ("mono16", 2), 3: ("rgb8", 3), 4: ("rgba8", 4), 5: ("bgra8", 4), 6: ("rgb16", 6),
          8: ("bgr8", 3), 9: ("bgr16", 6), 13: ("32FC1", 4)}  # fmt: skip
"""Numbers of Gazebo's pixel formats: encoding, and bytes of a pixel."""


NUMBERS = {0: "i1", 1: "u1", 2: "i2", 3: "u2", 4: "i4", 5: "u4", 6: "f4", 7: "f8"}
"""Of the fields of a cloud of points."""


def time_ns(told: Any) -> int:
    """Of the server's own clock."""
    stamp = told.header.stamp if _has(told, "header") else told.time if _has(told, "time") else told.stamp
    return ns_of(stamp)


def _has(told: Any, field: str) -> bool:
    return field in type(told).DESCRIPTOR.fields_by_name


def _part(told: Any, field: str) -> Any:
    """What a classic server puts into a message of its own with the time."""
    return getattr(told, field) if _has(told, field) else told


def scan(told: Any, stamp_ns: int, frame: str) -> Range3d:
    """Also of a scanner with several rows of beams."""
    measured, angles, elevations = _polar(_part(told, "scan"))
    return _points(measured, angles, elevations, stamp_ns, frame)


def cloud(told: Any, stamp_ns: int, frame: str) -> Range3d:
    """Points without an echo are not finite, and left out."""
    order = ">" if told.is_bigendian else "<"
    found = {each.name: each for each in told.field}
    if not {"x", "y", "z"} <= found.keys():
        raise SchemaError(f"a cloud of points with {', '.join(found) or 'no fields'} has no x, y and z")
    count = told.height * told.width
    kind = np.dtype({
        "names": ["x", "y", "z"],
        "formats": [order + NUMBERS[found[axis].datatype] for axis in "xyz"],
        "offsets": [found[axis].offset for axis in "xyz"],
        "itemsize": told.point_step,
    })  # fmt: skip
    if len(told.data) < count * told.point_step:
        raise SchemaError(f"a cloud of {count} points has only {len(told.data)} bytes")
    read = np.frombuffer(told.data, kind, count)
    points = np.column_stack([read[axis].astype(np.float64) for axis in "xyz"])
    points = points[np.isfinite(points).all(axis=1)]
    points = np.column_stack([points, np.linalg.norm(points, axis=1)])
    return Range3d(stamp_ns=stamp_ns, frame=frame, points=points.astype(np.float32))


def _polar(told: Any) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    rows = max(1, int(told.vertical_count))
    ranges = np.array(told.ranges, float)
    count = len(ranges) // rows
    angles = np.tile(_steps(told.angle_min, told.angle_step, count), rows)
    elevations = np.repeat(_steps(told.vertical_angle_min, told.vertical_angle_step, rows), count)
    return ranges[: count * rows], angles, elevations


def _steps(first: float, step: float, count: int) -> NDArray[np.float64]:
    """A server has no number for the step of a single beam or row."""
    return np.array([first]) if count == 1 else first + step * np.arange(count, dtype=np.float64)


def _points(ranges: Any, angles: Any, elevations: Any, stamp_ns: int, frame: str) -> Range3d:
    heard = np.isfinite(ranges)
    ranges, angles, elevations = ranges[heard], angles[heard], elevations[heard]
    points = np.column_stack([_places(ranges, angles, elevations), ranges])
    return Range3d(stamp_ns=stamp_ns, frame=frame, points=points.astype(np.float32))


def _places(ranges: Any, angles: Any, elevations: Any) -> NDArray[np.float64]:
    flat = ranges * np.cos(elevations)
    return np.column_stack([flat * np.cos(angles), flat * np.sin(angles), ranges * np.sin(elevations)])


def _of_others(told: Any, own: OwnShapes) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """As `_polar`, without an echo where the vehicle itself was hit."""
    ranges, angles, elevations = _polar(told)
    heard = np.isfinite(ranges)
    ranges[heard] = np.where(own.has(_places(ranges[heard], angles[heard], elevations[heard])), np.inf, ranges[heard])
    return ranges, angles, elevations


@dataclass(frozen=True)
class Imperfect:
    """What the server's rays do not know of a sensor: where its ranges end, and its faults."""

    least_m: float
    most_m: float
    bias_m: float
    step_m: float
    dropout: float

    @classmethod
    def of(cls, sensor: Laser | Ultrasonic) -> Imperfect:
        return cls(
            sensor.range_min_m,
            sensor.range_max_m,
            sensor.bias_m or 0.0,
            sensor.resolution_m or 0.0,
            sensor.dropout or 0.0,
        )

    def applied(self, ranges: NDArray[np.float64], random: np.random.Generator) -> NDArray[np.float64]:
        ranges = ranges + self.bias_m
        if self.step_m:
            ranges = np.rint(ranges / self.step_m) * self.step_m
        if self.dropout:
            ranges = np.where(random.random(len(ranges)) < self.dropout, np.inf, ranges)
        return np.where((ranges >= self.least_m) & (ranges <= self.most_m), ranges, np.inf)


def converter(mount: Mount, own: OwnShapes, random: np.random.Generator, known: Known) -> Convert:
    """Of a sensor of an assembly."""
    sensor, frame = mount.sensor, mount.frame
    if isinstance(sensor, Laser):
        imperfect = Imperfect.of(sensor)

        def ranges(told: Any, stamp_ns: int) -> Message:
            measured, angles, elevations = _of_others(told.scan, own)
            return _points(imperfect.applied(measured, random), angles, elevations, stamp_ns, frame)

        return ranges
    if isinstance(sensor, Ultrasonic):
        cone = Imperfect.of(sensor)

        def echo(told: Any, stamp_ns: int) -> Message:
            """The nearest one, straight ahead: a sonar does not know the direction."""
            near = np.array([min(_of_others(told.scan, own)[0], default=np.inf)])
            if sensor.noise_m:
                near = near + random.normal(0.0, sensor.noise_m)
            return _points(cone.applied(near, random), np.zeros(1), np.zeros(1), stamp_ns, frame)

        return echo
    if isinstance(sensor, ImuSensor):
        gyro, accelerometer = sensor.noise_gyro_rad_s**2, sensor.noise_accelerometer_m_s2**2
        turned = np.eye(3) * (sensor.noise_attitude_rad or 0.0) ** 2

        def motion(told: Any, stamp_ns: int) -> Message:
            return imu(told, stamp_ns, frame, known.attitude).replace(
                orientation_covariance=turned,
                angular_velocity_covariance=np.eye(3) * gyro,
                linear_acceleration_covariance=np.eye(3) * accelerometer,
            )

        return motion
    assert isinstance(sensor, Gps)
    covariance = np.diag([sensor.noise_m**2, sensor.noise_m**2, sensor.noise_up_m**2])
    return lambda told, stamp_ns: fix(told, stamp_ns, frame, known.origin_deg).replace(
        position_covariance=covariance, covariance_type=NavSatFix.COVARIANCE_DIAGONAL_KNOWN
    )


@dataclass
class Known:
    """What a server does not say, but whoever made world and vehicle knows."""

    attitude: NDArray[np.float64] = field(default_factory=lambda: STRAIGHT)
    """Of an inertial unit when it was made."""
    origin_deg: tuple[float, float] | None = None
    """Latitude and longitude of the origin of the world."""


def imu(told: Any, stamp_ns: int, frame: str, attitude: NDArray[np.float64] = STRAIGHT) -> Imu:
    q, rate, felt = told.orientation, told.angular_velocity, told.linear_acceleration
    return Imu(
        stamp_ns=stamp_ns,
        frame=frame,
        orientation=quaternion_from_matrix(attitude @ matrix_from_quaternion((q.x, q.y, q.z, q.w))),
        angular_velocity=(rate.x, rate.y, rate.z),
        linear_acceleration=(felt.x, felt.y, felt.z),
    )


def fix(told: Any, stamp_ns: int, frame: str, origin_deg: tuple[float, float] | None = None) -> NavSatFix:
    """With the origin of the world the position is the right one; without it, the mirrored one of the server."""
    latitude, longitude = told.latitude_deg, told.longitude_deg
    if origin_deg is not None:
        latitude, longitude = 2 * origin_deg[0] - latitude, 2 * origin_deg[1] - longitude
    return NavSatFix(
        stamp_ns=stamp_ns,
        frame=frame,
        status=NavSatFix.STATUS_FIX,
        service=NavSatFix.SERVICE_GPS,
        latitude_deg=latitude,
        longitude_deg=longitude,
        altitude_m=told.altitude,
    )


def pixel_format(told: Any) -> int:
    shown = _part(told, "image")
    return int(shown.pixel_format if _has(shown, "pixel_format") else shown.pixel_format_type)


def image(told: Any, stamp_ns: int, frame: str) -> Image | None:
    """None for a format of pixels that Studio does not know."""
    shown = _part(told, "image")
    known = PIXELS.get(pixel_format(told))
    if known is None:
        return None
    encoding, size = known
    step = shown.step if shown.step >= shown.width * size else shown.width * size
    return Image(
        stamp_ns=stamp_ns,
        frame=frame,
        height=shown.height,
        width=shown.width,
        encoding=encoding,
        step=step,
        data=np.frombuffer(shown.data, np.uint8),
    )


def pose(told: Any, stamp_ns: int, frame: str, child_frame: str) -> PoseTransform:
    at, q = told.position, told.orientation
    matrix = np.eye(4)
    matrix[:3, :3] = matrix_from_quaternion((q.x, q.y, q.z, q.w))
    matrix[:3, 3] = at.x, at.y, at.z
    return PoseTransform(stamp_ns=stamp_ns, frame=frame, child_frame=child_frame, matrix=matrix)


def odometry(told: Any, stamp_ns: int, child_frame: str) -> Odometry:
    at, q, linear, angular = told.pose.position, told.pose.orientation, told.twist.linear, told.twist.angular
    return Odometry(
        stamp_ns=stamp_ns,
        frame="odom",
        child_frame=child_frame,
        position=(at.x, at.y, at.z),
        orientation=(q.x, q.y, q.z, q.w),
        linear=(linear.x, linear.y, linear.z),
        angular=(angular.x, angular.y, angular.z),
    )


def joints(told: Any, stamp_ns: int) -> JointState:
    """Of a Model that Fortress or a later version tells."""
    return JointState(
        stamp_ns=stamp_ns,
        names=tuple(joint.name for joint in told.joint),
        position=[joint.axis1.position for joint in told.joint],
        velocity=[joint.axis1.velocity for joint in told.joint],
    )


def touching(told: Any) -> list[tuple[str, str]]:
    """Names of collisions that touch each other."""
    return [(_name(contact.collision1), _name(contact.collision2)) for contact in told.contact]


def _name(collision: Any) -> str:
    return collision if isinstance(collision, str) else str(collision.name)


def classic_drive(new: Callable[..., Any], motion: Motion) -> dict[str, Any]:
    """The fields of a Pose that tells a drive plugin of a classic server how to go. It turns the other way."""
    half = -motion.yaw_rate_rad_s / 2
    turned = new("Quaternion", x=0.0, y=0.0, z=float(np.sin(half)), w=float(np.cos(half)))
    return {"position": new("Vector3d", x=motion.speed_m_s, y=0.0, z=0.0), "orientation": turned}


def modern_drive(new: Callable[..., Any], motion: Motion) -> dict[str, Any]:
    """The fields of a Twist."""
    return {"linear": new("Vector3d", x=motion.speed_m_s), "angular": new("Vector3d", z=motion.yaw_rate_rad_s)}
