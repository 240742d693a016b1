"""What a controller has to know of a vehicle: its drive as the body file gives it, and how far it can steer."""

from __future__ import annotations

import math
from dataclasses import dataclass

from studio.model.close_matches import did_you_mean
from studio.model.geometry.assembly import Model
from studio.model.geometry.body import Body, DriveKind
from studio.model.geometry.rotations import GeometryError


@dataclass(frozen=True)
class VehicleDrive:
    """Steering angles are those of one wheel in the middle of the axle (the bicycle model), left positive.

    The inner wheel turns further than that one, so its limit is what ends the turn. None: not known, or not steered.
    """

    body: str
    kind: DriveKind
    wheelbase_m: float
    track_m: float
    wheel_radius_m: float
    speed_max_m_s: float | None
    steering_min_rad: float | None = None
    steering_max_rad: float | None = None
    steering_rate_max_rad_s: float | None = None

    @property
    def curvature_max_per_m(self) -> float | None:
        """Of the tightest turn that it can drive to both sides; None where nothing limits it."""
        if self.steering_min_rad is None or self.steering_max_rad is None:
            return None
        return math.tan(min(-self.steering_min_rad, self.steering_max_rad)) / self.wheelbase_m

    @property
    def tightest_arc_per_m(self) -> float:
        """The curvature of the tightest arc worth a vote: where nothing limits it, the inner wheels stand still."""
        return self.curvature_max_per_m or 2.0 / self.track_m


def drive_of(model: Model, body: str = "") -> VehicleDrive:
    """Of the body of that name, or of the only one that drives."""
    driving = {name: each for name, each in model.bodies.items() if each.drive is not None}
    if body and body not in driving:
        known = did_you_mean(body, driving)
        raise GeometryError(f"{body} has no drive in the geometry {model.name}", hint=known or "it needs a <drive>")
    if not driving:
        raise GeometryError(f"nothing in the geometry {model.name} has a drive", hint="a vehicle's body has a <drive>")
    if not body and len(driving) > 1:
        raise GeometryError(f"several bodies drive: {', '.join(driving)}", hint="name one of them")
    name = body or next(iter(driving))
    return _of_body(name, driving[name])


def _of_body(name: str, body: Body) -> VehicleDrive:
    drive = body.drive
    assert drive is not None
    steered = [joint for joint in body.joints if joint.kind == "steering"]
    lower = [joint.lower for joint in steered if joint.lower is not None]
    upper = [joint.upper for joint in steered if joint.upper is not None]
    speeds = [joint.speed for joint in steered if joint.speed is not None]
    half_m = drive.track_m / 2 if len(steered) > 1 else 0.0
    return VehicleDrive(
        name, drive.kind, drive.wheelbase_m, drive.track_m, drive.wheel_radius_m, drive.speed_max_m_s,
        -_in_the_middle(-max(lower), drive.wheelbase_m, half_m) if lower else None,
        _in_the_middle(min(upper), drive.wheelbase_m, half_m) if upper else None,
        min(speeds, default=None),
    )  # fmt: skip


def _in_the_middle(inner_rad: float, wheelbase_m: float, half_track_m: float) -> float:
    """The angle of the wheel in the middle while the inner one stands at `inner_rad`, both rolling about one point."""
    if inner_rad <= 0:
        return 0.0
    if inner_rad >= math.pi / 2:
        return math.pi / 2 if half_track_m == 0 else math.atan2(wheelbase_m, half_track_m)
    return math.atan2(wheelbase_m, wheelbase_m / math.tan(inner_rad) + half_track_m)
