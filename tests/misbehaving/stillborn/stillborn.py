from __future__ import annotations

import os
import sys

from studio.runtime.component import Component


class Stillborn(Component):
    """Ends its process while it starts."""

    def on_initialize(self) -> None:
        print("the device /dev/nothing is not there", file=sys.stderr, flush=True)
        os._exit(3)
