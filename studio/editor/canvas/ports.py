"""What the window offers to parts that know the canvas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from studio.editor.canvas.interaction.view import CanvasView


class WithCanvas(Protocol):
    @property
    def canvas(self) -> CanvasView:
        """Of the open project; there must be one."""
