"""Gives a real vehicle something harmless to do."""

from __future__ import annotations

import math

import numpy as np

from studio.messages import Range3d, Velocity
from studio.runtime.component import Component, InPort, OutPort, Parameter

NS_PER_S = 1_000_000_000


class BenchDriver(Component):
    """Drives slowly in S-curves and stops in front of obstacles.

    Without a recent scan it commands zero speed and reports trouble: a bench driver that is blind does not drive, and a
    real vehicle stays stopped until a person resumes it.
    """

    category = "processor"
    icon = "mdi6.steering"
    tags = ("drive", "bench")
    activations = ("periodic",)
    period_s = 0.05

    scan = InPort(Range3d, keep="latest", doc="what lies ahead")
    command = OutPort(Velocity, doc="one per period")

    speed_m_s = Parameter(0.2, minimum=0.0, maximum=1.0, unit="m/s", doc="where nothing is in the way")
    steering_rad = Parameter(0.3, minimum=0.0, maximum=0.6, unit="rad", doc="to each side")
    swing_s = Parameter(8.0, minimum=1.0, maximum=120.0, unit="s", doc="time of one S")
    clearance_m = Parameter(0.6, minimum=0.1, maximum=10.0, unit="m", doc="an obstacle nearer than this stops it")
    half_width_m = Parameter(0.3, minimum=0.05, maximum=5.0, unit="m", doc="of the strip ahead that must be free")
    blind_after_s = Parameter(0.5, minimum=0.05, maximum=10.0, unit="s", doc="an older scan does not count")

    def on_timer(self) -> None:
        now_ns = self.now()
        phase = 2.0 * math.pi * (now_ns / NS_PER_S) / self.swing_s
        self.trouble = "no recent scan" if self._is_blind(now_ns) else ""
        speed = self.speed_m_s if not self.trouble and self._is_free() else 0.0
        steering = self.steering_rad * math.sin(phase)
        self.command.publish(Velocity(stamp_ns=now_ns, speed_m_s=speed, steering_angle_rad=steering))

    def _is_blind(self, now_ns: int) -> bool:
        scan = self.scan.latest
        return scan is None or now_ns - scan.stamp_ns > self.blind_after_s * NS_PER_S

    def _is_free(self) -> bool:
        scan = self.scan.latest
        assert scan is not None
        x, y = scan.points[:, 0], scan.points[:, 1]
        near = (x > 0.0) & (x < self.clearance_m) & (np.abs(y) < self.half_width_m)
        return not bool(near.any())
