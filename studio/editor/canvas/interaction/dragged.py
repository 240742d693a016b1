"""What can be dragged to the canvas: a component or a tool of the palette, by its name."""

from __future__ import annotations

from typing import Final

from PyQt6.QtCore import QMimeData

MIME: Final = "application/x-studio-component"
TOOL_MIME: Final = "application/x-studio-tool"


def named_in(data: QMimeData | None, *kinds: str) -> str:
    """The component or tool in what is dragged; nothing if it is something else."""
    found = (bytes(data.data(kind).data()).decode() for kind in kinds if data is not None and data.hasFormat(kind))
    return next(found, "")
