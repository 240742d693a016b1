"""Damaged logs: nothing wrong is taken for data, only our error leaves, and repair saves what is intact."""

from __future__ import annotations

import os
import random
import resource
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from mcap.writer import CompressionType, Writer

from studio.runtime.recording import LogError, LogReader, LogWriter
from studio.runtime.recording.format.chunk_table import ChunkTable
from studio.runtime.recording.format.log_source import LogSource
from studio.runtime.recording.format.mcap_records import MAGIC, PREFIX
from studio.runtime.recording.reading.log_index import read_summary
from studio.runtime.recording.repair.repair import repair
from tests.runtime.recording.logs import (
    KINDS,
    MS,
    Written,
    as_written,
    is_part_in_order,
    read_log,
    story,
    write_event,
    write_log,
)

COMPRESSIONS = ["none", "lz4", "zstd"]


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of copies are made here, and none has to survive a power loss."""
    monkeypatch.setattr("os.fdatasync", lambda fd: None)
    monkeypatch.setattr("os.fsync", lambda fd: None)


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory, where there is such a place: a disk brings out every file that is made shorter and written again."""
    memory = Path("/dev/shm")
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="studio-t-", dir=memory) as folder:
        yield Path(folder)


class Good(NamedTuple):
    data: bytes
    events: list[Written]
    chunks: ChunkTable
    data_end: int

    def upto(self, end: int) -> list[Written]:
        """The events of all chunks that lie before byte `end`."""
        return self.without(lambda first, last: last > end)

    def without(self, is_lost: Callable[[int, int], bool]) -> list[Written]:
        counts = self.chunks.messages.tolist()
        if sum(counts) > len(self.events):
            counts = [count - 1 for count in counts]  # one message of each chunk carries the headers
        found: list[Written] = []
        at = 0
        places = zip(self.chunks.offset.tolist(), self.chunks.length.tolist(), counts, strict=True)
        for offset, length, count in places:
            if not is_lost(offset, offset + length):
                found += self.events[at : at + count]
            at += count
        return found


