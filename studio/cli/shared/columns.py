"""Aligned columns and sentences for people, as wide as the terminal; nothing is broken where no terminal is."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence

NARROWEST = 24
"""The last column goes below the others where it has less room."""
BELOW = 6
MARGIN = 2
"""As `--help` has it."""
UNLIMITED = 1_000_000


def columns(rows: Sequence[Sequence[str]], indent: str = "  ") -> Iterator[str]:
    """A line for each row, or several where its last column is too long; columns that are empty take no space."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    widths = [*widths[:-1], 0] if widths else []
    for row in rows:
        before = [cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width]
        yield from _hanging(indent + "".join(f"{cell}  " for cell in before), row[-1] if row else "")


def paragraphs(text: str, indent: str = "  ") -> Iterator[str]:
    width = shutil.get_terminal_size((120, 24)).columns - MARGIN
    for place, paragraph in enumerate(text.strip().split("\n\n") if text.strip() else []):
        if place:
            yield ""
        yield from _wrap(" ".join(paragraph.split()), width, indent)


def _hanging(before: str, words: str) -> Iterator[str]:
    width = shutil.get_terminal_size((UNLIMITED, 24)).columns - MARGIN
    if not words or len(before + words) <= width:
        yield (before + words).rstrip()
        return
    is_beside = width - len(before) >= NARROWEST
    first, *others = _wrap(words, width, " " * (len(before) if is_beside else BELOW))
    if is_beside:
        yield before + first.lstrip()
    else:
        yield from (before.rstrip(), first)
    yield from others


def _wrap(words: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(
        words, width, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    ) or [indent]


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
