"""Assisted tele-control: a person says where to, the sensors say how fast."""

from __future__ import annotations

import math

from studio.messages import Float64, Twist
from studio.runtime.component import Component, InPort, OutPort, Parameter


class Assistant(Component):
    """Lets a wanted motion through as far as there is room for it: no faster than the vehicle could still stop.

    Turning is always let through. Without a distance nothing moves.
    """

    icon = "mdi6.hand-back-right"
    tags = ("operator", "safety")

    wanted = InPort(Twist, doc="what the operator wants")
    ahead = InPort(Float64, keep="latest", doc="distance in m to the nearest thing ahead")
    behind = InPort(Float64, keep="latest", doc="the same behind")
    allowed = OutPort(Twist, doc="commands for the vehicle")

    margin_m = Parameter(0.5, minimum=0.0, maximum=5.0, unit="m", doc="stop when an obstacle is this near")
    braking_m_s2 = Parameter(0.4, minimum=0.01, maximum=10.0, unit="m/s2", doc="how hard the vehicle can brake")

    def on_wanted(self, motion: Twist) -> None:
        forward = motion.speed_m_s >= 0
        distance = (self.ahead if forward else self.behind).latest
        room_m = 0.0 if distance is None else max(0.0, distance.data - self.margin_m)
        most_m_s = math.sqrt(2 * self.braking_m_s2 * room_m)
        speed = math.copysign(min(abs(motion.speed_m_s), most_m_s), motion.speed_m_s)
        self.allowed.publish(Twist.planar(speed, motion.yaw_rate_rad_s))
