"""The part of `studio info` that lists the logs of a folder. Nothing is read but what a log says of itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from studio.cli.shared.columns import columns
from studio.errors import StudioError
from studio.recordings import size_words
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.recording import LogReader
from studio.runtime.recording.importers import other_form

MCAP = "MCAP"


def folder_json(folder: Path, recordings: list[tuple[Path, ...]]) -> dict[str, Any]:
    return {"folder": str(folder), "logs": [_described(files) for files in recordings]}


def is_sound(told: dict[str, Any]) -> bool:
    """Whether every log could be looked at, and was closed by its recorder."""
    return not any(log["problem"] for log in told["logs"])


def folder_text(told: dict[str, Any]) -> Iterator[str]:
    logs = told["logs"]
    yield f"{told['folder']}: {len(logs)} logs, {size_words(sum(log['bytes'] for log in logs))}"
    rows = [("log", "events", "length", "size", "written", "")]
    for log in logs:
        first, *more = log["files"]
        name = f"{Path(first).name} to {Path(more[-1]).name}" if more else Path(first).name
        events = "" if log["events"] is None else str(log["events"])
        length = "" if log["duration_s"] is None else f"{log['duration_s']:.1f} s"
        written = datetime.fromtimestamp(log["written_ns"] / SECOND_NS, UTC).astimezone()
        note = log["problem"] or ("" if log["form"] == MCAP else log["form"])
        rows.append((name, events, length, size_words(log["bytes"]), f"{written:%Y-%m-%d %H:%M}", note))
    yield from columns(rows)


def _described(files: tuple[Path, ...]) -> dict[str, Any]:
    found = [file.stat() for file in files]
    told: dict[str, Any] = {
        "files": [str(file) for file in files],
        "form": MCAP,
        "bytes": sum(each.st_size for each in found),
        "written_ns": max(each.st_mtime_ns for each in found),
        "events": None,
        "duration_s": None,
        "finished": None,
        "problem": "",
    }
    try:
        form = other_form(files[0])
        return told | ({"form": form} if form else _read(files))
    except StudioError as error:
        return told | {"problem": error.message}


def _read(files: tuple[Path, ...]) -> dict[str, Any]:
    events, starts, ends, finished = 0, [], [], True
    for file in files:
        with LogReader(file) as log:
            events += log.event_count
            starts.append(log.start_ns)
            ends.append(log.end_ns)
            finished = finished and log.is_finished
    problem = "" if finished else "not closed by its recorder"
    length_s = (max(ends) - min(starts)) / SECOND_NS
    return {"events": events, "duration_s": length_s, "finished": finished, "problem": problem}
