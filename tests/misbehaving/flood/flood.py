from __future__ import annotations

from studio.messages import Float64
from studio.runtime.component import Component, OutPort


class Flood(Component):
    """Twenty thousand values a second."""

    activations = ("periodic",)
    period_s = 0.01
    value = OutPort(Float64)

    def on_timer(self) -> None:
        for place in range(200):
            self.value.publish(Float64(data=float(place)))
