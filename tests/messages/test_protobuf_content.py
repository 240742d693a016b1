"""Messages in Protobuf by descriptors made by hand: their content, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorSet

from studio.messages import MessageError
from studio.messages import protobuf_content as content
from studio.messages.field_paths import numbers_in, parse_path, value_at
from studio.messages.plain_data import as_plain
from studio.messages.protobuf_content import ProtobufReader

ROBOT = "fleet.Robot"


def descriptors() -> FileDescriptorSet:
    """Two files, the one that is imported last: a robot with a pose of another package."""
    found = FileDescriptorSet()
    robot = found.file.add(name="fleet.proto", package="fleet", syntax="proto3", dependency=["pose.proto"])
    pose = found.file.add(name="pose.proto", package="geo", syntax="proto3")
    _fields(pose.message_type.add(name="Pose"), x="double", y="double")
    mode = robot.enum_type.add(name="Mode")
    for number, name in enumerate(("IDLE", "DRIVING")):
        mode.value.add(name=name, number=number)
    made = robot.message_type.add(name="Robot")
    entry = made.nested_type.add(name="CellsEntry")
    entry.options.map_entry = True
    _fields(entry, key="string", value="float")
    _fields(
        made, name="string", ticks="int64", ranges="float*", image="bytes", mode=".fleet.Mode", pose=".geo.Pose",
        goal=".geo.Pose", path=".geo.Pose*", cells=".fleet.Robot.CellsEntry*", inner=".fleet.Robot",
    )  # fmt: skip
    return found


def _fields(message: descriptor_pb2.DescriptorProto, **kinds: str) -> None:
    for number, (name, kind) in enumerate(kinds.items(), 1):
        field = message.field.add(name=name, number=number)
        field.label = FieldDescriptorProto.LABEL_REPEATED if kind[-1] == "*" else FieldDescriptorProto.LABEL_OPTIONAL
        kind = kind.rstrip("*")
        if kind[0] == ".":
            is_enum = kind == ".fleet.Mode"
            field.type = FieldDescriptorProto.TYPE_ENUM if is_enum else FieldDescriptorProto.TYPE_MESSAGE
            field.type_name = kind
        else:
            field.type = FieldDescriptorProto.Type.Value(f"TYPE_{kind.upper()}")


def robot(**fields: object) -> bytes:
    pool = descriptor_pool.DescriptorPool()
    for file in reversed(descriptors().file):
        pool.Add(file)
    return bytes(message_factory.GetMessageClass(pool.FindMessageTypeByName(ROBOT))(**fields).SerializeToString())


GIVEN = robot(
    name="carl", ticks=2**60, ranges=[1.5, math.nan, 2.5], image=b"\0\xff", mode=1, pose={"x": 3.0},
    path=[{"y": 1.0}, {"y": 2.0}], cells={"front": 4.0},
)  # fmt: skip


def reader() -> ProtobufReader:
    return ProtobufReader(ROBOT, descriptors().SerializeToString())


def test_numbers_are_numbers_and_what_was_not_sent_is_there_too() -> None:
    found = reader().content(GIVEN)
    assert found.kind == ROBOT
    ranges, image = found.pop("ranges"), found.pop("image")
    assert (ranges.dtype, image.dtype) == (np.float32, np.uint8)
    assert np.array_equal(ranges, [1.5, math.nan, 2.5], equal_nan=True) and image.tolist() == [0, 255]
    assert as_plain(found) == {
        "name": "carl", "ticks": 2**60, "mode": 1, "pose": {"x": 3.0, "y": 0.0}, "goal": None,
        "path": [{"x": 0.0, "y": 1.0}, {"x": 0.0, "y": 2.0}], "cells": {"front": 4.0}, "inner": None,
    }  # fmt: skip
    assert str(found["mode"]) == "DRIVING (1)"
    assert str(reader().content(robot(mode=7))["mode"]) == "7", "of a later version"


def test_all_its_numbers_have_a_path_for_plots() -> None:
    found = reader().content(GIVEN)
    paths = list(numbers_in(found))
    assert {"ticks", "mode", "pose.x", "cells.front", "ranges[2]"} <= set(paths)
    wanted = [value_at(found, parse_path(path)) for path in ("ticks", "path[1].y", "ranges[2]", "goal.x")]
    assert wanted == [2**60, 2.0, 2.5, None]


def _broken_sets() -> dict[str, tuple[str, bytes]]:
    alone, circle, unsound = descriptors(), descriptors(), descriptors()
    del alone.file[1]
    circle.file[1].dependency.append("fleet.proto")
    unsound.file[0].message_type[0].field[0].number = -1
    whole = descriptors().SerializeToString()
    return {
        "cut": (ROBOT, whole[:-5]),
        "no Protobuf": (ROBOT, b"\xff" * 50),
        "empty": (ROBOT, b""),
        "another message": ("fleet.Ship", whole),
        "without its import": (ROBOT, alone.SerializeToString()),
        "imports in a circle": (ROBOT, circle.SerializeToString()),
        "a field numbered -1": (ROBOT, unsound.SerializeToString()),
        "too large": (ROBOT, b"\0" * (content.LARGEST_SET + 1)),
    }


@pytest.mark.parametrize("name", _broken_sets())
def test_damaged_descriptors_are_refused_in_words(name: str) -> None:
    message, data = _broken_sets()[name]
    with pytest.raises(MessageError, match=r"descri.*in the log|larger than 4 MB"):
        ProtobufReader(message, data)


def _nested(depth: int) -> bytes:
    payload = b""
    for _ in range(depth):
        size, length = len(payload), b""
        while size > 127:
            length, size = length + bytes([size & 127 | 128]), size >> 7
        payload = b"\x52" + length + bytes([size]) + payload
    return payload


def test_damaged_deep_and_huge_messages_are_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    read = reader()
    for payload in (GIVEN[:-3], b"\xff" * 20, _nested(5000)):
        with pytest.raises(MessageError, match=r"bytes cannot be read as fleet\.Robot"):
            read.content(payload)
    assert read.content(_nested(90))["inner"]["inner"]["name"] == ""
    with pytest.raises(MessageError, match="more than 100000 values"):
        read.content(b"\x52\0" + b"\x42\0" * 40_000)
    monkeypatch.setattr(content, "LARGEST_MESSAGE", 10)
    with pytest.raises(MessageError, match="too large"):
        read.content(GIVEN)


def test_fields_may_be_called_like_methods_of_the_library_and_hold_no_text() -> None:
    found = FileDescriptorSet()
    file = found.file.add(name="odd.proto", syntax="proto2")
    _fields(file.message_type.add(name="Odd"), HasField="string", DESCRIPTOR="string", FromString="string")
    read = ProtobufReader("Odd", found.SerializeToString()).content(b"\x0a\x02\xff\xfe\x12\x01a")
    assert as_plain(read) == {"HasField": [255, 254], "DESCRIPTOR": "a", "FromString": None}


def _wide() -> ProtobufReader:
    """A list of messages of 2,000 fields each, as messages and as a group."""
    found = FileDescriptorSet()
    file = found.file.add(name="wide.proto", syntax="proto2")
    _fields(file.message_type.add(name="Wide"), **{f"f{number}": "double" for number in range(2000)})
    outer = file.message_type.add(name="Outer")
    _fields(outer, inner=".Wide*", many=".Wide*", image="bytes")
    outer.field[1].type = FieldDescriptorProto.TYPE_GROUP
    return ProtobufReader("Outer", found.SerializeToString())


def test_small_messages_that_ask_for_much_memory_are_refused_before_they_take_it() -> None:
    """40 kB would have been 640 MB, 20 MB a thousand times as much."""
    read = _wide()
    for payload in (b"\x0a\0" * 20_000, b"\x13\x14" * 20_000, b"\x0a\0" * 20_000 + b"\xff"):
        parsed: list[int] = []
        read._class = type("Parser", (), {"FromString": lambda data, parsed=parsed: parsed.append(len(data))})
        with pytest.raises(MessageError, match="too many fields"):
            read.content(payload)
        assert not parsed


def test_lists_that_are_empty_are_values_too() -> None:
    """10 kB of messages with 2,000 lists each would have been ten million lists."""
    found = FileDescriptorSet()
    file = found.file.add(name="wide.proto", syntax="proto3")
    _fields(file.message_type.add(name="Wide"), **{f"f{number}": "double*" for number in range(2000)})
    _fields(file.message_type.add(name="Outer"), inner=".Wide*")
    with pytest.raises(MessageError, match="more than 100000 values"):
        ProtobufReader("Outer", found.SerializeToString()).content(b"\x0a\0" * 60)


def test_a_large_message_is_scanned_and_read() -> None:
    read = _wide()
    image = b"\x1a\x80\x80\x40" + bytes(1 << 20)
    found = read.content(b"\x0a\x09\x09" + bytes(8) + b"\x13\x09" + bytes(8) + b"\x14" + image)
    assert (found["image"].size, found["inner"][0]["f0"], found["many"][0]["f0"]) == (1 << 20, 0.0, 0.0)
    for damaged in (image[:-1], image + b"\x14", image + b"\xff" * 12, image + b"\x0f"):
        with pytest.raises(MessageError, match="bytes cannot be read as Outer"):
            read.content(damaged)
