"""Moving and turning by the gizmo, by keys, and by a number that is typed meanwhile. One edit at the end, or none."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from studio.editor.geometry.view.gestures.gesture import Spot
from studio.editor.geometry.view.gizmo import AXES, Gizmo, Handle, along_axis, angle_about, on_plane
from studio.editor.geometry.view.handled import Handled
from studio.editor.geometry.view.picking import PickPoint, pick_face, pick_point
from studio.editor.geometry.view.stage import Stage
from studio.editor.views.scene.batches import Floats
from studio.model.geometry.rotations import from_axis_angle

SLOW = 0.1
SNAP_PX = 14.0
WHAT = {"rotate": "Turn", "move": "Move", "size": "Size"}


@dataclass(frozen=True)
class Amount:
    """What is told at the gizmo while it is dragged."""

    name: str
    axis: str
    text: str
    unit: str
    snap: str
    is_typed: bool


class TransformGesture:
    """Moves along an axis, in the plane of the picture, or turns about an axis."""

    def __init__(self, stage: Stage, held: Handled, gizmo: Gizmo, handle: Handle, spot: Spot | None) -> None:
        """Without a spot it waits for a number."""
        self.stage, self.held, self.gizmo, self.handle = stage, held, gizmo, handle
        self.typed = ""
        self.value = 0.0
        """Metres or radians."""
        self._shift = np.zeros(3)
        self._turned = 0.0
        self._last: float | None = None
        self._from: Floats | None = None
        scene = stage.drawing.pickable
        self._at_first = {each.thing: each.point for each in scene.points}
        self._faces_at_first = {faces.thing: pose for faces, pose in scene.faces}
        if spot is not None:
            self._begin(spot)

    @property
    def turns(self) -> bool:
        return self.handle.kind == "rotate"

    @property
    def words(self) -> str:
        about = "about" if self.turns else "along"
        axis = "in the plane of the view" if self.handle.axis is None else f"{about} {AXES[self.handle.axis]}"
        what = f"{WHAT[self.handle.kind]} {self.held.name} {axis}"
        return f"{what} · type a number, X Y Z change the axis, Enter, Esc cancels"

    def amount(self) -> Amount:
        axis = "view" if self.handle.axis is None else AXES[self.handle.axis]
        return Amount(
            self.held.name,
            axis,
            self.text(),
            "°" if self.turns else "m",
            self.stage.snap.words(self.turns),
            bool(self.typed),
        )

    def text(self) -> str:
        if self.typed:
            return self.typed
        if self.turns:
            return f"{math.degrees(self.value):.2f}".rstrip("0").rstrip(".")
        return f"{self.value + self._size():.4f}".rstrip("0").rstrip(".")

    def _size(self) -> float:
        """Of what is sized, before: a number that is typed is the new size, not how much it grows."""
        axis = self.handle.axis
        return self.held.sizes[axis] if self.held.sizes is not None and axis is not None else 0.0

    # ---- hands

    def choose(self, kind_axis: Handle) -> None:
        """Another axis: what was dragged so far is forgotten, what was typed stays."""
        self.handle = kind_axis
        self.value, self._shift, self._last, self._from, self._turned = 0.0, np.zeros(3), None, None, 0.0
        self.type(self.typed)

    def type(self, text: str) -> None:
        """A number takes the place of what the mouse says; nothing gives it back."""
        self.typed = text
        number = number_of(text)
        if number is not None:
            self.value = math.radians(number) if self.turns else number - self._size()
            self._show()

    def nudge(self, steps: float) -> None:
        snap = self.stage.snap
        self.value += steps * (math.radians(snap.step_deg) if self.turns else snap.step_m)
        self._show()

    def move(self, spot: Spot) -> None:
        if number_of(self.typed) is not None:
            return
        if self._last is None and self._from is None:
            self._begin(spot)
            return
        if self.turns:
            self._turn(spot)
        elif self.handle.axis is None:
            self._move_freely(spot)
        else:
            self._move_along(spot, self.handle.axis)
        self._show()

    def end(self) -> bool:
        edit = self.held.edit(self.there) if self.is_elsewhere else None
        self.stage.show_preview(None)
        context = self.stage.context
        return edit is not None and context.do_all(self._label(), [edit])

    def cancel(self) -> None:
        self.stage.show_preview(None)

    @property
    def is_elsewhere(self) -> bool:
        return not np.allclose(self.there, self.held.pose, atol=1e-12)

    @property
    def there(self) -> Floats:
        """Where the thing would be."""
        made = np.eye(4)
        if self.turns:
            assert self.handle.axis is not None
            x, y, z = self.gizmo.direction(self.handle.axis).tolist()
            made[:3, :3] = from_axis_angle((x, y, z), self.value)
            made[:3, 3] = self.gizmo.origin - made[:3, :3] @ self.gizmo.origin
        elif self.handle.axis is None:
            made[:3, 3] = self._shift
        else:
            made[:3, 3] = self.gizmo.direction(self.handle.axis) * self.value
        found: Floats = made @ self.held.pose
        return found

    @property
    def gizmo_now(self) -> Gizmo:
        """It goes along with what it moves; the axes of a ring stay, or its number would mean something else."""
        if self.turns:
            return self.gizmo
        frame = self.gizmo.frame.copy()
        frame[:3, 3] += self.there[:3, 3] - self.held.pose[:3, 3]
        return replace(self.gizmo, frame=frame)

    # ---- inside

    def _begin(self, spot: Spot) -> None:
        start, way = spot.ray()
        if self.turns:
            assert self.handle.axis is not None
            self._last = angle_about(self.gizmo, self.handle.axis, start, way)
        elif self.handle.axis is None:
            self._from = on_plane(self.gizmo.origin, spot.camera.axes()[2], start, way)
        else:
            self._last = along_axis(self.gizmo.origin, self.gizmo.direction(self.handle.axis), start, way)

    def _turn(self, spot: Spot) -> None:
        assert self.handle.axis is not None
        now = angle_about(self.gizmo, self.handle.axis, *spot.ray())
        if now is None or self._last is None:
            return
        by = (now - self._last + math.pi) % (2 * math.pi) - math.pi
        self._turned += by * (SLOW if spot.is_slow else 1.0)
        self._last = now
        self.value = self.stage.snap.angle(self._turned, free=spot.is_fine)

    def _move_along(self, spot: Spot, axis: int) -> None:
        direction = self.gizmo.direction(axis)
        stuck = self._sticks_to(spot)
        if stuck is not None:
            self.value = round(float((stuck - self.gizmo.origin) @ direction), 9)
            return
        now = along_axis(self.gizmo.origin, direction, *spot.ray())
        if now is not None and self._last is not None:
            self.value = self.stage.snap.length(now - self._last, free=spot.is_fine)

    def _move_freely(self, spot: Spot) -> None:
        """To a frame or a face below the mouse, else by steps along the axes of the gizmo."""
        stuck = self._sticks_to(spot)
        if stuck is not None:
            self._shift = stuck - self.gizmo.origin
        else:
            point = on_plane(self.gizmo.origin, spot.camera.axes()[2], *spot.ray())
            if point is None or self._from is None:
                return
            turn = self.gizmo.frame[:3, :3]
            steps = [self.stage.snap.length(float(value), free=spot.is_fine) for value in turn.T @ (point - self._from)]
            self._shift = turn @ np.array(steps)
        self.value = float(np.linalg.norm(self._shift))

    def _sticks_to(self, spot: Spot) -> Floats | None:
        """The frame or face below the mouse, of what the gesture does not move."""
        snap = self.stage.snap
        if not snap.is_on or spot.is_fine:
            return None
        scene = self.stage.drawing.pickable
        width, height = spot.size
        if snap.to_frames:
            found = pick_point(self._still(), spot.camera, spot.x, spot.y, width, height, SNAP_PX)
            if found is not None and self._is_other(found.thing):
                return found.point
        if snap.to_faces:
            still = [
                each for each in scene.faces if np.allclose(self._faces_at_first.get(each[0].thing, np.inf), each[1])
            ]
            face = pick_face(replace(scene, faces=still), spot.camera, spot.x, spot.y, width, height)
            if face is not None and self._is_other(face.thing):
                return face.point
        return None

    def _still(self) -> list[PickPoint]:
        """Frames that the gesture does not move."""
        points = [each for each in self.stage.drawing.pickable.points if each.thing in self._at_first]
        before = np.array([self._at_first[each.thing] for each in points]).reshape(-1, 3)
        now = np.array([each.point for each in points]).reshape(-1, 3)
        return [points[i] for i in np.flatnonzero(np.abs(now - before).max(axis=1, initial=0.0) < 1e-9)]

    def _is_other(self, thing: object) -> bool:
        return str(thing) != self.held.name and getattr(thing, "body", None) != self.held.name

    def _show(self) -> None:
        self.stage.show_preview(self.held.would(self.there))

    def _label(self) -> str:
        return f"{WHAT[self.handle.kind]} {self.held.name}"


def number_of(text: str) -> float | None:
    """Also `-`, `1,5` and what is not finished: None for what is no number yet."""
    try:
        found = float(text.replace(",", "."))
    except ValueError:
        return None
    return found if math.isfinite(found) else None
