"""Breakpoints attach by themselves: which processes they need, and why one of them does not stop yet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtCore import QObject

from studio.editor.code.breakpoint_book import Breakpoint
from studio.editor.code.condition_check import names_problem, unreadable

if TYPE_CHECKING:
    from studio.editor.code.debug_control import DebugControl
    from studio.editor.live.feed import Changes

NOT_RUNNING = "The system is not running. This line stops it after Run"
OLD_CODE = "{name} still runs its old code. Reload {name}, and this line stops it"
NOT_OURS = "This system was started elsewhere. Debug {name} (Ctrl+Shift+D), and this line stops it"


class Attachments(QObject):
    """A breakpoint in the code of a running component has its process debugged, in this run and in the next ones."""

    def __init__(self, control: DebugControl, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.control = control
        self.made_of: Callable[[Path], list[str]] = lambda _: []
        """The running components whose code a file is part of."""
        self.runs_old: Callable[[Path, str], bool] = lambda *_: False
        """Whether a host was started before a file was saved."""
        self._kept: set[str] = set()
        """Components that were chosen to be debugged: they are again in the next run."""
        self._left: set[str] = set()
        """Hosts that nobody wants to be debugged any more: until the next breakpoint, or the next run."""
        self._asked: set[str] = set()
        """Hosts whose answer is awaited."""
        self._refused: dict[str, str] = {}
        """Why a host cannot be debugged."""
        self._known: dict[str, frozenset[int]] = {}
        """Lines with a breakpoint, by file: one that is new attaches again to what was left."""
        self._users: dict[str, list[str]] = {}
        """Components by file, of the system as it is now."""
        feed = control.feed
        feed.attached.connect(self._system_is_there)
        feed.changed.connect(self._system_changed)
        feed.ended.connect(lambda _: self._system_is_gone())
        control.book.listen(self._book_changed)
        control.changed.connect(self.look)

    # ---- what the debugger tells

    def keep(self, component: str) -> None:
        self._kept.add(component)
        self._left.discard(self.control.host_of(component))

    def leave(self, host: str) -> None:
        self._kept -= set(self.control.components_of(host))
        self._left.add(host)

    def asked(self, host: str) -> None:
        self._asked.add(host)
        self._refused.pop(host, None)
        self.look()

    def answered(self, host: str, refusal: str = "") -> None:
        self._asked.discard(host)
        if refusal:
            self._refused[host] = refusal
        self.look()

    def forget(self) -> None:
        """Another project."""
        self._kept.clear()
        self._known.clear()
        self._system_is_gone()

    # ---- what happens

    def _system_is_there(self) -> None:
        self._users.clear()
        components = self.control.feed.state.get("components", {})
        for component in sorted(self._kept & set(components)):
            self.control.attach(component, goes_on=True)
        if self.control.feed.is_ours:  # what others have started is not stopped by what was set in another run
            for file in self.control.book.files():
                self._attach(file)
        self.look()

    def _system_changed(self, changes: Changes) -> None:
        if changes.shape:
            self._users.clear()
            self.look()

    def _system_is_gone(self) -> None:
        for memory in (self._left, self._asked, self._refused, self._users):
            memory.clear()
        self.look()

    def _book_changed(self, file: str, asks: bool) -> None:
        if not asks:
            return
        lines = frozenset(int(point["line"]) for point in self.control.book.asked_of(file))
        if file and lines - self._known.get(file, frozenset()):
            self._left -= {self.control.host_of(name) for name in self._users_of(file)}
            self._attach(file)
        self._known[file] = lines
        self.look()

    def _attach(self, file: str) -> None:
        if not self.control.book.asked_of(file):
            return
        for component in self._users_of(file):
            host = self.control.host_of(component)
            if host not in self._asked | self._left and not self.control.is_debugged(component):
                self.control.attach(component, goes_on=True)

    def _users_of(self, file: str) -> list[str]:
        if file not in self._users:
            self._users[file] = self.made_of(Path(file))
        return self._users[file]

    # ---- why one does not stop yet

    def look(self) -> None:
        book = self.control.book
        waiting = {point.key: self._why(point) for point in book.all() if point.enabled}
        book.note_waiting({key: why for key, why in waiting.items() if why})

    def _why(self, point: Breakpoint) -> str:
        """Nothing where the debugger has confirmed it."""
        control = self.control
        if control.book.muted:
            return "Breakpoints are muted in the panel Breakpoints"
        if problem := unreadable(point.condition, point.hits, point.log) or names_problem(point):
            return problem
        if not control.feed.is_attached:
            return NOT_RUNNING
        users = self._users_of(point.file)
        hosts = dict.fromkeys(control.host_of(name) for name in users)
        if not hosts:
            if not control.sessions:
                return "No running component uses this file"
            whys = [self._why_of(point, host, host) for host in control.sessions]
            return "" if "" in whys else whys[0]
        named = {control.host_of(name): name for name in users}
        return next((why for host in hosts if (why := self._why_of(point, host, named[host]))), "")

    def _why_of(self, point: Breakpoint, host: str, name: str) -> str:
        control = self.control
        session = control.sessions.get(host)
        if session is not None and session.condition != "attaching":
            if self.runs_old(Path(point.file), host):
                return OLD_CODE.format(name=name)
            return session.answers.get(point.file, {}).get(point.line, f"Waiting for the answer of {name}")
        native = control.natives.get(host)
        if native is not None:
            return "" if native.has(point) else f"gdb takes it as soon as {name} stops: Ctrl+C in the panel Terminal"
        if session is not None or host in self._asked:
            return f"Attaching to {name}…"
        if host in self._refused:
            return f"{name} cannot be debugged: {self._refused[host]}"
        if host in self._left:
            return f"{name} is not debugged. Ctrl+Shift+D debugs it again"
        return NOT_OURS.format(name=name)
