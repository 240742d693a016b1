"""A project copied to another folder: all that it is made of, without what running it has left behind.

Recordings (`logs/` and whatever ends with .mcap) stay where they are, but for the logs that a source of the system
plays: without those the copy would not run. So do caches and the history of a version control. The copy is made beside
its place and takes it when it is whole: one that fails or is given up leaves nothing, and touches nothing of others.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from studio.model.document import LAYOUT_FILE, SYSTEM_FILE
from studio.model.files import FileError
from studio.model.project import Project

RECORDINGS = "logs"
RECORDING = ".mcap"
OTHERS = frozenset({".git", ".hg", ".svn", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"})
"""Folders that are made again, or belong to the place and not to the project."""
PIECE_BYTES = 4 * 1024 * 1024
"""Copied between two looks of whoever waits."""


@dataclass(frozen=True)
class ProjectCopy:
    project: Project
    target: Path
    files: tuple[Path, ...]
    """Relative to the project; links among them."""
    left: tuple[Path, ...]
    """Recordings that stay behind."""
    astray: tuple[str, ...]
    """Logs beside the project that a source plays, by a way that leads elsewhere from the target."""
    size: int

    @classmethod
    def plan(cls, project: Project, target: Path) -> ProjectCopy:
        """What there is to copy. The target is a folder that does not exist yet or is empty."""
        source = project.folder.resolve()
        if target.resolve().is_relative_to(source):
            raise FileError("is inside the project itself", file=target, hint="choose a folder elsewhere")
        try:
            if target.exists() and any(target.iterdir()):
                raise _not_empty(target)
            if os.path.ismount(target.resolve()):
                raise FileError("this is a whole disk", file=target, hint="choose a new folder in it")
            played = _played(project, source)
            found = [path for path in _walk(source) if path.name not in (SYSTEM_FILE, LAYOUT_FILE) or path.parent.parts]
            left = tuple(path for path in found if _is_recording(path) and path not in played)
            files = tuple(path for path in found if path not in set(left))
            astray = tuple(log for log in _logs(project) if _leads_elsewhere(log, source, target.resolve()))
            size = sum((source / path).lstat().st_size for path in files)
        except OSError as error:
            raise _failed(error, target) from error
        return cls(project, target, files, left, astray, size)

    def run(self) -> Iterator[int]:
        """Copy, and write the document; tells between two pieces how many bytes are done."""
        source, done = self.project.folder.resolve(), 0
        place = self.target.resolve()
        made = place.with_name(f".{place.name}.{os.urandom(4).hex()}.saving")
        try:
            made.mkdir(parents=True)
            for path in self.files:
                for piece in _copied(source / path, made / path, source):
                    done += piece
                    yield done
            self.project.document.write_to(made)
            _put(made, place)
        except OSError as error:
            shutil.rmtree(made, ignore_errors=True)
            raise _failed(error, self.target) from error
        except BaseException:
            shutil.rmtree(made, ignore_errors=True)
            raise


def _put(made: Path, place: Path) -> None:
    """Where nothing is, or an empty folder: the system refuses to replace any other."""
    try:
        os.rename(made, place)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
            raise _not_empty(place) from error
        raise


def _not_empty(target: Path) -> FileError:
    return FileError("this folder is not empty", file=target, hint="choose a new one")


def _walk(source: Path) -> Iterator[Path]:
    for folder, inner, names in os.walk(source):
        inner[:] = sorted(name for name in inner if name not in OTHERS)
        here = Path(folder).relative_to(source)
        linked = [name for name in inner if (Path(folder) / name).is_symlink()]
        yield from (here / name for name in sorted([*names, *linked]) if not name.endswith(".saving"))


def _is_recording(path: Path) -> bool:
    return path.parts[0] == RECORDINGS or path.suffix == RECORDING


def _logs(project: Project) -> list[str]:
    """As the sources name them, each once."""
    return list(dict.fromkeys(each.logged.log for each in project.system.sources if each.logged and each.logged.log))


def _played(project: Project, source: Path) -> set[Path]:
    """The logs of its sources that lie in the project: files, or everything in a folder; and the links on the way."""
    logs = [source / os.path.expanduser(log) for log in _logs(project)]
    paths = [path for log in logs for path in ([log] if not log.is_dir() else [log, *log.rglob("*")])]
    # By the name that the source says, and where that leads to.
    named = {Path(way(path)) for path in paths for way in (os.path.normpath, os.path.realpath)}
    played = {path.relative_to(source) for path in named if path.is_relative_to(source)}
    return played | {parent for path in played for parent in path.parents if (source / parent).is_symlink()}


def _leads_elsewhere(log: str, source: Path, target: Path) -> bool:
    path = os.path.expanduser(log)
    leaves = not Path(os.path.normpath(source / path)).is_relative_to(source)
    return leaves and (source / path).resolve() != (target / path).resolve()


def _copied(file: Path, target: Path, source: Path) -> Iterator[int]:
    """Copy one file, with its mode; tells how many bytes were written."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if file.is_symlink():
        # Within the project it leads to the same place of the copy, out of it to where it led before.
        inside = file.resolve().is_relative_to(source) and not os.path.isabs(os.readlink(file))
        target.symlink_to(os.readlink(file) if inside else file.resolve())
        yield 0
        return
    if not file.is_file():
        return  # a socket or a pipe of somebody who runs there
    with file.open("rb") as reader, target.open("wb") as writer:
        while piece := reader.read(PIECE_BYTES):
            writer.write(piece)
            yield len(piece)
    shutil.copystat(file, target)


def _failed(error: OSError, target: Path) -> FileError:
    where = Path(os.fsdecode(error.filename)) if error.filename else target
    hint = "is the disk full, or the folder read-only?"
    return FileError(f"cannot be copied: {error.strerror or error}", file=where, hint=hint)
