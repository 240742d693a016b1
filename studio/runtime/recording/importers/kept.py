"""Any log as one that can be read at once: MCAP as it is, any other kind by a copy that is made once and kept."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import platformdirs

from studio.model.files import open_regular
from studio.runtime.base.clock import SECOND_NS, wall_ns
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.mcap_records import MAGIC
from studio.runtime.recording.importers.any_log import import_log
from studio.runtime.recording.importers.output import Progress
from studio.runtime.recording.importers.packed import needs_copy
from studio.runtime.recording.importers.recordings import METADATA, log_files, parts_of
from studio.runtime.recording.importers.report import ImportReport
from studio.runtime.recording.importers.rosbag import mcap_files

Told = Callable[[ImportReport], None]
UNUSED_NS = 30 * 24 * 3600 * SECOND_NS
"""A copy that nobody has read for so long is removed."""
NEW = "new.mcap"
"""What a copy is called until it is complete."""
MOST_BYTES = 4_000_000_000
"""What all copies together may take; one that is larger by itself stays until the next one is made."""


def is_log(path: Path) -> bool:
    """Whether it looks like something to be read as a log: a file, a bag's folder, or a folder with logs in it."""
    with _readable(path):
        return path.is_file() or (path.is_dir() and bool((path / METADATA).is_file() or any(log_files(path))))


def readable_log(path: Path, progress: Progress | None = None, told: Told | None = None) -> Path:
    """The MCAP file in which to read a log of any kind.

    A copy, where it needs one, lies among the files that Studio may lose, and is made anew when the log has changed;
    `told` hears what became of it. When the next copy is made, those are removed that were not read for a month, and
    those that were not read for longest where all together take more than their room. Raises LogError for a folder of
    several logs.
    """
    if path.name == METADATA:
        path = path.parent
    with _readable(path):
        if path.is_dir():
            parts = mcap_files(path)
            if len(parts) == 1 and not needs_copy(parts[0]):
                return parts[0]
            if not (path / METADATA).is_file() and len(single := parts_of(path)) == 1:
                path = single[0]
        elif _is_mcap(path) and not needs_copy(path):
            return path
    return _kept(path.resolve(), progress, told)


def _kept(path: Path, progress: Progress | None, told: Told | None) -> Path:
    place = hashlib.sha256(os.fsencode(path)).hexdigest()[:12]
    folder = platformdirs.user_cache_path("robot-systems-studio") / "logs" / f"{path.name}_{place}"
    with _keeping(folder), _alone(folder):
        kept = folder / f"{path.name.split('.')[0] or 'log'}_{_state_of(path)}.mcap"
        if kept.is_file():
            os.utime(kept)
            return kept
        for old in folder.glob("*.mcap"):  # of the log as it was before, or of somebody who was killed
            old.unlink(missing_ok=True)
        new = folder / NEW
        report = import_log(path, new, progress=progress)
        report.output = kept
        os.replace(new, kept)
        _make_room(folder.parent, kept)
    if told is not None:
        told(report)
    return kept


def _make_room(folder: Path, new: Path) -> None:
    """The folders stay, with their locks: somebody may be about to make a copy in one of them.

    Who still reads a copy that is removed here goes on with it: its file is gone when the last reader has closed it.
    """
    oldest_ns, taken = wall_ns() - UNUSED_NS, 0
    for used_ns, size, copy in sorted(_copies(folder), reverse=True):
        taken += size
        if copy != new and (used_ns < oldest_ns or taken > MOST_BYTES):
            with suppress(OSError):  # somebody was faster, or it is not ours to remove: no reason to refuse a new one
                copy.unlink()


def _copies(folder: Path) -> Iterator[tuple[int, int, Path]]:
    """When each was read last, its size and its file; not those that somebody is just making."""
    for copy in folder.glob("*/*.mcap"):
        with suppress(OSError):
            found = copy.stat()
            if copy.name != NEW:
                yield found.st_mtime_ns, found.st_size, copy


@contextmanager
def _keeping(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "free disk space and check the permissions there, or choose another place: studio convert LOG OUT.mcap"
        raise LogError(f"the copy of the log cannot be saved: {error.strerror}", file=folder, hint=hint) from error


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = f"check its permissions: ls -ld {path}" if isinstance(error, PermissionError) else ""
        raise LogError(f"cannot be read: {error.strerror}", file=path, hint=hint) from error


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Two who open the same log at the same time make one copy."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _state_of(path: Path) -> str:
    """Something else when anything in it has changed."""
    with _readable(path):
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        told = [(file.name, (found := file.stat()).st_size, found.st_mtime_ns) for file in files]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:12]


def _is_mcap(path: Path) -> bool:
    """Also one that is damaged, by its name: its reader tells better what is wrong, and what to do."""
    with open_regular(path) as file:
        return path.suffix == ".mcap" or file.read(len(MAGIC)) == MAGIC
