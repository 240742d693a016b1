"""The recordings in a folder: which of its files are logs, and which of these belong together.

A ROS 2 bag is a folder with a list of its files. Its recorder writes that list last, so a bag may lack it; its parts
are then known by their names, NAME_0, NAME_1 and so on, and by their times. A recording of Studio has more than one
file only where a second recorder had to go on after the first one died: NAME, NAME_2. All other files are unrelated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from studio.model.files import open_regular
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.mcap_records import MAGIC
from studio.runtime.recording.importers.carmen_form import is_carmen
from studio.runtime.recording.importers.packed import ZSTD
from studio.runtime.recording.reading.log_reader import LogReader

METADATA = "metadata.yaml"
"""The list of the files of a ROS 2 bag."""
SQLITE = b"SQLite format 3\0"
ROS1 = b"#ROSBAG V"
PACKED_ENDINGS = (".mcap.zstd", ".db3.zstd")
CARMEN_ENDINGS = (".log", ".log.gz", ".clf", ".clf.gz")
_SEVERAL_NAMED = 5
_NUMBERED = re.compile(r"(?P<name>.+)_(?P<number>\d{1,9})")


class _File(NamedTuple):
    family: tuple[str, str]
    """The name without its number, and the ending."""
    number: int
    path: Path


def recordings_in(folder: Path) -> list[tuple[Path, ...]]:
    """Each recording by its files, in the order of their names."""
    if (folder / METADATA).is_file():
        files = tuple(log_files(folder))
        return [files] if files else []
    found = sorted(map(_named, log_files(folder)))
    joined: list[list[_File]] = [[file] for file in found[:1]]
    for before, after in pairwise(found):
        if _continues(before, after):
            joined[-1].append(after)
        else:
            joined.append([after])
    return [tuple(file.path for file in files) for files in joined]


def parts_of(folder: Path) -> tuple[Path, ...]:
    """The files of the only recording in a folder; none without any. Raises LogError if there are several."""
    found = recordings_in(folder)
    if len(found) > 1:
        names = [files[0].name for files in found]
        more = f" and {len(names) - _SEVERAL_NAMED} more" if len(names) > _SEVERAL_NAMED else ""
        hint = f"name one of them: {', '.join(names[:_SEVERAL_NAMED])}{more}"
        raise LogError(f"holds {len(found)} different logs", file=folder, hint=hint)
    return found[0] if found else ()


def log_files(folder: Path) -> Iterator[Path]:
    """By their content; MCAP also by its ending, as a damaged one is still a log."""
    for file in sorted(folder.iterdir()):
        if file.is_file() and (file.suffix == ".mcap" or _looks_like_log(file)):
            yield file


def head_of(file: Path) -> bytes:
    try:
        with open_regular(file) as stream:
            return stream.read(16)
    except OSError as error:
        raise LogError(f"cannot be read: {error.strerror}", file=file) from error


def _looks_like_log(file: Path) -> bool:
    head = head_of(file)
    if file.name.endswith(PACKED_ENDINGS):
        return head.startswith(ZSTD)
    return head.startswith((MAGIC, SQLITE, ROS1)) or (file.name.endswith(CARMEN_ENDINGS) and is_carmen(file))


def _named(file: Path) -> _File:
    numbered = _NUMBERED.fullmatch(file.stem)
    if numbered is None:
        return _File((file.stem, file.suffix), 1, file)
    return _File((numbered["name"], file.suffix), int(numbered["number"]), file)


def _continues(before: _File, after: _File) -> bool:
    if before.family != after.family or after.number != before.number + 1:
        return False
    heads = {head_of(file.path)[: len(MAGIC)] for file in (before, after)}
    if heads == {SQLITE[: len(MAGIC)]}:
        return before.path.stem != before.family[0]  # ROS gives its first part a number, too
    if heads != {MAGIC}:
        return False
    try:
        with LogReader(before.path) as one, LogReader(after.path) as other:
            if one.is_own != other.is_own or one.end_ns > other.start_ns:
                return False
            return not one.is_own or not one.is_finished
    except LogError:
        return False  # told when it is read by itself
