"""Names of cards as seen from farther away: as large as they can be in the room that a card has."""

from __future__ import annotations

import math
from functools import lru_cache

from PyQt6.QtCore import Qt

from studio.editor.look.fonts import metrics

LINE = 1.2
"""Height of a line, in sizes of its font."""
LEAST_LETTERS = 4
"""Of a name that does not fit, fewer tell nothing."""


@lru_cache(maxsize=4096)
def fit_title(name: str, width: int, height: int, wanted: int, least: int) -> tuple[int, tuple[str, ...]] | None:
    """The size between `wanted` and `least` at which `name` fits, and its lines: broken after underscores if need be.

    Shortened at the least size if it does not fit even there; None if too little of it would remain.
    """
    for size in range(max(wanted, least), least - 1, -1):
        rows = int(height / (size * LINE))
        lines = _lines(name, size, width)
        if rows >= len(lines) and all(_advance(line, size) <= width for line in lines):
            return size, tuple(lines)
    rows = int(height / (least * LINE))
    if rows < 1:
        return None
    lines = _lines(name, least, width)
    kept = [*lines[: rows - 1], "".join(lines[rows - 1 :])]
    short = [metrics(least, 600).elidedText(line, Qt.TextElideMode.ElideMiddle, width) for line in kept]
    return (least, tuple(short)) if min(map(len, short)) >= LEAST_LETTERS else None


def _lines(name: str, size: int, width: int) -> list[str]:
    lines = [""]
    for part in name.replace("_", "_\0").split("\0"):
        if lines[-1] and _advance(lines[-1] + part, size) > width:
            lines.append("")
        lines[-1] += part
    return lines if lines[-1] else lines[:-1]


def _advance(text: str, size: int) -> int:
    return math.ceil(metrics(size, 600).horizontalAdvance(text))
