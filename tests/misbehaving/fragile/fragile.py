from __future__ import annotations

from studio.messages import Float64
from studio.runtime.component import Component, InPort, OutPort, Parameter


class Fragile(Component):
    """Raises in its handler at the third value."""

    value = InPort(Float64)
    passed = OutPort(Float64, doc="what it could stand")
    stands = Parameter(2, doc="how many values it survives")

    def on_activate(self) -> None:
        self.count = 0

    def on_value(self, message: Float64) -> None:
        self.count += 1
        if self.count > self.stands:
            raise ValueError(f"value {self.count} is too much for me")
        self.passed.publish(message)
