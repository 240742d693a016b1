"""What the MCAP specification allows and few programs write, and what it forbids, in words."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
from mcap.records import Channel, Chunk, DataEnd, Footer, Header, Message, Schema

from studio.runtime.recording import LogError, LogReader
from studio.runtime.recording.format.errors import LogDamaged
from studio.runtime.recording.format.mcap_records import MAGIC
from studio.runtime.recording.importers import import_log
from tests.runtime.recording.test_conformance import Builder

SCHEMA = Schema(id=1, name="other_msgs/msg/Thing", encoding="ros2msg", data=b"uint8 value")
CHANNEL = Channel(1, "/thing", "cdr", {}, 1)
MESSAGE = Message(channel_id=1, sequence=1, log_time=5, publish_time=5, data=b"\0\1\0\0\7")


def write(path: Path, *records: object) -> Path:
    """A file of these records; bytes are taken as they are."""
    builder = Builder(None)
    builder.write(MAGIC)
    for record in (Header("ros2", "somebody"), *records, DataEnd(0), Footer(0, 0, 0)):
        builder.write(record) if isinstance(record, bytes) else builder.add(record)
    builder.write(MAGIC)
    path.write_bytes(builder.end())
    return path


def chunk(content: bytes, compression: str = "", size: int | None = None, stored: bytes | None = None) -> Chunk:
    size = len(content) if size is None else size
    return Chunk(compression, content if stored is None else stored, 0, 0, zlib.crc32(content), size)


def payloads(path: Path) -> list[bytes]:
    with LogReader(path) as log:
        assert log.problems == [] and log.is_finished
        return [bytes(event.payload) for event in log.events()]


def test_records_of_unknown_kinds_are_passed_over(tmp_path: Path) -> None:
    unknown = struct.pack("<BQ", 0x7F, 3) + b"abc"
    private = struct.pack("<BQ", 0x80, 0)
    path = write(tmp_path / "a.mcap", unknown, SCHEMA, private, CHANNEL, unknown, MESSAGE, private)
    assert payloads(path) == [MESSAGE.data]


def test_a_schema_of_number_0_is_ignored(tmp_path: Path) -> None:
    """The specification says so: 0 means that a channel has none."""
    nameless = Schema(id=0, name="wrong", encoding="ros2msg", data=b"float64 x")
    path = write(tmp_path / "a.mcap", nameless, Channel(1, "/thing", "cdr", {}, 0), MESSAGE)
    with LogReader(path) as log:
        assert log.topics["/thing"].schema.name == ""
        assert log.event_count == 1


@pytest.mark.parametrize("compression", ["", "lz4", "zstd"])
def test_chunks_without_content_are_passed_over(tmp_path: Path, compression: str) -> None:
    empty = chunk(b"", compression, 0, b"")
    assert payloads(write(tmp_path / "a.mcap", empty, SCHEMA, CHANNEL, MESSAGE, empty)) == [MESSAGE.data]


@pytest.mark.parametrize("name", ["brotli", "a compression of nine letters and more"])
def test_a_compression_that_nobody_knows_is_named_and_no_damage(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "a.mcap", chunk(b"123456789", name))
    for read in (LogReader, lambda log: import_log(log, tmp_path / "out.mcap")):
        with pytest.raises(LogError, match=f"compressed by '{name}', which Studio cannot read") as told:
            read(path)
        assert not isinstance(told.value, LogDamaged)
    assert not (tmp_path / "out.mcap").exists()


def test_definitions_may_be_repeated_but_not_changed(tmp_path: Path) -> None:
    same = write(tmp_path / "same.mcap", SCHEMA, CHANNEL, MESSAGE, SCHEMA, CHANNEL, MESSAGE)
    assert payloads(same) == [MESSAGE.data] * 2
    other = Schema(id=1, name="other_msgs/msg/Thing", encoding="ros2msg", data=b"uint16 value")
    with pytest.raises(LogError, match="schema 1 is defined in two ways"):
        LogReader(write(tmp_path / "other.mcap", SCHEMA, CHANNEL, MESSAGE, other, MESSAGE))


def test_a_topic_of_two_types_is_two_topics(tmp_path: Path) -> None:
    """Two writers may mean different things by one name: nobody may read the messages of one as those of the other."""
    words = Schema(id=2, name="other_msgs/msg/Word", encoding="ros2msg", data=b"string text")
    said = Message(channel_id=2, sequence=1, log_time=6, publish_time=6, data=b"\0\1\0\0\3\0\0\0no\0")
    path = write(tmp_path / "a.mcap", SCHEMA, CHANNEL, MESSAGE, words, Channel(2, "/thing", "cdr", {}, 2), said)
    report = import_log(path, tmp_path / "out.mcap")
    for file in (path, tmp_path / "out.mcap"):
        with LogReader(file) as log:
            types = {name: (topic.schema.name, topic.count) for name, topic in log.topics.items()}
            events = [(event.topic, bytes(event.payload)) for event in log.events()]
        assert types == {
            "/thing": ("other_msgs/msg/Thing", 1),
            "/thing (other_msgs/msg/Word)": ("other_msgs/msg/Word", 1),
        }
        assert events == [("/thing", MESSAGE.data), ("/thing (other_msgs/msg/Word)", said.data)]
    assert not report.not_mapped and not report.damages


def test_a_log_without_messages_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"contains nothing that can be imported \(it has no messages"):
        import_log(write(tmp_path / "a.mcap", SCHEMA, CHANNEL), tmp_path / "out.mcap")
    assert not (tmp_path / "out.mcap").exists()
