"""Bags of ROS 1 become logs that readers of ROS 2 take: their names, their types, their bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mcap.writer import Writer as McapWriter
from rosbags.rosbag1 import Writer as Bag1Writer
from rosbags.typesys import Stores, get_typestore

from studio.runtime.recording import LogReader
from studio.runtime.recording.importers import import_log
from tests.runtime.recording.importers.ros2_reader import parse, read_back
from tests.runtime.recording.importers.test_bags import write_bag1, write_bag2

ODD = """\
string GREETING=hello "world" # and more
bool YES=True
float32 HALF=0.5
Header header
float64[9] KMatrix
uint8 frameID
uint8 FrameId
uint8 class__of_
time[] whenSeen
Nothing nothing
Nothing[2] moreOfIt
uint16 after
================================================================================
MSG: std_msgs/Header
uint32 seq
time stamp
string frame_id
================================================================================
MSG: my_Robot/Nothing
uint8 only_a_constant=3
"""


def bag1(path: Path, topic: str, kind: str, text: str, *messages: bytes) -> Path:
    """A ROS 1 bag of one topic, with the name and the definition as given."""
    with Bag1Writer(path) as writer:
        known = writer.add_connection(topic, kind.replace("/", "/msg/"), msgdef=text, md5sum="0" * 32)
        for number, data in enumerate(messages):
            writer.write(known, (number + 1) * 10**8, data)
    return path


def noetic(kind: str) -> tuple[Any, str]:
    store = get_typestore(Stores.ROS1_NOETIC)
    return store, store.generate_msgdef(kind)[0]


def test_camera_info_has_the_names_of_ros_2(tmp_path: Path) -> None:
    kind = "sensor_msgs/msg/CameraInfo"
    store, text = noetic(kind)
    types = store.types
    header = types["std_msgs/msg/Header"](7, types["builtin_interfaces/msg/Time"](5, 6), "camera")
    region = types["sensor_msgs/msg/RegionOfInterest"](1, 2, 3, 4, True)
    numbers = [[float(number) for number in range(count)] for count in (5, 9, 9, 12)]
    info = types[kind](header, 480, 640, "plumb_bob", *map(np.array, numbers), 1, 1, region)
    bag = bag1(tmp_path / "a.bag", "/info", "sensor_msgs/CameraInfo", text, bytes(store.serialize_ros1(info, kind)))
    assert not import_log(bag, tmp_path / "out.mcap").damages
    (found,) = read_back(tmp_path / "out.mcap")["/info"]
    assert [found[name] for name in "dkrp"] == numbers
    assert (found["header"]["frame_id"], found["header"]["stamp"]) == ("camera", {"sec": 5, "nanosec": 6})
    assert found["roi"]["do_rectify"] is True


def test_tf_of_old_bags_is_that_of_tf2(tmp_path: Path) -> None:
    store, parts = noetic("geometry_msgs/msg/TransformStamped")
    text = f"geometry_msgs/TransformStamped[] transforms\n{'=' * 80}\nMSG: geometry_msgs/TransformStamped\n{parts}"
    types = store.types
    header = types["std_msgs/msg/Header"](7, types["builtin_interfaces/msg/Time"](5, 6), "odom")
    pose = types["geometry_msgs/msg/Transform"](
        types["geometry_msgs/msg/Vector3"](1.0, 2.0, 3.0), types["geometry_msgs/msg/Quaternion"](0.0, 0.0, 0.0, 1.0)
    )
    frame = types["geometry_msgs/msg/TransformStamped"](header, "base", pose)
    data = b"\1\0\0\0" + bytes(store.serialize_ros1(frame, "geometry_msgs/msg/TransformStamped"))
    report = import_log(bag1(tmp_path / "a.bag", "/tf", "tf/tfMessage", text, data), tmp_path / "out.mcap")
    assert (report.topics["/tf"].type, report.topics["/tf"].source) == ("tf2_msgs/msg/TFMessage", "tf/msg/tfMessage")
    with LogReader(tmp_path / "out.mcap") as log:
        assert log.topics["/tf"].schema.name == "tf2_msgs/msg/TFMessage"
    (found,) = read_back(tmp_path / "out.mcap")["/tf"]
    assert found["transforms"][0]["transform"]["translation"] == {"x": 1.0, "y": 2.0, "z": 3.0}


def test_a_message_without_fields_has_the_byte_of_ros_2(tmp_path: Path) -> None:
    bag = bag1(tmp_path / "a.bag", "/ping", "std_msgs/Empty", "", b"", b"")
    import_log(bag, tmp_path / "out.mcap")
    with LogReader(tmp_path / "out.mcap") as log:
        assert {bytes(event.payload) for event in log.events()} == {b"\0\1\0\0\0"}
    assert read_back(tmp_path / "out.mcap")["/ping"] == [{"structure_needs_at_least_one_member": 0}] * 2


def test_any_name_becomes_one_of_ros_2(tmp_path: Path) -> None:
    data = bytes([1, 0, 0, 0, 5, 0, 0, 0, 6, 0, 0, 0, 1, 0, 0, 0]) + b"m" + bytes(72) + bytes([1, 2, 3])
    data += bytes([1, 0, 0, 0, 9, 0, 0, 0, 8, 0, 0, 0]) + bytes([4, 0])
    bag = bag1(tmp_path / "a.bag", "/odd", "my_Robot/odd_thing", ODD, data)
    report = import_log(bag, tmp_path / "out.mcap")
    assert report.topics["/odd"].type == "my_robot/msg/OddThing", report
    (found,) = read_back(tmp_path / "out.mcap")["/odd"]
    names = ["header", "k_matrix", "frame_id", "frame_id_2", "class_of", "when_seen", "nothing", "more_of_it", "after"]
    assert list(found) == names
    assert (found["frame_id"], found["frame_id_2"], found["class_of"], found["after"]) == (1, 2, 3, 4)
    assert found["when_seen"] == [{"sec": 9, "nanosec": 8}]


@pytest.mark.parametrize("write", [write_bag1, write_bag2], ids=["ROS 1", "ROS 2"])
def test_whole_bags_are_read_back(tmp_path: Path, write: Any) -> None:
    write(tmp_path / "bag")
    import_log(tmp_path / "bag", tmp_path / "out.mcap")
    assert {topic: len(found) for topic, found in read_back(tmp_path / "out.mcap").items()} == {
        "/scan": 3, "/odom": 3, "/leg": 3,
    }  # fmt: skip


def test_ros_1_in_mcap_becomes_ros_2(tmp_path: Path) -> None:
    """What `mcap convert` makes of a ROS 1 bag."""
    with (tmp_path / "a.mcap").open("wb") as stream:
        writer = McapWriter(stream)
        writer.start("ros1")
        schema = writer.register_schema("std_msgs/String", "ros1msg", b"string data")
        words = writer.register_channel("/word", "ros1", schema)
        writer.add_message(words, 1, b"\2\0\0\0ab", 1)
        writer.add_message(words, 2, b"\xff\0\0\0ab", 2)
        writer.finish()
    report = import_log(tmp_path / "a.mcap", tmp_path / "out.mcap")
    assert (report.topics["/word"].type, report.topics["/word"].count, report.damage_count) == ("String", 1, 1)
    assert read_back(tmp_path / "out.mcap") == {"/word": [{"data": "ab"}]}


def test_two_types_that_would_get_one_name_are_not_mixed_up(tmp_path: Path) -> None:
    text = "Leg_state a\nLegState b\n" + "=" * 80 + "\nMSG: walker/Leg_state\nuint8 x\n" + "=" * 80
    bag = bag1(tmp_path / "a.bag", "/legs", "walker/Legs", text + "\nMSG: walker/LegState\nuint16 y\n", b"\1\2\0")
    import_log(bag, tmp_path / "out.mcap")
    assert read_back(tmp_path / "out.mcap")["/legs"] == [{"a": {"x": 1}, "b": {"y": 2}}]


def test_the_check_of_names_is_strict() -> None:
    """The reader of these tests would notice names of ROS 1."""
    for text in ("float64 D", "uint8 a__b", "uint8 a_", "uint8 lower=1", "walker/leg a", "uint8 a\nuint8 a"):
        with pytest.raises(AssertionError):
            parse("a/msg/B", text)
