"""What every gesture of the view has, and what it sees of the canvas that the mouse is on."""

from __future__ import annotations

from typing import Protocol

from studio.editor.geometry.view.picking import Hit
from studio.editor.geometry.view.stage import Stage
from studio.editor.views.scene.batches import Floats
from studio.editor.views.scene.camera import Camera


class Spot(Protocol):
    """Where the mouse is, in one view of the vehicle."""

    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def is_fine(self) -> bool:
        """Ctrl is held: with snapping where there is none, and the other way round."""

    @property
    def is_slow(self) -> bool:
        """Shift is held."""

    @property
    def camera(self) -> Camera: ...
    @property
    def size(self) -> tuple[int, int]: ...

    def ray(self) -> tuple[Floats, Floats]: ...
    def hit(self) -> Hit | None: ...


class Gesture(Protocol):
    """From press to release. `words` are for the status line."""

    stage: Stage

    @property
    def words(self) -> str: ...
    def move(self, spot: Spot) -> None: ...
    def end(self) -> bool:
        """Do the edit; False if there was nothing to do, or it was refused."""

    def cancel(self) -> None:
        """All is as before."""
