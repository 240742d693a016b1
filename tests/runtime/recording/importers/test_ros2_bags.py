"""ROS 2 bags as they are found: compressed, without definitions, with services, in parts, of other versions."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.writer import Writer as McapWriter
from rosbags.rosbag2 import StoragePlugin
from rosbags.typesys import Stores, get_typestore

from studio.cli import main
from studio.messages import Float64, MessageTypes, encode
from studio.runtime.recording import LogError, LogReader
from studio.runtime.recording.format.compression import compress
from studio.runtime.recording.importers import import_log, readable_log
from tests.runtime.recording.importers.ros2_reader import read_back
from tests.runtime.recording.importers.test_bags import check_story, write_bag2

SQLITE, MCAP = StoragePlugin.SQLITE3, StoragePlugin.MCAP
EVENT = "example_interfaces/srv/AddTwoInts_Event"
EVENT_TEXT = """\
service_msgs/ServiceEventInfo info
example_interfaces/AddTwoInts_Request[<=1] request
================================================================================
MSG: service_msgs/ServiceEventInfo
uint8 event_type
builtin_interfaces/Time stamp
char[16] client_gid
int64 sequence_number
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
================================================================================
MSG: example_interfaces/AddTwoInts_Request
int64 a
int64 b
"""
EVENT_DATA = b"\0\1\0\0\1\0\0\0" + bytes(28) + bytes([9]) + bytes(7) + bytes([1, 0, 0, 0]) + bytes(20)
NUMBER = encode(Float64(data=1.5))


def sqlite_bag(path: Path, topics: dict[str, tuple[str, list[bytes]]], definitions: Any = None) -> Path:
    """A .db3 as the recorder writes it: of Humble and before without `definitions` (type, encoding, text)."""
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT)")
    database.execute(
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB NOT NULL)"
    )
    if definitions is not None:
        database.execute(
            "CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT, encoding TEXT,"
            " encoded_message_definition TEXT, type_description_hash TEXT)"
        )
        rows = [(*row, "") for row in definitions]
        database.executemany("INSERT INTO message_definitions VALUES (NULL, ?, ?, ?, ?)", rows)
    time_ns = 10**9
    for number, (name, (kind, messages)) in enumerate(topics.items(), 1):
        database.execute("INSERT INTO topics VALUES (?, ?, ?, 'cdr')", (number, name, kind))
        for data in messages:
            time_ns += 10**8
            database.execute("INSERT INTO messages VALUES (NULL, ?, ?, ?)", (number, time_ns, data))
    database.commit()
    database.close()
    return path


def alter(path: Path, query: str, *values: bytes) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(query, values)
        database.commit()


def mcap_log(path: Path, *topics: tuple[str, str, str, str, bytes, list[bytes]]) -> Path:
    """Topics with encoding, name, encoding and text of their schemas, and messages."""
    with path.open("wb") as stream:
        writer = McapWriter(stream)
        writer.start("ros2")
        for topic, encoding, name, schema_encoding, text, messages in topics:
            schema = writer.register_schema(name, schema_encoding, text) if name else 0
            channel = writer.register_channel(topic, encoding, schema)
            for number, data in enumerate(messages, 1):
                writer.add_message(channel, number, data, number)
        writer.finish()
    return path


def number_topic(*messages: bytes) -> tuple[str, str, str, str, bytes, list[bytes]]:
    text = MessageTypes.builtin().schema_text(Float64).encode()
    return "/number", "cdr", Float64.SCHEMA_NAME, "ros2msg", text, list(messages)


class TestCompressed:
    @pytest.mark.parametrize("packed", ["FILE", "MESSAGE"])
    @pytest.mark.parametrize("plugin", [SQLITE, MCAP], ids=["sqlite", "mcap"])
    def test_files_out_of_their_bag_are_decompressed(
        self, tmp_path: Path, plugin: StoragePlugin, packed: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Nothing but `metadata.yaml` says that they are compressed."""
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        write_bag2(tmp_path / "bag", plugin, packed)
        (file,) = [file for file in (tmp_path / "bag").iterdir() if file.name != "metadata.yaml"]
        loose = file.rename(tmp_path / file.name)
        check_story(loose, tmp_path / "out.mcap")
        read_back(tmp_path / "out.mcap")
        assert not list(tmp_path.glob(".unpacked*"))
        with LogReader(readable_log(loose)) as log:
            assert {bytes(event.payload[:4]) for event in log.events()} == {b"\0\1\0\0"}

    @pytest.mark.parametrize("packed", ["FILE", "MESSAGE"])
    def test_a_bag_in_mcap(self, tmp_path: Path, packed: str) -> None:
        write_bag2(tmp_path / "bag", MCAP, packed)
        check_story(tmp_path / "bag", tmp_path / "out.mcap")

    def test_what_is_not_cdr_is_never_copied_as_such(self, tmp_path: Path) -> None:
        lz4 = b"\x04\x22\x4d\x18" + bytes(20)
        messages = NUMBER, lz4, compress("zstd", lz4), compress("zstd", NUMBER), b""
        log = mcap_log(tmp_path / "a.mcap", number_topic(*messages))
        report = import_log(log, tmp_path / "out.mcap")
        assert read_back(tmp_path / "out.mcap") == {"/number": [{"data": 1.5}] * 2}
        assert report.damage_count == 3
        assert "neither CDR nor CDR compressed by zstd; it begins with 04 22 4d 18" in str(report.damages[0])

    def test_a_message_that_ends_early_is_told(self, tmp_path: Path) -> None:
        packed = compress("zstd", NUMBER)
        bag = sqlite_bag(tmp_path / "a.db3", {"/number": (Float64.SCHEMA_NAME, [packed, packed[:-3]])})
        report = import_log(bag, tmp_path / "out.mcap")
        assert (report.topics["/number"].count, report.damage_count) == (1, 1)

    def test_a_compressed_file_that_ends_early_is_refused(self, tmp_path: Path) -> None:
        write_bag2(tmp_path / "bag", MCAP)
        (file,) = (tmp_path / "bag").glob("*.mcap")
        (tmp_path / "a.mcap.zstd").write_bytes(compress("zstd", file.read_bytes())[:-100])
        with pytest.raises(LogError, match="compressed bytes are damaged"):
            import_log(tmp_path / "a.mcap.zstd", tmp_path / "out.mcap")
        assert not (tmp_path / "out.mcap").exists() and not list(tmp_path.glob(".unpacked*"))

    def test_what_is_no_log_is_called_by_its_own_name(self, tmp_path: Path) -> None:
        (tmp_path / "novel.zstd").write_bytes(compress("zstd", b"It was a dark and stormy night.\n"))
        with pytest.raises(LogError, match=r"novel\.zstd: is not a log that Studio can read"):
            import_log(tmp_path / "novel.zstd", tmp_path / "out.mcap")


