"""A folder for what one window has not saved of one project, and the lock that tells whether that window lives.

The lock is the kernel's and ends with the process, however that ends: what lies in a slot that nobody holds was left
behind by a window that is gone. A number of a process could not tell that, it is given to others again.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from studio.model.files import read_bytes, write_atomically

LOCK = "lock"
MOST_WINDOWS = 64
"""On one project."""


class Slot:
    def __init__(self, folder: Path, lock: int) -> None:
        self.folder = folder
        self._lock = lock

    @classmethod
    def take(cls, folder: Path) -> Slot | None:
        """None if another window holds it."""
        while True:
            folder.mkdir(parents=True, exist_ok=True)
            try:
                lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            except FileNotFoundError:
                continue  # whoever held it has just taken the folder away
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                return None
            except BaseException:
                os.close(lock)
                raise
            if _is_there(folder / LOCK, lock):
                return cls(folder, lock)
            os.close(lock)  # of a file that was taken away before we had the lock

    def keep(self, texts: Mapping[str, bytes]) -> None:
        for name, text in texts.items():
            write_atomically(self.folder / name, text)

    def texts(self) -> dict[str, bytes]:
        return {file.name: read_bytes(file) for file in sorted(self.folder.glob("*.xml"))}

    def clear(self) -> None:
        for file in self.folder.glob("*.xml"):
            file.unlink(missing_ok=True)

    def release(self) -> None:
        """What is kept in it stays; an empty one goes."""
        with suppress(OSError):  # that it stays is no harm: the lock is free all the same
            if not any(self.folder.glob("*.xml")) and _is_there(self.folder / LOCK, self._lock):
                (self.folder / LOCK).unlink()
                self.folder.rmdir()
        os.close(self._lock)


def slots_of(root: Path, project: Path) -> tuple[Slot | None, list[Slot]]:
    """Of this project: an empty one for the window that asks, and those that windows left behind which are gone."""
    name = hashlib.sha256(str(project.resolve()).encode()).hexdigest()[:16]
    own: Slot | None = None
    left: list[Slot] = []
    for number in range(1, MOST_WINDOWS + 1):
        folder = root / (name if number == 1 else f"{name}.{number}")
        slot = Slot.take(folder) if own is None or folder.exists() else None
        if slot is None:
            continue
        if slot.texts():
            left.append(slot)
        elif own is None:
            own = slot
        else:
            slot.release()
    return own, left


def _is_there(file: Path, handle: int) -> bool:
    try:
        return os.path.samestat(file.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False
