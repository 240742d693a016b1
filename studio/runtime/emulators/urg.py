"""A Hokuyo URG-04LX in a room: SCIP 2.0 as its specification tells it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.emulators.pty_port import Said
from studio.runtime.emulators.room import range_m

TURN_NS = SECOND_NS // 10
STEPS, FIRST, LAST, FRONT = 1024, 44, 725, 384
RATES = (19200, 38400, 57600, 115200, 250000, 500000, 750000)
MODEL = "MODL:URG-04LX(Hokuyo Automatic Co.,Ltd.)"


def checked(text: str) -> str:
    """A line with its check character."""
    return text + chr(0x30 + sum(text.encode()) % 64)


def told(text: str) -> str:
    """A line of text, whose semicolon does not count."""
    return f"{text};{checked(text)[-1]}"


def encoded(value: int, width: int) -> str:
    return "".join(chr(0x30 + (value >> 6 * place & 0x3F)) for place in reversed(range(width)))


class Urg:
    def __init__(self, baud: int = 19200) -> None:
        self.baud = baud
        self.laser = False
        self.scans_sent = 0
        self._began_ns: int | None = None
        self._line = bytearray()
        self._request = ""
        """The MD or MS that it is carrying out."""
        self._left = 0
        self._skip = 0
        self._next_ns: int | None = None

    # What it hears.

    def hear(self, data: bytes, now_ns: int) -> Iterator[Said]:
        if self._began_ns is None:
            self._began_ns = now_ns
        for byte in data:
            if byte not in b"\r\n":
                self._line.append(byte)
                del self._line[:-64]
            elif self._line:
                line, self._line = self._line.decode("latin-1"), bytearray()
                yield from self._obey(line, now_ns)

    def _obey(self, line: str, now_ns: int) -> Iterator[Said]:
        match line[:2]:
            case "VV" if len(line) == 2:
                yield self._answer(line, "00", [
                    told("VEND:Hokuyo Automatic Co.,Ltd."), told("PROD:SOKUIKI Sensor URG-04LX"),
                    told("FIRM:3.1.00(18/Jan./2007)"), told("PROT:SCIP 2.0"), told("SERI:H0614967"),
                ])  # fmt: skip
            case "PP" if len(line) == 2:
                numbers = (("DMIN", 20), ("DMAX", 5600), ("ARES", STEPS), ("AMIN", FIRST), ("AMAX", LAST))
                lines = [told(MODEL), *(told(f"{name}:{value}") for name, value in numbers)]
                yield self._answer(line, "00", [*lines, told(f"AFRT:{FRONT}"), told("SCAN:600")])
            case "II" if len(line) == 2:
                yield self._answer(line, "00", [
                    told(MODEL), told(f"LASR:{'ON' if self.laser else 'OFF'}"), told("SCSP:Initial(600[rpm])"),
                    told("MESM:IDLE"), told(f"SBPS:{self.baud}[bps]"), told(f"TIME:{self._time_ms(now_ns):06X}"),
                    told("STAT:Sensor works well."),
                ])  # fmt: skip
            case "BM" if len(line) == 2:
                status, self.laser = ("02" if self.laser else "00"), True
                yield self._answer(line, status)
            case "QT" | "RS" if len(line) == 2:
                self.laser, self._next_ns = False, None
                yield self._answer(line, "00")
            case "SS" if len(line) == 8:
                yield from self._set_rate(line)
            case "MD" | "MS" | "GD" | "GS":
                yield self._start(line, now_ns)
            case _:
                yield self._answer(line, "0E")

    def _answer(self, echo: str, status: str, lines: Iterable[str] = ()) -> bytes:
        return ("\n".join([echo, checked(status), *lines]) + "\n\n").encode("latin-1")

    def _set_rate(self, line: str) -> Iterator[Said]:
        rate = int(line[2:]) if line[2:].isdigit() else 0
        if rate not in RATES:
            yield self._answer(line, "02")
        elif rate == self.baud:
            yield self._answer(line, "03")
        else:
            yield self._answer(line, "00")
            yield lambda: setattr(self, "baud", rate)

    def _start(self, line: str, now_ns: int) -> bytes:
        streams = line[0] == "M"
        numbers = line[2:]
        if len(numbers) != (13 if streams else 10) or not numbers.isdigit():
            return self._answer(line, "0E")
        first, last = int(numbers[:4]), int(numbers[4:8])
        if last > 768:
            return self._answer(line, "04")
        if last < first:
            return self._answer(line, "05")
        if not streams:
            if not self.laser:
                return self._answer(line, "10")
            return self._scan(line, "00", now_ns)
        self.laser = True
        self._request, self._skip, self._left = line, int(numbers[10]), int(numbers[11:]) or -1
        self._next_ns = now_ns + TURN_NS
        return self._answer(line, "00")

    # What it says by itself.

    def due_ns(self) -> int | None:
        return self._next_ns

    def tick(self, now_ns: int, idle: bool) -> Iterable[Said]:
        assert self._next_ns is not None
        self._next_ns = max(self._next_ns + (1 + self._skip) * TURN_NS, now_ns)
        if not idle:
            return ()
        if self._left > 0:
            self._left -= 1
            if self._left == 0:
                self._next_ns = None
        echo = self._request[:-2] + f"{max(0, self._left):02d}"
        return (self._scan(echo, "99", now_ns),)

    def _scan(self, echo: str, status: str, now_ns: int) -> bytes:
        self.scans_sent += 1
        first, last, cluster = int(echo[2:6]), int(echo[6:10]), max(1, int(echo[10:12]))
        width = 3 if echo[1] == "D" else 2
        largest = 4095 if width == 2 else 5600
        values = [
            min(self._millimetres(step, largest) for step in range(joined, min(joined + cluster, last + 1)))
            for joined in range(first, last + 1, cluster)
        ]
        text = "".join(encoded(value, width) for value in values)
        blocks = [checked(text[start : start + 64]) for start in range(0, len(text), 64)]
        return self._answer(echo, status, [checked(encoded(self._time_ms(now_ns), 4)), *blocks])

    def _millimetres(self, step: int, largest: int) -> int:
        if not FIRST <= step <= LAST:
            return 0
        return min(largest, round(1000 * range_m((step - FRONT) * 2 * math.pi / STEPS)))

    def _time_ms(self, now_ns: int) -> int:
        return (now_ns - (self._began_ns or now_ns)) // 1_000_000 & 0xFFFFFF
