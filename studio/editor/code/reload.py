"""Edit and reload: what to do when the code of a running component was saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from PyQt6.QtCore import QObject

from studio.editor.code.old_code import OldCode
from studio.editor.code.ports import WithCode, WithDebug
from studio.editor.ports import WithSettings, WithStatus, WithWidget
from studio.editor.project.ports import WithLive, WithProject
from studio.errors import StudioError

if TYPE_CHECKING:
    from studio.editor.code.code_page import CodePage
    from studio.editor.live.feed import Changes

SETTING = "reload_on_save"
RELOADS = "Reload restarts its process with the new code"
MAY_BEGIN_ANEW = (
    "This run cannot be replayed from its start: the component may begin in its initial state, not at this event."
)
OLD_CODE = "old code"
"""The question on a page whose code is newer than what runs."""


class Needs(WithCode, WithDebug, WithLive, WithProject, WithSettings, WithStatus, WithWidget, Protocol):
    """What is taken from the window."""


def components_with(file: Path, folders: Mapping[str, Path | None]) -> list[str]:
    """Components whose code lies in a folder that this file is in."""
    return [name for name, folder in folders.items() if folder is not None and file.is_relative_to(folder.resolve())]


class Reload(QObject):
    """Restarts only the components whose code has changed, and brings the system back to the event it stands at."""

    def __init__(self, window: Needs) -> None:
        super().__init__(window.widget)
        self.window = window
        self._running: set[str] = set()
        """Components that are being reloaded."""
        self._old = OldCode()
        window.code.saved.connect(self._saved)
        window.live.feed.changed.connect(self._processes_changed)
        window.live.feed.ended.connect(lambda _: self._now_new(self._old.clear()))

    @property
    def by_itself(self) -> bool:
        return self.window.settings.text(SETTING) == "always"

    @by_itself.setter
    def by_itself(self, on: bool) -> None:
        self.window.settings.set_text(SETTING, "always" if on else "ask")

    def running_with(self, file: Path) -> list[str]:
        """Components that run and whose code this file is part of."""
        window = self.window
        if not window.has_session or not window.live.feed.is_attached:
            return []
        running = window.live.feed.state.get("components", {})
        specs = {name: window.session.registry.get(str(told["type"])) for name, told in running.items()}
        return components_with(file, {name: spec.folder if spec else None for name, spec in specs.items()})

    def runs_old(self, file: Path, host: str) -> bool:
        """The process was started before this file was saved."""
        return self._old.runs(file, host)

    def _processes_changed(self, changes: Changes) -> None:
        if changes.processes:
            self._now_new(self._old.renewed(self.window.live.feed.state.get("processes", {})))

    def _now_new(self, files: list[Path]) -> None:
        """Restart has loaded what these pages show, or nothing runs it any more."""
        for file in files:
            page = self.window.code.pages.get(str(file))
            if page is not None and not self._running:  # who reloads says itself how far it is
                page.offer_reload("")
                page.notice.withdraw(OLD_CODE)
        if files:
            self.window.debug.attachments.look()

    def _saved(self, file: Path) -> None:
        components = self.running_with(file)
        page = self.window.code.pages.get(str(file))
        if not components or page is None:
            return
        debug = self.window.debug
        self._old.saved(file, map(debug.host_of, components), self.window.live.feed.state.get("processes", {}))
        debug.attachments.look()
        if self.by_itself:
            self.reload(page)
            return
        page.offer_reload(_all_of(components))
        page.notice.ask(
            f"{_all_of(components)} still runs its old code. {self._what_reload_does()}",
            {
                f"Reload {_all_of(components)}": lambda: self.reload(page),
                "Always reload when I save": lambda: self._always(page),
                "Not now": lambda: None,
            },
            OLD_CODE,
        )

    def _what_reload_does(self) -> str:
        stepping = self.window.live.feed.state.get("stepping") or {}
        is_paused = self.window.live.control.phase == "paused"
        if stepping.get("gate") == "lockstep":
            then = "" if is_paused else " Then the system continues."
            if not stepping.get("whole", True):
                return f"{RELOADS}. {MAY_BEGIN_ANEW}{then}"
            return f"{RELOADS} and brings the system back to this event.{then}"
        if is_paused:
            return f"{RELOADS}. The system stays paused."
        return f"{RELOADS}. The rest of the system keeps running."

    def _always(self, page: CodePage) -> None:
        self.by_itself = True
        self.reload(page)

    def reload(self, page: CodePage) -> None:
        """Save what is not saved; then the components of this page, one after the other."""
        if page.is_modified and (not page.save() or self.by_itself):
            return  # it was not saved; or saving has led here already
        components = [name for name in self.running_with(page.file.path) if name not in self._running]
        if not components:
            self.window.status.say(f"No component that runs is made of {page.file.path.name}", trouble=True)
            return
        self.window.debug.tell_breakpoints(page.key)  # lines may have moved since they were set
        page.notice.withdraw()
        page.editor.setFocus()
        page.reload.setEnabled(False)
        page.reload.setText(f"Reloading {_all_of(components)}…")
        page.reload.show()
        self._next(page, components, self.window.live.control.phase == "running")

    def _next(self, page: CodePage, components: list[str], goes_on: bool) -> None:
        """`goes_on`: who reloads in a system that runs wants it to run with the new code."""
        if not components:
            self._offer(page, "")
            if goes_on:
                self.window.live.control.go_on()
            return
        name, *rest = components
        self._running.add(name)
        self.window.status.say(f"Reloading {name}: its process restarts with the code on disk…", stays=True)

        def done(reply: dict[str, Any]) -> None:
            self._running.discard(name)
            self._old.reloaded(self.window.debug.host_of(name))
            self.window.debug.attachments.look()
            self.window.status.say(_result(name, reply, goes_on=goes_on))
            self._next(page, rest, goes_on and not reply.get("cancelled"))

        def failed(error: StudioError) -> None:
            self._running.discard(name)
            self._offer(page, name)
            # Without its hint, which is for the command line.
            self.window.status.say(f"{name} was not reloaded: {error.message}", trouble=True)

        self._ask(name, done, failed)

    def _offer(self, page: CodePage, component: str) -> None:
        if page in self.window.code.pages.values():  # it may have been closed meanwhile
            page.offer_reload(component)

    def _ask(
        self, component: str, done: Callable[[dict[str, Any]], object], failed: Callable[[StudioError], object]
    ) -> None:
        self.window.live.control.move("again", done, failed, component=component)


def _all_of(components: list[str]) -> str:
    return " and ".join(components) if len(components) < 3 else f"{components[0]} and {len(components) - 1} more"


def _result(name: str, reply: Mapping[str, Any], *, goes_on: bool) -> str:
    same, runs = reply.get("same"), f"{name} runs the new code"
    if reply.get("cancelled"):
        return f"{runs}. You cancelled the way back: the system is after event {reply['position']}"
    if goes_on:
        return f"{runs}, and the system continues" if same is not None else f"{runs}, from its initial state"
    if same is None:
        return f"{runs}, from its initial state, because {reply.get('why')}"
    if not same:
        return f"{runs}. Its outputs differ, so this event did not come again"
    return f"{runs}, and the system is back at the same event"
