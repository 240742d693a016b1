"""CARMEN logs written by hand."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from studio.messages import Message, Odometry, PoseTransform, Range3d, decode
from studio.runtime.recording import LoggedEvent, LogReader
from studio.runtime.recording.importers import ImportReport, import_log

KINDS: dict[str, type[Message]] = {"Odometry": Odometry, "PoseTransform": PoseTransform, "Range3d": Range3d}
HEAD = "# message formats defined: PARAM ODOM FLASER"


def odom(stamp: object, pose: str = "1 2 0.5", *, logger: object | None = None) -> str:
    return f"ODOM {pose} 0.3 0.1 0 {stamp} robot {stamp if logger is None else logger}"


def flaser(
    stamp: object, ranges: Sequence[object] = (1.0, 2.0, 3.0, 4.0), pose: str = "1 2 0.5", word: str = "FLASER"
) -> str:
    return f"{word} {len(ranges)} {' '.join(map(str, ranges))} {pose} {pose} {stamp} robot {stamp}"


def robotlaser(stamp: object, ranges: Sequence[object], word: str = "ROBOTLASER1") -> str:
    scan = f"0 -0.5 1.0 0.25 30.0 0.01 0 {len(ranges)} {' '.join(map(str, ranges))} 2 7 8"
    return f"{word} {scan} 5.1 6 0.1 5 6 0.1 0.4 0.2 1.0 1.0 1.0 {stamp} robot {stamp}"


def rawlaser(stamp: object, ranges: Sequence[object]) -> str:
    scan = f"0 -0.5 1.0 0.25 30.0 0.01 0 {len(ranges)} {' '.join(map(str, ranges))} 0"
    return f"RAWLASER3 {scan} {stamp} robot {stamp}"


def write(folder: Path, *lines: str, packed: bool = False) -> Path:
    data = "\n".join((HEAD, *lines, "")).encode()
    path = folder / "robot.log"
    path.write_bytes(gzip.compress(data) if packed else data)
    return path


def bring_in(path: Path, **options: Any) -> tuple[ImportReport, dict[str, list[LoggedEvent]]]:
    """The report, and the events of the new log by topic."""
    out = path.parent / "out.mcap"
    out.unlink(missing_ok=True)
    report = import_log(path, out, **options)
    events: dict[str, list[LoggedEvent]] = {}
    with LogReader(out) as log:
        assert not log.check()
        for event in log.events():
            events.setdefault(event.topic, []).append(event)
    assert {topic: len(found) for topic, found in events.items()} == {
        topic.name: topic.count for topic in report.topics.values() if topic.count
    }
    return report, events


def messages(report: ImportReport, events: dict[str, list[LoggedEvent]], topic: str) -> list[Any]:
    return [decode(KINDS[report.topics[topic].type], event.payload) for event in events[topic]]


def stamps_s(events: Sequence[LoggedEvent]) -> list[float]:
    return [event.stamp_ns / 1e9 for event in events]
