"""The ports of a simulator: one for each device of each vehicle, named after the assembly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from studio.messages import Imu, JointState, NavSatFix, Odometry, PoseTransform, Range3d, String, Twist, Velocity
from studio.messages.message import Message
from studio.messages.plain import Float64
from studio.model.geometry.sensors import Bumper, Gps, Laser, Sensor, Ultrasonic
from studio.model.geometry.sensors import Imu as ImuSensor
from studio.runtime.declarations import InPort, OutPort
from studio.runtime.sim.vehicles.vehicle import Vehicle

MEASURED: dict[type[Sensor], type[Message]] = {
    Laser: Range3d, Ultrasonic: Range3d, Gps: NavSatFix, ImuSensor: Imu, Bumper: Float64,
}  # fmt: skip
"""What each kind of sensor sends. Cameras are not simulated here."""


def ports_of(vehicles: Mapping[str, Vehicle]) -> dict[str, InPort[Any] | OutPort[Any]]:
    """By name. With one vehicle called "" its ports have no prefix."""
    found: dict[str, InPort[Any] | OutPort[Any]] = {}
    for name, vehicle in vehicles.items():
        for port, made in _vehicle_ports(vehicle):
            found[prefixed(name, port)] = made
    found["true_world"] = OutPort(String, doc="ground truth: the world as SDF, once", truth=True)
    return found


def prefixed(vehicle: str, port: str) -> str:
    return f"{vehicle}_{port}" if vehicle else port


def _vehicle_ports(vehicle: Vehicle) -> Iterator[tuple[str, InPort[Any] | OutPort[Any]]]:
    yield "command", InPort(Velocity, keep="latest", optional=True, doc="speed and steering angle; holds for 250 ms")
    if vehicle.drive.kind != "ackermann":
        yield "twist", InPort(Twist, keep="latest", optional=True, doc="speed and rate of turn; holds for 250 ms")
    yield "odometry", OutPort(Odometry, doc=f"of {vehicle.name} from its wheels, slip included")
    yield "joints", OutPort(JointState, doc="positions and speeds of all joints")
    if vehicle.has_ins:
        yield "pose", OutPort(PoseTransform, doc=f"{vehicle.name} in map, from GPS and inertial unit")
    for mount in vehicle.mounts:
        yield mount.port, OutPort(MEASURED[type(mount.sensor)], doc=f"{mount.sensor.KIND} at {mount.frame}")
    yield "true_pose", OutPort(PoseTransform, doc=f"ground truth: {vehicle.name} in map", truth=True)
    yield "collision", OutPort(String, doc="ground truth, JSON: what touched what, as it begins", truth=True)
