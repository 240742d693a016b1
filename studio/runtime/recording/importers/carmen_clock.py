"""Which of a CARMEN log's two stamps are times: the sender's, the logger's, or neither."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Clock = Literal["sender", "logger", "none"]

LATEST_STAMP_S = float((1 << 31) - 1)
"""Seconds in the headers of ROS 2 have 32 bits."""
_ENOUGH_STAMPS = 0.1
"""A smaller share of lines with stamps is not a clock but garbage in a log without one."""
_MANY_LINES = 10
"""So many lines with one stamp, on average, and the next one far away: the stamps were rounded."""
_FAR_S = 5.0
"""Programs that print six digits make 10,000 s of the time since 1970, and 10 s of that since a robot was switched on a
week ago. Whole seconds can still be used."""


def is_stamp(seconds: float) -> bool:
    return 0.0 < seconds <= LATEST_STAMP_S


class Stamps:
    """Those of one clock, line by line."""

    def __init__(self) -> None:
        self.first_s = 0.0
        self.count = 0
        self._last_s = 0.0
        self._beyond = 0
        self._beyond_s = 0.0
        self._changes = 0
        self._least_step_s = float("inf")

    def add(self, seconds: float) -> None:
        if not is_stamp(seconds):
            if seconds > LATEST_STAMP_S:
                self._beyond, self._beyond_s = self._beyond + 1, seconds
            return
        self.count += 1
        self.first_s = self.first_s or seconds
        if self._last_s and seconds != self._last_s:
            self._changes += 1
            self._least_step_s = min(self._least_step_s, abs(seconds - self._last_s))
        self._last_s = seconds

    def beyond(self, lines: int) -> str:
        """That they cannot be seconds, in words; empty if that is not so of many."""
        return "" if self._beyond <= _ENOUGH_STAMPS * lines else f"e.g. {self._beyond_s:.10g}"

    @property
    def rounded(self) -> str:
        """Why these are no times, in words; empty if they are."""
        if self.count < _MANY_LINES * (self._changes + 1) or self._least_step_s < _FAR_S:
            return ""
        if not self._changes:
            return f"all {self.count} are {self._last_s:.10g}"
        return f"{self.count} change only {self._changes} times, by {self._least_step_s:g} s or more"


@dataclass(frozen=True)
class ClockChoice:
    clock: Clock = "none"
    first_s: float = 0.0
    notes: tuple[str, ...] = ()


def choose_clock(stamps: dict[Clock, Stamps], lines: int) -> ClockChoice:
    notes: list[str] = []
    for clock, found in stamps.items():
        if found.count <= _ENOUGH_STAMPS * lines:
            if example := found.beyond(lines):
                notes.append(f"the {clock}'s stamps are not times in seconds: {example}")
            continue
        if not found.rounded:
            return ClockChoice(clock, found.first_s, tuple(notes))
        notes.append(f"the {clock}'s stamps are rounded, so they are not used as times: {found.rounded}")
    return ClockChoice("none", 0.0, tuple(notes))
