"""Logged is chosen, and the log is not there: what is missing, and what one can do about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol

from studio.editor.log_files.log_facts import PROJECT_LOGS, name_in
from studio.editor.log_files.ports import WithLogs
from studio.editor.log_files.simulated_log import takes_carmen
from studio.editor.ports import WithNotice
from studio.editor.project.ports import WithLive, WithProject
from studio.model.sources import LogProvider
from studio.model.system import System
from studio.recordings import log_of, recordings_of

NO_LOG = "no log"
"""What the question is about."""
MOST_RECENT = 2


class Needs(WithLive, WithLogs, WithNotice, WithProject, Protocol):
    """What is taken from the window."""


def missing_log(system: System, folder: Path) -> tuple[str, Path] | None:
    """Of the sources that are logged: the first whose log is not there, and that log."""
    for source in system.sources:
        provider = source.provider(source.mode)
        if isinstance(provider, LogProvider):
            path = log_of(folder, provider.log)
            if not path.exists():
                return source.name, path
    return None


def recent_recordings(folder: Path) -> list[Path]:
    """The newest logs of a project, the newest first."""
    places = (recordings_of(folder), folder / PROJECT_LOGS)
    logs = [path for place in places for path in place.glob("*.mcap") if path.is_file()]
    return sorted(logs, key=lambda path: path.stat().st_mtime, reverse=True)[:MOST_RECENT]


def ask_for_log(window: Needs, log: Path, source: str = "", *, so: str = "") -> None:
    """`so`: what did not happen because of it."""
    session = window.session
    recordings = recent_recordings(session.folder)
    choices: dict[str, Callable[[], object]] = {
        f"Play {found.name}": partial(window.logs.play_here, found) for found in recordings
    }
    choices["Choose a log…"] = window.logs.ask_provider
    if window.live.control.phase == "stopped" and all("simulated" in each.modes for each in session.system.sources):
        choices["Record it in simulation"] = lambda: _record(window, log)
    elif any(takes_carmen(each) for each in session.system.sources):
        choices["Record one in the simulator"] = window.logs.record_simulated
    elif window.live.control.phase == "running" and not recordings and window.logs.report is None:
        choices["Record now"] = window.logs.toggle
    choices["Close"] = lambda: None
    name = name_in(session.folder, log)
    name = log.name if Path(name).is_absolute() else name  # the whole path has no room in the bar
    window.notice.ask(_question(name, source, bool(recordings), so), choices, NO_LOG)


def _question(log: str, source: str, has_recordings: bool, so: str) -> str:
    """First what one can do: with a recording at hand, the log that is missing is of little interest."""
    after = f" {so}" if so else ""
    whose = f" for {source}" if source else ""
    if has_recordings:
        return f"Choose a recording to play{whose}.{after} ({log} does not exist.)"
    return f"No log to play{whose}: {log} does not exist.{after}"


def _record(window: Needs, log: Path) -> None:
    """The same system, simulated from its start into just this log: then Logged finds it."""
    system = window.session.system
    window.session.choose_modes({each.name: "simulated" for each in system.sources})
    window.logs.begin(log)
