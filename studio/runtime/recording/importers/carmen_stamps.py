"""Times for the lines of a CARMEN log, whose stamps may be missing, repeat, go backwards or be garbage.

The order of the file is kept: log times never decrease. A message's stamp is what its line says, unless that cannot be.
"""

from __future__ import annotations

from collections.abc import Iterator

from studio.runtime.base.clock import SECOND_NS
from studio.runtime.recording.importers.carmen_clock import LATEST_STAMP_S, ClockChoice, is_stamp

BELIEVED_BACK_NS = 10 * SECOND_NS
BELIEVED_AHEAD_NS = 3600 * SECOND_NS
"""Stamps further from their neighbours are garbage, unless the next line says the same."""


class Stamper:
    """Asked for the times of one line after the other; `notes` tells what was decided."""

    def __init__(self, choice: ClockChoice, spacing_s: float) -> None:
        self._choice = choice
        self._spacing_ns = max(1, round(spacing_s * SECOND_NS))
        self._latest_ns = nanoseconds(choice.first_s) if choice.clock != "none" else 0
        self._last_of: dict[bytes, int] = {}
        self._offset_ns = 0
        self._doubtful_ns: int | None = None
        self._missing = self._echoes = self._repeated = self._backwards = self._garbage = 0
        self._farthest_back_ns = 0
        self._restarts: list[int] = []
        self._jumps: list[int] = []

    def times_of(self, kind: bytes, stamps: tuple[float, float], line: int, *, echo: bool) -> tuple[int, int]:
        """The stamp and the log time of a line in nanoseconds."""
        if self._choice.clock == "none":
            self._latest_ns += 0 if echo else self._spacing_ns
            return self._latest_ns, self._latest_ns
        seconds = stamps[0] if self._choice.clock == "sender" else stamps[1]
        stamp_ns = self._own_stamp(seconds, line, echo)
        stamp_ns = self._latest_ns if stamp_ns is None else self._lifted(kind, stamp_ns)
        self._last_of[kind] = stamp_ns
        self._latest_ns = max(self._latest_ns, stamp_ns)
        return stamp_ns, self._latest_ns

    def _own_stamp(self, seconds: float, line: int, echo: bool) -> int | None:
        if echo:
            self._echoes += 1
            return None
        if not is_stamp(seconds):
            self._missing += 1
            return None
        return self._believed(nanoseconds(seconds) + self._offset_ns, line)

    def _believed(self, stamp_ns: int, line: int) -> int | None:
        step_ns = stamp_ns - self._latest_ns
        if -BELIEVED_BACK_NS <= step_ns <= BELIEVED_AHEAD_NS:
            self._doubtful_ns = None
            return stamp_ns
        if self._doubtful_ns is None or abs(stamp_ns - self._doubtful_ns) > BELIEVED_BACK_NS:
            self._doubtful_ns = stamp_ns
            self._garbage += 1
            return None
        return self._confirmed(stamp_ns, line)

    def _confirmed(self, stamp_ns: int, line: int) -> int:
        """Two lines agree on a time far away: the clock was set, or the log was put together from several."""
        self._doubtful_ns = None
        self._garbage -= 1
        if stamp_ns < self._latest_ns or stamp_ns > LATEST_STAMP_S * SECOND_NS:
            self._offset_ns += self._latest_ns - stamp_ns
            self._restarts.append(line)
            return self._latest_ns
        self._jumps.append(line)
        return stamp_ns

    def _lifted(self, kind: bytes, stamp_ns: int) -> int:
        last_ns = self._last_of.get(kind, -1)
        if stamp_ns == last_ns:
            self._repeated += 1
        if stamp_ns < last_ns:
            self._backwards += 1
            self._farthest_back_ns = max(self._farthest_back_ns, last_ns - stamp_ns)
        return max(stamp_ns, last_ns)

    def notes(self) -> Iterator[str]:
        yield from self._choice.notes
        if self._choice.clock == "none":
            why = "" if self._choice.notes else "no line has a stamp: "
            yield f"{why}messages were spaced evenly, {self._spacing_ns / SECOND_NS:g} s apart"
            return
        if self._choice.clock == "logger":
            why = "" if self._choice.notes else "the senders gave no stamps: "
            yield f"{why}the logger's stamps were used"
        if self._echoes:
            yield (
                f"{self._echoes} ODOM lines repeat the pose of the scan before them, as programs that correct logs"
                " write them: they got the stamp of the scan"
            )
        if self._missing:
            yield f"{self._missing} lines without a stamp got the stamp of the previous line"
        if self._garbage:
            yield f"{self._garbage} stamps were far from those around them: their lines got the previous time"
        if self._backwards:
            yield (
                f"{self._backwards} stamps went backwards, by up to {self._farthest_back_ns / SECOND_NS:.3g} s:"
                " they were raised to the latest stamp of their kind of line"
            )
        if self._repeated:
            yield f"{self._repeated} stamps repeat the previous one of the same kind of line: not changed"
        if self._restarts:
            yield f"time starts again at line {_listed(self._restarts)}: it continues from the previous time"
        if self._jumps:
            yield f"time jumps ahead by more than an hour at line {_listed(self._jumps)}: not changed"


def nanoseconds(seconds: float) -> int:
    """By way of microseconds: these are what CARMEN writes, and more digits than a float of today's date has."""
    return round(seconds * 1e6) * 1000


def _listed(lines: list[int]) -> str:
    more = f" and {len(lines) - 5} more" if len(lines) > 5 else ""
    return ", ".join(map(str, lines[:5])) + more
