"""What a part of the window may take from it: a protocol for each thing. No part takes the window itself.

A part lists what it takes in a protocol of its own, and the window, which has it all, is passed in:

    class Needs(WithStatus, WithTheme, Protocol):
        ...

    class Part:
        def __init__(self, window: Needs) -> None: ...

Here is what every room may use; rooms above have a `ports.py` of their own for what they offer to those above them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from PyQt6.QtWidgets import QWidget

    from studio.editor.base.settings import Settings
    from studio.editor.docking.docks import Docks
    from studio.editor.docking.layouts import Layouts
    from studio.editor.look.notice import Notice
    from studio.editor.look.theme import Theme


class Status(Protocol):
    def say(self, text: str, *, trouble: bool = False, stays: bool = False) -> object:
        """A sentence in the status bar, for a while, or until another is said."""


class SidePanels(Protocol):
    def show(self, name: str) -> Any:
        """Open a panel and bring it to the front; the panel."""

    def set_title(self, name: str, title: str) -> None: ...


class WithWidget(Protocol):
    @property
    def widget(self) -> QWidget:
        """The parent of dialogs, and of objects that end with the window."""


class WithStatus(Protocol):
    @property
    def status(self) -> Status: ...


class WithTheme(Protocol):
    @property
    def theme(self) -> Theme: ...


class WithSettings(Protocol):
    @property
    def settings(self) -> Settings: ...


class WithNotice(Protocol):
    @property
    def notice(self) -> Notice: ...


class WithDocks(Protocol):
    @property
    def docks(self) -> Docks: ...


class WithLayouts(Protocol):
    @property
    def layouts(self) -> Layouts: ...


class WithSidePanels(Protocol):
    @property
    def side_panels(self) -> SidePanels: ...
