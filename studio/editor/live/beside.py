"""Logs that are looked at beside what runs or plays, each moved in time to be compared. None of them is played."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PyQt6.QtCore import QObject, pyqtSignal

from studio.editor.base.deferred import Beside
from studio.editor.live.feed import Changes, Feed
from studio.editor.live.log_outline import Outline, read_outline
from studio.editor.live.state_history import time_of
from studio.errors import StudioError
from studio.runtime.recording import LogReader


@dataclass
class BesideLog:
    path: Path
    offset_ns: int = 0
    """How much later than the start of the first log, or of the run, its start is put."""
    outline: Outline | None = None
    """None until it has been read."""
    trouble: str = ""
    shift_ns: int = 0
    """What is added to its own times."""


class LogsBeside(QObject):
    changed = pyqtSignal()
    """One came, went, was read or was moved."""

    def __init__(self, feed: Feed) -> None:
        """Lives as long as the feed; see `beside_of`."""
        super().__init__(feed)
        self.feed = feed
        self.logs: list[BesideLog] = []
        self._base_ns: int | None = None
        """When the first log, or the run, begins; None before there was one."""
        self._played = ""
        self._lookers: list[Callable[[], object]] = []
        feed.attached.connect(self._begin)
        feed.changed.connect(self._follow)

    def join(self, looker: Callable[[], object]) -> None:
        """Told of every change, until it leaves. For the first one only what runs now counts, and not what has run
        while nobody looked, perhaps in another project."""
        if not self._lookers:
            self._base_ns, self._played = None, ""
            if self.feed.is_attached:
                self._begin()
        self._lookers.append(looker)
        self.changed.connect(looker)

    def leave(self, looker: Callable[[], object]) -> None:
        """With the last looker go the logs: the next one is of another project, perhaps."""
        self._lookers.remove(looker)
        self.changed.disconnect(looker)
        if not self._lookers:
            self.logs.clear()

    def find(self, path: Path) -> BesideLog | None:
        return next((log for log in self.logs if log.path == path), None)

    def add(self, path: Path, offset_ns: int = 0) -> None:
        """At once, and read beside the window's work; one that is there stays as it is."""
        if self.find(path) is None:
            log = BesideLog(path, offset_ns)
            self.logs.append(log)
            Beside(lambda: read_outline(path), lambda found: self._have_read(log, found), self)
            self.changed.emit()

    def remove(self, path: Path) -> None:
        self.logs = [log for log in self.logs if log.path != path]
        self._place()

    def shift(self, path: Path, offset_ns: int) -> None:
        log = self.find(path)
        if log is not None and log.offset_ns != offset_ns:
            log.offset_ns = offset_ns
            self._place()

    def go_by_the_clock(self, path: Path) -> None:
        """Its events at the very times that they had."""
        log = self.find(path)
        if log is not None:
            self.shift(path, log.offset_ns - log.shift_ns)

    # ---- within

    def _have_read(self, log: BesideLog, found: Outline | StudioError) -> None:
        if isinstance(found, StudioError):
            log.trouble = str(found)
        else:
            log.outline = found
        self._place()

    def _place(self) -> None:
        """By the first log or the run; while there has been none, by the first of these."""
        first = next((log.outline for log in self.logs if log.outline is not None), None)
        base_ns = self._base_ns if self._base_ns is not None else first.start_ns if first is not None else 0
        for log in self.logs:
            if log.outline is not None:
                log.shift_ns = base_ns - log.outline.start_ns + log.offset_ns
        self.changed.emit()

    def _begin(self) -> None:
        """Of a simulation or on the clock of the world; where a log is played, that begins somewhere else."""
        clock = self.feed.state.get("clock") or {}
        self._base_ns, self._played = (0 if clock.get("kind") == "simulation" else time_of(self.feed.state)), ""
        self._follow(Changes(system=True))
        self._place()

    def _follow(self, changes: Changes) -> None:
        played = str((self.feed.state.get("player") or {}).get("log", ""))
        if changes.system and played and played != self._played:
            self._played = played
            # Not the start that the player tells, which is that of the first stream that is played.
            Beside(lambda: _start_ns(Path(played)), lambda start_ns: self._have_start(played, start_ns), self)

    def _have_start(self, played: str, start_ns: int | StudioError) -> None:
        """Of a log that cannot be read, the player tells."""
        if played == self._played and not isinstance(start_ns, StudioError):
            self._base_ns = start_ns
            self._place()


def _start_ns(path: Path) -> int:
    with LogReader(path) as log:
        return log.start_ns


def beside_of(feed: Feed) -> LogsBeside:
    """Those of this feed."""
    found: LogsBeside | None = feed.findChild(LogsBeside)
    return found if found is not None else LogsBeside(feed)
