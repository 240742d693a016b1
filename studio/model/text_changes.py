"""What saving would change in a file, by lines: `3 lines added, nothing else changed`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

Kind = Literal["same", "added", "removed", "gap"]
CONTEXT = 3
"""Lines around a change that are shown with it."""


@dataclass(frozen=True)
class Line:
    kind: Kind
    text: str
    old: int | None = None
    """Its number in the saved file, from 1 on."""
    new: int | None = None


@dataclass(frozen=True)
class TextChanges:
    lines: tuple[Line, ...]
    """All lines of the new text in order, with those that are gone before what takes their place."""

    @property
    def added(self) -> int:
        return sum(line.kind == "added" for line in self.lines)

    @property
    def removed(self) -> int:
        return sum(line.kind == "removed" for line in self.lines)

    @property
    def added_lines(self) -> list[int]:
        """Numbers in the new text."""
        return [line.new for line in self.lines if line.kind == "added" and line.new is not None]

    @property
    def words(self) -> str:
        added, removed = self.added, self.removed
        if not added and not removed:
            return "no changes"
        if not removed:
            return f"{_lines(added)} added, nothing else changed"
        if not added:
            return f"{_lines(removed)} removed, nothing else changed"
        if added == removed:
            return f"{_lines(added)} changed, nothing else changed"
        return f"{_lines(added)} added, {removed} removed, nothing else changed"

    def near(self) -> list[Line]:
        """Only the changes, with a few lines around each; a `gap` stands for what is left out."""
        changed = [place for place, line in enumerate(self.lines) if line.kind != "same"]
        kept = {near for place in changed for near in range(place - CONTEXT, place + CONTEXT + 1)}
        shown: list[Line] = []
        for place, line in enumerate(self.lines):
            if place in kept:
                shown.append(line)
            elif not shown or shown[-1].kind != "gap":
                shown.append(Line("gap", ""))
        return shown if changed else []


def text_changes(saved: bytes | None, now: bytes) -> TextChanges:
    """`saved` None: there is no such file yet."""
    before = [] if saved is None else saved.decode("utf-8", "replace").splitlines()
    after = now.decode("utf-8", "replace").splitlines()
    lines: list[Line] = []
    for kind, old, old_end, new, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            lines += [Line("same", after[new + i], old + i + 1, new + i + 1) for i in range(new_end - new)]
            continue
        lines += [Line("removed", before[i], i + 1) for i in range(old, old_end)]
        lines += [Line("added", after[i], None, i + 1) for i in range(new, new_end)]
    return TextChanges(tuple(lines))


def first_change(before: bytes, now: bytes) -> int:
    """The number of the first line of `now` that is another one than before."""
    old, new = before.splitlines(), now.splitlines()
    same = (place for place, (one, other) in enumerate(zip(old, new, strict=False), 1) if one != other)
    return next(same, max(min(len(old), len(new)), 1))


@lru_cache(maxsize=8)
def lines_now(before: bytes, now: bytes) -> Mapping[int, int]:
    """Numbers of lines, from 1 on, that both texts have; a line that was changed in its place is taken for the same."""
    old, new = (text.decode("utf-8", "replace").splitlines() for text in (before, now))
    found: dict[int, int] = {}
    for kind, first, last, place, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal" or (kind == "replace" and last - first == end - place):
            found |= {first + step + 1: place + step + 1 for step in range(last - first)}
    return found


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"
