"""The bytes of Range3d: a PointCloud2 whose description of its fields is always the same, so it is a constant here.

Clouds of other makers are read too, at a slower pace, as long as they have float32 fields x, y, z and range.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studio.messages.binding import Stamp, Text
from studio.messages.codec import Codec, View, codec_of, register_codec
from studio.messages.errors import MessageError
from studio.messages.fields import Array, ObjectsRule, array, ruled
from studio.messages.message import Message, message
from studio.messages.range3d import Range3d

FLOAT32 = 7
POINT_BYTES = 16
COLUMNS = ("x", "y", "z", "range")


@message
class PointField(Message):
    TYPE = "PointField"
    SCHEMA_NAME = "sensor_msgs/msg/PointField"

    name: str = ""
    offset: int = 0
    datatype: int = FLOAT32
    count: int = 1


@message
class PointCloud2(Message):
    """Any cloud, as it is on the wire."""

    TYPE = "PointCloud2"
    SCHEMA_NAME = "sensor_msgs/msg/PointCloud2"

    stamp_ns: int = 0
    frame: str = ""
    height: int = 0
    width: int = 0
    fields: tuple[PointField, ...] = ruled(ObjectsRule(PointField), ())
    is_bigendian: bool = False
    point_step: int = 0
    row_step: int = 0
    data: Array[np.uint8] = array(np.uint8, -1)
    is_dense: bool = True


def _description() -> bytes:
    """From the count of fields to point_step. Nothing in it is larger than four bytes, so it is the same everywhere."""
    text = struct.pack("<I", len(COLUMNS))
    for index, name in enumerate(COLUMNS):
        data = name.encode() + b"\0"
        text += struct.pack("<I", len(data)) + data + bytes(-len(data) % 4)
        text += struct.pack("<IB3xI", 4 * index, FLOAT32, 1)
    return text + struct.pack("<?3xI", False, POINT_BYTES)


DESCRIPTION = _description()
_CLOUD = struct.Struct(f"<II{len(DESCRIPTION)}sII")
"""height, width, the description, row_step, the count of data bytes: all between the frame's name and the data."""
_FLOAT32 = np.dtype(np.float32)
_ZEROS = tuple(bytes(size) for size in range(8))
_pack_head = struct.Struct("<IiII").pack
_unpack_head = struct.Struct("<iII").unpack_from
_pack_cloud, _unpack_cloud = _CLOUD.pack, _CLOUD.unpack_from
_new, _set_attribute = object.__new__, object.__setattr__


def encode_range3d(m: Range3d) -> bytes:
    points = m.points
    frame = m.frame.encode()
    length = len(frame) + 1
    seconds, rest = divmod(m.stamp_ns, 1_000_000_000)
    size = points.nbytes
    return b"".join(
        (
            _pack_head(0x100, seconds, rest, length),
            frame,
            _ZEROS[(-length & 3) + 1],
            _pack_cloud(1, len(points), DESCRIPTION, size, size),
            points,
            b"\1" if m.is_dense else b"\0",
        )
    )


def decode_range3d(body: Any, size: int, view: View) -> Range3d:
    seconds, rest, length = _unpack_head(body, 0)
    end = 12 + length
    start = (end + 3) & -4
    data_at = start + _CLOUD.size
    if data_at > size:
        return from_cloud(codec_of(PointCloud2).decode(body, size, view))
    height, width, description, row_step, count = _unpack_cloud(body, start)
    data_end = data_at + count
    ours = (
        description == DESCRIPTION
        and row_step == width * POINT_BYTES
        and count == row_step * height
        and 0 < size - data_end <= 4
        and not body[end - 1]
        and length
    )
    if not ours:
        return from_cloud(codec_of(PointCloud2).decode(body, size, view))
    made = _new(Range3d)
    values = {
        "stamp_ns": seconds * 1_000_000_000 + rest,
        "frame": str(body[12 : end - 1], "utf-8"),
        "points": view(body, _FLOAT32, count >> 2, data_at).reshape(-1, 4),
        "is_dense": body[data_end] != 0,
    }
    _set_attribute(made, "__dict__", values)
    return made


def decode_range3d_big_endian(body: Any, size: int, view: View) -> Range3d:
    return from_cloud(codec_of(PointCloud2).decode_big_endian(body, size, view))


def from_cloud(cloud: PointCloud2) -> Range3d:
    """The points of any cloud that has our four fields, wherever they lie in it."""
    offsets = {field.name: field.offset for field in cloud.fields if _is_float(field)}
    missing = [name for name in COLUMNS if name not in offsets]
    if missing:
        found = ", ".join(field.name for field in cloud.fields) or "none"
        raise MessageError(f"the cloud has no float32 field {', '.join(missing)}; its fields are: {found}")
    _check_steps(cloud, max(offsets[name] for name in COLUMNS) + 4)
    points = np.empty((cloud.height * cloud.width, 4), np.float32)
    for column, name in enumerate(COLUMNS):
        points[:, column] = _column(cloud, offsets[name]).reshape(-1)
    return Range3d(stamp_ns=cloud.stamp_ns, frame=cloud.frame, points=points, is_dense=cloud.is_dense)


def _is_float(field: PointField) -> bool:
    return field.datatype == FLOAT32 and field.count in (0, 1)


def _check_steps(cloud: PointCloud2, reach: int) -> None:
    """The sizes that a cloud claims have to fit the bytes that are there, before anything is made of those sizes."""
    fits = cloud.point_step >= reach and cloud.row_step >= cloud.width * cloud.point_step
    if cloud.height * cloud.width and not (fits and len(cloud.data) >= cloud.height * cloud.row_step):
        raise MessageError(
            f"a cloud of {cloud.height} x {cloud.width} points of {cloud.point_step} bytes in rows of "
            f"{cloud.row_step} does not fit its {len(cloud.data)} bytes of data"
        )


def _column(cloud: PointCloud2, offset: int) -> NDArray[Any]:
    dtype = np.dtype(">f4" if cloud.is_bigendian else "<f4")
    shape, strides = (cloud.height, cloud.width), (cloud.row_step, cloud.point_step)
    if not cloud.height * cloud.width:
        return np.zeros(0, dtype)
    return np.ndarray(shape, dtype, cloud.data, offset, strides)


_VARIABLE = (Stamp("stamp_ns"), Text("frame", 0))
register_codec(Range3d, Codec(encode_range3d, decode_range3d, decode_range3d_big_endian, _VARIABLE))
