"""What becomes of a message of another system: copied as it is, or made into the type that Studio has for it."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from studio.messages import MessageError, MessageTypes, PointCloud2, Range3d, decode, encode
from studio.runtime.base.clock import SECOND_NS
from studio.runtime.recording.format.mcap_records import Schema
from studio.runtime.recording.importers.laser_scan import LASER_SCAN, LaserScans
from studio.runtime.recording.importers.output import Output
from studio.runtime.recording.importers.packed import plain
from studio.runtime.recording.importers.services import as_message

CDR_SCHEMAS = ("ros2msg", "ros2idl")
Convert = Callable[[Any], bytes | memoryview]
_FLOAT32 = 7


class Route(NamedTuple):
    """The way of one topic into the new log."""

    topic: str
    to_cdr: Convert
    convert: Convert
    """From CDR."""
    has_header: bool

    def stamp_of(self, payload: bytes | memoryview, otherwise_ns: int) -> int:
        """The stamp in the header of a CDR message; some senders leave it at zero."""
        if not self.has_header or len(payload) < 12:
            return otherwise_ns
        seconds, rest_ns = struct.unpack_from("<iI" if payload[1] & 1 else ">iI", payload, 4)
        return int(seconds * SECOND_NS + rest_ns) or otherwise_ns


def open_route(output: Output, topic: str, schema: Schema, found: str = "", to_cdr: Convert = plain) -> Route:
    """`found`: how the message is called where it comes from, if that is not its schema's name."""
    source = found or schema.name
    schema = as_message(schema)
    has_header = starts_with_header(schema.data.decode("utf-8", "replace"))
    if schema.name == LASER_SCAN:
        output.add_topic(topic, Range3d, source)
        scans = output.scans.setdefault(topic, LaserScans(topic))
        return Route(topic, to_cdr, scans.convert, has_header)
    kind = MessageTypes.builtin().find_schema(schema.name)
    output.add_channel(topic, schema, kind.TYPE if kind else schema.name, source)
    return Route(topic, to_cdr, range3d_of_cloud if kind is Range3d else as_it_is, has_header)


def carry_over(output: Output, topic: str, schema: Schema, encoding: str) -> Route:
    """For messages that are not of ROS: a log has room for any, with their own schema and in their own encoding."""
    words = " with ".join(filter(None, (encoding, schema.encoding))) or "of an unknown encoding"
    output.add_channel(topic, schema, schema.name or encoding, words, encoding=encoding)
    return Route(topic, as_it_is, as_it_is, has_header=False)


def starts_with_header(text: str) -> bool:
    for line in text.splitlines():
        words = line.partition("#")[0].split()
        if words:
            return words[0] in ("std_msgs/Header", "std_msgs/msg/Header", "Header")
    return False


def as_it_is(payload: bytes | memoryview) -> bytes | memoryview:
    return payload


def range3d_of_cloud(payload: bytes | memoryview) -> bytes | memoryview:
    """Clouds of others usually lack the range, which Range3d has: it is the distance from the sensor."""
    try:
        decode(Range3d, payload)
        return payload
    except MessageError:
        cloud = decode(PointCloud2, payload)
    try:
        xyz = _xyz(cloud)
    except (ValueError, TypeError, KeyError):
        return payload  # not of points in space; whoever knows it can still read it
    return encode(Range3d.from_xyz(xyz, stamp_ns=cloud.stamp_ns, frame=cloud.frame))


def _xyz(cloud: PointCloud2) -> Any:
    order = ">" if cloud.is_bigendian else "<"
    offsets = {field.name: field.offset for field in cloud.fields if field.datatype == _FLOAT32}
    names = ["x", "y", "z"]
    point = np.dtype(
        {
            "names": names,
            "formats": [f"{order}f4"] * 3,
            "offsets": [offsets[name] for name in names],
            "itemsize": cloud.point_step,
        }
    )
    row = cloud.width * cloud.point_step
    if row > cloud.row_step or cloud.row_step * cloud.height > len(cloud.data):
        raise ValueError("the cloud is shorter than its header says")
    rows = cloud.data[: cloud.row_step * cloud.height].reshape(cloud.height, cloud.row_step)[:, :row]
    points = np.ascontiguousarray(rows).reshape(-1).view(point)
    return np.column_stack([points[name] for name in names])
