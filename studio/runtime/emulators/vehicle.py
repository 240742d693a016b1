"""A small car with the vehicle protocol of components/serial_vehicle, its own clock and its own time-out.

It writes down what it was told and when it stopped, by its own clock: the evidence that a dead controller stops it.
"""

from __future__ import annotations

import math
import struct
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.emulators.pty_port import Said

STATE_EVERY_NS = SECOND_NS // 50
LONGEST_VALID_MS = 250
WHEELBASE_M = 0.33
FOLLOWS_WITHIN_NS = SECOND_NS // 2
EMERGENCY, PRESSED, BUMPER, FOLLOWING, TIMED_OUT = 1, 2, 4, 8, 16


def crc16(data: bytes) -> int:
    """CRC-16/CCITT-FALSE, bit by bit."""
    value = 0xFFFF
    for byte in data:
        value ^= byte << 8
        for _ in range(8):
            value = (value << 1) ^ 0x1021 if value & 0x8000 else value << 1
        value &= 0xFFFF
    return value


def framed(kind: int, number: int, payload: bytes) -> bytes:
    body = struct.pack("<BBB", kind, number & 0xFF, len(payload)) + payload
    return b"\xa5\x5a" + body + struct.pack("<H", crc16(body))


class Noted(NamedTuple):
    """A line of the vehicle's record."""

    at_ns: int
    what: str
    """drive, stop, reset, hello."""
    speed_m_s: float = 0.0
    valid_ms: int = 0
    """As it was told, also where the vehicle takes less."""
    why: str = ""


