"""Whether anything moves by itself: everything that does asks here how long it may take."""

from __future__ import annotations


class Motion:
    def __init__(self) -> None:
        self.is_reduced = False

    def lasts(self, milliseconds: int) -> int:
        """No time at all for who wants no motion."""
        return 0 if self.is_reduced else milliseconds


MOTION = Motion()
