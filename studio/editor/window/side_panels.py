"""Panels that are made when they are first seen: a row in a table each, so that a new one needs no other place.

    Panel("breakpoints", "Breakpoints", "fa6s.circle", "panels.debug.breakpoints:Breakpoints")

makes `Breakpoints(window)` when its dock is first opened. What the panel shows, it fetches from the window itself
(`window.live.feed`, `window.session` ...). One that paints its own colours has `show_theme(theme)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QObject
from PyQt6.QtGui import QShowEvent
from PyQt6.QtWidgets import QVBoxLayout, QWidget

from studio.editor.look.icons import icon
from studio.editor.look.theme import Theme

if TYPE_CHECKING:
    from studio.editor.window.main_window import MainWindow


@dataclass(frozen=True)
class Panel:
    """A panel that is closed until a layout, a menu entry or the program wants it."""

    name: str
    title: str
    icon: str
    makes: str
    """Module and class below studio.editor, as `panels.debug.this_event:ThisEvent`; it is called with the window."""
    side: str = "tab"
    beside: str = "inspector"
    """Where it opens while no layout says otherwise."""


PANELS: tuple[Panel, ...] = (
    Panel("call_stack", "Call stack", "mdi6.file-tree", "panels.debug.call_stack:CallStack", beside="palette"),
    Panel("breakpoints", "Breakpoints", "fa6s.circle", "panels.debug.breakpoints:Breakpoints", beside="palette"),
    Panel("variables", "Variables", "mdi6.variable", "panels.debug.variables:Variables"),
    Panel("watches", "Watch", "mdi6.eye-outline", "panels.debug.watches:Watches"),
    Panel("this_event", "This event", "mdi6.call-split", "panels.debug.this_event:ThisEvent"),
    Panel("held", "Held at the gate", "fa6s.hourglass", "panels.debug.held:HeldEvents", beside="palette"),
    Panel("evaluate", "Evaluate", "mdi6.console-line", "panels.debug.evaluate:Evaluate", beside="problems"),
    Panel("terminal", "Terminal", "mdi6.bash", "panels.system.terminal:Terminal", beside="problems"),
    Panel("tests", "Tests", "mdi6.test-tube", "component_tests.panel:Tests", beside="problems"),
)


class _Frame(QWidget):
    """Around a panel; calls for it when it is seen for the first time."""

    def __init__(self, wanted: Callable[[], object]) -> None:
        super().__init__()
        self._wanted = wanted
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)

    def showEvent(self, event: QShowEvent | None) -> None:
        super().showEvent(event)
        self._wanted()


class SidePanels(QObject):
    def __init__(self, window: MainWindow, panels: tuple[Panel, ...] = PANELS) -> None:
        super().__init__(window)
        self.window = window
        self.panels = {panel.name: panel for panel in panels}
        self._frames: dict[str, QWidget] = {}
        self._made: dict[str, Any] = {}

    def add_docks(self) -> Iterator[None]:
        """One at a time, because each has the style sheet applied to it."""
        docks, theme = self.window.docks, self.window.theme
        for panel in self.panels.values():
            frame = _Frame(partial(self.get, panel.name))
            self._frames[panel.name] = frame
            docks.add(panel.name, panel.title, frame, panel.side, beside=panel.beside)
            docks.hide(panel.name)
            docks.set_icon(panel.name, icon(panel.icon, theme.muted))
            yield

    def get(self, name: str) -> Any:
        """The panel itself; made now if nobody has seen it yet."""
        if name not in self._made:
            module, _, class_name = self.panels[name].makes.partition(":")
            made: QWidget = getattr(import_module(f"studio.editor.{module}"), class_name)(self.window)
            layout = self._frames[name].layout()
            assert layout is not None
            layout.addWidget(made)
            self._made[name] = made
        return self._made[name]

    def show(self, name: str) -> Any:
        """Open it and bring it to the front."""
        self.window.docks.show(name)
        return self.get(name)

    def set_title(self, name: str, title: str) -> None:
        self.window.docks.set_title(name, title)

    def show_theme(self, theme: Theme) -> None:
        for made in self._made.values():
            if hasattr(made, "show_theme"):
                made.show_theme(theme)
        for panel in self.panels.values():
            self.window.docks.set_icon(panel.name, icon(panel.icon, theme.muted))