class Vehicle:
    def __init__(self, baud: int = 115200) -> None:
        self.baud = baud
        self.record: deque[Noted] = deque(maxlen=100_000)
        self.emergency_stop = False
        self.bumper_pressed = False
        self.stuck = False
        """Its wheels do not turn, whatever it is told."""
        self.x_m = self.y_m = self.heading_rad = 0.0
        self.speed_m_s = self.steering_rad = 0.0
        self.battery_v = 12.6
        self._flags = 0
        self._wanted_m_s = 0.0
        self._until_ns = 0
        """When the drive command runs out."""
        self._stuck_since_ns: int | None = None
        self._began_ns: int | None = None
        self._now_ns = 0
        self._heard_number = 0
        self._any_number = True
        self._damaged = 0
        self._said = 0
        self._next_ns = 0
        self._bytes = bytearray()

    # Time.

    def advance(self, now_ns: int) -> None:
        """Move on to `now_ns`, and stop on the way when the command runs out: hardware does not wait for a thread."""
        if self._began_ns is None:
            self._began_ns = self._now_ns = now_ns
        if self._wanted_m_s and self._until_ns <= now_ns:
            self._move_to(max(self._now_ns, self._until_ns))
            self._flags |= TIMED_OUT
            self._stop("time-out")
        self._move_to(now_ns)
        self._protect()

    def _move_to(self, now_ns: int) -> None:
        passed_s = max(0, now_ns - self._now_ns) / SECOND_NS
        self._now_ns = max(now_ns, self._now_ns)
        self.speed_m_s = 0.0 if self.stuck else self._wanted_m_s
        self.x_m += self.speed_m_s * math.cos(self.heading_rad) * passed_s
        self.y_m += self.speed_m_s * math.sin(self.heading_rad) * passed_s
        self.heading_rad += self.speed_m_s * math.tan(self.steering_rad) / WHEELBASE_M * passed_s
        self.battery_v = max(10.0, self.battery_v - abs(self.speed_m_s) * passed_s * 1e-4)

    def _protect(self) -> None:
        """What the vehicle stops for by itself."""
        if self.bumper_pressed and not self._flags & BUMPER:
            self._flags |= BUMPER
            self._stop("bumper")
        if self.emergency_stop and self._wanted_m_s:
            self._stop("stop button")
        if self.stuck and self._wanted_m_s:
            self._stuck_since_ns = self._stuck_since_ns or self._now_ns
            if self._now_ns - self._stuck_since_ns > FOLLOWS_WITHIN_NS:
                self._flags |= FOLLOWING
                self._stop("following error")
        else:
            self._stuck_since_ns = None

    def _stop(self, why: str) -> None:
        if self._wanted_m_s:
            self.record.append(Noted(self._now_ns, "stop", why=why))
        self._wanted_m_s = self.speed_m_s = 0.0

    # What it hears.

    def hear(self, data: bytes, now_ns: int) -> Iterator[Said]:
        self.advance(now_ns)
        self._bytes += data
        while (start := self._bytes.find(b"\xa5\x5a")) >= 0:
            del self._bytes[:start]
            if len(self._bytes) < 5 or len(self._bytes) < self._bytes[4] + 7:
                if len(self._bytes) >= 5 and self._bytes[4] > 64:
                    del self._bytes[:2]
                    continue
                return
            length = self._bytes[4]
            body, told = bytes(self._bytes[2 : length + 5]), bytes(self._bytes[length + 5 : length + 7])
            if struct.pack("<H", crc16(body)) != told:
                self._damaged += 1
                del self._bytes[:2]
                continue
            del self._bytes[: length + 7]
            yield from self._obey(body[0], body[1], body[3:])

    def _obey(self, kind: int, number: int, payload: bytes) -> Iterator[Said]:
        if kind == 0x04:
            self._any_number = True
            self.record.append(Noted(self._now_ns, "hello"))
            yield framed(0x82, self._said, struct.pack("<BHHH", 1, 3000, 600, round(WHEELBASE_M * 1000)) + b"bench car")
            return
        if not self._any_number and not 1 <= (number - self._heard_number) & 0xFF < 0x80:
            return  # heard already, or older than what was heard
        self._heard_number, self._any_number = number, False
        if kind == 0x01 and len(payload) == 6:
            self._drive(*struct.unpack("<hhH", payload))
        elif kind == 0x02:
            self._stop("told to")
        elif kind == 0x03:
            self.record.append(Noted(self._now_ns, "reset"))
            if not self.bumper_pressed:
                self._flags &= ~(BUMPER | FOLLOWING)

    def _drive(self, speed_mm_s: int, steering_mrad: int, valid_ms: int) -> None:
        if self._flags & (BUMPER | FOLLOWING) or self.emergency_stop or valid_ms == 0:
            return
        self.record.append(Noted(self._now_ns, "drive", speed_mm_s / 1000.0, valid_ms))
        self._flags &= ~TIMED_OUT
        self._wanted_m_s = max(-3.0, min(3.0, speed_mm_s / 1000.0))
        self.steering_rad = max(-0.6, min(0.6, steering_mrad / 1000.0))
        self._until_ns = self._now_ns + min(valid_ms, LONGEST_VALID_MS) * 1_000_000

    # What it says by itself.

    def due_ns(self) -> int | None:
        return min(self._next_ns, self._until_ns) if self._wanted_m_s else self._next_ns

    def tick(self, now_ns: int, idle: bool) -> Iterable[Said]:
        self.advance(now_ns)
        if now_ns < self._next_ns:
            return ()
        self._next_ns = max(self._next_ns + STATE_EVERY_NS, now_ns)
        if not idle:
            return ()
        self._said += 1
        return (framed(0x81, self._said, self._state()),)

    def _state(self) -> bytes:
        flags = self._flags | (EMERGENCY if self.emergency_stop else 0) | (PRESSED if self.bumper_pressed else 0)
        uptime_ms = (self._now_ns - (self._began_ns or 0)) // 1_000_000 & 0xFFFFFFFF
        place = (round(self.x_m * 1000), round(self.y_m * 1000), round(self.heading_rad * 10_000))
        motion = (round(self.speed_m_s * 1000), round(self.steering_rad * 1000))
        battery = (round(self.battery_v * 1000), flags, self._heard_number, self._damaged & 0xFF)
        return struct.pack("<IiiihhHHBB", uptime_ms, *place, *motion, *battery)
