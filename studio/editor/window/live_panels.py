"""Console and process panel, connected: they hear the feed, and what one asks of them goes to the window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QObject, QTimer

from studio.editor.code.source_view import open_source
from studio.editor.live.failures import FailureLines
from studio.editor.live.state import parts_of
from studio.editor.look.notice import TextDialog
from studio.editor.look.theme import Theme
from studio.editor.panels.system.console import Console
from studio.editor.panels.system.console_lines import time_words
from studio.editor.panels.system.processes import Processes
from studio.runtime.base.clock import wall_ns

if TYPE_CHECKING:
    from studio.editor.window.main_window import MainWindow

EVERY_MS = 250
"""Figures that change faster cannot be read."""


class LivePanels(QObject):
    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window = window
        self.console = Console(window.theme)
        self.console.book.keep_at_most(window.settings.console_lines)
        self.processes = Processes(window.theme)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self._show_processes)
        window.docks.add("console", "Console", self.console, "tab", beside="problems")
        window.docks.add("processes", "Processes", self.processes, "tab", beside="problems")
        feed = window.live.feed
        self._failures = FailureLines()
        feed.attached.connect(self._failures.forget)
        feed.attached.connect(lambda: self._tell_failures(earlier=True))
        feed.spoken.connect(self.console.add)
        feed.spoken.connect(self._say_notices)
        feed.changed.connect(lambda _: self._tell_failures())
        feed.changed.connect(lambda _: None if self._timer.isActive() else self._timer.start())
        feed.attached.connect(self._show_processes)
        feed.ended.connect(lambda _: self._show_processes())
        self.console.open_place.connect(lambda file, line: open_source(window, Path(file), line))
        self.processes.go_to.connect(lambda name: self._go_to(name))
        self.processes.said_wanted.connect(self.show_said)
        self.processes.restart_wanted.connect(self._restart)
        self.processes.output_wanted.connect(self._show_output)

    def _tell_failures(self, *, earlier: bool = False) -> None:
        lines = self._failures.new_in(self.window.live.feed.state, wall_ns(), earlier=earlier)
        if lines:
            self.console.add(lines)

    def _say_notices(self, told: list[dict[str, Any]]) -> None:
        """A goal that is reached looks like a system that does nothing: the status bar says so, too."""
        for line in told:
            if line["level"] == "notice":
                self.window.status.say(f"{line['component']} {line['text']}")

    def show_said(self, component: str) -> None:
        """The console with what one component says."""
        self.console.show_component(component)
        self.window.docks.show("console")

    def show_theme(self, theme: Theme) -> None:
        self.console.show_theme(theme)
        self.processes.show_theme(theme, self.window.live.feed.state)

    def _show_processes(self) -> None:
        self.processes.show_state(self.window.live.feed.state)

    def _go_to(self, component: str) -> None:
        """A component of the canvas, or the source that it provides."""
        system = self.window.session.system
        if component in system.nodes:
            self.window.canvas.go_to(component)
            return
        for source in system.sources:
            if component in parts_of(source, self.window.live.feed.state):
                self.window.canvas.go_to(source.name)

    def _restart(self, process: str) -> None:
        components = self.window.live.feed.state.get("components", {})
        self.window.live.control.restart([name for name, told in components.items() if told["host"] == process][:1])

    def _show_output(self, process: str) -> None:
        def show(reply: dict[str, Any]) -> None:
            lines = [f"{time_words(line['time_ns'])} {line['text']}" for line in reply["lines"]]
            TextDialog(self.window, f"Printed by {process}", "\n".join(lines) or "It has printed nothing.").show()

        self.window.live.feed.ask(
            "output", show, lambda error: self.window.status.say(str(error), trouble=True), name=process
        )
