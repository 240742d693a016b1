"""Opening a long log and a short one."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness import OURS, Contender, interleave, per_call_us
from bench.log_parts.workload import BYTES, schema_texts
from studio.runtime.recording import LogReader
from studio.runtime.recording.format.checksums import crc32, crc32_combine
from studio.runtime.recording.format.mcap_records import INDEX_ENTRY, MESSAGE, Channel, ChunkHead, Op, Schema
from studio.runtime.recording.writing.log_file import LogFile, StoredChunk
from studio.runtime.recording.writing.log_writer import CHUNK_BYTES


def openings(place: Path, rounds: int) -> dict[str, float | None]:
    long, short = place / "long.mcap", place / "short.mcap"
    for path, size in ((long, 10**9), (short, 10**7)):
        write_holes(path, size // CHUNK_BYTES + 1)
    contenders: dict[str, Contender | None] = {
        OURS: partial(per_call_us, partial(open_and_look, long), at_least_ms=50),
        "10 MB": partial(per_call_us, partial(open_and_look, short), at_least_ms=50),
    }
    return interleave(contenders, rounds)


def open_and_look(path: Path) -> object:
    with LogReader(path) as log:
        return log.topics, log.start_ns, log.end_ns, log.event_count


ZEROS = bytes(CHUNK_BYTES - BYTES["/laser"] - 2 * BYTES["/pose"])


def write_holes(path: Path, chunks: int) -> None:
    """A log with a message of zeros in each chunk, stored as a hole in the file: long, but quickly written.

    The chunks are as small as our writer makes them when much comes, so there are as many as there ever are.
    """
    file = _HoleFile(path)
    texts = schema_texts()
    # Our writer has one more message in each chunk, with the headers of all others; here it is like any other.
    for number, (topic, (name, text)) in enumerate({**texts, "/headers": texts["/pose"]}.items(), 1):
        file.define(Schema(number, name, "ros2msg", text.encode()), Channel(number, number, topic, "cdr", {}))
    file.append_definitions()
    zeros_crc = crc32(ZEROS)
    for number in range(chunks):
        time_ns = number * 50_000_000
        lengths = {1: BYTES["/laser"], 2: BYTES["/pose"], 4: BYTES["/pose"], 3: len(ZEROS)}
        before, places = b"", {}
        for channel, length in lengths.items():
            places[channel] = len(before)
            before += MESSAGE.pack(Op.MESSAGE, 22 + length, channel, number + 1, time_ns, time_ns)
            before += ZEROS[:length] if channel != 3 else b""
        size = len(before) + len(ZEROS)
        crc = crc32_combine(crc32(before), zeros_crc, len(ZEROS))
        indexes = {c: INDEX_ENTRY.pack(time_ns, at) for c, at in places.items()}
        head = ChunkHead(time_ns, time_ns, size, crc, "", size)
        file.append_chunks([StoredChunk(head, [before, ZEROS], crc, indexes)])
    file.finish(sync=False)


class _HoleFile(LogFile):
    def _write(self, parts: Any, size: int) -> None:
        """Goes past zeros instead of writing them."""
        for part in parts:
            if part is ZEROS:
                os.lseek(self._fd, len(ZEROS), os.SEEK_CUR)
                self.size += len(ZEROS)
            else:
                super()._write([part], len(part))
