"""Looking around: what is seen changes, the vehicle does not."""

from __future__ import annotations

from studio.editor.geometry.view.gestures.gesture import Spot
from studio.editor.geometry.view.stage import Stage


class OrbitGesture:
    words = "Orbit · Shift or the right button pans, the wheel zooms"

    def __init__(self, stage: Stage, spot: Spot) -> None:
        self.stage = stage
        self._at = spot.x, spot.y

    def move(self, spot: Spot) -> None:
        spot.camera.orbit(spot.x - self._at[0], spot.y - self._at[1])
        self._at = spot.x, spot.y

    def end(self) -> bool:
        return False

    def cancel(self) -> None:
        """The camera stays where it is."""


class PanGesture(OrbitGesture):
    words = "Pan"

    def move(self, spot: Spot) -> None:
        spot.camera.pan(spot.x - self._at[0], self._at[1] - spot.y, spot.size[1])
        self._at = spot.x, spot.y
