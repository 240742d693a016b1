"""A satellite receiver that is carried round a circle: NMEA 0183."""

from __future__ import annotations

import math
from collections.abc import Iterable

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.emulators.pty_port import Said

LATITUDE_DEG, LONGITUDE_DEG = 50.0875, 14.4213
RADIUS_M, TURN_S = 20.0, 60.0
METRES_PER_DEG = 111_320.0
MEAN_SEA_LEVEL_M, GEOID_M = 190.0, 44.0
SPEED_M_S = 2 * math.pi * RADIUS_M / TURN_S


def sentence(body: str) -> bytes:
    told = 0
    for character in body.encode():
        told ^= character
    return f"${body}*{told:02X}\r\n".encode()


def degrees_minutes(degrees: float, width: int) -> str:
    whole = int(abs(degrees))
    return f"{whole:0{width}d}{(abs(degrees) - whole) * 60:08.5f}"


class Gps:
    def __init__(self, baud: int = 9600, rate_hz: float = 2.0) -> None:
        self.baud = baud
        self.quality = 1
        """Of the fix; 0 while it is lost."""
        self.hdop, self.vdop = 1.2, 1.9
        self.fixes_sent = 0
        self._period_ns = int(SECOND_NS / rate_hz)
        self._next_ns = 0
        self._measured = 0

    def hear(self, data: bytes, now_ns: int) -> Iterable[Said]:
        return ()

    def due_ns(self) -> int | None:
        return self._next_ns

    def tick(self, now_ns: int, idle: bool) -> Iterable[Said]:
        self._next_ns = max(self._next_ns + self._period_ns, now_ns)
        time_s = self._measured * self._period_ns / SECOND_NS
        self._measured += 1
        if not idle:
            return ()
        self.fixes_sent += 1
        return tuple(sentence(body) for body in self._bodies(time_s))

    def _bodies(self, time_s: float) -> list[str]:
        hour, rest = divmod(time_s % 86_400, 3600)
        clock = f"{int(hour):02d}{int(rest // 60):02d}{rest % 60:05.2f}"
        if self.quality == 0:
            return [f"GPGGA,{clock},,,,,0,00,,,M,,M,,", f"GPRMC,{clock},V,,,,,,,160326,,,N"]
        angle = 2 * math.pi * time_s / TURN_S
        latitude = LATITUDE_DEG + RADIUS_M * math.cos(angle) / METRES_PER_DEG
        longitude = LONGITUDE_DEG + RADIUS_M * math.sin(angle) / METRES_PER_DEG / math.cos(math.radians(LATITUDE_DEG))
        where = f"{degrees_minutes(latitude, 2)},N,{degrees_minutes(longitude, 3)},E"
        course, knots = math.degrees(angle + math.pi / 2) % 360, SPEED_M_S * 3600 / 1852
        return [
            f"GPGGA,{clock},{where},{self.quality},08,{self.hdop},{MEAN_SEA_LEVEL_M},M,{GEOID_M},M,,",
            f"GPGSA,A,3,04,05,09,12,24,25,29,31,,,,,{math.hypot(self.hdop, self.vdop):.1f},{self.hdop},{self.vdop}",
            f"GPRMC,{clock},A,{where},{knots:.3f},{course:.2f},160326,,,A",
            f"GPVTG,{course:.2f},T,,M,{knots:.3f},N,{SPEED_M_S * 3.6:.3f},K,A",
        ]
