"""What a writer puts into a file."""

from __future__ import annotations

import threading
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.errors import StudioError
from studio.messages import EventHeaders, Float64, String, encode
from studio.runtime.recording import LogError, LogReader, LogWriter
from studio.runtime.recording.format.checksums import combine, crc32, crc32_combine
from studio.runtime.recording.format.header_batch import WIRE, pack_headers, read_headers, read_sequences
from studio.runtime.wire.frames import HEADER, topic_hash
from tests.runtime.recording.logs import MS, read_log, story, write_log

PAYLOAD = encode(Float64(1.5))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.mcap"


@pytest.mark.parametrize("compression", ["none", "lz4", "zstd"])
def test_events_come_back_as_they_were_written(path: Path, compression: str) -> None:
    events = story()
    write_log(path, events, compression=compression)
    assert read_log(path) == events


def test_compression_makes_logs_smaller(tmp_path: Path) -> None:
    sizes = {}
    for compression in ("none", "lz4", "zstd"):
        sizes[compression] = write_log(tmp_path / compression, story(500), compression=compression).size
    assert sizes["zstd"] < sizes["none"] / 2
    assert sizes["lz4"] < sizes["none"] / 2


def test_an_unknown_compression_names_those_there_are(path: Path) -> None:
    with pytest.raises(LogError, match=r"'gzip'.*none, lz4, zstd"):
        LogWriter(path, compression="gzip")  # type: ignore[arg-type]
    assert not path.exists()


def test_a_log_is_never_overwritten(path: Path) -> None:
    path.write_text("precious")
    with pytest.raises(StudioError, match="exists already"):
        LogWriter(path)
    assert path.read_text() == "precious"


def test_a_log_in_a_missing_folder_is_our_error(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="No such file"):
        LogWriter(tmp_path / "missing" / "a.mcap")


def test_headers_come_back_with_their_events(path: Path) -> None:
    events = story()
    write_log(path, events)
    with LogReader(path) as log:
        for event in log.events():
            assert event.sent_ns == event.stamp_ns + 7
            assert (event.cause_topic, event.cause_sequence) == (12345 + event.sequence, event.sequence - 1)
            assert (event.kind, event.flags, event.origin) == (event.sequence % 3, 1, 2)
            assert event.epoch == event.sequence // 4


def test_a_sequence_keeps_all_its_64_bits(path: Path) -> None:
    with LogWriter(path) as log:
        topic = log.add_topic("/a", Float64)
        for sequence in (2**32 - 1, 2**32, 2**63, 2**64 - 1):
            log.write(topic, PAYLOAD, log_time_ns=1, sequence=sequence, stamp_ns=0)
    with LogReader(path) as reader:
        assert [event.sequence for event in reader.events()] == [2**32 - 1, 2**32, 2**63, 2**64 - 1]


def test_log_times_never_decrease_and_order_stays(path: Path) -> None:
    with LogWriter(path) as log:
        topic = log.add_topic("/a", Float64)
        for sequence, time_ns in enumerate([50, 40, 60, -5, 70], 1):
            log.write(topic, PAYLOAD, log_time_ns=time_ns, sequence=sequence, stamp_ns=time_ns)
    with LogReader(path) as reader:
        events = list(reader.events())
    assert [event.log_time_ns for event in events] == [50, 50, 60, 60, 70]
    assert [event.sequence for event in events] == [1, 2, 3, 4, 5]
    assert [event.stamp_ns for event in events] == [50, 40, 60, -5, 70]


def test_a_chunk_closes_by_time(path: Path) -> None:
    log = LogWriter(path)
    topic = log.add_topic("/a", Float64)
    seen = []
    for number in range(1, 201):
        log.write(topic, PAYLOAD, log_time_ns=number * MS, sequence=number, stamp_ns=number * MS)
        log.tick(number * MS)
        seen.append(log.pending_events)
    assert max(seen) <= 51
    assert log.chunk_count == 3
    assert log.event_count == 151
    log.close()


def test_a_chunk_closes_by_size(path: Path) -> None:
    with LogWriter(path, chunk_bytes=1000) as log:
        topic = log.add_topic("/a", Float64)
        for number in range(1, 101):
            log.write(topic, PAYLOAD, log_time_ns=0, sequence=number, stamp_ns=0)
    assert 4 <= log.chunk_count <= 10
    assert len(read_log(path)) == 100


def test_everything_flushed_is_in_an_unfinished_file(path: Path) -> None:
    events = story()
    log = write_log(path, events, close=False)
    log.flush()
    assert read_log(path) == events
    with LogReader(path) as reader:
        assert not reader.is_finished
        assert "was not finished" in reader.problems[0]
        assert dict(reader.metadata()) == {"run": {"id": "r1", "project": "first_steps"}}
    log.close()
    with LogReader(path) as reader:
        assert reader.is_finished
        assert reader.problems == []


def test_topics_may_be_added_at_any_time_and_again(path: Path) -> None:
    with LogWriter(path) as log:
        first = log.add_topic("/a", Float64)
        log.write(first, PAYLOAD, log_time_ns=1, sequence=1, stamp_ns=0)
        log.flush()
        second = log.add_topic("/b", String)
        assert log.add_topic("/a", Float64) == first != second
        log.write(second, encode(String("late")), log_time_ns=2, sequence=1, stamp_ns=0)
        with pytest.raises(LogError, match="/a is in this log with another type"):
            log.add_topic("/a", String)
    with LogReader(path) as reader:
        assert list(reader.topics) == ["/a", "/b"]
        assert reader.topics["/b"].schema.name == "std_msgs/msg/String"
        assert reader.topics["/b"].schema_text == "string data\n"


