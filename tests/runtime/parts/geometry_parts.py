"""Components of the geometry tests: one that asks, one that moves a joint."""

from __future__ import annotations

import numpy as np

from studio.messages import Float64, JointState
from studio.runtime.component import Component, GeometryError, InPort, OutPort, Parameter

STEERING = "Raptor.front_left_steering"


class Asker(Component):
    """On every event: where the camera is, how the wheel points, and which geometry it knows."""

    raw = InPort(Float64)
    out = OutPort(Float64)
    changes = OutPort(Float64)
    after_ns = Parameter(0, doc="how long before the event the wheel is asked for; 0: where it was last")

    def on_initialize(self) -> None:
        self.height = float(self.geometry.transform("Flea:ImagePlane", "Raptor:FrontBumperCenter")[2, 3])
        self.seen: list[str] = []

    def on_geometry(self) -> None:
        self.height = float(self.geometry.transform("Flea:ImagePlane", "Raptor:FrontBumperCenter")[2, 3])
        self.changes.publish(Float64(self.height))

    def on_raw(self, message: Float64) -> None:
        at_ns = self.now() - self.after_ns if self.after_ns else None
        try:
            wheel = self.geometry.transform("Raptor:FrontLeftHub", "Raptor", at_ns)
            yaw = float(np.arctan2(wheel[1, 0], wheel[0, 0]))
        except GeometryError as error:
            self.seen.append(str(error))
            yaw = -1.0
        self.out.publish(Float64(self.height + 10.0 * yaw))


class Steerer(Component):
    """Turns the wheel by 0.01 rad with every tick."""

    activations = ("periodic",)
    joints = OutPort(JointState)

    def on_activate(self) -> None:
        self.count = 0

    def on_timer(self) -> None:
        self.count += 1
        state = JointState(stamp_ns=self.now(), names=(STEERING, "nobody.knows"), position=[0.01 * self.count, 1.0])
        self.joints.publish(state)
