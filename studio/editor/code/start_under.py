"""Start under the debugger: the breakpoints of a component are there before anything of its code is imported."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Protocol

from PyQt6.QtCore import QObject

from studio.editor.canvas.ports import WithCanvas
from studio.editor.code.ports import WithDebug
from studio.editor.live.state import parts_of
from studio.editor.ports import WithStatus, WithWidget
from studio.editor.project.ports import WithLive, WithProject
from studio.errors import StudioError


class Needs(WithCanvas, WithDebug, WithLive, WithProject, WithStatus, WithWidget, Protocol):
    """What is taken from the window."""


class StartUnder(QObject):
    """A system that does not run is started; then the processes of the selected components are started anew.

    A process that is debugged gets its breakpoints when it starts again, and before it imports anything: so it stops at
    module level and in `on_initialize`, too.
    """

    def __init__(self, window: Needs) -> None:
        super().__init__(window.widget)
        self.window = window
        self._wanted: list[str] = []
        """Of a system that is being started."""
        window.live.phase_changed.connect(self._look)

    def start(self) -> None:
        live = self.window.live
        if live.control.phase != "stopped":
            self._begin(live.selected())
            return
        names = self._selected()
        if not names:
            self.window.status.say("Select the component to start under the debugger first", trouble=True)
            return
        self._wanted = names
        live.run()
        self._look()

    def _selected(self) -> list[str]:
        system = self.window.session.system
        chosen = self.window.canvas.canvas.selected_nodes()
        return [part for name in chosen for part in parts_of(system.node(name), self.window.live.feed.state)]

    def _look(self) -> None:
        control = self.window.live.control
        if control.phase == "stopped":
            self._wanted = []
        elif control.is_up and self._wanted:
            names, self._wanted = self._wanted, []
            self._begin(names)

    def _begin(self, names: Iterable[str]) -> None:
        components = self.window.live.feed.state.get("components", {})
        by_host = {str(components[name]["host"]): name for name in names if name in components}
        for host, name in by_host.items():
            self.window.debug.attach(name, then=partial(self._attached, host, name))

    def _attached(self, host: str, name: str) -> None:
        session = self.window.debug.sessions.get(host)
        if session is None:
            self.window.status.say(f"{name} is a program: gdb can only attach to it while it runs", trouble=True)
        elif session.condition == "attaching":  # its breakpoints are on the way to the runtime
            session.attached.connect(lambda: self._restart(host, name))
        else:
            self._restart(host, name)

    def _restart(self, host: str, name: str) -> None:
        status = self.window.status
        status.say(f"{name} starts under the debugger: a breakpoint in on_initialize stops it, or at module level")

        def done(_: dict[str, Any]) -> None:
            status.say(f"{name} has started under the debugger")

        def failed(error: StudioError) -> None:
            status.say(f"{name} has not started: {error}", trouble=True)

        self.window.live.feed.ask("restart", done, failed, name=host, timeout_s=None)
