"""Adds bookmarks to a log that is finished: in a copy, as logs are never changed."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from pathlib import Path

from studio.messages import Bookmark, encode
from studio.runtime.base.log_compression import Compression
from studio.runtime.recording.format.bookmarks import BOOKMARK_TOPIC
from studio.runtime.recording.format.chunk import LoggedEvent
from studio.runtime.recording.format.errors import LogError, repair_command
from studio.runtime.recording.reading.log_reader import LogReader
from studio.runtime.recording.reading.log_scan import Progress
from studio.runtime.recording.writing.log_writer import LogWriter
from studio.runtime.wire.frames import Kind


def copy_with_bookmarks(
    source: Path | str,
    copy: Path | str,
    bookmarks: Iterable[tuple[int, str]],
    *,
    compression: Compression = "none",
    progress: Progress | None = None,
) -> int:
    """Write `source` and the bookmarks (log time, text) to `copy`, which must not exist yet; returns its events."""
    with LogReader(source) as log:
        if not log.is_finished or log.problems:
            hint = f"repair it first: {repair_command(log.path)}"
            raise LogError("is damaged or was not closed", file=log.path, hint=hint)
        marks = [_mark(time_ns, text) for time_ns, text in sorted(bookmarks, key=lambda mark: mark[0])]
        is_own = next((event.flags is not None for event in log.events()), True)
        writer = LogWriter(copy, compression=compression, headers=is_own, profile=log.profile)
        try:
            with writer:
                copy_extras(log, writer)
                return _copy_events(log, writer, marks, progress or (lambda done, whole: None))
        except BaseException:
            Path(copy).unlink(missing_ok=True)
            raise


def _mark(time_ns: int, text: str) -> LoggedEvent:
    payload = memoryview(encode(Bookmark(stamp_ns=time_ns, text=text)))
    return LoggedEvent(BOOKMARK_TOPIC, 0, time_ns, time_ns, payload, kind=int(Kind.LOG))


def copy_extras(log: LogReader, writer: LogWriter) -> None:
    """Metadata and attachments."""
    for name, values in log.metadata():
        writer.add_metadata(name, values)
    for each in log.attachments:
        times = {"log_time_ns": each.log_time_ns, "create_time_ns": each.create_time_ns}
        writer.add_attachment(each.name, log.attached(each), each.media_type, **times)


def _copy_events(log: LogReader, writer: LogWriter, marks: list[LoggedEvent], progress: Progress) -> int:
    channels = {
        topic.name: writer.add_channel(topic.name, topic.schema, topic.encoding) for topic in log.topics.values()
    }
    if BOOKMARK_TOPIC not in channels:
        channels[BOOKMARK_TOPIC] = writer.add_topic(BOOKMARK_TOPIC, Bookmark)
    numbers = 0
    whole = log.event_count + len(marks)
    for done, event in enumerate(_merged(log.events(), marks), 1):
        sequence = event.sequence
        if event.topic == BOOKMARK_TOPIC:  # counted anew: those that were there may come behind new ones
            sequence = numbers = numbers + 1
        writer.write(
            channels[event.topic], event.payload, log_time_ns=event.log_time_ns, sequence=sequence,
            stamp_ns=event.stamp_ns, sent_ns=event.sent_ns or 0, cause_topic=event.cause_topic or 0,
            cause_sequence=event.cause_sequence or 0, kind=event.kind or 0, flags=event.flags or 0,
            origin=event.origin or 0, epoch=event.epoch or 0,
        )  # fmt: skip
        if done % 1000 == 0 or done == whole:
            progress(done, whole)
    return whole


def _merged(events: Iterator[LoggedEvent], marks: list[LoggedEvent]) -> Iterator[LoggedEvent]:
    """A mark comes before the events of its time: who goes there finds them ahead."""
    return heapq.merge(marks, events, key=lambda event: event.log_time_ns)
