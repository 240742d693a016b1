"""Where the next byte of a message goes, as far as that is known when its codec is made.

CDR aligns a number of n bytes to n bytes from the start of the body. Before the first string or list every position is
a plain number; after it, positions are an expression plus a number, and only what the expression is a multiple of is
known.
"""

from __future__ import annotations

from typing import NamedTuple


class Position(NamedTuple):
    """`base + offset`, where the value of the expression `base` is a multiple of `multiple`."""

    base: str = ""
    offset: int = 0
    multiple: int = 8

    def __str__(self) -> str:
        if not self.base:
            return str(self.offset)
        return f"{self.base} + {self.offset}" if self.offset else self.base

    def plus(self, count: int) -> Position:
        return Position(self.base, self.offset + count, self.multiple)

    def plus_expression(self, expression: str, multiple: int) -> Position:
        """Further by a count that is known only when the codec runs, a multiple of `multiple`."""
        return Position(f"{self} + {expression}", 0, min(self.alignment, multiple))

    @property
    def alignment(self) -> int:
        """The largest power of two up to 8 that surely divides this position."""
        size = self.multiple
        while self.offset % size:
            size //= 2
        return size

    def padding(self, size: int) -> int | None:
        """Bytes to the next multiple of `size`; None when that depends on the message."""
        return -self.offset % size if self.multiple % size == 0 else None
