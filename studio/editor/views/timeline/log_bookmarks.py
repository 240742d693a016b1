"""Bookmarks of a log that can be changed: no log ever is, so they stand in a file beside it. No Qt in here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from studio.errors import StudioError
from studio.messages import Bookmark
from studio.model.files import write_atomically
from studio.runtime.recording.reading.log_reader import LogReader


class BookmarkError(StudioError):
    """Bookmarks that cannot be read or written."""


@dataclass(frozen=True, order=True)
class Mark:
    time_ns: int
    """Log time."""
    text: str


def file_of(log: Path) -> Path:
    return log.with_name(f"{log.name.removesuffix('.mcap')}.bookmarks.json")


def read_marks(log: Path) -> list[Mark]:
    """Those of the file beside it, else those that were recorded with it."""
    file = file_of(log)
    if file.is_file():
        try:
            entries = json.loads(file.read_text(encoding="utf-8"))
            return sorted(Mark(int(entry["time_ns"]), str(entry["text"])) for entry in entries)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise BookmarkError(f"cannot be read: {error}", file=file, hint="mend or remove it") from None
    with LogReader(log) as reader:
        start_ns = reader.start_ns
        return sorted(Mark(_meant(start_ns, *found), found[1].text) for found in reader.bookmarks())


def _meant(start_ns: int, time_ns: int, bookmark: Bookmark) -> int:
    """It came into the log when its words were written; its stamp tells the moment that they are about."""
    return bookmark.stamp_ns if start_ns <= bookmark.stamp_ns <= time_ns else time_ns


def write_marks(log: Path, marks: list[Mark]) -> None:
    entries = [{"time_ns": mark.time_ns, "text": mark.text} for mark in sorted(marks)]
    try:
        write_atomically(file_of(log), json.dumps(entries, indent=1, ensure_ascii=False).encode() + b"\n")
    except (OSError, StudioError) as error:
        raise BookmarkError(f"bookmarks cannot be kept: {error}", file=file_of(log)) from None
