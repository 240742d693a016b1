"""The files below a folder that Studio should be able to import, told by their content where names do not tell."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from studio.cli.corpus_parts.outcome import Found
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.mcap_records import MAGIC
from studio.runtime.recording.importers.recordings import METADATA, ROS1, SQLITE, log_files

MODELS = (".sdf", ".urdf", ".world")
LOOKED_AT_BYTES = 4096
_ROOT = re.compile(rb"<\s*(?:\w+:)?(robot|sdf|RtsProfile)[\s>]")
_BAGS = (MAGIC, SQLITE, ROS1)


def find_all(folder: Path) -> list[Found]:
    """In the order of their paths. A ROS 2 bag with its list of files is tried as one, and not file by file."""
    return sorted(_below(folder), key=lambda found: str(found.path))


def _below(folder: Path) -> Iterator[Found]:
    for place, folders, names in os.walk(folder):
        here = Path(place)
        folders[:] = [name for name in folders if not name.startswith(".")]
        if METADATA in names and _is_bag(here):
            yield Found(here, "log")
            continue
        logs = set(_logs(here))
        yield from (Found(path, "log") for path in logs)
        for path in (here / name for name in names):
            if path in logs or not path.is_file():
                continue
            if path.suffix.lower() in MODELS:
                yield Found(path, "model")
            elif path.suffix.lower() == ".xml":
                yield from _xml(path)


def _is_bag(folder: Path) -> bool:
    return any(_logs(folder))


def _logs(folder: Path) -> list[Path]:
    try:
        return list(log_files(folder))
    except (LogError, OSError):
        return []  # a folder or file that may not be read; nobody can try it


def _xml(path: Path) -> Iterator[Found]:
    try:
        with path.open("rb") as stream:
            head = stream.read(LOOKED_AT_BYTES)
    except OSError:
        return
    found = _ROOT.search(head)
    if found is None or b"xmlns:xacro" in head:
        return
    yield Found(path, "profile" if found[1] == b"RtsProfile" else "model")
