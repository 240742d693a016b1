"""A component that calls many small Python functions: what a debugger slows down most."""

from __future__ import annotations

from studio.messages import Float64
from studio.runtime.component import Component, OutPort


def _count(depth: int) -> int:
    return 1 if depth < 2 else _count(depth - 1) + _count(depth - 2)


class Work(Component):
    """Counts at every tick."""

    category = "sensor"
    activations = ("periodic", "event")
    out = OutPort(Float64)

    def on_timer(self) -> None:
        self.out.publish(Float64(float(_count(23))))
