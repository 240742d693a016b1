from __future__ import annotations

from studio.runtime.component import Component


class Uninitialized(Component):
    """Raises while it initializes."""

    def on_initialize(self) -> None:
        raise OSError("no such device: /dev/nothing")
