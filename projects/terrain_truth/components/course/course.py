"""Drives a course that is written down beforehand."""

from __future__ import annotations

import math

from studio.messages import Velocity
from studio.runtime.component import Component, OutPort, Parameter

NS_PER_S = 1_000_000_000


class Course(Component):
    """Sends the commands of a course, one after the other, and then stops. It looks at nothing: every drive of the same
    course is the same."""

    category = "processor"
    icon = "mdi6.map-marker-path"
    tags = ("driving",)
    activations = ("periodic",)
    period_s = 0.1

    command = OutPort(Velocity, doc="speed and steering angle")

    legs = Parameter(
        (4.0, 1.5, 0.0), doc="for each leg its seconds, speed (m/s) and steering angle (degrees, left positive)"
    )

    def on_activate(self) -> None:
        self._begun_ns: int | None = None

    def on_clock_jump(self) -> None:
        self._begun_ns = None

    def on_timer(self) -> None:
        if self._begun_ns is None:
            self._begun_ns = self.now()
        speed_m_s, angle_deg = self._at((self.now() - self._begun_ns) / NS_PER_S)
        self.command.publish(
            Velocity(stamp_ns=self.now(), steering_angle_rad=math.radians(angle_deg), speed_m_s=speed_m_s)
        )

    def _at(self, since_s: float) -> tuple[float, float]:
        for start in range(0, len(self.legs) - 2, 3):
            duration_s, speed_m_s, angle_deg = self.legs[start : start + 3]
            if since_s < duration_s:
                return speed_m_s, angle_deg
            since_s -= duration_s
        return 0.0, 0.0
