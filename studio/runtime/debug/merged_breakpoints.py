"""What everybody wants the host to stop at, and what its debugger is told of it.

Clients and the runtime itself each have their own wishes; the debugger knows only the sum of them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, Protocol

from studio.runtime.debug.breakpoints import Breakpoints, path_of
from studio.runtime.debug.dap_wire import Message
from studio.runtime.debug.host_line import ANSWERS_WITHIN_S, HostLine, call_in_host

OURS = "studio"
"""Sets breakpoints on behalf of the runtime."""
ENTERS = call_in_host("enters")
"""They stop a component once with each event."""


class Debugged(Protocol):
    """Whose debugger it is."""

    @property
    def line(self) -> HostLine | None:
        """To the debugger; None while there is none."""

    def broadcast(self, event: str, body: Any) -> None:
        """To all clients."""


class MergedBreakpoints:
    def __init__(self, debugged: Debugged, lock: threading.RLock) -> None:
        """`lock` is held while wishes are changed and told: it guards the line too."""
        self.breakpoints = Breakpoints()
        self._exceptions: dict[Hashable, dict[str, Any]] = {}
        self._debugged = debugged
        self._lock = lock
        self._muted = 0

    @property
    def are_muted(self) -> bool:
        return bool(self._muted)

    def set_ours(self, places: list[tuple[str, int]]) -> None:
        """Breakpoints of the runtime itself, in place of those it had."""
        with self._lock:
            touched = set(self.breakpoints.leave(OURS))
            for path in {path for path, _ in places}:
                lines = [{"line": line, "condition": ENTERS} for where, line in places if where == path]
                self.breakpoints.put(OURS, {"path": path}, lines)
                touched.add(path)
            answered = {path: threading.Event() for path in touched}
            for path, event in answered.items():
                self._tell_file(path, event.set)
        for event in answered.values():
            event.wait(ANSWERS_WITHIN_S)

    def set(self, who: Hashable, arguments: dict[str, Any], then: Callable[[dict[str, Any]], None]) -> None:
        """Breakpoints of a client in one file; `then` gets what is to be answered, when it is known."""
        lines = arguments.get("breakpoints")
        wanted = lines if lines is not None else [{"line": line} for line in arguments.get("lines", [])]
        with self._lock:
            kept = self.breakpoints.put(who, arguments["source"], wanted)
            told = lambda: then({"breakpoints": [each.answer() for each in kept]})  # noqa: E731
            self._tell_file(path_of(arguments["source"]), told)

    def set_exceptions(self, who: Hashable, arguments: dict[str, Any]) -> None:
        with self._lock:
            self._exceptions[who] = arguments
            self._tell_exceptions()

    def leave(self, who: Hashable) -> None:
        """A client is gone, and its wishes with it."""
        with self._lock:
            for path in self.breakpoints.leave(who):
                self._tell_file(path)
            if self._exceptions.pop(who, None) is not None:
                self._tell_exceptions()

    def mute(self, on: bool) -> None:
        """While muted no breakpoint stops anybody; they come back with the last one who had it muted.

        Returns when the debugger has followed, so that what is delivered next stops where it should, or does not.
        """
        answers: list[threading.Event] = []
        with self._lock:
            self._muted += 1 if on else -1
            if self._debugged.line is not None and self._muted == int(on):
                answers = self.tell_all()
        for answer in answers:
            answer.wait(ANSWERS_WITHIN_S)

    def tell_all(self) -> list[threading.Event]:
        """Each is set when the debugger has answered about one file."""
        answers = []
        for path in self.breakpoints.files:
            answers.append(threading.Event())
            self._tell_file(path, partial(self._tell_news, path, answers[-1]))
        self._tell_exceptions()
        return answers

    def _tell_news(self, path: str, told: threading.Event) -> None:
        """Clients had their answer when nobody knew yet."""
        if not self._muted:
            for each in self.breakpoints.answers(path):
                self._debugged.broadcast("breakpoint", {"reason": "changed", "breakpoint": each})
        told.set()

    def _tell_file(self, path: str, then: Callable[[], None] = lambda: None) -> None:
        """`then` is called when the debugger has answered; at once where none is there."""
        arguments = self.breakpoints.merged(path)
        line = self._debugged.line
        if line is None:
            then()
            return
        if self._muted:
            arguments = {**arguments, "breakpoints": []}

        def answered(response: Message) -> None:
            if not self._muted:
                self.breakpoints.answered(path, (response.get("body") or {}).get("breakpoints", []))
            then()

        line.send("setBreakpoints", arguments, answered)

    def _tell_exceptions(self) -> None:
        line = self._debugged.line
        if line is None:
            return
        wishes = [] if self._muted else list(self._exceptions.values())
        merged: dict[str, Any] = {"filters": []}
        for wish in wishes:
            merged["filters"] = sorted({*merged["filters"], *wish.get("filters", [])})
            for key in ("filterOptions", "exceptionOptions"):
                if wish.get(key):
                    merged[key] = [*merged.get(key, []), *wish[key]]
        line.send("setExceptionBreakpoints", merged, lambda _: None)
