"""Makes a good log of a damaged one: a copy of all that is intact, and an account of what is not.

What counts as intact: a chunk whose checksum is that of its content. A chunk that is cut off or changed is left out as
a whole, because nothing would tell its good messages from its bad ones; chunks are closed every 50 ms, so little is in
one. Messages of other programs that have no checksum at all are kept up to the first damage, and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studio.runtime.recording.format.checksums import crc32
from studio.runtime.recording.format.chunk import Chunk, Names
from studio.runtime.recording.format.errors import LogError
from studio.runtime.recording.format.log_source import LogSource
from studio.runtime.recording.format.mcap_records import NO_SCHEMA, PREFIX, ChunkHead
from studio.runtime.recording.format.metadata import sealed
from studio.runtime.recording.reading.log_extras import read_attachment, read_metadata
from studio.runtime.recording.reading.log_index import Definitions, LogIndex, names_of, read_summary
from studio.runtime.recording.reading.log_scan import Progress
from studio.runtime.recording.repair.salvage import Salvage, content_of, new_head, salvage
from studio.runtime.recording.writing.log_file import LogFile, StoredChunk

REPAIRED = "repaired"
"""The name of the metadata by which a copy tells what it is."""
SHOWN_DAMAGES = 20


@dataclass
class RepairReport:
    source: Path
    copy: Path
    events: int = 0
    """In the copy."""
    lost_events: dict[str, int] = field(default_factory=dict)
    """By topic; at least so many, unless `is_exact`."""
    lost_ns: int = 0
    """Time without events because of damage: from the last event before it to the first one after it."""
    is_exact: bool = True
    """Whether the log told how much it once held; a log without its summary does not."""
    unchecked_events: int = 0
    """In the copy, but without a checksum that would prove them."""
    damages: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether every event is in the copy."""
        return self.is_exact and not any(self.lost_events.values())

    @property
    def lost_ms(self) -> float:
        return self.lost_ns / 1e6

    def __str__(self) -> str:
        least = "" if self.is_exact else "at least "
        lines = [f"{self.copy}: {self.events} events"]
        if self.is_whole:
            lines.append("nothing was lost")
        else:
            lines.append(f"lost: {least}{self.lost_ms:.0f} ms, {least}{sum(self.lost_events.values())} events")
            lines += [f"  {topic}: {count}" for topic, count in self.lost_events.items() if count]
        if self.unchecked_events:
            lines.append(f"{self.unchecked_events} events have no checksum, so they may be damaged")
        more = len(self.damages) - SHOWN_DAMAGES
        lines += [*self.damages[:SHOWN_DAMAGES], *([f"and {more} more places"] if more > 0 else [])]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        return {
            "source": str(self.source),
            "log": str(self.copy),
            "events": self.events,
            "whole": self.is_whole,
            "lost_events": self.lost_events,
            "lost_ms": self.lost_ms,
            "exact": self.is_exact,
            "unchecked_events": self.unchecked_events,
            "damages": self.damages,
        }


def repair(damaged: Path | str, copy: Path | str, *, progress: Progress | None = None) -> RepairReport:
    """Write the intact part of a log to `copy`, which must not exist yet. The original is only read.

    `progress(bytes done, bytes in all)`: it is gone through twice, once to find what is intact and once to copy it.
    """
    with LogSource(damaged) as source:
        tell = progress or (lambda done, total: None)
        found = salvage(source, lambda done, size: tell(done, 2 * size))
        told = _summary_of(source)
        if told:
            _add_definitions(found.definitions, told.definitions)
        if not (found.pieces or found.attachments or found.metadata or found.reached_end):
            raise LogError("nothing in it is intact", file=source.path)
        return _Repair(source, found, told, Path(copy), tell).run()


def _summary_of(source: LogSource) -> LogIndex | None:
    with suppress(LogError):
        return read_summary(source, believe_header=False)
    return None


def _add_definitions(known: Definitions, told: Definitions) -> None:
    for number, schema in told.schemas.items():
        known.schemas.setdefault(number, schema)
    for number, channel in told.channels.items():
        known.channels.setdefault(number, channel)