@pytest.fixture(scope="module", params=COMPRESSIONS)
def good(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Good:
    return made(tmp_path_factory.mktemp("good") / "a.mcap", story(40), request.param)


@pytest.fixture(scope="module", params=COMPRESSIONS)
def small(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Good:
    """Without headers where every byte is tried."""
    folder = tmp_path_factory.mktemp("small")
    return made(folder / "a.mcap", story(32, ["/signal"]), request.param, headers=request.param != "none")


def made(path: Path, events: list[Written], compression: str, **options: Any) -> Good:
    write_log(path, events, compression=compression, chunk_ns=30 * MS, **options)
    with LogSource(path) as source:
        index = read_summary(source)
    assert index is not None
    assert len(index.chunks) >= 3
    return Good(path.read_bytes(), events, index.chunks, path.read_bytes().rindex(b"\x0f\x04\0\0\0\0\0\0\0"))


@contextmanager
def only_log_errors() -> Iterator[None]:
    with suppress(LogError):
        yield


def contents(log: LogReader) -> tuple[Any, ...]:
    attached = [log.attachment(index.name) for index in log.attachments]
    return as_written(log.events()), log.metadata(), attached


PARTS = 4
in_parts = pytest.mark.parametrize("part", range(PARTS))
"""So that none of them takes long, even on a busy machine."""


def lengths(small: Good, part: int, scaled: Callable[[int], int]) -> range:
    """Every single byte in the long version, and for the uncompressed log; elsewhere every eleventh will do."""
    every = 1 if scaled(100) == 100 or small.chunks.compression[0] == "" else 11
    return range(part * every, len(small.data), PARTS * every)


@in_parts
def test_every_truncation_is_read_up_to_there(
    small: Good, tmp_path: Path, scaled: Callable[[int], int], part: int
) -> None:
    cut = tmp_path / "cut.mcap"
    for length in lengths(small, part, scaled):
        cut.write_bytes(small.data[:length])
        expected = small.upto(length)
        try:
            with LogReader(cut) as log:
                assert log.problems
                assert as_written(log.events()) == expected
        except LogError:
            assert expected == []


@in_parts
def test_every_truncation_is_repaired(small: Good, tmp_path: Path, scaled: Callable[[int], int], part: int) -> None:
    cut, copy = tmp_path / "cut.mcap", tmp_path / "copy.mcap"
    for length in lengths(small, part, scaled):
        cut.write_bytes(small.data[:length])
        copy.unlink(missing_ok=True)
        expected = small.upto(length)
        try:
            report = repair(cut, copy)
        except LogError:
            assert expected == []
            continue
        assert report.events == len(expected)
        assert read_log(copy) == expected
        assert report.is_whole == (length >= small.data_end + 13)
        assert cut.read_bytes() == small.data[:length]


def test_a_cut_chunk_is_accounted_for(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.mcap", tmp_path / "b.mcap"
    events = story(40)
    write_log(path, events, chunk_ns=30 * MS)
    with LogSource(path) as source:
        index = read_summary(source)
    assert index is not None
    first, last = int(index.chunks.offset[1]), int(index.chunks.offset[2])
    path.write_bytes(path.read_bytes()[: last - 500])
    report = repair(path, copy)
    kept = read_log(copy)
    missing = [event for event in events if event not in kept]
    assert 0 < sum(report.lost_events.values()) <= len(missing)
    assert not report.is_exact
    assert 20 <= report.lost_ms <= 40
    assert report.damages == [f"bytes {first} to {last - 500}: the file ends within a record"]
    assert "at least" in str(report)


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def check_flip(good: Good, data: bytes, position: int, folder: Path) -> str:
    """What became of a log with one bit changed; fails if anything wrong was taken for good."""
    bad, copy = folder / "bad.mcap", folder / "copy.mcap"
    bad.write_bytes(data)
    copy.unlink(missing_ok=True)
    outcome = "refused"
    try:
        with LogReader(bad) as log:
            assert contents(log) == whole_contents(good)
            present = {event.topic for event in good.events}
            assert {name: topic.schema.name for name, topic in log.topics.items() if name in present} == {
                name: TOPICS[name] for name in present
            }
            outcome = "read"
    except LogError:
        pass
    report = repair(bad, copy)
    kept = good.without(lambda first, last: first <= position < last)
    assert read_log(copy) in (kept, good.events)  # what a chunk says of its times, for one, is not needed
    assert report.is_exact or position >= good.data_end
    assert sum(report.lost_events.values()) == len(good.events) - report.events
    return outcome


def whole_contents(good: Good) -> tuple[Any, ...]:
    return good.events, [("run", {"id": "r1", "project": "first_steps"})], [b"<system/>"]


TOPICS = {"/pose": "studio_msgs/msg/PoseTransform", "/signal": "std_msgs/msg/Float64", "/text": "std_msgs/msg/String"}


def test_no_bit_flip_is_read_as_good_data(good: Good, tmp_path: Path, scaled: Callable[[int], int]) -> None:
    chance = random.Random(len(good.data))
    outcomes = []
    for _ in range(scaled(20_000)):
        bit = chance.randrange(len(good.data) * 8)
        outcomes.append(check_flip(good, flipped(good.data, bit), bit // 8, tmp_path))
    assert {"read", "refused"} == set(outcomes)


def test_no_bit_flip_in_an_unfinished_log_is_read_as_good_data(
    good: Good, tmp_path: Path, scaled: Callable[[int], int]
) -> None:
    chance = random.Random(1)
    for _ in range(scaled(10_000)):
        check_unfinished_flip(good, chance.randrange(8 * 8, good.data_end * 8), tmp_path)


def check_unfinished_flip(good: Good, bit: int, folder: Path) -> None:
    """There is no summary to compare with: what is read must be what was written, and repair saves the rest."""
    bad, copy = folder / "bad.mcap", folder / "copy.mcap"
    bad.write_bytes(flipped(good.data[: good.data_end], bit))
    copy.unlink(missing_ok=True)
    with only_log_errors(), LogReader(bad) as log:
        found = as_written(log.events())
        assert found == good.events[: len(found)]
        assert log.problems
    repair(bad, copy)
    kept = good.without(lambda first, last: first <= bit // 8 < last)
    assert read_log(copy) in (kept, good.events)


def test_no_record_passes_for_one_of_another_kind_or_length(small: Good, tmp_path: Path) -> None:
    """Every bit of every record's kind, and the lower ones of its length, in a finished and in an unfinished log."""
    at = len(MAGIC)
    while at < small.data_end:
        for bit in range(at * 8, at * 8 + 22):
            check_unfinished_flip(small, bit, tmp_path)
            check_flip(small, flipped(small.data, bit), at, tmp_path)
        at += PREFIX.size + int(PREFIX.unpack_from(small.data, at)[1])


def mutated(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed))
        match chance.randrange(5):
            case 0:
                changed[at : at + 8] = chance.choice([b"\xff" * 8, b"\xff" * 7 + b"\x7f", bytes(8), b"\0\0\0\x40" * 2])
            case 1:
                del changed[at : at + chance.randint(1, 100)]
            case 2:
                changed[at:at] = chance.randbytes(chance.randint(1, 100))
            case 3:
                other = chance.randrange(len(changed))
                changed[at : at + 50] = changed[other : other + 50]
            case _:
                changed[at] = chance.randrange(256)
        if not changed:
            changed = bytearray(b"\0")
    return bytes(changed)


def foreign_log(path: Path, **options: Any) -> bytes:
    with path.open("wb") as stream:
        writer = Writer(stream, chunk_size=500, **options)
        writer.start("ros2", "other")
        schema = writer.register_schema("a/msg/B", "ros2msg", b"uint8 data")
        channel = writer.register_channel("/a", "cdr", schema)
        for number in range(30):
            writer.add_message(channel, 100 + number, bytes(20), 5, number)
        writer.add_metadata("m", {"key": "value"})
        writer.add_attachment(1, 2, "file", "text/plain", b"content")
        writer.finish()
    return path.read_bytes()


def test_only_our_error_leaves_whatever_the_bytes(tmp_path: Path, scaled: Callable[[int], int]) -> None:
    chance = random.Random(7)
    none = CompressionType.NONE
    own = [made(tmp_path / compression, story(40), compression) for compression in COMPRESSIONS]
    originals = [
        *(one.data for one in own),
        own[0].data[: own[0].data_end],
        foreign_log(tmp_path / "a", compression=none),
        foreign_log(tmp_path / "b", compression=none, enable_crcs=False),
        foreign_log(tmp_path / "c", use_chunking=False, enable_crcs=False),
    ]
    bad, copy = tmp_path / "bad.mcap", tmp_path / "copy.mcap"
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(scaled(50_000)):
        bad.write_bytes(mutated(chance, chance.choice(originals)))
        copy.unlink(missing_ok=True)
        with only_log_errors(), LogReader(bad) as log:
            use_all_of(log)
        with only_log_errors():
            repair(bad, copy)
            with LogReader(copy) as log:
                list(log.events())
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 200_000


def use_all_of(log: LogReader) -> None:
    with only_log_errors():
        for event in log.events():
            len(event.payload)
    with only_log_errors():
        log.check()
    with only_log_errors():
        contents_of_extras(log)
    for topic in log.topics:
        with only_log_errors():
            log.latest_before(log.end_ns, [topic])
            log.nth(topic, -1)


def contents_of_extras(log: LogReader) -> None:
    log.metadata()
    for index in log.attachments:
        log.attachment(index.name)


def test_a_length_that_lies_allocates_nothing(good: Good, tmp_path: Path) -> None:
    """Every eight bytes of the first chunk's head in turn claim to be enormous."""
    first = int(good.chunks.offset[0])
    for at in range(first, first + 60):
        data = bytearray(good.data)
        data[at : at + 8] = b"\xff\xff\xff\x3f\0\0\0\0"
        (tmp_path / "bad.mcap").write_bytes(data)
        tracemalloc.start()
        with only_log_errors(), LogReader(tmp_path / "bad.mcap") as log:
            list(log.events())
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 16 << 20


def test_repair_of_an_intact_log_is_a_whole_copy(good: Good, tmp_path: Path) -> None:
    path, copy, again = tmp_path / "a.mcap", tmp_path / "b.mcap", tmp_path / "c.mcap"
    path.write_bytes(good.data)
    report = repair(path, copy)
    assert report.is_whole
    assert (report.events, report.lost_ns, report.damages) == (len(good.events), 0, [])
    assert "nothing was lost" in str(report)
    with LogReader(copy) as log:
        assert as_written(log.events()) == good.events
        assert next(log.events()).sent_ns is not None
        assert dict(log.metadata())["repaired"]["lost_events"] == "0"
        assert log.attachment("system.xml") == b"<system/>"
        assert log.check() == []
    assert repair(copy, again).is_whole
    assert read_log(again) == good.events


def test_a_damaged_chunk_in_the_middle_costs_only_itself(good: Good, tmp_path: Path) -> None:
    path, copy = tmp_path / "a.mcap", tmp_path / "b.mcap"
    offset, length = int(good.chunks.offset[1]), int(good.chunks.length[1])
    data = bytearray(good.data)
    data[offset + length // 2] ^= 255
    path.write_bytes(data)
    with LogReader(path) as log, pytest.raises(LogError, match=rf"is damaged: .* chunk at byte {offset}.*repair"):
        list(log.events())
    report = repair(path, copy)
    kept = good.without(lambda first, last: first == offset)
    assert read_log(copy) == kept
    lost = [event for event in good.events if event not in kept]
    assert report.lost_events == {topic: sum(event.topic == topic for event in lost) for topic in TOPICS}
    assert report.is_exact
    before = max(event.log_time_ns for event in kept if event.log_time_ns <= lost[0].log_time_ns)
    after = min(event.log_time_ns for event in kept if event.log_time_ns >= lost[-1].log_time_ns)
    assert report.lost_ns == after - before
    with LogReader(copy) as log:
        assert sum(gap.lost for gap in log.check()) == len(lost)


def test_losses_in_an_unfinished_log_are_counted_by_sequence(good: Good, tmp_path: Path) -> None:
    path, copy = tmp_path / "a.mcap", tmp_path / "b.mcap"
    offset, length = int(good.chunks.offset[1]), int(good.chunks.length[1])
    data = bytearray(good.data[: good.data_end])
    data[offset + length // 2] ^= 255
    path.write_bytes(data)
    report = repair(path, copy)
    lost = len(good.events) - len(good.without(lambda first, last: first == offset))
    assert sum(report.lost_events.values()) == lost
    assert not report.is_exact


def test_inserted_bytes_cost_only_the_chunk_they_are_in(good: Good, tmp_path: Path) -> None:
    path, copy = tmp_path / "a.mcap", tmp_path / "b.mcap"
    at = int(good.chunks.offset[1]) + 100
    path.write_bytes(good.data[:at] + b"\x06" * 77 + good.data[at:])
    repair(path, copy)
    assert read_log(copy) == good.without(lambda first, last: first < at < last)


def test_repair_never_overwrites(good: Good, tmp_path: Path) -> None:
    path, copy = tmp_path / "a.mcap", tmp_path / "b.mcap"
    path.write_bytes(good.data)
    copy.write_text("precious")
    with pytest.raises(LogError, match="exists already"):
        repair(path, copy)
    with pytest.raises(LogError, match="exists already"):
        repair(path, path)
    assert copy.read_text() == "precious"
    assert path.read_bytes() == good.data


def test_nothing_can_be_made_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.mcap").write_bytes(b"no log at all" * 100)
    with pytest.raises(LogError, match="nothing in it is intact"):
        repair(tmp_path / "a.mcap", tmp_path / "b.mcap")
    assert not (tmp_path / "b.mcap").exists()


@pytest.mark.parametrize("options", [{"use_chunking": False}, {"compression": CompressionType.NONE}, {}])
def test_a_log_of_others_is_repaired_too(tmp_path: Path, options: dict[str, Any]) -> None:
    data = foreign_log(tmp_path / "a.mcap", **options)
    (tmp_path / "b.mcap").write_bytes(data[: data.rindex(b"\x0f\x04\0\0\0\0\0\0\0") * 3 // 4])
    report = repair(tmp_path / "b.mcap", tmp_path / "c.mcap")
    whole, kept = read_log(tmp_path / "a.mcap"), read_log(tmp_path / "c.mcap")
    assert 0 < len(kept) < len(whole)
    assert is_part_in_order(kept, whole)
    assert report.unchecked_events == (len(kept) if "use_chunking" in options else 0)


def test_a_log_inside_a_damaged_log_is_not_taken_for_it(good: Good, tmp_path: Path) -> None:
    """Somebody attached another log; its chunks are as intact as any."""
    path, copy = tmp_path / "a.mcap", tmp_path / "b.mcap"
    log = LogWriter(path)
    log.add_attachment("other.mcap", good.data)
    topic = log.add_topic("/signal", KINDS["/signal"])
    events = story(10, ["/signal"])
    for event in events:
        write_event(log, topic, event)
    log.close()
    data = bytearray(path.read_bytes())
    data[data.index(b"other.mcap") + 500] ^= 1
    path.write_bytes(data)
    assert repair(path, copy).is_whole
    assert read_log(copy) == events
    with LogReader(copy) as reader:
        assert reader.attachments == []
