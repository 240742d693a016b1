"""What is selected in a terminal: from one place to another, in whole words or lines if wanted. No Qt."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from studio.editor.terminal.screen import TerminalScreen

WORD = re.compile(r"[^\s'\"`()\[\]{}<>,;]+")
"""A path with its line, a name with its scope: what one wants to take somewhere else."""
TO_THE_END = 1 << 20

By = Literal["sign", "word", "line"]


class Place(NamedTuple):
    line: int
    """By its number, which stays when more is said."""
    column: int


class Selection:
    def __init__(self, screen: TerminalScreen) -> None:
        self.screen = screen
        self._from = self._to = Place(0, 0)
        self._by: By = "sign"

    def begin(self, at: Place, by: By = "sign") -> None:
        self._from = self._to = at
        self._by = by

    def extend(self, to: Place) -> None:
        self._to = to

    def clear(self) -> None:
        self.begin(Place(0, 0))

    def take_all(self) -> None:
        self.begin(Place(self.screen.first, 0), "line")
        self.extend(Place(self.screen.end - 1, 0))

    @property
    def is_empty(self) -> bool:
        start, end = self._ends()
        return start == end

    def columns(self, line: int) -> tuple[int, int]:
        """The first one that is selected in a line, and the one after the last; the same if none is."""
        start, end = self._ends()
        if not start.line <= line <= end.line:
            return 0, 0
        return start.column if line == start.line else 0, end.column if line == end.line else TO_THE_END

    def text(self) -> str:
        start, end = self._ends()
        numbers = range(max(start.line, self.screen.first), min(end.line + 1, self.screen.end))
        lines = [self.screen.text_of(number, *self.columns(number)) for number in numbers]
        return "\n".join(lines).rstrip("\n")

    def _ends(self) -> tuple[Place, Place]:
        start, end = sorted((self._from, self._to))
        if self._by == "line":
            return Place(start.line, 0), Place(end.line, TO_THE_END)
        if self._by == "word":
            return Place(start.line, self._word(start)[0]), Place(end.line, self._word(end)[1])
        return start, end

    def _word(self, at: Place) -> tuple[int, int]:
        if not self.screen.first <= at.line < self.screen.end:
            return at.column, at.column
        for found in WORD.finditer(self.screen.text_of(at.line)):
            if found.start() <= at.column < found.end():
                return found.start(), found.end()
        return at.column, at.column + 1
