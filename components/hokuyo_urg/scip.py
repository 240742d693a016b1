"""SCIP 2.0, the language of Hokuyo's scanners: bytes in, values out. No line, no time.

A request is one line. A reply repeats it, then comes a status line and lines of data, each with a check sum as its last
character, then an empty line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LONGEST = 16_384
"""The largest scan of the family has 1440 steps, 4.5 kB; more without an end is noise."""
OK, DATA = "00", "99"
TIME_WRAPS_AT = 1 << 24

PROBLEMS = {
    "0E": "it does not know the request",
    "01": "the first step is wrong",
    "02": "the last step is wrong",
    "03": "the cluster count is wrong",
    "04": "the last step is out of range",
    "05": "the last step is before the first",
    "06": "the interval is wrong",
    "07": "the number of scans is wrong",
    "10": "the laser is off",
}


def sum_of(text: bytes) -> int:
    """The check character: the low six bits of the sum, moved to where they can be printed."""
    return (sum(text) & 0x3F) + 0x30


def checked_line(line: bytes) -> bytes | None:
    """A line without its check character; None if that is wrong."""
    body = line[:-1]
    if body and sum_of(body) == line[-1]:
        return body
    # In a line of text a semicolon stands before the check character, and does not count.
    if body.endswith(b";") and sum_of(body[:-1]) == line[-1]:
        return body[:-1]
    return None


def problem(status: str) -> str:
    """What a status says, in words."""
    if status in PROBLEMS:
        return PROBLEMS[status]
    if status.isdigit() and 21 <= int(status) <= 49:
        return "it has stopped to look into an error"
    if status.isdigit() and 50 <= int(status) <= 97:
        return "its laser or motor is out of order"
    return f"status {status}"


def decode(text: bytes, width: int) -> NDArray[np.int64]:
    """Numbers of `width` characters of six bits each, the highest first."""
    digits = np.frombuffer(text, np.uint8, len(text) // width * width).astype(np.int64) - 0x30
    value = np.zeros(len(digits) // width, np.int64)
    for place in range(width):
        value = value << 6 | digits[place::width]
    return value


class Reply(NamedTuple):
    """An answer whose check sums are right."""

    echo: str
    status: str
    lines: tuple[bytes, ...]
    """Data, without check characters."""
    size: int
    """Bytes on the line."""


class Replies:
    """Finds replies in the bytes of the line. Damaged ones are counted and left out."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self.checksum_errors = 0
        self.skipped = 0

    def feed(self, data: bytes) -> list[Reply]:
        self._bytes += data
        found = []
        while (end := self._bytes.find(b"\n\n")) >= 0:
            block = bytes(self._bytes[:end])
            del self._bytes[: end + 2]
            reply = self._reply(block)
            if reply is not None:
                found.append(reply)
        if len(self._bytes) > LONGEST:
            self.skipped += len(self._bytes)
            self._bytes.clear()
        return found

    @property
    def waiting(self) -> int:
        return len(self._bytes)

    def _reply(self, block: bytes) -> Reply | None:
        lines = block.split(b"\n")
        while lines and not lines[0]:
            lines.pop(0)
        if len(lines) < 2:
            self.skipped += len(block)
            return None
        echo, status, *rest = lines
        checked = [checked_line(line) for line in (status, *rest)]
        bodies = [body for body in checked if body is not None]
        if len(bodies) < len(checked):
            self.checksum_errors += 1
            return None
        try:
            return Reply(echo.decode("ascii"), bodies[0].decode("ascii"), tuple(bodies[1:]), len(block) + 2)
        except UnicodeDecodeError:
            self.skipped += len(block)
            return None


def fields_of(reply: Reply) -> dict[str, str]:
    """The lines `NAME:value` of the answers to VV, PP and II."""
    texts = [line.decode("ascii", "replace").partition(":") for line in reply.lines]
    return {name: value for name, colon, value in texts if colon}


@dataclass(frozen=True)
class Model:
    """What PP tells."""

    name: str
    minimum_mm: int
    maximum_mm: int
    steps_per_turn: int
    first: int
    last: int
    front: int
    turns_per_minute: int

    @property
    def turn_s(self) -> float:
        return 60.0 / self.turns_per_minute


def model_of(reply: Reply) -> Model | None:
    """None if something is missing or makes no sense."""
    fields = fields_of(reply)
    names = ("DMIN", "DMAX", "ARES", "AMIN", "AMAX", "AFRT", "SCAN")
    try:
        numbers = [int(fields[name]) for name in names]
    except (KeyError, ValueError):
        return None
    model = Model(fields.get("MODL", "").partition("(")[0], *numbers)
    sound = 0 <= model.first <= model.last <= 4 * model.steps_per_turn and model.turns_per_minute > 0
    return model if sound and model.steps_per_turn > 0 else None


@dataclass(frozen=True)
class Request:
    """What is measured: steps, neighbours joined into one, scans left out, two or three characters per value."""

    first: int
    last: int
    cluster: int = 1
    interval: int = 0
    characters: int = 3

    @property
    def count(self) -> int:
        return (self.last - self.first) // max(1, self.cluster) + 1

    def stream(self) -> str:
        """Scans without end."""
        return f"{self._letters('M')}{self._range()}{self.interval:01d}00"

    def once(self) -> str:
        return self._letters("G") + self._range()

    def _letters(self, kind: str) -> str:
        return kind + ("D" if self.characters == 3 else "S")

    def _range(self) -> str:
        return f"{self.first:04d}{self.last:04d}{self.cluster:02d}"

    def fits(self, echo: str) -> bool:
        """Whether a reply is to this request. The echo has no check sum of its own, so it must be the same to the
        letter, but for the number of scans that are left."""
        asked = self.stream()
        return echo == self.once() or (echo[:-2] == asked[:-2] and len(echo) == len(asked) and echo[-2:].isdigit())


@dataclass(frozen=True)
class Scan:
    time_ms: int
    """The sensor's own clock; starts anew after 2^24 ms."""
    ranges_mm: NDArray[np.int64]


def scan_of(reply: Reply, request: Request) -> Scan | None:
    """The scan in a reply; None if it is another reply or has not as many values as were asked for."""
    if not request.fits(reply.echo) or not reply.lines or len(reply.lines[0]) != 4:
        return None
    if reply.status != (DATA if reply.echo.startswith("M") else OK):
        return None
    text = b"".join(reply.lines[1:])
    if len(text) != request.count * request.characters or any(not 0x30 <= byte <= 0x6F for byte in text):
        return None
    time_ms = int(decode(reply.lines[0], 4)[0])
    if not 0 <= time_ms < TIME_WRAPS_AT:
        return None
    return Scan(time_ms, decode(text, request.characters))
