"""Options of the commands that record: which topics, how compressed, into which file; and what became of it."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from studio.cli.shared.outcome import UsageError, warn
from studio.messages import String, decode
from studio.model.changes import ModelError
from studio.model.parts import Recording
from studio.model.system import System
from studio.recordings import VARIABLE, new_recording, recordings_of, size_words
from studio.runtime.base.clock import wall_ns
from studio.runtime.base.log_compression import CHOICES, WHEN_RECORDING, Compression
from studio.runtime.plan.plan import Plan
from studio.runtime.processes.reports import RecordingReport
from studio.runtime.recording import LogError, LogReader
from studio.runtime.recording.format.metadata import STOPPED
from studio.runtime.recording.writing.disk_room import duration_words

GAPS_TOPIC = "/_studio/gaps"
SCARCE_BYTES = 1_000_000_000


def add_recording_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--topics",
        nargs="+",
        metavar="PATTERN",
        help="record only these topics, e.g. '/laser/*' (default: as the system says)",
    )
    parser.add_argument("--exclude", nargs="+", metavar="PATTERN", help="do not record these topics")
    parser.add_argument("--compression", choices=CHOICES, help=f"compression of the log (default: {WHEN_RECORDING})")


def recording_words(options: argparse.Namespace) -> list[str]:
    """The same options, for a command line."""
    words = ["--compression", options.compression] if options.compression else []
    for name, patterns in (("--topics", options.topics), ("--exclude", options.exclude)):
        words += [name, *patterns] if patterns else []
    return words


def compression_of(options: argparse.Namespace) -> Compression:
    chosen: Compression = options.compression or WHEN_RECORDING
    return chosen


def refuse_without_log(options: argparse.Namespace) -> None:
    if options.record is None and (options.topics or options.exclude or options.compression):
        raise UsageError("--topics, --exclude and --compression need a log", hint="name it: --record LOG")


def log_place(text: str) -> Path:
    """A path as it was typed: a slash at its end says that a folder is meant, and a Path would forget it."""
    if text.endswith(os.sep) and not Path(text).is_dir():
        raise UsageError(f"there is no folder {text}", hint=f"make it first: mkdir {text}")
    return Path(text)


def folder_for(project: Path) -> Path:
    """Where a recording goes for which nobody has named a place: the user's own folder."""
    folder = recordings_of(project)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = f"name a file, or another folder with ${VARIABLE}"
        raise UsageError(f"the folder for recordings cannot be made: {error}", hint=hint) from error
    return folder


def log_to_write(path: Path, project: str) -> Path:
    """The file itself; in a folder, one that is named after the project and the time."""
    if path.is_dir():
        return new_recording(path, project, wall_ns())
    if path.exists():
        raise UsageError(f"{path} exists already", hint="logs are never overwritten: choose another name")
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}", hint="make it first")
    return path


def select_topics(system: System, options: argparse.Namespace) -> None:
    """In memory only: `--topics` in place of the system's own selection, `--exclude` in addition to it."""
    if not options.topics and not options.exclude:
        return
    own = system.recording or Recording()
    topics = tuple(dict.fromkeys(options.topics or own.topics))
    exclude = tuple(dict.fromkeys((*(() if options.topics else own.exclude), *(options.exclude or ()))))
    try:
        system.set_recording(Recording(topics, exclude))
    except ModelError as error:
        raise UsageError(error.message, hint=error.hint) from None


def recording_as_told(plan: Plan, options: argparse.Namespace) -> Plan:
    """A pattern that matches nothing is a typing error, and found out too late when the log is read."""
    if plan.recording is None:
        return plan
    if plan.types and not plan.recording.topics and (options.topics or options.exclude):
        raise UsageError("no topic is left to record", hint=f"the topics are {', '.join(plan.types)}")
    warn_of_unknown(options.topics or (), plan.types)
    return replace(plan, recording=replace(plan.recording, compression=compression_of(options)))


def warn_of_unknown(patterns: Iterable[str], topics: Iterable[str]) -> None:
    """That others fit does not make up for what will be missing in the log."""
    for pattern in patterns:
        if not pattern.startswith("/_studio/") and not any(fnmatchcase(topic, pattern) for topic in topics):
            has = f"the topics are {', '.join(topics)}"
            warn(f"no topic matches {pattern}, so it records nothing ({has})")


def progress_text(report: RecordingReport, bytes_per_s: float) -> str:
    """How far a log is that is being written, by the report of its recorder."""
    parts = [f"{report['events']} events", f"{report['bytes'] / 1e6:.1f} MB", f"{bytes_per_s / 1e6:.1f} MB/s"]
    if report["missing"]:
        parts.append(f"{report['missing']} missing")
    if report["free_bytes"] is not None:
        parts.append(_free_text(report["free_bytes"]))
    if (left_s := report.get("left_s")) is not None:
        parts.append(f"full in {duration_words(left_s)}")
    if report["full"]:
        parts.append("the disk is full, recording stopped")
    return ", ".join(parts)


def _free_text(count: int) -> str:
    return f"{count / 1e9:.1f} GB left" if count >= SCARCE_BYTES else f"{count / 1e6:.0f} MB left"


def recorded(path: Path, moved_to: Sequence[str] = ()) -> dict[str, Any]:
    """What a log holds that was just written, and the logs in which recorders went on that came after a dead one."""
    return _recorded(path) | {"continued": [_recorded(Path(file)) for file in moved_to]}


def _recorded(path: Path) -> dict[str, Any]:
    told: dict[str, Any] = {"log": str(path)}
    try:
        with LogReader(path) as log:
            gaps = log.events([GAPS_TOPIC]) if GAPS_TOPIC in log.topics else iter(())
            missing = sum(json.loads(decode(String, gap.payload).data)["missing"] for gap in gaps)
            return told | {
                "events": log.event_count,
                "bytes": log.size,
                "missing": missing,
                "bookmarks": len(log.bookmarks()),
                "finished": log.is_finished,
                "stopped": dict(log.metadata()).get(STOPPED, {}).get("reason", ""),
            }
    except LogError as error:
        return told | {"events": 0, "finished": False, "stopped": "", "error": str(error)}


def is_whole(told: dict[str, Any]) -> bool:
    """Whether the recorder went on to the end and closed the log."""
    return bool(told["finished"] and not told["stopped"])


def recorded_text(told: dict[str, Any]) -> str:
    if "error" in told:
        return f"no log was written: {told['error']}"
    text = f"{told['log']}: {told['events']} events, {size_words(told['bytes'])}"
    marks = told["bookmarks"]
    text += f", {marks} bookmark{'s' if marks > 1 else ''}" if marks else ""
    text += f"; {told['missing']} events are missing" if told["missing"] else ""
    text += f"; it ends before the run: {told['stopped']}" if told["stopped"] else ""
    return text if told["finished"] else f"{text}; the recorder did not close it, but it can be read"
