"""The folders of a run: sockets and plan in one that only the owner can enter, shared payloads under /dev/shm, and
journals of what was handled in the user's cache."""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path

import platformdirs

from studio.runtime.channel.run_folder import Claim, remove_stale

SHARED_MEMORY = Path("/dev/shm")


def runs_folder() -> Path:
    """Where runs live: $STUDIO_RUNS, the session's runtime folder, or a private folder for temporary files."""
    given = os.environ.get("STUDIO_RUNS")
    if given:
        return Path(given)
    session = os.environ.get("XDG_RUNTIME_DIR")
    if session and os.access(session, os.W_OK):
        return Path(session) / "studio"
    return Path(tempfile.gettempdir()) / f"studio-{os.getuid()}"


def shared_folder(run: str) -> Path | None:
    """Where a run's large payloads are, if it shares memory."""
    folder = SHARED_MEMORY / f"studio-{os.getuid()}" / run
    return folder if folder.is_dir() else None


def journal_file(journals: Path, host: str) -> Path:
    """With an ending: a host may be called as the file of the folder's owner."""
    return journals / f"{host}.journal"


class RunFolders:
    """Both folders of one run, owned while this process lives; what runs before us left behind is removed."""

    def __init__(self) -> None:
        runs = runs_folder()
        runs.mkdir(mode=0o700, parents=True, exist_ok=True)
        remove_stale(runs)
        identity = secrets.token_hex(4)
        self._claims = [Claim(runs / identity)]
        self.run = self._claims[0].folder
        self.shared: Path | None = None
        if SHARED_MEMORY.is_dir() and os.access(SHARED_MEMORY, os.W_OK):
            parent = SHARED_MEMORY / f"studio-{os.getuid()}"
            parent.mkdir(mode=0o700, exist_ok=True)
            remove_stale(parent)
            self._claims.append(Claim(parent / identity))
            self.shared = self._claims[1].folder
        self.journals: Path | None = None
        """What hosts have handled: files on a disk, because they grow with the run."""
        with suppress(OSError):  # no cache that could be written to: reloads take longer
            parent = platformdirs.user_cache_path("robot-systems-studio") / "inputs"
            parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            remove_stale(parent)
            self._claims.append(Claim(parent / identity))
            self.journals = self._claims[-1].folder

    def journal(self, host: str) -> Path | None:
        """What a host has handled since it began; None where that is not known."""
        file = None if self.journals is None else journal_file(self.journals, host)
        return file if file is not None and file.is_file() else None

    @property
    def all(self) -> list[Path]:
        return [claim.folder for claim in self._claims]

    def close(self) -> None:
        for claim in self._claims:
            claim.close()