class _Repair:
    def __init__(self, source: LogSource, found: Salvage, told: LogIndex | None, copy: Path, tell: Progress) -> None:
        self._source = source
        self._found = found
        self._told = told
        self._copy = copy
        self._tell = tell
        self._names: Names = names_of(found.definitions)
        self._report = RepairReport(source.path, copy)
        self._counts: Counter[int] = Counter()
        self._last_sequences: dict[int, int] = {}
        self._damaged_since: set[int] = set()
        self._lost: Counter[int] = Counter()
        self._last_ns: int | None = None

    def run(self) -> RepairReport:
        file = LogFile(self._copy, profile=self._found.profile)
        try:
            self._write(file)
            file.finish()
        except BaseException:  # Ctrl-C, or whoever hears of the progress has enough
            file.abandon()
            self._copy.unlink(missing_ok=True)
            raise
        return self._report

    def _write(self, file: LogFile) -> None:
        definitions = self._found.definitions
        for channel in definitions.channels.values():
            file.define(definitions.schemas.get(channel.schema_number, NO_SCHEMA), channel)
        file.append_definitions()
        for index in self._found.metadata:
            values = read_metadata(self._source, index, is_own=self._found.is_own)
            file.append_metadata(index.name, sealed(index.name, values))
        for attachment in self._found.attachments:
            data = read_attachment(self._source, attachment, is_own=self._found.is_own)
            times = attachment.log_time_ns, attachment.create_time_ns
            file.append_attachment(attachment.name, data, attachment.media_type, *times)
        for piece in self._found.pieces:
            self._tell(self._source.size + piece.offset, 2 * self._source.size)
            content, compression, stored = content_of(self._source, piece)
            chunk = Chunk(content)
            if set(chunk.channels) <= definitions.channels.keys():
                file.append_chunks([_as_stored(chunk, new_head(chunk, content, compression, stored), stored)])
            else:
                chunk = self._without_unknown(file, chunk)
            self._account(chunk, piece.after_damage)
            self._report.unchecked_events += 0 if piece.is_checked else self._events_in(chunk)
        self._finish_report()
        file.append_metadata(REPAIRED, sealed(REPAIRED, self._as_metadata()))

    def _without_unknown(self, file: LogFile, chunk: Chunk) -> Chunk:
        """Messages whose definition is lost cannot be read any more; the others of their chunk can."""
        content = b"".join(chunk.record(row) for row in chunk.picked(self._found.definitions.channels))
        left = Chunk(content)
        lost = len(chunk) - len(left)
        self._report.damages.append(f"{lost} events of topics whose definition is lost")
        self._report.is_exact = False
        if len(left):
            file.append_chunks([_as_stored(left, new_head(left, content, "", content), content)])
        return left

    # The account

    def _events_in(self, chunk: Chunk) -> int:
        return sum(channel not in self._names.carriers for channel in chunk.channels)

    def _account(self, chunk: Chunk, after_damage: bool) -> None:
        self._report.events += self._events_in(chunk)
        self._counts.update(chunk.channels)
        if not len(chunk):
            return
        if after_damage:
            self._damaged_since.update(self._last_sequences)
            if self._last_ns is not None:
                self._report.lost_ns += max(0, chunk.times[0] - self._last_ns)
        self._last_ns = chunk.times[-1]
        headers = chunk.headers(self._names)
        if headers is not None:
            self._follow(chunk.channels, headers.sequence)

    def _follow(self, channels: Iterable[int], sequences: Iterable[int]) -> None:
        """Sequences that jump across a damage tell how many events it took."""
        for channel, sequence in zip(channels, sequences, strict=False):
            if channel in self._damaged_since:
                self._damaged_since.discard(channel)
                self._lost[channel] += max(0, sequence - self._last_sequences[channel] - 1)
            self._last_sequences[channel] = sequence

    def _finish_report(self) -> None:
        report, topics = self._report, self._names.topics
        if self._told:
            told = self._told.counts
            self._lost = Counter({channel: told[channel] - self._counts[channel] for channel in told})
            end_ns = int(self._told.chunks.end_ns.max(initial=0))
            report.lost_ns += max(0, end_ns - (self._last_ns or 0)) if self._ends_damaged() else 0
        else:
            report.is_exact = False if not self._found.reached_end or self._found.damages else report.is_exact
            self._count_cut_chunk()
        for channel, count in self._lost.items():
            if count and channel in topics and channel not in self._names.carriers:
                report.lost_events[topics[channel]] = report.lost_events.get(topics[channel], 0) + count
        report.damages += [f"bytes {first} to {last}: {why}" for first, last, why in self._found.damages]

    def _ends_damaged(self) -> bool:
        """Whether chunks are missing behind the last one found."""
        last = self._found.pieces[-1].offset if self._found.pieces else 0
        return any(first > last for first, _, _ in self._found.damages)

    def _count_cut_chunk(self) -> None:
        """What the last chunk would have held: its head and whole messages are believed for this estimate alone."""
        if not self._found.damages or self._found.reached_end:
            return
        first, end, _ = self._found.damages[-1]
        if end < self._source.size:
            return
        with suppress(LogError):
            data = self._source.read(first, min(end - first, 1 << 20))
            head, at = ChunkHead.parse(memoryview(data)[PREFIX.size :])
            if self._last_ns is not None and self._last_ns <= head.end_ns < self._last_ns + 10**12:
                self._report.lost_ns += head.end_ns - self._last_ns
            if not head.compression:
                self._lost.update(Chunk(memoryview(data)[PREFIX.size + at :], may_be_cut=True).channels)

    def _as_metadata(self) -> dict[str, str]:
        report = self._report
        return {
            "source": report.source.name,
            "events": str(report.events),
            "lost_events": str(sum(report.lost_events.values())),
            "lost_ms": f"{report.lost_ms:.3f}",
            "is_exact": str(report.is_exact).lower(),
            "unchecked_events": str(report.unchecked_events),
        }


def _as_stored(chunk: Chunk, head: ChunkHead, stored: bytes) -> StoredChunk:
    return StoredChunk(head, [stored], crc32(stored), chunk.index_entries())
