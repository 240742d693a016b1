"""Encode + decode of every message type, against rosbags, pickle 5, msgspec and protobuf.

Every contender starts from objects that are ready to be sent and ends with objects that are ready to be used, numpy
arrays included, with the same content. rosbags works on its own classes. pickle gets our messages, in band. msgspec
(msgpack) and protobuf carry each array as bytes, which is their fastest way by far; making those bytes of arrays and
arrays of those bytes is part of their work.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.harness import OURS, Contender, Report, installed, interleave, per_call_us
from studio.messages import (
    Bookmark,
    EventHeaders,
    Float64,
    FrameQuery,
    Handled,
    HandledTrace,
    Image,
    Imu,
    JointState,
    Joy,
    Mail,
    Map,
    Message,
    MessageTypes,
    Names,
    NavSatFix,
    Odometry,
    PoseTransform,
    Range3d,
    ServiceCall,
    String,
    Twist,
    Velocity,
    Vote,
    decode,
    encode,
)
from studio.messages.rotations import quaternion_from_rpy

DESCRIPTION = "encode + decode of every message type, against rosbags, pickle 5, msgspec and protobuf"
GOAL = 1.2
SCAN_GOAL = 0.4
INSTALL = "make bench"
MODULES = {"rosbags": "rosbags", "msgspec": "msgspec", "protobuf": "google.protobuf"}

Round = Callable[[], object]


def run(rounds: int = 7) -> Report:
    report = Report("messages", rounds)
    peers = {name: present(module) for name, module in MODULES.items()}
    for name, is_here in peers.items():
        if not is_here:
            report.missing(name, INSTALL)
    for what, message in samples().items():
        goal = SCAN_GOAL if isinstance(message, Range3d) else GOAL
        medians = interleave(contenders(message, peers), rounds)
        report.add(f"{what}: encode + decode", "us", medians, against="rosbags", goal=goal)
    return report


def present(module: str) -> bool:
    return all(installed(part) for part in (module.partition(".")[0], module))


def samples() -> dict[str, Message]:
    """One message of every type, of the size that a robot sends."""
    chance = np.random.default_rng(1)
    stamp_ns = 1_700_000_000_123_456_789
    arcs = np.linspace(-0.2, 0.2, 25)
    turn = quaternion_from_rpy(0.01, -0.02, 0.8)
    return {
        "Range3d of 361 points": Range3d.from_polar(
            chance.uniform(0.5, 30.0, 361), -np.pi / 2, np.pi / 360, stamp_ns=stamp_ns, frame="laser"
        ),
        "PoseTransform": PoseTransform.from_xyz_rpy(
            1, 2, 3, 0.1, 0.2, 0.3, stamp_ns=stamp_ns, frame="map", child_frame="base_link"
        ),
        "Map of 640 kB": Map(
            stamp_ns=stamp_ns,
            frame="map",
            resolution_m=0.25,
            plane_names=["height", "variance"],
            planes=chance.random((2, 250, 320), np.float32),
        ),
        "Vote of 25 arcs": Vote(
            stamp_ns=stamp_ns,
            frame="base_link",
            curvature_per_m=arcs,
            max_speed_m_s=arcs + 1,
            vote=arcs**2,
            confidence=arcs * 0 + 1,
            veto=arcs > 0.1,
        ),
        "HandledTrace of 50 events": HandledTrace.of(
            Handled("low_pass", "/signal/value", number, number, number + 9, (), (("/low_pass/smooth", number),))
            for number in range(50)
        ),
        "EventHeaders of 50 events": EventHeaders(**{name: np.arange(50) for name in vars(EventHeaders())}),
        "ServiceCall of 200 bytes": ServiceCall(
            caller="mapper", provider="planner", service="plan", deadline_s=1.0, data=np.zeros(200, np.uint8)
        ),
        "Bookmark": Bookmark(stamp_ns=stamp_ns, text="the dog ran by"),
        "Velocity": Velocity(stamp_ns=stamp_ns, frame="base_link", steering_angle_rad=0.2, speed_m_s=1.5),
        "Image of 640 x 480": Image.from_pixels(
            chance.integers(0, 255, (480, 640, 3), np.uint8), stamp_ns=stamp_ns, frame="camera"
        ),
        "Twist": Twist.planar(1.5, 0.2),
        "Odometry": Odometry.planar(1, 2, 0.3, 1.5, 0.2, stamp_ns=stamp_ns).replace(
            pose_covariance=chance.random((6, 6))
        ),
        "Joy": Joy(stamp_ns=stamp_ns, frame="pad", axes=chance.random(8), buttons=[0, 1] * 6),
        "NavSatFix": NavSatFix(stamp_ns=stamp_ns, frame="gps", latitude_deg=45.4, longitude_deg=-75.7, altitude_m=70.0),
        "Imu": Imu(stamp_ns=stamp_ns, frame="imu", orientation=turn, linear_acceleration=[0.1, 0.2, 9.8]),
        "JointState of 6 joints": JointState(
            stamp_ns=stamp_ns, names=[f"joint_{i}" for i in range(6)], position=range(6), velocity=[0.0] * 6
        ),
        "FrameQuery": FrameQuery(stamp_ns=stamp_ns, frame="Raptor:FrontBumperCenter", child_frame="Flea:ImagePlane"),
        "Names of 6 bodies": Names(names=[f"body_{i}" for i in range(6)]),
        "Mail of 200 bytes": Mail(to="planner", sender="mapper", type="Map", data=np.zeros(200, np.uint8)),
        "Float64": Float64(1.25),
        "String": String("the quick brown fox"),
    }


def contenders(message: Message, peers: dict[str, bool]) -> dict[str, Contender | None]:
    makers: dict[str, Callable[[Message], Round] | None] = {
        OURS: ours,
        "rosbags": rosbags if peers["rosbags"] else None,
        "pickle5": pickled,
        "msgspec": msgspec if peers["msgspec"] else None,
        "protobuf": protobuf if peers["protobuf"] else None,
    }
    return {name: timed(maker(message)) if maker else None for name, maker in makers.items()}


def timed(once: Round) -> Contender:
    return lambda: per_call_us(once)


def ours(message: Message) -> Round:
    kind = type(message)
    assert decode(kind, encode(message)) == message
    return lambda: decode(kind, encode(message))


def rosbags(message: Message) -> Round:
    from rosbags.typesys import Stores, get_types_from_msg, get_typestore

    name = message.SCHEMA_NAME
    store = get_typestore(Stores.ROS2_JAZZY)
    store.register(get_types_from_msg(MessageTypes.builtin().schema_text(type(message)), name))
    ready = store.deserialize_cdr(encode(message), name)
    assert store.serialize_cdr(ready, name) == encode(message)
    return lambda: store.deserialize_cdr(store.serialize_cdr(ready, name), name)


def pickled(message: Message) -> Round:
    assert pickle.loads(pickle.dumps(message, protocol=5)) == message
    return lambda: pickle.loads(pickle.dumps(message, protocol=5))


class Record:
    """A message taken apart for peers that know no arrays: plain values, and arrays with their type and shape."""

    def __init__(self, message: Message) -> None:
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in vars(message).items()}
        self.plain = {name: value for name, value in values.items() if not isinstance(value, np.ndarray)}
        self.arrays = {name: value for name, value in values.items() if isinstance(value, np.ndarray)}
        self._forms = [(name, value.dtype, value.shape) for name, value in self.arrays.items()]

    def values(self) -> dict[str, Any]:
        return self.plain | {name: value.tobytes() for name, value in self.arrays.items()}

    def rebuilt(self, record: Any) -> list[Any]:
        return [np.frombuffer(getattr(record, name), dtype).reshape(shape) for name, dtype, shape in self._forms]


def msgspec(message: Message) -> Round:
    import msgspec

    record = Record(message)
    kinds = [(name, list[str] if isinstance(value, list) else type(value)) for name, value in record.values().items()]
    struct = msgspec.defstruct(message.TYPE, kinds)
    encoder, decoder = msgspec.msgpack.Encoder(), msgspec.msgpack.Decoder(struct)

    def once() -> object:
        return record.rebuilt(decoder.decode(encoder.encode(struct(**record.values()))))

    once()
    return once


def protobuf(message: Message) -> Round:
    record = Record(message)
    kind = protobuf_class(message.TYPE, record.values())

    def once() -> object:
        return record.rebuilt(kind.FromString(kind(**record.values()).SerializeToString()))

    once()
    return once


def protobuf_class(name: str, values: dict[str, Any]) -> Any:
    """A protobuf class with a field for each value, made while running: no compiler is needed."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    field_type = descriptor_pb2.FieldDescriptorProto
    types = {
        bool: field_type.TYPE_BOOL,
        int: field_type.TYPE_SINT64,
        float: field_type.TYPE_DOUBLE,
        str: field_type.TYPE_STRING,
        bytes: field_type.TYPE_BYTES,
        list: field_type.TYPE_STRING,
    }
    file = descriptor_pb2.FileDescriptorProto(name=f"{name}.proto", package="bench", syntax="proto3")
    fields = file.message_type.add(name=name).field
    for number, (field, value) in enumerate(values.items(), 1):
        label = field_type.LABEL_REPEATED if isinstance(value, list) else field_type.LABEL_OPTIONAL
        fields.add(name=field, number=number, type=types[type(value)], label=label)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"bench.{name}"))
