"""The rows of a time line: streams of the log that plays, and of each log beside it below a heading. No Qt in here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from studio.editor.live.log_outline import Lane, Outline


@dataclass(frozen=True)
class Group:
    """A log beside the one that plays, moved in time."""

    path: Path
    outline: Outline | None
    """None while it is being read."""
    offset_ns: int
    shift_ns: int

    @property
    def placed(self) -> Outline | None:
        """With the times of the log that plays."""
        outline, shift_ns = self.outline, self.shift_ns
        if outline is None:
            return None
        return replace(outline, start_ns=outline.start_ns + shift_ns, end_ns=outline.end_ns + shift_ns)


class Row(NamedTuple):
    lane: Lane | None
    """None: the heading of its group."""
    group: Group | None
    """None: of the log that plays."""


def rows_of(outline: Outline | None, groups: list[Group]) -> list[Row]:
    rows = [Row(lane, None) for lane in outline.lanes] if outline is not None else []
    for group in groups:
        rows.append(Row(None, group))
        rows += [Row(lane, group) for lane in group.outline.lanes if lane.count] if group.outline is not None else []
    return rows


def extent_ns(outline: Outline, groups: list[Group]) -> tuple[int, int]:
    """From the first event of all logs to the last."""
    placed = [outline, *(each for each in (group.placed for group in groups) if each is not None)]
    return min(each.start_ns for each in placed), max(each.start_ns + each.length_ns for each in placed)
