from __future__ import annotations

import threading

from studio.messages import Float64
from studio.runtime.component import Component, InPort


class Stubborn(Component):
    """Never returns from its handler."""

    value = InPort(Float64)

    def on_value(self, message: Float64) -> None:
        self.log.warning("I stay here")
        threading.Event().wait()
