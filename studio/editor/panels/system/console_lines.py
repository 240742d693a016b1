"""What the console holds: lines that were said, bounded, filtered and folded. No Qt: a flood must cost little."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Literal

Level = Literal["all", "info", "warning", "error"]
RANKS = {"debug": 0, "output": 1, "info": 1, "notice": 1, "warning": 2, "error": 3, "critical": 3}
LEAST: Mapping[Level, int] = {"all": 0, "info": 1, "warning": 2, "error": 3}
MOST = 20_000
"""Lines that are kept; the oldest go first."""
LONGEST, MOST_MORE = 10_000, 2_000
"""Characters of a line and lines of a message that are kept: one that is longer is a mistake, and would fill memory."""
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
"""What a program sends to a terminal to change colours or to move about; here it would be seen as letters."""
_CONTROLS = {code: chr(0x2400 + code) for code in range(32) if code != ord("\t")} | {0x7F: "\u2421"}
_PLACE = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)')


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a component or about a process; its text may have many lines."""

    time_ns: int
    component: str
    level: str
    text: str
    more: tuple[str, ...] = ()
    """Lines after the first, such as a traceback."""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Said:
        first, *more = [_line(text) for text in str(told["text"]).splitlines()[: MOST_MORE + 1]] or [""]
        return cls(int(told["time_ns"]), str(told["component"]), str(told["level"]), first, tuple(more))

    @property
    def rank(self) -> int:
        return RANKS.get(self.level, 1)

    @property
    def summary(self) -> str:
        """What the folded lines come to: a traceback ends with its error."""
        return next((line.strip() for line in reversed(self.more) if line.strip()), "")

    def contains(self, text: str) -> bool:
        return (
            text in self.component.casefold()
            or text in self.text.casefold()
            or any(text in line.casefold() for line in self.more)
        )


@dataclass(frozen=True, slots=True)
class Row:
    """A line on the screen: of `said` the first (0) or one after it."""

    said: Said
    number: int = 0

    @property
    def text(self) -> str:
        return self.said.more[self.number - 1] if self.number else self.said.text

    @property
    def place(self) -> tuple[str, int] | None:
        return place_in(self.text)


class Book:
    """Everything that was said lately, and the rows that are to be seen of it."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.said: deque[Said] = deque(maxlen=most)
        self.rows: list[Row] = []
        self.level: Level = "all"
        self.filter = ""
        self.dropped = 0
        """Rows at the front that are gone since it began, because too many came after them."""
        self._open: set[int] = set()
        """Identities of what is unfolded."""

    def add(self, told: Iterable[Mapping[str, Any]]) -> int:
        """Take more lines; how many rows that makes more at the end."""
        fresh = [Said.of(each) for each in told]
        self.said.extend(fresh)
        rows = [row for said in fresh if self.shows(said) for row in self._rows_of(said)]
        self.rows += rows
        if len(self.rows) > self.most + self.most // 4:  # not on each line: moving so many is what would cost
            self.dropped += len(self.rows) - self.most
            self.rows = self.rows[-self.most :]
        return len(rows)

    def shows(self, said: Said) -> bool:
        return said.rank >= LEAST[self.level] and (not self.filter or said.contains(self.filter))

    def show(self, level: Level, text: str) -> None:
        self.level, self.filter = level, text.casefold().strip()
        self._make_rows()

    def toggle(self, row: Row) -> None:
        """Fold or unfold what this row is the first line of."""
        if row.said.more:
            self._open ^= {id(row.said)}
            self._make_rows()

    def unfold(self, row: Row) -> None:
        if row.said.more and not self.is_open(row.said):
            self.toggle(row)

    def is_open(self, said: Said) -> bool:
        return id(said) in self._open

    def keep_at_most(self, most: int) -> None:
        self.most = most
        self.said = deque(self.said, maxlen=most)
        self._make_rows()

    def clear(self) -> None:
        self.said.clear()
        self.rows = []
        self._open.clear()

    def find(self, text: str, start: int, step: int) -> int | None:
        """The next row with `text` from `start` on, forwards or backwards, around the ends."""
        wanted, count = text.casefold().strip(), len(self.rows)
        if not wanted:
            return None
        for number in range(count):
            place = (start + step * number) % count
            row = self.rows[place]
            if row.number == 0 and row.said.contains(wanted):
                return place
        return None

    def counted(self) -> tuple[int, int]:
        """Errors and warnings among all that is kept."""
        ranks = [said.rank for said in self.said]
        return ranks.count(3), ranks.count(2)

    def _rows_of(self, said: Said) -> list[Row]:
        count = len(said.more) if self.is_open(said) else 0
        return [Row(said, number) for number in range(count + 1)]

    def _make_rows(self) -> None:
        alive = {id(said) for said in self.said}
        self._open &= alive
        shown = (said for said in self.said if self.shows(said))
        self.rows = [row for said in islice(shown, self.most) for row in self._rows_of(said)]


def _line(text: str) -> str:
    """As it can be shown: no colours of a terminal, nothing that cannot be seen, and not without an end."""
    plain = _COLOURS.sub("", text[: LONGEST * 2])[:LONGEST].translate(_CONTROLS)
    more = len(text) - LONGEST
    return f"{plain} … {more} more characters" if more > 0 else plain


def place_in(text: str) -> tuple[str, int] | None:
    """File and line that a line of a traceback names."""
    found = _PLACE.match(text)
    return (found["file"], int(found["line"])) if found else None


def time_words(time_ns: int) -> str:
    """The time of day, in milliseconds."""
    moment = datetime.fromtimestamp(time_ns / 1e9, UTC).astimezone()
    return f"{moment:%H:%M:%S}.{moment.microsecond // 1000:03d}"
