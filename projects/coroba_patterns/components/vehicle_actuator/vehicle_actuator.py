"""A small round vehicle in a room of its own: drives as it is told, and feels what is around it."""

from __future__ import annotations

import math

from studio.messages import Float64, Joy, Odometry, Range3d, Twist
from studio.runtime.component import Component, InPort, OutPort, Parameter, State

from .arena import Arena

NS_PER_S = 1_000_000_000
COMMAND_VALID_NS = 250_000_000
"""A command acts for so long; then the vehicle stands until the next one."""
SONARS = 16


class VehicleActuator(Component):
    """Drives a toy vehicle through a room with a pillar, by a stick directly or by motion commands.

    Nothing is real here: the vehicle exists in this component only. It reports where it is, what a ring of sixteen
    sonars measures, and how often it has bumped into something. A command acts for 250 ms.
    """

    category = "actuator"
    icon = "mdi6.robot-vacuum"
    tags = ("vehicle", "toy")
    activations = ("periodic",)
    period_s = 0.05

    motion = InPort(Joy, optional=True, doc="a stick that drives it directly: 1 is top speed")
    command = InPort(Twist, optional=True, doc="the motion that is wanted")
    pose = OutPort(Odometry, doc="where it is and how fast")
    ranges = OutPort(Range3d, doc="a ring of sonars, counter-clockwise from straight ahead")
    bumps = OutPort(Float64, doc="how often it has run into something so far")

    room_m = Parameter((10.0, 6.0), unit="m", doc="length and width of the room")
    pillar_m = Parameter((2.0, 1.0, 0.4), unit="m", doc="x, y and radius of the pillar")
    start_m = Parameter((-3.0, 0.0, 0.0), doc="x, y in m and heading in rad at the start")
    radius_m = Parameter(0.25, minimum=0.05, maximum=1.0, unit="m", doc="of the vehicle")
    top_speed_m_s = Parameter(0.8, minimum=0.0, maximum=3.0, unit="m/s", doc="it cannot go faster")
    top_yaw_rate_rad_s = Parameter(1.0, minimum=0.0, maximum=6.0, unit="rad/s", doc="it cannot turn faster")
    driven_m = State(0.0, unit="m", doc="how far it has driven")

    def on_activate(self) -> None:
        self._x_m, self._y_m, self._yaw_rad = self.start_m
        self._speed_m_s = self._yaw_rate_rad_s = 0.0
        self._last_ns = self.now()
        self._valid_until_ns = 0
        self._touches = False
        self._bumped = 0
        self.driven_m = 0.0

    def on_clock_jump(self) -> None:
        self._last_ns = self.now()
        self._valid_until_ns = 0

    def on_motion(self, stick: Joy) -> None:
        self._obey(stick.axis(1) * self.top_speed_m_s, stick.axis(0) * self.top_yaw_rate_rad_s)

    def on_command(self, twist: Twist) -> None:
        self._obey(twist.speed_m_s, twist.yaw_rate_rad_s)

    def _obey(self, speed_m_s: float, yaw_rate_rad_s: float) -> None:
        self._speed_m_s = min(max(speed_m_s, -self.top_speed_m_s), self.top_speed_m_s)
        self._yaw_rate_rad_s = min(max(yaw_rate_rad_s, -self.top_yaw_rate_rad_s), self.top_yaw_rate_rad_s)
        self._valid_until_ns = self.now() + COMMAND_VALID_NS

    def on_timer(self) -> None:
        if self.now() > self._valid_until_ns:
            self._speed_m_s = self._yaw_rate_rad_s = 0.0
        self._drive((self.now() - self._last_ns) / NS_PER_S)
        self._last_ns = self.now()
        at = (self._x_m, self._y_m, self._yaw_rad, self._speed_m_s, self._yaw_rate_rad_s)
        self.pose.publish(Odometry.planar(*at, stamp_ns=self.now(), frame="room", child_frame=self.name))
        self.ranges.publish(self.get_ranges())
        self.bumps.publish(Float64(float(self._bumped)))

    def get_ranges(self) -> Range3d:
        """What the sonars measure now."""
        step_rad = 2 * math.pi / SONARS
        arena = self._arena()
        ranges = [arena.distance(self._x_m, self._y_m, self._yaw_rad + i * step_rad) for i in range(SONARS)]
        last_rad = (SONARS - 1) * step_rad
        return Range3d.from_polar(ranges, 0.0, last_rad, stamp_ns=self.now(), frame=f"{self.name}_sonars")

    def _arena(self) -> Arena:
        return Arena(*self.room_m, *self.pillar_m)

    def _drive(self, passed_s: float) -> None:
        self._yaw_rad += self._yaw_rate_rad_s * passed_s
        way_m = self._speed_m_s * passed_s
        wanted = self._x_m + way_m * math.cos(self._yaw_rad), self._y_m + way_m * math.sin(self._yaw_rad)
        before = self._x_m, self._y_m
        self._x_m, self._y_m = self._arena().pushed_out(*wanted, self.radius_m)
        self.driven_m += math.dist(before, (self._x_m, self._y_m))
        touches = math.dist(wanted, (self._x_m, self._y_m)) > 1e-6
        if touches and not self._touches:
            self._bumped += 1
            self.log.warning("bumped into something at %.1f %.1f", self._x_m, self._y_m)
        self._touches = touches
