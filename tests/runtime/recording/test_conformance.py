"""The cases of MCAP's conformance suite: any part of the format left out, and fields that later versions may add."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from itertools import combinations
from operator import itemgetter
from pathlib import Path
from typing import Any

import pytest
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    Attachment,
    AttachmentIndex,
    Channel,
    Chunk,
    ChunkIndex,
    DataEnd,
    Footer,
    Header,
    Message,
    MessageIndex,
    Metadata,
    MetadataIndex,
    Schema,
    Statistics,
    SummaryOffset,
)
from mcap.stream_reader import StreamReader

from studio.runtime.recording import LogReader
from studio.runtime.recording.format.mcap_records import MAGIC
from studio.runtime.recording.repair.repair import repair

EXTRA = b"\x01\xff\xff"
FIXED = (Opcode.FOOTER, Opcode.MESSAGE)
"""The records that the specification will never extend."""
NOT_IN_THE_SUITE = (Opcode.CHUNK, Opcode.DATA_END)
"""The specification lets these be extended, but the suite does not."""
SCHEMA = Schema(id=1, name="Example", encoding="c", data=b"\x04\x05\x06")
CHANNEL = Channel(id=1, schema_id=1, topic="example", message_encoding="a", metadata={"foo": "bar"})
MESSAGE = Message(channel_id=1, sequence=10, log_time=2, publish_time=1, data=b"\x01\x02\x03")
TEN = [
    Message(channel_id=1, sequence=number, log_time=time, publish_time=time, data=b"\x01\x02\x03")
    for number, time in enumerate((0, 2, 1, 3, 3, 5, 4, 7, 8, 9))
]
ATTACHMENT = Attachment(
    create_time=1, log_time=2, name="myFile", media_type="application/octet-stream", data=b"\x01\x02\x03"
)
KINDS: dict[str, list[Any]] = {
    "NoData": [],
    "OneMessage": [SCHEMA, CHANNEL, MESSAGE],
    "OneAttachment": [ATTACHMENT],
    "OneMetadata": [Metadata(name="myMetadata", metadata={"foo": "bar"})],
    "OneSchemalessMessage": [Channel(1, "example", "text", {}, 0), MESSAGE],
    "TenMessages": [SCHEMA, CHANNEL, *TEN],
}
FEATURES = ("ch", "mx", "st", "rsh", "rch", "ax", "mdx", "chx", "sum", "pad")
"""Chunks, message index, statistics, repeated schemas and channels, attachment, metadata and chunk index, summary
offsets, extra data in records: with the names that the suite gives them."""


def variants(records: list[Any]) -> Iterator[frozenset[str]]:
    """All features that make sense for these records."""
    has = {type(record) for record in records}
    for count in range(len(FEATURES) + 1):
        for features in map(frozenset, combinations(FEATURES, count)):
            if not has & {Message, Channel, Schema} and features & {"ch", "chx", "mx"}:
                continue
            if any(name in features and kind not in has for name, kind in NEEDED.items()):
                continue
            if "sum" in features and not features & {"chx", "rsh", "rch", "mdx", "ax", "st"}:
                continue
            if features & {"chx", "mx"} and "ch" not in features:
                continue
            yield features


NEEDED = {"ax": Attachment, "mdx": Metadata, "rsh": Schema, "rch": Channel}


class Builder(RecordBuilder):
    def __init__(self, unpadded: tuple[Opcode, ...] | None) -> None:
        """`unpadded`: the records without extra data; None for all."""
        super().__init__()
        self.unpadded = unpadded

    def add(self, record: Any) -> int:
        """Where the record begins."""
        begin = self.count
        own = RecordBuilder()
        record.write(own)
        data = own.end()
        op, length = struct.unpack_from("<BQ", data)
        extra = b"" if self.unpadded is None or op in self.unpadded else EXTRA
        self.write(struct.pack("<BQ", op, length + len(extra)) + data[9:] + extra)
        return begin


def mcap_file(records: list[Any], features: frozenset[str], *, pad_all: bool = False) -> bytes:
    unpadded = FIXED if pad_all else FIXED + NOT_IN_THE_SUITE
    builder = Builder(unpadded if "pad" in features else None)
    builder.write(MAGIC)
    builder.add(Header("", ""))
    inner = Builder(FIXED if pad_all and "pad" in features else None)
    messages = [record for record in records if isinstance(record, Message)]
    indexes: dict[str, list[Any]] = {"ax": [], "mdx": [], "chx": []}
    entries: list[tuple[int, int]] = []
    for record in records:
        if isinstance(record, Attachment | Metadata):
            begin = builder.add(record)
            place = begin, builder.count - begin
            indexes["ax" if isinstance(record, Attachment) else "mdx"].append(_index(record, *place))
            continue
        target = inner if "ch" in features else builder
        begin = target.add(record)
        if isinstance(record, Message):
            entries.append((record.log_time, begin))
    if "ch" in features:
        indexes["chx"].append(_add_chunk(builder, inner.end(), messages, entries if "mx" in features else None))
    builder.add(DataEnd(0))
    _add_summary(builder, records, features, indexes, len(messages))
    builder.write(MAGIC)
    return bytes(builder.end())


def _index(record: Any, begin: int, length: int) -> Any:
    if isinstance(record, Metadata):
        return MetadataIndex(offset=begin, length=length, name=record.name)
    return AttachmentIndex(
        offset=begin,
        length=length,
        create_time=record.create_time,
        log_time=record.log_time,
        data_size=len(record.data),
        name=record.name,
        media_type=record.media_type,
    )


def _add_chunk(
    builder: Builder, content: bytes, messages: list[Message], entries: list[tuple[int, int]] | None
) -> ChunkIndex:
    times = [message.log_time for message in messages]
    first, last = min(times, default=0), max(times, default=0)
    begin = builder.add(Chunk("", content, last, first, zlib.crc32(content), len(content)))
    length = builder.count - begin
    offsets = {1: builder.add(MessageIndex(1, entries))} if entries else {}
    return ChunkIndex(
        chunk_length=length,
        chunk_start_offset=begin,
        compression="",
        compressed_size=len(content),
        message_end_time=last,
        message_index_length=builder.count - begin - length,
        message_index_offsets=offsets,
        message_start_time=first,
        uncompressed_size=len(content),
    )


def _add_summary(
    builder: Builder, records: list[Any], features: frozenset[str], indexes: dict[str, list[Any]], messages: int
) -> None:
    def of(kind: type) -> list[Any]:
        return [record for record in records if isinstance(record, kind)]

    statistics = Statistics(
        attachment_count=len(of(Attachment)),
        channel_count=len(of(Channel)),
        channel_message_counts={1: messages} if messages else {},
        chunk_count=len(indexes["chx"]),
        message_count=messages,
        metadata_count=len(of(Metadata)),
        message_start_time=min((message.log_time for message in of(Message)), default=0),
        message_end_time=max((message.log_time for message in of(Message)), default=0),
        schema_count=len(of(Schema)),
    )
    groups = {
        "rsh": (Opcode.SCHEMA, of(Schema)),
        "rch": (Opcode.CHANNEL, of(Channel)),
        "st": (Opcode.STATISTICS, [statistics]),
        "mdx": (Opcode.METADATA_INDEX, indexes["mdx"]),
        "ax": (Opcode.ATTACHMENT_INDEX, indexes["ax"]),
        "chx": (Opcode.CHUNK_INDEX, indexes["chx"]),
    }
    start = builder.count
    offsets = []
    for name, (op, group) in groups.items():
        if name in features and group:
            begin = builder.count
            for record in group:
                builder.add(record)
            offsets.append(SummaryOffset(builder.count - begin, op, begin))
    end = builder.count
    for offset in offsets if "sum" in features else ():
        builder.add(offset)
    builder.add(Footer(start if end > start else 0, end if "sum" in features else 0, 0))


def told(path: Path) -> tuple[list[Any], list[Any], list[Any]]:
    """All that our reader finds, as the records of the suite have it."""
    with LogReader(path) as log:
        assert log.check() == [] and log.problems == [] and log.is_finished
        events = [(event.topic, event.sequence, event.log_time_ns, event.stamp_ns, bytes(event.payload))
                  for event in log.events()]  # fmt: skip
        attached = [(index.name, index.media_type, index.log_time_ns, log.attachment(index.name))
                    for index in log.attachments]  # fmt: skip
        return events, attached, log.metadata()


def expected(records: list[Any]) -> tuple[list[Any], list[Any], list[Any]]:
    events, attached, metadata = [], [], []
    for record in records:
        if isinstance(record, Message):
            events.append(("example", record.sequence, record.log_time, record.publish_time, record.data))
        elif isinstance(record, Attachment):
            attached.append((record.name, record.media_type, record.log_time, record.data))
        elif isinstance(record, Metadata):
            metadata.append((record.name, record.metadata))
    return sorted(events, key=itemgetter(2)), attached, metadata


def test_the_suite_has_416_cases() -> None:
    assert sum(1 for records in KINDS.values() for _ in variants(records)) == 416


@pytest.mark.parametrize("pad_all", [False, True], ids=["as the suite", "everywhere"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_case_is_read(tmp_path: Path, kind: str, pad_all: bool) -> None:
    path = tmp_path / "case.mcap"
    for features in variants(KINDS[kind]):
        if pad_all and "pad" not in features:
            continue
        path.write_bytes(mcap_file(KINDS[kind], features, pad_all=pad_all))
        assert told(path) == expected(KINDS[kind]), sorted(features)


@pytest.mark.parametrize("kind", KINDS)
def test_the_cases_are_mcap(kind: str) -> None:
    """The library that they are made with reads them back, with its checks."""
    for features in variants(KINDS[kind]):
        records = list(StreamReader(BytesIO(mcap_file(KINDS[kind], features)), validate_crcs=True).records)
        found = [record for record in records if isinstance(record, Message)]
        assert found == [record for record in KINDS[kind] if isinstance(record, Message)], sorted(features)


@pytest.mark.parametrize("kind", ["OneMessage", "OneAttachment", "OneMetadata", "TenMessages"])
def test_extra_fields_are_no_damage_to_a_repair(tmp_path: Path, kind: str) -> None:
    for number, chunks in enumerate((frozenset(["pad"]), frozenset(["pad", "ch", "mx"]))):
        if "ch" in chunks and not any(isinstance(record, Message) for record in KINDS[kind]):
            continue
        path = tmp_path / f"{number}.mcap"
        path.write_bytes(mcap_file(KINDS[kind], chunks, pad_all=True))
        report = repair(path, tmp_path / f"{number}_repaired.mcap")
        assert (report.damages, report.lost_events) == ([], {})
        events, attached, metadata = told(report.copy)
        assert metadata.pop()[0] == "repaired"
        assert (events, attached, metadata) == expected(KINDS[kind])
