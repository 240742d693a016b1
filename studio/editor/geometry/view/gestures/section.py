"""A plane that cuts the vehicle open, dragged along its normal. The files do not change."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from studio.editor.geometry.view.gestures.gesture import Spot
from studio.editor.geometry.view.gizmo import AXES, Gizmo, along_axis
from studio.editor.geometry.view.look import Plane
from studio.editor.geometry.view.stage import Stage


class SectionGesture:
    def __init__(self, stage: Stage, spot: Spot, axis: int) -> None:
        self.stage, self.axis = stage, axis
        self._before = stage.look.section
        gizmo = section_gizmo(stage)
        self._origin, self._normal = gizmo.origin, gizmo.direction(axis)
        self._from = along_axis(self._origin, self._normal, *spot.ray())

    @property
    def words(self) -> str:
        return f"Section across {AXES[self.axis]} · X Y Z choose the axis, Esc closes it"

    def move(self, spot: Spot) -> None:
        now = along_axis(self._origin, self._normal, *spot.ray())
        if now is not None and self._from is not None:
            at = float(self._origin[self.axis]) + now - self._from
            self.stage.set_look(replace(self.stage.look, section=section_at(self.axis, at)))

    def end(self) -> bool:
        return False

    def cancel(self) -> None:
        self.stage.set_look(replace(self.stage.look, section=self._before))


def section_at(axis: int, at_m: float) -> Plane:
    """Seen is what lies on the side of the smaller numbers."""
    plane = [0.0, 0.0, 0.0, at_m]
    plane[axis] = -1.0
    return plane[0], plane[1], plane[2], plane[3]


def section_axis(stage: Stage) -> int:
    plane = stage.look.section
    return 1 if plane is None else int(np.argmin(plane[:3]))


def section_gizmo(stage: Stage) -> Gizmo:
    """In the middle of the vehicle, on the plane."""
    frame = np.eye(4)
    frame[:3, 3] = stage.centre
    plane = stage.look.section
    if plane is not None:
        frame[section_axis(stage), 3] = plane[3]
    return Gizmo(frame, ("move",))
