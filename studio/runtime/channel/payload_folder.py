"""The folder of a run's shared payloads: who owns it, and removing what the dead left behind."""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import suppress
from pathlib import Path

from studio.runtime.channel.slots import MOST_HOSTS, Hosts, PayloadError, producer_of

_OWNER = "owner"
_LAST_WORDS = ".last_words"


class Claim:
    """A run's folder, owned as long as this process lives: a lock ends with its process, however that ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file: int | None = None
        # Somebody may be removing the folder as stale just now; then it is made again.
        while self._file is None:
            with suppress(FileNotFoundError):
                self._file = _claim(folder)

    def close(self) -> None:
        """Remove the folder and all that is in it."""
        if self._file is not None:
            remove_run(self.folder)
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Claim:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _claim(folder: Path) -> int | None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = os.open(folder / _OWNER, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    if not _locked(file):
        os.close(file)
        raise PayloadError("another run owns this folder", file=folder)
    if os.fstat(file).st_nlink == 0:
        os.close(file)
        return None
    return file


def remove_run(folder: Path) -> None:
    """Remove a run's folder. Mappings that are in use stay good."""
    shutil.rmtree(folder, ignore_errors=True)
    words = last_words_file(folder)
    with suppress(FileNotFoundError):
        if not words.stat().st_size:
            words.unlink()


def last_words_file(folder: Path) -> Path:
    """What a runtime without a terminal says when it breaks: beside its folder, which goes with it."""
    return folder.with_suffix(_LAST_WORDS)


def forget_old_words(parent: Path, keep: int) -> None:
    """But for the newest."""
    with suppress(FileNotFoundError):  # somebody else is at it
        for file in sorted(parent.glob(f"*{_LAST_WORDS}"), key=lambda file: file.lstat().st_mtime)[:-keep]:
            file.unlink()


def remove_stale(parent: Path) -> list[Path]:
    """Remove the folders of runs whose owner is gone; which they were. What is no run's folder is left alone."""
    removed = []
    for folder in sorted(parent.iterdir()) if parent.is_dir() else []:
        try:
            file = os.open(folder / _OWNER, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            if _locked(file):
                remove_run(folder)
                removed.append(folder)
        finally:
            os.close(file)
    return removed


def remove_producer(folder: Path, producer: str) -> None:
    """Remove the files that dead incarnations of a producer left, and of its further pools `producer.1` and so on.

    A living producer holds a lock on each of its files, so what belongs to its successor is not touched.
    """
    with suppress(FileNotFoundError):
        for name in os.listdir(folder):
            found = producer_of(name) or ""
            if found == producer or found.startswith(producer + "."):
                _remove_dead(folder / name)


def dismiss_host(folder: Path, host_index: int) -> None:
    """Wait no longer for a dead host. For its supervisor: when the process has ended, before it is started again."""
    hosts = Hosts(folder)
    if host_index < MOST_HOSTS and hosts[host_index] != Hosts.NEVER:
        hosts[host_index] = Hosts.GONE


def _remove_dead(path: Path) -> None:
    with suppress(FileNotFoundError):
        file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if _locked(file):
                path.unlink()
        finally:
            os.close(file)


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
