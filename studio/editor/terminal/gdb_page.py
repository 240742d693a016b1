"""gdb on one program of the running system: its terminal, and above that where the program stands."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from studio.editor.code.ports import WithDebug
from studio.editor.code.source_view import Needs as SourceNeeds
from studio.editor.code.source_view import open_source
from studio.editor.look.theme import Theme
from studio.editor.ports import WithTheme
from studio.editor.project.ports import WithFreeze, WithLive
from studio.editor.terminal.gdb_breakpoints import GdbBreakpoints
from studio.editor.terminal.pseudo_terminal import PseudoTerminal
from studio.editor.terminal.view import TerminalView

if TYPE_CHECKING:
    from studio.editor.code.breakpoint_book import Breakpoint
    from studio.editor.code.code_page import CodePage
    from studio.editor.live.feed import Changes

KILL_LINE = b"\x05\x15"
"""What was typed and not sent (Ctrl+E, Ctrl+U): a command of ours must not be appended to it."""
COMMANDS = {"continue": b"continue\r", "next": b"next\r", "stepIn": b"step\r", "stepOut": b"finish\r"}
"""By what the window's own debugger calls them."""


class Needs(SourceNeeds, WithDebug, WithFreeze, WithLive, WithTheme, Protocol):
    """What is taken from the window."""