class TestServices:
    """Events of services: converted where the bag defines them, counted as left out where it does not."""

    def expected(self, report: Any, out: Path) -> None:
        topic = report.topics["/add/_service_event"]
        assert (topic.count, report.not_mapped) == (2, {})
        assert (topic.type, topic.source) == ("example_interfaces/msg/AddTwoIntsEvent", EVENT)
        found = read_back(out)["/add/_service_event"]
        assert [event["info"]["sequence_number"] for event in found] == [9, 9]

    def test_with_their_definition_in_sqlite(self, tmp_path: Path) -> None:
        definitions = [(EVENT, "ros2msg", EVENT_TEXT)]
        bag = sqlite_bag(tmp_path / "a.db3", {"/add/_service_event": (EVENT, [EVENT_DATA] * 2)}, definitions)
        self.expected(import_log(bag, tmp_path / "out.mcap"), tmp_path / "out.mcap")

    def test_with_their_definition_in_mcap(self, tmp_path: Path) -> None:
        topic = ("/add/_service_event", "cdr", EVENT, "ros2msg", EVENT_TEXT.encode(), [EVENT_DATA] * 2)
        log = mcap_log(tmp_path / "a.mcap", topic)
        self.expected(import_log(log, tmp_path / "out.mcap"), tmp_path / "out.mcap")

    @pytest.mark.parametrize("encoding", ["unknown", "ros2msg", ""])
    @pytest.mark.parametrize("form", ["sqlite", "mcap"])
    def test_without_it(self, tmp_path: Path, capsys: pytest.CaptureFixture[str], form: str, encoding: str) -> None:
        """The recorder has not found it and stores an empty text."""
        if form == "sqlite":
            topics = {"/add/_service_event": (EVENT, [EVENT_DATA] * 2), "/number": (Float64.SCHEMA_NAME, [NUMBER])}
            log = sqlite_bag(tmp_path / "a.db3", topics, [(EVENT, encoding, "")])
        else:
            topic = ("/add/_service_event", "cdr", EVENT, encoding, b"", [EVENT_DATA] * 2)
            log = mcap_log(tmp_path / "a.mcap", topic, number_topic(NUMBER))
        assert main(["convert", str(log), str(tmp_path / "out.mcap"), "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert [topic["name"] for topic in report["topics"]] == ["/number"]
        ((entry),) = report["not_mapped"]
        assert entry["name"].startswith("/add/_service_event") and entry["count"] == 2
        assert "no definition" in entry["reason"]


def header(types: Any) -> Any:
    return types["std_msgs/msg/Header"](types["builtin_interfaces/msg/Time"](5, 6), "sonar")


def range_of(store: Any) -> bytes:
    kind = "sensor_msgs/msg/Range"
    more = [0.25] if "variance" in dict(store.fielddefs[kind][1]) else []
    return bytes(store.serialize_cdr(store.types[kind](header(store.types), 1, 0.5, 0.1, 4.0, 1.5, *more), kind))


def marker_of(store: Any) -> bytes:
    kind, types = "visualization_msgs/msg/Marker", store.types
    point, color = types["geometry_msgs/msg/Point"](1.0, 2.0, 3.0), types["std_msgs/msg/ColorRGBA"](1.0, 0.0, 0.0, 1.0)
    pose = types["geometry_msgs/msg/Pose"](point, types["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0))
    values = {
        "header": header(types), "ns": "way", "id": 3, "type": 4, "action": 0, "pose": pose,
        "scale": types["geometry_msgs/msg/Vector3"](1.0, 1.0, 1.0), "color": color,
        "lifetime": types["builtin_interfaces/msg/Duration"](0, 0), "frame_locked": False, "points": [point],
        "colors": [], "text": "", "mesh_resource": "", "mesh_use_embedded_materials": False,
        "texture_resource": "", "uv_coordinates": [],
    }  # fmt: skip
    names = [name for name, _ in store.fielddefs[kind][1]]
    if "texture" in names:
        image = types["sensor_msgs/msg/CompressedImage"](header(types), "", np.zeros(0, np.uint8))
        values |= {"texture": image, "mesh_file": types["visualization_msgs/msg/MeshFile"]("", np.zeros(0, np.uint8))}
    return bytes(store.serialize_cdr(types[kind](*(values[name] for name in names)), kind))


class TestWithoutDefinitions:
    """Bags of Humble and before do not define their types, and some types have changed."""

    @pytest.mark.parametrize("distribution", ["FOXY", "HUMBLE", "JAZZY"])
    def test_the_distribution_that_fits_is_taken(self, tmp_path: Path, distribution: str) -> None:
        store = get_typestore(Stores[f"ROS2_{distribution}"])
        topics = {
            "/sonar": ("sensor_msgs/msg/Range", [range_of(store)] * 3),
            "/marker": ("visualization_msgs/msg/Marker", [marker_of(store)]),
        }
        report = import_log(sqlite_bag(tmp_path / "a.db3", topics), tmp_path / "out.mcap")
        assert (report.not_mapped, report.damage_count) == ({}, 0)
        found = read_back(tmp_path / "out.mcap")
        assert [echo["range"] for echo in found["/sonar"]] == [1.5] * 3
        assert ("variance" in found["/sonar"][0]) == (distribution == "JAZZY")
        assert found["/marker"][0]["ns"] == "way" and found["/marker"][0]["points"] == [{"x": 1.0, "y": 2.0, "z": 3.0}]
        assert ("mesh_file" in found["/marker"][0]) == (distribution != "FOXY")
        taken = {"FOXY": "Dashing to Galactic", "HUMBLE": "Humble", "JAZZY": "Iron to Lyrical"}[distribution]
        assert report.notes == [
            f"the bag does not define {kind}: its messages fit the definition of ROS 2 {taken}"
            for kind in ("sensor_msgs/msg/Range", "visualization_msgs/msg/Marker")
        ]

    def test_mcap_without_definitions_too(self, tmp_path: Path) -> None:
        data = range_of(get_typestore(Stores.ROS2_HUMBLE))
        log = mcap_log(tmp_path / "a.mcap", ("/sonar", "cdr", "sensor_msgs/msg/Range", "", b"", [data]))
        import_log(log, tmp_path / "out.mcap")
        assert read_back(tmp_path / "out.mcap")["/sonar"][0]["range"] == 1.5

    def test_a_name_that_is_none_leaves_out_its_topic_alone(self, tmp_path: Path) -> None:
        topics = {"/bad": ("walker_msgs/L\n(", [NUMBER]), "/number": (Float64.SCHEMA_NAME, [NUMBER])}
        report = import_log(sqlite_bag(tmp_path / "a.db3", topics), tmp_path / "out.mcap")
        assert set(report.topics) == {"/number"}
        assert "not the name of a message type" in next(iter(report.not_mapped.values())).reason

    def test_bytes_that_fit_none_are_left_out_in_words(self, tmp_path: Path) -> None:
        data = range_of(get_typestore(Stores.ROS2_HUMBLE)) + bytes(64)
        topics = {"/sonar": ("sensor_msgs/msg/Range", [data]), "/number": (Float64.SCHEMA_NAME, [NUMBER])}
        report = import_log(sqlite_bag(tmp_path / "a.db3", topics), tmp_path / "out.mcap")
        ((name, entry),) = report.not_mapped.items()
        assert name.startswith("/sonar") and "its bytes match no definition of any ROS 2 version" in entry.reason
        assert read_back(tmp_path / "out.mcap") == {"/number": [{"data": 1.5}]}

    def test_what_cannot_be_known_is_said(self, tmp_path: Path) -> None:
        """Without any member that tells them apart, two definitions may fit."""
        kind = "rcl_interfaces/msg/ParameterDescriptor"
        store = get_typestore(Stores.ROS2_HUMBLE)
        descriptor = store.types[kind]("", 0, "", "", False, False, [], [])
        data = bytes(store.serialize_cdr(descriptor, kind))
        report = import_log(sqlite_bag(tmp_path / "a.db3", {"/p": (kind, [data])}), tmp_path / "out.mcap")
        texts = " ".join(report.notes)
        read_back(tmp_path / "out.mcap")
        assert "fit the definitions of ROS 2 Dashing to Foxy and of Galactic to Lyrical alike" in texts, texts


class TestParts:
    def test_a_part_that_the_list_names_and_nobody_has_is_told(self, tmp_path: Path) -> None:
        write_bag2(tmp_path / "bag", MCAP)
        metadata = tmp_path / "bag" / "metadata.yaml"
        text = metadata.read_text().replace("relative_file_paths:\n", "relative_file_paths:\n  - bag_7.mcap\n", 1)
        (file,) = (tmp_path / "bag").glob("*.mcap")
        text = text.replace("  - bag_7.mcap\n", f"  - bag_7.mcap\n  - {file.name}\n") if file.name not in text else text
        metadata.write_text(text)
        report = import_log(tmp_path / "bag", tmp_path / "out.mcap")
        assert [str(damage) for damage in report.damages] == [
            "metadata.yaml names bag_7.mcap, which is not in the folder: its messages are missing"
        ]

    @pytest.mark.parametrize("packed", ["", "FILE", "MESSAGE"])
    def test_a_list_of_a_newer_version_is_no_hindrance(self, tmp_path: Path, packed: str) -> None:
        write_bag2(tmp_path / "bag", SQLITE, packed)
        metadata = tmp_path / "bag" / "metadata.yaml"
        text = metadata.read_text()
        assert "version: 9" in text
        metadata.write_text(text.replace("version: 9", "version: 99"))
        check_story(tmp_path / "bag", tmp_path / "out.mcap")

    @pytest.mark.parametrize("form", ["sqlite", "mcap"])
    def test_an_empty_bag_is_refused_in_words(self, tmp_path: Path, form: str) -> None:
        if form == "sqlite":
            log = sqlite_bag(tmp_path / "a.db3", {"/number": (Float64.SCHEMA_NAME, [])})
        else:
            log = mcap_log(tmp_path / "a.mcap", number_topic())
        with pytest.raises(LogError, match="it has no messages"):
            import_log(log, tmp_path / "out.mcap")


class TestOddBags:
    def test_messages_of_no_topic_are_counted(self, tmp_path: Path) -> None:
        path = sqlite_bag(tmp_path / "a.db3", {"/number": (Float64.SCHEMA_NAME, [NUMBER])})
        alter(path, "INSERT INTO messages VALUES (NULL, 77, 5, ?)", NUMBER)
        report = import_log(path, tmp_path / "out.mcap")
        assert {name: entry.count for name, entry in report.not_mapped.items()} == {"topic number 77": 1}

    def test_a_text_in_the_place_of_a_message_or_a_time_costs_that_message_alone(self, tmp_path: Path) -> None:
        path = sqlite_bag(tmp_path / "a.db3", {"/number": (Float64.SCHEMA_NAME, [NUMBER, "no message", NUMBER])})  # type: ignore[list-item]
        alter(path, "UPDATE messages SET timestamp = 'never' WHERE id = 3")
        report = import_log(path, tmp_path / "out.mcap")
        assert (report.topics["/number"].count, report.damage_count) == (1, 2)
        assert "there is no time never" in " ".join(map(str, report.damages))

    @pytest.mark.parametrize("form", ["sqlite", "mcap"])
    def test_an_empty_text_is_no_definition_of_a_message_with_content(self, tmp_path: Path, form: str) -> None:
        """So recorders write what they have not found. Studio knows one of the two types, and the other is told."""
        empty, sonar = b"\0\1\0\0\0", range_of(get_typestore(Stores.ROS2_HUMBLE))
        kinds = {"/x": "my_msgs/msg/Odd", "/sonar": "sensor_msgs/msg/Range", "/empty": "std_msgs/msg/Empty"}
        data = {"/x": NUMBER, "/sonar": sonar, "/empty": empty}
        if form == "sqlite":
            topics = {name: (kind, [data[name]]) for name, kind in kinds.items()}
            log = sqlite_bag(tmp_path / "a.db3", topics, [(kind, "ros2msg", "") for kind in kinds.values()])
        else:
            log = mcap_log(
                tmp_path / "a.mcap",
                *((name, "cdr", kind, "ros2msg", b"", [data[name]]) for name, kind in kinds.items()),
            )
        report = import_log(log, tmp_path / "out.mcap")
        assert [entry.reason for entry in report.not_mapped.values()] in (
            ["the log has no definition of it"], ["the bag has no definition of it"],
        )  # fmt: skip
        found = read_back(tmp_path / "out.mcap")
        assert found["/sonar"][0]["range"] == 1.5 and set(found) == {"/sonar", "/empty"}

    def test_attachments_of_one_name_all_come_along(self, tmp_path: Path) -> None:
        with (tmp_path / "a.mcap").open("wb") as stream:
            writer = McapWriter(stream)
            writer.start("ros2")
            for number, data in enumerate((b"one", b"other"), 1):
                writer.add_attachment(number, number, "note.txt", "text/plain", data)
            schema = writer.register_schema(Float64.SCHEMA_NAME, "ros2msg", b"float64 data")
            writer.add_message(writer.register_channel("/number", "cdr", schema), 5, NUMBER, 5)
            writer.finish()
        import_log(tmp_path / "a.mcap", tmp_path / "out.mcap")
        with LogReader(tmp_path / "out.mcap") as log:
            assert [(each.log_time_ns, log.attached(each)) for each in log.attachments] == [(1, b"one"), (2, b"other")]
