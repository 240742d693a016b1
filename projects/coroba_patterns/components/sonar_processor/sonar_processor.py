"""Sensor processing: many ranges become the one number that matters."""

from __future__ import annotations

import math

import numpy as np

from studio.messages import Float64, Range3d
from studio.runtime.component import Component, InPort, OutPort, Parameter


class SonarProcessor(Component):
    """The nearest thing ahead and the nearest behind, out of all that the sonars measure."""

    icon = "mdi6.signal-distance-variant"
    tags = ("sonar",)

    ranges = InPort(Range3d, doc="points in the frame of the vehicle, x forward")
    ahead = OutPort(Float64, doc="distance in m to the nearest thing ahead")
    behind = OutPort(Float64, doc="the same for the rear")

    half_angle_rad = Parameter(1.2, minimum=0.1, maximum=math.pi / 2, unit="rad", doc="what counts as ahead or behind")

    def on_ranges(self, scan: Range3d) -> None:
        angles = np.arctan2(scan.xyz[:, 1], scan.xyz[:, 0])
        for port, turned in ((self.ahead, angles), (self.behind, np.pi - np.abs(angles))):
            seen = scan.ranges_m[np.abs(turned) <= self.half_angle_rad]
            port.publish(Float64(float(seen.min()) if len(seen) else math.inf))
