"""Drawing into a world: a click places a new part, and walls follow a line of clicks. One step of undo each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from studio.editor.geometry.selection import BodyThing, FrameThing, Thing
from studio.editor.geometry.view.gestures.gesture import Spot
from studio.editor.geometry.view.gizmo import on_plane
from studio.editor.geometry.view.stage import Stage
from studio.editor.geometry.world_things import HEIGHT, THICKNESS
from studio.errors import StudioError
from studio.model.geometry.obstacles import Point, new_wall
from studio.model.geometry.world import PLACES, World, WorldPart, world_model
from studio.model.geometry.world_edits import AddToWorld

NEAR_PX = 14.0
"""To the first corner: a click there closes the wall."""
HEIGHT_M, THICKNESS_M = 1.0, 0.1


class Drawn(Protocol):
    """What clicks draw until it is done."""

    @property
    def words(self) -> str: ...
    def move(self, spot: Spot) -> None: ...
    def click(self, spot: Spot) -> bool:
        """True if that was the last one."""

    def back(self) -> None:
        """The last click is taken back."""

    def end(self) -> None: ...
    def cancel(self) -> None: ...


class Placing:
    """One part, which follows the mouse until a click."""

    def __init__(self, stage: Stage, what: str, make: Callable[[World, Point], WorldPart]) -> None:
        self.stage, self.what, self._make = stage, what, make

    @property
    def words(self) -> str:
        return f"Click the ground where the {self.what} goes · Esc gives up"

    def move(self, spot: Spot) -> None:
        at = ground_point(self.stage, spot)
        if at is not None:
            _preview(self.stage, self._make(self.stage.workspace.world(), at))

    def click(self, spot: Spot) -> bool:
        at = ground_point(self.stage, spot)
        if at is None:
            return False
        add_part(self.stage, self._make(self.stage.workspace.world(), at))
        return True

    def back(self) -> None:
        """Nothing was clicked yet."""

    def end(self) -> None:
        self.cancel()

    def cancel(self) -> None:
        self.stage.show_preview(None)


class WallLine:
    """A wall from corner to corner."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.corners: list[Point] = []
        self.height_m = _number(stage, HEIGHT, HEIGHT_M)
        self.thickness_m = _number(stage, THICKNESS, THICKNESS_M)
        self._length_m: float | None = None

    @property
    def words(self) -> str:
        if not self.corners:
            return "Click where the wall begins · Esc gives up"
        side = "" if self._length_m is None else f"{self._length_m:.2f} m · "
        return (
            f"{side}Click the next corner, Shift keeps to the axes · Enter ends the wall, Backspace takes a corner back"
        )

    def move(self, spot: Spot) -> None:
        at = self._next(spot)
        if self.corners and at is not None:
            self._length_m = math.dist(self.corners[-1], at)
            self._show([*self.corners, at])

    def click(self, spot: Spot) -> bool:
        at = self._next(spot)
        if at is not None and at not in self.corners[-1:]:
            self.corners.append(at)
        if len(self.corners) > 3 and self.corners[-1] == self.corners[0]:
            self.end()
            return True
        return False

    def back(self) -> None:
        self.corners = self.corners[:-1]
        self._show(self.corners)

    def end(self) -> None:
        self.stage.show_preview(None)
        if len(self.corners) > 1:
            add_part(self.stage, self._wall(self.corners))
        self.corners = []

    def cancel(self) -> None:
        self.corners = []
        self.stage.show_preview(None)

    def _next(self, spot: Spot) -> Point | None:
        """The first corner if the mouse is near it; with Shift along x or y."""
        if len(self.corners) > 2:
            first = np.array([[*self.corners[0], 0.0]])
            (at,), _ = spot.camera.project(first, *spot.size)
            if math.hypot(at[0] - spot.x, at[1] - spot.y) < NEAR_PX:
                return self.corners[0]
        point = ground_point(self.stage, spot)
        if point is None or not self.corners or not spot.is_slow:
            return point
        x, y = self.corners[-1]
        return (point[0], y) if abs(point[0] - x) > abs(point[1] - y) else (x, point[1])

    def _wall(self, corners: list[Point]) -> WorldPart:
        return new_wall(self.stage.workspace.world(), corners, self.height_m, self.thickness_m)

    def _show(self, corners: list[Point]) -> None:
        is_wall = len(corners) > 1 and any(math.dist(corners[0], each) > 1e-6 for each in corners)
        if is_wall:
            _preview(self.stage, self._wall(corners))
        else:
            self.stage.show_preview(None)


def ground_point(stage: Stage, spot: Spot) -> Point | None:
    """Where the mouse points at the ground, on a tenth of the grid; exactly there with Ctrl."""
    point = on_plane(np.zeros(3), np.array([0.0, 0.0, 1.0]), *spot.ray())
    if point is None:
        return None
    step = 0.001 if spot.is_fine or not stage.snap.is_on else max(stage.snap.step_m, stage.grid_m / 10)
    x, y = (round(round(float(value) / step) * step, 6) + 0.0 for value in point[:2])
    return x, y


def add_part(stage: Stage, part: WorldPart) -> None:
    """It is selected, so that its properties are there to be changed."""
    stage.show_preview(None)
    if stage.context.do(AddToWorld(part)):
        stage.selection.choose(thing_of_part(stage, part))


def thing_of_part(stage: Stage, part: WorldPart) -> Thing:
    is_body = part.name in stage.workspace.assembled.model.bodies
    return BodyThing(part.name) if is_body else FrameThing(PLACES, part.name)


def _preview(stage: Stage, part: WorldPart) -> None:
    try:
        workspace = stage.workspace
        more = workspace.world().with_part(part)
        stage.show_preview(world_model(more, workspace.vehicles, workspace.included))
    except StudioError as error:
        stage.context.say(str(error), trouble=True)


def _number(stage: Stage, name: str, default: float) -> float:
    """A setting; what makes no sense is as at first."""
    try:
        value = float(stage.context.settings.text(name))
    except ValueError:
        return default
    return value if 0 < value < 1000 else default
