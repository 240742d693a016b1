"""Edits while the system runs: it follows them, and what it cannot follow is told before anything happens.

Parameters are set one by one, at once. Everything else goes to the runtime as the text that saving would write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from studio.editor.live.feed import Feed
from studio.editor.project.session import Session
from studio.errors import StudioError
from studio.model.changes import Assigned, Change, Inserted, Moved, Removed, Replaced
from studio.model.document import SYSTEM_FILE
from studio.model.parts import Component
from studio.model.sources import Source
from studio.model.spec import Value
from studio.model.wiring import parameter_values

SET_AFTER_MS = 60
"""Of a slider that is dragged, not every place is worth a request."""
FOLLOW_AFTER_MS = 300
"""Several edits that belong together are one change of the running system."""
_LOOKS = ("places", "notes", "frames", "groups")
"""Tables of the layout: nothing that runs."""


class LiveEdits(QObject):
    applied = pyqtSignal(str)
    """What the running system has followed, in a sentence."""
    waiting = pyqtSignal(str)
    """Why an edit has not reached the running system yet."""
    failed = pyqtSignal(str)
    """The runtime would not follow: why."""
    stuck = pyqtSignal(str, str, object)
    """A change that cannot be made while it runs: why, what it would restart, and what to call to do that."""

    def __init__(self, feed: Feed, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.feed = feed
        self.allows: Callable[[], bool] = lambda: True
        """Asked before code may run that is new in the project."""
        self._session: Session | None = None
        self._values: dict[tuple[str, str], Value] = {}
        self._followed = b""
        """The system that runs, as text."""
        self._under_way = False
        self._chosen: set[str] = set()
        """Sources that somebody has given another provider here. Only these are switched: a window that is opened on a
        running system leaves it as it is, whatever the file says."""
        self._refused: tuple[str, list[str]] | None = None
        """A switch that the runtime would not make."""
        self._may_restart = False
        """The user has agreed that the next change restarts what it touches."""
        self._blocked = False
        """By errors that the check finds."""
        self._setting = self._timer(SET_AFTER_MS, self._set)
        self._following = self._timer(FOLLOW_AFTER_MS, self._follow)
        feed.attached.connect(self._attached)
        feed.ended.connect(self._ended)

    def _timer(self, interval_ms: int, do: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval_ms)
        timer.timeout.connect(do)
        return timer

    def show_session(self, session: Session | None) -> None:
        self._session = session
        self._values, self._blocked, self._may_restart, self._chosen = {}, False, False, set()
        self._setting.stop()
        self._following.stop()
        if session is not None:
            session.changed.connect(self._edited)
            session.problems_changed.connect(self._checked)
            self._following.start()  # of the same project: its file was read anew

    def switch(self, sources: Iterable[str], *, restart: bool = False) -> None:
        """Bring the running system to what the canvas has for these sources, also where that was so before.

        `restart`: what has another type now may be restarted for it; the user was told.
        """
        self._chosen |= set(sources)
        self._may_restart = restart
        self._refused = None
        self._following.start()

    def apply_now(self) -> None:
        """Bring the running system to what the canvas shows, whatever it followed before."""
        self._followed, self._refused = b"", None
        if self._session is not None:
            self._chosen = {source.name for source in self._session.system.sources}
        self._follow()

    # ---- what happens

    def _attached(self) -> None:
        self._under_way = False
        if self._session is not None:
            self._followed = self._text()

    def _ended(self, _: bool) -> None:
        self._values = {}
        self._setting.stop()
        self._following.stop()

    def _edited(self, changes: tuple[Change, ...]) -> None:
        if not self.feed.is_attached:
            return
        for change in changes:
            match change:
                case Inserted(table) | Removed(table) | Replaced(table) | Moved(table) if table in _LOOKS:
                    continue
                case Replaced("nodes", Component() as old, Component() as new) if _only_parameters(old, new):
                    self._note_values(old, new)
                case Replaced("nodes", Source() as old, Source() as new):
                    if old.mode != new.mode:
                        self._chosen.add(new.name)
                    self._following.start()
                case Assigned():
                    continue
                case _:
                    self._following.start()

    def _checked(self) -> None:
        if self._blocked:
            self._blocked = False
            self._following.start()

    def _note_values(self, old: Component, new: Component) -> None:
        assert self._session is not None
        spec = self._session.registry.get(new.type)
        if spec is None:
            return
        if new.name not in self.feed.state["components"]:  # added a moment ago: it comes with its values
            self._following.start()
            return
        try:
            before, after = parameter_values(old, spec), parameter_values(new, spec)
        except StudioError:
            self._following.start()  # the check will say what is wrong with it
            return
        for name, value in after.items():
            if before.get(name) != value:
                self._values[new.name, name] = value
        self._setting.start()

    # ---- requests

    def _set(self) -> None:
        values, self._values = self._values, {}
        for (component, name), value in values.items():
            plain = list(value) if isinstance(value, tuple) else value
            told = self._has_set(f"{component}.{name}")
            self.feed.ask("set", told, self._failed, component=component, name=name, value=plain)

    def _has_set(self, what: str) -> Callable[[dict[str, Any]], None]:
        return lambda reply: self.applied.emit(f"{what} = {reply['value']}, {reply['effect']}")

    def _follow(self, *, restart: bool = False) -> None:
        if not self.feed.is_attached or self._session is None:
            return
        if self._under_way:
            self._following.start()
            return
        errors = [problem for problem in self._session.problems if problem.severity == "error"]
        self._blocked = bool(errors)
        if errors:
            self.waiting.emit(f"The running system does not change until this is corrected: {errors[0].message}")
            return
        text = self._text()
        if text == self._followed and not restart:
            self._switch_next()
            return
        if not self.allows():
            return
        self._under_way = True
        restart, self._may_restart = restart or self._may_restart, False
        self.feed.ask(
            "reload",
            lambda reply: self._has_followed(text, reply),
            lambda error: self._cannot_follow(error),
            timeout_s=None,
            text=text.decode(),
            restart=restart,
        )

    def _switch_next(self) -> None:
        """Sources that have another provider on the canvas than in the running system: those of one kind together.

        The text comes first: a provider may be new in it, and a reload leaves the running choice as it is.
        """
        assert self._session is not None
        running = self.feed.state.get("sources", {})
        wanted: dict[str, list[str]] = {}
        for source in self._session.system.sources:
            if source.name in self._chosen and running.get(source.name, source.mode) != source.mode:
                wanted.setdefault(source.mode, []).append(source.name)
        for mode, sources in wanted.items():
            if (mode, sources) != self._refused:  # not again and again, least of all to what is real
                self._switch(sources, mode)
                return

    def _switch(self, sources: list[str], mode: str) -> None:
        self._under_way = True

        def done(_: dict[str, Any]) -> None:
            self._under_way = False
            self._chosen -= set(sources)
            self.applied.emit(f"{', '.join(sources)}: {mode} from now on")
            self._following.start()

        def failed(error: StudioError) -> None:
            self._under_way = False
            self._refused = (mode, sources)
            self._failed(error)

        self.feed.ask("switch", done, failed, timeout_s=None, sources=sources, mode=mode)

    def _has_followed(self, text: bytes, reply: dict[str, Any]) -> None:
        self._under_way = False
        self._followed = text
        parts = [
            f"{what} {', '.join(reply[what])}" for what in ("added", "removed", "changed", "restarted") if reply[what]
        ]
        if parts:
            self.applied.emit(f"The running system follows: {'; '.join(parts)}")
        self._following.start()

    def _cannot_follow(self, error: StudioError) -> None:
        self._under_way = False
        if getattr(error, "kind", "") == "CannotChange":
            self.stuck.emit(error.message, error.hint, lambda: self._follow(restart=True))
        else:
            self._failed(error)

    def _failed(self, error: StudioError) -> None:
        self.failed.emit(f"The running system does not change: {error}")

    def _text(self) -> bytes:
        assert self._session is not None
        document = self._session.document
        return document.texts()[document.folder / SYSTEM_FILE]


def _only_parameters(old: Component, new: Component) -> bool:
    values = {name: getattr(new, name) for name in ("parameters", "parameter_set", "parameter_sets")}
    return replace(old, **values) == new
