"""Drives towards open space and around what the laser sees: laser in, speed and rate of turn out."""

from __future__ import annotations

import numpy as np

from studio.messages import Range3d, Twist
from studio.runtime.component import Component, InPort, OutPort, Parameter

from .open_space import Floats, free_lengths, most_open

NS_PER_S = 1_000_000_000
STRAIGHT = np.array([0.0])


class LaserObstacleAvoid(Component):
    """Wanders: drives where the laser sees most room, slower the less of it is ahead, and turns where there is none.

    The example of the OpenRTM paper, for vehicles that turn on the spot. Where the laser sits and how much room the
    vehicle takes comes from the geometry.
    """

    category = "processor"
    icon = "mdi6.robot-vacuum"
    tags = ("driving", "laser")
    activations = ("periodic",)
    period_s = 0.1
    needs_geometry = True

    scan = InPort(Range3d, keep="latest", doc="echoes in the frame of the laser")
    motion = OutPort(Twist, doc="speed and rate of turn, once per period; both 0 while there is no scan")

    max_speed_m_s = Parameter(0.5, minimum=0.0, maximum=10.0, unit="m/s", doc="speed with nothing ahead")
    max_turn_rad_s = Parameter(1.0, minimum=0.05, maximum=10.0, unit="rad/s", doc="fastest turn")
    margin_m = Parameter(0.12, minimum=0.0, maximum=5.0, unit="m", doc="what has to be free around the vehicle")
    stop_m = Parameter(0.35, minimum=0.0, maximum=10.0, unit="m", doc="with less room ahead it turns on the spot")
    slow_m = Parameter(
        1.2, minimum=0.05, maximum=50.0, unit="m", doc="it drives at full speed with this much additional room ahead"
    )
    view_rad = Parameter(1.9, minimum=0.1, maximum=3.14, unit="rad", doc="how far to each side it looks for room")
    preference = Parameter(0.5, minimum=0.0, maximum=1.0, doc="how much it likes to go straight on")
    max_age_s = Parameter(
        0.5, minimum=0.05, maximum=10.0, unit="s", doc="the vehicle stops when the scan is older than this"
    )
    vehicle = Parameter("", kind="vehicle", doc="the body that drives, where the geometry has several: left_Pioneer2DX")

    def on_activate(self) -> None:
        self._turning = 0.0

    def on_clock_jump(self) -> None:
        self._turning = 0.0

    def on_timer(self) -> None:
        scan = self.scan.latest
        if scan is None or self.now() - scan.stamp_ns > self.max_age_s * NS_PER_S:
            self.motion.publish(Twist())
            return
        self.motion.publish(self._decided(self._around(scan)))

    def _around(self, scan: Range3d) -> Floats:
        """The echoes as seen from the middle of the axle; those on the vehicle itself are left out."""
        drive, outline = self.geometry.drive(self.vehicle), self.geometry.outline(self.vehicle)
        at = self.geometry.transform(scan.frame or drive.body, drive.body)
        points = scan.xyz.astype(np.float64) @ at[:3, :3].T + at[:3, 3]
        points = points[np.isfinite(points).all(axis=1)]
        low = (points[:, 2] > 0.02) & (points[:, 2] < outline.height_m + self.margin_m)
        own = (points[:, 0] < outline.front_m) & (points[:, 0] > -outline.rear_m)
        own &= (points[:, 1] < outline.left_m) & (points[:, 1] > -outline.right_m)
        kept: Floats = points[low & ~own, :2]
        return kept

    def _decided(self, points: Floats) -> Twist:
        outline = self.geometry.outline(self.vehicle)
        half_m = max(outline.left_m, outline.right_m) + self.margin_m
        most_m = outline.front_m + self.stop_m + 2.0 * self.slow_m
        ahead_m = float(free_lengths(points, STRAIGHT, half_m, most_m)[0]) - outline.front_m
        near_m = float(np.hypot(*points.T).min(initial=most_m)) - outline.reach_m
        directions = np.linspace(-self.view_rad, self.view_rad, 2 * round(self.view_rad / 0.07) + 1)
        aim_rad = most_open(directions, free_lengths(points, directions, half_m, most_m), self.preference)
        if self._turning and ahead_m > self.stop_m + 0.3 * self.slow_m and abs(aim_rad) < 0.6:
            self._turning = 0.0
        if not self._turning and ahead_m < self.stop_m:
            # Once it turns it keeps the side, or it would swing to and fro in a corner.
            self._turning = 1.0 if aim_rad >= 0.0 else -1.0
        if self._turning:
            return Twist.planar(0.0, self._turning * self.max_turn_rad_s)
        room = np.clip((ahead_m - self.stop_m) / self.slow_m, 0.1, 1.0)
        # Beside a wall a turn swings a corner into it.
        beside = np.clip(near_m / (2.0 * self.margin_m + 1e-6), 0.2, 1.0)
        turn_rad_s = float(np.clip(1.5 * aim_rad, -self.max_turn_rad_s, self.max_turn_rad_s))
        speed_m_s = self.max_speed_m_s * float(room * beside) * max(0.1, float(np.cos(aim_rad)))
        return Twist.planar(speed_m_s, turn_rad_s)
