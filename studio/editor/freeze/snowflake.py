"""A small snowflake over a picture that stands still: it is the last one, and not old by mistake."""

from __future__ import annotations

from PyQt6.QtWidgets import QLabel, QWidget

from studio.editor.look.icons import pixmap
from studio.editor.look.theme import Theme
from studio.editor.panels.parts.viewer import BAR_HEIGHT, Viewer

SIZE = 22
RIGHT = ("votes", "topics", "player", "plot")
"""Kinds of viewers that have their words at the left."""


class Snowflake(QLabel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(SIZE, SIZE)
        self.setToolTip("Frozen: this is the last picture before the system stopped")
        self.setAccessibleName("Frozen")

    def show_theme(self, theme: Theme) -> None:
        self.setPixmap(pixmap("fa6s.snowflake", theme.frozen, 13, self.devicePixelRatioF()))
        self.setStyleSheet(
            f"background: {theme.panel}; border: 1px solid {theme.frozen}; border-radius: {SIZE // 2}px; padding: 4px;"
        )


def show_snowflake(viewer: QWidget, theme: Theme, on: bool) -> None:
    """In the upper left corner of its picture, below the bar."""
    found = next(iter(viewer.findChildren(Snowflake)), None)
    if not on:
        if found is not None:
            found.hide()
        return
    mark = Snowflake(viewer) if found is None else found
    mark.show_theme(theme)
    at_the_right = getattr(viewer, "KIND", "") in RIGHT
    top = viewer.picture_top() if isinstance(viewer, Viewer) else BAR_HEIGHT
    mark.move(viewer.width() - SIZE - 8 if at_the_right else 8, top + 8)
    mark.show()
    mark.raise_()
