"""What the window offers to parts that know the open project or its running system."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from PyQt6.QtCore import pyqtBoundSignal

    from studio.editor.live.feed import Feed
    from studio.editor.live.run_control import RunControl
    from studio.editor.live.standing import StopReason
    from studio.editor.project.live_edits import LiveEdits
    from studio.editor.project.session import Session


class Live(Protocol):
    """The project's system, if it runs."""

    @property
    def feed(self) -> Feed: ...
    @property
    def control(self) -> RunControl: ...
    @property
    def edits(self) -> LiveEdits: ...
    @property
    def phase_changed(self) -> pyqtBoundSignal: ...

    def run(self, more: Iterable[str] = ()) -> None:
        """Start, or go on after a pause; `more`: other words for `studio run`."""

    def restart_all(self) -> None:
        """Stop, and run what is on the canvas now."""

    def run_unless_attached(self) -> None:
        """Start the project, but look first whether it runs already."""

    def selected(self) -> list[str]:
        """The running components behind what is selected."""

    def go_to_trouble(self, component: str) -> None:
        """Show the card of this component."""


class Freeze(Protocol):
    """How the system is stopped."""

    @property
    def is_frozen(self) -> bool: ...
    @property
    def stand(self) -> StopReason | None: ...
    @property
    def held(self) -> list[dict[str, Any]] | None:
        """Events that wait at the gate; None while it is not known."""

    @property
    def held_count(self) -> int: ...
    @property
    def busy(self) -> Any: ...
    @property
    def held_changed(self) -> pyqtBoundSignal: ...
    @property
    def stands(self) -> pyqtBoundSignal: ...

    def chosen_topic(self) -> str:
        """Of the wire that is selected; empty without one."""

    def show_ways(self) -> None:
        """Which steps are possible now."""

    def continue_(self) -> None:
        """Let the system run."""


class Files(Protocol):
    """Projects on disk: opening, saving, leaving."""

    @property
    def is_example(self) -> bool:
        """Whether what is open came with Studio: saving makes a copy."""

    def save(self, *, overwrite: bool = False, code: bool = True) -> bool: ...
    def ask_copy(self, *, code: bool = True) -> bool: ...
    def ask_leave_and_open(self, folder: Path, then: Callable[[], object] = lambda: None) -> None: ...
    def is_in_place(self, vehicle: Path) -> bool: ...
    def own_place(self) -> Path: ...
    def may_go_on(self, again: Callable[[], object]) -> bool: ...
    def open_and_run(self, folder: Path, then: Callable[[], object]) -> None: ...


class Commands(Protocol):
    def rescan(self) -> None:
        """Look for components again."""


class SystemText(Protocol):
    """The text of system.xml beside the canvas."""

    def open(self, line: int = 0) -> None: ...
    def flush(self) -> bool:
        """Whether all that was typed is in the system."""


class WithProject(Protocol):
    @property
    def has_session(self) -> bool: ...
    @property
    def session(self) -> Session:
        """Of the open project; there must be one."""


class WithLive(Protocol):
    @property
    def live(self) -> Live: ...


class WithFreeze(Protocol):
    @property
    def freeze(self) -> Freeze: ...


class WithFiles(Protocol):
    @property
    def files(self) -> Files: ...


class WithCommands(Protocol):
    @property
    def window_commands(self) -> Commands: ...


class WithSystemText(Protocol):
    @property
    def system_text(self) -> SystemText: ...
