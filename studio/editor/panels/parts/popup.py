"""Popups of panels: what opens over the window and is not part of the picture beneath."""

from __future__ import annotations

from PyQt6.QtWidgets import QWidget
from PyQt6.sip import transferto


def keep_apart(popup: QWidget, owner: QWidget) -> None:
    """Let a popup without a parent live and die with its owner.

    A child would have its style computed anew with all others whenever a panel opens or moves, seen or not: most of
    the widgets of a map viewer are behind its buttons. Python alone must not own it: its collector runs in any thread.
    """
    transferto(popup, None)  # type: ignore[arg-type]  # nobody is allowed, and means C++
    owner.destroyed.connect(popup.deleteLater)


def show_over(popup: QWidget, owner: QWidget) -> None:
    """As a window of the owner's: some window systems refuse popups that belong to nobody."""
    popup.winId()  # makes its window, which can then be told whose it is
    window, above = popup.windowHandle(), owner.window()
    if window is not None and above is not None:
        window.setTransientParent(above.windowHandle())
    popup.show()
