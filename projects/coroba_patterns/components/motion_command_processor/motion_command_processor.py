"""Turns the position of a stick into a motion of a vehicle."""

from __future__ import annotations

import math

from studio.messages import Joy, Twist
from studio.runtime.component import Component, InPort, OutPort, Parameter


class MotionCommandProcessor(Component):
    """Turns the axes of a stick into speed and yaw rate: small motions count for nothing, large ones for most.

    On every event; or periodically or at a trigger, with the stick as it was last.
    """

    icon = "mdi6.tune-variant"
    tags = ("operator",)
    activations = ("event", "periodic", "trigger")
    period_s = 0.1

    motion = InPort(Joy, keep="latest", doc="axis 0: left, axis 1: forward")
    command = OutPort(Twist, doc="the motion that is wanted")

    top_speed_m_s = Parameter(0.8, minimum=0.0, maximum=3.0, unit="m/s", doc="with the stick pushed fully")
    top_yaw_rate_rad_s = Parameter(1.0, minimum=0.0, maximum=6.0, unit="rad/s", doc="with the stick fully to one side")
    dead_zone = Parameter(0.1, minimum=0.0, maximum=0.9, doc="less than this is a stick at rest")

    def on_motion(self, stick: Joy) -> None:
        if self.activation == "event":
            self._publish(stick)

    def on_timer(self) -> None:
        self._publish_latest()

    def on_trigger(self) -> None:
        self._publish_latest()

    def _publish_latest(self) -> None:
        stick = self.motion.latest
        if stick is not None:
            self._publish(stick)

    def _publish(self, stick: Joy) -> None:
        speed = self.top_speed_m_s * self._shaped(stick.axis(1))
        self.command.publish(Twist.planar(speed, self.top_yaw_rate_rad_s * self._shaped(stick.axis(0))))

    def _shaped(self, axis: float) -> float:
        beyond = max(0.0, abs(axis) - self.dead_zone) / (1.0 - self.dead_zone)
        return math.copysign(beyond**2, axis)
