"""The vehicle protocol, version 1 (README.md): bytes in, values out. No line, no time."""

from __future__ import annotations

import struct
from binascii import crc_hqx
from dataclasses import dataclass
from enum import IntFlag
from typing import NamedTuple

SYNC = b"\xa5\x5a"
LONGEST = 64
"""Of a payload."""

DRIVE, HALT, RESET, HELLO = 0x01, 0x02, 0x03, 0x04
STATE, IDENTITY = 0x81, 0x82

_DRIVE = struct.Struct("<hhH")
_STATE = struct.Struct("<IiiihhHHBB")
_IDENTITY = struct.Struct("<BHHH")
DRIVE_BYTES = _DRIVE.size + 7


class Flags(IntFlag):
    EMERGENCY_STOP = 1
    """The stop button on the vehicle is pressed."""
    BUMPER_PRESSED = 2
    BUMPER = 4
    """Latched."""
    FOLLOWING_ERROR = 8
    """Latched: the wheels did not do what they were told."""
    TIMED_OUT = 16
    """The last drive command has run out."""


def frame(kind: int, sequence: int, payload: bytes = b"") -> bytes:
    body = bytes((kind, sequence & 0xFF, len(payload))) + payload
    return SYNC + body + crc_hqx(body, 0xFFFF).to_bytes(2, "little")


def drive(sequence: int, speed_m_s: float, steering_rad: float, valid_ms: int) -> bytes:
    payload = _DRIVE.pack(_short(speed_m_s * 1000.0), _short(steering_rad * 1000.0), max(0, min(0xFFFF, valid_ms)))
    return frame(DRIVE, sequence, payload)


def _short(value: float) -> int:
    return max(-0x7FFF, min(0x7FFF, round(value)))


class Frame(NamedTuple):
    """A frame whose check sum is right."""

    kind: int
    sequence: int
    payload: bytes

    @property
    def size(self) -> int:
        return len(self.payload) + 7


class Frames:
    """Finds frames in what arrives. Damaged ones are counted and left out."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self.checksum_errors = 0
        self.skipped = 0

    def feed(self, data: bytes) -> list[Frame]:
        self._bytes += data
        found = []
        while (one := self._next()) is not None:
            found.append(one)
        return found

    def _next(self) -> Frame | None:
        buffer = self._bytes
        while True:
            start = buffer.find(SYNC)
            if start < 0:
                keep = 1 if buffer[-1:] == SYNC[:1] else 0
                self._skip(len(buffer) - keep)
                return None
            self._skip(start)
            if len(buffer) < 5:
                return None
            length = buffer[4]
            if length > LONGEST:
                self._skip(2)
                continue
            if len(buffer) < length + 7:
                return None
            body = bytes(buffer[2 : length + 5])
            if crc_hqx(body, 0xFFFF) != buffer[length + 5] | buffer[length + 6] << 8:
                self.checksum_errors += 1
                self._skip(2)
                continue
            del buffer[: length + 7]
            return Frame(body[0], body[1], body[3:])

    def _skip(self, count: int) -> None:
        self.skipped += count
        del self._bytes[:count]


@dataclass(frozen=True)
class State:
    uptime_ms: int
    x_m: float
    y_m: float
    heading_rad: float
    speed_m_s: float
    steering_rad: float
    battery_v: float
    flags: Flags
    heard: int
    """Sequence of the last command that the vehicle took."""
    damaged: int
    """How many frames it found damaged, modulo 256."""


@dataclass(frozen=True)
class Identity:
    protocol: int
    top_speed_m_s: float
    most_steering_rad: float
    wheelbase_m: float
    name: str


def state_of(one: Frame) -> State | None:
    if one.kind != STATE or len(one.payload) != _STATE.size:
        return None
    uptime, x, y, heading, speed, steering, battery, flags, heard, damaged = _STATE.unpack(one.payload)
    return State(
        uptime, x / 1000.0, y / 1000.0, heading / 10_000.0, speed / 1000.0, steering / 1000.0, battery / 1000.0,
        Flags(flags & 0x1F), heard, damaged,
    )  # fmt: skip


def identity_of(one: Frame) -> Identity | None:
    if one.kind != IDENTITY or len(one.payload) < _IDENTITY.size:
        return None
    protocol, top, steering, wheelbase = _IDENTITY.unpack_from(one.payload)
    name = one.payload[_IDENTITY.size :].decode("utf-8", "replace")
    return Identity(protocol, top / 1000.0, steering / 1000.0, wheelbase / 1000.0, name)
