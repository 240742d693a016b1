"""A joystick without the joystick: somebody pushes it by parameters, or it moves by itself."""

from __future__ import annotations

import math

from studio.messages import Joy
from studio.runtime.component import Component, OutPort, Parameter

NS_PER_S = 1_000_000_000


class MotionCommandSensor(Component):
    """Tells how a stick is held: one axis to the left, one forward.

    By itself it weaves forward and, now and then, back. Held by hand it stays where its parameters are. Read it
    periodically, at a trigger, or by asking for its value.
    """

    category = "sensor"
    icon = "mdi6.controller"
    tags = ("operator", "joystick")
    activations = ("periodic", "trigger")
    period_s = 0.1

    motion = OutPort(Joy, doc="axis 0: left, axis 1: forward, from -1 to 1")

    by_hand = Parameter(False, doc="where left and forward are, instead of moving by itself")
    left = Parameter(0.0, minimum=-1.0, maximum=1.0, doc="how far it is held to the left, by hand")
    forward = Parameter(0.0, minimum=-1.0, maximum=1.0, doc="position forward, set by hand")
    forth_s = Parameter(7.0, minimum=0.1, unit="s", doc="how long it is pushed, by itself")
    back_s = Parameter(2.5, minimum=0.0, unit="s", doc="and how long pulled back then")

    def on_activate(self) -> None:
        self._start_ns = self.now()

    def on_clock_jump(self) -> None:
        self._start_ns = self.now()

    def on_timer(self) -> None:
        self.motion.publish(self.get_motion())

    def on_trigger(self) -> None:
        self.motion.publish(self.get_motion())

    def get_motion(self) -> Joy:
        """The stick as it is now: also what those get who ask, whether or not it is published."""
        left, forward = (self.left, self.forward) if self.by_hand else self._by_itself()
        return Joy(stamp_ns=self.now(), frame="stick", axes=[left, forward], buttons=[0, 0])

    def _by_itself(self) -> tuple[float, float]:
        passed_s = (self.now() - self._start_ns) / NS_PER_S % (self.forth_s + self.back_s)
        if passed_s < self.forth_s:
            return 0.4 * math.sin(passed_s), 1.0
        return 0.8, -0.6
