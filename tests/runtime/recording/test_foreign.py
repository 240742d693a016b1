"""Other programs read our logs completely, and we read theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap.writer import CompressionType, IndexType, Writer
from mcap_ros2.decoder import DecoderFactory
from rosbags.rosbag2 import Reader as BagReader
from rosbags.rosbag2 import StoragePlugin
from rosbags.rosbag2 import Writer as BagWriter
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from bench.messages import samples
from studio.messages import (
    Bookmark,
    HandledTrace,
    Message,
    MessageTypes,
    Range3d,
    ServiceCall,
    String,
    decode,
    encode,
)
from studio.runtime.base.clock import Clock, ClockKind
from studio.runtime.channel.call_frames import Reply, Request, reply_topic, request_topic
from studio.runtime.plan.plan import Plan, PlannedComponent, RecordingPlan
from studio.runtime.recording import LogReader, LogWriter
from studio.runtime.recording.format.bookmarks import BOOKMARK_TOPIC
from studio.runtime.recording.format.header_batch import HEADERS_TOPIC
from studio.runtime.recording.recorder.recorder import Recorder
from studio.runtime.wire.frames import (
    ALL_TOPIC,
    COMMAND_PREFIX,
    ERROR,
    HANDLED_TOPIC,
    LOG_TOPIC,
    TIMER_PREFIX,
    Kind,
    Mark,
    Marker,
    pack,
    topic_hash,
)
from tests.messages.strategies import rosbags_bytes, shipped_store
from tests.runtime.recording.logs import KINDS, as_written, story, write_log

COMPRESSIONS = ["none", "lz4", "zstd"]
SAMPLES = {f"/{number}/{message.TYPE}": message for number, message in enumerate(samples().values())}


def write_samples(path: Path, compression: str) -> None:
    with LogWriter(path, compression=compression, chunk_bytes=100_000) as log:  # type: ignore[arg-type]
        log.add_metadata("run", {"id": "r1"})
        log.add_attachment("system.xml", b"<system/>", "text/xml")
        for number in range(1, 4):
            for topic, message in SAMPLES.items():
                channel = log.add_topic(topic, type(message))
                log.write(channel, encode(message), log_time_ns=number, sequence=number, stamp_ns=number)


def test_there_is_a_sample_of_every_type() -> None:
    assert {type(message) for message in SAMPLES.values()} == set(MessageTypes.builtin())


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_every_type_comes_back(tmp_path: Path, compression: str) -> None:
    write_samples(tmp_path / "a.mcap", compression)
    with LogReader(tmp_path / "a.mcap") as log:
        for event in log.events():
            message = SAMPLES[event.topic]
            assert decode(type(message), event.payload) == message
        assert {topic.count for topic in log.topics.values()} == {3}


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_mcap_ros2_decodes_all_of_it(tmp_path: Path, compression: str) -> None:
    write_samples(tmp_path / "a.mcap", compression)
    seen: dict[str, int] = {}
    with (tmp_path / "a.mcap").open("rb") as stream:
        reader = make_reader(stream, validate_crcs=True, decoder_factories=[DecoderFactory()])
        for schema, channel, message, decoded in reader.iter_decoded_messages():
            assert schema is not None
            assert schema.encoding == "ros2msg"
            assert decoded is not None
            seen[channel.topic] = seen.get(channel.topic, 0) + 1
            if channel.topic in SAMPLES:
                assert message.log_time == message.publish_time == message.sequence == seen[channel.topic]
                assert message.data == encode(SAMPLES[channel.topic])
        summary = reader.get_summary()
        assert [metadata.name for metadata in reader.iter_metadata()] == ["run"]
        assert [attachment.data for attachment in reader.iter_attachments()] == [b"<system/>"]
        header = reader.get_header()
    assert (header.profile, header.library.split()[0]) == ("ros2", "robot-systems-studio")
    assert summary is not None
    assert summary.statistics is not None
    assert sum(seen.values()) == summary.statistics.message_count
    assert {topic: seen[topic] for topic in SAMPLES} == dict.fromkeys(SAMPLES, 3)
    assert seen[HEADERS_TOPIC] == summary.statistics.chunk_count == len(summary.chunk_indexes)


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_rosbags_decodes_all_of_it(tmp_path: Path, compression: str) -> None:
    write_samples(tmp_path / "a.mcap", compression)
    count = 0
    with BagReader(tmp_path / "a.mcap") as reader:
        store = get_typestore(Stores.EMPTY)
        for connection in reader.connections:
            store.register(get_types_from_msg(connection.msgdef.data, connection.msgtype))
        for connection, _, data in reader.messages():
            again = store.serialize_cdr(store.deserialize_cdr(data, connection.msgtype), connection.msgtype)
            assert bytes(again) == bytes(data)
            if connection.topic in SAMPLES:
                assert bytes(data) == encode(SAMPLES[connection.topic])
                count += 1
    assert count == 3 * len(SAMPLES)


def record_everything(path: Path) -> None:
    """Every type, and whatever else passes a channel, through the recorder itself."""
    types = {topic: message.TYPE for topic, message in SAMPLES.items()}
    asks = PlannedComponent("mapper", "Mapper", 0, "mapper", requires={"plan": ("planner", "plan")})
    serves = PlannedComponent("planner", "Planner", 1, "planner")
    recording = RecordingPlan(str(path), tuple(types))
    recorder = Recorder(path.parent, Plan((asks, serves), types=types, recording=recording), recording, None)
    asked, answered = request_topic("planner", "mapper"), reply_topic("mapper", "planner")
    marker = Marker(Mark.STATE, 1, False, Clock(ClockKind.WALL, 1, 0))
    line = encode(String("{}"))
    request, reply = Request(1, "plan", 10**9, ["mapper"], line), Reply(1, [], line)
    cause = {"cause_topic": topic_hash(asked), "cause_sequence": 1}
    frames = [
        pack(ALL_TOPIC, Kind.MARKER, 1, marker.payload()),
        *(pack(topic, Kind.DATA, 1, encode(message), sent_ns=2) for topic, message in SAMPLES.items()),
        pack(f"{TIMER_PREFIX}mapper", Kind.TIMER, 1, sent_ns=3),
        pack(f"{COMMAND_PREFIX}mapper", Kind.COMMAND, 1, line, sent_ns=3),
        pack(asked, Kind.REQUEST, 1, request.payload(), sent_ns=3),
        pack(answered, Kind.REPLY, 1, reply.payload(), sent_ns=3, **cause),
        pack(asked, Kind.REQUEST, 2, Request(0, "plan", 0, [], b"too late").payload(), flags=ERROR),
        pack(HANDLED_TOPIC, Kind.TRACE, 0, encode(HandledTrace())),
        pack(LOG_TOPIC, Kind.LOG, 0, line),
        pack(BOOKMARK_TOPIC, Kind.LOG, 0, encode(Bookmark(stamp_ns=3, text="the dog"))),
        *(pack(topic, Kind.DATA, 3, encode(message), sent_ns=4) for topic, message in SAMPLES.items()),
    ]
    recorder._arrived += [(frame, None) for frame in frames]
    recorder.stop()
    recorder.main()


def test_all_that_the_recorder_writes_is_decoded_by_others(tmp_path: Path) -> None:
    record_everything(tmp_path / "a.mcap")
    with LogReader(tmp_path / "a.mcap") as log:
        ours = {(event.topic, bytes(event.payload)) for event in log.events()}
        assert log.event_count == 2 * len(SAMPLES) + 9 + len(SAMPLES), "with a gap for each topic"
        assert [mark.text for _, mark in log.bookmarks()] == ["the dog"]
        calls = [decode(ServiceCall, event.payload) for event in log.events() if "/re" in event.topic]
    assert [(call.service, call.deadline_s, call.error, call.data.size) for call in calls] == [
        ("plan", 1.0, "", 11), ("plan", 0.0, "", 11), ("plan", 0.0, "too late", 0),
    ]  # fmt: skip
    kinds = {topic.schema.name for topic in log.topics.values()}
    assert kinds >= {kind.SCHEMA_NAME for kind in MessageTypes.builtin()}
    with (tmp_path / "a.mcap").open("rb") as stream:
        reader = make_reader(stream, validate_crcs=True, decoder_factories=[DecoderFactory()])
        decoded = [(channel.topic, message.data) for _, channel, message, _ in reader.iter_decoded_messages()]
    assert {pair for pair in decoded if pair[0] != HEADERS_TOPIC} == ours
    with BagReader(tmp_path / "a.mcap") as bag:
        store = get_typestore(Stores.EMPTY)
        for connection in bag.connections:
            store.register(get_types_from_msg(connection.msgdef.data, connection.msgtype))
        by_rosbags = []
        for connection, _, data in bag.messages():
            again = store.serialize_cdr(store.deserialize_cdr(data, connection.msgtype), connection.msgtype)
            assert bytes(again) == bytes(data)
            by_rosbags.append((connection.topic, bytes(data)))
    assert sorted(by_rosbags) == sorted(decoded)


def test_a_ros_2_bag_of_rosbags_is_read(tmp_path: Path) -> None:
    store = get_typestore(Stores.ROS2_JAZZY)
    kind = store.types["sensor_msgs/msg/Temperature"]
    header = store.types["std_msgs/msg/Header"](store.types["builtin_interfaces/msg/Time"](1, 2), "t")
    with BagWriter(tmp_path / "bag", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        connection = writer.add_connection("/temperature", kind.__msgtype__, typestore=store)
        for number in range(100):
            data = store.serialize_cdr(kind(header, float(number), 0.5), kind.__msgtype__)
            writer.write(connection, 1000 + number, data)
    (path,) = (tmp_path / "bag").glob("*.mcap")
    with LogReader(path) as log:
        assert log.topics["/temperature"].schema.name == "sensor_msgs/msg/Temperature"
        assert "float64 temperature" in log.topics["/temperature"].schema_text
        assert [event.log_time_ns for event in log.events()] == list(range(1000, 1100))
        assert log.gaps == []
        last = store.deserialize_cdr(log.nth("/temperature", -1).payload, kind.__msgtype__)
        assert last.temperature == 99.0


def write_with_mcap(path: Path, times: list[int], **options: Any) -> list[tuple[str, int, bytes]]:
    """A log with two topics that the Python library writes; returns what is in it, by time."""
    options.setdefault("chunk_size", 400)
    expected = []
    with path.open("wb") as stream:
        writer = Writer(stream, **options)
        writer.start("ros2", "somebody else")
        schema = writer.register_schema("other_msgs/msg/Thing", "ros2msg", b"uint8[] data")
        numbers = {topic: writer.register_channel(topic, "cdr", schema) for topic in ("/one", "/two")}
        for number, time_ns in enumerate(times):
            topic = ("/one", "/two")[number % 2]
            payload = f"payload {number}".encode()
            writer.add_message(numbers[topic], log_time=time_ns, data=payload, publish_time=time_ns)
            expected.append((topic, time_ns, payload))
        writer.finish()
    return sorted(expected, key=lambda event: event[1])


FORMS: dict[str, dict[str, Any]] = {
    "default": {},
    "lz4": {"compression": CompressionType.LZ4},
    "uncompressed": {"compression": CompressionType.NONE},
    "no crcs": {"enable_crcs": False, "compression": CompressionType.NONE},
    "no message index": {"index_types": IndexType.CHUNK},
    "no index": {"index_types": IndexType.NONE},
    "no statistics": {"use_statistics": False},
    "no summary": {
        "use_statistics": False,
        "use_summary_offsets": False,
        "repeat_channels": False,
        "repeat_schemas": False,
        "index_types": IndexType.NONE,
    },
    "no channels in the summary": {"repeat_channels": False},
    "unchunked": {"use_chunking": False},
    "unchunked, no crcs": {"use_chunking": False, "enable_crcs": False, "enable_data_crcs": False},
    "data crc": {"enable_data_crcs": True},
}


def triples(events: Any) -> list[tuple[str, int, bytes]]:
    return [(event.topic, event.log_time_ns, bytes(event.payload)) for event in events]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("order", ["in order", "out of order"])
def test_logs_of_the_mcap_library_are_read(tmp_path: Path, form: str, order: str) -> None:
    times = list(range(1000, 1200))
    if order == "out of order":
        chance = np.random.default_rng(5)
        times = (np.arange(200) * 10 + chance.integers(0, 300, 200)).tolist()
    expected = write_with_mcap(tmp_path / "a.mcap", times, **FORMS[form])
    with LogReader(tmp_path / "a.mcap") as log:
        assert triples(log.events()) == expected
        assert triples(log.events(reverse=True)) == expected[::-1]
        middle = expected[100][1]
        assert triples(log.events(["/two"], start_ns=middle)) == [
            event for event in expected if event[0] == "/two" and event[1] >= middle
        ]
        assert triples([log.nth("/one", 60)]) == [event for event in expected if event[0] == "/one"][60:61]
        latest = {event[0]: event for event in expected if event[1] < middle}
        assert {topic: triples([event])[0] for topic, event in log.latest_before(middle).items()} == latest
        assert log.topics["/one"].schema_text == "uint8[] data"
        assert (log.profile, log.library.split(";")[0]) == ("ros2", "somebody else")
        assert log.event_count == 200
        assert log.is_finished
        assert log.gaps == []
        assert log.problems == []


def test_our_log_in_chunks_of_another_program_still_has_its_events(tmp_path: Path) -> None:
    """`mcap filter` and others make new chunks: headers then lie apart from their events, and are left out."""
    events = story()
    write_log(tmp_path / "a.mcap", events)
    with (tmp_path / "a.mcap").open("rb") as source, (tmp_path / "b.mcap").open("wb") as target:
        writer = Writer(target, chunk_size=700)
        writer.start("ros2", "a filter")
        numbers: dict[str, int] = {}
        for schema, channel, message in make_reader(source).iter_messages():
            assert schema is not None
            if channel.topic not in numbers:
                number = writer.register_schema(schema.name, schema.encoding, schema.data)
                numbers[channel.topic] = writer.register_channel(channel.topic, "cdr", number)
            writer.add_message(
                numbers[channel.topic], message.log_time, message.data, message.publish_time, message.sequence
            )
        writer.finish()
    with LogReader(tmp_path / "b.mcap") as log:
        assert as_written(log.events()) == events
        assert set(log.topics) == set(KINDS)
        log.check()


def test_a_topic_of_two_writers_is_one_topic(tmp_path: Path) -> None:
    with (tmp_path / "a.mcap").open("wb") as stream:
        writer = Writer(stream)
        writer.start()
        for number in range(2):
            channel = writer.register_channel("/tf", "cdr", 0, {"writer": str(number)})
            writer.add_message(channel, 10 - number, bytes([number]), 0)
        writer.finish()
    with LogReader(tmp_path / "a.mcap") as log:
        assert log.topics["/tf"].count == 2
        assert log.topics["/tf"].schema.name == ""
        assert [bytes(event.payload) for event in log.events(["/tf"])] == [b"\1", b"\0"]


def test_a_scan_that_is_not_ours_reads_as_ours(tmp_path: Path) -> None:
    """A type of Studio under its ROS name, written by others, is decoded by our class."""
    cloud: Message = next(message for message in SAMPLES.values() if isinstance(message, Range3d))
    with (tmp_path / "a.mcap").open("wb") as stream:
        writer = Writer(stream)
        writer.start("ros2")
        text = MessageTypes.builtin().schema_text(Range3d).encode()
        schema = writer.register_schema("sensor_msgs/msg/PointCloud2", "ros2msg", text)
        channel = writer.register_channel("/cloud", "cdr", schema)
        writer.add_message(channel, 1, rosbags_bytes(shipped_store(), cloud), 1)
        writer.finish()
    with LogReader(tmp_path / "a.mcap") as log:
        kind = MessageTypes.builtin().find_schema(log.topics["/cloud"].schema.name)
        assert kind is Range3d
        assert decode(kind, log.nth("/cloud", 0).payload) == cloud
