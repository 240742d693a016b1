"""Small logs, and what is in them, for tests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from studio.messages import Float64, PoseTransform, String, encode
from studio.runtime.recording import LoggedEvent, LogReader, LogWriter

MS = 1_000_000
START_NS = 1_700_000_000_000_000_000


class Written(NamedTuple):
    """An event as a test hands it in."""

    topic: str
    sequence: int
    stamp_ns: int
    log_time_ns: int
    payload: bytes


KINDS: dict[str, Any] = {"/pose": PoseTransform, "/signal": Float64, "/text": String}


def story(
    count: int = 60, topics: Sequence[str] = ("/signal", "/pose", "/signal", "/text", "/signal")
) -> list[Written]:
    """Events of three topics in an order that is not too regular, several at one time."""
    counts = dict.fromkeys(KINDS, 0)
    written = []
    for number in range(count):
        topic = topics[number % len(topics)]
        counts[topic] += 1
        stamp_ns = START_NS + number // 2 * 5 * MS
        message = {
            "/signal": Float64(number / 3),
            "/pose": PoseTransform.from_xyz_rpy(number, 2, 3, stamp_ns=stamp_ns, frame="map", child_frame="base"),
            "/text": String(f"event {number}"),
        }[topic]
        written.append(Written(topic, counts[topic], stamp_ns, stamp_ns + MS, encode(message)))
    return written


def write_log(path: Path, events: Iterable[Written], *, close: bool = True, **options: Any) -> LogWriter:
    """A log with chunks of 50 ms of these events."""
    log = LogWriter(path, **options)
    log.add_metadata("run", {"id": "r1", "project": "first_steps"})
    log.add_attachment("system.xml", b"<system/>", "text/xml")
    events = list(events)
    present = {event.topic for event in events}
    numbers = {topic: log.add_topic(topic, kind) for topic, kind in KINDS.items() if topic in present}
    for event in events:
        write_event(log, numbers[event.topic], event)
        log.tick(event.log_time_ns)
    if close:
        log.close(sync=False)
    return log


def write_event(log: LogWriter, channel: int, event: Written) -> None:
    log.write(
        channel,
        event.payload,
        log_time_ns=event.log_time_ns,
        sequence=event.sequence,
        stamp_ns=event.stamp_ns,
        sent_ns=event.stamp_ns + 7,
        cause_topic=12345 + event.sequence,
        cause_sequence=event.sequence - 1,
        kind=event.sequence % 3,
        flags=1,
        origin=2,
        epoch=event.sequence // 4,
    )


def as_written(events: Iterable[LoggedEvent]) -> list[Written]:
    return [Written(*event[:4], bytes(event.payload)) for event in events]


def read_log(path: Path) -> list[Written]:
    with LogReader(path) as log:
        return as_written(log.events())


def is_part_in_order(part: Sequence[Any], whole: Sequence[Any]) -> bool:
    """Whether `part` is `whole` with some left out."""
    rest = iter(whole)
    return all(any(one == other for other in rest) for one in part)
