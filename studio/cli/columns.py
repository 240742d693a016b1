"""Aligned columns for people."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence


def columns(rows: Sequence[Sequence[str]], indent: str = "  ") -> Iterator[str]:
    """One line per row; columns that are empty everywhere take no space."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width]
        yield (indent + "  ".join(cells)).rstrip()


def wrapped(title: str, words: Iterable[str]) -> Iterator[str]:
    """`title: one, two, three`, broken between the words where the terminal ends; names are never cut."""
    line, width = f"{title}:", shutil.get_terminal_size((120, 24)).columns
    words = list(words)
    for place, word in enumerate(words):
        piece = word if place == len(words) - 1 else f"{word},"
        if len(line) + 1 + len(piece) > width and line.strip() != f"{title}:":
            yield line
            line = " "
        line = f"{line} {piece}"
    yield line
