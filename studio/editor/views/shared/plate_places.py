"""Where the plates on a picture are: each at a place of its own, until somebody drags it elsewhere."""

from __future__ import annotations

import math

from PyQt6.QtCore import QPointF, QRectF, QSize

CLICK_PX = 4
"""What moves less was a click."""


class PlatePlaces:
    def __init__(self) -> None:
        self.shifts: dict[str, tuple[float, float]] = {}
        """By name: how far from its own place, in pixels."""
        self._seen: dict[str, QRectF] = {}
        self._name = ""
        self._from = QPointF()
        self._shift = (0.0, 0.0)
        self._was_moved = False

    def begin(self) -> None:
        """A new picture: only what is placed for it can be taken."""
        self._seen.clear()

    def place(self, name: str, home: QRectF, room: QSize) -> QRectF:
        """Where a plate is to be painted: all of it within the picture."""
        x, y = self.shifts.get(name, (0.0, 0.0))
        left = min(max(home.left() + x, 0.0), max(room.width() - home.width(), 0.0))
        top = min(max(home.top() + y, 0.0), max(room.height() - home.height(), 0.0))
        self._seen[name] = where = QRectF(left, top, home.width(), home.height())
        return where

    def at(self, point: QPointF) -> str:
        """The name of the plate there; empty if there is none."""
        return next((name for name, where in reversed(self._seen.items()) if where.contains(point)), "")

    def where(self, name: str) -> QRectF:
        return self._seen.get(name, QRectF())

    @property
    def is_held(self) -> bool:
        return bool(self._name)

    def take(self, point: QPointF) -> bool:
        """Hold the plate that is there; False if there is none."""
        self._name = self.at(point)
        self._from, self._was_moved = point, False
        self._shift = self.shifts.get(self._name, (0.0, 0.0))
        return self.is_held

    def drag(self, point: QPointF) -> None:
        by = point - self._from
        self._was_moved = self._was_moved or by.manhattanLength() > CLICK_PX
        if self._was_moved:
            self.shifts[self._name] = (self._shift[0] + by.x(), self._shift[1] + by.y())

    def let_go(self) -> tuple[str, bool]:
        """Which plate was held, and whether it was moved or only clicked."""
        name, self._name = self._name, ""
        return name, self._was_moved

    def put_back(self, name: str) -> None:
        self.shifts.pop(name, None)

    def save(self) -> dict[str, list[float]]:
        return {name: [round(x), round(y)] for name, (x, y) in self.shifts.items()}

    def restore(self, kept: object) -> None:
        """From a file: what makes sense."""
        for name, shift in kept.items() if isinstance(kept, dict) else ():
            numbers = shift if isinstance(shift, list) and len(shift) == 2 else ()
            if all(isinstance(number, int | float) and math.isfinite(number) for number in numbers) and numbers:
                self.shifts[str(name)] = (float(numbers[0]), float(numbers[1]))
