"""Simulated devices: what a sensor of the assembly would send, with its noise, bias, resolution and drop-outs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from studio.messages import Float64, Imu, NavSatFix, Range3d
from studio.messages.fields import read_only
from studio.messages.message import Message, like
from studio.model.geometry.sensors import Bumper, Gps, Laser, Sensor, Ultrasonic
from studio.model.geometry.sensors import Imu as ImuSensor
from studio.runtime.sim.physics.physics import Physics
from studio.runtime.sim.vehicles.echoes import NOTHING, compiled_echoes
from studio.runtime.sim.vehicles.ins import QUIET, ins_of
from studio.runtime.sim.vehicles.sensed_motion import compiled_sensed
from studio.runtime.sim.vehicles.vehicle import DEFAULT_RATE_HZ, Mount, Vehicle, is_pressed, scaled_mounts
from studio.runtime.sim.worlds.errors import SimError
from studio.runtime.sim.worlds.world import World

Floats = NDArray[np.float64]
NEAREST_M = 1e-3
SONAR_RAYS = 9
EARTH_M, FLATTENING = 6_378_137.0, 1 / 298.257223563


@dataclass(frozen=True)
class Moment:
    """When something is measured, and what else is known then."""

    stamp_ns: int
    random: np.random.Generator
    touched: Mapping[str, int]
    """Shape of this vehicle -> when it last touched something."""


Measure = Callable[[Moment], Message]


@dataclass(frozen=True)
class Device:
    """One out port of one vehicle. It keeps no state: what changes is in the physics and the random generator."""

    port: str
    rate_hz: float
    measure: Measure


def devices_of(physics: Physics, number: int, vehicle: Vehicle, noise: float = 1.0) -> list[Device]:
    """Poses first: at equal times a scan then finds the pose that belongs to it. `noise` scales all that is random."""
    mounts = scaled_mounts(vehicle, noise)
    order = {ImuSensor: 0, Gps: 1, Laser: 2, Ultrasonic: 3, Bumper: 4}
    found = [_ins(physics, number, replace(vehicle, mounts=mounts))] if vehicle.has_ins else []
    for mount in sorted(mounts, key=lambda each: order[type(each.sensor)]):
        rate_hz = mount.sensor.rate_hz or DEFAULT_RATE_HZ
        found.append(Device(mount.port, rate_hz, _measure(physics, number, mount)))
    return found


def _measure(physics: Physics, number: int, mount: Mount) -> Measure:
    sensor: Sensor = mount.sensor
    if isinstance(sensor, Laser):
        return _laser(physics, number, mount, sensor)
    if isinstance(sensor, Ultrasonic):
        return _sonar(physics, number, mount, sensor)
    if isinstance(sensor, Gps):
        return _gps(physics, number, mount, sensor)
    if isinstance(sensor, ImuSensor):
        return _imu(physics, number, mount, sensor)
    if isinstance(sensor, Bumper):
        return _bumper(mount, sensor)
    raise SimError(f"{mount.frame}: a {sensor.KIND} cannot be simulated here")


# ---- ranges


def _laser(physics: Physics, number: int, mount: Mount, sensor: Laser) -> Measure:
    half = math.radians(sensor.fov_deg) / 2
    angles = np.linspace(-half, half, sensor.beams) if sensor.beams > 1 else np.zeros(1)
    directions = np.column_stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)])
    columns = np.column_stack([directions, np.ones(len(angles))]).astype(np.float32)
    most, frame, count = sensor.range_max_m, mount.frame, len(angles)
    least = max(sensor.range_min_m, NEAREST_M)  # what has no echo is at -1 and falls out
    noise_m, bias_m = sensor.noise_m or 0.0, sensor.bias_m or 0.0
    step_m, dropout = sensor.resolution_m or 0.0, sensor.dropout or 0.0
    echoes, blank = compiled_echoes(), Range3d(frame=frame)

    def measure(moment: Moment) -> Message:
        ranges = physics.rays(number, mount.piece, mount.pose, directions, most)
        noise = moment.random.standard_normal(count) if noise_m else NOTHING
        chance = moment.random.random(count) if dropout else NOTHING
        points = echoes(ranges, columns, noise, noise_m, bias_m, chance, dropout, step_m, least, most)
        points.setflags(write=False)
        return like(blank, stamp_ns=moment.stamp_ns, points=points)

    return measure


def _sonar(physics: Physics, number: int, mount: Mount, sensor: Ultrasonic) -> Measure:
    """The nearest echo in the cone, as one point straight ahead: a sonar does not know the direction."""
    half = math.radians(sensor.fov_deg) / 2
    around = np.linspace(0, 2 * math.pi, SONAR_RAYS, endpoint=False)[1:]
    ring = [(math.cos(half), math.sin(half) * math.cos(a), math.sin(half) * math.sin(a)) for a in around]
    inner = [(math.cos(half / 2), math.sin(half / 2) * math.cos(a), math.sin(half / 2) * math.sin(a)) for a in around]
    directions = np.array([(1.0, 0.0, 0.0), *ring, *inner])
    least, most, frame = sensor.range_min_m, sensor.range_max_m, mount.frame
    bias_m, step_m, dropout = sensor.bias_m or 0.0, sensor.resolution_m or 0.0, sensor.dropout or 0.0

    def measure(moment: Moment) -> Message:
        ranges = physics.rays(number, mount.piece, mount.pose, directions, most)
        echoes = ranges[ranges >= 0]
        nearest = float(echoes.min()) + bias_m if len(echoes) else math.inf
        if sensor.noise_m:
            nearest += float(moment.random.normal(0.0, sensor.noise_m))
        if dropout and moment.random.random() < dropout:
            nearest = math.inf
        if step_m and math.isfinite(nearest):
            nearest = round(nearest / step_m) * step_m
        heard = [(nearest, 0.0, 0.0, nearest)] if least <= nearest <= most else []
        return Range3d(stamp_ns=moment.stamp_ns, frame=frame, points=np.array(heard, np.float32).reshape(-1, 4))

    return measure


# ---- position and motion


def _ins(physics: Physics, number: int, vehicle: Vehicle) -> Device:
    rate_hz, read = ins_of(vehicle, physics.world.heading_deg)

    def measure(moment: Moment) -> Message:
        return read(physics.turn(number), physics.centre(number), moment.random, moment.stamp_ns)

    return Device("pose", rate_hz, measure)


def _gps(physics: Physics, number: int, mount: Mount, sensor: Gps) -> Measure:
    world: World = physics.world
    covariance = read_only(np.diag([sensor.noise_m**2, sensor.noise_m**2, sensor.noise_up_m**2]))
    is_noisy = bool(covariance.any())
    known = NavSatFix.COVARIANCE_DIAGONAL_KNOWN
    bias_m, bias_up_m = sensor.bias_m or 0.0, sensor.bias_up_m or 0.0
    step_m, dropout = sensor.resolution_m or 0.0, sensor.dropout or 0.0
    lost = NavSatFix(
        frame=mount.frame,
        status=NavSatFix.STATUS_NO_FIX,
        service=NavSatFix.SERVICE_GPS,
        latitude_deg=math.nan,
        longitude_deg=math.nan,
        altitude_m=math.nan,
    )
    north_m, east_m = _radii_m(math.radians(world.latitude_deg))
    cosine, sine = math.cos(math.radians(world.heading_deg)), math.sin(math.radians(world.heading_deg))

    def measure(moment: Moment) -> Message:
        x_m, y_m, up = (physics.pose(number, mount.piece) @ mount.pose)[:3, 3]
        east, north = x_m * cosine - y_m * sine + bias_m, x_m * sine + y_m * cosine + bias_m
        up += bias_up_m
        if is_noisy:
            noise = moment.random.standard_normal(3)
            east, north = east + noise[0] * sensor.noise_m, north + noise[1] * sensor.noise_m
            up += noise[2] * sensor.noise_up_m
        if dropout and moment.random.random() < dropout:
            return lost.replace(stamp_ns=moment.stamp_ns)
        if step_m:
            east, north, up = (round(float(value) / step_m) * step_m for value in (east, north, up))
        return NavSatFix(
            stamp_ns=moment.stamp_ns,
            frame=mount.frame,
            status=NavSatFix.STATUS_FIX,
            service=NavSatFix.SERVICE_GPS,
            latitude_deg=world.latitude_deg + math.degrees(float(north) / north_m),
            longitude_deg=world.longitude_deg + math.degrees(float(east) / east_m),
            altitude_m=world.elevation_m + float(up),
            position_covariance=covariance,
            covariance_type=known,
        )

    return measure


def _radii_m(latitude_rad: float) -> tuple[float, float]:
    """Metres per radian of latitude and of longitude there, on WGS 84; the world is a plane that touches Earth."""
    eccentricity2 = FLATTENING * (2 - FLATTENING)
    root = math.sqrt(1 - eccentricity2 * math.sin(latitude_rad) ** 2)
    return EARTH_M * (1 - eccentricity2) / root**3, EARTH_M / root * math.cos(latitude_rad)


def _imu(physics: Physics, number: int, mount: Mount, sensor: ImuSensor) -> Measure:
    gyro, accelerometer = sensor.noise_gyro_rad_s, sensor.noise_accelerometer_m_s2
    turn = sensor.noise_attitude_rad or 0.0
    spread = np.repeat([accelerometer, gyro], 3)
    tilts = np.array([0.0, 0.0, 0.0, turn, turn, turn])
    bias = np.repeat([sensor.bias_accelerometer_m_s2 or 0.0, sensor.bias_gyro_rad_s or 0.0], 3)
    is_noisy = bool(gyro or accelerometer or turn)
    steps = np.repeat([sensor.resolution_accelerometer_m_s2 or 0.0, sensor.resolution_gyro_rad_s or 0.0], 3)
    coarse = steps > 0
    is_coarse = bool(coarse.any())
    mounted = np.ascontiguousarray(mount.pose[:3, :3])
    name = f"{number}.{mount.port}"
    sensed, ignored = compiled_sensed(), np.empty((4, 4))
    blank = Imu(
        frame=mount.frame,
        orientation_covariance=np.eye(3) * turn**2,
        angular_velocity_covariance=np.eye(3) * gyro**2,
        linear_acceleration_covariance=np.eye(3) * accelerometer**2,
    )

    def measure(moment: Moment) -> Message:
        felt = physics.motion(name) + bias
        noise = QUIET
        if is_noisy:
            noise = moment.random.standard_normal(9)
            felt += noise[:6] * spread
            noise = noise[3:]
        if is_coarse:
            felt[coarse] = np.rint(felt[coarse] / steps[coarse]) * steps[coarse]
        attitude = np.empty(4)
        sensed(physics.turn(number, mount.piece), physics.centre(number), mounted, noise, tilts, ignored, attitude)
        attitude.setflags(write=False)
        felt.setflags(write=False)
        return like(
            blank,
            stamp_ns=moment.stamp_ns,
            orientation=attitude,
            angular_velocity=felt[3:],
            linear_acceleration=felt[:3],
        )

    return measure


def _bumper(mount: Mount, sensor: Bumper) -> Measure:
    """1 while pressed, 0 otherwise; a short touch counts until it has been told."""
    period_ns = round(1e9 / (sensor.rate_hz or DEFAULT_RATE_HZ))

    def measure(moment: Moment) -> Message:
        return Float64(float(is_pressed(mount, sensor, moment.touched, moment.stamp_ns, period_ns)))

    return measure
