"""Simulated devices: they measure as their bodies tell, with bias, steps and drop-outs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from studio.messages import NavSatFix, Range3d
from studio.model.geometry.sensors import Gps, Imu, Laser, Ultrasonic
from studio.runtime.sim.physics.devices import Moment, devices_of
from studio.runtime.sim.physics.physics import Physics
from studio.runtime.sim.pioneers import Pioneer2dxSimulator
from studio.runtime.sim.raptor import RaptorSimulator
from studio.runtime.sim.simulator import Simulator
from studio.runtime.sim.worlds.made_worlds import block, ground
from studio.runtime.sim.worlds.world import Place, World

YARD = World("yard", [ground(), block("wall", 3.5, 0.0, (1.0, 30.0, 2.0))], latitude_deg=0.0, longitude_deg=0.0)
IDEAL: dict[str, Any] = {"noise_m": 0.0, "dropout": None, "resolution_m": None}


def measured(simulator: type[Simulator], kind: type, place: Place, count: int = 1, **changes: Any) -> list[Any]:
    """What the first sensor of a kind tells, if its body says something else."""
    vehicle = simulator.models[""]
    mounts = [
        replace(mount, sensor=replace(mount.sensor, **changes)) if isinstance(mount.sensor, kind) else mount
        for mount in vehicle.mounts
    ]
    port = next(mount.port for mount in mounts if isinstance(mount.sensor, kind))
    changed = replace(vehicle, mounts=mounts)
    physics = Physics(YARD, [("robot", changed)], [place])
    [device] = [device for device in devices_of(physics, 0, changed) if device.port == port]
    random = np.random.default_rng(5)
    return [device.measure(Moment(number, random, {})) for number in range(count)]


def test_the_hokuyo_sees_240_degrees_in_683_beams_and_whole_millimetres() -> None:
    inside = Place(2.0, 0.0)
    [scan] = measured(Pioneer2dxSimulator, Laser, inside, range_max_m=30.0, **{**IDEAL, "resolution_m": 0.001})
    angles = np.arctan2(scan.points[:, 1], scan.points[:, 0])
    assert scan.frame == "Laser:ScanOrigin"
    ahead = np.abs(angles) < 1.2
    assert np.diff(angles[ahead]) == pytest.approx(math.radians(240.0) / 682, abs=1e-4)
    assert scan.points[ahead, 0] == pytest.approx(3.0 - 2.1, abs=0.002), "a straight wall"
    assert np.allclose(scan.ranges_m * 1000, np.round(scan.ranges_m * 1000), atol=1e-2)
    shipped = measured(Pioneer2dxSimulator, Laser, Place(2.7 - 0.25, 0.0), 40)
    beams = [len(scan.points) for scan in shipped]
    assert max(scan.ranges_m.max() for scan in shipped) <= 4.095
    lost = 1.0 - np.mean(beams) / len(measured(Pioneer2dxSimulator, Laser, Place(2.45, 0.0), **IDEAL)[0].points)
    assert 0.001 < lost < 0.02, "one in 200, and those at the end of the range"


def test_a_sonar_is_off_steps_and_is_sometimes_not_heard() -> None:
    def nearest(**changes: Any) -> float:
        [told] = measured(Pioneer2dxSimulator, Ultrasonic, Place(1.5, -1.0, 0.0), **{**IDEAL, **changes})
        assert isinstance(told, Range3d)
        return float(told.ranges_m[0])

    exact = nearest()
    assert nearest(bias_m=0.3) == pytest.approx(exact + 0.3)
    assert nearest(resolution_m=0.25) == pytest.approx(round(exact / 0.25) * 0.25)
    heard = measured(Pioneer2dxSimulator, Ultrasonic, Place(1.5, -1.0), 400, **{**IDEAL, "dropout": 0.25})
    assert 0.15 < np.mean([len(told.points) == 0 for told in heard]) < 0.35


def test_a_receiver_is_off_steps_and_is_sometimes_without_a_fix() -> None:
    quiet: dict[str, Any] = {**IDEAL, "noise_up_m": 0.0}

    def at_m(**changes: Any) -> tuple[float, float, float]:
        [fix] = measured(RaptorSimulator, Gps, Place(-9.0, 4.0), **{**quiet, **changes})
        assert fix.status == NavSatFix.STATUS_FIX
        return fix.longitude_deg * 111_319.5, fix.latitude_deg * 110_574.3, fix.altitude_m

    east, north, up = at_m()
    assert at_m(bias_m=2.0, bias_up_m=-1.0) == pytest.approx((east + 2.0, north + 2.0, up - 1.0), abs=1e-3)
    stepped = at_m(resolution_m=0.5)
    assert [value / 0.5 for value in stepped] == pytest.approx([round(value / 0.5) for value in stepped], abs=1e-3)
    fixes = measured(RaptorSimulator, Gps, Place(-9.0, 4.0), 400, **{**quiet, "dropout": 0.25})
    lost = [fix for fix in fixes if fix.status == NavSatFix.STATUS_NO_FIX]
    assert 60 < len(lost) < 140 and all(math.isnan(fix.latitude_deg) for fix in lost)


def test_what_the_receiver_is_off_by_is_in_the_pose_too() -> None:
    vehicle = RaptorSimulator.models[""]
    mounts = [
        replace(mount, sensor=replace(mount.sensor, bias_m=1.5)) if isinstance(mount.sensor, Gps) else mount
        for mount in vehicle.mounts
    ]
    changed = replace(vehicle, mounts=mounts)
    # A receiver is off to the east and to the north; with x to the north, that is along x and against y.
    for heading_deg, expected in ((0.0, (1.5, 1.5)), (90.0, (1.5, -1.5)), (180.0, (-1.5, -1.5))):
        physics = Physics(replace(YARD, heading_deg=heading_deg), [("robot", changed)], [Place(-9.0, 4.0)])
        pose = next(device for device in devices_of(physics, 0, changed) if device.port == "pose")
        found = pose.measure(Moment(0, np.random.default_rng(5), {}))
        off_m = found.position[:2] - physics.pose(0)[:2, 3]  # type: ignore[attr-defined]
        assert off_m == pytest.approx(expected, abs=0.1)


def test_an_inertial_unit_is_off_and_steps() -> None:
    still: dict[str, Any] = {"noise_gyro_rad_s": 0.0, "noise_accelerometer_m_s2": 0.0, "noise_attitude_rad": 0.0}
    given: dict[str, Any] = {"bias_gyro_rad_s": 0.031, "bias_accelerometer_m_s2": 0.0}
    [told] = measured(RaptorSimulator, Imu, Place(-9.0, 4.0), **still, **given, resolution_gyro_rad_s=0.01)
    assert told.angular_velocity == pytest.approx([0.03] * 3, abs=1e-9)
    assert np.linalg.norm(told.linear_acceleration) == pytest.approx(9.81, abs=0.05)
