"""What components/c_filter does, in Python: their bytes must be the same."""

from __future__ import annotations

from studio.messages import Float64
from studio.runtime.component import Component, InPort, OutPort, Parameter


class Twin(Component):
    raw = InPort(Float64)
    smooth = OutPort(Float64)
    gain = Parameter(0.25, minimum=0.0, maximum=1.0)

    def on_activate(self) -> None:
        self.level: float | None = None

    def on_raw(self, message: Float64) -> None:
        raw = message.data
        self.level = raw if self.level is None else self.level + self.gain * (raw - self.level)
        self.smooth.publish(Float64(self.level))
