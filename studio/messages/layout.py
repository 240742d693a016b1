"""What a schema says about bytes: the fields of each ROS 2 type, in order.

The types that Studio ships are written down here, so that starting a component parses nothing. The tests hold this
table against `rosbags` and against the `.msg` files beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Form = Literal["one", "array", "sequence"]


class WireField(NamedTuple):
    """One field of a schema. `size` is the length of an array or the bound of a sequence (0: none)."""

    name: str
    type: str
    form: Form = "one"
    size: int = 0
    text_bound: int = 0
    default: Any = None


class WireConstant(NamedTuple):
    name: str
    type: str
    value: Any


class Layout(NamedTuple):
    fields: tuple[WireField, ...]
    constants: tuple[WireConstant, ...] = ()


Layouts = Mapping[str, Layout]

TIME = "builtin_interfaces/msg/Time"
DURATION = "builtin_interfaces/msg/Duration"
HEADER = "std_msgs/msg/Header"


def _one(type_name: str, *names: str) -> tuple[WireField, ...]:
    return tuple(WireField(name, type_name) for name in names)


def _array(type_name: str, name: str, size: int) -> WireField:
    return WireField(name, type_name, "array", size)


def _sequences(type_name: str, *names: str) -> tuple[WireField, ...]:
    return tuple(WireField(name, type_name, "sequence") for name in names)


def _constants(type_name: str, **values: int) -> tuple[WireConstant, ...]:
    return tuple(WireConstant(name, type_name, value) for name, value in values.items())


_HEADER = _one(HEADER, "header")
_VECTOR = "geometry_msgs/msg/Vector3"

BUILTIN: dict[str, Layout] = {
    TIME: Layout((*_one("int32", "sec"), *_one("uint32", "nanosec"))),
    DURATION: Layout((*_one("int32", "sec"), *_one("uint32", "nanosec"))),
    HEADER: Layout((*_one(TIME, "stamp"), *_one("string", "frame_id"))),
    "std_msgs/msg/Float64": Layout(_one("float64", "data")),
    "std_msgs/msg/String": Layout(_one("string", "data")),
    _VECTOR: Layout(_one("float64", "x", "y", "z")),
    "geometry_msgs/msg/Point": Layout(_one("float64", "x", "y", "z")),
    "geometry_msgs/msg/Quaternion": Layout(_one("float64", "x", "y", "z", "w")),
    "geometry_msgs/msg/Pose": Layout(
        (*_one("geometry_msgs/msg/Point", "position"), *_one("geometry_msgs/msg/Quaternion", "orientation"))
    ),
    "geometry_msgs/msg/PoseWithCovariance": Layout(
        (*_one("geometry_msgs/msg/Pose", "pose"), _array("float64", "covariance", 36))
    ),
    "geometry_msgs/msg/Twist": Layout(_one(_VECTOR, "linear", "angular")),
    "geometry_msgs/msg/TwistWithCovariance": Layout(
        (*_one("geometry_msgs/msg/Twist", "twist"), _array("float64", "covariance", 36))
    ),
    "nav_msgs/msg/Odometry": Layout(
        (
            *_HEADER,
            *_one("string", "child_frame_id"),
            *_one("geometry_msgs/msg/PoseWithCovariance", "pose"),
            *_one("geometry_msgs/msg/TwistWithCovariance", "twist"),
        )
    ),
    "ackermann_msgs/msg/AckermannDrive": Layout(
        _one("float32", "steering_angle", "steering_angle_velocity", "speed", "acceleration", "jerk")
    ),
    "ackermann_msgs/msg/AckermannDriveStamped": Layout((*_HEADER, *_one("ackermann_msgs/msg/AckermannDrive", "drive"))),
    "sensor_msgs/msg/PointField": Layout(
        (*_one("string", "name"), *_one("uint32", "offset"), *_one("uint8", "datatype"), *_one("uint32", "count")),
        _constants("uint8", INT8=1, UINT8=2, INT16=3, UINT16=4, INT32=5, UINT32=6, FLOAT32=7, FLOAT64=8),
    ),
    "sensor_msgs/msg/PointCloud2": Layout(
        (
            *_HEADER,
            *_one("uint32", "height", "width"),
            *_sequences("sensor_msgs/msg/PointField", "fields"),
            *_one("bool", "is_bigendian"),
            *_one("uint32", "point_step", "row_step"),
            *_sequences("uint8", "data"),
            *_one("bool", "is_dense"),
        )
    ),
    "sensor_msgs/msg/Image": Layout(
        (
            *_HEADER,
            *_one("uint32", "height", "width"),
            *_one("string", "encoding"),
            *_one("uint8", "is_bigendian"),
            *_one("uint32", "step"),
            *_sequences("uint8", "data"),
        )
    ),
    "sensor_msgs/msg/Joy": Layout((*_HEADER, *_sequences("float32", "axes"), *_sequences("int32", "buttons"))),
    "sensor_msgs/msg/JointState": Layout(
        (*_HEADER, *_sequences("string", "name"), *_sequences("float64", "position", "velocity", "effort"))
    ),
    "sensor_msgs/msg/NavSatStatus": Layout(
        (*_one("int8", "status"), *_one("uint16", "service")),
        _constants("int8", STATUS_UNKNOWN=-2, STATUS_NO_FIX=-1, STATUS_FIX=0, STATUS_SBAS_FIX=1, STATUS_GBAS_FIX=2)
        + _constants(
            "uint16", SERVICE_UNKNOWN=0, SERVICE_GPS=1, SERVICE_GLONASS=2, SERVICE_COMPASS=4, SERVICE_GALILEO=8
        ),
    ),
    "sensor_msgs/msg/NavSatFix": Layout(
        (
            *_HEADER,
            *_one("sensor_msgs/msg/NavSatStatus", "status"),
            *_one("float64", "latitude", "longitude", "altitude"),
            _array("float64", "position_covariance", 9),
            *_one("uint8", "position_covariance_type"),
        ),
        _constants(
            "uint8",
            COVARIANCE_TYPE_UNKNOWN=0,
            COVARIANCE_TYPE_APPROXIMATED=1,
            COVARIANCE_TYPE_DIAGONAL_KNOWN=2,
            COVARIANCE_TYPE_KNOWN=3,
        ),
    ),
    "sensor_msgs/msg/Imu": Layout(
        (
            *_HEADER,
            *_one("geometry_msgs/msg/Quaternion", "orientation"),
            _array("float64", "orientation_covariance", 9),
            *_one(_VECTOR, "angular_velocity"),
            _array("float64", "angular_velocity_covariance", 9),
            *_one(_VECTOR, "linear_acceleration"),
            _array("float64", "linear_acceleration_covariance", 9),
        )
    ),
    "studio_msgs/msg/PoseTransform": Layout(
        (
            *_HEADER,
            *_one("string", "child_frame_id"),
            _array("float64", "matrix", 16),
            _array("float64", "attitude_covariance", 9),
        )
    ),
    "studio_msgs/msg/FrameQuery": Layout((*_HEADER, *_one("string", "child_frame_id"))),
    "studio_msgs/msg/Names": Layout(tuple(_sequences("string", "names"))),
    "studio_msgs/msg/Map": Layout(
        (
            *_HEADER,
            *_one("float64", "resolution_m"),
            _array("float64", "origin_m", 2),
            *_one("uint32", "rows", "columns"),
            *_sequences("string", "plane_names"),
            *_sequences("float32", "data"),
        )
    ),
    "studio_msgs/msg/EventHeaders": Layout(
        (
            *_sequences("uint64", "topic", "sequence"),
            *_sequences("int64", "sent_ns"),
            *_sequences("uint64", "cause_topic", "cause_sequence"),
            *_sequences("uint32", "epoch"),
            *_sequences("uint8", "kind", "flags", "origin"),
        )
    ),
    "studio_msgs/msg/HandledTrace": Layout(
        (
            *_sequences("string", "names"),
            *_sequences("uint32", "component", "topic"),
            *_sequences("uint64", "sequence"),
            *_sequences("int64", "start_ns", "end_ns"),
            *_sequences("uint32", "read_count", "read_topic"),
            *_sequences("uint64", "read_sequence"),
            *_sequences("uint32", "published_count", "published_topic"),
            *_sequences("uint64", "published_sequence"),
        )
    ),
    "studio_msgs/msg/ServiceCall": Layout(
        (
            *_one("string", "caller", "provider", "service"),
            *_one("float64", "deadline_s"),
            *_one("string", "error"),
            *_sequences("uint8", "data"),
        )
    ),
    "studio_msgs/msg/Bookmark": Layout((*_HEADER, *_one("string", "text"))),
    "studio_msgs/msg/Mail": Layout((*_one("string", "to", "sender", "type"), *_sequences("uint8", "data"))),
    "studio_msgs/msg/Vote": Layout(
        (
            *_HEADER,
            *_sequences("float64", "curvature_per_m", "max_speed_m_s", "vote", "confidence"),
            *_sequences("bool", "veto"),
        )
    ),
}


class Number(NamedTuple):
    """How a primitive looks in bytes: its `struct` letter, its numpy name, its size."""

    letter: str
    dtype: str
    size: int


NUMBERS: dict[str, Number] = {
    "bool": Number("?", "bool", 1),
    "byte": Number("B", "uint8", 1),
    "char": Number("B", "uint8", 1),
    "int8": Number("b", "int8", 1),
    "uint8": Number("B", "uint8", 1),
    "int16": Number("h", "int16", 2),
    "uint16": Number("H", "uint16", 2),
    "int32": Number("i", "int32", 4),
    "uint32": Number("I", "uint32", 4),
    "int64": Number("q", "int64", 8),
    "uint64": Number("Q", "uint64", 8),
    "float32": Number("f", "float32", 4),
    "float64": Number("d", "float64", 8),
}
