from __future__ import annotations

import threading

from studio.messages import Float64
from studio.runtime.component import Component, InPort


class Slow(Component):
    """Takes long for each value."""

    value = InPort(Float64)

    def on_value(self, message: Float64) -> None:
        threading.Event().wait(0.05)
