"""The telegrams of the SICK LMS 2xx: bytes in, values out. No line, no time.

STX, address, length (of command, data and status, little-endian), command, data, status (in replies), CRC. The device
answers every telegram with one byte first: ACK or NACK.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

STX, ACK, NACK = 0x02, 0x06, 0x15
FROM_DEVICE = 0x80
LONGEST = 1024
"""Of command, data and status. The largest scan has 401 values, 806 bytes; more is noise that looks like a length."""
POLYNOMIAL = 0x8005

SWITCH, SWITCHED = 0x20, 0xA0
VARIANT, VARIANT_SET = 0x3B, 0xBB
GET_CONFIGURATION, CONFIGURATION = 0x74, 0xF4
CONFIGURE, CONFIGURED = 0x77, 0xF7
SCAN = 0xB0

INSTALLATION, ALL_VALUES, ON_REQUEST, PARTIAL_SCANS = 0x00, 0x24, 0x25, 0x2A
PASSWORD = b"SICK_LMS"
BAUD_MODES = {38400: 0x40, 19200: 0x41, 9600: 0x42, 500000: 0x48}
UNITS = {"cm": 0, "mm": 1}
UNIT_AT = 6
"""Where the configuration says in which unit ranges come."""
CONFIGURATION_BYTES = 34

VARIANTS = {(180, 100): 181, (180, 50): 361, (100, 100): 101, (100, 50): 201, (100, 25): 401}
"""Angle in degrees and resolution in hundredths of one -> values per scan."""
LARGEST_VALUE = 0x1FF6
"""From 0x1FF7 on a value says why there is none: dazzled, too far, no signal."""


def checksum(data: bytes) -> int:
    """The CRC of SICK: a register of 16 bits takes in two bytes at a time, each of them twice."""
    register = before = 0
    for byte in data:
        register = ((register & 0x7FFF) << 1) ^ POLYNOMIAL if register & 0x8000 else register << 1
        register ^= before << 8 | byte
        before = byte
    return register


def telegram(body: bytes, address: int = 0) -> bytes:
    """`body` (command and data) with everything around it."""
    framed = bytes((STX, address)) + len(body).to_bytes(2, "little") + body
    return framed + checksum(framed).to_bytes(2, "little")


def switch_to(mode: int, data: bytes = b"") -> bytes:
    return telegram(bytes((SWITCH, mode)) + data)


def set_variant(angle_deg: int, resolution: int) -> bytes:
    return telegram(bytes((VARIANT,)) + angle_deg.to_bytes(2, "little") + resolution.to_bytes(2, "little"))


class Reply(NamedTuple):
    """A telegram from the device, its CRC right."""

    command: int
    data: bytes
    """Without command and status."""
    status: int

    @property
    def size(self) -> int:
        """Bytes on the line."""
        return len(self.data) + 8


class Telegrams:
    """Finds telegrams in what arrives. Damaged ones are counted and left out; noise between them is skipped."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self.checksum_errors = 0
        self.skipped = 0
        """Bytes that belonged to no telegram."""
        self.refused = 0
        """NACKs: the device did not understand."""

    def feed(self, data: bytes) -> list[Reply]:
        self._bytes += data
        found = []
        while (reply := self._next()) is not None:
            found.append(reply)
        return found

    @property
    def waiting(self) -> int:
        """Bytes after the last telegram, the beginning of the next perhaps."""
        return len(self._bytes)

    def _next(self) -> Reply | None:
        buffer = self._bytes
        while True:
            start = buffer.find(STX)
            self._skip(len(buffer) if start < 0 else start)
            if len(buffer) < 4:
                return None
            length = buffer[2] | buffer[3] << 8
            if not buffer[1] & FROM_DEVICE or not 2 <= length <= LONGEST:
                self._skip(1)
                continue
            if len(buffer) < length + 6:
                return None
            if checksum(bytes(buffer[: length + 4])) != buffer[length + 4] | buffer[length + 5] << 8:
                # The telegram may have been cut, with the next one inside: go on right behind this STX.
                self.checksum_errors += 1
                self._skip(1)
                continue
            body = bytes(buffer[4 : length + 4])
            del buffer[: length + 6]
            return Reply(body[0], body[1:-1], body[-1])

    def _skip(self, count: int) -> None:
        skipped = self._bytes[:count]
        self.refused += skipped.count(NACK)
        self.skipped += count - skipped.count(ACK) - skipped.count(NACK)
        del self._bytes[:count]


@dataclass(frozen=True)
class Scan:
    values: NDArray[np.uint16]
    unit_m: float
    partial: int | None
    """In interlaced output: by how many quarter degrees this part is shifted."""
    size: int
    """Bytes on the line."""

    def ranges_m(self) -> NDArray[np.float64]:
        """NaN where the device saw nothing."""
        ranges = self.values.astype(np.float64) * self.unit_m
        ranges[self.values > LARGEST_VALUE] = np.nan
        return ranges


def scan_of(reply: Reply) -> Scan | None:
    """The scan in a telegram; None if it is no scan, or one whose count does not fit its length."""
    if reply.command != SCAN or len(reply.data) < 2:
        return None
    count = reply.data[0] | (reply.data[1] & 0x03) << 8
    high = reply.data[1]
    if count == 0 or len(reply.data) < 2 + 2 * count:
        return None
    # The three highest bits of a value tell of fields and dazzling.
    values = (np.frombuffer(reply.data, "<u2", count, 2) & 0x1FFF).astype(np.uint16)
    partial = (high & 0x18) >> 3 if high & 0x20 else None
    return Scan(values, 0.001 if high & 0xC0 == 0x40 else 0.01, partial, reply.size)
