"""Where code is to stop: breakpoints by file and line, remembered with the project. No Qt in here."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

EXCEPTIONS = {
    "userUnhandled": "Errors in handlers",
    "uncaught": "Uncaught exceptions",
    "raised": "All raised exceptions",
}
"""The exception filters of debugpy, in words."""
EXCEPTION_TIPS = {
    "userUnhandled": "Stops where a handler raises an error that it does not catch",
    "uncaught": "Stops where an error is raised that would end the process",
    "raised": "Stops at every error, also at one that is caught and meant to be",
}
FIRST_EXCEPTIONS = frozenset({"userUnhandled"})
"""The runtime catches what a handler raises, so that an error of a component is never uncaught."""


@dataclass(frozen=True)
class Breakpoint:
    """One line. With a `log` it says something and does not stop."""

    file: str
    line: int
    """From 1 on."""
    enabled: bool = True
    condition: str = ""
    hits: str = ""
    """Which passes count: `5`, `>= 5`, `% 10`."""
    log: str = ""
    """What to say; `{expression}` is put in."""

    @property
    def key(self) -> str:
        return f"{self.file}:{self.line}"

    def as_dap(self) -> dict[str, Any]:
        asked: dict[str, Any] = {"line": self.line}
        if self.condition:
            asked["condition"] = self.condition
        if self.hits:
            asked["hitCondition"] = self.hits
        if self.log:
            asked["logMessage"] = self.log
        return asked


class BreakpointBook:
    """All breakpoints of a project.

    Whoever listens gets the file whose breakpoints are others now ("" for the exceptions), and whether the debugger
    has to be told, or only what is shown about them has changed.
    """

    def __init__(self) -> None:
        self._points: dict[str, dict[int, Breakpoint]] = {}
        self.exceptions: frozenset[str] = FIRST_EXCEPTIONS
        self.muted = False
        """Nothing stops while they are muted."""
        self.hit: dict[str, int] = {}
        """How often each has stopped, by key."""
        self.waiting: dict[str, str] = {}
        """Why a breakpoint does not stop yet, by key; one that is not in here was confirmed by the debugger."""
        self._heard: list[Callable[[str, bool], object]] = []

    def listen(self, heard: Callable[[str, bool], object]) -> Callable[[], None]:
        """What comes back ends it."""
        self._heard.append(heard)
        return lambda: self._heard.remove(heard)

    # ---- what there is

    def all(self) -> list[Breakpoint]:
        return [point for file in sorted(self._points) for point in self.of_file(file)]

    def files(self) -> list[str]:
        return sorted(self._points)

    def of_file(self, file: str) -> list[Breakpoint]:
        return sorted(self._points.get(file, {}).values(), key=lambda point: point.line)

    def at(self, file: str, line: int) -> Breakpoint | None:
        return self._points.get(file, {}).get(line)

    def by_key(self, key: str) -> Breakpoint | None:
        file, _, line = key.rpartition(":")
        return self.at(file, int(line)) if line.isdigit() else None

    def asked_of(self, file: str) -> list[dict[str, Any]]:
        """What the debugger is to be told."""
        return [] if self.muted else [point.as_dap() for point in self.of_file(file) if point.enabled]

    def asked_exceptions(self) -> list[str]:
        return [] if self.muted else sorted(self.exceptions)

    # ---- changes

    def toggle(self, file: str, line: int) -> None:
        if self.at(file, line) is None:
            self.put(Breakpoint(file, line))
        else:
            self.remove(file, line)

    def put(self, point: Breakpoint) -> None:
        """A new one, or others' conditions for the one in this place."""
        self._points.setdefault(point.file, {})[point.line] = point
        self._tell(point.file)

    def set_enabled(self, file: str, line: int, on: bool) -> None:
        point = self.at(file, line)
        if point is not None:
            self.put(replace(point, enabled=on))

    def remove(self, file: str, line: int) -> None:
        if self._points.get(file, {}).pop(line, None) is not None:
            self._forget(f"{file}:{line}")
            if not self._points[file]:
                del self._points[file]
            self._tell(file)

    def clear(self) -> None:
        for file in self.files():
            del self._points[file]
            self._tell(file)
        self.hit.clear()
        self.waiting.clear()

    def move(self, file: str, lines: dict[int, int]) -> None:
        """An edit has put lines elsewhere: old line -> new line; 0 where the line is gone.

        The debugger is not told: what runs is the code as it was when it was loaded.
        """
        old = self._points.get(file, {})
        if all(lines.get(line, line) == line for line in old):
            return
        kept: dict[int, Breakpoint] = {}
        for point in old.values():
            self._forget(point.key)
            line = lines.get(point.line, point.line)
            if line > 0:
                kept.setdefault(line, replace(point, line=line))
        if kept:
            self._points[file] = kept
        else:
            del self._points[file]
        self._tell(file, asks=False)

    def catch(self, name: str, on: bool) -> None:
        self.exceptions = self.exceptions | {name} if on else self.exceptions - {name}
        self._tell("")

    def mute(self, on: bool) -> None:
        self.muted = on
        for file in ("", *self.files()):
            self._tell(file)

    def note_hit(self, file: str, line: int) -> None:
        point = self.at(file, line)
        if point is not None:
            self.hit[point.key] = self.hit.get(point.key, 0) + 1
            self._tell(file, asks=False)

    def note_waiting(self, waiting: Mapping[str, str]) -> None:
        """Which breakpoints do not stop yet, and why; in place of what was known about all of them."""
        changed = {key for key in {*waiting, *self.waiting} if waiting.get(key) != self.waiting.get(key)}
        self.waiting = dict(waiting)
        for file in sorted({key.rpartition(":")[0] for key in changed}):
            self._tell(file, asks=False)

    # ---- kept

    def save(self) -> str:
        return json.dumps({"points": [asdict(point) for point in self.all()], "exceptions": sorted(self.exceptions)})

    def restore(self, text: str) -> None:
        """What was saved, or of it what can be read; in place of what was there."""
        self._points.clear()
        self.hit.clear()
        self.waiting.clear()
        self.exceptions, self.muted = FIRST_EXCEPTIONS, False
        try:
            kept = json.loads(text)
            self.exceptions = frozenset(kept["exceptions"]) & frozenset(EXCEPTIONS)
            for told in kept["points"]:
                point = Breakpoint(**told)
                self._points.setdefault(point.file, {})[int(point.line)] = point
        except (ValueError, KeyError, TypeError):
            pass  # written by another version, or by hand
        for file in ("", *self.files()):
            self._tell(file)

    def _forget(self, key: str) -> None:
        self.hit.pop(key, None)
        self.waiting.pop(key, None)

    def _tell(self, file: str, *, asks: bool = True) -> None:
        for heard in list(self._heard):
            heard(file, asks)


def point_words(point: Breakpoint, waiting: str) -> str:
    """What a breakpoint does, and why it does not do so yet."""
    words = [f"Says {point.log}" if point.log else "Stops here"]
    words += [f"when {point.condition}"] if point.condition else []
    words += [f"at pass {point.hits}"] if point.hits else []
    if not point.enabled:
        return f"Disabled. {' '.join(words)}"
    return f"{' '.join(words)}\nNot yet: {waiting}" if waiting else " ".join(words)
