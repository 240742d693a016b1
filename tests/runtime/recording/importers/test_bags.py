"""Bags and MCAP files of others, and our own logs."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcap.writer import Writer as McapWriter
from rosbags.rosbag1 import Writer as Bag1Writer
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin
from rosbags.rosbag2 import Writer as Bag2Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from studio.messages import Float64, Imu, MessageTypes, Odometry, PointCloud2, PointField, Range3d, decode, encode
from studio.runtime.base.clock import wall_ns
from studio.runtime.recording import LogError, LogReader, LogWriter
from studio.runtime.recording.importers import import_log, is_log, readable_log, recordings_in
from studio.runtime.recording.importers import kept as kept_module
from studio.runtime.recording.importers.kept import UNUSED_NS
from tests.messages.strategies import rosbags_bytes, rosbags_object, shipped_store
from tests.runtime.recording.logs import story, write_log

ODOMETRY = Odometry.planar(1, 2, 0.5, stamp_ns=5_000_000_007)
OWN_TYPE = "walker_msgs/msg/Leg"
OWN_TEXT = "std_msgs/Header header\nfloat32[] angles\nstring name\n"
STEP_NS = 100_000_000


def laser_scan(store: Any) -> Any:
    types = store.types
    stamp = types["builtin_interfaces/msg/Time"](sec=5, nanosec=9)
    names = {"seq": 3} if "seq" in types["std_msgs/msg/Header"].__dataclass_fields__ else {}
    header = types["std_msgs/msg/Header"](stamp=stamp, frame_id="sick", **names)
    ranges = np.array([1.0, 50.0, np.inf, 2.0], np.float32)
    return types["sensor_msgs/msg/LaserScan"](
        header, -0.5, 1.0, 0.5, 0.0, 0.0, 0.1, 30.0, ranges, np.zeros(4, np.float32)
    )


def leg(store: Any) -> Any:
    types = store.types
    stamp = types["builtin_interfaces/msg/Time"](sec=6, nanosec=0)
    names = {"seq": 4} if "seq" in types["std_msgs/msg/Header"].__dataclass_fields__ else {}
    header = types["std_msgs/msg/Header"](stamp=stamp, frame_id="leg", **names)
    return types[OWN_TYPE](header, np.array([1, 2], np.float32), "left")


@contextmanager
def bag2(path: Path, plugin: StoragePlugin, packed: str = "") -> Iterator[Any]:
    writer = Bag2Writer(path, version=9, storage_plugin=plugin)
    if packed:
        writer.set_compression(CompressionMode[packed], CompressionFormat.ZSTD)
    with writer:
        yield writer


def write_bag2(path: Path, plugin: StoragePlugin = StoragePlugin.SQLITE3, packed: str = "") -> None:
    store = shipped_store()
    store.register(get_types_from_msg(OWN_TEXT, OWN_TYPE))
    with bag2(path, plugin, packed) as writer:
        scans = writer.add_connection("/scan", "sensor_msgs/msg/LaserScan", typestore=store)
        odometry = writer.add_connection("/odom", Odometry.SCHEMA_NAME, typestore=store)
        legs = writer.add_connection("/leg", OWN_TYPE, typestore=store)
        for number in range(1, 4):
            time_ns = number * STEP_NS
            writer.write(scans, time_ns, store.serialize_cdr(laser_scan(store), "sensor_msgs/msg/LaserScan"))
            writer.write(odometry, time_ns + 1, rosbags_bytes(store, ODOMETRY))
            writer.write(legs, time_ns + 2, store.serialize_cdr(leg(store), OWN_TYPE))


def write_bag1(path: Path) -> None:
    store = get_typestore(Stores.ROS1_NOETIC)
    store.register(get_types_from_msg(OWN_TEXT, OWN_TYPE))
    odometry = rosbags_object(shipped_store(), ODOMETRY)
    header = store.types["std_msgs/msg/Header"](1, odometry.header.stamp, "odom")
    odometry.header = header
    with Bag1Writer(path) as writer:
        scans = writer.add_connection("/scan", "sensor_msgs/msg/LaserScan", typestore=store)
        poses = writer.add_connection("/odom", Odometry.SCHEMA_NAME, typestore=store)
        legs = writer.add_connection("/leg", OWN_TYPE, typestore=store)
        for number in range(1, 4):
            time_ns = number * STEP_NS
            writer.write(scans, time_ns, store.serialize_ros1(laser_scan(store), "sensor_msgs/msg/LaserScan"))
            writer.write(poses, time_ns + 1, store.serialize_ros1(odometry, Odometry.SCHEMA_NAME))
            writer.write(legs, time_ns + 2, store.serialize_ros1(leg(store), OWN_TYPE))


def check_story(source: Path, out: Path) -> None:
    """The three topics that all bags of these tests hold, as they have to be in our log."""
    report = import_log(source, out)
    assert {name: (topic.type, topic.count) for name, topic in report.topics.items()} == {
        "/scan": ("Range3d", 3),
        "/odom": ("Odometry", 3),
        "/leg": (OWN_TYPE, 3),
    }
    assert (report.damage_count, report.not_mapped) == (0, {})
    with LogReader(out) as log:
        assert not log.check()
        assert [event.topic for event in log.events()] == ["/scan", "/odom", "/leg"] * 3
        events = {event.topic: event for event in log.events()}
        text = log.topics["/leg"].schema_text
    scan = decode(Range3d, events["/scan"].payload)
    assert (scan.frame, scan.stamp_ns) == ("sick", 5_000_000_009)
    np.testing.assert_allclose(scan.ranges_m, [1.0, 2.0])
    np.testing.assert_allclose(scan.xyz[0], [np.cos(0.5), -np.sin(0.5), 0], atol=1e-6)
    assert decode(Odometry, events["/odom"].payload) == ODOMETRY
    assert events["/odom"].stamp_ns == ODOMETRY.stamp_ns
    store = get_typestore(Stores.EMPTY)
    store.register(get_types_from_msg(text, OWN_TYPE))
    known: Any = store.deserialize_cdr(bytes(events["/leg"].payload), OWN_TYPE)
    assert (known.name, known.angles.tolist(), known.header.frame_id) == ("left", [1.0, 2.0], "leg")


@pytest.mark.parametrize("plugin", [StoragePlugin.SQLITE3, StoragePlugin.MCAP])
def test_a_ros2_bag(tmp_path: Path, plugin: StoragePlugin) -> None:
    write_bag2(tmp_path / "bag", plugin)
    check_story(tmp_path / "bag", tmp_path / "out.mcap")


@pytest.mark.parametrize("packed", ["FILE", "MESSAGE"])
def test_a_compressed_ros2_bag(tmp_path: Path, packed: str) -> None:
    write_bag2(tmp_path / "bag", packed=packed)
    check_story(tmp_path / "bag", tmp_path / "out.mcap")


def test_a_ros2_bag_whose_recorder_died_has_no_metadata(tmp_path: Path) -> None:
    write_bag2(tmp_path / "bag")
    (tmp_path / "bag/metadata.yaml").unlink()
    check_story(tmp_path / "bag", tmp_path / "out.mcap")


def test_a_database_by_any_name(tmp_path: Path) -> None:
    write_bag2(tmp_path / "bag")
    named = tmp_path / "what is #this?%20"
    (tmp_path / "bag/bag.db3").rename(named)
    check_story(named, tmp_path / "out.mcap")


def test_a_ros1_bag_by_any_name(tmp_path: Path) -> None:
    write_bag1(tmp_path / "old.bag")
    (tmp_path / "old.bag").rename(tmp_path / "old.data")
    check_story(tmp_path / "old.data", tmp_path / "out.mcap")


def test_a_bag_without_definitions_uses_those_of_ros(tmp_path: Path) -> None:
    write_bag2(tmp_path / "bag")
    file = tmp_path / "bag/bag.db3"
    with sqlite3.connect(file) as database:
        database.execute("DELETE FROM message_definitions")
    database.close()
    report = import_log(file, tmp_path / "out.mcap")
    assert set(report.topics) == {"/scan", "/odom"}
    ((name, entry),) = report.not_mapped.items()
    assert (name, entry.count, entry.reason) == (f"/leg ({OWN_TYPE})", 3, "the bag has no definition of it")


def test_a_name_that_is_code_is_refused(tmp_path: Path) -> None:
    """rosbags makes Python of definitions: nothing but plain names may get there."""
    write_bag1(tmp_path / "old.bag")
    data = (tmp_path / "old.bag").read_bytes()
    evil = b"walker_msgs/Leg".replace(b"Leg", b"L\n(")
    (tmp_path / "old.bag").write_bytes(data.replace(b"walker_msgs/Leg", evil))
    report = import_log(tmp_path / "old.bag", tmp_path / "out.mcap")
    assert set(report.topics) == {"/scan", "/odom"}
    assert "not the name of a message type" in next(iter(report.not_mapped.values())).reason


def cloud(*names: str) -> PointCloud2:
    """Three points, with a field more than anybody asked for and two bytes of padding per row."""
    fields = [PointField(name=name, offset=4 * index) for index, name in enumerate(names)]
    step = 4 * len(names)
    rows = [np.arange(len(names), dtype="<f4") + 10 * number for number in range(3)]
    data = b"".join(row.tobytes() for row in rows) + b"\0\0"
    return PointCloud2(
        stamp_ns=3,
        frame="velodyne",
        height=1,
        width=3,
        fields=fields,
        point_step=step,
        row_step=3 * step + 2,
        data=np.frombuffer(data, np.uint8),
    )


def test_a_cloud_without_ranges_gets_them(tmp_path: Path) -> None:
    with LogWriter(tmp_path / "a.mcap", headers=False) as log:
        clouds = log.add_topic("/points", Range3d)
        log.write(clouds, encode(cloud("intensity", "x", "y", "z")), log_time_ns=1, sequence=1, stamp_ns=1)
        log.write(clouds, encode(cloud("u", "v")), log_time_ns=2, sequence=2, stamp_ns=2)
    import_log(tmp_path / "a.mcap", tmp_path / "out.mcap")
    with LogReader(tmp_path / "out.mcap") as log:
        first, second = log.events()
    points = decode(Range3d, first.payload)
    np.testing.assert_allclose(points.xyz, [[1, 2, 3], [11, 12, 13], [21, 22, 23]])
    np.testing.assert_allclose(points.ranges_m[0], np.sqrt(14), rtol=1e-6)
    assert (points.frame, first.stamp_ns) == ("velodyne", 3)
    assert decode(PointCloud2, second.payload) == cloud("u", "v"), "no points in space: as it was"


def test_what_is_not_cdr_is_carried_over_as_it_is(tmp_path: Path) -> None:
    with (tmp_path / "a.mcap").open("wb") as stream:
        writer = McapWriter(stream)
        writer.start()
        schema = writer.register_schema("Thing", "jsonschema", b"{}")
        things = writer.register_channel("/thing", "json", schema)
        text = MessageTypes.builtin().schema_text(Float64).encode()
        numbers = writer.register_channel(
            "/number", "cdr", writer.register_schema(Float64.SCHEMA_NAME, "ros2msg", text)
        )
        for time in range(1, 6):
            writer.add_message(things, time, b"{}", time)
            writer.add_message(numbers, time, encode(Float64(data=time)), time)
        writer.finish()
    report = import_log(tmp_path / "a.mcap", tmp_path / "out.mcap")
    assert report.topics["/number"].count == 5
    assert (report.topics["/thing"].count, report.topics["/thing"].source) == (5, "json with jsonschema")
    assert report.not_mapped == {}
    with LogReader(tmp_path / "out.mcap") as log:
        thing = log.topics["/thing"]
        assert (thing.encoding, thing.schema[1:]) == ("json", ("Thing", "jsonschema", b"{}"))
        assert {bytes(event.payload) for event in log.events(["/thing"])} == {b"{}"}


def test_our_own_log_keeps_all_it_knows_under_another_compression(tmp_path: Path) -> None:
    with LogWriter(tmp_path / "a.mcap") as log:
        log.add_metadata("run", {"id": "r1"})
        log.add_attachment("system.xml", b"<system/>", "text/xml")
        imu = log.add_topic("/imu", Imu)
        for number in range(1, 4):
            log.write(
                imu,
                encode(Imu(stamp_ns=9)),
                log_time_ns=number,
                sequence=number * 2,
                stamp_ns=-number,
                sent_ns=7,
                cause_topic=3,
                cause_sequence=4,
                kind=1,
                flags=8,
                origin=2,
                epoch=5,
            )
    import_log(tmp_path / "a.mcap", tmp_path / "b.mcap", compression="zstd")
    with LogReader(tmp_path / "a.mcap") as before, LogReader(tmp_path / "b.mcap") as after:
        assert list(before.events()) == list(after.events())
        assert before.metadata() == after.metadata()
        assert after.attachment("system.xml") == b"<system/>"


def test_cancelling_leaves_no_file(tmp_path: Path) -> None:
    write_bag2(tmp_path / "bag")
    with pytest.raises(LogError, match="cancelled"):
        import_log(tmp_path / "bag", tmp_path / "out.mcap", cancelled=lambda: True)
    assert not (tmp_path / "out.mcap").exists()


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="folder without a log"):
        import_log(tmp_path, tmp_path / "out.mcap")


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("originals")
    write_bag1(folder / "old.bag")
    write_bag2(folder / "sqlite")
    write_bag2(folder / "mcap", StoragePlugin.MCAP)
    files = {"ros1": "old.bag", "sqlite": "sqlite/sqlite.db3", "mcap": "mcap/mcap.mcap"}
    return {name: (folder / file).read_bytes() for name, file in files.items()}


@given(form=st.sampled_from(["ros1", "sqlite", "mcap"]), data=st.data())
def test_damaged_bags_raise_nothing_but_log_errors(
    tmp_path_factory: pytest.TempPathFactory, originals: dict[str, bytes], form: str, data: st.DataObject
) -> None:
    content = bytearray(originals[form])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(20, len(content) - 1))
        if data.draw(st.booleans()):
            content[at] = data.draw(st.integers(0, 255))
        else:
            content[at : at + 8] = data.draw(st.sampled_from([b"", b"\xff" * 8, bytes(8), b"\x7f" * 4]))
    folder = tmp_path_factory.mktemp("mutated")
    (folder / "bag").write_bytes(content)
    try:
        report = import_log(folder / "bag", folder / "out.mcap")
    except LogError:
        assert not (folder / "out.mcap").exists()
        return
    with LogReader(folder / "out.mcap") as log:
        assert log.event_count == report.event_count


class TestReadable:
    """Logs of any kind are opened without a thought: as they are, or by a copy that is kept."""

    @pytest.fixture(autouse=True)
    def _own_cache(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def test_a_bag_of_one_mcap_file_is_read_as_it_is(self, tmp_path: Path) -> None:
        write_bag2(tmp_path / "bag", StoragePlugin.MCAP)
        (file,) = (tmp_path / "bag").glob("*.mcap")
        for named in (file, tmp_path / "bag", tmp_path / "bag" / "metadata.yaml"):
            assert is_log(named) and readable_log(named) == file
        assert not (tmp_path / "cache").exists()

    @pytest.mark.parametrize("write", [write_bag2, write_bag1], ids=["ROS 2", "ROS 1"])
    def test_others_are_copied_once_and_again_when_they_have_changed(
        self, tmp_path: Path, write: Callable[[Path], None]
    ) -> None:
        bag, told = tmp_path / "drive.bag", []
        write(bag)
        kept = readable_log(bag, told=told.append)
        assert [report.output for report in told] == [kept]
        with LogReader(kept) as log:
            assert log.event_count == 9
        assert readable_log(bag, told=told.append) == kept and len(told) == 1
        os.utime(next(bag.glob("*.db3")) if bag.is_dir() else bag, (1, 1))
        newer = readable_log(bag, told=told.append)
        assert newer != kept and newer.is_file() and not kept.exists() and len(told) == 2

    def test_a_bag_in_parts_is_one_log(self, tmp_path: Path) -> None:
        write_bag2(tmp_path / "bag", StoragePlugin.MCAP)
        (file,) = (tmp_path / "bag").glob("*.mcap")
        shutil.copy(file, file.with_name("part_1.mcap"))
        with LogReader(readable_log(tmp_path / "bag")) as log:
            assert log.event_count == 18

    def test_a_copy_that_nobody_reads_is_removed_when_another_one_is_made(self, tmp_path: Path) -> None:
        bags = [tmp_path / name for name in ("unused.bag", "used.bag", "new.bag")]
        for bag in bags:
            write_bag1(bag)
        unused, used = map(readable_log, bags[:2])
        long_ago_ns = wall_ns() - 2 * UNUSED_NS
        for copy in (unused, used):
            os.utime(copy, ns=(long_ago_ns, long_ago_ns))
        assert readable_log(bags[1]) == used, "read once more"
        new = readable_log(bags[2])
        assert (unused.exists(), used.exists(), new.exists()) == (False, True, True)
        assert readable_log(bags[0]) == unused and unused.exists()

    def test_copies_take_no_more_than_their_room(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        bags = [tmp_path / name for name in ("a.bag", "b.bag", "c.bag")]
        for bag in bags:
            write_bag1(bag)
        first, second = map(readable_log, bags[:2])
        os.utime(second, ns=(wall_ns() - 10**9, wall_ns() - 10**9))
        assert readable_log(bags[0]) == first, "read again, and so the newer one"
        monkeypatch.setattr(kept_module, "MOST_BYTES", 2 * first.stat().st_size)
        third = readable_log(bags[2])
        assert (first.exists(), second.exists(), third.exists()) == (True, False, True)
        monkeypatch.setattr(kept_module, "MOST_BYTES", 1)
        assert readable_log(bags[1]) == second and second.exists(), "the one that is wanted is kept, however large"
        assert not first.exists() and not third.exists()

    def test_a_folder_that_cannot_be_read_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(_: Path) -> None:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

        (tmp_path / "bag").mkdir()
        monkeypatch.setattr(Path, "iterdir", refuse)
        for look in (is_log, readable_log):
            with pytest.raises(LogError, match=r"cannot be read: Permission denied \(check its permissions"):
                look(tmp_path / "bag")

    def test_no_place_for_a_copy_is_told(self, tmp_path: Path) -> None:
        write_bag1(tmp_path / "drive.bag")
        (tmp_path / "cache").write_text("no folder")
        with pytest.raises(LogError, match=r"the copy of the log cannot be saved: Not a directory \(free disk space"):
            readable_log(tmp_path / "drive.bag")

    def test_what_is_none_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "novel.txt").write_text("It was a dark and stormy night.\n")
        with pytest.raises(LogError, match="is not a log"):
            readable_log(tmp_path / "novel.txt")
        assert not is_log(tmp_path) and not is_log(tmp_path / "missing.mcap")


class TestFolders:
    """Files belong together where one recorder, or its successor, wrote them; others are logs of their own."""

    def test_unrelated_logs_are_never_merged(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        folder = tmp_path / "logs"
        folder.mkdir()
        for name in ("drive_0", "drive_1", "other"):  # numbered by a person: each is complete, from its own start
            write_log(folder / f"{name}.mcap", story(20))
        write_bag1(folder / "old.bag")
        assert [[file.name for file in files] for files in recordings_in(folder)] == [
            ["drive_0.mcap"], ["drive_1.mcap"], ["old.bag"], ["other.mcap"],
        ]  # fmt: skip
        for read in (readable_log, lambda path: import_log(path, tmp_path / "out.mcap")):
            with pytest.raises(LogError, match=r"holds 4 different logs \(name one of them: drive_0.mcap, drive_1"):
                read(folder)
        assert not (tmp_path / "cache").exists() and not (tmp_path / "out.mcap").exists()

    def test_a_recording_that_a_second_recorder_went_on_with_is_one(self, tmp_path: Path) -> None:
        write_log(tmp_path / "run.mcap", story(20), close=False)
        with LogReader(tmp_path / "run.mcap") as log:
            end_ns = log.end_ns
        later = [event._replace(log_time_ns=end_ns + number) for number, event in enumerate(story(20))]
        write_log(tmp_path / "run_2.mcap", later)
        write_log(tmp_path / "run_3.mcap", later)
        assert [len(files) for files in recordings_in(tmp_path)] == [2, 1]

    def test_parts_of_a_bag_without_its_list_are_one(self, tmp_path: Path) -> None:
        write_bag2(tmp_path / "bag", StoragePlugin.SQLITE3)
        (file,) = (tmp_path / "bag").glob("*.db3")
        (tmp_path / "bag" / "metadata.yaml").unlink()
        first = file.rename(file.with_name("bag_0.db3"))
        shutil.copy(first, file.with_name("bag_1.db3"))
        assert [len(files) for files in recordings_in(tmp_path / "bag")] == [2]


def scan_bag(path: Path, **values: Any) -> Path:
    store = shipped_store()
    kind = "sensor_msgs/msg/LaserScan"
    with bag2(path, StoragePlugin.SQLITE3) as writer:
        scans = writer.add_connection("/scan", kind, typestore=store)
        for number in range(1, 4):
            scan = laser_scan(store)
            for name, value in values.items():
                object.__setattr__(scan, name, value)
            writer.write(scans, number * STEP_NS, store.serialize_cdr(scan, kind))
    return path


@pytest.mark.parametrize("maximum_m", [0.0, -1.0, float("nan")])
def test_scans_without_a_maximum_keep_their_echoes(tmp_path: Path, maximum_m: float) -> None:
    """Not every driver fills it in; taken at its word it would cost every echo."""
    report = import_log(scan_bag(tmp_path / "bag", range_max=maximum_m), tmp_path / "out.mcap")
    assert report.notes == [
        "3 of 12 beams of /scan had no echo and were left out",
        "3 scans of /scan have no range_max above 0: it was ignored",
    ]
    with LogReader(tmp_path / "out.mcap") as log:
        assert decode(Range3d, log.nth("/scan", 0).payload).ranges_m.tolist() == [1.0, 50.0, 2.0]


def test_beams_that_are_left_out_are_counted_and_zeros_are_no_echoes(tmp_path: Path) -> None:
    ranges = np.array([0.0, 1.0, np.nan, 40.0], np.float32)
    report = import_log(scan_bag(tmp_path / "bag", range_min=0.0, ranges=ranges), tmp_path / "out.mcap")
    assert report.notes == ["9 of 12 beams of /scan had no echo and were left out"]


def test_scans_without_angles_are_damaged(tmp_path: Path) -> None:
    with pytest.raises(LogError) as refused:
        import_log(scan_bag(tmp_path / "bag", angle_increment=float("nan")), tmp_path / "out.mcap")
    assert "its angles are not finite numbers" in refused.value.hint
