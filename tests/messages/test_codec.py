from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.messages import (
    Float64,
    Image,
    Imu,
    Joy,
    Map,
    Message,
    MessageError,
    Odometry,
    Range3d,
    String,
    Twist,
    Vote,
    decode,
    encode,
)
from studio.messages.codec import encode_in_pieces
from tests.messages.strategies import SHIPPED, messages_of, rosbags_bytes, shipped_store

every_type = pytest.mark.parametrize("kind", SHIPPED, ids=lambda kind: kind.TYPE)
few = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@every_type
@few
@given(data=st.data())
def test_bytes_equal_those_of_rosbags_and_come_back_equal(kind: type[Message], data: Any) -> None:
    message = data.draw(messages_of(kind))
    encoded = encode(message)
    assert encoded == rosbags_bytes(shipped_store(), message)
    assert decode(kind, encoded) == message
    pieces = encode_in_pieces(message)
    room = np.empty(len(pieces), np.uint8)
    pieces.copy_to(room)
    assert room.tobytes() == pieces.joined() == encoded


@every_type
@few
@given(data=st.data())
def test_big_endian_bytes_are_understood(kind: type[Message], data: Any) -> None:
    message = data.draw(messages_of(kind))
    swapped = rosbags_bytes(shipped_store(), message, little_endian=False)
    if kind is not Range3d:  # rosbags calls the data of a cloud bytes, so nothing of it is swapped
        assert decode(kind, swapped) == message
    arrays = [value for value in vars(decode(kind, swapped)).values() if isinstance(value, np.ndarray)]
    assert all(array.dtype.isnative and not array.flags.writeable for array in arrays)


@every_type
def test_default_messages_travel(kind: type[Message]) -> None:
    assert decode(kind, encode(kind())) == kind()


@every_type
@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview, lambda data: memoryview(bytearray(data))])
def test_any_buffer_is_taken(kind: type[Message], wrap: Any) -> None:
    assert decode(kind, wrap(encode(kind()))) == kind()


def test_up_to_three_bytes_of_padding_at_the_end_are_fine() -> None:
    data = encode(String("abc"))
    assert decode(String, data + b"\0\0\0") == String("abc")
    with pytest.raises(MessageError, match="4 bytes are left over"):
        decode(String, data + b"\0\0\0\0")


@pytest.mark.parametrize("start", [b"", b"\0", b"\0\1", b"\0\1\0", b"\0\7\0\0aaaaaaaa", b"abcdefgh"])
def test_what_is_not_plain_cdr_is_refused(start: bytes) -> None:
    with pytest.raises(MessageError, match="not a Float64"):
        decode(Float64, start)


def test_decoding_something_that_is_no_buffer_is_our_error() -> None:
    with pytest.raises(MessageError):
        decode(Float64, "text")  # type: ignore[arg-type]
    with pytest.raises(MessageError):
        decode(Float64, None)  # type: ignore[arg-type]
    with pytest.raises(MessageError, match="needs a message, got int"):
        encode(3)  # type: ignore[arg-type]
    for no_type in (int, Message, "Twist"):
        with pytest.raises(MessageError, match="needs a message"):
            decode(no_type, b"")  # type: ignore[type-var, arg-type]


@pytest.mark.parametrize(
    ("message", "field"),
    [
        (Image(height=-1), "height"),
        (Image(is_bigendian=256), "is_bigendian"),
        (Joy(stamp_ns=2**31 * 10**9), "stamp_ns"),
        (String("\ud800"), "data"),
        (Range3d(stamp_ns=2**80), "stamp_ns"),
        (Range3d(frame="\ud800"), "frame"),
    ],
)
def test_what_does_not_fit_its_wire_type_is_named(message: Message, field: str) -> None:
    for encoding in (encode, encode_in_pieces):
        with pytest.raises(MessageError, match=f"{type(message).__name__}.{field} cannot be sent"):
            encoding(message)


@every_type
@few
@given(data=st.data())
def test_delivered_arrays_are_read_only_and_aligned(kind: type[Message], data: Any) -> None:
    message = decode(kind, bytearray(encode(data.draw(messages_of(kind)))))
    for value in vars(message).values():
        if isinstance(value, np.ndarray):
            assert value.flags.aligned
            assert value.flags.c_contiguous
            assert not value.flags.writeable
            with pytest.raises(ValueError, match="read-only"):
                value[...] = 0


def large_map() -> Map:
    planes = np.arange(2 * 100 * 100, dtype=np.float32).reshape(2, 100, 100)
    return Map(frame="map", planes=planes, plane_names=["height", "count"])


def test_a_large_array_is_a_view_into_the_bytes() -> None:
    data = encode(large_map())
    planes = decode(Map, data).planes
    assert np.shares_memory(planes, np.frombuffer(data, np.uint8))
    assert np.array_equal(planes, large_map().planes)


def test_a_large_array_in_writable_memory_is_a_view_that_cannot_be_written() -> None:
    data = bytearray(encode(large_map()))
    planes = decode(Map, data).planes
    assert np.shares_memory(planes, np.frombuffer(data, np.uint8))
    assert not planes.flags.writeable


def test_large_numbers_that_lie_badly_are_copied() -> None:
    data = encode(large_map())
    shifted = memoryview(b"x" + data)[1:]
    planes = decode(Map, shifted).planes
    assert planes.flags.aligned
    assert not planes.flags.writeable
    assert np.array_equal(planes, large_map().planes)


def test_doubles_of_a_frame_that_starts_at_4_modulo_8_are_not_copied() -> None:
    column = np.arange(3000, dtype=np.float64)
    vote = Vote(curvature_per_m=column, max_speed_m_s=column, vote=column, confidence=column, veto=column > 5)
    frame = memoryview(b"head" + encode(vote))
    assert np.frombuffer(frame, np.uint8).ctypes.data % 8 == 0
    arrived = decode(Vote, frame[4:])
    assert np.shares_memory(arrived.confidence, np.frombuffer(frame, np.uint8))
    assert arrived == vote


def test_a_small_message_does_not_change_with_the_buffer_it_came_in() -> None:
    data = bytearray(encode(Twist([1, 2, 3])))
    twist = decode(Twist, data)
    data[:] = bytes(len(data))
    assert twist == Twist([1, 2, 3])


def test_bools_other_than_0_and_1_are_refused() -> None:
    vote = Vote(curvature_per_m=[0.0], max_speed_m_s=[1.0], vote=[1.0], confidence=[1.0], veto=[True])
    data = encode(vote)
    with pytest.raises(MessageError, match="neither 0 nor 1"):
        decode(Vote, data[:-1] + b"\2")


def test_columns_of_different_length_are_refused_on_arrival() -> None:
    arrived = bytearray(encode(Vote()))
    arrived[-4] = 1
    with pytest.raises(MessageError, match="veto 1"):
        decode(Vote, bytes(arrived) + b"\1")


def test_text_that_is_not_utf8_is_refused() -> None:
    data = encode(String("abc")).replace(b"abc", b"\xff\xfe\xfd")
    with pytest.raises(MessageError, match="not a String"):
        decode(String, data)


def test_an_unnormalised_time_is_read_as_the_time_it_means() -> None:
    data = bytearray(encode(Imu(stamp_ns=5)))
    data[8:12] = (1_500_000_000).to_bytes(4, "little")
    assert decode(Imu, data).stamp_ns == 1_500_000_000


def test_messages_keep_nanoseconds_before_1970() -> None:
    assert decode(Odometry, encode(Odometry(stamp_ns=-1))).stamp_ns == -1
