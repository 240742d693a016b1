"""Whether what components are set to agrees with what the geometry says of their sensors and of the vehicle."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from studio.model.geometry.assembly import Model
from studio.model.geometry.rotations import GeometryError
from studio.model.geometry.sensors import Sensor
from studio.model.geometry.vehicle import VehicleDrive, drive_of
from studio.model.spec import Value

SAME = {"fov_deg": ("fov_deg", "angle_deg"), "rate_hz": ("rate_hz",)} | {
    name: (name,) for name in ("range_min_m", "range_max_m", "width_px", "height_px", "beams")
}
"""What a body tells of a sensor -> the parameters in which drivers have the same."""
OF_DRIVE = ("wheelbase_m", "track_m", "wheel_radius_m")
MOST = {
    "speed_max_m_s": ("speed_max_m_s", "top_speed_m_s", "max_speed_m_s"),
    "steering_max_rad": ("steering_max_rad", "most_steering_rad", "max_steering_rad"),
}
"""What the vehicle can do at most -> parameters that must not be above it."""
RATE_SHARE = 0.2
"""A sensor that runs free is a little off; half the rate is a setting."""


class Disagreement(NamedTuple):
    parameter: str
    message: str


def sensors_in(model: Model, frame: str) -> dict[str, Sensor]:
    """The sensors that measure in a frame, by `Body.sensor`."""
    return {
        f"{name}.{sensor.name}": sensor
        for name, body in model.bodies.items()
        for sensor in body.sensors
        if f"{name}:{sensor.frame}" == frame
    }


def sensor_disagreements(
    sensors: Mapping[str, Sensor], values: Mapping[str, Value], period_s: float | None
) -> Iterator[Disagreement]:
    """Of a driver; `period_s` if it is one that measures periodically."""
    values = dict(values)
    if isinstance(left := values.get("left_deg"), float) and isinstance(right := values.get("right_deg"), float):
        values.setdefault("fov_deg", left - right)
    for name, sensor in sensors.items():
        told = sensor.values()
        for key, parameters in SAME.items():
            for parameter in parameters:
                mine, theirs = values.get(parameter), told.get(key)
                if _number(mine) and theirs is not None and not _agree(key, float(mine), theirs):  # type: ignore[arg-type]
                    yield Disagreement(parameter, f"{parameter} is {mine:g}, {key} of {name} is {theirs:g}")
        rate_hz = sensor.rate_hz
        if period_s and rate_hz and abs(1 / period_s - rate_hz) > RATE_SHARE * rate_hz:
            message = f"it measures every {period_s:g} s, {1 / period_s:g} times per second, rate_hz of {name} is"
            yield Disagreement("period_s", f"{message} {rate_hz:g}")


def drive_disagreements(model: Model, values: Mapping[str, Value]) -> Iterator[Disagreement]:
    """Numbers of the vehicle that a component has of its own."""
    try:
        drive = drive_of(model)
    except GeometryError:
        return  # nothing drives, or several do
    for key in OF_DRIVE:
        mine, theirs = values.get(key), getattr(drive, key)
        if _number(mine) and not math.isclose(float(mine), theirs, rel_tol=1e-6):  # type: ignore[arg-type]
            yield Disagreement(key, f"{key} is {mine:g}, that of {drive.body} is {theirs:g}")
    for key, parameters in MOST.items():
        yield from _above(drive, key, {name: values[name] for name in parameters if name in values})


def _above(drive: VehicleDrive, key: str, values: Mapping[str, Value]) -> Iterator[Disagreement]:
    most = getattr(drive, key)
    for name, mine in values.items():
        if most is not None and _number(mine) and float(mine) > most * (1 + 1e-6):  # type: ignore[arg-type]
            yield Disagreement(name, f"{name} is {mine:g}, {key} of {drive.body} is {most:.4g}")


def _agree(key: str, mine: float, theirs: float) -> bool:
    if key == "rate_hz":
        return abs(mine - theirs) <= RATE_SHARE * theirs
    return math.isclose(mine, theirs, rel_tol=0.01, abs_tol=1e-9)


def _number(value: Value | None) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
