"""Aligned columns for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def columns(rows: Sequence[Sequence[str]], indent: str = "  ") -> Iterator[str]:
    """One line per row; columns that are empty everywhere take no space."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True) if width]
        yield (indent + "  ".join(cells)).rstrip()
