"""GPS and inertial unit together: the pose of a vehicle's origin in the world. Where there is no fix for a moment, the
inertial unit knows; what the GPS is off by, it does not."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.messages import PoseTransform
from studio.messages.message import like
from studio.model.geometry.sensors import Gps
from studio.model.geometry.sensors import Imu as ImuSensor
from studio.runtime.sim.vehicles.sensed_motion import compiled_sensed
from studio.runtime.sim.vehicles.vehicle import DEFAULT_RATE_HZ, Vehicle

MAP = "map"
QUIET, AS_IT_IS = np.zeros(6), np.eye(3)
"""No noise, and mounted straight."""

Read = Callable[[NDArray[np.float64], NDArray[np.float64], np.random.Generator, int], PoseTransform]
"""From the axes and the place of a vehicle, randomness and a stamp."""


def ins_of(vehicle: Vehicle, heading_deg: float) -> tuple[float, Read]:
    """Its rate in Hz, and what it tells. `heading_deg`: of the world."""
    gps = next(mount.sensor for mount in vehicle.mounts if isinstance(mount.sensor, Gps))
    imu = next(mount.sensor for mount in vehicle.mounts if isinstance(mount.sensor, ImuSensor))
    turn = imu.noise_attitude_rad or 0.0
    spread = np.array([gps.noise_m, gps.noise_m, gps.noise_up_m, turn, turn, turn])
    is_noisy = bool(spread.any())
    # It is off to the east and to the north, which are not the axes of the map where that is turned.
    bias_m, heading = gps.bias_m or 0.0, math.radians(heading_deg)
    cosine, sine = math.cos(heading), math.sin(heading)
    bias = np.array([bias_m * (cosine + sine), bias_m * (cosine - sine), gps.bias_up_m or 0.0])
    is_off = bool(bias.any())
    sensed, ignored = compiled_sensed(), np.empty(4)
    blank = PoseTransform(frame=MAP, child_frame=vehicle.name, attitude_covariance=np.eye(3) * turn**2)

    def read(axes: Any, place: Any, random: np.random.Generator, stamp_ns: int) -> PoseTransform:
        noise = random.standard_normal(6) if is_noisy else QUIET
        pose = np.empty((4, 4))
        sensed(axes, place, AS_IT_IS, noise, spread, pose, ignored)
        if is_off:
            pose[:3, 3] += bias
        pose.setflags(write=False)
        return like(blank, stamp_ns=stamp_ns, matrix=pose)

    return imu.rate_hz or DEFAULT_RATE_HZ, read
