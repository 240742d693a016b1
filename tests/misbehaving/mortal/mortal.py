from __future__ import annotations

import os
import sys

from studio.messages import Float64
from studio.runtime.component import Component, InPort


class Mortal(Component):
    """Takes its whole process down at the first value."""

    value = InPort(Float64)

    def on_value(self, message: Float64) -> None:
        print("goodbye, cruel channel", file=sys.stderr, flush=True)
        os._exit(7)
