"""Where a document of code opens among the docks."""

from __future__ import annotations

from typing import Protocol

from PyQt6.QtCore import QTimer

from studio.editor.canvas.ports import WithCanvas
from studio.editor.docking.layouts import DEBUG
from studio.editor.ports import WithDocks, WithLayouts
from studio.editor.project.ports import WithProject

CODE = "code:"
"""What the docks of open files begin with."""


class Needs(WithCanvas, WithDocks, WithLayouts, WithProject, Protocol):
    """What is taken from the window."""


def code_place(window: Needs) -> tuple[str, str]:
    """Where a file of code opens: beside the canvas as a tab; in Debug above it, where both can be seen."""
    if window.layouts.current != DEBUG:
        return "tab", "system"
    there = next(
        (name for name in window.docks.names() if name.startswith(CODE) and not window.docks.is_closed(name)), ""
    )
    return ("tab", there) if there else ("top", "system")


def settle_code(window: Needs, side: str) -> None:
    """A file stands in its place: above the canvas it gets the larger part, and the canvas shows all in the rest."""
    if side == "top":
        window.docks.set_shares("system", (60, 40))
        fit_canvas(window)


def fit_canvas(window: Needs) -> None:
    """When the docks have found their places."""

    def fit() -> None:
        if window.has_session and window.canvas.isVisible():
            window.canvas.fit()

    QTimer.singleShot(0, fit)
