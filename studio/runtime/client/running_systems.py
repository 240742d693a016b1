"""Which systems run on this machine: every runtime leaves a note in its run's folder, and the note is checked."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.runtime.base.typed_json import Count, Finite, Malformed, read_object, typed
from studio.runtime.channel.run_folder import OTHER_RUNS, refuse_foreign, runs_folder, why_not_private

NOTE = "runtime.json"
MOST_WORDS = 4000
MOST_NOTE_BYTES = 100_000
_START_TIME = 19
"""Which word behind the name, in /proc/PID/stat."""


class NotRunning(StudioError):
    """There is no such running system, or more than one."""


@dataclass(frozen=True)
class RunningSystem:
    run: str
    """The run's name: that of its folder."""
    project: str
    folder: str
    """Of the project."""
    mode: str
    gate: str
    pid: Count
    born: Finite
    """When the process was started, see `_born`: a process id may be used again."""

    @classmethod
    def of_this_process(cls, run: Path, project: str, folder: Path, mode: str, gate: str) -> RunningSystem:
        pid = os.getpid()
        return cls(run.name, project, str(folder.absolute()), mode, gate, pid, _born(pid))

    def write(self) -> None:
        file = runs_folder() / self.run / NOTE
        file.with_suffix(".new").write_text(json.dumps(asdict(self)))
        os.replace(file.with_suffix(".new"), file)

    @property
    def run_folder(self) -> Path:
        return runs_folder() / self.run

    def last_words(self) -> str:
        """Of a runtime that is gone; empty if it was killed, or said nothing."""
        from studio.runtime.channel.payload_folder import last_words_file  # brings numpy, and is seldom needed

        try:
            return last_words_file(self.run_folder).read_text(errors="replace")[-MOST_WORDS:].strip()
        except OSError:
            return ""

    def is_alive(self) -> bool:
        try:
            return _born(self.pid) == self.born and psutil.Process(self.pid).status() != psutil.STATUS_ZOMBIE
        except (OSError, psutil.Error):
            return False


def _born(pid: int) -> float:
    """By a clock that nobody sets, where there is one. psutil gives the time of day: whenever that is corrected by a
    moment, a system that runs would look like another process with the same number."""
    if not sys.platform.startswith("linux"):
        return float(psutil.Process(pid).create_time())
    return float(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[_START_TIME])


def running_systems() -> list[RunningSystem]:
    """Those whose runtime lives, in the order in which they were started."""
    found: list[RunningSystem] = []
    if why_not_private(runs_folder()) is not None:
        return found  # notes by another user, who would be asked in place of a runtime
    for note in runs_folder().glob(f"*/{NOTE}"):
        if not note.is_file():  # a pipe would never be read to its end
            continue
        try:
            system = typed(RunningSystem, read_object(note.read_bytes(), MOST_NOTE_BYTES))
        except (OSError, Malformed):
            continue  # just being removed, or of another version
        if system.run != note.parent.name:
            continue  # it tells of somebody else
        if system.is_alive():
            found.append(system)
    return sorted(found, key=lambda system: (system.born, system.run))


def find_running(wanted: str | None = None) -> RunningSystem:
    """The running system of this project or run; without a name the only one there is."""
    refuse_foreign(runs_folder(), OTHER_RUNS)
    systems = running_systems()
    if wanted is not None:
        folder = str(Path(wanted).absolute())
        chosen = [system for system in systems if wanted in (system.run, system.project) or folder == system.folder]
        if not chosen:
            names = [name for system in systems for name in (system.project, system.run)]
            hint = did_you_mean(wanted, names) or "start one: studio run PROJECT --detach"
            raise NotRunning(f"no system {wanted} is running", hint=hint)
    else:
        chosen = systems
    if not chosen:
        raise NotRunning("no system is running", hint="start one: studio run PROJECT --detach")
    if len(chosen) > 1:
        running = ", ".join(f"{system.run} ({system.project})" for system in chosen)
        raise NotRunning("more than one system is running", hint=f"name one: {running}")
    return chosen[0]
