"""Bytes on disk: read with a limit, written so that a crash leaves the old file or the new one, never half of one."""

from __future__ import annotations

import errno
import glob
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from studio.errors import StudioError

MAX_BYTES = 16 * 1024 * 1024
"""A system of a thousand components takes about 300 kB; what is far beyond was not made for Studio."""

ABANDONED_S = 60.0
"""A save that was begun longer ago than this is not under way any more."""


class FileError(StudioError):
    """A file that cannot be read or written as what it should be."""


_noting: list[set[Path]] = []


@contextmanager
def noting_reads() -> Iterator[set[Path]]:
    """Collects the files that are opened for reading meanwhile, by their absolute paths."""
    read: set[Path] = set()
    _noting.append(read)
    try:
        yield read
    finally:
        _noting[:] = [each for each in _noting if each is not read]


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading. Refuses pipes, which wait for a writer, and devices, which may have no end."""
    for read in _noting:
        read.add(Path(os.path.abspath(path)))
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def read_bytes(path: Path, most: int = MAX_BYTES) -> bytes:
    """At most one byte more than `most`, by which a reader knows that the file is too large for it."""
    try:
        with open_regular(path) as stream:
            return stream.read(most + 1)
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}", file=path) from error


def write_atomically(path: Path, data: bytes) -> None:
    """Replace `path` by a file holding `data`; the mode of an existing file, and a link to it, stay as they were."""
    try:
        _replace(Path(os.path.realpath(path)), data)
    except OSError as error:
        hint = "is the disk full, or the folder read-only?" if path.parent.is_dir() else "make its folder first"
        raise FileError(f"cannot be written: {error.strerror or error}", file=path, hint=hint) from error


def _replace(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.saving")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(handle, "wb") as stream:
            if target.exists():
                os.fchmod(stream.fileno(), stat.S_IMODE(target.stat().st_mode))
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
    _sync_folder(target.parent)
    _remove_leftovers(target)


def _remove_leftovers(target: Path) -> None:
    """What killed saves of this file left behind; a younger one may be a save of another process."""
    saved_s = target.stat().st_mtime  # the time just now, by the clock of the disk, which may not be this machine's
    for leftover in target.parent.glob(f".{glob.escape(target.name)}.????????.saving"):
        with suppress(OSError):  # the save itself succeeded, and the next one tries again
            if saved_s - leftover.stat().st_mtime > ABANDONED_S:
                leftover.unlink()


def _sync_folder(folder: Path) -> None:
    """Without this a power loss can bring back the old name after `os.replace` has returned."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
