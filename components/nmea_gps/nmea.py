"""Sentences of NMEA 0183: bytes in, values out. No line, no time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import NamedTuple

LONGEST = 120
"""The standard says 82 characters; receivers with many digits write a few more."""
KNOT_M_S = 1852.0 / 3600.0


def checksum(body: bytes) -> int:
    """Exclusive or of everything between $ and *."""
    return reduce(xor, body, 0)


class Sentence(NamedTuple):
    """A sentence whose check sum is right."""

    kind: str
    """Without the talker: GGA for GPGGA and GNGGA."""
    fields: tuple[str, ...]
    size: int


class Sentences:
    """Finds sentences in what arrives. What is damaged or has no check sum is counted and left out."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self.checksum_errors = 0
        self.skipped = 0

    def feed(self, data: bytes) -> list[Sentence]:
        self._bytes += data
        found = []
        while (end := self._bytes.find(b"\n")) >= 0:
            line = bytes(self._bytes[:end])
            del self._bytes[: end + 1]
            sentence = self._sentence(line)
            if sentence is not None:
                found.append(sentence)
        if len(self._bytes) > LONGEST:
            self.skipped += len(self._bytes)
            self._bytes.clear()
        return found

    @property
    def waiting(self) -> int:
        return len(self._bytes)

    def _sentence(self, line: bytes) -> Sentence | None:
        start = line.rfind(b"$")  # a cut sentence may stand before this one
        text = line[start:].rstrip(b"\r")
        body, star, told = text[1:].partition(b"*")
        if start < 0 or not star or len(told) != 2 or len(text) > LONGEST:
            self.skipped += len(line) + 1
            return None
        try:
            wrong = checksum(body) != int(told, 16)
            name, *fields = body.decode("ascii").split(",")
        except (ValueError, UnicodeDecodeError):
            wrong, name, fields = True, "", []
        if wrong:
            self.checksum_errors += 1
            return None
        self.skipped += max(0, start)
        return Sentence(name[-3:], tuple(fields), len(text) + 2)


@dataclass(frozen=True)
class Position:
    """GGA: where, and how well."""

    time_s: float | None
    """Seconds of the day, UTC."""
    latitude_deg: float
    longitude_deg: float
    quality: int
    """0 none, 1 alone, 2 differential, 4 RTK fixed, 5 RTK float, 6 dead reckoning, 8 simulated."""
    satellites: int
    hdop: float
    altitude_m: float
    """Above the ellipsoid."""


@dataclass(frozen=True)
class Course:
    """RMC or VTG: where to, over ground."""

    valid: bool
    speed_m_s: float
    course_rad: float
    """From north to east."""
    time_s: float | None = None


@dataclass(frozen=True)
class Dilution:
    """GSA: how the satellites stand to each other."""

    fix: int
    """1 none, 2 without altitude, 3 with."""
    pdop: float
    hdop: float
    vdop: float


@dataclass(frozen=True)
class Heading:
    """HDT: where the vehicle looks, from receivers with two antennas and from gyro compasses."""

    heading_rad: float
    """From north to east."""


Value = Position | Course | Dilution | Heading


def value_of(sentence: Sentence) -> Value | None:
    """What a sentence tells; None for other kinds and for fields that make no sense."""
    reader = _READERS.get(sentence.kind)
    try:
        return reader(sentence.fields) if reader is not None else None
    except (ValueError, IndexError):
        return None


def _position(fields: Sequence[str]) -> Position | None:
    quality = int(fields[5] or 0)
    if quality == 0:
        return Position(_time(fields[0]), 0.0, 0.0, 0, int(fields[6] or 0), math.inf, 0.0)
    height_m = _number(fields[8]) if fields[8] else 0.0
    geoid_m = _number(fields[10]) if fields[10] else 0.0
    return Position(
        _time(fields[0]),
        _angle(fields[1], fields[2], "NS", 90.0),
        _angle(fields[3], fields[4], "EW", 180.0),
        quality,
        int(fields[6] or 0),
        _number(fields[7]) if fields[7] else math.inf,
        height_m + geoid_m,
    )


def _recommended(fields: Sequence[str]) -> Course | None:
    if fields[1] != "A":
        return Course(False, 0.0, 0.0, _time(fields[0]))
    speed = _number(fields[6]) * KNOT_M_S if fields[6] else 0.0
    return Course(True, speed, math.radians(_number(fields[7])) if fields[7] else 0.0, _time(fields[0]))


def _track(fields: Sequence[str]) -> Course | None:
    valid = len(fields) < 9 or fields[8] != "N"
    if not fields[4] and not fields[6]:
        return Course(False, 0.0, 0.0)
    speed_m_s = _number(fields[6]) / 3.6 if fields[6] else _number(fields[4]) * KNOT_M_S
    return Course(valid, speed_m_s, math.radians(_number(fields[0])) if fields[0] else 0.0)


def _dilution(fields: Sequence[str]) -> Dilution | None:
    pdop, hdop, vdop = (_number(text) if text else math.inf for text in fields[14:17])
    return Dilution(int(fields[1]), pdop, hdop, vdop)


def _heading(fields: Sequence[str]) -> Heading | None:
    return Heading(math.radians(_number(fields[0]))) if fields[0] else None


_READERS: dict[str, Callable[[Sequence[str]], Value | None]] = {
    "GGA": _position,
    "RMC": _recommended,
    "VTG": _track,
    "GSA": _dilution,
    "HDT": _heading,
}


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _time(text: str) -> float | None:
    if not text:
        return None
    seconds = int(text[:2]) * 3600 + int(text[2:4]) * 60 + _number(text[4:])
    if not 0 <= seconds < 86_401:
        raise ValueError(text)
    return seconds


def _angle(text: str, side: str, sides: str, largest_deg: float) -> float:
    """`ddmm.mmm` in degrees, negative on the second of the two sides."""
    point = text.index(".") if "." in text else len(text)
    degrees = int(text[: point - 2]) + _number(text[point - 2 :]) / 60.0
    if side not in sides or not side or not 0.0 <= degrees <= largest_deg:
        raise ValueError(text)
    return -degrees if side == sides[1] else degrees
