"""The log that an importer writes: topics by name, sequences counted, books kept; removed when the import fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from studio.messages import Message, encode
from studio.runtime.base.log_compression import Compression
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.mcap_records import Schema
from studio.runtime.recording.format.metadata import IMPORTED
from studio.runtime.recording.importers.laser_scan import LaserScans
from studio.runtime.recording.importers.report import ImportCancelled, ImportReport, TopicReport
from studio.runtime.recording.writing.log_writer import LogWriter

Progress = Callable[[int, int], None]
"""Called with bytes (or messages) done and in all, every now and then."""
Cancelled = Callable[[], bool]


class Watch:
    """Whoever waits for an import: hears how far it is, and may stop it."""

    def __init__(self, path: Path, progress: Progress | None = None, cancelled: Cancelled | None = None) -> None:
        self._path = path
        self._progress = progress
        self._cancelled = cancelled

    def at(self, done: int, total: int) -> None:
        if self._cancelled is not None and self._cancelled():
            raise ImportCancelled("the import was cancelled", file=self._path)
        if self._progress is not None:
            self._progress(done, total)


class Output:
    """Writes events and counts them in the report."""

    def __init__(self, log: LogWriter, report: ImportReport) -> None:
        self.log = log
        self.report = report
        self._channels: dict[str, int] = {}
        self._kinds: dict[str, object] = {}
        self._sequences: dict[str, int] = {}
        self._last_ns: int | None = None
        self.scans: dict[str, LaserScans] = {}
        """By topic, whatever the number of files."""

    def add_topic(self, topic: str, kind: type[Message], source: str) -> None:
        if self._is_new(topic, kind, source):
            self._open(topic, self.log.add_topic(topic, kind), kind.TYPE, source)

    def add_channel(self, topic: str, schema: Schema, shown_type: str, source: str, *, encoding: str = "cdr") -> None:
        """For types that are copied as they are."""
        if self._is_new(topic, (encoding, *schema[1:]), source):
            self._open(topic, self.log.add_channel(topic, schema, encoding), shown_type, source)

    def _is_new(self, topic: str, kind: object, source: str) -> bool:
        """Parts of a log may share a topic, but only with one type: a reader could not tell them apart."""
        if self._kinds.setdefault(topic, kind) != kind:
            raise LogError(f"{topic} also has messages of another type: {source}", file=self.report.source)
        if topic not in self._channels:
            return True
        known = self.report.topics[topic]
        if source not in known.source.split(", "):
            known.source = f"{known.source}, {source}"
        return False

    def _open(self, topic: str, channel: int, shown_type: str, source: str) -> None:
        self._channels[topic] = channel
        self._sequences[topic] = 0
        self.report.topics[topic] = TopicReport(topic, shown_type, source)

    def publish(self, topic: str, message: Message, stamp_ns: int, log_time_ns: int) -> None:
        self.write(topic, encode(message), stamp_ns, log_time_ns)

    def write(
        self,
        topic: str,
        payload: bytes | memoryview,
        stamp_ns: int,
        log_time_ns: int,
        *,
        sequence: int | None = None,
        sent_ns: int | None = None,
        cause_topic: int = 0,
        cause_sequence: int = 0,
        kind: int = 0,
        flags: int = 0,
        origin: int = 0,
        epoch: int = 0,
    ) -> None:
        """Without a sequence of its own, an event gets the next one of its topic."""
        sequence = self._sequences[topic] + 1 if sequence is None else sequence
        self._sequences[topic] = sequence
        if self._last_ns is None:
            self.report.start_ns = self._last_ns = log_time_ns
        self.report.end_ns = self._last_ns = max(log_time_ns, self._last_ns)
        self.log.write(
            self._channels[topic],
            payload,
            log_time_ns=log_time_ns,
            sequence=sequence,
            stamp_ns=stamp_ns,
            sent_ns=self._last_ns if sent_ns is None else sent_ns,
            cause_topic=cause_topic,
            cause_sequence=cause_sequence,
            kind=kind,
            flags=flags,
            origin=origin,
            epoch=epoch,
        )
        self.report.topics[topic].take(stamp_ns)


@contextmanager
def writing(report: ImportReport, compression: Compression) -> Iterator[Output]:
    """The new log while it is being written; whatever ends the import early also removes the file."""
    log = LogWriter(report.output, compression=compression)
    try:
        output = Output(log, report)
        yield output
        if not report.event_count:
            raise LogError("contains nothing that can be imported", file=report.source, hint=_left_out(report))
        report.notes += [note for scans in output.scans.values() for note in scans.notes()]
        if report.notes:
            told = {"form": report.form, "source": report.source.name, "notes": "\n".join(report.notes)}
            log.add_metadata(IMPORTED, told)
        log.close()
    except BaseException:
        _remove(log)
        raise


def _remove(log: LogWriter) -> None:
    # A disk that is full now does not matter any more.
    with suppress(LogError):
        log.close(sync=False)
    log.path.unlink(missing_ok=True)


def _left_out(report: ImportReport) -> str:
    """Why nothing is left."""
    if report.damages:
        return f"{report.damage_count} damaged pieces, the first: {report.damages[0]}"
    if report.not_mapped:
        name, entry = next(iter(report.not_mapped.items()))
        return f"{entry.count} of {name}: {entry.reason}"
    return "it has no messages"
