"""Tries a log: every message that is in it is in the new log, or counted as left out."""

from __future__ import annotations

import gzip
import mmap
import struct
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from studio.cli.corpus_parts.outcome import Outcome, WrongError
from studio.runtime.recording import LogReader
from studio.runtime.recording.format.compression import decompress
from studio.runtime.recording.format.header_batch import HEADERS_TOPIC
from studio.runtime.recording.format.mcap_records import MAGIC
from studio.runtime.recording.importers import ImportReport, import_log
from studio.runtime.recording.importers.carmen_lines import LASERS
from studio.runtime.recording.importers.output import Watch
from studio.runtime.recording.importers.packed import unpacked
from studio.runtime.recording.importers.recordings import ROS1, SQLITE, head_of, log_files

CHANNEL, MESSAGE, CHUNK = 0x04, 0x05, 0x06
RANGES = "Range3d"


def try_log(path: Path) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        report = import_log(path, Path(folder) / "again.mcap")
        read = _events_in(report.output)
        if read != report.event_count:
            raise WrongError(f"the new log holds {read} events, and the report says {report.event_count}")
        if report.damage_count == 0:
            parts = list(log_files(path)) if path.is_dir() else [path]
            with unpacked(parts, report.output, Watch(path)) as files:
                _compare_counts(files, report)
    notes = [f"{name}: {entry.count} left out, {entry.reason}" for name, entry in report.not_mapped.items()]
    notes += [str(damage) for damage in report.damages] + report.notes
    return Outcome("ok", compared=read, notes=notes)


def _events_in(path: Path) -> int:
    with LogReader(path) as log:
        return sum(1 for _ in log.events())


def _compare_counts(files: list[Path], report: ImportReport) -> None:
    """Of a damaged file nobody knows how much it held."""
    left_out = sum(entry.count for entry in report.not_mapped.values())
    if all(head_of(file).startswith(MAGIC) for file in files):
        _must_be(sum(map(_mcap_messages, files)), report.event_count + left_out, "messages")
    elif all(head_of(file).startswith((SQLITE, ROS1)) for file in files):
        _must_be(sum(map(_bag_messages, files)), report.event_count + left_out, "messages")
    else:
        scans = sum(topic.count for topic in report.topics.values() if topic.type == RANGES)
        words = Counter(word for file in files for word in _first_words(file))
        _must_be(sum(words[word] for word in LASERS), scans, "scans")


def _must_be(in_file: int, accounted: int, what: str) -> None:
    if in_file != accounted:
        raise WrongError(f"it holds {in_file} {what}, and {accounted} were imported or counted as left out")


def _mcap_messages(path: Path) -> int:
    """Counted record by record, without the index that the file has of itself."""
    counts: Counter[int] = Counter()
    topics: dict[int, bytes] = {}
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for code, body in _records_in_chunks(data, len(MAGIC)):
            (channel,) = struct.unpack_from("<H", body)
            if code == CHANNEL:
                (length,) = struct.unpack_from("<I", body, 4)
                topics[channel] = body[8 : 8 + length]
            else:
                counts[channel] += 1
    return sum(count for channel, count in counts.items() if topics.get(channel) != HEADERS_TOPIC.encode())


def _records_in_chunks(data: bytes | mmap.mmap, place: int = 0) -> Iterator[tuple[int, bytes]]:
    """Channels and messages, wherever they are."""
    for code, body in _records(data, place):
        if code in (CHANNEL, MESSAGE):
            yield code, body
        elif code == CHUNK:
            size, name_length = struct.unpack_from("<Q4xI", body, 16)
            name = body[32 : 32 + name_length].decode()
            yield from _records_in_chunks(bytes(decompress(name, body[40 + name_length :], size)))


def _records(data: bytes | mmap.mmap, place: int) -> Iterator[tuple[int, bytes]]:
    while place + 9 <= len(data):
        code, length = struct.unpack_from("<BQ", data, place)
        yield code, data[place + 9 : place + 9 + length]
        place += 9 + length


def _bag_messages(path: Path) -> int:
    if head_of(path).startswith(ROS1):
        from rosbags.rosbag1 import Reader  # here, as only these files need it

        with Reader(path) as bag:
            return sum(connection.msgcount for connection in bag.connections)
    import sqlite3

    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as database:
        return int(database.execute("SELECT count(*) FROM messages").fetchone()[0])


def _first_words(path: Path) -> Iterator[bytes]:
    packed = path.suffix == ".gz"
    with gzip.open(path) if packed else path.open("rb") as stream:
        for line in stream:
            yield (line.split(None, 1) or [b""])[0]
