"""A controller for tests: always the same command."""

from __future__ import annotations

from studio.messages import Velocity
from studio.runtime.component import Component, OutPort, Parameter


class SteadyDriver(Component):
    """Commands the same speed every period."""

    activations = ("periodic",)
    period_s = 0.02

    command = OutPort(Velocity)
    speed_m_s = Parameter(0.4)
    blind = Parameter(False, doc="it cannot do its work: it says so, and commands zero speed")

    def on_timer(self) -> None:
        self.trouble = "sees nothing" if self.blind else ""
        speed_m_s = 0.0 if self.blind else self.speed_m_s
        self.command.publish(Velocity(stamp_ns=self.now(), speed_m_s=speed_m_s))