class GdbPage(QWidget):
    again_wanted = pyqtSignal()

    def __init__(self, window: Needs, component: str, told: dict[str, Any]) -> None:
        super().__init__()
        self.window_, self.component, self.host = window, component, str(told["host"])
        self.pid = self._pid_now = int(told["pid"])
        self.stop: dict[str, Any] | None = None
        self._marked: CodePage | None = None
        self._build()
        self._breakpoints = GdbBreakpoints(window.debug.book, Path(told["folder"]))
        commands = [*self._breakpoints.commands(), *(["continue"] if told.get("goes_on") else [])]
        words = [word for command in commands for word in ("-ex", command)]
        self.terminal = PseudoTerminal([*told["command"], *words], self.view.page.columns, self.view.page.lines, self)
        self.terminal.said.connect(self.view.feed)
        self.terminal.ended.connect(self._gdb_has_ended)
        self.view.typed.connect(self.terminal.write)
        self.view.resized.connect(self.terminal.resize)
        window.debug.natives[self.host] = self
        self._stop_listening = window.debug.book.listen(lambda _, asks: self._tell_breakpoints() if asks else None)
        window.live.feed.changed.connect(self._follow)
        window.debug.attachments.look()
        self._show_stop()

    def _build(self) -> None:
        self.where = QLabel()
        self.where.setTextFormat(Qt.TextFormat.RichText)
        self.where.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.where.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.where.linkActivated.connect(lambda _: self.show_where())
        self.again, self.leave = QPushButton("Attach again"), QPushButton("End gdb")
        self.again.setToolTip(f"Start gdb on the process that {self.component} has now")
        self.again.clicked.connect(self.again_wanted)
        self.again.hide()
        self.leave.setToolTip(f"{self.component} continues without a debugger")
        self.leave.clicked.connect(self.end)
        self.view = TerminalView(self.window_.theme)
        self.view.setAccessibleName(f"gdb on {self.component}")
        self.view.setAccessibleDescription("A terminal. Ctrl+F2 leaves it, as Tab belongs to gdb")
        self.setFocusProxy(self.view)
        row = QHBoxLayout()
        row.setContentsMargins(8, 2, 8, 2)
        row.addWidget(self.where, 1)
        for button in (self.again, self.leave):
            button.setProperty("link", "true")
            row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(self.view, 1)

    # ---- as the window's debugger sees it

    @property
    def stands(self) -> bool:
        return self.stop is not None

    def go_on(self, how: str) -> None:
        """As if it had been typed: gdb then says what it says to everybody who continues or steps."""
        self.view.type(KILL_LINE + COMMANDS[how])

    def has(self, point: Breakpoint) -> bool:
        return self._breakpoints.has(point)

    def end(self, *_: object) -> None:
        """gdb hears that its terminal is gone, and lets go of the program."""
        if self.terminal.is_open:
            self.terminal.close()
            self._leave("gdb has been ended")

    # ---- following

    def _follow(self, changes: Changes) -> None:
        if changes.system:
            hosts = (self.window_.live.feed.state.get("debug") or {}).get("hosts", {})
            told = hosts.get(self.host) or {}
            stop = dict(told["stopped"]) if told.get("stopped") else None  # the state itself changes under us
            pid = told.get("pid") or self._pid_now
            if (stop, pid) != (self.stop, self._pid_now):
                self.stop, self._pid_now = stop, pid
                self._show_stop()
                self._tell_breakpoints()

    def _tell_breakpoints(self) -> None:
        """gdb takes commands only while the program stands; what was set meanwhile is told then."""
        commands = self._breakpoints.commands() if self.stands else []
        if commands:
            self.view.type(KILL_LINE + "".join(f"{command}\r" for command in commands).encode())
            self.window_.debug.attachments.look()

    def _show_stop(self) -> None:
        stop, theme = self.stop, self.window_.theme
        name = f"<b>{escape(self.component)}</b>"
        if not self.terminal.is_open:
            words = (
                f"{name} continues without a debugger" if self.window_.live.feed.is_attached else f"{name} does not run"
            )
        elif self._pid_now != self.pid:
            words = f"{name} was started again, as process {self._pid_now}: gdb still has the one that was before"
            self.again.show()
        elif stop is None:
            words = f"{name} runs as process {self.pid} · Ctrl+C stops it"
        else:
            colour = theme.error if stop["reason"] == "exception" else theme.frozen
            words = f"{name} <span style='color:{colour}'>is stopped</span> {self._place(stop)}"
        self.where.setText(words)
        self.where.setToolTip(words)
        self._mark(stop)
        self.window_.freeze.show_ways()

    def _place(self, stop: dict[str, Any]) -> str:
        signal = f" with {escape(stop['text'])}" if stop["reason"] == "exception" else ""
        inside = f"in {escape(stop['function'])}" if stop["function"] else "in gdb"
        caller = f", called by {escape(stop['caller'])}" if stop["caller"] else ""
        if not stop["file"]:
            return f"{inside}{signal}"
        at = f"{escape(Path(stop['file']).name)}:{stop['line']}"
        link = f"<a href='at' style='color:{self.window_.theme.accent}'>{at}</a>"
        return f"{inside}{caller}{signal}, {link}"

    def show_where(self) -> None:
        if self.stop is not None and self.stop["file"]:
            open_source(self.window_, Path(self.stop["file"]), int(self.stop["line"]))

    def _mark(self, stop: dict[str, Any] | None) -> None:
        """The line in ice, as of Python; attaching, or Ctrl+C, stops anywhere, and brings nothing to the front."""
        code = self.window_.code
        if self._marked is not None and self._marked in code.pages.values():
            self._marked.editor.show_here(0)
        self._marked = None
        if stop is None or not stop["file"] or stop["reason"] == "pause":
            return
        self._marked = code.open_at(stop["file"], int(stop["line"]), focus=False)
        if self._marked is not None:
            self._marked.editor.show_here(int(stop["line"]), caller=bool(stop["caller"]))

    # ---- the end

    def _gdb_has_ended(self, status: int) -> None:
        why = f"signal {-status}" if status < 0 else f"status {status}"
        self._leave("gdb has ended" if status == 0 else f"gdb has ended: {why}")

    def _leave(self, words: str) -> None:
        window = self.window_
        self.view.tell(words)
        self.stop = None
        if window.debug.natives.get(self.host) is self:
            del window.debug.natives[self.host]
            window.debug.attachments.look()
        if window.live.feed.is_attached:
            window.live.feed.ask("debug", None, lambda _: None, component=self.component, on=False)
        window.live.feed.changed.disconnect(self._follow)
        self._stop_listening()
        self.again.setVisible(window.live.feed.is_attached)
        self.leave.hide()
        self._show_stop()

    def show_theme(self, theme: Theme) -> None:
        self.view.show_theme(theme)
        self._show_stop()
