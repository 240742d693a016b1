from __future__ import annotations

import threading

from studio.messages import Float64
from studio.runtime.component import Component, InPort


class Stuck(Component):
    """Never comes back from its first value."""

    value = InPort(Float64, keep="latest")

    def on_value(self, message: Float64) -> None:
        threading.Event().wait()