def test_an_unknown_topic_number_is_our_error(path: Path) -> None:
    with LogWriter(path) as log, pytest.raises(LogError, match="no topic number 9"):
        log.write(9, PAYLOAD, log_time_ns=1, sequence=1, stamp_ns=0)


def test_a_closed_log_takes_no_more(path: Path) -> None:
    log = write_log(path, story())
    log.close()
    log.sync()
    with pytest.raises(LogError, match="the log is closed"):
        log.write(1, PAYLOAD, log_time_ns=1, sequence=1, stamp_ns=0)


def test_what_can_be_changed_is_copied_and_what_cannot_is_not(path: Path) -> None:
    changing = bytearray(PAYLOAD)
    numbers = np.arange(4, dtype=np.float64)
    with LogWriter(path) as log:
        topic = log.add_topic("/a", Float64)
        log.write(topic, changing, log_time_ns=1, sequence=1, stamp_ns=0)
        log.write(topic, memoryview(changing)[4:], log_time_ns=1, sequence=2, stamp_ns=0)
        log.write(topic, memoryview(PAYLOAD), log_time_ns=1, sequence=3, stamp_ns=0)
        log.write(topic, memoryview(numbers), log_time_ns=1, sequence=4, stamp_ns=0)
        changing[:] = bytes(len(changing))
        numbers[:] = 0
    kept = [event.payload for event in read_log(path)]
    assert kept == [PAYLOAD, PAYLOAD[4:], PAYLOAD, np.arange(4, dtype=np.float64).tobytes()]


def test_a_frame_of_the_wire_is_written_as_it_is(path: Path) -> None:
    header = HEADER.pack(1, 3, 9, 1, 77, 5, -40, 60, 8, 9, 0xFFFF, 0, 0)
    with LogWriter(path) as log:
        log.write_frame(log.add_topic("/a", Float64), header, PAYLOAD, 100)
    with LogReader(path) as reader:
        (event,) = reader.events()
    assert event[1:4] == (5, -40, 100)
    assert event[5:] == (60, 8, 9, 77, 3, 9, 1)


def test_a_log_without_headers_has_none(path: Path) -> None:
    write_log(path, story(), headers=False)
    with LogReader(path) as reader:
        event = next(reader.events())
        assert event[5:] == (None,) * 7
        assert list(reader.topics) == ["/pose", "/signal", "/text"]
    assert read_log(path) == story()


def test_sync_may_run_beside_writing(path: Path) -> None:
    log = write_log(path, story(), close=False)
    stop = threading.Event()

    def keep_syncing() -> None:
        while not stop.wait(0.001):
            log.sync()

    thread = threading.Thread(target=keep_syncing)
    thread.start()
    for number in range(300):
        log.write(2, PAYLOAD, log_time_ns=10**18 * 2, sequence=100 + number, stamp_ns=0)
        log.flush()
    log.close()
    stop.set()
    thread.join()
    assert len(read_log(path)) == 360


def test_an_empty_log_is_a_log(path: Path) -> None:
    with LogWriter(path):
        pass
    with LogReader(path) as reader:
        assert list(reader.events()) == list(reader.events(reverse=True)) == reader.check() == []
        assert (reader.start_ns, reader.end_ns, reader.event_count, reader.topics) == (0, 0, 0, {})


def test_definitions_are_repeated_so_that_one_bad_chunk_does_not_take_all(path: Path) -> None:
    with LogWriter(path) as log:
        topic = log.add_topic("/a", Float64)
        for number in range(1, 17):
            log.write(topic, PAYLOAD, log_time_ns=number, sequence=number, stamp_ns=0)
            log.flush()
    assert path.read_bytes().count(b"\x02\0\0\0/a\x03\0\0\0cdr") == 5 + 1  # chunks 1, 2, 4, 8, 16, and the summary


@given(st.lists(st.tuples(*[st.integers(0, 2**64 - 1)] * 3, st.integers(0, 255)), min_size=1, max_size=20))
def test_packed_headers_are_the_message_that_encode_would_make(rows: list[tuple[int, int, int, int]]) -> None:
    topics = [topic_hash(f"/{row[0]}") for row in rows]
    raw = [
        HEADER.pack(1, row[3], row[3] // 2, row[3] // 3, row[0] >> 32, row[0], 0, row[1] >> 1, row[1], row[2], 1, 0, 0)
        for row in rows
    ]
    table = np.frombuffer(b"".join(raw), WIRE)
    names = [name for name in vars(EventHeaders()) if name != "topic"]
    message = EventHeaders(topic=np.array(topics, np.uint64), **{name: table[name] for name in names})
    packed = pack_headers(topics, raw)
    assert packed == encode(message)
    for batch in (packed, b"\0\1\7\7" + packed[4:], encode(message)):
        columns = read_headers(memoryview(batch))
        assert read_sequences(memoryview(batch)) == columns.sequence
        assert all(getattr(columns, name) == tuple(getattr(message, name).tolist()) for name in vars(message))


def test_headers_that_are_none_are_our_error() -> None:
    for batch in (b"", b"\0\1\0\0", bytes(500), pack_headers([1], [bytes(60)])[:-1]):
        with pytest.raises(LogError, match="headers of a chunk cannot be read"):
            read_headers(memoryview(batch))
    assert read_headers(memoryview(encode(EventHeaders()))).topic == ()
    for foreign in (encode(EventHeaders()), batch[:-1], bytes(4) + batch[4:], batch[:4] + bytes(4) + batch[8:]):
        assert read_sequences(memoryview(foreign)) == (), "only what is surely ours"


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_checksums_can_be_put_together(first: bytes, second: bytes) -> None:
    assert crc32(first) == zlib.crc32(first)
    both = zlib.crc32(first + second)
    assert combine(crc32(first), crc32(second), len(second)) == both
    assert crc32_combine(crc32(first), crc32(second), len(second)) == both
