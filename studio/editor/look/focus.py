"""Where the keyboard goes in a panel."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget


def place_for_focus(pane: QWidget) -> QWidget | None:
    """The first widget of a panel that Tab would reach, or the panel itself."""
    widget: QWidget | None = pane
    while widget is not None:
        takes = widget.focusPolicy().value & Qt.FocusPolicy.TabFocus.value
        if takes and widget.isEnabled() and widget.isVisible() and (widget is pane or pane.isAncestorOf(widget)):
            return widget
        widget = widget.nextInFocusChain()
        if widget is pane:
            break
    return None
