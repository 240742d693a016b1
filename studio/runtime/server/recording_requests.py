"""Recording a system that runs already: a recorder is put in and taken out, and the system stands for a moment."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from studio.errors import StudioError
from studio.model.close_matches import did_you_mean
from studio.runtime.base.clock import SECOND_NS, monotonic_ns
from studio.runtime.base.log_compression import CHOICES, WHEN_RECORDING
from studio.runtime.control_plane.of_runtime import Bookmark, Record
from studio.runtime.plan.plan import RECORDER, RecordingPlan
from studio.runtime.processes.supervised_run import READY_WITHIN_S
from studio.runtime.recording.facts.set_bookmark import set_bookmark
from studio.runtime.session.live_change import insist, paused
from studio.runtime.session.session import Session

Job = Callable[[], dict[str, Any]]


class CannotRecord(StudioError):
    """A recording that cannot be begun or ended."""


def recording_job(session: Session, asked: Record | Bookmark) -> Job:
    """Refuses at once what cannot be; the rest takes as long as a process takes to start, or a disk to write."""
    if isinstance(asked, Bookmark):
        return lambda: bookmark(session, asked.text.strip() or "bookmark", asked.time_ns)
    if not asked.on:
        return lambda: end(session)
    if asked.compression not in CHOICES:
        raise CannotRecord(f"{asked.compression!r} is not a compression", hint=did_you_mean(asked.compression, CHOICES))
    file = _new_file(asked.file)
    return lambda: begin(session, file, asked.topics, asked.compression)


def begin(
    session: Session, file: Path, patterns: Iterable[str] | None = None, compression: str = WHEN_RECORDING
) -> dict[str, Any]:
    """All topics, or those that fit one of the patterns."""
    if session.plan.recording is not None:
        raise CannotRecord(
            f"the system is being recorded already, into {session.plan.recording.file}",
            hint="stop that recording first",
        )
    topics = _chosen(session, patterns)
    session.observer.reports.pop(RECORDER, None)  # of one that is gone
    rate = session.rate
    with paused(session, lambda: session.run(rate)):
        _replan(session, RecordingPlan(str(file), topics, compression))
        session.supervisor.bring(RECORDER)
        try:
            _await_recorder(session)
        except CannotRecord:
            session.end_recorder()
            _replan(session, None)
            raise
    return {"log": str(file), "topics": list(topics)}


def end(session: Session) -> dict[str, Any]:
    """Returns when the log is closed; tells what it holds."""
    recording = session.plan.recording
    if recording is None:
        raise CannotRecord("nothing is being recorded")
    rate = session.rate
    with paused(session, lambda: session.run(rate)):
        session.end_recorder()
        _replan(session, None)
    report = session.observer.recording()
    session.observer.reports.pop(RECORDER, None)
    file = Path(recording.file)
    size = file.stat().st_size if file.is_file() else 0
    return {
        "log": recording.file,
        "bytes": size,
        "events": report["events"] if report else 0,
        "missing": report["missing"] if report else 0,
    }


def bookmark(session: Session, text: str, at_ns: int | None = None) -> dict[str, Any]:
    """`at_ns`: when it was asked for; words take their time. Not later than now."""
    if session.plan.recording is None:
        raise CannotRecord(
            "nothing is being recorded, so there is no log for the bookmark", hint="start recording first"
        )
    now_ns = int(session.status()["now_ns"])
    time_ns = now_ns if at_ns is None else min(at_ns, now_ns)
    set_bookmark(session.folders.run, text, time_ns)
    return {"time_ns": time_ns}


def _replan(session: Session, recording: RecordingPlan | None) -> None:
    """Everybody learns who else reads payloads; the recorder itself is not there at that moment."""
    session.plan = replace(session.plan, recording=recording)
    session.save_plan()
    insist(session, lambda: session.control.ask("replan", timeout_s=None), (RECORDER,))


def _await_recorder(session: Session) -> None:
    end_ns = monotonic_ns() + int(READY_WITHIN_S * SECOND_NS)
    while not session.supervisor.is_back(RECORDER, -1):
        if RECORDER in session.exits or session.supervisor.restarts(RECORDER):
            raise CannotRecord(f"the recorder ended while it started: {session.output_of(RECORDER, 400).strip()}")
        if session.stopping or monotonic_ns() > end_ns:
            raise CannotRecord(f"the recorder is not ready after {READY_WITHIN_S:g} s")


def _chosen(session: Session, patterns: Iterable[str] | None) -> tuple[str, ...]:
    types = session.plan.types
    if patterns is None:
        return tuple(types)
    wanted = list(patterns)
    topics = tuple(topic for topic in types if any(fnmatchcase(topic, pattern) for pattern in wanted))
    if not topics:
        raise CannotRecord("no topic is left to record", hint=f"the topics are {', '.join(types)}")
    return topics


def _new_file(text: str) -> Path:
    path = Path(text)
    if not text or not path.is_absolute():
        raise CannotRecord("the log needs a full path", hint="give the full path of a file")
    if path.exists():
        raise CannotRecord(f"{path} exists already", hint="logs are never overwritten: choose another name")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise CannotRecord(f"nothing can be written to {path.parent}", hint="choose another folder")
    return path
