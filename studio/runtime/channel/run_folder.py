"""The folders of a run: sockets and plan in one that only the owner can enter, shared payloads under /dev/shm, and
journals of what was handled in the user's cache."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

import platformdirs

from studio.errors import StudioError
from studio.runtime.channel.payload_folder import Claim, remove_stale

SHARED_MEMORY = Path("/dev/shm")
OTHER_RUNS = "remove it, or set STUDIO_RUNS to a folder that only you can write to"


def runs_folder() -> Path:
    """Where runs live: $STUDIO_RUNS, the session's runtime folder, or a private folder for temporary files."""
    given = os.environ.get("STUDIO_RUNS")
    if given:
        return Path(given)
    session = os.environ.get("XDG_RUNTIME_DIR")
    if session and os.access(session, os.W_OK):
        return Path(session) / "studio"
    return Path(tempfile.gettempdir()) / f"studio-{os.getuid()}"


def shared_runs_folder() -> Path:
    """Where runs share memory."""
    return SHARED_MEMORY / f"studio-{os.getuid()}"


def shared_folder(run: str) -> Path | None:
    """Where a run's large payloads are, if it shares memory."""
    folder = shared_runs_folder() / run
    return folder if folder.is_dir() and why_not_private(folder.parent) is None else None


def private_folder(folder: Path, hint: str) -> Path:
    """Made if it is not there. In a place for all users its name can be guessed, and another user can make it first:
    what they own, or can write to, is refused. `hint`: how to use another one."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        why = why_not_private(folder) or f"cannot be made: {error.strerror}"
        raise StudioError(f"{folder} {why}", hint=hint) from None
    refuse_foreign(folder, hint)
    return folder


def refuse_foreign(folder: Path, hint: str) -> None:
    """StudioError if it is there, but not a folder of this user alone."""
    why = why_not_private(folder)
    if why is not None:
        raise StudioError(f"{folder} {why}", hint=hint)


def why_not_private(folder: Path) -> str | None:
    try:
        found, around = folder.lstat(), folder.parent.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"cannot be used: {error.strerror}"
    if stat.S_ISLNK(found.st_mode):
        return "is a symbolic link, not a folder"
    if not stat.S_ISDIR(found.st_mode):
        return "is not a folder"
    if found.st_uid != os.getuid():
        return "belongs to another user"
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "can be changed by other users"
    if around.st_uid not in (0, os.getuid()) or (around.st_mode & stat.S_IWOTH and not around.st_mode & stat.S_ISVTX):
        return "can be replaced by other users"  # of root by the one whose XDG_RUNTIME_DIR sudo has kept
    return None


def journal_file(journals: Path, host: str) -> Path:
    """With an ending: a host may be called as the file of the folder's owner."""
    return journals / f"{host}.journal"


class RunFolders:
    """Both folders of one run, owned while this process lives; what runs before us left behind is removed."""

    def __init__(self) -> None:
        runs = private_folder(runs_folder(), OTHER_RUNS)
        remove_stale(runs)
        identity = secrets.token_hex(4)
        self._claims = [Claim(runs / identity)]
        self.run = self._claims[0].folder
        self.shared: Path | None = None
        if SHARED_MEMORY.is_dir() and os.access(SHARED_MEMORY, os.W_OK):
            parent = private_folder(shared_runs_folder(), "remove it, or ask its owner to do so")
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
