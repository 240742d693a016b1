"""Damaged and hostile bytes: one kind of error, and no memory by a length that nobody checked."""

from __future__ import annotations

import random
import struct
import tracemalloc

import numpy as np
import pytest

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
    MessageError,
    Names,
    NavSatFix,
    Odometry,
    PointCloud2,
    PointField,
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
from tests.messages.strategies import SHIPPED

COLUMN = [0.5, 1.5, 2.5]
SAMPLES: list[Message] = [
    Float64(1.5),
    String("some text"),
    Twist([1, 2, 3], [4, 5, 6]),
    Velocity(frame="base", speed_m_s=2.0),
    Odometry.planar(1.0, 2.0, 0.5),
    PoseTransform.from_xyz_rpy(1, 2, 3, frame="map", child_frame="base"),
    Imu(frame="imu"),
    NavSatFix(frame="gps", latitude_deg=45.0),
    Joy(frame="pad", axes=[0.5, -1.0], buttons=[1, 0, 1]),
    JointState(frame="arm", names=["elbow", "wrist"], position=[1.0, 2.0], effort=[3.0, 4.0]),
    Image.from_pixels(np.arange(24, dtype=np.uint8).reshape(2, 4, 3), frame="camera"),
    Map(frame="map", planes=np.ones((2, 3, 4), np.float32), plane_names=["height", "count"]),
    Vote(curvature_per_m=COLUMN, max_speed_m_s=COLUMN, vote=COLUMN, confidence=COLUMN, veto=[True, False, True]),
    EventHeaders(**{name: [1, 2] for name in vars(EventHeaders())}),
    HandledTrace.of([Handled("map", "/laser", 7, 10, 20, (("/pose", 3),), (("/map", 1), ("/cost", 1)))]),
    Bookmark(stamp_ns=5, text="the dog ran by"),
    FrameQuery(frame="Raptor:Front", child_frame="Flea:ImagePlane"),
    Names(names=["Raptor", "Flea"]),
    Mail(to="planner", sender="mapper", type="Float64", data=[0, 1, 0, 0, 7]),
    ServiceCall(caller="mapper", provider="planner", service="plan", error="no way", data=[1, 2, 3]),
    Range3d.from_polar([1.0, 2.0, 3.0], -0.5, 0.5, frame="laser"),
    PointCloud2(frame="laser", height=1, width=0, fields=(PointField(name="x"), PointField(name="y", offset=4))),
]
every_sample = pytest.mark.parametrize("message", SAMPLES, ids=lambda message: message.TYPE)


def test_there_is_a_sample_of_every_type() -> None:
    assert {type(message) for message in SAMPLES} >= set(SHIPPED)


@every_sample
def test_every_truncation_is_refused(message: Message) -> None:
    data = encode(message)
    for length in range(len(data)):
        with pytest.raises(MessageError):
            decode(type(message), data[:length])


@pytest.mark.parametrize("mutations", [10_000, pytest.param(1_000_000, marks=pytest.mark.soak)])
def test_mutated_bytes_give_a_message_or_our_error(mutations: int) -> None:
    chance = random.Random(20240229)
    originals = [(type(message), encode(message)) for message in SAMPLES]
    outcomes = {"message": 0, "refused": 0}
    for _ in range(mutations):
        kind, data = chance.choice(originals)
        try:
            encode(decode(kind, mutated(data, chance)))
            outcomes["message"] += 1
        except MessageError:
            outcomes["refused"] += 1
    assert min(outcomes.values()) > mutations // 10


def mutated(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(changed))
        action = chance.randrange(6)
        if action == 0:
            changed[at] ^= 1 << chance.randrange(8)
        elif action == 1:
            changed[at] = chance.randrange(256)
        elif action == 2:
            del changed[at : at + chance.randint(1, 8)]
        elif action == 3:
            changed[at:at] = chance.randbytes(chance.randint(1, 8))
        elif action == 4:
            changed[at : at + 4] = chance.choice([b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"\0\0\0\0"])
        else:
            changed[1] = 0
        if len(changed) < 2:
            break
    return bytes(changed)


@every_sample
@pytest.mark.parametrize("claimed", [0xFFFFFFFF, 0x7FFFFFFF, 0x40000000, 0x10000000, 1_000_000])
@pytest.mark.parametrize("order", ["<", ">"])
def test_a_hostile_length_costs_no_memory(message: Message, claimed: int, order: str) -> None:
    """Every aligned word, one after the other, claims to be enormous; some of them are lengths."""
    data = encode(message)
    tracemalloc.start()
    try:
        for at in range(4, len(data) - 3, 4):
            hostile = bytearray(data)
            hostile[1] = order == "<"
            struct.pack_into(order + "I", hostile, at, claimed)
            try:
                decode(type(message), hostile)
            except MessageError:
                continue
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2_000_000
