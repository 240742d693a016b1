"""The part of `studio info` that describes a log, and why an event came about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from studio.cli.shared.columns import columns
from studio.cli.shared.log_file import ProgressBar
from studio.cli.shared.outcome import UsageError
from studio.recordings import size_words
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.causality.why import Causes
from studio.runtime.causality.why import why as why_of
from studio.runtime.recording import LogReader
from studio.runtime.recording.format.metadata import STOPPED, import_notes
from studio.runtime.replay.causes import Call, Link

REPAIRED = "repaired"
MACHINERY = "/_studio/"


def log_json(path: Path, *, quiet: bool = True) -> dict[str, Any]:
    """Reads the whole log: every checksum and every sequence number is checked."""
    bar = ProgressBar(f"reading {path.name}", quiet=quiet)
    try:
        with LogReader(path, progress=bar) as log:
            gaps = log.check(bar)
            return _described(log, [gap for gap in gaps if gap.lost])
    finally:
        bar.close()


def _described(log: LogReader, gaps: list[Any]) -> dict[str, Any]:
    metadata = dict(log.metadata())
    return {
        "log": str(log.path),
        "bytes": log.size,
        "profile": log.profile,
        "library": log.library,
        "topics": {name: _topic_json(log, name) for name in log.topics},
        "events": log.event_count,
        "start_ns": log.start_ns,
        "end_ns": log.end_ns,
        "duration_s": (log.end_ns - log.start_ns) / SECOND_NS,
        "gaps": [
            {"topic": gap.topic, "after": gap.after, "before": gap.before, "lost": gap.lost, "at_ns": gap.log_time_ns}
            for gap in gaps
        ],
        "bookmarks": [
            {"at_s": (time_ns - log.start_ns) / SECOND_NS, "stamp_ns": mark.stamp_ns, "text": mark.text}
            for time_ns, mark in log.bookmarks()
        ],
        "finished": log.is_finished,
        "stopped": metadata.get(STOPPED, {}).get("reason", ""),
        "repaired": REPAIRED in metadata,
        "import_notes": import_notes(metadata),
        "problems": log.problems,
        "metadata": metadata,
        "attachments": [attachment.name for attachment in log.attachments],
    }


def _topic_json(log: LogReader, name: str) -> dict[str, Any]:
    statistics = log.statistics(name)
    return {
        "type": log.topics[name].schema.name,
        "count": statistics.count,
        "first_ns": statistics.first_ns,
        "last_ns": statistics.last_ns,
    }


def log_text(told: dict[str, Any]) -> Iterator[str]:
    length = f"{told['events']} events in {told['duration_s']:.3f} s"
    yield f"{told['log']}: {length}, {size_words(told['bytes'])}"
    yield from columns([("topic", "type", "events", "rate", "from", "to"), *_topic_rows(told)])
    yield from (f"bookmark at {mark['at_s']:.3f} s: {mark['text']}" for mark in told["bookmarks"])
    for gap in told["gaps"]:
        events = "1 event of {} is" if gap["lost"] == 1 else f"{gap['lost']} events of {{}} are"
        yield f"gap: {events.format(gap['topic'])} missing after number {gap['after']}"
    if told["stopped"]:
        yield f"it ends before its run: {told['stopped']}"
    if not told["finished"]:
        yield "the recorder did not close it; Studio can still read it"
    if told["repaired"]:
        yield "repaired: this is a copy of a damaged log, see its metadata"
    yield from (f"imported: {note}" for note in told["import_notes"])
    yield from (f"problem: {problem}" for problem in told["problems"])


def _topic_rows(told: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, topic in told["topics"].items():
        if not topic["count"]:
            if not name.startswith(MACHINERY):
                yield name, topic["type"], "0", "", "", ""
            continue
        first_s, last_s = ((topic[key] - told["start_ns"]) / SECOND_NS for key in ("first_ns", "last_ns"))
        rate = f"{(topic['count'] - 1) / (last_s - first_s):.1f}/s" if last_s > first_s else ""
        yield name, topic["type"], str(topic["count"]), rate, f"{first_s:.3f} s", f"{last_s:.3f} s"


# Why.


def why(path: Path, text: str) -> Causes:
    topic, _, number = text.rpartition(":")
    if not topic or not number.isdigit():
        raise UsageError(f"{text!r} is not an event", hint="TOPIC:NUMBER, e.g. /filter/smooth:17")
    with LogReader(path) as log:
        return why_of(log, topic if topic.startswith("/") else f"/{topic}", int(number))


def why_json(causes: Causes) -> dict[str, Any]:
    return {
        "stopped": causes.stopped,
        "chain": [
            {
                "topic": link.topic,
                "sequence": link.sequence,
                "stamp_ns": link.stamp_ns,
                "component": link.component,
                "how": link.how,
                "waiting_us": _microseconds(link.waiting_ns),
                "kept_us": _microseconds(link.kept_ns),
                "handling_us": _microseconds(link.handling_ns),
                "read": [{"topic": topic, "sequence": sequence} for topic, sequence in link.read],
                "calls": [
                    {
                        "topic": call.request[0],
                        "sequence": call.request[1],
                        "provider": call.provider,
                        "service": call.service,
                        "answered": call.answered,
                        "error": call.error,
                    }
                    for call in link.calls
                ],
            }
            for link in causes.chain
        ],
    }


def why_text(causes: Causes) -> Iterator[str]:
    chain = causes.chain
    yield f"Causes of {chain[-1].topic}:{chain[-1].sequence}, the first one first"
    rows = [("event", "stamp", "by", "", "on the way", "waiting", "in the component", "also read or called")]
    first_ns = next((link.stamp_ns for link in chain if link.stamp_ns is not None), 0)
    for link in chain:
        also = ", ".join([*(f"{topic}:{sequence}" for topic, sequence in link.read), *map(_called, link.calls)])
        times = (_time(link.waiting_ns), _time(link.kept_ns), _time(link.handling_ns))
        how = _HOW[link.how] if link is not chain[0] else ""
        stamp = _stamp(link, None if link is chain[0] else first_ns)
        rows.append((f"{link.topic}:{link.sequence}", stamp, link.component, how, *times, also))
    yield from columns(rows)
    if causes.stopped:
        yield f"There may be earlier causes: {causes.stopped}"


_HOW = {"handled": "on arrival", "read": "read", "kept": "kept before", "": ""}
"""What the component did with the event in the line above."""


def _stamp(link: Link, first_ns: int | None) -> str:
    if link.stamp_ns is None:
        return "not recorded"
    return f"{link.stamp_ns} ns" if first_ns is None else f"{(link.stamp_ns - first_ns) / 1e6:+.3f} ms"


def _called(call: Call) -> str:
    failed = f" ({call.error or 'no answer'})" if call.error or not call.answered else ""
    return f"{call.provider}.{call.service}{failed}"


def _microseconds(time_ns: int | None) -> float | None:
    return None if time_ns is None else time_ns / 1000


def _time(time_ns: int | None) -> str:
    if time_ns is None:
        return ""
    return f"{time_ns / 1e6:.1f} ms" if time_ns >= 1_000_000 else f"{time_ns / 1000:.0f} µs"
