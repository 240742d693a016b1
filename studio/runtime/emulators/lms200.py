"""A SICK LMS 200 in a room: the telegrams of its manual."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable, Iterator

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.emulators.pty_port import Said
from studio.runtime.emulators.room import range_m

ACK, NACK = b"\x06", b"\x15"
STATUS = 0x10
TURN_NS = SECOND_NS // 75
RATES = {0x40: 38400, 0x41: 19200, 0x42: 9600, 0x48: 500000}
VARIANTS = {(180, 100), (180, 50), (100, 100), (100, 50), (100, 25)}


def crc(data: bytes) -> int:
    value, last = 0, 0
    for byte in data:
        carry = value & 0x8000
        value = (value << 1) & 0xFFFF
        if carry:
            value ^= 0x8005
        value ^= (last << 8) + byte
        last = byte
    return value


def reply(*body: int | bytes) -> bytes:
    """A telegram from the device: command, data, and the status that ends each of them."""
    joined = b"".join(part if isinstance(part, bytes) else bytes([part]) for part in body) + bytes([STATUS])
    framed = struct.pack("<BBH", 0x02, 0x80, len(joined)) + joined
    return framed + struct.pack("<H", crc(framed))


class Lms200:
    def __init__(self, baud: int = 9600, unit: str = "cm") -> None:
        self.baud = baud
        self.angle, self.resolution = 180, 100
        self.mode = 0x25
        self.configuration = bytearray(34)
        self.configuration[2:4] = b"\x46\x00"
        self.configuration[6] = int(unit == "mm")
        self.configured = 0
        """How often its EEPROM was written."""
        self.scans_sent = 0
        self._heard = bytearray()
        self._next_ns: int | None = None
        self._turn = 0

    # What it hears.

    def hear(self, data: bytes, now_ns: int) -> Iterator[Said]:
        self._heard += data
        while len(self._heard) >= 4:
            if self._heard[0] != 0x02:
                del self._heard[0]
                continue
            length = self._heard[2] + 256 * self._heard[3]
            if length > 64:
                del self._heard[0]
                continue
            if len(self._heard) < length + 6:
                return
            framed, told = bytes(self._heard[: length + 4]), bytes(self._heard[length + 4 : length + 6])
            if struct.pack("<H", crc(framed)) != told or length == 0:
                del self._heard[0]
                yield NACK
                continue
            del self._heard[: length + 6]
            yield from self._obey(framed[4], framed[5:], now_ns)

    def _obey(self, command: int, data: bytes, now_ns: int) -> Iterator[Said]:
        match command:
            case 0x20 if data:
                yield from self._switch(data[0], data[1:], now_ns)
            case 0x31:
                yield ACK + reply(0xB1, bytes(8), struct.pack("<HH", self.angle, self.resolution))
            case 0x3B if len(data) == 4:
                variant = struct.unpack("<HH", data)
                good = variant in VARIANTS and self.mode in (0x00, 0x25)
                if good:
                    self.angle, self.resolution = variant
                yield ACK + reply(0xBB, int(good), struct.pack("<HH", self.angle, self.resolution))
            case 0x74:
                yield ACK + reply(0xF4, bytes(self.configuration))
            case 0x77:
                good = self.mode == 0x00 and len(data) == len(self.configuration)
                if good:
                    self.configuration[:] = data
                    self.configured += 1
                yield ACK + reply(0xF7, int(good), bytes(self.configuration))
            case _:
                yield NACK

    def _switch(self, mode: int, data: bytes, now_ns: int) -> Iterator[Said]:
        if mode in RATES:
            yield ACK + reply(0xA0, 0x00)
            yield lambda: self._set_baud(RATES[mode])
        elif mode == 0x00 and data != b"SICK_LMS":
            yield ACK + reply(0xA0, 0x01)
        elif mode in (0x00, 0x24, 0x25, 0x2A):
            self.mode = mode
            self._next_ns = now_ns + TURN_NS if mode in (0x24, 0x2A) else None
            yield ACK + reply(0xA0, 0x00)
        else:
            yield ACK + reply(0xA0, 0x02)

    def _set_baud(self, rate: int) -> None:
        self.baud = rate

    # What it says by itself.

    def due_ns(self) -> int | None:
        return self._next_ns

    def tick(self, now_ns: int, idle: bool) -> Iterable[Said]:
        assert self._next_ns is not None
        turns = 1 if self.mode == 0x2A else 100 // self.resolution
        self._next_ns = max(self._next_ns + turns * TURN_NS, now_ns)
        self._turn += 1
        if not idle:
            return ()  # the line is busy with the last scan
        self.scans_sent += 1
        return (self.scan_telegram(),)

    def scan_telegram(self) -> bytes:
        parts = 100 // self.resolution
        millimetres = self.configuration[6] == 1
        flags = 0x4000 if millimetres else 0
        if self.mode == 0x2A:
            index = self._turn % parts
            quarter = index * self.resolution // 25
            count, first, step = self.angle + (index == 0), quarter * 0.25, 1.0
            flags |= 0x2000 | quarter << 11
        else:
            count, first, step = self.angle * 100 // self.resolution + 1, 0.0, self.resolution / 100
        degrees = (first + step * number - self.angle / 2 for number in range(count))
        ranges = (range_m(math.radians(each)) for each in degrees)
        values = [min(0x1FFF, round(each * (1000 if millimetres else 100))) for each in ranges]
        return reply(0xB0, struct.pack("<H", count | flags), struct.pack(f"<{count}H", *values))
