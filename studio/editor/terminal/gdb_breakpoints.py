"""The breakpoints that were set in the sources of a program, as commands for its gdb. No Qt."""

from __future__ import annotations

from pathlib import Path

from studio.editor.code.breakpoint_book import Breakpoint, BreakpointBook


class GdbBreakpoints:
    def __init__(self, book: BreakpointBook, folder: Path) -> None:
        self._book, self._folder = book, folder.resolve()
        self._given: dict[str, str] = {}
        """What gdb has been told: the place of each, and its condition."""

    def commands(self) -> list[str]:
        """What gdb has to be told now, so that it has those of the book; the same is not said twice."""
        wanted = self._wanted()
        gone = [place for place, condition in self._given.items() if wanted.get(place) != condition]
        new = [place for place in wanted if self._given.get(place) != wanted[place]]
        self._given = wanted
        conditions = {place: f" if {wanted[place]}" if wanted[place] else "" for place in new}
        return [*(f"unbreak {place}" for place in gone), *(f"break {place}{conditions[place]}" for place in new)]

    def has(self, point: Breakpoint) -> bool:
        """Whether gdb was told of it, as it is now."""
        return self._given.get(_place(point)) == point.condition

    def _wanted(self) -> dict[str, str]:
        """Log points are for Python: they do not stop. Counts are set in gdb itself (`ignore`)."""
        if self._book.muted:
            return {}
        points = [point for point in self._book.all() if point.enabled and not point.log]
        return {_place(point): point.condition for point in points if Path(point.file).is_relative_to(self._folder)}


def _place(point: Breakpoint) -> str:
    return f'-source "{point.file}" -line {point.line}'
