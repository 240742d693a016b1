"""What a dragged number or place sticks to: steps, angles, other frames, faces. Remembered between starts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from studio.editor.geometry.protocols import Store

STEPS_M = (0.001, 0.005, 0.01, 0.05, 0.1)
STEPS_DEG = (1.0, 5.0, 15.0, 45.0, 90.0)
FREE_M, FREE_DEG = 0.0001, 0.01
"""To which a drag rounds that snaps to nothing: no mouse is finer."""


@dataclass(frozen=True)
class Snap:
    is_on: bool = True
    step_m: float = 0.01
    step_deg: float = 5.0
    to_frames: bool = True
    to_faces: bool = False

    def length(self, value: float, *, free: bool = False) -> float:
        return _nearest(value, self.step_m if self.is_on != free else FREE_M)

    def angle(self, value_rad: float, *, free: bool = False) -> float:
        step = self.step_deg if self.is_on != free else FREE_DEG
        return math.radians(_nearest(math.degrees(value_rad), step))

    def words(self, turns: bool) -> str:
        if not self.is_on:
            return "no snap"
        return f"snap {self.step_deg:g}°" if turns else f"snap {self.step_m * 1000:g} mm"

    def kept(self, store: Store) -> None:
        for name in ("is_on", "step_m", "step_deg", "to_frames", "to_faces"):
            value = getattr(self, name)
            store.set_text(f"geometry/snap_{name}", str(int(value)) if isinstance(value, bool) else repr(value))

    @classmethod
    def restored(cls, store: Store) -> Snap:
        """What makes no sense is as at first."""
        made = cls()
        for name in ("is_on", "to_frames", "to_faces"):
            if store.text(f"geometry/snap_{name}") in ("0", "1"):
                made = replace(made, **{name: store.text(f"geometry/snap_{name}") == "1"})
        for name in ("step_m", "step_deg"):
            try:
                value = float(store.text(f"geometry/snap_{name}"))
            except ValueError:
                continue
            if math.isfinite(value) and 0 < value <= 360:
                made = replace(made, step_m=value) if name == "step_m" else replace(made, step_deg=value)
        return made


def _nearest(value: float, step: float) -> float:
    return round(round(value / step) * step, 9) + 0.0
