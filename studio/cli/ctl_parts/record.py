"""`studio ctl record`: a system that runs already is recorded for a while; how far its log is; bookmarks in it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from studio.cli.ctl_parts.shape import followed
from studio.cli.shared.outcome import FAILED, FINE, UsageError, print_json
from studio.cli.shared.recording_options import (
    add_recording_options,
    compression_of,
    folder_for,
    is_whole,
    log_place,
    log_to_write,
    progress_text,
    recorded,
    recorded_text,
    select_topics,
    warn_of_unknown,
)
from studio.errors import StudioError
from studio.runtime.client.attach import Attachment
from studio.runtime.plan.planning import recorded_topics
from studio.runtime.processes.reports import RecordingReport

FACTS = ("seconds", "events", "bytes", "missing", "free_bytes", "bytes_per_s", "left_s", "full")


def add_record_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", metavar="ACTION", nargs="?", choices=("start", "stop", "bookmark"),
        help="start, stop or bookmark (default: print the state)",
    )  # fmt: skip
    parser.add_argument(
        "what", metavar="LOG|TEXT", nargs="?",
        help="start: a new log (.mcap), or a folder for it (default: the folder of recordings); bookmark: its text",
    )  # fmt: skip
    add_recording_options(parser)


def record(attachment: Attachment, options: argparse.Namespace) -> int:
    if options.action != "start" and (options.topics or options.exclude or options.compression):
        raise UsageError("--topics, --exclude and --compression go with start", hint="studio ctl record start")
    if options.action in (None, "stop") and options.what is not None:
        raise UsageError(f"{options.action or 'the status'} takes no {options.what}", hint="studio ctl record --help")
    match options.action:
        case "start":
            return _start(attachment, options)
        case "stop":
            return _stop(attachment, options)
        case "bookmark":
            text = options.what or "bookmark"
            time_ns = attachment.ask("bookmark", text=text)["time_ns"]
            return _tell({"text": text, "time_ns": time_ns}, options, f"bookmark: {text}")
    return _status(attachment, options)


def _start(attachment: Attachment, options: argparse.Namespace) -> int:
    state = attachment.state
    if state["recording"]:
        raise StudioError(
            f"the system is being recorded already, into {state['recording']}", hint="studio ctl record stop"
        )
    place = log_place(options.what) if options.what else folder_for(Path(state["folder"]))
    file = log_to_write(place, state["project"]).absolute()
    system = followed(attachment, Path(state["folder"]))[0].system
    select_topics(system, options)
    topics = recorded_topics(system, state["topics"])
    if not topics:
        raise UsageError("no topic is left to record", hint=f"the topics are {', '.join(state['topics'])}")
    warn_of_unknown(options.topics or (), state["topics"])
    reply = attachment.ask(
        "record", on=True, file=str(file), topics=topics, compression=compression_of(options), timeout_s=None
    )
    told = {"log": reply["log"], "topics": reply["topics"]}
    return _tell(told, options, f"recording {len(told['topics'])} of {len(state['topics'])} topics into {told['log']}")


def _stop(attachment: Attachment, options: argparse.Namespace) -> int:
    told = recorded(Path(attachment.ask("record", on=False, timeout_s=None)["log"]))
    _tell(told, options, recorded_text(told))
    return FINE if is_whole(told) else FAILED


def _status(attachment: Attachment, options: argparse.Namespace) -> int:
    """Once a second the recorder tells how far it is; a log that was begun just now has no facts yet."""
    log: str | None = attachment.state["recording"]
    report: RecordingReport | None = attachment.state["recorder"] or None
    told = {"log": log, **{name: report.get(name) if report else None for name in FACTS}} if log else {"log": None}
    if log is None:
        return _tell(told, options, "nothing is being recorded")
    words = "just begun"
    if report:
        words = f"{report['seconds']:.0f} s, {progress_text(report, report['bytes_per_s'])}"
    return _tell(told, options, f"{log}: {words}")


def _tell(told: dict[str, Any], options: argparse.Namespace, text: str) -> int:
    print_json(told) if options.json else print(text)
    return FINE
